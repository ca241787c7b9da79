//! Report -> JUnit XML: a suite for each file, a case for each finding, one passed case where there
//! is none. A case fails exactly when its finding fails the run.

use policy_model::codes::TEST_FAILS;
use quick_junit::{NonSuccessKind, Report as JunitReport, TestCase, TestCaseStatus, TestSuite};

use super::visible::{visible, visible_lines};
use crate::cli::FailLevel;
use crate::exit::RunError;
use crate::report::{Finding, Report};

pub(crate) fn render(report: &Report<'_>, fail_level: FailLevel) -> Result<String, RunError> {
    let mut junit = JunitReport::new("policyc");
    for (name, findings) in report.by_file() {
        let name = visible(name);
        let mut suite = TestSuite::new(&name);
        if findings.is_empty() {
            let mut case = TestCase::new("no findings", TestCaseStatus::success());
            case.set_classname(&name);
            suite.add_test_case(case);
        }
        suite.add_test_cases(findings.into_iter().map(|finding| case(finding, &name, fail_level)));
        junit.add_test_suite(suite);
    }
    junit.to_string().map_err(|error| RunError::Format(error.to_string()))
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
pub(crate) fn render_tests(report: &Report<'_>, tests: &[JunitTest<'_>]) -> Result<String, RunError> {
    let mut junit = JunitReport::new("policyc");
    for (name, findings) in report.by_file() {
        let shown = visible(name);
        let mut suite = TestSuite::new(&shown);
        let others = findings.into_iter().filter(|finding| finding.diagnostic.code != TEST_FAILS);
        suite.add_test_cases(others.map(|finding| case(finding, &shown, FailLevel::Error)));
        suite.add_test_cases(tests.iter().filter(|test| test.file == name).map(|test| test_case(test, &shown)));
        junit.add_test_suite(suite);
    }
    junit.to_string().map_err(|error| RunError::Format(error.to_string()))
}

fn test_case(test: &JunitTest<'_>, file: &str) -> TestCase {
    let name = visible(test.name);
    let mut case = match (test.passed, &test.failure) {
        (true, _) => {
            let mut passed = TestCase::new(name, TestCaseStatus::success());
            passed.set_system_out(visible(&test.answer));
            passed
        }
        (false, Some(finding)) => {
            let mut failed = case(finding, file, FailLevel::Error);
            failed.name = name.as_ref().into();
            failed
        }
        (false, None) => {
            let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
            status.set_type(TEST_FAILS.id).set_message(visible(&test.answer));
            TestCase::new(name, status)
        }
    };
    case.set_classname(file);
    case
}

fn case(finding: &Finding<'_>, file: &str, fail_level: FailLevel) -> TestCase {
    let diagnostic = finding.diagnostic;
    let start = finding.region().start;
    let message = visible(&diagnostic.message);
    let severity = finding.severity().as_str();
    let mut description =
        format!("{file}:{}:{}: {severity}[{}]: {message}", start.line, start.column, diagnostic.code.id);
    if let Some(help) = &diagnostic.help {
        description.push_str("\nhelp: ");
        description.push_str(&visible_lines(help));
    }
    let name = format!("{} at {}:{}", diagnostic.code.id, start.line, start.column);
    let mut case = if fail_level.is_reached_by(finding.severity()) {
        let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
        status.set_type(diagnostic.code.id).set_message(&message).set_description(description);
        TestCase::new(name, status)
    } else {
        let mut case = TestCase::new(name, TestCaseStatus::success());
        case.set_system_out(description);
        case
    };
    case.set_classname(file);
    case
}
