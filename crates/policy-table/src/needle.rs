//! Pattern -> needle: a literal start of a string, a literal end, both, or an automaton over the whole string.

use policy_model::{HostPattern, Pattern, Segment, SegmentGlob, WordGlob};

/// A way to recognize the strings that match a pattern.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Needle {
    Start(Literal),
    End(Literal),
    /// The two literals cannot overlap.
    Both(Literal, Literal),
    Scan(ScanPattern),
}

/// Bytes at one end of a string, in the order of the string, and what may lie beyond them.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Literal {
    pub(crate) bytes: Vec<u8>,
    pub(crate) beyond: Beyond,
}

/// Bytes that may lie beyond a literal, seen from its end of the string.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Beyond {
    /// The string is the literal.
    Nothing,
    /// Nothing, or a slash and anything.
    Slash,
    /// Anything, including nothing.
    Anything,
    /// At least one byte.
    More,
}

/// A pattern that needs an automaton.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum ScanPattern {
    /// No two `**` are adjacent.
    Segments(Vec<SegmentForm>),
    /// The texts between the stars.
    Word(Vec<Vec<u8>>),
    Regex(String),
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum SegmentForm {
    Any,
    /// The texts between its stars.
    One(Vec<Vec<u8>>),
}

impl Needle {
    pub(crate) fn of(pattern: &Pattern) -> Self {
        match pattern {
            Pattern::Segments(glob) => of_segments(glob),
            Pattern::Host(HostPattern::Any) => Self::Start(literal("", Beyond::Anything)),
            Pattern::Host(HostPattern::Exact(name)) => Self::Start(literal(name, Beyond::Nothing)),
            Pattern::Host(HostPattern::Below(suffix)) => Self::End(literal(suffix, Beyond::More)),
            Pattern::Word(glob) => of_word(glob),
        }
    }

    pub(crate) fn equal_to(text: &str) -> Self {
        Self::Start(literal(text, Beyond::Nothing))
    }
}

fn of_word(glob: &WordGlob) -> Needle {
    match glob.parts() {
        [only] => Needle::Start(literal(only, Beyond::Nothing)),
        [start, end] if end.is_empty() => Needle::Start(literal(start, Beyond::Anything)),
        [start, end] if start.is_empty() => Needle::End(literal(end, Beyond::Anything)),
        [start, end] if !can_overlap(start.as_bytes(), end.as_bytes()) => {
            Needle::Both(literal(start, Beyond::Anything), literal(end, Beyond::Anything))
        }
        parts => Needle::Scan(ScanPattern::Word(bytes_of(parts))),
    }
}

/// Returns true if a string shorter than both together can start with one and end with the other.
fn can_overlap(start: &[u8], end: &[u8]) -> bool {
    (1..=start.len().min(end.len())).any(|shared| start.ends_with(end.get(..shared).unwrap_or_default()))
}

/// Converts a glob over segments. Empty literals are left to the automaton: a path without segments and one with an
/// empty segment are the same string.
fn of_segments(glob: &SegmentGlob) -> Needle {
    let forms = forms(glob);
    let needle = match forms.as_slice() {
        [SegmentForm::Any] => Some(Needle::Start(literal("", Beyond::Anything))),
        [SegmentForm::Any, rest @ ..] => ending(rest).map(Needle::End),
        [start @ .., SegmentForm::Any] => joined(start).map(|start| Needle::Start(literal(&start, Beyond::Slash))),
        [start @ .., SegmentForm::Any, last] => {
            let end = ending(core::slice::from_ref(last));
            let start = joined(start).map(|start| literal(&format!("{start}/"), Beyond::Anything));
            start.zip(end).map(|(start, end)| Needle::Both(start, end))
        }
        all => joined(all).map(|all| Needle::Start(literal(&all, Beyond::Nothing))),
    };
    needle.unwrap_or(Needle::Scan(ScanPattern::Segments(forms)))
}

fn forms(glob: &SegmentGlob) -> Vec<SegmentForm> {
    let mut forms: Vec<SegmentForm> = glob
        .segments()
        .iter()
        .map(|segment| match segment {
            Segment::Any => SegmentForm::Any,
            Segment::One(word) => SegmentForm::One(bytes_of(word.parts())),
        })
        .collect();
    forms.dedup_by(|next, last| *next == SegmentForm::Any && *last == SegmentForm::Any);
    forms
}

/// Joins segments without stars.
fn joined(forms: &[SegmentForm]) -> Option<String> {
    let texts: Option<Vec<&str>> = forms.iter().map(plain).collect();
    texts.map(|texts| texts.join("/")).filter(|text| !text.is_empty())
}

/// Returns the literal that a path ends with, if no segment has a star, or only the first one at its start.
fn ending(forms: &[SegmentForm]) -> Option<Literal> {
    if let Some(text) = joined(forms) {
        return Some(literal(&text, Beyond::Slash));
    }
    let (SegmentForm::One(parts), rest) = forms.split_first()? else {
        return None;
    };
    let [start, end] = parts.as_slice() else {
        return None;
    };
    if !start.is_empty() || end.is_empty() {
        return None;
    }
    let end = std::str::from_utf8(end).ok()?;
    let rest: Option<Vec<&str>> = rest.iter().map(plain).collect();
    let texts: Vec<&str> = core::iter::once(end).chain(rest?).collect();
    Some(literal(&texts.join("/"), Beyond::Anything))
}

fn plain(form: &SegmentForm) -> Option<&str> {
    match form {
        SegmentForm::One(parts) => match parts.as_slice() {
            [only] => std::str::from_utf8(only).ok(),
            _ => None,
        },
        SegmentForm::Any => None,
    }
}

fn literal(text: &str, beyond: Beyond) -> Literal {
    Literal { bytes: text.as_bytes().to_vec(), beyond }
}

fn bytes_of(parts: &[String]) -> Vec<Vec<u8>> {
    parts.iter().map(|part| part.as_bytes().to_vec()).collect()
}

#[cfg(test)]
mod tests {
    use policy_syntax::SetKind;

    use super::*;

    fn path(text: &str) -> Needle {
        Needle::of(&Pattern::new(SetKind::Paths, text).unwrap())
    }

    fn word(text: &str) -> Needle {
        Needle::of(&Pattern::new(SetKind::Names, text).unwrap())
    }

    #[test]
    fn literal_ends_of_globs_are_looked_for_as_literals() {
        use Beyond::{Anything, Nothing, Slash};
        for (glob, needle) in [
            ("src/main.rs", Needle::Start(literal("src/main.rs", Nothing))),
            ("src/**", Needle::Start(literal("src", Slash))),
            ("**", Needle::Start(literal("", Anything))),
            ("**/**", Needle::Start(literal("", Anything))),
            ("**/.env", Needle::End(literal(".env", Slash))),
            ("**/a/b", Needle::End(literal("a/b", Slash))),
            ("**/*.pem", Needle::End(literal(".pem", Anything))),
            ("**/*-x/y", Needle::End(literal("-x/y", Anything))),
            ("src/**/*.rs", Needle::Both(literal("src/", Anything), literal(".rs", Anything))),
            ("src/**/mod.rs", Needle::Both(literal("src/", Anything), literal("mod.rs", Slash))),
        ] {
            assert_eq!(path(glob), needle, "{glob}");
        }
        assert_eq!(word("a*b"), Needle::Both(literal("a", Anything), literal("b", Anything)));
        assert_eq!(word("a*"), Needle::Start(literal("a", Anything)));
        assert_eq!(word("*a"), Needle::End(literal("a", Anything)));
        assert_eq!(word("*"), Needle::Start(literal("", Anything)));
    }

    #[test]
    fn what_two_literals_cannot_say_is_left_to_an_automaton() {
        for glob in ["*", "**/*", "src/*.rs", "**/x/**", "x/**/x/y", "**/.env*", "/**", "**/", "a/**/b/**", "**/a*b"] {
            assert!(matches!(path(glob), Needle::Scan(_)), "{glob}: {:?}", path(glob));
        }
        for glob in ["ab*ba", "a*a", "a*b*c", "*a*"] {
            assert!(matches!(word(glob), Needle::Scan(_)), "{glob}: {:?}", word(glob));
        }
    }
}
