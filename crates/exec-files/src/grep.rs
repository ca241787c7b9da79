//! A pattern and a scope -> matching lines, sorted by path and line. Several threads search; the result does not depend on them.

mod file;
mod pattern;
mod work;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use self::pattern::Pattern;
use crate::{FileError, Scope, Search, Selection, Stop, Vendored, Visible, Workspace};

#[derive(Debug, Clone, Copy)]
pub struct Grep<'s> {
    /// A regular expression; a match lies within one line.
    pub pattern: &'s str,
    pub scope: Scope<'s>,
    pub case_sensitive: bool,
    /// Matching lines; 0 means [`GREP_MATCHES_MAX`], which is also the maximum.
    pub max_results: usize,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Matches {
    /// Sorted by path, then line.
    pub matches: Vec<Match>,
    /// True if there are more, which sort after these.
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
    /// Of the first byte of the first match, from 1.
    pub col: u64,
    /// The line; if it is longer than [`SNIPPET_BYTES_MAX`], a part with the beginning of the match. Invalid UTF-8 is replaced
    /// by U+FFFD.
    pub snippet: String,
}

impl Workspace {
    /// Searches the visible files that match the glob (TOOL-grep). Skips hidden files, `.git`, ignored files, binary files (with
    /// a NUL in the part that is searched), and directories of vendored code unless the glob names them.
    ///
    /// # Errors
    /// When pattern or glob is invalid, the start directory is behind a link, or the operation is stopped.
    pub fn grep(&self, grep: Grep<'_>, visible: &Visible<'_>, stop: &Stop) -> Result<Matches, FileError> {
        let pattern = Pattern::new(grep.pattern, grep.case_sensitive)?;
        let selection = Selection::new(grep.scope, false, Vendored::Skip)?;
        let search = Search { workspace: self, selection, visible, stop, finds_folders: false };
        let most = match grep.max_results {
            0 => GREP_MATCHES_MAX,
            most => most.min(GREP_MATCHES_MAX),
        };
        let found = MatchCollector::at_most(most);
        if let Some(start) = search.start()? {
            work::all(&search, start, &pattern, &found)?;
        }
        Ok(found.into_matches())
    }
}

/// Collects the matches that sort first, in whatever order files are searched.
#[derive(Debug)]
struct MatchCollector {
    /// One more than requested, to find out whether there are more independently of the order in which files are searched.
    kept_max: usize,
    kept: Mutex<KeptMatches>,
    is_full: AtomicBool,
    unread: AtomicUsize,
}

#[derive(Debug, Default)]
struct KeptMatches {
    count: usize,
    files: BTreeMap<Vec<u8>, Vec<Match>>,
}

impl MatchCollector {
    pub(super) fn at_most(most: usize) -> Self {
        let (is_full, unread) = (AtomicBool::new(false), AtomicUsize::new(0));
        Self { kept_max: most.saturating_add(1), kept: Mutex::default(), is_full, unread }
    }

    /// The most matches of one file that can be kept.
    pub(super) fn kept_max(&self) -> usize {
        self.kept_max
    }

    /// True if a file sorts after all matches that can be kept, and so need not be searched.
    pub(super) fn is_beyond(&self, path: &[u8]) -> bool {
        self.is_full.load(Ordering::Relaxed)
            && self.kept().files.last_key_value().is_some_and(|(last, _)| path > last.as_slice())
    }

    /// Adds the matches of a file, and drops the last ones if there are too many.
    pub(super) fn add(&self, path: &[u8], matches: Vec<Match>) {
        let mut kept = self.kept();
        kept.count += matches.len();
        kept.files.insert(path.to_vec(), matches);
        while kept.count > self.kept_max {
            let over = kept.count - self.kept_max;
            let Some(mut last) = kept.files.last_entry() else { break };
            let matches = last.get_mut();
            let left = matches.len().saturating_sub(over);
            let gone = matches.len() - left;
            matches.truncate(left);
            if left == 0 {
                last.remove();
            }
            kept.count -= gone;
        }
        self.is_full.store(kept.count == self.kept_max, Ordering::Relaxed);
    }

    /// Counts a file or directory that could not be read.
    pub(super) fn count_unread(&self) {
        self.unread.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn into_matches(self) -> Matches {
        let unread = self.unread.load(Ordering::Relaxed);
        let kept = self.kept.into_inner().unwrap_or_else(PoisonError::into_inner);
        let is_truncated = kept.count == self.kept_max;
        let matches = kept.files.into_values().flatten().take(self.kept_max - 1).collect();
        Matches { matches, is_truncated, unread }
    }

    fn kept(&self) -> MutexGuard<'_, KeptMatches> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

pub const GREP_MATCHES_MAX: usize = 10_000;
pub const SNIPPET_BYTES_MAX: usize = 512;
