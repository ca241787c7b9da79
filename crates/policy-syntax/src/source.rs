//! Texts and places in them: a file, a span of bytes, a line and a column.

use std::ops::Range;

/// A range of bytes in one file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Span {
    pub start: u32,
    /// Exclusive.
    pub end: u32,
}

impl Span {
    /// Saturates; sources are limited to far fewer than `u32::MAX` bytes.
    #[must_use]
    pub fn new(start: usize, end: usize) -> Self {
        let clamp = |offset: usize| u32::try_from(offset).unwrap_or(u32::MAX);
        Self { start: clamp(start), end: clamp(end) }
    }

    /// Returns the span from the start of this one to the end of the other.
    #[must_use]
    pub fn to(self, other: Self) -> Self {
        Self { start: self.start, end: other.end.max(self.end) }
    }

    #[must_use]
    pub fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    #[must_use]
    pub fn contains(self, offset: u32) -> bool {
        self.start <= offset && offset < self.end
    }
}

/// Identifies a file in its [`Sources`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileId(u32);

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Location {
    pub file: FileId,
    pub span: Span,
}

/// A line and a column, both from 1. Columns count characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    pub line: usize,
    pub column: usize,
}

/// A file: the name shown to people, and its text.
#[derive(Debug, Clone)]
pub struct Source {
    name: String,
    text: String,
    line_starts: Vec<u32>,
}

impl Source {
    /// Creates a file; one that could not be read has an empty text.
    #[must_use]
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        let text = text.into();
        let breaks = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        let line_starts =
            std::iter::once(0).chain(breaks.map(|(at, _)| Span::new(at.saturating_add(1), 0).start)).collect();
        Self { name: name.into(), text, line_starts }
    }

    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the text of a span, or an empty string if the span is outside.
    #[must_use]
    pub fn slice(&self, span: Span) -> &str {
        self.text.get(span.range()).unwrap_or_default()
    }

    /// Returns the position of a byte offset; an offset past the end counts as the end.
    #[must_use]
    pub fn position(&self, offset: u32) -> Position {
        let line = self.line_of(offset);
        let line_start = self.line_span(line).start;
        let before = Span { start: line_start, end: offset.max(line_start) };
        Position { line, column: self.slice(before).chars().count().saturating_add(1) }
    }

    /// Returns the number of the line that contains the offset, from 1.
    #[must_use]
    pub fn line_of(&self, offset: u32) -> usize {
        self.line_starts.partition_point(|start| *start <= offset)
    }

    /// Returns the bytes of a line without its line break; empty past the last line.
    #[must_use]
    pub fn line_span(&self, line: usize) -> Span {
        let end_of_text = Span::new(self.text.len(), 0).start;
        let start_of = |index: usize| self.line_starts.get(index).copied();
        let start = start_of(line.saturating_sub(1)).unwrap_or(end_of_text);
        let end = start_of(line).map_or(end_of_text, |next| next.saturating_sub(1));
        Span { start, end }
    }
}

/// The files of one run, in the order they were read.
#[derive(Debug, Clone, Default)]
pub struct Sources {
    files: Vec<Source>,
}

impl Sources {
    pub fn add(&mut self, source: Source) -> FileId {
        let id = FileId(u32::try_from(self.files.len()).unwrap_or(u32::MAX));
        self.files.push(source);
        id
    }

    /// Returns the file; `None` only for an id of other [`Sources`].
    #[must_use]
    pub fn get(&self, id: FileId) -> Option<&Source> {
        self.files.get(id.0 as usize)
    }

    pub fn iter(&self) -> impl Iterator<Item = (FileId, &Source)> {
        (0..).map(FileId).zip(&self.files)
    }

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
