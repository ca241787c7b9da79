//! Model -> table bytes
//!
//! Patterns become automata, rules a decision diagram, both become rows of a table, and BLAKE3 names it.
//! It knows no request and judges nothing.

mod automaton;
mod collections;
mod compile;
mod diagram;
mod error;
mod formula;
mod groups;
mod lanes;
mod lower;
mod manifest;
mod needle;
mod nfa;
mod rows;
mod scan;
mod trie;

pub use compile::{Frozen, blake3, freeze};
pub use error::{TableError, diagnose};
pub use manifest::{Manifest, ManifestBudget, ManifestRule, ManifestSource, hex};
