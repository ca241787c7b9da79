//! Globs over segments: `*` is part of one segment, `**` any number of whole ones, none included.

use std::fmt;

use super::{PatternError, WordGlob};

/// A glob such as `src/**/*.rs`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SegmentGlob {
    segments: Vec<Segment>,
}

/// A part between slashes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Segment {
    /// `**`
    Any,
    One(WordGlob),
}

impl SegmentGlob {
    /// Parses a glob.
    ///
    /// # Errors
    /// `**` next to other characters of its segment; tools disagree on what that means.
    pub fn new(text: &str) -> Result<Self, PatternError> {
        let segments = text.split('/').map(segment).collect::<Result<_, _>>()?;
        Ok(Self { segments })
    }

    #[must_use]
    pub fn segments(&self) -> &[Segment] {
        &self.segments
    }

    /// Returns true if the glob matches the path. The root of the workspace is the empty path.
    #[must_use]
    pub fn matches(&self, path: &str) -> bool {
        let mut globs = self.segments.iter();
        let mut segments = path.split('/');
        if path.is_empty() {
            segments.next();
        }
        // After the last `**`: what must follow it, and the first segment it has not taken yet.
        let mut retry = None;
        loop {
            match (globs.clone().next(), segments.clone().next()) {
                (None, None) => return true,
                (Some(Segment::Any), _) => {
                    globs.next();
                    retry = Some((globs.clone(), segments.clone()));
                }
                (Some(Segment::One(glob)), Some(segment)) if glob.matches(segment) => {
                    globs.next();
                    segments.next();
                }
                _ => {
                    // Only the last `**` needs to take more: an earlier one gains nothing by it.
                    let Some((after, untaken)) = &mut retry else {
                        return false;
                    };
                    if untaken.next().is_none() {
                        return false;
                    }
                    (globs, segments) = (after.clone(), untaken.clone());
                }
            }
        }
    }

    /// Returns why no normalised path can ever match, as a help text.
    #[must_use]
    pub fn never_matches(&self) -> Option<&'static str> {
        let literal = |segment: &Segment, text: &str| match segment {
            Segment::One(glob) => glob.literal() == Some(text),
            Segment::Any => false,
        };
        let empty = |segment: &Segment| literal(segment, "");
        if self.segments.len() > 1 && self.segments.first().is_some_and(empty) {
            return Some("it starts with `/`, but paths are judged relative to the workspace");
        }
        if self.segments.len() > 1 && self.segments.last().is_some_and(empty) {
            return Some("it ends with `/`, but no normalised path does");
        }
        if self.segments.iter().any(empty) {
            return Some("it has an empty segment, but no normalised path has one");
        }
        if self.segments.iter().any(|segment| literal(segment, "..")) {
            return Some("it has a `..`, but paths with one are refused before they are judged");
        }
        if self.segments.iter().any(|segment| literal(segment, ".")) {
            return Some("it has a `.`, but no normalised path has one");
        }
        None
    }
}

impl fmt::Display for SegmentGlob {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, segment) in self.segments.iter().enumerate() {
            let slash = if index == 0 { "" } else { "/" };
            match segment {
                Segment::Any => write!(f, "{slash}**")?,
                Segment::One(glob) => write!(f, "{slash}{glob}")?,
            }
        }
        Ok(())
    }
}

fn segment(text: &str) -> Result<Segment, PatternError> {
    match text {
        "**" => Ok(Segment::Any),
        _ if text.contains("**") => Err(PatternError::DoubleStarInSegment),
        _ => Ok(Segment::One(WordGlob::new(text))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_stay_in_their_segment_and_double_stars_cross() {
        let cases = [
            ("src/**", "src", true),
            ("src/**", "src/a/b", true),
            ("src/**", "srcx", false),
            ("**/.env*", ".env", true),
            ("**/.env*", "a/b/.env.local", true),
            ("**/.env*", "a/.env/b", false),
            ("*.rs", "main.rs", true),
            ("*.rs", "src/main.rs", false),
            ("*.rs", ".rs", true),
            ("a/*/c", "a/b/c", true),
            ("a/*/c", "a/c", false),
            ("**", "", true),
            ("*", "", false),
            ("**/x/**", "x", true),
            ("**/x/**", "a/x/b", true),
            ("**/x/**", "a/xx/b", false),
            ("a*b*c", "aXbYc", true),
            ("a*b*c", "abbc", true),
            ("a*b*c", "acb", false),
            ("SRC/x", "src/x", false),
            ("[slug].tsx", "[slug].tsx", true),
        ];
        for (glob, path, expected) in cases {
            assert_eq!(SegmentGlob::new(glob).unwrap().matches(path), expected, "{glob} on {path}");
        }
    }

    #[test]
    fn a_double_star_beside_other_characters_is_refused() {
        for text in ["a**", "**.rs", "src/a**b/c", "***"] {
            assert_eq!(SegmentGlob::new(text), Err(PatternError::DoubleStarInSegment), "{text}");
        }
    }

    #[test]
    fn globs_no_normalised_path_can_match_are_known() {
        for text in ["/etc/passwd", "src/", "a//b", "src/**/../x", "./src", "a/./b", "/"] {
            assert!(SegmentGlob::new(text).unwrap().never_matches().is_some(), "{text}");
        }
        for text in ["src/**", "...", "a..b", "**", ".env", "..."] {
            assert_eq!(SegmentGlob::new(text).unwrap().never_matches(), None, "{text}");
        }
    }

    /// The matching rules of the language reference, by trying everything.
    fn spec(globs: &[Segment], segments: &[&str]) -> bool {
        match (globs, segments) {
            ([], []) => true,
            ([Segment::Any, rest @ ..], _) => (0..=segments.len()).any(|taken| spec(rest, &segments[taken..])),
            ([Segment::One(glob), rest @ ..], [first, others @ ..]) => glob.matches(first) && spec(rest, others),
            ([Segment::One(_), ..], []) | ([], [_, ..]) => false,
        }
    }

    #[test]
    fn every_small_glob_matches_every_small_path_as_the_specification_says() {
        let lists = |alphabet: &[&str], most: usize| {
            let mut all: Vec<Vec<String>> = vec![Vec::new()];
            let mut last = all.clone();
            for _ in 0..most {
                last = last
                    .iter()
                    .flat_map(|list| alphabet.iter().map(|part| [list.clone(), vec![(*part).to_owned()]].concat()))
                    .collect();
                all.extend(last.clone());
            }
            all
        };
        let paths = lists(&["a", "b", "ab"], 4);
        let mut matched = 0;
        for glob in lists(&["a", "*", "**", "a*", "*b"], 4).iter().filter(|glob| !glob.is_empty()) {
            let glob = SegmentGlob::new(&glob.join("/")).unwrap();
            for path in &paths {
                let segments: Vec<&str> = path.iter().map(String::as_str).collect();
                let expected = spec(glob.segments(), &segments);
                matched += usize::from(expected);
                assert_eq!(glob.matches(&path.join("/")), expected, "{glob:?} on {path:?}");
            }
        }
        assert!(matched > 10_000, "{matched}");
    }
}
