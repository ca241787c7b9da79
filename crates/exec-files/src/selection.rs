//! A directory, a glob and rules of what to skip -> the names below the directory to look at.

use crate::{FileError, check, components, join};
use enforce_core::limits::MAX_PATH_LEN;
use globset::{Candidate, GlobBuilder, GlobSet, GlobSetBuilder};

#[derive(Debug, Clone, Copy)]
pub struct Scope<'s> {
    /// The directory that the glob is relative to, normalized; empty for the root.
    pub folder: &'s [u8],
    /// `*` matches a name or part of one, `**` any number of names, `?` a character, `[ab]` and `{a,b}` a choice. Empty matches
    /// everything.
    pub glob: &'s str,
}

#[derive(Debug)]
pub(super) struct Selection {
    /// The directory to start in, including the literal prefix of the glob.
    pub(super) start: Vec<u8>,
    glob: Option<GlobSet>,
    /// The most names in a path, if the glob has a fixed depth.
    depth_max: Option<usize>,
    shows_hidden: bool,
    /// Directories of vendored code to skip.
    vendored: &'static [&'static [u8]],
    /// Names in the glob, which are not skipped as vendored.
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
            return wrong("it is absolute or contains a NUL byte");
        }
        let names: Vec<&str> = scope.glob.split('/').filter(|name| !matches!(*name, "" | ".")).collect();
        if names.contains(&"..") {
            return wrong("it contains `..`");
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

    /// True if the glob matches a path relative to the start.
    pub(super) fn takes(&self, below: &[u8]) -> bool {
        self.glob.as_ref().is_none_or(|glob| glob.is_match_candidate(&Candidate::from_bytes(below)))
    }

    /// True if paths in the subdirectories of a directory at this depth can match.
    pub(super) fn goes_below(&self, depth: usize) -> bool {
        self.depth_max.is_none_or(|most| depth + 1 < most)
    }

    /// True if the glob has a fixed depth.
    pub(super) fn is_bounded(&self) -> bool {
        self.depth_max.is_some()
    }

    /// True if a name is skipped independently of ignore files.
    pub(super) fn skips(&self, name: &[u8], is_folder: bool) -> bool {
        let is_hidden = !self.shows_hidden && name.first() == Some(&b'.');
        let is_vendored = || self.vendored.contains(&name) && !self.named.iter().any(|named| named == name);
        name == b".git" || is_hidden || is_folder && is_vendored()
    }
}

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

/// True if a glob cannot have more nested choices than [`GLOB_CHOICES_MAX`]. Every `{` counts, because only the glob parser knows
/// which are closed before the next one.
pub(super) fn is_shallow(glob: &str) -> bool {
    memchr::memchr_iter(b'{', glob.as_bytes()).nth(GLOB_CHOICES_MAX).is_none()
}

/// Strips the directory from a path in it.
pub(super) fn below<'p>(path: &'p [u8], folder: &[u8]) -> &'p [u8] {
    let rest = path.get(folder.len()..).unwrap_or_default();
    rest.strip_prefix(b"/").unwrap_or(rest)
}

pub(super) fn depth(path: &[u8]) -> usize {
    if path.is_empty() { 0 } else { components(path).count() }
}

/// Returns the path and the directories above it, the root first.
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
/// Choices like `{a,b}` in one glob. The glob parser recurses into nested ones.
pub(super) const GLOB_CHOICES_MAX: usize = 32;
