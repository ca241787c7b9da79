//! rows <-> bytes
//!
//! The frozen decision table: the only code that reads or writes its bytes. It knows no policy text, no
//! request and no heap; the caller provides the hash function.
//!
//! ```text
//! byte   0  magic              8  "INTRDCT" and a zero
//!        8  format version     4  1
//!       12  language version   4  1
//!       16  digest            32  hash of the whole file with these 32 bytes zero
//!       48  sources           32  hash of the policy's source files
//!       80  name               4  the policy's name, a place in `texts`
//!       84  counts        15 x 4  how many rows each section has, in the order below
//!      144  ---------------------------------------------------------------- row bytes
//!           runs          of the automata: bytes to compare in one go               16
//!           cells         of the automata: what a state does with one byte           8
//!           roles         sorted by name: what a session can hold                    4
//!           attributes    what a request can say, sorted by name and kind            8
//!           operations    sorted by name: attributes, lanes and groups              36
//!           rules         in source order: name and terms                            8
//!           terms         effect, code, sentence, limits, requirements              28
//!           limits        an attribute and the most it may be                       12
//!           budgets       what an act is charged to                                 28
//!           lanes         an automaton over one string attribute                    20
//!           groups        a root of the diagram for each role                        8
//!           states        of the automata: those that are neither runs nor cells    12
//!           nodes         of the decision diagram                                   20
//!           words         lists of numbers that rows above refer to                  4
//!           texts         names and sentences, each after its length                 1
//! ```
//!
//! Everything is little-endian and nothing is padded: each section starts where the one before it ends,
//! and the last one ends where the file does. The rows that a walk reads come first, at multiples of their
//! length, so that none of them crosses a cache line if the table starts at one. Rows refer to rows by number.
//! Every word belongs to exactly one row, in the order of the rows, so that the cost of opening a table is
//! proportional to its length.
#![warn(missing_docs)]
#![no_std]
#![cfg_attr(not(test), warn(clippy::arithmetic_side_effects, clippy::as_conversions, clippy::wildcard_enum_match_arm))]

mod bytes;
mod error;
mod header;
mod open;
mod prefix;
mod rows;
mod spelling;
mod states;
mod table;
mod write;

pub use error::{OpenError, Section, WriteError};
pub use header::{Digest, FORMAT_VERSION, HEADER_BYTES, Header, LANGUAGE_VERSION, Pin};
pub use prefix::Position;
pub use rows::{
    Ask, Attribute, AttributeKind, Budget, BudgetRoles, Child, Edge, Effect, FLAGS_MAX, Group, LANES_PER_OPERATION_MAX,
    Lane, LaneMode, Limit, Measure, Node, Operation, Period, ROLES_MAX, RULES_MAX, Role, Rule, SLOTS_MAX, Sieve, Span,
    Terms, TextRef, WALK_WORDS, Walk, When, walk_words,
};
pub use states::{After, Cell, Class, Direction, JUMPS_MAX, Jump, RUN_BYTES_MAX, Run, State, Target};
pub use table::{Cells, OperationId, RoleId, RuleId, Slot, Table};
pub use write::{Parts, encoded_len, write};
