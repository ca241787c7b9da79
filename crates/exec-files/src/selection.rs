//! A folder, a glob and what to leave out -> which names below the folder are looked at.

use crate::{FileError, check, components, join};
use enforce_core::limits::MAX_PATH_LEN;
use globset::{Candidate, GlobBuilder, GlobSet, GlobSetBuilder};

#[derive(Debug, Clone, Copy)]
pub struct Scope<'s> {
    /// The folder that the glob is relative to, normalised; empty is the root.
    pub folder: &'s [u8],
    /// `*` is a name or part of one, `**` any number of names, `?` a character, `[ab]` and `{a,b}` a choice. Empty is
    /// everything. It cannot lead out of the folder.
    pub glob: &'s str,
}

/// What is looked at.
#[derive(Debug)]
pub(super) struct Selection {
    /// The folder to start in: what the glob says literally is not searched for.
    pub(super) start: Vec<u8>,
    glob: Option<GlobSet>,
    /// How many names deep a file can be, if the glob says.
    depth_max: Option<usize>,
    shows_hidden: bool,
    /// Folders of others' code that are left out.
    vendored: &'static [&'static [u8]],
    /// Names in the glob, which are not left out because the caller asks for them.
    named: Vec<Vec<u8>>,
}

impl Selection {
    pub(super) fn new(scope: Scope<'_>, shows_hidden: bool, vendored: Vendored) -> Result<Self, FileError> {
        check(scope.folder)?;
        let wrong = |message: &str| Err(FileError::Glob(message.to_owned()));
        if scope.glob.len() > MAX_PATH_LEN {
            return wrong("it is too long");
        }
        if scope.glob.starts_with('/') || scope.glob.contains('\0') {
            return wrong("it is absolute or has a NUL");
        }
        let names: Vec<&str> = scope.glob.split('/').filter(|name| !matches!(*name, "" | ".")).collect();
        if names.contains(&"..") {
            return wrong("it leads up");
        }
        if !is_shallow(scope.glob) {
            return wrong("it has too many choices");
        }
        let is_special = |name: &&str| name.contains(['*', '?', '[', '{', '\\']);
        let literal = names.iter().take_while(|name| !is_special(name)).count().min(names.len().saturating_sub(1));
        let mut start = scope.folder.to_vec();
        for name in names.iter().take(literal) {
            start = join(&start, name.as_bytes());
        }
        let rest = names.get(literal..).unwrap_or_default().join("/");
        let is_deep = rest.is_empty() || rest.contains("**") || rest.contains('{');
        Ok(Self {
            start,
            glob: if rest.is_empty() { None } else { Some(compile(&rest)?) },
            depth_max: if is_deep { None } else { Some(names.len() + depth(scope.folder)) },
            shows_hidden: shows_hidden || names.iter().any(|name| name.starts_with('.')),
            vendored: match vendored {
                Vendored::Show => &[],
                Vendored::Skip => VENDORED,
            },
            named: names.iter().map(|name| name.as_bytes().to_vec()).collect(),
        })
    }

    /// Whether a file, by its path below the start, is one of those.
    pub(super) fn takes(&self, below: &[u8]) -> bool {
        self.glob.as_ref().is_none_or(|glob| glob.is_match_candidate(&Candidate::from_bytes(below)))
    }

    /// Whether files below the folders of a folder can be one of those, by how deep the folder is.
    pub(super) fn goes_below(&self, depth: usize) -> bool {
        self.depth_max.is_none_or(|most| depth + 1 < most)
    }

    /// Whether the glob says how deep it goes, as one for the names in a folder does.
    pub(super) fn is_bounded(&self) -> bool {
        self.depth_max.is_some()
    }

    /// Whether a name is left out whatever the rules in the tree say.
    pub(super) fn skips(&self, name: &[u8], is_folder: bool) -> bool {
        let is_hidden = !self.shows_hidden && name.first() == Some(&b'.');
        let is_vendored = || self.vendored.contains(&name) && !self.named.iter().any(|named| named == name);
        name == b".git" || is_hidden || is_folder && is_vendored()
    }
}

/// What to do with folders of others' code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Vendored {
    Show,
    Skip,
}

fn compile(glob: &str) -> Result<GlobSet, FileError> {
    let wrong = |error: globset::Error| FileError::Glob(error.to_string());
    let mut set = GlobSetBuilder::new();
    set.add(GlobBuilder::new(glob).literal_separator(true).backslash_escape(true).build().map_err(wrong)?);
    set.build().map_err(wrong)
}

/// Whether a glob has no more choices than may lie in each other. A `{` counts wherever it is: which of them are closed
/// before the next one only the reader of globs knows.
pub(super) fn is_shallow(glob: &str) -> bool {
    memchr::memchr_iter(b'{', glob.as_bytes()).nth(GLOB_CHOICES_MAX).is_none()
}

/// What of a path lies below a folder that holds it.
pub(super) fn below<'p>(path: &'p [u8], folder: &[u8]) -> &'p [u8] {
    let rest = path.get(folder.len()..).unwrap_or_default();
    rest.strip_prefix(b"/").unwrap_or(rest)
}

/// How many names a path has.
pub(super) fn depth(path: &[u8]) -> usize {
    if path.is_empty() { 0 } else { components(path).count() }
}

/// The folders from the root down to a path, the root first, the path itself last.
pub(super) fn folders_to(path: &[u8]) -> Vec<&[u8]> {
    let ends = path.iter().enumerate().filter(|(_, byte)| **byte == b'/').map(|(end, _)| end);
    let above = ends.filter_map(|end| path.get(..end));
    let mut folders: Vec<&[u8]> = std::iter::once(&b""[..]).chain(above).collect();
    if !path.is_empty() {
        folders.push(path);
    }
    folders
}

const VENDORED: &[&[u8]] = &[b"node_modules", b"vendor", b"third_party", b"target"];
/// Choices, as in `{a,b}`, of one glob. Each may lie inside the one before, and takes a part of the stack then.
pub(super) const GLOB_CHOICES_MAX: usize = 32;
