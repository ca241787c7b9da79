//! request bytes -> verdict
//!
//! What a request comes to, judged from frozen tables: [`judge`] goes the whole way, from bytes that nobody trusts to a
//! permit. On that way are [`wire`] (bytes to fields), [`validate`] (the rules of the protocol), the readers of what
//! requests say ([`path`], [`shell`], [`net`], [`git`]) and [`decide()`], which judges one target from one table. It knows no
//! policy text, no file, no clock and no heap; it cannot panic, and every loop ends with its input or with the table.
//!
//! Large functions are kept apart (`inline(never)`): put into each other, they grow, and registers run short.
#![warn(missing_docs)]
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

pub use decide::{decide, decide_all, is_matched};
pub use decision::{Code, DEFAULT_DENY, Decision, Verdict};
pub use facts::Facts;
pub use operation::{Asked, AttributeDef, Attributes, Operation, slot};
pub use policy::{BindError, Policy};
pub use table_format::AttributeKind;
