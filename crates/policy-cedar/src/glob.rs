//! A glob over segments -> the Cedar test with exactly the same meaning.
//!
//! Cedar sees a path as a record. For `src/bin/main.rs`, with as many `s…` and `r…` as the policy needs:
//!
//! ```text
//! text     "src/bin/main.rs"
//! depth    3                        number of segments
//! s0, s1   "src", "bin"             from the front, "" beyond the last
//! r0, r1   "main.rs", "bin"         from the back, "" beyond the first
//! wrapped  "/src//bin//main.rs/"    each segment between two slashes
//! ```

use cedar_policy::pst::PatternElem;
use policy_model::{Segment, SegmentGlob, WordGlob};

/// The form in which Cedar tests for a glob.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum GlobForm<'a> {
    /// Matches no path: one empty segment, which no path has.
    Never,
    /// Matches every path.
    Every,
    /// This path: `text == …`.
    Literal(String),
    /// Exactly these segments: `depth == n && s0 … && s1 …`.
    Fixed(Vec<&'a WordGlob>),
    /// One `**` between these: `depth >= n && s0 … && r0 …`.
    Around {
        /// The segments before it, from the front.
        before: Vec<&'a WordGlob>,
        /// The segments after it, from the back.
        after: Vec<&'a WordGlob>,
    },
    /// Several `**`: `wrapped like …`.
    Wrapped(Vec<PatternElem>),
    /// Cedar cannot test for it, so the request contains the answer.
    Atom,
}

impl<'a> GlobForm<'a> {
    pub(crate) fn of(glob: &'a SegmentGlob) -> Self {
        let blocks = blocks(glob);
        match blocks.as_slice() {
            [] => Self::Never,
            [only] => fixed(only),
            [before, after] if before.is_empty() && after.is_empty() => Self::Every,
            [before, after] if before.len() <= SEGMENTS_MAX && after.len() <= SEGMENTS_MAX => {
                Self::Around { before: before.clone(), after: after.iter().rev().copied().collect() }
            }
            [_, _] => Self::Atom,
            [_, _, _, ..] => wrapped(&blocks).map_or(Self::Atom, Self::Wrapped),
        }
    }
}

/// Returns the segments between the `**`s; several `**` in a row count as one.
fn blocks(glob: &SegmentGlob) -> Vec<Vec<&WordGlob>> {
    let mut blocks = vec![Vec::new()];
    let mut after_any = false;
    for segment in glob.segments() {
        match segment {
            Segment::Any if after_any => {}
            Segment::Any => blocks.push(Vec::new()),
            Segment::One(word) => blocks.last_mut().into_iter().for_each(|block| block.push(word)),
        }
        after_any = *segment == Segment::Any;
    }
    blocks
}

fn fixed<'a>(words: &[&'a WordGlob]) -> GlobForm<'a> {
    let literals: Option<Vec<&str>> = words.iter().map(|word| word.literal()).collect();
    match literals.as_deref() {
        // No path consists of one empty segment: the empty path has no segment.
        Some([] | [""]) => GlobForm::Never,
        Some(literals) => GlobForm::Literal(literals.join("/")),
        None if words.len() <= SEGMENTS_MAX => GlobForm::Fixed(words.to_vec()),
        None => GlobForm::Atom,
    }
}

/// Returns a `like` pattern over the wrapped path, where it is exact.
///
/// A `*` of `like` also matches slashes. That is right for a `**` between blocks and wrong inside a block. Text without a star
/// is safe: the wrapped path has exactly two slashes between neighbours, so each name is a whole segment. A star at the edge of
/// a block, beside a `**`, may match as much as the `**`. Only where two such edges meet (`a*/**/*b`) must there be a slash
/// between them, because otherwise both could match the same segment.
fn wrapped(blocks: &[Vec<&WordGlob>]) -> Option<Vec<PatternElem>> {
    let last = blocks.len().checked_sub(1)?;
    let mut pattern = Vec::new();
    let mut is_open = false;
    for (index, block) in blocks.iter().enumerate() {
        let piece = block_pattern(block, index != 0, index != last)?;
        if index != 0 {
            pattern.push(PatternElem::Wildcard);
        }
        if is_open && piece.is_open_at_start {
            pattern.extend([PatternElem::Char('/'), PatternElem::Wildcard]);
        }
        is_open = piece.is_open_at_end;
        pattern.extend(piece.text.chars().map(PatternElem::Char));
    }
    Some(pattern)
}

/// The pattern of one block.
struct BlockPattern {
    text: String,
    is_open_at_start: bool,
    is_open_at_end: bool,
}

fn block_pattern(block: &[&WordGlob], after_any: bool, before_any: bool) -> Option<BlockPattern> {
    let mut piece = BlockPattern { text: String::new(), is_open_at_start: false, is_open_at_end: false };
    let last = block.len().saturating_sub(1);
    for (index, word) in block.iter().enumerate() {
        let (open_at_start, text, open_at_end) = match word.parts() {
            [text] => (false, text, false),
            [start, text] if start.is_empty() => (true, text, false),
            [text, end] if end.is_empty() => (false, text, true),
            [start, text, end] if start.is_empty() && end.is_empty() => (true, text, true),
            _ => return None,
        };
        let may_open_at_start = after_any && index == 0;
        let may_open_at_end = before_any && index == last;
        if text.is_empty() || (open_at_start && !may_open_at_start) || (open_at_end && !may_open_at_end) {
            return None;
        }
        piece.is_open_at_start |= open_at_start;
        piece.is_open_at_end |= open_at_end;
        if !open_at_start {
            piece.text.push('/');
        }
        piece.text.push_str(text);
        if !open_at_end {
            piece.text.push('/');
        }
    }
    Some(piece)
}

/// The most segments that a request shows from each end. A glob with more is an atom.
pub(crate) const SEGMENTS_MAX: usize = 16;

#[cfg(test)]
mod tests {
    use super::*;

    fn wildcards(pattern: &[PatternElem]) -> String {
        let shown = |element: &PatternElem| match element {
            PatternElem::Char(c) => *c,
            PatternElem::Wildcard => '*',
        };
        pattern.iter().map(shown).collect()
    }

    fn form(text: &str) -> String {
        let glob = SegmentGlob::new(text).unwrap();
        let words = |words: &[&WordGlob]| words.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
        match GlobForm::of(&glob) {
            GlobForm::Never => "never".to_owned(),
            GlobForm::Every => "every".to_owned(),
            GlobForm::Literal(text) => format!("literal {text}"),
            GlobForm::Fixed(fixed) => format!("fixed {}", words(&fixed)),
            GlobForm::Around { before, after } => format!("around [{}] [{}]", words(&before), words(&after)),
            GlobForm::Wrapped(pattern) => format!("wrapped {}", wildcards(&pattern)),
            GlobForm::Atom => "atom".to_owned(),
        }
    }

    #[test]
    fn every_glob_has_its_form() {
        for (text, expected) in [
            ("", "never"),
            ("**", "every"),
            ("**/**", "every"),
            ("Cargo.toml", "literal Cargo.toml"),
            ("src/main.rs", "literal src/main.rs"),
            ("/", "literal /"),
            ("a/", "literal a/"),
            ("*", "fixed *"),
            ("src/*.rs", "fixed src *.rs"),
            ("src/**", "around [src] []"),
            ("**/*.pem", "around [] [*.pem]"),
            ("src/*/**/**/x/test-*", "around [src *] [test-* x]"),
            ("**/.git/**", "wrapped */.git/*"),
            ("**/.config/gh/**", "wrapped */.config//gh/*"),
            ("**/.env*/**", "wrapped */.env*"),
            ("**/*.d/**", "wrapped *.d/*"),
            ("**/*_pii*/**", "wrapped *_pii*"),
            ("src/**/gen/**", "wrapped /src/*/gen/*"),
            ("src/**/gen/**/a.rs", "wrapped /src/*/gen/*/a.rs/"),
            ("src*/**/gen/**/*.rs", "wrapped /src*/gen/*.rs/"),
            ("**/a*/**/*b/**", "wrapped */a*/*b/*"),
            ("**/a*/**/b/**", "wrapped */a*/b/*"),
            ("**/a*b/**", "atom"),
            ("**/a*/b/**", "atom"),
            ("**/a/*b/**", "atom"),
            ("**/*/**", "atom"),
            ("*a/**/b/**", "atom"),
            ("**/a/**/b*", "atom"),
            ("**/a//b/**", "atom"),
            ("**/*a*b*/**", "atom"),
        ] {
            assert_eq!(form(text), expected, "{text}");
        }
    }

    #[test]
    fn a_glob_with_too_many_segments_is_an_atom() {
        let (most, more) = ("a*/".repeat(SEGMENTS_MAX), "a*/".repeat(SEGMENTS_MAX + 1));
        let fixed = |stars: &str| form(stars.trim_end_matches('/'));
        assert!(fixed(&most).starts_with("fixed"));
        assert_eq!(fixed(&more), "atom");
        assert!(form(&format!("{most}**")).starts_with("around"));
        assert_eq!(form(&format!("{more}**")), "atom");
        assert!(form(&format!("**/{}", most.trim_end_matches('/'))).starts_with("around"));
        assert_eq!(form(&format!("**/{}", more.trim_end_matches('/'))), "atom");
        assert!(form(&"a/".repeat(SEGMENTS_MAX + 1)).starts_with("literal"));
    }
}
