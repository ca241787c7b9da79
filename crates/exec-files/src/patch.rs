//! A unified diff -> changed files, all or none.
//!
//! Deliberately strict: a hunk matches at the line that it names, byte by byte, or the diff is rejected.

mod apply;
mod parse;
mod section;

use crate::{Denial, Escaped};
pub use apply::PatchOutcome;
use section::Section;

/// A parsed diff.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Patch<'d> {
    sections: Vec<Section<'d>>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PatchTarget {
    /// Relative to the root, normalized.
    pub path: Vec<u8>,
    pub touch: Touch,
}

/// The effect of a diff on a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Touch {
    Modify,
    Create {
        bytes: u64,
    },
    Delete,
    /// Perhaps with changes.
    RenameFrom,
    RenameTo,
}

/// Judges a path that a diff touches, relative to the root and normalized.
pub type JudgeTouch<'j> = dyn FnMut(&[u8], Touch) -> Result<(), Denial> + 'j;

/// The reason why a diff is rejected; lines count from 1.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PatchError {
    #[error("a diff of {bytes} bytes is too long")]
    TooLong { bytes: usize },
    #[error("the diff changes nothing")]
    Empty,
    #[error("the diff changes more than {FILES_MAX} files")]
    TooManyFiles,
    #[error("line {line} of the diff is not {expected}")]
    Line { line: usize, expected: &'static str },
    #[error("line {line} of the diff has a path that is not inside the root")]
    Path { line: usize },
    #[error("line {line} of the diff names another file than the line before")]
    Names { line: usize },
    #[error("line {line} of the diff has {what}, which is not supported")]
    Unsupported { line: usize, what: &'static str },
    /// Or it changes a path and another one below it.
    #[error("the diff changes `{}` twice", Escaped(path))]
    Twice { path: Vec<u8> },
    #[error("the diff changes `{}`, but the request is for another path", Escaped(path))]
    OtherPath { path: Vec<u8> },
    #[error("hunk {hunk} does not match `{}` at line {line}", Escaped(path))]
    Mismatch { path: Vec<u8>, hunk: usize, line: usize },
    #[error("`{}` has more lines than the diff deletes", Escaped(path))]
    NotAll { path: Vec<u8> },
}

impl<'d> Patch<'d> {
    /// Parses a diff of one or several files, with paths relative to the root.
    ///
    /// # Errors
    /// When it is not a valid diff, or changes anything but the content and names of regular files.
    pub fn parse(diff: &'d [u8]) -> Result<Self, PatchError> {
        Self::checked(parse::sections(diff)?)
    }

    /// Parses a diff of the file at `path`, with or without headers.
    ///
    /// # Errors
    /// As [`Self::parse`], and when it changes another path.
    pub fn parse_for(path: &[u8], diff: &'d [u8]) -> Result<Self, PatchError> {
        let patch = Self::checked(parse::sections_for(path, diff)?)?;
        match patch.targets().into_iter().find(|target| target.path != path) {
            Some(other) => Err(PatchError::OtherPath { path: other.path }),
            None => Ok(patch),
        }
    }

    /// Returns every path that the diff touches, in the order of the diff.
    #[must_use]
    pub fn targets(&self) -> Vec<PatchTarget> {
        self.sections.iter().flat_map(Section::targets).collect()
    }

    fn checked(sections: Vec<Section<'d>>) -> Result<Self, PatchError> {
        if sections.is_empty() {
            return Err(PatchError::Empty);
        }
        if sections.len() > FILES_MAX {
            return Err(PatchError::TooManyFiles);
        }
        let patch = Self { sections };
        let mut paths: Vec<_> = patch.targets().into_iter().map(|target| target.path).collect();
        // With a trailing slash, a directory sorts right before its content.
        paths.iter_mut().for_each(|path| path.push(b'/'));
        paths.sort_unstable();
        for pair in paths.windows(2) {
            if let [one, other] = pair
                && other.starts_with(one)
            {
                let path = other.strip_suffix(b"/").unwrap_or(other).to_vec();
                return Err(PatchError::Twice { path });
            }
        }
        Ok(patch)
    }
}

const FILES_MAX: usize = enforce_core::limits::MAX_REPEATED_ITEMS;
