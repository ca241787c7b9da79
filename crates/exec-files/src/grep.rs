//! A pattern and a scope -> the lines that match, sorted by path and line. On all cores; the answer does not show it.

mod file;
mod found;
mod pattern;
mod work;

use self::found::Found;
use self::pattern::Pattern;
use crate::{FileError, Scope, Search, Selection, Stop, Vendored, Visible, Workspace};

#[derive(Debug, Clone, Copy)]
pub struct Grep<'s> {
    /// A regular expression; a match lies within one line.
    pub pattern: &'s str,
    pub scope: Scope<'s>,
    pub case_sensitive: bool,
    /// How many matching lines; 0, and more than [`GREP_MATCHES_MAX`], is that many.
    pub max_results: usize,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Matches {
    /// Sorted by path, then line.
    pub matches: Vec<Match>,
    /// Whether there are more. Those left out come after those found.
    pub is_truncated: bool,
    /// Files and folders that could not be read, and files with lines too long to search.
    pub unread: usize,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Match {
    /// Relative to the root.
    pub file: Vec<u8>,
    /// From 1.
    pub line: u64,
    /// The first byte of the first match in the line, from 1.
    pub col: u64,
    /// The line; of one longer than [`SNIPPET_BYTES_MAX`], a part with the beginning of the match. What is no UTF-8 is
    /// shown as U+FFFD.
    pub snippet: String,
}

impl Workspace {
    /// Searches the files that match the glob and may be seen (TOOL-grep): not hidden ones, not `.git`, not what ignore
    /// files leave out, not binary ones (with a NUL as far as they are searched), and not folders of others' code unless the glob names them.
    ///
    /// # Errors
    /// When pattern or glob cannot be read, it starts behind a link, or it is stopped.
    pub fn grep(&self, grep: Grep<'_>, visible: &Visible<'_>, stop: &Stop) -> Result<Matches, FileError> {
        let pattern = Pattern::new(grep.pattern, grep.case_sensitive)?;
        let selection = Selection::new(grep.scope, false, Vendored::Skip)?;
        let search = Search { workspace: self, selection, visible, stop, finds_folders: false };
        let most = match grep.max_results {
            0 => GREP_MATCHES_MAX,
            most => most.min(GREP_MATCHES_MAX),
        };
        let found = Found::at_most(most);
        if let Some(start) = search.start()? {
            work::all(&search, start, &pattern, &found)?;
        }
        Ok(found.into_matches())
    }
}

/// Lines of one answer.
pub const GREP_MATCHES_MAX: usize = 10_000;
/// Bytes that are shown of a line.
pub const SNIPPET_BYTES_MAX: usize = 512;
