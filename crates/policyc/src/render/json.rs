//! Report -> one JSON object, the stable form for other programs.

use policy_syntax::Severity;
use serde::Serialize;

use crate::exit::RunError;
use crate::report::{Finding, Report};

/// Writes one object on one line.
pub(crate) fn render(report: &Report<'_>) -> Result<String, RunError> {
    let mut text = serde_json::to_string(&object(report)).map_err(|error| RunError::Format(error.to_string()))?;
    text.push('\n');
    Ok(text)
}

/// Builds the object, for callers that add fields.
pub(crate) fn object<'a>(report: &Report<'a>) -> ReportObject<'a> {
    ReportObject {
        findings: report.findings.iter().map(Entry::of).collect(),
        summary: FindingCounts { errors: report.count(Severity::Error), warnings: report.count(Severity::Warning) },
    }
}

#[derive(Serialize)]
pub(crate) struct ReportObject<'a> {
    findings: Vec<Entry<'a>>,
    summary: FindingCounts,
}

#[derive(Serialize)]
struct Entry<'a> {
    code: &'static str,
    severity: &'static str,
    message: &'a str,
    file: &'a str,
    line: usize,
    column: usize,
    end_line: usize,
    end_column: usize,
    help: Option<&'a str>,
}

#[derive(Serialize)]
struct FindingCounts {
    errors: usize,
    warnings: usize,
}

impl<'a> Entry<'a> {
    fn of(finding: &Finding<'a>) -> Self {
        let region = finding.region();
        Self {
            code: finding.diagnostic.code.id,
            severity: finding.severity().as_str(),
            message: &finding.diagnostic.message,
            file: finding.file_name(),
            line: region.start.line,
            column: region.start.column,
            end_line: region.end.line,
            end_column: region.end.column,
            help: finding.diagnostic.help.as_deref(),
        }
    }
}
