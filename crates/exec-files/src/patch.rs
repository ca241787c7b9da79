//! A unified diff -> the files it makes of those that are there, all of them or none.
//!
//! Strict on purpose: a hunk fits at the line that it names, byte by byte, or the diff is refused.

mod apply;
mod commit;
mod hunks;
mod lines;
mod parse;
mod section;

use std::fmt;

pub use apply::Patched;
use section::Section;

use super::error::Shown;
use super::judge::Denied;

/// A diff that has been read; nothing has been looked at or changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Patch<'d> {
    sections: Vec<Section<'d>>,
}

/// One path that a diff touches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PatchTarget {
    /// Relative to the root, normalised.
    pub path: Vec<u8>,
    /// What is done to it.
    pub touch: Touch,
}

/// What a diff does to a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Touch {
    /// Its content changes.
    Modify,
    /// It must not be there, and will.
    Create {
        /// Of its content.
        bytes: u64,
    },
    /// It must be there, and goes.
    Delete,
    /// It goes to another path, perhaps with changes.
    RenameFrom,
    /// It comes from another path.
    RenameTo,
}

/// Judges a path that a diff touches, relative to the root and normalised.
pub type JudgeTouch<'j> = dyn FnMut(&[u8], Touch) -> Result<(), Denied> + 'j;

/// Why a diff is refused; lines count from 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PatchError {
    /// It is longer than a diff may be.
    TooLong {
        /// Bytes.
        bytes: usize,
    },
    /// It touches nothing.
    Empty,
    /// It touches more files than may be.
    TooManyFiles,
    /// A line is not what can stand there.
    Line {
        /// Which line of the diff.
        line: usize,
        /// What was expected.
        expected: &'static str,
    },
    /// A path is absolute, leads up, or cannot be read.
    Path {
        /// Which line of the diff.
        line: usize,
    },
    /// The two names of a file differ, and no rename is said.
    Names {
        /// Which line of the diff.
        line: usize,
    },
    /// It changes something that is not the content of a plain file: a mode, a link, a submodule, binary data, a copy.
    Unsupported {
        /// Which line of the diff.
        line: usize,
        /// What.
        what: &'static str,
    },
    /// It touches a path twice, or a path and one below it.
    Twice {
        /// Which path.
        path: Vec<u8>,
    },
    /// It touches another path than the one it is for.
    OtherPath {
        /// Which path.
        path: Vec<u8>,
    },
    /// A hunk does not fit the file.
    Mismatch {
        /// Which file.
        path: Vec<u8>,
        /// Which hunk of it, from 1.
        hunk: usize,
        /// The line of the file that is not what the hunk says.
        line: usize,
    },
    /// A file that is deleted has more in it than the diff says.
    NotAll {
        /// Which file.
        path: Vec<u8>,
    },
}

impl<'d> Patch<'d> {
    /// Reads a diff of one or several files, whose paths are relative to the root.
    ///
    /// # Errors
    /// When it is not a diff, or changes anything but the content and the names of plain files.
    pub fn parse(diff: &'d [u8]) -> Result<Self, PatchError> {
        Self::checked(parse::sections(diff)?)
    }

    /// Reads a diff of the file at a path. Its headers may be missing; when they are there, they name that path.
    ///
    /// # Errors
    /// As [`Self::parse`], and when it touches anything else than the path.
    pub fn parse_for(path: &[u8], diff: &'d [u8]) -> Result<Self, PatchError> {
        let patch = Self::checked(parse::sections_for(path, diff)?)?;
        match patch.targets().into_iter().find(|target| target.path != path) {
            Some(other) => Err(PatchError::OtherPath { path: other.path }),
            None => Ok(patch),
        }
    }

    /// Every path that the diff touches, for the caller to judge, in the order of the diff.
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
        // With a slash at its end a folder stands right before what is in it.
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

impl fmt::Display for PatchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLong { bytes } => write!(f, "a diff of {bytes} bytes is too long"),
            Self::Empty => f.write_str("the diff changes nothing"),
            Self::TooManyFiles => write!(f, "the diff touches more than {FILES_MAX} files"),
            Self::Line { line, expected } => write!(f, "line {line} of the diff is not {expected}"),
            Self::Path { line } => write!(f, "line {line} of the diff has a path that is not inside the root"),
            Self::Names { line } => write!(f, "line {line} of the diff names another file than the line before"),
            Self::Unsupported { line, what } => write!(f, "line {line} of the diff has {what}, which is not applied"),
            Self::Twice { path } => write!(f, "the diff touches `{}` twice", Shown(path)),
            Self::OtherPath { path } => write!(f, "the diff touches `{}`, which it is not for", Shown(path)),
            Self::Mismatch { path, hunk, line } => {
                write!(f, "hunk {hunk} does not fit `{}` at line {line}", Shown(path))
            }
            Self::NotAll { path } => write!(f, "`{}` has more in it than the diff deletes", Shown(path)),
        }
    }
}

impl std::error::Error for PatchError {}

/// Files that one diff touches.
const FILES_MAX: usize = enforce_core::limits::MAX_REPEATED_ITEMS;
