//! `policyc test`: policies -> their tests, judged by the frozen table; and what of the rules they cover.

mod coverage_output;
mod print;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use policy_judge::{CheckOptions, JudgedPolicy, Reading, SourceError, TestRun, judge_policy};
use policy_model::{Checked, Disk, Test};
use policy_syntax::{Diagnostic, Severity, Source};

use super::check::{is_unreadable, skip_imported_fragments};
use crate::cli::{Color, TestArgs};
use crate::coverage::Coverage;
use crate::exit::{Outcome, RunError, complain};
use crate::render::counted;

pub(crate) fn run(args: &TestArgs, color: Color) -> Result<Outcome, RunError> {
    if args.files.iter().any(|file| file == Path::new("-")) {
        return Err(SourceError::StandardInput.into());
    }
    let policies = judged(args)?;
    let tested = Tested { policies: &policies };
    if let Some(text) = &args.filter
        && policies.iter().all(|policy| policy.tests.is_empty())
        && tested.left_out() > 0
    {
        return Err(RunError::NoTestSelected(text.clone()));
    }
    let coverage = args.coverage.then(|| tested.coverage());
    print::print(&tested, coverage.as_ref(), args, color)?;

    let mut outcome = tested.outcome();
    if let Some(line) = coverage.as_ref().and_then(|coverage| coverage_output::below_threshold(coverage, args)) {
        complain(&line, None);
        outcome = outcome.max(Outcome::Findings);
    }
    Ok(outcome)
}

/// All policies of a run, in the order they were given.
struct Tested<'a> {
    policies: &'a [JudgedPolicy],
}

/// Each policy with its errors and its failing tests as findings.
fn judged(args: &TestArgs) -> Result<Vec<JudgedPolicy>, RunError> {
    let options = CheckOptions { allow_outside: args.allow_outside };
    let mut seen: BTreeSet<PathBuf> = BTreeSet::new();
    let mut is_new = |file: &&PathBuf| seen.insert(fs::canonicalize(file).unwrap_or_else(|_| (*file).clone()));
    let is_selected = |test: &Test| args.filter.as_ref().is_none_or(|filter| test.name.contains(filter));
    let files = args.files.iter().filter(|file| is_new(file));
    let judged = files.map(|file| judge_policy(&Disk, file, options, is_selected));
    let mut judged: Vec<JudgedPolicy> = judged.collect::<Result<_, _>>().map_err(SourceError::from)?;
    skip_imported_fragments(&mut judged, |one| &one.checked);
    // Warnings are for `check`; here they would hide the tests.
    let is_error = |finding: &Diagnostic| finding.code.severity == Severity::Error;
    judged.iter_mut().for_each(|one| one.checked.diagnostics.retain(is_error));
    Ok(judged)
}

impl<'a> Tested<'a> {
    fn coverage(&self) -> Coverage<'a> {
        let mut coverage = Coverage::default();
        for policy in self.policies {
            if let Some(model) = policy.checked.model.as_ref().filter(|_| policy.frozen.is_some()) {
                coverage.add(&policy.checked, model, &policy.tests);
            }
        }
        coverage
    }

    fn outcome(&self) -> Outcome {
        if self.policies.iter().any(|policy| is_unreadable(&policy.checked)) {
            return Outcome::CouldNotRun;
        }
        let has_findings = self.policies.iter().any(|policy| !policy.checked.diagnostics.is_empty());
        if has_findings { Outcome::Findings } else { Outcome::Fine }
    }

    fn count(&self, is_counted: impl Fn(&TestRun) -> bool) -> usize {
        self.policies.iter().flat_map(|policy| &policy.tests).filter(|run| is_counted(run)).count()
    }

    /// Tests that the filter left out.
    fn left_out(&self) -> usize {
        let frozen = self.policies.iter().filter(|policy| policy.frozen.is_some());
        let all = frozen.filter_map(|policy| policy.checked.model.as_ref()).map(|model| model.tests.len());
        all.sum::<usize>().saturating_sub(self.count(|_| true))
    }

    /// `9 tests: 8 passed, 1 failed`, and what else there is to know of them.
    fn summary(&self) -> String {
        let tests = counted(self.count(|_| true), "test");
        let (passed, failed) = (self.count(|one| one.passed), self.count(|one| !one.passed));
        let mut text = format!("{tests}: {passed} passed, {failed} failed");
        let left_out = self.left_out();
        if left_out > 0 {
            text.push_str(&format!("; {left_out} left out by the filter"));
        }
        let alone = self.count(|run| run.reading == Reading::FactsAlone);
        if alone > 0 {
            text.push_str(&format!("; {alone} judged by facts that no request has"));
        }
        let without: usize = self.policies.iter().filter(|policy| policy.frozen.is_none()).count();
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
