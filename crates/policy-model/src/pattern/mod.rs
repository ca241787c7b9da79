//! Strings of a policy -> patterns: globs over segments, hosts, globs over characters, regexes.

mod glob;
mod host;
mod regex;
mod word;

use policy_syntax::SetKind;

pub use glob::{Segment, SegmentGlob};
pub use host::HostPattern;
pub use regex::{COMPILED_BYTES_MAX, Regex, RegexError};
pub use word::WordGlob;

/// A member of a set or list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Pattern {
    /// Over paths and git references.
    Segments(SegmentGlob),
    /// Over host names.
    Host(HostPattern),
    /// Over any other string.
    Word(WordGlob),
}

/// Why a string is no pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PatternError {
    /// Nothing in it.
    Empty,
    /// `**` beside other characters of a segment.
    DoubleStarInSegment,
    /// More than [`PATTERN_BYTES_MAX`] bytes.
    TooLong,
    /// A `*` of a host anywhere but as the whole first label.
    StarInHost,
    /// A character no host name has.
    NotAHost(char),
}

impl Pattern {
    /// Reads the pattern of a set of that kind.
    ///
    /// # Errors
    /// What is wrong with the string.
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

    /// Whether a value is one it stands for.
    #[must_use]
    pub fn matches(&self, value: &str) -> bool {
        match self {
            Self::Segments(glob) => glob.matches(value),
            Self::Host(host) => host.matches(value),
            Self::Word(word) => word.matches(value),
        }
    }
}

/// Patterns are walked for each value; a longer one than any path has no use.
pub const PATTERN_BYTES_MAX: usize = 4096;
