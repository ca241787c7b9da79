//! facts -> verdict
//!
//! What one request for one target comes to, judged from a frozen table; and readers of what requests say:
//! [`path`], [`shell`], [`net`]. It knows no policy text, no file, no clock and no heap; it cannot panic, and
//! every loop ends with its input or with the table.
#![no_std]
#![cfg_attr(not(test), warn(clippy::arithmetic_side_effects, clippy::as_conversions, clippy::wildcard_enum_match_arm))]

#[cfg(test)]
extern crate std;

mod decide;
mod decision;
mod diagram;
mod facts;
pub mod git;
pub mod judge;
pub mod limits;
pub mod net;
mod operation;
pub mod path;
mod policy;
mod rank;
pub mod shell;
mod text;
pub mod validate;
mod walk;
pub mod wire;

pub use decide::{decide, decide_all};
pub use decision::{Code, DEFAULT_DENY, Decision, Verdict};
pub use facts::Facts;
pub use operation::{Asked, Attributes, Operation};
pub use policy::{BindError, Policy};
