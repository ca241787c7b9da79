//! What can stop an operation on files; whoever gets one may rely on nothing having changed.

use std::fmt;

use exec_base::Stopped;
use rustix::io::Errno;

use super::entries::Kind;
use super::judge::Denied;
use super::patch::PatchError;

/// Why a file operation did not happen.
#[derive(Debug)]
pub enum FileError {
    /// The path is not normalised, or not relative to the root.
    Path,
    /// The root itself cannot be written, moved or deleted.
    Root,
    /// A name in the path is one that this program gives to its own temporary files, and removes.
    Reserved,
    /// A link leads out of the root, or is absolute.
    Escape,
    /// There is a link where none is followed, or links are being changed all the time.
    Link,
    /// The links lead round in a circle, or there are too many of them.
    LinkLoop,
    /// The caller does not allow a path that a link leads to, or for which folders would be made.
    Denied {
        /// Which path.
        path: Box<[u8]>,
        /// What the caller said.
        denied: Denied,
    },
    /// What is wrong with this path.
    At {
        /// Which path.
        path: Box<[u8]>,
        /// What.
        error: Box<FileError>,
    },
    /// The caller does not allow some of the paths that lie below the folder asked for.
    DeniedBelow {
        /// How many.
        count: usize,
        /// What the caller said of the first.
        denied: Denied,
    },
    /// Nothing is there.
    NotFound,
    /// The folder is not there that something was to be in.
    NoFolder {
        /// Which folder.
        path: Box<[u8]>,
    },
    /// Something is there already.
    Exists,
    /// It is something else than a file.
    NotAFile {
        /// What.
        kind: Kind,
    },
    /// It is something else than a folder.
    NotAFolder,
    /// It is a folder with something in it, and the request does not say `recursive`.
    Folder,
    /// It lies on a file system that shows the system's inside, or that takes different names for equal.
    FileSystem {
        /// Its number.
        magic: u64,
    },
    /// Source and destination are the same, or one lies in the other.
    Overlap,
    /// Source and destination lie on different file systems, or a tree reaches over several.
    OtherFileSystem,
    /// The file has other names, which appending to it would change as well.
    HardLinked {
        /// How many names.
        links: u64,
    },
    /// More bytes than may be read or written.
    TooLarge {
        /// How many.
        bytes: u64,
        /// How many there may be.
        most: u64,
    },
    /// More entries than a folder or tree may have here.
    TooMany {
        /// How many there may be.
        most: usize,
    },
    /// A path below a folder that is longer than one may be.
    LongPath {
        /// How many bytes it may have.
        most: usize,
    },
    /// What was read is no text.
    NotUtf8 {
        /// The first byte that is part of no character.
        at: usize,
    },
    /// What is to be replaced is not there.
    NoMatch,
    /// What is to be replaced is there more than once.
    ManyMatches {
        /// How often; counting stops at [`MATCHES_COUNTED_MAX`](super::MATCHES_COUNTED_MAX).
        count: usize,
    },
    /// The diff is none that can be applied, or does not fit.
    Patch(PatchError),
    /// The glob cannot be read.
    Glob(String),
    /// The regular expression cannot be read, or is too large.
    Pattern(String),
    /// Permission bits beyond reading, writing and executing.
    Mode {
        /// The bits.
        mode: u32,
    },
    /// Somebody else changed the file meanwhile.
    Changed,
    /// Too many writers wait already.
    Busy,
    /// The caller stopped it.
    Cancelled,
    /// It took too long.
    TimedOut,
    /// The disk or the quota is full.
    NoSpace,
    /// The system refused.
    Io {
        /// What was tried.
        act: &'static str,
        /// The system's number of the reason.
        errno: i32,
    },
    /// Of a folder a part is deleted, and the rest could not be.
    PartlyDeleted {
        /// Files and folders that are gone.
        removed: usize,
        /// Files and folders that are not, the folder itself included.
        left: usize,
        /// Whether the rest is where it was; else it lies beside it under a temporary name.
        is_back: bool,
        /// The system's number of the reason.
        errno: i32,
    },
    /// It was done in part, and could not be finished or undone.
    Unfinished {
        /// What was tried.
        act: &'static str,
        /// The system's number of the reason.
        errno: i32,
    },
}

impl FileError {
    /// Whether everything is as it was.
    #[must_use]
    pub fn changed_nothing(&self) -> bool {
        match self {
            Self::At { error, .. } => error.changed_nothing(),
            error => !matches!(error, Self::Unfinished { .. } | Self::PartlyDeleted { .. }),
        }
    }

    /// The same of this path, unless it says itself what it is about.
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

    /// The same of this folder.
    #[must_use]
    pub fn at_folder(self, path: &[u8]) -> Self {
        match self {
            Self::NotFound => Self::NoFolder { path: path.into() },
            error => error.at(path),
        }
    }

    /// What a failed system call means, where it means the same everywhere.
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

    /// A failed system call after which there is no way back.
    pub(super) fn unfinished(act: &'static str) -> impl Fn(Errno) -> Self {
        move |errno| Self::Unfinished { act, errno: errno.raw_os_error() }
    }
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Path => f.write_str("the path is not normalised"),
            Self::Root => f.write_str("the root itself cannot be changed"),
            Self::Reserved => f.write_str("a name of the path is kept for temporary files"),
            Self::Escape => f.write_str("a link leads out of the root"),
            Self::Link => f.write_str("there is a link where none is followed"),
            Self::LinkLoop => f.write_str("too many links follow each other"),
            Self::Denied { path, .. } => write!(f, "`{}` is not allowed", Shown(path)),
            Self::DeniedBelow { count, .. } => write!(f, "{count} of the paths below it are not allowed"),
            Self::At { path, error } => match **error {
                Self::NotFound => write!(f, "file not found: `{}`", Shown(path)),
                _ => write!(f, "`{}`: {error}", Shown(path)),
            },
            Self::NotFound => f.write_str("it is not there"),
            Self::NoFolder { path } => write!(f, "folder not found: `{}`", Shown(path)),
            Self::Exists => f.write_str("it exists already"),
            Self::NotAFile { kind } => write!(f, "it is a {kind}, not a file"),
            Self::NotAFolder => f.write_str("it is not a folder"),
            Self::Folder => f.write_str("it is a folder with something in it, and the request is not recursive"),
            Self::FileSystem { magic } => write!(f, "files of the file system {magic:#x} are not used"),
            Self::Overlap => f.write_str("source and destination overlap"),
            Self::OtherFileSystem => f.write_str("it reaches over several file systems"),
            Self::HardLinked { links } => write!(f, "the file has {links} names, and all of them would change"),
            Self::TooLarge { bytes, most } => write!(f, "{bytes} bytes are more than {most}"),
            Self::TooMany { most } => write!(f, "there are more than {most} entries"),
            Self::LongPath { most } => write!(f, "there is a path of more than {most} bytes below it"),
            Self::NotUtf8 { at } => write!(f, "byte {at} is part of no UTF-8 character"),
            Self::NoMatch => f.write_str("the text to replace is not in the file"),
            Self::ManyMatches { count } => write!(f, "the text to replace is in the file {count} times"),
            Self::Patch(error) => error.fmt(f),
            Self::Glob(message) => write!(f, "the glob cannot be read: {}", Shown(message.as_bytes())),
            Self::Pattern(message) => write!(f, "the pattern cannot be read: {}", Shown(message.as_bytes())),
            Self::Mode { mode } => write!(f, "mode {mode:o} has more than permission bits"),
            Self::Changed => f.write_str("somebody else changed the file meanwhile"),
            Self::Busy => f.write_str("too many writers wait already"),
            Self::Cancelled => Stopped::Cancelled.fmt(f),
            Self::TimedOut => Stopped::TimedOut.fmt(f),
            Self::NoSpace => f.write_str("there is no space left"),
            Self::Io { act, errno } => write!(f, "{act} failed: {}", reason(*errno)),
            Self::PartlyDeleted { removed, left, is_back, errno } => {
                let place = if *is_back { "in its place" } else { "beside it under a temporary name" };
                let why = reason(*errno);
                write!(f, "{removed} files and folders are deleted, and {left} are left {place}, because of: {why}")
            }
            Self::Unfinished { act, errno } => write!(f, "{act} failed when part of it was done: {}", reason(*errno)),
        }
    }
}

impl std::error::Error for FileError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Patch(error) => Some(error),
            Self::At { error, .. } => Some(&**error),
            _ => None,
        }
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

impl From<PatchError> for FileError {
    fn from(error: PatchError) -> Self {
        Self::Patch(error)
    }
}

fn reason(errno: i32) -> std::io::Error {
    std::io::Error::from_raw_os_error(errno)
}

/// Bytes of others on one line, in their quotes, and not too many.
pub(super) struct Shown<'a>(pub(super) &'a [u8]);

impl fmt::Display for Shown<'_> {
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
