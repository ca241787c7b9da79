//! policies and requests -> figures
//!
//! The same policies and the same requests for every engine, what each takes for a decision, and how
//! that compares with the limits this project sets itself; and what it takes to act on what was permitted. It decides
//! nothing and is no part of what ships.
#![expect(
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a measurement that cannot be made has to end with the reason, and no figure"
)]

#[cfg(all(feature = "act", target_os = "linux"))]
pub mod acting;
mod ask;
pub mod checking;
mod child;
mod clock;
mod engines;
pub mod figures;
mod goal;
mod judging;
mod plain;
mod quantile;
mod requests;
mod verdict;
mod workload;

pub use ask::Ask;
pub use engines::{Core, Engine, Name};
pub use judging::Judging;
pub use plain::{PatternKind, PlainRule, StringTest, plain_rules};
pub use verdict::{Says, Verdict};
pub use workload::{Asked, REQUESTS, SIXTY, SIZES, Workload, checked};
