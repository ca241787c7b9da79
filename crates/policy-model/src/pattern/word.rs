//! Globs over characters: `*` is any run of them, none included. For names that have no segments.

use std::fmt;

/// A glob such as `claude-*`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WordGlob {
    /// The texts between the stars; one if there is no star.
    parts: Vec<String>,
}

impl WordGlob {
    /// Parses a glob. Every string is one; consecutive stars mean the same as one.
    #[must_use]
    pub fn new(text: &str) -> Self {
        let mut parts: Vec<String> = text.split('*').map(str::to_owned).collect();
        let last = parts.len().saturating_sub(1);
        let mut index = 0;
        parts.retain(|part| {
            let inner = index != 0 && index != last;
            index += 1;
            !(inner && part.is_empty())
        });
        Self { parts }
    }

    /// Returns the text if there is no star.
    #[must_use]
    pub fn literal(&self) -> Option<&str> {
        match self.parts.as_slice() {
            [only] => Some(only),
            _ => None,
        }
    }

    #[must_use]
    pub fn parts(&self) -> &[String] {
        &self.parts
    }

    #[must_use]
    pub fn matches(&self, value: &str) -> bool {
        match self.parts.as_slice() {
            [] => false,
            [only] => value == only,
            [first, inner @ .., last] => {
                let Some(rest) = value.strip_prefix(first.as_str()) else {
                    return false;
                };
                let Some(mut rest) = rest.strip_suffix(last.as_str()) else {
                    return false;
                };
                // The first place is never worse than a later one: it leaves more for the others.
                for part in inner {
                    match rest.split_once(part.as_str()) {
                        Some((_, after)) => rest = after,
                        None => return false,
                    }
                }
                true
            }
        }
    }
}

impl fmt::Display for WordGlob {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, part) in self.parts.iter().enumerate() {
            let star = if index == 0 { "" } else { "*" };
            write!(f, "{star}{part}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_is_any_run_and_the_rest_is_literal() {
        let cases = [
            ("GET", "GET", true),
            ("GET", "get", false),
            ("GET", "GETS", false),
            ("claude-*", "claude-", true),
            ("claude-*", "claude-x/y", true),
            ("claude-*", "xclaude-y", false),
            ("*a*b*", "xxaxxbxx", true),
            ("*a*b*", "ba", false),
            ("ab*ba", "aba", false),
            ("ab*ba", "abba", true),
            ("**", "", true),
            ("a**b", "a-b", true),
        ];
        for (glob, value, expected) in cases {
            assert_eq!(WordGlob::new(glob).matches(value), expected, "{glob} on {value}");
        }
    }
}
