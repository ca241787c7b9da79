//! `policyc check`: policies -> findings and an exit code.

use std::path::Path;

use policy_model::{CheckOptions, Checked, codes};
use policy_syntax::Diagnostic;

use crate::cli::{CheckArgs, Color};
use crate::exit::{Outcome, RunError};
use crate::render;
use crate::report::Report;

pub(crate) fn run(args: &CheckArgs, color: Color) -> Result<Outcome, RunError> {
    if args.files.iter().any(|file| file == Path::new("-")) {
        return Err(RunError::CheckOfStandardInput);
    }
    let options = CheckOptions { allow_outside: args.allow_outside };
    let checked: Vec<_> = args.files.iter().map(|file| policy_model::check(file, options)).collect();
    let report = Report::of(&checked);
    render::print(&report, args, color)?;

    if checked.iter().any(is_unreadable) {
        return Ok(Outcome::CouldNotRun);
    }
    let fails = report.findings.iter().any(|finding| args.fail_level.is_reached_by(finding.severity()));
    Ok(if fails { Outcome::Findings } else { Outcome::Fine })
}

/// Whether the policy itself could not be read. An import that could not is a mistake in the
/// policy and has a code of its own.
fn is_unreadable(checked: &Checked) -> bool {
    let is_of_root = |diagnostic: &Diagnostic| diagnostic.primary.at.file == checked.root;
    checked.diagnostics.iter().any(|diagnostic| diagnostic.code == codes::UNREADABLE && is_of_root(diagnostic))
}
