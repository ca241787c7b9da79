//! Regexes: checked and bounded when the policy is read, compiled when first asked.
//!
//! They are over bytes and ASCII unless they say `(?u:…)`: `\d` is one of ten digits and not of
//! hundreds, and an automaton of one is small.

use std::fmt;
use std::sync::OnceLock;

use regex_automata::meta;
use regex_automata::nfa::thompson;
use regex_syntax::hir::literal::{Extractor, Seq};
use regex_syntax::hir::{Hir, Look};

/// A regex as written after `matches`. It finds a match anywhere, unless it is anchored.
#[derive(Debug, Clone)]
pub struct Regex {
    pattern: String,
    anchored_start: bool,
    anchored_end: bool,
    compiled_bytes: usize,
    compiled: OnceLock<meta::Regex>,
}

/// Why a regex cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RegexError {
    /// Not a regex; says why, and which bytes of the pattern when known.
    Invalid {
        /// What the regex parser says.
        reason: String,
        /// The place in the pattern.
        place: Option<(usize, usize)>,
    },
    /// A word boundary that asks what a letter is in all the world's scripts; no table can hold it.
    UnicodeWordBoundary,
    /// Compiled it would need more than [`COMPILED_BYTES_MAX`].
    TooLarge,
}

impl Regex {
    /// Reads a regex.
    ///
    /// # Errors
    /// What is wrong with it.
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

    /// As written.
    #[must_use]
    pub fn pattern(&self) -> &str {
        &self.pattern
    }

    /// How large its automaton is, in bytes.
    #[must_use]
    pub fn compiled_bytes(&self) -> usize {
        self.compiled_bytes
    }

    /// Its parsed form. Whoever compiles it starts from here, so that all read it alike.
    ///
    /// # Errors
    /// Never, since [`Regex::new`] has parsed it.
    pub fn hir(&self) -> Result<Hir, RegexError> {
        parse(&self.pattern)
    }

    /// What its matches start with, as far as that is text; empty when they may start with anything.
    #[must_use]
    pub fn prefixes(&self) -> Vec<String> {
        let hir = self.hir().ok();
        let found = hir.map(|hir| Extractor::new().limit_total(PREFIXES_MAX).extract(&hir));
        let literals = found.as_ref().and_then(Seq::literals).unwrap_or_default();
        literals.iter().map(|literal| String::from_utf8_lossy(literal.as_bytes()).into_owned()).collect()
    }

    /// Whether every match starts where the value starts.
    #[must_use]
    pub fn is_anchored_at_start(&self) -> bool {
        self.anchored_start
    }

    /// Whether every match ends where the value ends.
    #[must_use]
    pub fn is_anchored_at_end(&self) -> bool {
        self.anchored_end
    }

    /// Whether a match is found in the value.
    ///
    /// # Panics
    /// Never: the pattern was parsed by the same function in [`Regex::new`], was small enough there,
    /// and has no limit here.
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

impl fmt::Display for RegexError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Invalid { reason, place: Some((start, _)) } => {
                write!(f, "the regex is not valid at byte {start} of it: {reason}")
            }
            Self::Invalid { reason, place: None } => write!(f, "the regex is not valid: {reason}"),
            Self::UnicodeWordBoundary => f.write_str("a Unicode word boundary cannot be compiled into a table"),
            Self::TooLarge => write!(f, "compiled, the regex needs more than {COMPILED_BYTES_MAX} bytes"),
        }
    }
}

impl std::error::Error for RegexError {}

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

/// How many beginnings of its matches a regex tells.
const PREFIXES_MAX: usize = 64;

/// A regex inside a regex, at most.
const NESTING_MAX: u32 = 64;

/// The compiled form, so that a counted repeat cannot eat the machine.
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
            (Regex::new("a(").unwrap_err(), "the regex is not valid at byte 1 of it: unclosed group"),
            (RegexError::Invalid { reason, place: None }, "the regex is not valid: unclosed group"),
            (RegexError::UnicodeWordBoundary, "a Unicode word boundary cannot be compiled into a table"),
            (RegexError::TooLarge, "compiled, the regex needs more than 1048576 bytes"),
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
