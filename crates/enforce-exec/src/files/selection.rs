//! A folder, a glob and what to leave out -> which names below the folder are looked at.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::sync::Arc;

use enforce_core::limits::MAX_PATH_LEN;
use globset::{Candidate, GlobBuilder, GlobSet, GlobSetBuilder};
use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use rustix::fd::BorrowedFd;

use super::beneath::{self, Device};
use super::error::FileError;
use super::read::read_whole;
use super::resolve::{check, components, join};
use super::stop::Stop;

/// Where to search.
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

/// The ignore files of a folder and of those above it.
#[derive(Debug, Default)]
pub(super) struct Ignored {
    above: Option<Arc<Ignored>>,
    /// The folder that they are in.
    folder: Vec<u8>,
    gitignore: Option<Gitignore>,
    ignore: Option<Gitignore>,
}

impl Ignored {
    /// With what is in a folder; the same as above, if there is nothing.
    pub(super) fn enter(
        self: &Arc<Self>,
        handle: BorrowedFd<'_>,
        folder: &[u8],
        files: IgnoreFiles,
        device: &Device,
        stop: &Stop,
    ) -> Arc<Self> {
        let read = |is_there: bool, name| {
            if is_there { rules(handle, name, device, stop) } else { None }
        };
        let (gitignore, ignore) = (read(files.has_gitignore, GITIGNORE), read(files.has_ignore, IGNORE));
        if gitignore.is_none() && ignore.is_none() {
            return Arc::clone(self);
        }
        Arc::new(Self { above: Some(Arc::clone(self)), folder: folder.to_vec(), gitignore, ignore })
    }

    /// Whether a path is left out. `.ignore` files are asked first, then `.gitignore` files, the nearest first.
    pub(super) fn skips(&self, path: &[u8], is_folder: bool) -> bool {
        let by = |rules: fn(&Self) -> &Option<Gitignore>| {
            let mut level = Some(self);
            while let Some(here) = level {
                if let Some(rules) = rules(here) {
                    match rules.matched(Path::new(OsStr::from_bytes(below(path, &here.folder))), is_folder) {
                        Match::None => {}
                        decided => return Some(decided.is_ignore()),
                    }
                }
                level = here.above.as_deref();
            }
            None
        };
        by(|level| &level.ignore).or_else(|| by(|level| &level.gitignore)).unwrap_or(false)
    }
}

/// Which ignore files a folder has, and may be read.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct IgnoreFiles {
    pub(super) has_gitignore: bool,
    pub(super) has_ignore: bool,
}

impl IgnoreFiles {
    /// Takes note of a name in the folder.
    pub(super) fn note(&mut self, name: &[u8], may_read: impl FnOnce() -> bool) {
        match name {
            GITIGNORE => self.has_gitignore = may_read(),
            IGNORE => self.has_ignore = may_read(),
            _ => {}
        }
    }
}

/// The rules of one ignore file. They only choose what is shown first, so one that cannot be read has none.
fn rules(folder: BorrowedFd<'_>, name: &[u8], device: &Device, stop: &Stop) -> Option<Gitignore> {
    let (file, stat) = beneath::open_file(folder, name, device).ok()?;
    let text = read_whole(&file, u64::try_from(stat.st_size).unwrap_or(0), IGNORE_FILE_BYTES_MAX, stop).ok()?;
    let mut builder = GitignoreBuilder::new(".");
    for line in text.split(|byte| *byte == b'\n') {
        if let Ok(line) = str::from_utf8(line) {
            let _ = builder.add_line(None, line.strip_suffix('\r').unwrap_or(line));
        }
    }
    builder.build().ok().filter(|rules| !rules.is_empty())
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

pub(super) const GITIGNORE: &[u8] = b".gitignore";
pub(super) const IGNORE: &[u8] = b".ignore";
const VENDORED: &[&[u8]] = &[b"node_modules", b"vendor", b"third_party", b"target"];
/// Bytes of an ignore file that is heeded.
const IGNORE_FILE_BYTES_MAX: u64 = 1 << 20;
