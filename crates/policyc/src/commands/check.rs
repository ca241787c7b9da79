//! `policyc check`: policies -> findings and an exit code.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use policy_judge::{CheckOptions, SourceError, judge_policy};
use policy_model::{Checked, Disk, codes};
use policy_syntax::{Code, Diagnostic, FileId, Source};

use crate::cli::{CheckArgs, Color};
use crate::exit::{Outcome, RunError};
use crate::render;
use crate::report::Report;

pub(crate) fn run(args: &CheckArgs, color: Color) -> Result<Outcome, RunError> {
    if args.files.iter().any(|file| file == Path::new("-")) {
        return Err(RunError::CheckOfStandardInput);
    }
    let options = CheckOptions { allow_outside: args.allow_outside };
    let judged = |file: &PathBuf| judge_policy(&Disk, file, options, |_| true).map(|judged| judged.checked);
    let mut checked: Vec<Checked> =
        args.files.iter().map(judged).collect::<Result<_, _>>().map_err(SourceError::from)?;
    skip_imported_fragments(&mut checked, |one| one);
    let report = Report::of(&checked);
    render::print(&report, args, color)?;

    if checked.iter().any(is_unreadable) {
        return Ok(Outcome::CouldNotRun);
    }
    let fails = report.findings.iter().any(|finding| args.fail_level.is_reached_by(finding.severity()));
    Ok(if fails { Outcome::Findings } else { Outcome::Fine })
}

/// Drops the check of a file by itself when it only makes sense in its importer (it names what the
/// importer declares) and that importer is checked too.
pub(super) fn skip_imported_fragments<T>(policies: &mut Vec<T>, checked: fn(&T) -> &Checked) {
    let is_part = |one: &Checked| one.diagnostics.iter().any(|diagnostic| FOREIGN_NAMES.contains(&diagnostic.code));
    let whole = policies.iter().map(checked).filter(|one| !is_part(one));
    let imported: BTreeSet<PathBuf> = whole.flat_map(|one| one.sources.iter().skip(1)).filter_map(path).collect();
    policies.retain(|one| {
        let one = checked(one);
        let root = one.sources.iter().next().and_then(path);
        !is_part(one) || root.is_none_or(|root| !imported.contains(&root))
    });
}

fn path((_, source): (FileId, &Source)) -> Option<PathBuf> {
    std::fs::canonicalize(source.name()).ok()
}

/// True when the policy itself could not be read. An import that could not is a mistake in the
/// policy and has a code of its own.
pub(super) fn is_unreadable(checked: &Checked) -> bool {
    let is_of_root = |diagnostic: &Diagnostic| diagnostic.primary.at.file == checked.root;
    checked.diagnostics.iter().any(|diagnostic| diagnostic.code == codes::UNREADABLE && is_of_root(diagnostic))
}

/// Names that another file may declare.
const FOREIGN_NAMES: [&Code; 4] = [codes::UNKNOWN_ROLE, codes::UNKNOWN_SET, codes::UNKNOWN_TOOL, codes::UNKNOWN_RULE];
