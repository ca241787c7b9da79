//! Texts and places in them: a file, a span of bytes, a line and a column.

use std::ops::Range;

/// A stretch of bytes in one file, end exclusive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Span {
    /// The first byte.
    pub start: u32,
    /// The byte after the last one.
    pub end: u32,
}

impl Span {
    /// From byte offsets. Sources are bounded far below `u32::MAX`, so saturation is never seen.
    #[must_use]
    pub fn new(start: usize, end: usize) -> Self {
        let clamp = |offset: usize| u32::try_from(offset).unwrap_or(u32::MAX);
        Self { start: clamp(start), end: clamp(end) }
    }

    /// From the start of this span to the end of the other.
    #[must_use]
    pub fn to(self, other: Self) -> Self {
        Self { start: self.start, end: other.end.max(self.end) }
    }

    /// As indices into the source text.
    #[must_use]
    pub fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    /// Whether the offset lies inside.
    #[must_use]
    pub fn contains(self, offset: u32) -> bool {
        self.start <= offset && offset < self.end
    }
}

/// Which of the [`Sources`] a span belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileId(u32);

/// A span in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Location {
    /// The file.
    pub file: FileId,
    /// The bytes in it.
    pub span: Span,
}

/// A line and a column as people count them: from 1, columns in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1, in Unicode scalar values.
    pub column: usize,
}

/// One file: its name as shown to people, and its text.
#[derive(Debug, Clone)]
pub struct Source {
    name: String,
    text: String,
    line_starts: Vec<u32>,
}

impl Source {
    /// A file of that name with that text; a file that could not be read has an empty one.
    #[must_use]
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        let text = text.into();
        let breaks = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        let line_starts =
            std::iter::once(0).chain(breaks.map(|(at, _)| Span::new(at.saturating_add(1), 0).start)).collect();
        Self { name: name.into(), text, line_starts }
    }

    /// The name shown to people.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The whole text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The text of a span; empty when the span is not of this text.
    #[must_use]
    pub fn slice(&self, span: Span) -> &str {
        self.text.get(span.range()).unwrap_or_default()
    }

    /// The line and column of a byte offset; past the end it is the end.
    #[must_use]
    pub fn position(&self, offset: u32) -> Position {
        let line = self.line_of(offset);
        let line_start = self.line_span(line).start;
        let before = Span { start: line_start, end: offset.max(line_start) };
        Position { line, column: self.slice(before).chars().count().saturating_add(1) }
    }

    /// The number, from 1, of the line that holds the offset.
    #[must_use]
    pub fn line_of(&self, offset: u32) -> usize {
        self.line_starts.partition_point(|start| *start <= offset)
    }

    /// The bytes of a line, without its line break; empty past the last line.
    #[must_use]
    pub fn line_span(&self, line: usize) -> Span {
        let end_of_text = Span::new(self.text.len(), 0).start;
        let start_of = |index: usize| self.line_starts.get(index).copied();
        let start = start_of(line.saturating_sub(1)).unwrap_or(end_of_text);
        let end = start_of(line).map_or(end_of_text, |next| next.saturating_sub(1));
        Span { start, end }
    }
}

/// All files of one run, in the order they were read.
#[derive(Debug, Clone, Default)]
pub struct Sources {
    files: Vec<Source>,
}

impl Sources {
    /// Adds a file and names it.
    pub fn add(&mut self, source: Source) -> FileId {
        let id = FileId(u32::try_from(self.files.len()).unwrap_or(u32::MAX));
        self.files.push(source);
        id
    }

    /// The file of that id. Ids are only made by [`Sources::add`], so there is one; a foreign id
    /// has none.
    #[must_use]
    pub fn get(&self, id: FileId) -> Option<&Source> {
        self.files.get(id.0 as usize)
    }

    /// Every file with its id, in the order they were read.
    pub fn iter(&self) -> impl Iterator<Item = (FileId, &Source)> {
        (0..).map(FileId).zip(&self.files)
    }

    /// The text a location points at.
    #[must_use]
    pub fn slice(&self, at: Location) -> &str {
        self.get(at.file).map(|source| source.slice(at.span)).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_lines_and_characters_from_one() {
        let source = Source::new("x", "ab\nüc\n");
        let seen: Vec<_> =
            [0, 2, 3, 5, 6, 7, 99].iter().map(|at| source.position(*at)).map(|p| (p.line, p.column)).collect();
        assert_eq!(seen, [(1, 1), (1, 3), (2, 1), (2, 2), (2, 3), (3, 1), (3, 1)]);
    }

    #[test]
    fn lines_end_before_their_break() {
        let source = Source::new("x", "ab\ncd");
        assert_eq!(source.slice(source.line_span(1)), "ab");
        assert_eq!(source.slice(source.line_span(2)), "cd");
        assert_eq!(source.slice(source.line_span(3)), "");
    }
}
