//! The corpus of attacks: the cases that were given to us and those that we added, in one list.

use serde_json::Value;

/// Given, and kept as it was.
const GIVEN: &str = include_str!("../../corpus/attacks.jsonl");
/// Ours.
const ADDED: &str = include_str!("../../corpus/additions.jsonl");

/// Every case of every kind: id, kind, input, expect, why.
pub(crate) fn cases() -> Vec<Value> {
    let read = |line: &str| serde_json::from_str(line).unwrap_or_else(|error| panic!("{line}: {error}"));
    GIVEN.lines().chain(ADDED.lines()).map(read).collect()
}
