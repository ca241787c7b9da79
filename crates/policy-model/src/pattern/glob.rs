//! Globs over segments: `*` is part of one segment, `**` any number of whole ones, none included.

use super::PatternError;

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
    /// One segment of this form.
    One(Vec<Piece>),
}

/// A part of a segment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// `*`: any run of bytes without a slash, none included.
    Star,
    /// Exactly this.
    Literal(String),
}

impl SegmentGlob {
    /// Reads a glob.
    ///
    /// # Errors
    /// `**` beside other characters of its segment: it would be read as two stars by some, as
    /// anything by others.
    pub fn new(text: &str) -> Result<Self, PatternError> {
        let segments = text.split('/').map(segment).collect::<Result<_, _>>()?;
        Ok(Self { segments })
    }

    /// The segments, in order.
    #[must_use]
    pub fn segments(&self) -> &[Segment] {
        &self.segments
    }

    /// Whether it stands for this path. The root of the workspace is the empty path.
    #[must_use]
    pub fn matches(&self, path: &str) -> bool {
        let segments: Vec<&str> = if path.is_empty() { Vec::new() } else { path.split('/').collect() };
        // reached[i]: the globs read so far can stand for the first i segments.
        let mut reached = vec![false; segments.len() + 1];
        reached.first_mut().into_iter().for_each(|start| *start = true);
        for glob in &self.segments {
            let mut next = vec![false; segments.len() + 1];
            match glob {
                Segment::Any => {
                    let mut any = false;
                    for (after, before) in next.iter_mut().zip(&reached) {
                        any |= *before;
                        *after = any;
                    }
                }
                Segment::One(pieces) => {
                    for ((after, before), value) in next.iter_mut().skip(1).zip(&reached).zip(&segments) {
                        *after = *before && piece_match(pieces, value);
                    }
                }
            }
            reached = next;
        }
        reached.last() == Some(&true)
    }

    /// Why no normalised path can ever match, in words for a message.
    #[must_use]
    pub fn never_matches(&self) -> Option<&'static str> {
        let literal = |segment: &Segment, text: &str| match segment {
            Segment::One(pieces) => matches!(pieces.as_slice(), [Piece::Literal(literal)] if literal == text),
            Segment::Any => false,
        };
        let empty = |segment: &Segment| matches!(segment, Segment::One(pieces) if pieces.is_empty());
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

fn segment(text: &str) -> Result<Segment, PatternError> {
    if text == "**" {
        return Ok(Segment::Any);
    }
    if text.contains("**") {
        return Err(PatternError::DoubleStarInSegment);
    }
    let mut pieces = Vec::new();
    for (index, literal) in text.split('*').enumerate() {
        if index > 0 {
            pieces.push(Piece::Star);
        }
        if !literal.is_empty() {
            pieces.push(Piece::Literal(literal.to_owned()));
        }
    }
    Ok(Segment::One(pieces))
}

/// As for segments, one level down: reached[i] says the pieces can stand for the first i bytes.
fn piece_match(pieces: &[Piece], value: &str) -> bool {
    let value = value.as_bytes();
    let mut reached = vec![false; value.len() + 1];
    reached.first_mut().into_iter().for_each(|start| *start = true);
    for piece in pieces {
        let mut next = vec![false; value.len() + 1];
        match piece {
            Piece::Star => {
                let mut any = false;
                for (after, before) in next.iter_mut().zip(&reached) {
                    any |= *before;
                    *after = any;
                }
            }
            Piece::Literal(literal) => {
                let literal = literal.as_bytes();
                for (start, before) in reached.iter().enumerate() {
                    let end = start + literal.len();
                    if *before && value.get(start..end) == Some(literal) {
                        next.get_mut(end).into_iter().for_each(|after| *after = true);
                    }
                }
            }
        }
        reached = next;
    }
    reached.last() == Some(&true)
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
}
