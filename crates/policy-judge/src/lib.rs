//! policy files -> a frozen, opened table, and its answers to the policy's tests
//!
//! A policy is judged by the bytes that are deployed: it is frozen and opened in memory before anything is said about it.
//! This crate prints nothing; it knows no terminal, no format of findings and no Cedar.

mod answer;
mod failure;
mod policy;
mod table_source;

pub use answer::{Answer, Bound, NameError, Named, Numbered, named};
pub use policy::{JudgeError, JudgedPolicy, TestRun, judge_policy, run_tests};
pub use policy_model::CheckOptions;
pub use table_source::{SourceError, TABLE_EXTENSION, load_table, open_table};
