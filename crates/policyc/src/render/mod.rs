//! Findings -> text, one file for each format. Nothing here reads a file or knows an exit code.

mod github;
mod human;
mod json;
mod junit;
mod passage;
mod sarif;
mod visible;

use policy_syntax::{Diagnostic, Severity, Sources};

use crate::cli::{CheckArgs, Color, Format};
use crate::exit::RunError;
use crate::output;
use crate::report::{Finding, Report};

pub(crate) use github::render as github_report;
pub(crate) use human::{findings as human_findings, render as human_report};
pub(crate) use json::{ReportObject, object as json_object};
pub(crate) use junit::{JunitTest, render_tests as junit_tests};
pub(crate) use passage::{Passage, Tone};
pub(crate) use sarif::render as sarif_report;
pub(crate) use visible::visible;

/// Prints a report to standard output.
pub(crate) fn print(report: &Report<'_>, args: &CheckArgs, color: Color) -> Result<(), RunError> {
    match args.format {
        Format::Human => output::print_styled(&human::render(report), color),
        Format::Json => output::print(json::render(report)?.as_bytes()),
        Format::Sarif => output::print(sarif::render(report)?.as_bytes()),
        Format::Github => output::print(github::render(report).as_bytes()),
        Format::Junit => output::print(junit::render(report, args.fail_level).as_bytes()),
    }
}

/// Prints the errors among findings to standard error.
pub(crate) fn show_errors(diagnostics: &[Diagnostic], sources: &Sources, color: Color) {
    let errors = diagnostics.iter().filter(|diagnostic| diagnostic.code.severity == Severity::Error);
    let findings: Vec<_> = errors.map(|diagnostic| Finding { diagnostic, sources }).collect();
    output::complain_styled(&human_findings(&findings), color);
}

/// Formats a count with its noun: `1 file`, `2 files`.
pub(crate) fn counted(count: usize, thing: &str) -> String {
    match count {
        1 => format!("1 {thing}"),
        _ => format!("{count} {thing}s"),
    }
}
