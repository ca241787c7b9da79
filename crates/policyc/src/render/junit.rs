//! Report -> JUnit XML: a suite for each file, a case for each finding, one passed case where there
//! is none. A case fails exactly when its finding fails the run.

use std::borrow::Cow;

use policy_model::codes::TEST_FAILS;

use super::visible::{visible, visible_lines};
use crate::cli::FailLevel;
use crate::report::{Finding, Report};

pub(crate) fn render(report: &Report<'_>, fail_level: FailLevel) -> String {
    let mut suites = Vec::new();
    for (file, findings) in report.by_file() {
        let mut cases: Vec<Case<'_>> = findings.into_iter().map(|finding| case(finding, fail_level)).collect();
        if cases.is_empty() {
            cases.push(Case { name: Cow::Borrowed("no findings"), outcome: Outcome::Passed(Cow::Borrowed("")) });
        }
        suites.push((file, cases));
    }
    document(suites)
}

/// A test of a policy, and its failure if it has one.
pub(crate) struct JunitTest<'a> {
    pub(crate) file: &'a str,
    pub(crate) name: &'a str,
    pub(crate) passed: bool,
    /// The judge and its answer.
    pub(crate) answer: String,
    /// Missing for the last of very many failures.
    pub(crate) failure: Option<Finding<'a>>,
}

/// Like [`render`], with a case for each test instead of one for each finding about a test.
pub(crate) fn render_tests(report: &Report<'_>, tests: &[JunitTest<'_>]) -> String {
    let mut suites = Vec::new();
    for (file, findings) in report.by_file() {
        let others = findings.into_iter().filter(|finding| finding.diagnostic.code != TEST_FAILS);
        let others = others.map(|finding| case(finding, FailLevel::Error));
        let of_file = tests.iter().filter(|test| test.file == file).map(test_case);
        suites.push((file, others.chain(of_file).collect()));
    }
    document(suites)
}

struct Case<'a> {
    name: Cow<'a, str>,
    outcome: Outcome<'a>,
}

enum Outcome<'a> {
    /// With what the case printed.
    Passed(Cow<'a, str>),
    Failed {
        code: &'static str,
        message: Cow<'a, str>,
        description: String,
    },
}

fn test_case<'a>(test: &'a JunitTest<'_>) -> Case<'a> {
    let outcome = match (test.passed, &test.failure) {
        (true, _) => Outcome::Passed(visible(&test.answer)),
        (false, Some(finding)) => case(finding, FailLevel::Error).outcome,
        (false, None) => {
            let (message, description) = (visible(&test.answer), String::new());
            Outcome::Failed { code: TEST_FAILS.id, message, description }
        }
    };
    Case { name: visible(test.name), outcome }
}

fn case<'a>(finding: &Finding<'a>, fail_level: FailLevel) -> Case<'a> {
    let diagnostic = finding.diagnostic;
    let start = finding.region().start;
    let (file, code, message) = (visible(finding.file_name()), diagnostic.code.id, visible(&diagnostic.message));
    let severity = finding.severity().as_str();
    let mut description = format!("{file}:{}:{}: {severity}[{code}]: {message}", start.line, start.column);
    if let Some(help) = &diagnostic.help {
        description.push_str("\nhelp: ");
        description.push_str(&visible_lines(help));
    }
    let name = Cow::Owned(format!("{code} at {}:{}", start.line, start.column));
    match fail_level.is_reached_by(finding.severity()) {
        true => Case { name, outcome: Outcome::Failed { code, message, description } },
        false => Case { name, outcome: Outcome::Passed(Cow::Owned(description)) },
    }
}

fn document(suites: Vec<(&str, Vec<Case<'_>>)>) -> String {
    let (mut body, mut tests, mut failures) = (String::new(), 0_usize, 0_usize);
    for (file, cases) in suites {
        let file = escaped(&visible(file));
        let failed = cases.iter().filter(|case| matches!(case.outcome, Outcome::Failed { .. })).count();
        (tests, failures) = (tests.saturating_add(cases.len()), failures.saturating_add(failed));
        let count = cases.len();
        body.push_str(&format!(
            "  <testsuite name=\"{file}\" tests=\"{count}\" disabled=\"0\" errors=\"0\" failures=\"{failed}\">\n"
        ));
        for Case { name, outcome } in cases {
            let content = match outcome {
                Outcome::Passed(output) if output.is_empty() => String::new(),
                Outcome::Passed(output) => format!("<system-out>{}</system-out>", escaped(&output)),
                Outcome::Failed { code, message, description } => format!(
                    "<failure message=\"{}\" type=\"{code}\">{}</failure>",
                    escaped(&message),
                    escaped(&description)
                ),
            };
            let name = escaped(&name);
            body.push_str(&format!("    <testcase name=\"{name}\" classname=\"{file}\">{content}</testcase>\n"));
        }
        body.push_str("  </testsuite>\n");
    }
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <testsuites name=\"policyc\" tests=\"{tests}\" failures=\"{failures}\" errors=\"0\">\n{body}</testsuites>\n"
    )
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
