//! policy files -> a frozen, opened table; requests and tests -> its answers
//!
//! A policy is judged by the bytes that are deployed: it is frozen and opened in memory before anything is said about it,
//! and requests are judged as bytes, by the whole of the core. This crate prints nothing; it knows no terminal, no format of
//! findings and no Cedar.

mod answer;
mod facts;
mod failure;
mod judged_facts;
mod policy;
mod request;
mod table_source;

pub use answer::{Answer, Bound, Judge, NamedFacts, Obligations, RootError};
pub use facts::{Contradiction, FILLED_IN};
pub use judged_facts::{JudgedFacts, NameError, Reading, judge_facts, judge_request};
pub use policy::{JudgeError, JudgedPolicy, TestRun, judge_policy, run_tests};
pub use policy_model::CheckOptions;
pub use request::{FieldError, Fields, request};
pub use table_source::{SourceError, TABLE_EXTENSION, load_table, open_table};
