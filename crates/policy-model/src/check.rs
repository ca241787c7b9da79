//! A path -> everything there is to say about the policy there, and its model when it has no error.

use std::path::Path;

use policy_syntax::{Diagnostic, FileId, Severity, Sources};

use crate::expectations;
use crate::files::{Disk, Files};
use crate::findings::Findings;
use crate::link::link;
use crate::lint::lint;
use crate::model::Model;
use crate::resolve::resolve;
use crate::run::run_tests;

/// How far a check may go.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CheckOptions {
    /// Whether imports may name files outside the policy's folder.
    pub allow_outside: bool,
}

/// A policy and all that was found in it.
#[derive(Debug)]
pub struct Checked {
    /// The files read, the policy itself first.
    pub sources: Sources,
    /// The policy's own file.
    pub root: FileId,
    /// What was found, in the order of files and places.
    pub diagnostics: Vec<Diagnostic>,
    /// The policy's meaning; none when something in it is an error.
    pub model: Option<Model>,
}

/// Checks the policy in a file of this machine.
#[must_use]
pub fn check(path: &Path, options: CheckOptions) -> Checked {
    check_in(&Disk, path, options)
}

/// Checks the policy in a file of that place.
#[must_use]
pub fn check_in(files: &dyn Files, path: &Path, options: CheckOptions) -> Checked {
    let mut linked = link(path, files, options);
    let from_text = std::mem::take(&mut linked.found);
    let text_has_errors = from_text.iter().any(|finding| finding.code.severity == Severity::Error);
    let mut found = Findings::default();
    let resolved = resolve(&linked, &mut found);
    let is_usable = !text_has_errors && !found.has_errors();
    lint(&linked, &resolved, &mut found);
    if is_usable {
        run_tests(&resolved.model, &mut found);
    }
    let is_usable = is_usable && !found.has_errors();
    let mut diagnostics = from_text;
    diagnostics.extend(found.into_vec());
    let mut diagnostics = expectations::apply(&linked, diagnostics, is_usable);
    diagnostics.sort_by_key(|finding| finding.primary.at);
    Checked { sources: linked.sources, root: linked.root, diagnostics, model: is_usable.then_some(resolved.model) }
}
