//! A glob over segments -> the form in which Cedar can ask for it, always an exact one.
//!
//! A path is shown to Cedar as a record. For `src/bin/main.rs`, with as many `s…` and `r…` as the policy needs:
//!
//! ```text
//! text     "src/bin/main.rs"
//! depth    3                        how many segments
//! s0, s1   "src", "bin"             from the front, "" beyond the last
//! r0, r1   "main.rs", "bin"         from the back, "" beyond the first
//! wrapped  "/src//bin//main.rs/"    each segment between slashes of its own
//! ```

use cedar_policy::pst::PatternElem;
use policy_model::{Segment, SegmentGlob, WordGlob};

/// How Cedar can ask for a glob.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum GlobForm<'a> {
    /// It has no path: one empty segment, which no path has.
    Never,
    /// Every path.
    Every,
    /// This path: `text == …`.
    Literal(String),
    /// So many segments of these forms: `depth == n && s0 … && s1 …`.
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
    /// Cedar cannot ask for it: the request says whether it matches.
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

/// What stands between the `**`s; several in a row are as one.
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
        // The empty path has no segment, every other path with one has something in it.
        Some([] | [""]) => GlobForm::Never,
        Some(literals) => GlobForm::Literal(literals.join("/")),
        None if words.len() <= SEGMENTS_MAX => GlobForm::Fixed(words.to_vec()),
        None => GlobForm::Atom,
    }
}

/// A `like` over the wrapped path, where it is exact.
///
/// A `*` of `like` runs over slashes. It stands for `**`, so this is wanted between blocks and wrong inside
/// one. What a block says without a star is safe: the wrapped path has exactly two slashes between
/// neighbours, and each name is a whole segment because slashes stand around it. A star at the edge
/// of a block, beside the `**`, may run as the `**` does; only when edges meet (`a*/**/*b`) a slash
/// must be seen between them, or both could be the same segment.
fn wrapped(blocks: &[Vec<&WordGlob>]) -> Option<Vec<PatternElem>> {
    let last = blocks.len().checked_sub(1)?;
    let mut pattern = Vec::new();
    let mut is_open = false;
    for (index, block) in blocks.iter().enumerate() {
        let piece = piece(block, index != 0, index != last)?;
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

/// A block as a part of the wrapped path.
struct Piece {
    text: String,
    is_open_at_start: bool,
    is_open_at_end: bool,
}

fn piece(block: &[&WordGlob], after_any: bool, before_any: bool) -> Option<Piece> {
    let mut piece = Piece { text: String::new(), is_open_at_start: false, is_open_at_end: false };
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

/// Segments that a request shows one by one, from each end. A glob that names more is asked for as an atom.
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
    fn what_names_too_many_segments_is_an_atom() {
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
