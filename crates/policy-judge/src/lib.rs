//! policy files -> a frozen, opened table
//!
//! A policy is judged by the bytes that are deployed: it is frozen and opened in memory before anything is said about it.
//! This crate prints nothing; it knows no terminal, no format of findings and no Cedar.

mod table_source;

pub use policy_model::CheckOptions;
pub use table_source::{SourceError, TABLE_EXTENSION, load_table, open_table};
