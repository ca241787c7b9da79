//! Report -> JUnit XML: a suite for each file, a failed case for each finding, one passed case
//! where there is none.

use quick_junit::{NonSuccessKind, Report as JunitReport, TestCase, TestCaseStatus, TestSuite};

use super::visible::{visible, visible_lines};
use crate::exit::RunError;
use crate::report::{Finding, Report};

pub(crate) fn render(report: &Report<'_>) -> Result<String, RunError> {
    let mut junit = JunitReport::new("policyc");
    for (name, findings) in report.by_file() {
        let name = visible(name);
        let mut suite = TestSuite::new(&name);
        if findings.is_empty() {
            let mut case = TestCase::new("no findings", TestCaseStatus::success());
            case.set_classname(&name);
            suite.add_test_case(case);
        }
        suite.add_test_cases(findings.into_iter().map(|finding| failed(finding, &name)));
        junit.add_test_suite(suite);
    }
    junit.to_string().map_err(|error| RunError::Format(error.to_string()))
}

fn failed(finding: &Finding<'_>, file: &str) -> TestCase {
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
    let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
    status.set_type(diagnostic.code.id).set_message(&message).set_description(description);
    let mut case = TestCase::new(format!("{} at {}:{}", diagnostic.code.id, start.line, start.column), status);
    case.set_classname(file);
    case
}
