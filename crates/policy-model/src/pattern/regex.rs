//! Regexes: checked and bounded when the policy is read, compiled when first asked.
//!
//! They are over bytes and ASCII unless they say `(?u:…)`: `\d` is one of ten digits and not of
//! hundreds, and an automaton of one is small.

use std::sync::OnceLock;

use regex_automata::meta;
use regex_automata::nfa::thompson;
use regex_syntax::hir::literal::{Extractor, Seq};
use regex_syntax::hir::{Hir, Look};

/// A regex as written after `matches`. It matches anywhere in a value unless it is anchored.
#[derive(Debug, Clone)]
pub struct Regex {
    pattern: String,
    anchored_start: bool,
    anchored_end: bool,
    compiled_bytes: usize,
    compiled: OnceLock<meta::Regex>,
}

/// Why a regex cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RegexError {
    #[error("invalid regex{}: {reason}", .place.map(|(start, _)| format!(" at byte {start}")).unwrap_or_default())]
    Invalid {
        reason: String,
        /// The bytes of the pattern, if known.
        place: Option<(usize, usize)>,
    },
    /// It depends on the letters of all scripts, which no table can hold.
    #[error("Unicode word boundaries are not supported")]
    UnicodeWordBoundary,
    #[error("the compiled regex is larger than {COMPILED_BYTES_MAX} bytes")]
    TooLarge,
}

impl Regex {
    /// Parses a regex.
    ///
    /// # Errors
    /// The regex is invalid or too large.
    pub fn new(pattern: &str) -> Result<Self, RegexError> {
        let hir = parse(pattern)?;
        let looks = hir.properties().look_set();
        if looks.contains_word_unicode() {
            return Err(RegexError::UnicodeWordBoundary);
        }
        let config = thompson::Config::new().utf8(false).nfa_size_limit(Some(COMPILED_BYTES_MAX));
        let nfa = thompson::Compiler::new().configure(config).build_from_hir(&hir).map_err(|_| RegexError::TooLarge)?;
        Ok(Self {
            pattern: pattern.to_owned(),
            anchored_start: hir.properties().look_set_prefix().contains(Look::Start),
            anchored_end: hir.properties().look_set_suffix().contains(Look::End),
            compiled_bytes: nfa.memory_usage(),
            compiled: OnceLock::new(),
        })
    }

    #[must_use]
    pub fn pattern(&self) -> &str {
        &self.pattern
    }

    #[must_use]
    pub fn compiled_bytes(&self) -> usize {
        self.compiled_bytes
    }

    /// Returns the parsed form. Every compiler of the regex starts from it, so that all read it alike.
    ///
    /// # Errors
    /// Never: [`Regex::new`] has parsed it.
    pub fn hir(&self) -> Result<Hir, RegexError> {
        parse(&self.pattern)
    }

    /// Returns the literals that matches start with; empty if a match may start with anything.
    #[must_use]
    pub fn prefixes(&self) -> Vec<String> {
        let hir = self.hir().ok();
        let found = hir.map(|hir| Extractor::new().limit_total(PREFIXES_MAX).extract(&hir));
        let literals = found.as_ref().and_then(Seq::literals).unwrap_or_default();
        literals.iter().map(|literal| String::from_utf8_lossy(literal.as_bytes()).into_owned()).collect()
    }

    #[must_use]
    pub fn is_anchored_at_start(&self) -> bool {
        self.anchored_start
    }

    #[must_use]
    pub fn is_anchored_at_end(&self) -> bool {
        self.anchored_end
    }

    /// Returns true if the regex matches somewhere in the value.
    ///
    /// # Panics
    /// Never: [`Regex::new`] has parsed and compiled the same pattern.
    #[must_use]
    #[expect(clippy::expect_used, reason = "compiled in `new` already; an answer without it would be a guess")]
    pub fn is_match(&self, value: &str) -> bool {
        let compile = || {
            let hir = parse(&self.pattern).expect("was parsed before");
            let config = meta::Config::new().utf8_empty(false).nfa_size_limit(None);
            meta::Builder::new().configure(config).build_from_hir(&hir).expect("was compiled before")
        };
        self.compiled.get_or_init(compile).is_match(value)
    }
}

impl PartialEq for Regex {
    fn eq(&self, other: &Self) -> bool {
        self.pattern == other.pattern
    }
}

impl Eq for Regex {}

fn parse(pattern: &str) -> Result<Hir, RegexError> {
    let mut parser = regex_syntax::ParserBuilder::new().unicode(false).utf8(false).nest_limit(NESTING_MAX).build();
    parser.parse(pattern).map_err(|error| {
        let (reason, span) = match &error {
            regex_syntax::Error::Parse(error) => (error.kind().to_string(), Some(*error.span())),
            regex_syntax::Error::Translate(error) => (error.kind().to_string(), Some(*error.span())),
            other => (other.to_string(), None),
        };
        RegexError::Invalid { reason, place: span.map(|span| (span.start.offset, span.end.offset)) }
    })
}

/// Literals extracted from a regex.
const PREFIXES_MAX: usize = 64;

/// Depth of a regex.
const NESTING_MAX: u32 = 64;

/// Size of a compiled regex; a counted repeat can multiply it.
pub const COMPILED_BYTES_MAX: usize = 1 << 20;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn anchors_are_seen_through_groups_and_alternatives() {
        let cases = [
            ("^a$", (true, true)),
            ("^a", (true, false)),
            ("a$", (false, true)),
            ("(^a|^b)$", (true, true)),
            ("^a|b$", (false, false)),
            ("(?m)^a$", (false, false)),
            (r"^cargo(\s|$)", (true, false)),
        ];
        for (pattern, expected) in cases {
            let regex = Regex::new(pattern).unwrap();
            assert_eq!((regex.is_anchored_at_start(), regex.is_anchored_at_end()), expected, "{pattern}");
        }
    }

    #[test]
    fn what_cannot_be_used_is_refused_with_its_reason() {
        assert!(matches!(Regex::new("a("), Err(RegexError::Invalid { .. })));
        assert_eq!(Regex::new(r"(?u:\bfoo\b)"), Err(RegexError::UnicodeWordBoundary));
        assert!(Regex::new(r"\bfoo\b").is_ok());
        assert_eq!(Regex::new("((a{100}){100}){100}"), Err(RegexError::TooLarge));
        assert!(Regex::new(&"(".repeat(5000)).is_err());
    }

    #[test]
    fn errors_speak_in_one_line() {
        let reason = "unclosed group".to_owned();
        for (error, expected) in [
            (Regex::new("a(").unwrap_err(), "invalid regex at byte 1: unclosed group"),
            (RegexError::Invalid { reason, place: None }, "invalid regex: unclosed group"),
            (RegexError::UnicodeWordBoundary, "Unicode word boundaries are not supported"),
            (RegexError::TooLarge, "the compiled regex is larger than 1048576 bytes"),
        ] {
            assert_eq!(error.to_string(), expected);
        }
    }

    #[test]
    fn a_match_is_searched_where_the_anchors_allow() {
        assert!(Regex::new("b").unwrap().is_match("abc"));
        assert!(!Regex::new("^b").unwrap().is_match("abc"));
    }

    #[test]
    fn classes_are_ascii_unless_the_regex_says_otherwise() {
        for (pattern, value, expected) in [
            (r"^\d$", "7", true),
            (r"^\d$", "\u{0667}", false),
            (r"^(?u:\d)$", "\u{0667}", true),
            ("^ü$", "ü", true),
            ("^.$", "ü", false),
            ("^(?u:.)$", "ü", true),
            ("^(?i)k$", "\u{212A}", false),
        ] {
            assert_eq!(Regex::new(pattern).unwrap().is_match(value), expected, "{pattern} on {value}");
        }
    }
}
