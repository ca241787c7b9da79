//! What a diff says of one file, and (section, old content) -> new content. It knows no file system.

use super::{PatchError, PatchTarget, Touch};

/// What a diff says of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Section<'d> {
    pub(super) change: SectionChange,
    pub(super) hunks: Vec<Hunk<'d>>,
}

/// What becomes of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum SectionChange {
    Modify { path: Vec<u8> },
    Create { path: Vec<u8>, mode: NewMode },
    Delete { path: Vec<u8> },
    Rename { from: Vec<u8>, to: Vec<u8> },
}

/// Who may run a new file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NewMode {
    Plain,
    Executable,
}

/// Lines that change together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Hunk<'d> {
    /// The first old line, from 1; with no old lines, the line after which the new ones come.
    pub(super) old_start: usize,
    pub(super) lines: Vec<Line<'d>>,
}

/// One line of a hunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Line<'d> {
    pub(super) side: Side,
    /// Without its end; a carriage return belongs to it.
    pub(super) text: &'d [u8],
    pub(super) has_end: bool,
}

/// Where a line of a hunk is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Both,
    Old,
    New,
}

impl Section<'_> {
    pub(super) fn targets(&self) -> Vec<PatchTarget> {
        let target = |path: &Vec<u8>, touch| PatchTarget { path: path.clone(), touch };
        match &self.change {
            SectionChange::Modify { path } => vec![target(path, Touch::Modify)],
            SectionChange::Create { path, .. } => vec![target(path, self.create())],
            SectionChange::Delete { path } => vec![target(path, Touch::Delete)],
            SectionChange::Rename { from, to } => vec![target(from, Touch::RenameFrom), target(to, Touch::RenameTo)],
        }
    }

    /// What is done to a file that is new: all lines are.
    pub(super) fn create(&self) -> Touch {
        let lines = self.hunks.iter().flat_map(|hunk| &hunk.lines).filter(|line| line.side != Side::Old);
        let sizes = lines.map(|line| line.text.len().saturating_add(usize::from(line.has_end)));
        let bytes = sizes.fold(0, usize::saturating_add);
        Touch::Create { bytes: u64::try_from(bytes).unwrap_or(u64::MAX) }
    }

    /// The content that the hunks make of the old one.
    pub(super) fn apply(&self, path: &[u8], old: &[u8]) -> Result<Vec<u8>, PatchError> {
        let mut lines = OldLines { rest: old, done: 0 };
        let mut new = Vec::with_capacity(old.len());
        for (number, hunk) in self.hunks.iter().enumerate() {
            // A hunk may begin at any line that a number can say, the last one included.
            let mismatch = |line: usize| PatchError::Mismatch {
                path: path.to_vec(),
                hunk: number + 1,
                line: line.saturating_add(1),
            };
            let start = hunk.start();
            let kept = lines.up_to(start).ok_or_else(|| mismatch(start))?;
            push_lines(&mut new, kept).map_err(|()| mismatch(start))?;
            for line in &hunk.lines {
                if line.side != Side::New && !lines.next().is_some_and(|old| line.is(old)) {
                    return Err(mismatch(lines.done.saturating_sub(1)));
                }
                if line.side != Side::Old {
                    let end: &[u8] = if line.has_end { b"\n" } else { b"" };
                    push_line(&mut new, &[line.text, end]).map_err(|()| mismatch(lines.done))?;
                }
            }
        }
        push_lines(&mut new, lines.rest).map_err(|()| PatchError::Mismatch {
            path: path.to_vec(),
            hunk: self.hunks.len(),
            line: lines.done + 1,
        })?;
        if matches!(self.change, SectionChange::Delete { .. }) && !new.is_empty() {
            return Err(PatchError::NotAll { path: path.to_vec() });
        }
        Ok(new)
    }
}

impl Line<'_> {
    fn is(&self, line: &[u8]) -> bool {
        match line.strip_suffix(b"\n") {
            Some(text) => self.has_end && text == self.text,
            None => !self.has_end && line == self.text,
        }
    }
}

impl Hunk<'_> {
    /// How many old lines come before it.
    fn start(&self) -> usize {
        let has_old = self.lines.iter().any(|line| line.side != Side::New);
        if has_old { self.old_start.saturating_sub(1) } else { self.old_start }
    }
}

/// The old content, line by line. A list of all lines would take many times as much memory as they.
struct OldLines<'o> {
    rest: &'o [u8],
    /// Lines that are dealt with.
    done: usize,
}

impl<'o> OldLines<'o> {
    /// The next line, with its end. What is asked for is done, whether it is there or not.
    fn next(&mut self) -> Option<&'o [u8]> {
        self.done = self.done.saturating_add(1);
        if self.rest.is_empty() {
            return None;
        }
        let end = memchr::memchr(b'\n', self.rest).map_or(self.rest.len(), |end| end + 1);
        let (line, rest) = self.rest.split_at_checked(end)?;
        self.rest = rest;
        Some(line)
    }

    /// All lines before the one with this number, from 0; nothing if there are fewer, or it is behind already.
    fn up_to(&mut self, number: usize) -> Option<&'o [u8]> {
        let wanted = number.checked_sub(self.done)?;
        let end = match wanted.checked_sub(1) {
            None => 0,
            Some(before) => match memchr::memchr_iter(b'\n', self.rest).nth(before) {
                Some(end) => end + 1,
                // The last line may have no end.
                None if has_open_end(self.rest) && memchr::memchr_iter(b'\n', self.rest).count() == before => {
                    self.rest.len()
                }
                None => return None,
            },
        };
        let (lines, rest) = self.rest.split_at_checked(end)?;
        (self.rest, self.done) = (rest, number);
        Some(lines)
    }
}

fn has_open_end(text: &[u8]) -> bool {
    text.last().is_some_and(|last| *last != b'\n')
}

fn push_lines(text: &mut Vec<u8>, lines: &[u8]) -> Result<(), ()> {
    if lines.is_empty() { Ok(()) } else { push_line(text, &[lines]) }
}

/// A line without an end can only be the last one.
fn push_line(text: &mut Vec<u8>, line: &[&[u8]]) -> Result<(), ()> {
    if has_open_end(text) {
        return Err(());
    }
    line.iter().for_each(|part| text.extend_from_slice(part));
    Ok(())
}
