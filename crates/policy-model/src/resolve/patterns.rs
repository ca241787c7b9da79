//! Strings in lists -> patterns, with warnings about suspicious ones.

use policy_syntax::{Diagnostic, Item, Location, SetKind, Text, quote};

use super::{Place, Resolver};
use crate::codes;
use crate::model::LocatedPattern;
use crate::pattern::{HostPattern, Pattern, PatternError};

impl<'a> Resolver<'a, '_> {
    /// Parses a string in a list of that kind.
    pub(super) fn pattern(&mut self, place: Place<'a>, kind: SetKind, text: &Text) -> Option<LocatedPattern> {
        let at = place.at(text.span);
        match Pattern::new(kind, &text.value) {
            Ok(pattern) => {
                self.warn_form(place, kind, text, &pattern);
                if let Some(sign) = foreign_wildcard(&text.value).filter(|_| !matches!(pattern, Pattern::Host(_))) {
                    let help = "only `*` and `**` are wildcards; write one pattern for each alternative, and `not … in` for exceptions";
                    self.found.warning(codes::FOREIGN_GLOB, at, format!("`{sign}` is not a wildcard here"), help);
                }
                Some(LocatedPattern { pattern, at })
            }
            Err(error) => {
                let (code, message, help) = describe(error, &text.value);
                self.found.error(code, at, message, help);
                None
            }
        }
    }

    pub(super) fn warn_repeated(&mut self, place: Place<'a>, items: &[Item]) {
        let mut seen = std::collections::HashMap::new();
        for item in items {
            let key = match item {
                Item::Text(text) => (0_u8, text.value.as_str()),
                Item::Set(name) => (1, name.text.as_str()),
                Item::Quantity(_) => continue,
            };
            match seen.get(&key) {
                None => {
                    seen.insert(key, item.span());
                }
                Some(first) => {
                    let (at, first) = (place.at(item.span()), place.at(*first));
                    self.found.warn(|| {
                        Diagnostic::new(codes::REPEATED_ITEM, at, format!("{} is in the list twice", quote(key.1)))
                            .also(first, "first here")
                            .help("remove one of them")
                    });
                }
            }
        }
    }

    /// Warns about a literal that no value can equal.
    pub(super) fn warn_literal_form(&mut self, place: Place<'a>, kind: SetKind, text: &Text) {
        match Pattern::new(kind, &text.value) {
            Ok(pattern) => self.warn_form(place, kind, text, &pattern),
            Err(error @ (PatternError::NotAHost(_) | PatternError::StarInHost)) => {
                let at = place.at(text.span);
                let (_, _, help) = describe(error, &text.value);
                self.warn_never_matches(at, &text.value, help);
            }
            // What a pattern cannot be, a value can.
            Err(PatternError::Empty | PatternError::TooLong | PatternError::DoubleStarInSegment) => {}
        }
    }

    pub(super) fn warn_never_matches(&mut self, at: Location, text: &str, help: &str) {
        self.found.warn(|| {
            Diagnostic::new(codes::NEVER_MATCHES, at, format!("{} can never match", quote(text)))
                .label("no value has this form")
                .help(help)
        });
    }

    fn warn_form(&mut self, place: Place<'a>, kind: SetKind, text: &Text, pattern: &Pattern) {
        let at = place.at(text.span);
        let written = &text.value;
        let never = match pattern {
            Pattern::Segments(glob) => glob.never_matches(),
            Pattern::Word(_) if kind == SetKind::Commands && written.contains('/') => {
                Some("it has a `/`, but commands are judged by their plain name")
            }
            Pattern::Word(_) if kind == SetKind::Commands && written.contains(char::is_whitespace) => {
                Some("it has a blank, but a command's name does not include its arguments; see `subcommand` and `line`")
            }
            Pattern::Word(_) | Pattern::Host(_) => None,
        };
        if let Some(reason) = never {
            self.warn_never_matches(at, written, reason);
        }
        if let Pattern::Host(host) = pattern
            && HostPattern::is_address(host)
        {
            let message = format!("{} is an address, not a name", quote(written));
            let help = "name the host; addresses of private networks are always refused";
            self.found.warning(codes::HOST_IS_ADDRESS, at, message, help);
        }
    }
}

/// Returns a sign that other glob languages read as a wildcard. `[slug]` is a common file name and passes.
fn foreign_wildcard(text: &str) -> Option<&'static str> {
    let inside = |open: char, close: char| {
        let (_, rest) = text.split_once(open)?;
        rest.split_once(close).map(|(inside, _)| inside)
    };
    if text.starts_with('!') {
        return Some("!");
    }
    if text.starts_with("~/") {
        return Some("~");
    }
    if text.contains("$HOME") || text.contains("${") {
        return Some("$");
    }
    if inside('{', '}').is_some_and(|inside| inside.contains(',')) {
        return Some("{…}");
    }
    let class = |inside: &str| {
        let range = inside
            .as_bytes()
            .windows(3)
            .any(|w| matches!(w, [a, b'-', b] if a.is_ascii_alphanumeric() && b.is_ascii_alphanumeric() && a < b));
        inside.starts_with(['!', '^']) || range && inside.len() <= SHORT_CLASS_BYTES
    };
    if inside('[', ']').is_some_and(class) {
        return Some("[…]");
    }
    text.contains('?').then_some("?")
}

fn describe(error: PatternError, text: &str) -> (&'static policy_syntax::Code, String, &'static str) {
    let written = quote(text);
    match error {
        PatternError::Empty => {
            (codes::BAD_GLOB, error.to_string(), "write a path as `\"src/main.rs\"`, or `\"**\"` for everything")
        }
        PatternError::TooLong => (
            codes::BAD_GLOB,
            format!("the pattern {written} has more than {} bytes", crate::pattern::PATTERN_BYTES_MAX),
            "no path is that long",
        ),
        PatternError::DoubleStarInSegment => (
            codes::BAD_GLOB,
            format!("`**` must be a whole segment in {written}"),
            "write `src/**/*.rs`, not `src/**.rs`",
        ),
        PatternError::StarInHost => (
            codes::BAD_HOST,
            format!("`*` must be the whole first label of {written}"),
            "write `*.docs.rs` for the subdomains, and list the host itself too",
        ),
        PatternError::NotAHost(foreign) => (
            codes::BAD_HOST,
            format!("{written} is not a host name: it contains {}", quote(&foreign.to_string())),
            "write the bare name (international ones as `xn--…`); scheme, port and path are attributes: `scheme`, `port`, `url-path`",
        ),
    }
}

/// `[a-z0-9]` is a class, `[my-long-name]` a name.
const SHORT_CLASS_BYTES: usize = 9;
