//! Invalid regular expression -> one line that says why, with the place in the pattern as it was written.

use regex_syntax::Error;
use regex_syntax::ast::Span;

/// Says why `pattern` is invalid. `otherwise` is the engine's own message, for patterns whose syntax is valid.
#[must_use]
pub fn pattern_error(pattern: &str, otherwise: &str) -> String {
    // The engine wraps the pattern in groups of its own, and its message has several lines.
    let at = |kind: &dyn std::fmt::Display, span: &Span| {
        let before = pattern.get(..span.start.offset).unwrap_or(pattern);
        format!("{kind}, at character {}", before.chars().count().saturating_add(1))
    };
    match regex_syntax::parse(pattern) {
        Err(Error::Parse(error)) => at(error.kind(), error.span()),
        Err(Error::Translate(error)) => at(error.kind(), error.span()),
        Err(_) | Ok(_) => {
            let last = otherwise.lines().last().unwrap_or_default().trim();
            last.strip_prefix("error: ").unwrap_or(last).to_owned()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::pattern_error;

    #[test]
    fn a_mistake_is_named_with_its_place_in_the_written_pattern() {
        for (pattern, expected) in [
            ("(", "unclosed group, at character 1"),
            ("a(b", "unclosed group, at character 2"),
            ("é*[z-a]", "invalid character class range, the start must be <= the end, at character 4"),
            (r"\p{nothing}", "Unicode property not found, at character 1"),
        ] {
            assert_eq!(pattern_error(pattern, "regex parse error:\n    (?:()\n    ^"), expected);
        }
        assert_eq!(pattern_error("a", "x\n  error: it is too large\n"), "it is too large");
    }
}
