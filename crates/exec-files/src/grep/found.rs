//! Matches in whatever order files are searched -> the first of them in sorted order, and not more than may be kept.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::{Match, Matches};

#[derive(Debug)]
pub(super) struct Found {
    /// One more than asked for, which shows whether there are more: without it the answer would depend on what
    /// happens to be searched first.
    kept_max: usize,
    kept: Mutex<Kept>,
    is_full: AtomicBool,
    unread: AtomicUsize,
}

#[derive(Debug, Default)]
struct Kept {
    count: usize,
    files: BTreeMap<Vec<u8>, Vec<Match>>,
}

impl Found {
    pub(super) fn at_most(most: usize) -> Self {
        let (is_full, unread) = (AtomicBool::new(false), AtomicUsize::new(0));
        Self { kept_max: most.saturating_add(1), kept: Mutex::default(), is_full, unread }
    }

    /// How many matches of one file are of use.
    pub(super) fn kept_max(&self) -> usize {
        self.kept_max
    }

    /// Whether a file comes after everything that can be kept, so that it need not be searched.
    pub(super) fn is_beyond(&self, path: &[u8]) -> bool {
        self.is_full.load(Ordering::Relaxed)
            && self.kept().files.last_key_value().is_some_and(|(last, _)| path > last.as_slice())
    }

    /// Adds the matches of a file, and lets go of the last ones when there are too many.
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

    /// Counts something that could not be read.
    pub(super) fn pass_over(&self) {
        self.unread.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn into_matches(self) -> Matches {
        let unread = self.unread.load(Ordering::Relaxed);
        let kept = self.kept.into_inner().unwrap_or_else(PoisonError::into_inner);
        let is_truncated = kept.count == self.kept_max;
        let matches = kept.files.into_values().flatten().take(self.kept_max - 1).collect();
        Matches { matches, is_truncated, unread }
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
