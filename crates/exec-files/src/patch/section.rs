//! (section of a diff, old content) -> new content of one file. It knows no file system.

use super::{PatchError, PatchTarget, Touch};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Section<'d> {
    pub(super) change: SectionChange,
    pub(super) hunks: Vec<Hunk<'d>>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum SectionChange {
    Modify { path: Vec<u8> },
    Create { path: Vec<u8>, is_executable: bool },
    Delete { path: Vec<u8> },
    Rename { from: Vec<u8>, to: Vec<u8> },
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Hunk<'d> {
    /// The first old line, from 1; without old lines, the line after which the new ones are added.
    pub(super) old_start: usize,
    pub(super) lines: Vec<Line<'d>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Line<'d> {
    pub(super) side: Side,
    /// Without its newline; a carriage return belongs to it.
    pub(super) text: &'d [u8],
    pub(super) has_end: bool,
}

/// The file in which a line of a hunk occurs.
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

    /// The touch of a new file, of which every line is new.
    pub(super) fn create(&self) -> Touch {
        let lines = self.hunks.iter().flat_map(|hunk| &hunk.lines).filter(|line| line.side != Side::Old);
        let sizes = lines.map(|line| line.text.len().saturating_add(usize::from(line.has_end)));
        let bytes = sizes.fold(0, usize::saturating_add);
        Touch::Create { bytes: u64::try_from(bytes).unwrap_or(u64::MAX) }
    }

    /// Applies the hunks to the old content.
    pub(super) fn apply(&self, path: &[u8], old: &[u8]) -> Result<Vec<u8>, PatchError> {
        // Line by line: a list of all lines would take many times their memory.
        let mut old_lines = old.split_inclusive(|byte| *byte == b'\n');
        let mut new = Vec::with_capacity(old.len());
        let mut done: usize = 0;
        for (number, hunk) in self.hunks.iter().enumerate() {
            let mismatch = |line: usize| PatchError::Mismatch { path: path.to_vec(), hunk: number + 1, line };
            let start = hunk.start();
            if start < done {
                return Err(mismatch(start.saturating_add(1)));
            }
            while done < start {
                let line = old_lines.next().ok_or_else(|| mismatch(start.saturating_add(1)))?;
                push_line(&mut new, line).ok_or_else(|| mismatch(start.saturating_add(1)))?;
                done += 1;
            }
            for line in &hunk.lines {
                if line.side != Side::New {
                    done += 1;
                    if !old_lines.next().is_some_and(|old| line.is(old)) {
                        return Err(mismatch(done));
                    }
                }
                if line.side != Side::Old {
                    push_line(&mut new, line.text).ok_or_else(|| mismatch(done + 1))?;
                    new.extend(line.has_end.then_some(b'\n'));
                }
            }
        }
        for line in old_lines {
            push_line(&mut new, line).ok_or_else(|| PatchError::Mismatch {
                path: path.to_vec(),
                hunk: self.hunks.len(),
                line: done + 1,
            })?;
        }
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
    /// Counts the old lines before the hunk.
    fn start(&self) -> usize {
        let has_old = self.lines.iter().any(|line| line.side != Side::New);
        if has_old { self.old_start.saturating_sub(1) } else { self.old_start }
    }
}

/// Appends a line. Fails behind a line without a newline, which can only be the last one.
fn push_line(text: &mut Vec<u8>, line: &[u8]) -> Option<()> {
    if text.last().is_some_and(|last| *last != b'\n') {
        return None;
    }
    text.extend_from_slice(line);
    Some(())
}
