//! The corpus of attacks: the cases that were given to us and those that we added, in one list.

use serde_json::Value;

/// Given, and kept as it was.
const GIVEN: &str = include_str!("../../corpus/attacks.jsonl");
/// Ours.
const ADDED: &str = include_str!("../../corpus/additions.jsonl");

pub(crate) struct Case {
    pub(crate) kind: String,
    pub(crate) input: Value,
    /// As it stands in the file, with id, expectation and reason.
    pub(crate) whole: Value,
}

/// Every case of every kind.
pub(crate) fn cases() -> Vec<Case> {
    let read = |line: &str| {
        let whole: Value = serde_json::from_str(line).unwrap_or_else(|error| panic!("{line}: {error}"));
        Case { kind: whole["kind"].as_str().unwrap().to_owned(), input: whole["input"].clone(), whole }
    };
    GIVEN.lines().chain(ADDED.lines()).map(read).collect()
}
