//! Judged tests -> one of the five formats.

use policy_judge::{JudgedPolicy, TestRun};
use policy_model::codes::TEST_FAILS;
use policy_model::{Checked, Test};
use policy_table::hex;
use serde::Serialize;

use super::coverage_output::{CoverageObject, coverage_text};
use super::{Tested, name_of};
use crate::cli::{Color, Format, TestArgs};
use crate::coverage::Coverage;
use crate::exit::RunError;
use crate::output;
use crate::render::{self, JunitTest};
use crate::report::{Finding, Report};

/// Prints the findings, the summary and the coverage on the standard output.
pub(super) fn print(
    tested: &Tested<'_>,
    coverage: Option<&Coverage<'_>>,
    args: &TestArgs,
    color: Color,
) -> Result<(), RunError> {
    let report = Report::of(tested.policies.iter().map(|policy| &policy.checked));
    let below = coverage.map(|coverage| coverage_text(coverage, args)).unwrap_or_default();
    match args.format {
        Format::Human => {
            let findings = render::human_findings(&report.findings);
            output::print_styled(&format!("{findings}{}\n{below}", tested.summary()), color)
        }
        Format::Github => {
            let findings = render::github_report(&report);
            output::print(format!("{findings}{}\n{below}", tested.summary()).as_bytes())
        }
        Format::Json => {
            let object = Object {
                findings: render::json_object(&report),
                policies: tested.policies.iter().map(PolicyEntry::of).collect(),
                tests: all(tested).map(|(checked, test, one)| case(checked, test, one)).collect(),
                totals: TestTotals {
                    tests: tested.count(|_| true),
                    passed: tested.count(|one| one.passed),
                    failed: tested.count(|one| !one.passed),
                    left_out: tested.left_out(),
                },
                coverage: coverage.map(|coverage| CoverageObject::of(coverage, args)),
            };
            output::print_json(&object)
        }
        Format::Sarif => output::print(render::sarif_report(&report)?.as_bytes()),
        Format::Junit => {
            let tests: Vec<JunitTest<'_>> = all(tested).map(|(checked, test, one)| junit(checked, test, one)).collect();
            output::print(render::junit_tests(&report, &tests).as_bytes())
        }
    }
}

/// Every test that was judged, with its policy.
fn all<'a>(tested: &Tested<'a>) -> impl Iterator<Item = (&'a Checked, &'a Test, &'a TestRun)> {
    tested.policies.iter().flat_map(|policy| {
        let test = |run: &TestRun| policy.checked.model.as_ref()?.tests.get(run.test);
        policy.tests.iter().filter_map(move |run| Some((&policy.checked, test(run)?, run)))
    })
}

fn junit<'a>(checked: &'a Checked, test: &'a Test, one: &TestRun) -> JunitTest<'a> {
    let is_about =
        |finding: &&policy_syntax::Diagnostic| finding.code == TEST_FAILS && finding.primary.at == test.expected_at;
    let failure = checked.diagnostics.iter().find(is_about);
    JunitTest {
        file: name_of(checked),
        name: &test.name,
        passed: one.passed,
        answer: format!("the table says {}", one.answer.in_words()),
        failure: failure.map(|diagnostic| Finding { diagnostic, sources: &checked.sources }),
    }
}

#[derive(Serialize)]
struct Object<'a> {
    #[serde(flatten)]
    findings: render::ReportObject<'a>,
    policies: Vec<PolicyEntry<'a>>,
    tests: Vec<TestEntry<'a>>,
    totals: TestTotals,
    #[serde(skip_serializing_if = "Option::is_none")]
    coverage: Option<CoverageObject<'a>>,
}

#[derive(Serialize)]
struct PolicyEntry<'a> {
    file: &'a str,
    /// The digest of the table that judged; null for a policy with errors.
    blake3: Option<String>,
    tests: usize,
}

#[derive(Serialize)]
struct TestEntry<'a> {
    name: &'a str,
    file: &'a str,
    line: usize,
    passed: bool,
    expected: Expected<'a>,
    said: SaidEntry<'a>,
}

#[derive(Serialize)]
struct Expected<'a> {
    verdict: &'static str,
    rule: Option<&'a str>,
}

#[derive(Serialize)]
struct SaidEntry<'a> {
    verdict: &'static str,
    rule: &'a str,
    code: &'a str,
}

#[derive(Serialize)]
struct TestTotals {
    tests: usize,
    passed: usize,
    failed: usize,
    left_out: usize,
}

impl<'a> PolicyEntry<'a> {
    fn of(policy: &'a JudgedPolicy) -> Self {
        let blake3 = policy.frozen.as_ref().map(|frozen| hex(&frozen.digest));
        Self { file: name_of(&policy.checked), blake3, tests: policy.tests.len() }
    }
}

fn case<'a>(checked: &'a Checked, test: &'a Test, one: &'a TestRun) -> TestEntry<'a> {
    let source = checked.sources.get(test.at.file);
    TestEntry {
        name: &test.name,
        file: source.map_or("", |source| source.name()),
        line: source.map_or(1, |source| source.line_of(test.at.span.start)),
        passed: one.passed,
        expected: Expected { verdict: test.expected.as_str(), rule: test.by.as_deref() },
        said: SaidEntry { verdict: one.answer.verdict.as_str(), rule: &one.answer.rule, code: &one.answer.code },
    }
}
