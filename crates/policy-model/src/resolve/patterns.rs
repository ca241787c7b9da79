//! Strings in lists -> patterns, with everything a pattern shows by itself.

use policy_syntax::{Diagnostic, Item, SetKind, Text, quote};

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
                self.warn_foreign(place, text, &pattern);
                Some(LocatedPattern { pattern, at })
            }
            Err(error) => {
                self.found.push(|| {
                    let (code, message, help) = describe(error, &text.value);
                    Diagnostic::new(code, at, message).help(help)
                });
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
                self.found.warn(|| {
                    let (_, _, help) = describe(error, &text.value);
                    Diagnostic::new(codes::NEVER_MATCHES, at, format!("{} can never match", quote(&text.value)))
                        .label("no value has this form")
                        .help(help)
                });
            }
            // What a pattern cannot be, a value can.
            Err(PatternError::Empty | PatternError::TooLong | PatternError::DoubleStarInSegment) => {}
        }
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
                Some("it has a blank, but a command's arguments are no part of its name; see `subcommand` and `line`")
            }
            Pattern::Word(_) | Pattern::Host(_) => None,
        };
        if let Some(reason) = never {
            self.found.warn(|| {
                Diagnostic::new(codes::NEVER_MATCHES, at, format!("{} can never match", quote(written)))
                    .label("no value has this form")
                    .help(reason)
            });
        }
        if let Pattern::Host(host) = pattern
            && HostPattern::is_address(host)
        {
            self.found.warn(|| {
                Diagnostic::new(codes::HOST_IS_ADDRESS, at, format!("{} is an address, not a name", quote(written)))
                    .help("name the host; addresses of private networks are refused in any case")
            });
        }
    }

    fn warn_foreign(&mut self, place: Place<'a>, text: &Text, pattern: &Pattern) {
        let at = place.at(text.span);
        if let Some(sign) = foreign_wildcard(&text.value).filter(|_| !matches!(pattern, Pattern::Host(_))) {
            self.found.warn(|| {
                Diagnostic::new(codes::FOREIGN_GLOB, at, format!("`{sign}` has no meaning here and stands for itself"))
                    .help("only `*` and `**` are wildcards, and nothing is expanded; write one pattern for each alternative, and `not … in` for exceptions")
            });
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
        PatternError::Empty => (
            codes::BAD_GLOB,
            error.to_string(),
            "a path of its own is written `\"src/main.rs\"`, everything is `\"**\"`",
        ),
        PatternError::TooLong => (
            codes::BAD_GLOB,
            format!("the pattern {written} has more than {} bytes", crate::pattern::PATTERN_BYTES_MAX),
            "no path is as long as that",
        ),
        PatternError::DoubleStarInSegment => (
            codes::BAD_GLOB,
            format!("`**` is not alone in its segment in {written}"),
            "`**` stands for whole segments: write `src/**/*.rs`, not `src/**.rs`",
        ),
        PatternError::StarInHost => (
            codes::BAD_HOST,
            format!("`*` is not the whole first label of {written}"),
            "write `*.docs.rs` for the subdomains, and the host itself beside it",
        ),
        PatternError::NotAHost(foreign) => (
            codes::BAD_HOST,
            format!("{written} is no host name: it has {}", quote(&foreign.to_string())),
            "write the bare name (international ones as `xn--…`); scheme, port and path are attributes: `scheme`, `port`, `url-path`",
        ),
    }
}

/// `[a-z0-9]` is a class, `[my-long-name]` a name.
const SHORT_CLASS_BYTES: usize = 9;
