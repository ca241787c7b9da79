//! A policy's files -> its findings, its table and its tests, each judged by the bytes of that table.

use std::path::Path;

use enforce_core::{BindError, Policy};
use policy_model::{CheckOptions, Checked, Files, Model, Request, Test, check_in, codes};
use policy_syntax::codes::TOO_MANY_FINDINGS;
use policy_syntax::limits::FINDINGS_MAX;
use policy_syntax::{Diagnostic, Severity, quote};
use policy_table::{Frozen, blake3, diagnose, freeze};
use table_format::{OpenError, Pin, Table};
use thiserror::Error;

use crate::answer::{Answer, Judge};
use crate::failure::test_failure;
use crate::judged_facts::{JudgedFacts, NameError, Reading, judge_facts};

/// A policy, its table and the tests that were run.
#[derive(Debug)]
pub struct JudgedPolicy {
    /// The policy with everything that was found in it; a failing test is an error, and so is a policy without a table.
    pub checked: Checked,
    /// None when the policy has errors apart from its tests.
    pub frozen: Option<Frozen>,
    /// The tests that were selected, in the order of the model.
    pub tests: Vec<TestRun>,
}

/// A test and the table's answer to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TestRun {
    /// Its place in [`Model::tests`].
    pub test: usize,
    /// The table's answer.
    pub answer: Answer,
    /// The facts that decided; `None` when no policy was asked.
    pub facts: Option<Request>,
    pub reading: Reading,
    /// True when the answer is the expected one.
    pub passed: bool,
}

/// A table that was just made and cannot be used: a defect of this program.
#[derive(Debug, PartialEq, Eq, Error)]
pub enum JudgeError {
    /// The bytes are no table.
    #[error("the table just made cannot be opened: {0}")]
    NotATable(OpenError),
    /// The table's attributes are not those of the core.
    #[error("the table just made does not fit the core: `{}` has other attributes", .0.operation.name())]
    Foreign(BindError),
    /// The root of paths in tests is none.
    #[error("the root of tests is none")]
    Root,
    /// The table lacks a name of the policy.
    #[error("the table just made cannot answer the test `{test}`: {error}")]
    Name {
        /// Which test.
        test: String,
        /// The missing name.
        error: NameError,
    },
}

/// Loads a policy, freezes it, opens the table and judges the selected tests by it.
///
/// # Errors
/// Only for a defect: mistakes in the policy are among its findings.
pub fn judge_policy(
    files: &dyn Files,
    path: &Path,
    options: CheckOptions,
    is_selected: impl Fn(&Test) -> bool,
) -> Result<JudgedPolicy, JudgeError> {
    let mut checked = check_in(files, path, options);
    let Some(model) = &checked.model else {
        return Ok(JudgedPolicy { checked, frozen: None, tests: Vec::new() });
    };
    let frozen = match freeze(model, &checked.sources) {
        Ok(frozen) => frozen,
        Err(error) => {
            checked.diagnostics.push(diagnose(&error, checked.root));
            return Ok(JudgedPolicy { checked, frozen: None, tests: Vec::new() });
        }
    };
    let selected: Vec<usize> =
        (0..).zip(&model.tests).filter(|(_, test)| is_selected(test)).map(|(place, _)| place).collect();
    let tests = run_tests(model, &frozen.bytes, &selected)?;
    let found = findings(model, &tests);
    checked.diagnostics.extend(found);
    checked.diagnostics.sort_by_key(|finding| finding.primary.at);
    Ok(JudgedPolicy { checked, frozen: Some(frozen), tests })
}

impl JudgedPolicy {
    /// The model and its table; none when the policy has an error, a failing test included.
    #[must_use]
    pub fn usable(&self) -> Option<(&Model, &Frozen)> {
        let has_errors = self.checked.diagnostics.iter().any(|finding| finding.code.severity == Severity::Error);
        self.checked.model.as_ref().zip(self.frozen.as_ref()).filter(|_| !has_errors)
    }
}

/// Judges tests of a model by the bytes of a table, and by nothing else.
///
/// # Errors
/// When the bytes are no table, or that of another policy.
pub fn run_tests(model: &Model, bytes: &[u8], selected: &[usize]) -> Result<Vec<TestRun>, JudgeError> {
    let table = Table::open(bytes, Pin::Unpinned, blake3).map_err(JudgeError::NotATable)?;
    let policy = Policy::new(&table).map_err(JudgeError::Foreign)?;
    let mut judge = Judge::new(&policy, ROOT).map_err(|_| JudgeError::Root)?;
    let tests = selected.iter().filter_map(|place| Some((*place, model.tests.get(*place)?)));
    tests
        .map(|(place, test)| {
            let name = |error| JudgeError::Name { test: test.name.clone(), error };
            let JudgedFacts { answer, facts, reading } = judge_facts(&mut judge, model, &test.request).map_err(name)?;
            let passed = answer.meets(test) && !matches!(reading, Reading::Contradiction(_));
            Ok(TestRun { test: place, answer, facts, reading, passed })
        })
        .collect()
}

fn findings(model: &Model, tests: &[TestRun]) -> Vec<Diagnostic> {
    let runs = tests.iter().filter_map(|run| Some((run, model.tests.get(run.test)?)));
    let mut failed = runs.clone().filter(|(run, _)| !run.passed);
    let shown = failed.by_ref().take(FINDINGS_MAX);
    let mut findings: Vec<Diagnostic> = shown.map(|(run, test)| test_failure(model, test, run)).collect();
    if let Some((_, test)) = failed.next() {
        let message = format!("more than {FINDINGS_MAX} tests fail; the rest is not shown");
        let finding = Diagnostic::new(TOO_MANY_FINDINGS, test.expected_at, message);
        findings.push(finding.help("correct the first ones and test again"));
    }
    let mut alone = runs.filter(|(run, _)| run.reading == Reading::FactsAlone).map(|(_, test)| test);
    if let Some(first) = alone.next() {
        let more = alone.count();
        let others = match more {
            0 => String::new(),
            1 => " and 1 other".to_owned(),
            more => format!(" and {more} others"),
        };
        let message = format!(
            "no request can be built with the facts of the test {}{others}; they are judged alone",
            quote(&first.name)
        );
        findings.push(
            Diagnostic::new(codes::FACTS_ALONE, first.at, message)
                .help("only the rules are tested, and not how a request is read"),
        );
    }
    findings
}

/// Paths of tests are in the root, wherever that is.
const ROOT: &str = "/workspace";
