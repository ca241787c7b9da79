//! Strings of a policy -> patterns: globs over segments, hosts, globs over characters, regexes.

mod glob;
mod host;
mod regex;
mod word;

use std::fmt;

use policy_syntax::{SetKind, quote};

pub use glob::{Segment, SegmentGlob};
pub use host::HostPattern;
pub use regex::{COMPILED_BYTES_MAX, Regex, RegexError};
pub use word::WordGlob;

/// A member of a set or list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Pattern {
    /// Paths and git references.
    Segments(SegmentGlob),
    Host(HostPattern),
    /// Any other string.
    Word(WordGlob),
}

/// Why a string is not a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PatternError {
    #[error("the pattern is empty")]
    Empty,
    #[error("`**` must be a whole segment")]
    DoubleStarInSegment,
    #[error("the pattern has more than {PATTERN_BYTES_MAX} bytes")]
    TooLong,
    #[error("`*` must be the whole first label")]
    StarInHost,
    #[error("a host name cannot contain {}", quote(&.0.to_string()))]
    NotAHost(char),
}

impl Pattern {
    /// Parses a pattern of the given kind of set.
    ///
    /// # Errors
    /// The string is not a pattern of that kind.
    pub fn new(kind: SetKind, text: &str) -> Result<Self, PatternError> {
        if text.is_empty() {
            return Err(PatternError::Empty);
        }
        if text.len() > PATTERN_BYTES_MAX {
            return Err(PatternError::TooLong);
        }
        match kind {
            SetKind::Paths | SetKind::Refs => SegmentGlob::new(text).map(Self::Segments),
            SetKind::Hosts => HostPattern::new(text).map(Self::Host),
            SetKind::Commands | SetKind::Models | SetKind::Names => Ok(Self::Word(WordGlob::new(text))),
        }
    }

    #[must_use]
    pub fn matches(&self, value: &str) -> bool {
        match self {
            Self::Segments(glob) => glob.matches(value),
            Self::Host(host) => host.matches(value),
            Self::Word(word) => word.matches(value),
        }
    }
}

/// Prints the pattern as an author would write it, without the quotes.
impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Segments(glob) => glob.fmt(f),
            Self::Host(host) => host.fmt(f),
            Self::Word(word) => word.fmt(f),
        }
    }
}

/// No path is longer.
pub const PATTERN_BYTES_MAX: usize = 4096;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_is_shown_as_it_is_written() {
        for (kind, text) in [
            (SetKind::Paths, "src/**/*.rs"),
            (SetKind::Paths, "**"),
            (SetKind::Paths, "/a//*b*c*/"),
            (SetKind::Refs, "**/**/release-*"),
            (SetKind::Hosts, "*"),
            (SetKind::Hosts, "*.docs.rs"),
            (SetKind::Hosts, "[::1]"),
            (SetKind::Commands, "python3.*"),
            (SetKind::Names, "*"),
            (SetKind::Names, "CORE-\"x\n"),
        ] {
            assert_eq!(Pattern::new(kind, text).unwrap().to_string(), text);
        }
        assert_eq!(Pattern::new(SetKind::Hosts, "*.Docs.RS").unwrap().to_string(), "*.docs.rs");
        assert_eq!(Pattern::new(SetKind::Names, "a***b").unwrap().to_string(), "a*b");
    }

    /// Tries every text of up to five of these characters: a star, separators, and a letter of each case.
    #[test]
    fn what_is_shown_reads_as_the_same_pattern() {
        let mut texts = vec![String::new()];
        let mut start = 0;
        for _ in 0..5 {
            let end = texts.len();
            let longer = texts[start..end].iter().flat_map(|text| "*/.aB".chars().map(move |c| format!("{text}{c}")));
            let longer: Vec<String> = longer.collect();
            texts.extend(longer);
            start = end;
        }
        for kind in SetKind::ALL {
            let mut read = 0;
            for text in &texts {
                if let Ok(pattern) = Pattern::new(kind, text) {
                    read += 1;
                    assert_eq!(Pattern::new(kind, &pattern.to_string()), Ok(pattern), "{kind:?} {text}");
                }
            }
            assert!(read > 50, "{kind:?}: {read}");
        }
    }

    #[test]
    fn errors_speak_in_one_line() {
        for (kind, text, expected) in [
            (SetKind::Paths, "", "the pattern is empty"),
            (SetKind::Paths, "a**", "`**` must be a whole segment"),
            (SetKind::Paths, &*"a".repeat(PATTERN_BYTES_MAX + 1), "the pattern has more than 4096 bytes"),
            (SetKind::Hosts, "a.*", "`*` must be the whole first label"),
            (SetKind::Hosts, "a:1", "a host name cannot contain `:`"),
        ] {
            assert_eq!(Pattern::new(kind, text).unwrap_err().to_string(), expected);
        }
    }
}
