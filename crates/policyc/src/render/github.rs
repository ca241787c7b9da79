//! Report -> GitHub workflow commands, which annotate the lines of a pull request.
//!
//! The runner reads whatever a step prints, so untrusted text must never start a command.

use policy_syntax::Severity;

use super::counted;
use super::visible::visible_lines;
use crate::report::{Finding, Report, plain_path};

/// Writes one command for each finding, then a summary.
pub(crate) fn render(report: &Report<'_>) -> String {
    let mut text = String::new();
    for finding in &report.findings {
        text.push_str(&command(finding));
        text.push('\n');
    }
    let errors = counted(report.count(Severity::Error), "error");
    let warnings = counted(report.count(Severity::Warning), "warning");
    text.push_str(&format!("{errors}, {warnings} in {}\n", counted(report.policies.len(), "checked file")));
    text
}

fn command(finding: &Finding<'_>) -> String {
    let kind = match finding.severity() {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "notice",
    };
    let region = finding.region();
    let mut properties = format!("file={},line={}", property(&plain_path(finding.file_name())), region.start.line);
    // GitHub takes columns only where a finding stays on one line.
    match region.start.line == region.end.line {
        true => properties.push_str(&format!(
            ",col={},endLine={},endColumn={}",
            region.start.column, region.end.line, region.end.column
        )),
        false => properties.push_str(&format!(",endLine={}", region.end.line)),
    }
    let mut message = finding.diagnostic.message.clone();
    if let Some(help) = &finding.diagnostic.help {
        message.push_str("\nhelp: ");
        message.push_str(help);
    }
    format!("::{kind} {properties},title={}::{}", property(finding.diagnostic.code.id), data(&message))
}

/// Escapes the text after the second `::`.
fn data(text: &str) -> String {
    visible_lines(text).replace('%', "%25").replace('\n', "%0A")
}

/// Escapes the text between `=` and `,`.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neither_data_nor_a_property_can_end_itself() {
        assert_eq!(data("50%\n::error::x, y"), "50%25%0A::error::x, y");
        assert_eq!(data("a\u{1b}[31m\r\u{202E}"), "a\\u{1b}[31m\\u{d}\\u{202e}");
        assert_eq!(property("a,b:c\n::stop"), "a%2Cb%3Ac%0A%3A%3Astop");
    }
}
