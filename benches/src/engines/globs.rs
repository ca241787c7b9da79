//! An index of `globset`, the library of ripgrep: literals by hash, prefixes and suffixes by
//! Aho-Corasick, the rest by a set of regexes.

use globset::{Candidate, GlobBuilder, GlobSet, GlobSetBuilder};

use super::split::{Index, Wants};
use crate::plain::PatternKind;

pub(super) struct Globs {
    set: GlobSet,
    /// The pattern of each glob: some patterns are several globs.
    patterns: Vec<usize>,
    found: Vec<usize>,
}

impl Index for Globs {
    fn new(kind: PatternKind, patterns: &[&str], _: Wants) -> Self {
        let (set, patterns) = set(kind, patterns);
        Self { set, patterns, found: Vec::new() }
    }

    #[inline]
    fn any(&mut self, value: &str) -> bool {
        self.set.is_match(value)
    }

    #[inline]
    fn find(&mut self, value: &str, found: &mut Vec<usize>) {
        self.set.matches_candidate_into(&Candidate::new(value), &mut self.found);
        found.extend(self.found.iter().map(|glob| self.patterns[*glob]));
    }
}

/// A set of globs that mean what the patterns mean, and the pattern of each.
pub(super) fn set(kind: PatternKind, patterns: &[&str]) -> (GlobSet, Vec<usize>) {
    let mut builder = GlobSetBuilder::new();
    let mut of = Vec::new();
    for (place, pattern) in patterns.iter().enumerate() {
        for glob in spellings(kind, pattern) {
            // Without separators a star takes everything, as it does in hosts.
            let mut glob = GlobBuilder::new(&glob);
            glob.literal_separator(kind == PatternKind::Segments);
            builder.add(glob.build().expect("a glob"));
            of.push(place);
        }
    }
    (builder.build().expect("a set of globs"), of)
}

/// `src/**` stands for `src` too, which takes a second glob; all else is spelled alike. (A host that
/// starts with a dot would match `*.docs.rs` here; no request has one.)
pub(super) fn spellings(kind: PatternKind, pattern: &str) -> Vec<String> {
    assert!(!pattern.contains(['?', '[', ']', '{', '}', '\\']), "{pattern}: other signs than a star");
    match pattern.strip_suffix("/**") {
        Some(folder) if kind == PatternKind::Segments => vec![folder.to_owned(), pattern.to_owned()],
        _ => vec![pattern.to_owned()],
    }
}
