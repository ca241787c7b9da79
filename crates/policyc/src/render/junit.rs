//! Report -> JUnit XML: a suite for each file, a case for each finding, one passed case where there
//! is none. A case fails exactly when its finding fails the run.

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
