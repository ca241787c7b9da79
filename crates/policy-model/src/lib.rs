//! Ast -> Model
//!
//! Names resolved, types checked, imports linked; the lints; and the reference evaluator that every
//! faster judge is compared with. It knows no bytes of a table and runs no tool.

mod ask;
pub mod catalogue;
mod check;
pub mod codes;
mod evaluate;
mod expectations;
mod files;
mod findings;
mod graph;
mod link;
mod lint;
mod model;
mod nearest;
mod packs;
mod pattern;
mod resolve;
mod units;

pub use ask::{NoRequest, read_request};
pub use check::{CheckOptions, Checked, check, check_in};
pub use evaluate::{Decision, OPEN_NUMBER, Obligations, Request, addresses, applies, evaluate, exceeded, holds};
pub use files::{Disk, FileError, Files, Memory};
pub use model::{
    Assert, Attribute, Budget, Condition, Limit, LocatedPattern, Measure, Model, Operation, OperationId, PatternSet,
    Period, Role, RoleId, Rule, Subjects, Test,
};
pub use nearest::{Failure, Miss, miss, nearest_miss};
pub use packs::{PACKS, PROTECTED_PATHS, Pack};
pub use pattern::{
    COMPILED_BYTES_MAX, HostPattern, PATTERN_BYTES_MAX, Pattern, PatternError, Regex, RegexError, Segment, SegmentGlob,
    WordGlob,
};
pub use units::{NUMBER_MAX, written};
