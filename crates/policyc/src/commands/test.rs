//! `policyc test`: policies -> their tests, judged by the frozen table; and what of the rules they cover.

mod print;
mod shown;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use policy_judge::SourceError;
use policy_model::{CheckOptions, Checked, Disk, Model, Test, check_untested, test_failure};
use policy_syntax::codes::TOO_MANY_FINDINGS;
use policy_syntax::limits::FINDINGS_MAX;
use policy_syntax::{Diagnostic, Severity, Source};
use policy_table::{diagnose, freeze};
use table_format::Digest;

use super::check::{drop_parts, is_unreadable};
use crate::cli::{Color, TestArgs};
use crate::coverage::Coverage;
use crate::exit::{Outcome, RunError, complain};
use crate::render::counted;
use crate::testing::{Ran, TestingError, compare, judge};

pub(crate) fn run(args: &TestArgs, color: Color) -> Result<Outcome, RunError> {
    if args.files.iter().any(|file| file == Path::new("-")) {
        return Err(SourceError::StandardInput.into());
    }
    let (checked, runs): (Vec<Checked>, Vec<Run>) = judged(args)?.into_iter().unzip();
    if let Some(text) = &args.filter
        && runs.iter().all(|run| run.ran.is_empty())
        && runs.iter().any(|run| run.left_out > 0)
    {
        return Err(RunError::NoTestSelected(text.clone()));
    }
    let tested = Tested { checked: &checked, runs: &runs };
    let coverage = args.coverage.then(|| tested.coverage());
    print::print(&tested, coverage.as_ref(), args, color)?;

    let mut outcome = tested.outcome();
    if let Some(line) = coverage.as_ref().and_then(|coverage| shown::below_threshold(coverage, args)) {
        complain(&line, None);
        outcome = outcome.max(Outcome::Findings);
    }
    Ok(outcome)
}

/// What became of a policy's tests.
#[derive(Default)]
struct Run {
    /// The table that judged them; none when the policy has errors.
    table: Option<Digest>,
    ran: Vec<Ran>,
    /// Tests that the filter left out.
    left_out: usize,
    /// Tests that the reference evaluator was asked about too.
    compared: usize,
}

/// All policies of a run, in the order they were given.
struct Tested<'a> {
    checked: &'a [Checked],
    runs: &'a [Run],
}

/// Each policy with its errors and its failing tests as findings.
fn judged(args: &TestArgs) -> Result<Vec<(Checked, Run)>, RunError> {
    let options = CheckOptions { allow_outside: args.allow_outside };
    let mut seen: BTreeSet<PathBuf> = BTreeSet::new();
    let mut is_new = |file: &&PathBuf| seen.insert(fs::canonicalize(file).unwrap_or_else(|_| (*file).clone()));
    let files = args.files.iter().filter(|file| is_new(file));
    let mut checked: Vec<Checked> = files.map(|file| check_untested(&Disk, file, options)).collect();
    drop_parts(&mut checked);
    let judged = checked.into_iter().map(|mut checked| {
        // Warnings are for `check`; here they would hide the tests.
        checked.diagnostics.retain(|finding| finding.code.severity == Severity::Error);
        let (run, failed) = judge_tests(&checked, args.filter.as_deref())?;
        checked.diagnostics.extend(failed);
        Ok((checked, run))
    });
    judged.collect()
}

/// Freezes a policy and judges its tests by the table.
fn judge_tests(checked: &Checked, filter: Option<&str>) -> Result<(Run, Vec<Diagnostic>), RunError> {
    let Some(model) = &checked.model else {
        return Ok((Run::default(), Vec::new()));
    };
    let frozen = match freeze(model, &checked.sources) {
        Ok(frozen) => frozen,
        Err(error) => return Ok((Run::default(), vec![diagnose(&error, checked.root)])),
    };
    let is_selected = |test: &Test| filter.is_none_or(|filter| test.name.contains(filter));
    let tests = model.tests.iter().enumerate().filter(|(_, test)| is_selected(test));
    let selected: Vec<usize> = tests.map(|(number, _)| number).collect();
    let internal = |error: TestingError| RunError::Internal(error.to_string());
    let ran = judge(model, &frozen.bytes, &selected).map_err(internal)?;
    let compared = compare(model, &ran).map_err(internal)?;
    let failures = failures(model, &ran);
    let left_out = model.tests.len().saturating_sub(selected.len());
    Ok((Run { table: Some(frozen.digest), ran, left_out, compared }, failures))
}

/// The findings about failing tests, as many as `check` would show.
fn failures(model: &Model, ran: &[Ran]) -> Vec<Diagnostic> {
    let mut failed = ran.iter().filter(|one| !one.passed).filter_map(|one| Some((one, model.tests.get(one.test)?)));
    let shown = failed.by_ref().take(FINDINGS_MAX);
    let mut findings: Vec<Diagnostic> = shown.map(|(one, test)| test_failure(model, test, one.said.answer())).collect();
    if let Some((_, test)) = failed.next() {
        let message = format!("more than {FINDINGS_MAX} tests fail; the rest is not shown");
        let finding = Diagnostic::new(TOO_MANY_FINDINGS, test.expected_at, message);
        findings.push(finding.help("correct the first ones and test again"));
    }
    findings
}

impl<'a> Tested<'a> {
    fn coverage(&self) -> Coverage<'a> {
        let mut coverage = Coverage::default();
        for (checked, run) in self.checked.iter().zip(self.runs) {
            if let Some(model) = checked.model.as_ref().filter(|_| run.table.is_some()) {
                coverage.add(checked, model, &run.ran);
            }
        }
        coverage
    }

    fn outcome(&self) -> Outcome {
        if self.checked.iter().any(is_unreadable) {
            return Outcome::CouldNotRun;
        }
        let has_findings = self.checked.iter().any(|checked| !checked.diagnostics.is_empty());
        if has_findings { Outcome::Findings } else { Outcome::Fine }
    }

    fn count(&self, is_counted: impl Fn(&Ran) -> bool) -> usize {
        self.runs.iter().flat_map(|run| &run.ran).filter(|one| is_counted(one)).count()
    }

    /// `9 tests: 8 passed, 1 failed`, and what else there is to know of them.
    fn summary(&self) -> String {
        let tests = counted(self.count(|_| true), "test");
        let (passed, failed) = (self.count(|one| one.passed), self.count(|one| !one.passed));
        let mut text = format!("{tests}: {passed} passed, {failed} failed");
        let left_out: usize = self.runs.iter().map(|run| run.left_out).sum();
        if left_out > 0 {
            text.push_str(&format!("; {left_out} left out by the filter"));
        }
        let not_compared: usize = self.runs.iter().map(|run| run.ran.len().saturating_sub(run.compared)).sum();
        if not_compared > 0 {
            text.push_str(&format!("; {not_compared} too costly to compare with the reference evaluator"));
        }
        let without: usize = self.runs.iter().filter(|run| run.table.is_none()).count();
        if without > 0 {
            let policies = if without == 1 { "a policy".to_owned() } else { format!("{without} policies") };
            text.push_str(&format!("; the tests of {policies} with errors were not run"));
        }
        text
    }
}

/// The name of a policy's own file.
fn name_of(checked: &Checked) -> &str {
    checked.sources.get(checked.root).map_or("", Source::name)
}
