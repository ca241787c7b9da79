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
        let lines: Vec<&[u8]> = old.split_inclusive(|byte| *byte == b'\n').collect();
        let mut new = Vec::with_capacity(old.len());
        // Lines of the old content that are dealt with.
        let mut done: usize = 0;
        for (number, hunk) in self.hunks.iter().enumerate() {
            // A hunk may begin at any line that a number can say, the last one included.
            let mismatch = |line: usize| PatchError::Mismatch {
                path: path.to_vec(),
                hunk: number + 1,
                line: line.saturating_add(1),
            };
            let start = hunk.start();
            let kept = lines.get(done..start).ok_or_else(|| mismatch(start))?;
            new.extend(kept.iter().copied().flatten());
            done = start;
            for line in &hunk.lines {
                if line.side != Side::New {
                    if !lines.get(done).is_some_and(|old| line.is(old)) {
                        return Err(mismatch(done));
                    }
                    done += 1;
                }
                if line.side != Side::Old {
                    let end: &[u8] = if line.has_end { b"\n" } else { b"" };
                    push_line(&mut new, &[line.text, end]).map_err(|()| mismatch(done))?;
                }
            }
        }
        for line in lines.get(done..).unwrap_or_default() {
            push_line(&mut new, &[line]).map_err(|()| PatchError::Mismatch {
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
    /// How many old lines come before it.
    fn start(&self) -> usize {
        let has_old = self.lines.iter().any(|line| line.side != Side::New);
        if has_old { self.old_start.saturating_sub(1) } else { self.old_start }
    }
}

/// A line without an end can only be the last one.
fn push_line(text: &mut Vec<u8>, line: &[&[u8]]) -> Result<(), ()> {
    if !matches!(text.last(), None | Some(b'\n')) {
        return Err(());
    }
    line.iter().for_each(|part| text.extend_from_slice(part));
    Ok(())
}
