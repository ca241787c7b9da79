//! The text of `outcomes.json` -> what became of each change. The build without a change is none of them.

use std::collections::BTreeMap;

use serde::Deserialize;

/// A change in one place.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Mutant {
    pub(super) file: String,
    /// Counted from one, as is the column.
    pub(super) line: usize,
    pub(super) column: usize,
    /// As `cargo mutants` writes it, with its place.
    pub(super) name: String,
    /// Empty outside of functions.
    pub(super) function: String,
}

/// What became of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fate {
    /// A test failed.
    Caught,
    /// No test failed.
    Missed,
    /// The tests did not end, which is noticed too.
    Timeout,
    /// It does not build.
    Unviable,
}

impl Mutant {
    /// What is changed into what, without its place: that moves.
    pub(super) fn mutation(&self) -> &str {
        let place = format!("{}:{}:{}: ", self.file, self.line, self.column);
        let name = self.name.strip_prefix(&place).unwrap_or(&self.name);
        name.strip_suffix(&format!(" in {}", self.function)).unwrap_or(name)
    }
}

/// Every change that was tried.
pub(super) fn read(text: &str) -> Result<BTreeMap<Mutant, Fate>, serde_json::Error> {
    let file: File = serde_json::from_str(text)?;
    let fates = file.outcomes.into_iter().filter_map(|outcome| {
        let Scenario::Mutant(change) = outcome.scenario else {
            return None;
        };
        let fate = match outcome.summary {
            Summary::CaughtMutant | Summary::Failure => Fate::Caught,
            Summary::MissedMutant | Summary::Success => Fate::Missed,
            Summary::Timeout => Fate::Timeout,
            Summary::Unviable => Fate::Unviable,
        };
        Some((Mutant::from(change), fate))
    });
    Ok(fates.collect())
}

#[derive(Debug, Deserialize)]
struct File {
    outcomes: Vec<Tried>,
}

#[derive(Debug, Deserialize)]
struct Tried {
    scenario: Scenario,
    summary: Summary,
}

#[derive(Debug, Deserialize)]
enum Scenario {
    Baseline,
    Mutant(Change),
}

#[derive(Debug, Deserialize)]
enum Summary {
    Success,
    CaughtMutant,
    MissedMutant,
    Unviable,
    Failure,
    Timeout,
}

#[derive(Debug, Deserialize)]
struct Change {
    name: String,
    file: String,
    function: Option<Function>,
    span: Span,
}

#[derive(Debug, Deserialize)]
struct Function {
    function_name: String,
}

#[derive(Debug, Deserialize)]
struct Span {
    start: Place,
}

#[derive(Debug, Deserialize)]
struct Place {
    line: usize,
    column: usize,
}

impl From<Change> for Mutant {
    fn from(change: Change) -> Self {
        let Place { line, column } = change.span.start;
        let function = change.function.map_or_else(String::new, |function| function.function_name);
        Self { file: change.file, line, column, name: change.name, function }
    }
}
