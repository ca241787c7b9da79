//! Errors of file operations. Unless an error says otherwise, nothing has changed.

use std::fmt;

use crate::{Denial, FileKind, PatchError};
use exec_base::Stopped;
use rustix::io::Errno;

/// The reason why a file operation failed.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    #[error("the path must be relative to the root and normalized")]
    Path,
    #[error("the root itself cannot be changed")]
    Root,
    /// The next start removes files with such names.
    #[error("the path contains a name that is reserved for temporary files")]
    Reserved,
    /// Every absolute link counts as one.
    #[error("a symbolic link leads out of the root")]
    Escape,
    /// Also returned when links keep changing.
    #[error("a symbolic link is in the way; links are not followed here")]
    Link,
    #[error("too many symbolic links, or they lead in a circle")]
    LinkLoop,
    /// A path that a link leads to, or for which directories would be made.
    #[error("`{}` is not allowed", Escaped(path))]
    Denied { path: Box<[u8]>, denied: Denial },
    #[error("{}", at_path(path, error))]
    At {
        path: Box<[u8]>,
        #[source]
        error: Box<FileError>,
    },
    #[error("{count} of the paths below it are not allowed")]
    DeniedBelow {
        count: usize,
        /// Of the first.
        denied: Denial,
    },
    #[error("it does not exist")]
    NotFound,
    #[error("directory not found: `{}`", Escaped(path))]
    NoFolder { path: Box<[u8]> },
    #[error("it already exists")]
    Exists,
    #[error("it is a {kind}, not a file")]
    NotAFile { kind: FileKind },
    #[error("it is not a directory")]
    NotAFolder,
    #[error("the directory is not empty, and the request is not recursive")]
    Folder,
    /// The file system shows the kernel's state, or treats different names as equal.
    #[error("files on a file system of type {magic:#x} are not accessible")]
    FileSystem { magic: u64 },
    #[error("source and destination overlap")]
    Overlap,
    #[error("it spans several file systems")]
    OtherFileSystem,
    #[error("the file has {links} hard links; the edit would change all of them")]
    HardLinked { links: u64 },
    #[error("{bytes} bytes exceed the limit of {most}")]
    TooLarge { bytes: u64, most: u64 },
    #[error("it has more than {most} entries")]
    TooMany { most: usize },
    #[error("a path below it is longer than {most} bytes")]
    LongPath { most: usize },
    #[error("the text to replace is not in the file")]
    NoMatch,
    /// Counting stops at [`MATCHES_COUNTED_MAX`](super::MATCHES_COUNTED_MAX).
    #[error("the text to replace occurs {count} times in the file")]
    ManyMatches { count: usize },
    #[error("{0}")]
    Patch(#[from] PatchError),
    #[error("invalid glob: {}", Escaped(_0.as_bytes()))]
    Glob(String),
    #[error("invalid pattern: {}", Escaped(_0.as_bytes()))]
    Pattern(String),
    #[error("mode {mode:o} has more than permission bits")]
    Mode { mode: u32 },
    #[error("the file was changed by another process")]
    Changed,
    #[error("too many operations are waiting")]
    Busy,
    #[error("{}", Stopped::Cancelled)]
    Cancelled,
    #[error("{}", Stopped::TimedOut)]
    TimedOut,
    /// The disk or the quota is full.
    #[error("no space is left")]
    NoSpace,
    #[error("{act} failed: {}", reason(*errno))]
    Io { act: &'static str, errno: i32 },
    #[error(
        "{removed} files and directories were deleted, but {left} remain {}: {}",
        if *is_back { "in place" } else { "beside it under a temporary name" },
        reason(*errno)
    )]
    PartlyDeleted {
        removed: usize,
        /// Counts the directory itself.
        left: usize,
        is_back: bool,
        errno: i32,
    },
    /// The operation could be neither completed nor undone.
    #[error("{act} failed after part of it was done: {}", reason(*errno))]
    Unfinished { act: &'static str, errno: i32 },
}

impl FileError {
    /// Returns whether nothing has changed.
    #[must_use]
    pub fn changed_nothing(&self) -> bool {
        match self {
            Self::At { error, .. } => error.changed_nothing(),
            error => !matches!(error, Self::Unfinished { .. } | Self::PartlyDeleted { .. }),
        }
    }

    /// Adds the path, unless the error needs none.
    #[must_use]
    pub fn at(self, path: &[u8]) -> Self {
        match self {
            Self::At { .. }
            | Self::NoFolder { .. }
            | Self::Denied { .. }
            | Self::DeniedBelow { .. }
            | Self::Patch(_)
            | Self::Glob(_)
            | Self::Pattern(_)
            | Self::Mode { .. }
            | Self::Root
            | Self::Overlap
            | Self::NoSpace
            | Self::Busy
            | Self::Cancelled
            | Self::TimedOut => self,
            error => Self::At { path: path.into(), error: Box::new(error) },
        }
    }

    /// Adds the path of a directory.
    #[must_use]
    pub fn at_folder(self, path: &[u8]) -> Self {
        match self {
            Self::NotFound => Self::NoFolder { path: path.into() },
            error => error.at(path),
        }
    }

    /// Converts the error of a system call.
    pub(super) fn of(act: &'static str) -> impl Fn(Errno) -> Self {
        move |errno| match errno {
            Errno::LOOP => Self::Link,
            Errno::XDEV => Self::Escape,
            Errno::NOENT => Self::NotFound,
            Errno::EXIST => Self::Exists,
            Errno::NOTDIR => Self::NotAFolder,
            Errno::NOSPC | Errno::DQUOT => Self::NoSpace,
            errno => Self::Io { act, errno: errno.raw_os_error() },
        }
    }

    /// Converts the error of a system call after which the operation cannot be undone.
    pub(super) fn unfinished(act: &'static str) -> impl Fn(Errno) -> Self {
        move |errno| Self::Unfinished { act, errno: errno.raw_os_error() }
    }
}

impl From<Stopped> for FileError {
    fn from(stopped: Stopped) -> Self {
        match stopped {
            Stopped::Cancelled => Self::Cancelled,
            Stopped::TimedOut => Self::TimedOut,
        }
    }
}

fn at_path(path: &[u8], error: &FileError) -> String {
    match error {
        FileError::NotFound => format!("file not found: `{}`", Escaped(path)),
        FileError::Link => format!("`{}` leads through a symbolic link; links are not followed here", Escaped(path)),
        _ => format!("`{}`: {error}", Escaped(path)),
    }
}

fn reason(errno: i32) -> std::io::Error {
    std::io::Error::from_raw_os_error(errno)
}

/// Untrusted bytes on one line, escaped and limited in length.
pub(super) struct Escaped<'a>(pub(super) &'a [u8]);

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = self.0.get(..SHOWN_BYTES_MAX).unwrap_or(self.0);
        for chunk in shown.utf8_chunks() {
            for character in chunk.valid().chars() {
                match character {
                    '`' => f.write_str("\\u{60}")?,
                    '\'' | '"' => write!(f, "{character}")?,
                    character => write!(f, "{}", character.escape_debug())?,
                }
            }
            chunk.invalid().iter().try_for_each(|byte| write!(f, "\\x{byte:02x}"))?;
        }
        if shown.len() < self.0.len() { f.write_str("…") } else { Ok(()) }
    }
}

const SHOWN_BYTES_MAX: usize = 256;
