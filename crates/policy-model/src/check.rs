//! A path -> everything there is to say about the policy there, and its model when it has no error.

use std::collections::BTreeSet;
use std::path::Path;

use policy_syntax::{Diagnostic, FileId, Sources};

use crate::expectations::Expectations;
use crate::files::{Disk, Files};
use crate::findings::Findings;
use crate::link::{Linked, Origin, link};
use crate::lint::lint;
use crate::model::Model;
use crate::resolve::resolve;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CheckOptions {
    /// Imports may name files outside the policy's directory.
    pub allow_outside: bool,
}

/// A policy and its findings.
#[derive(Debug)]
pub struct Checked {
    /// The policy itself first.
    pub sources: Sources,
    pub root: FileId,
    pub packs: BTreeSet<FileId>,
    /// Sorted by place.
    pub diagnostics: Vec<Diagnostic>,
    /// `None` if the policy has an error.
    pub model: Option<Model>,
}

/// Checks the policy in a file on disk.
#[must_use]
pub fn check(path: &Path, options: CheckOptions) -> Checked {
    check_in(&Disk, path, options)
}

/// Checks the policy in a file of `files`. Its tests are resolved and left to whoever has its table.
#[must_use]
pub fn check_in(files: &dyn Files, path: &Path, options: CheckOptions) -> Checked {
    checked(link(path, files, options))
}

fn checked(mut linked: Linked) -> Checked {
    let from_text = std::mem::take(&mut linked.found);
    let mut found = Findings::new(Expectations::of(&linked));
    found.extend(from_text);
    let resolved = resolve(&linked, &mut found);
    lint(&linked, &resolved, &mut found);
    let is_usable = !found.has_errors();
    if is_usable {
        found.report_unmet(linked.root);
    }
    let mut diagnostics = found.into_vec();
    diagnostics.sort_by_key(|finding| finding.primary.at);
    let packs = linked.units.iter().filter(|unit| unit.origin == Origin::Pack).map(|unit| unit.file).collect();
    let model = is_usable.then_some(resolved.model);
    Checked { sources: linked.sources, root: linked.root, packs, diagnostics, model }
}
