//! (Model, table bytes) -> what the table says of each test, compared with the reference evaluator.

use std::collections::BTreeMap;
use std::fmt;

use policy_model::{Model, OperationId, Rule, Test, steps};
use policy_syntax::quote;
use policy_table::blake3;
use table_format::{OpenError, Pin, Table};

use crate::judging::Said;
use crate::named::NameError;

/// A test and what the table says of its request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Ran {
    /// Which of the model's tests.
    pub(crate) test: usize,
    pub(crate) said: Said,
    pub(crate) passed: bool,
}

/// Why tests have no answer that could be relied on. None of it is the author's doing.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum TestingError {
    /// The bytes are no table.
    NoTable(OpenError),
    /// The table does not know a name of a test.
    ForeignTable { test: String, error: NameError },
    /// The table and the reference evaluator say different things of a test.
    Disagreement { test: String, table: Box<Said>, reference: Box<Said> },
}

impl fmt::Display for TestingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoTable(error) => write!(f, "the table just made cannot be opened: {error}"),
            Self::ForeignTable { test, error } => {
                write!(f, "the table just made cannot answer the test {}: {error}", quote(test))
            }
            Self::Disagreement { test, table, reference } => write!(
                f,
                "the judges disagree on {}: the table says {}; the reference evaluator says {}",
                quote(test),
                table.in_full(),
                reference.in_full()
            ),
        }
    }
}

impl std::error::Error for TestingError {}

/// Judges the selected tests by the bytes of a table, and by nothing else.
pub(crate) fn judge(model: &Model, bytes: &[u8], selected: &[usize]) -> Result<Vec<Ran>, TestingError> {
    let table = Table::open(bytes, Pin::Unpinned, blake3).map_err(TestingError::NoTable)?;
    let tests = selected.iter().filter_map(|test| Some((*test, model.tests.get(*test)?)));
    tests
        .map(|(number, test)| {
            let foreign = |error| TestingError::ForeignTable { test: test.name.clone(), error };
            let said = Said::by_table(&table, model, &test.request).map_err(foreign)?;
            let passed = said.answer().meets(test);
            Ok(Ran { test: number, said, passed })
        })
        .collect()
}

/// Asks the reference evaluator the same, and answers how many tests it was asked about: all, unless that would keep
/// an author waiting.
///
/// Each test meets only the rules of its operation, since no other can apply.
pub(crate) fn compare(model: &Model, ran: &[Ran]) -> Result<usize, TestingError> {
    let mut by_operation: BTreeMap<OperationId, Vec<(&Test, &Ran)>> = BTreeMap::new();
    for one in ran {
        if let Some(test) = model.tests.get(one.test) {
            by_operation.entry(test.request.operation).or_default().push((test, one));
        }
    }
    let mut part = Model { tests: Vec::new(), rules: Vec::new(), ..model.clone() };
    let (mut compared, mut left) = (0_usize, STEPS_MAX);
    for (operation, tests) in by_operation {
        let about = |rule: &&Rule| rule.operations.contains(&operation);
        part.rules = model.rules.iter().filter(about).cloned().collect();
        let steps_each = part.rules.iter().map(steps).fold(1, usize::saturating_add);
        for (test, one) in tests {
            let Some(rest) = left.checked_sub(steps_each) else {
                break;
            };
            left = rest;
            let reference = Said::by_reference(&part, &test.request);
            if reference != one.said {
                let (table, reference) = (Box::new(one.said.clone()), Box::new(reference));
                return Err(TestingError::Disagreement { test: test.name.clone(), table, reference });
            }
            compared = compared.saturating_add(1);
        }
    }
    Ok(compared)
}

/// Comparisons that the reference evaluator is asked for; some seconds.
const STEPS_MAX: usize = 200_000_000;

#[cfg(test)]
mod tests;
