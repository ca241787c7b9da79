//! Handle of a directory -> its names and their kinds. Follows no links.

use std::fmt;
use std::mem::MaybeUninit;

use rustix::fd::{AsFd as _, BorrowedFd, OwnedFd};
use rustix::fs::{FileType, RawDir};
use serde::{Deserialize, Serialize};

use crate::{FileError, FileRole, Judge, Stop, Visible, Workspace, beneath, join};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    pub name: Vec<u8>,
    pub kind: FileKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FileKind {
    File,
    Folder,
    Link,
    Pipe,
    Socket,
    Device,
    Unknown,
}

impl Workspace {
    /// Opens a directory, as the working directory of a command.
    ///
    /// # Errors
    /// When it does not exist, or a link leads out of the root or to a directory that is not allowed.
    pub fn open_folder(&self, path: &[u8], judge: &mut Judge<'_>) -> Result<OwnedFd, FileError> {
        self.with_links_resolved(path, judge, |path| beneath::open_folder(self.root(), path, &self.device))
    }

    /// Lists the visible names in a directory, sorted by their bytes (INVOKE-LIST), of any kind, hidden or not. Behind a link,
    /// they have two paths, both of which must be visible.
    ///
    /// # Errors
    /// When it does not exist, a link leads out of the root or to a directory that is not allowed, or it has more than
    /// [`FOLDER_ENTRIES_MAX`] names.
    pub fn list_dir(
        &self,
        path: &[u8],
        visible: &Visible<'_>,
        judge: &mut Judge<'_>,
        stop: &Stop,
    ) -> Result<Vec<Entry>, FileError> {
        let asked = path;
        self.with_links_resolved(asked, judge, |path| {
            let folder = beneath::open_folder(self.root(), path, &self.device)?;
            let mut entries = Vec::new();
            for (name, kind) in names(folder.as_fd(), stop)? {
                // Judging a name can take long.
                stop.check()?;
                let is_visible = |folder| visible(&join(folder, &name), FileRole::Entry);
                if is_visible(path) && (path == asked || is_visible(asked)) {
                    entries.push(Entry { name, kind });
                }
            }
            entries.sort_unstable_by(|one, other| one.name.cmp(&other.name));
            Ok(entries)
        })
    }
}

/// Reads the names in a directory, unsorted, with their kinds.
pub(super) fn names(folder: BorrowedFd<'_>, stop: &Stop) -> Result<Vec<(Vec<u8>, FileKind)>, FileError> {
    let mut buffer = [MaybeUninit::uninit(); BUFFER_BYTES];
    let mut raw = RawDir::new(folder, &mut buffer);
    let mut names = Vec::new();
    while let Some(entry) = raw.next() {
        let entry = entry.map_err(FileError::of("reading the directory"))?;
        let name = entry.file_name().to_bytes();
        if matches!(name, b"." | b"..") {
            continue;
        }
        if names.len() >= FOLDER_ENTRIES_MAX {
            return Err(FileError::TooMany { most: FOLDER_ENTRIES_MAX });
        }
        if names.len() % STOP_EVERY == 0 {
            stop.check()?;
        }
        let kind = match entry.file_type() {
            // Not every file system returns the kind with the name.
            FileType::Unknown => beneath::look(folder, name)
                .map_or(FileKind::Unknown, |stat| FileKind::of(FileType::from_raw_mode(stat.st_mode))),
            kind => FileKind::of(kind),
        };
        names.push((name.to_vec(), kind));
    }
    Ok(names)
}

impl FileKind {
    pub(super) fn of(kind: FileType) -> Self {
        match kind {
            FileType::RegularFile => Self::File,
            FileType::Directory => Self::Folder,
            FileType::Symlink => Self::Link,
            FileType::Fifo => Self::Pipe,
            FileType::Socket => Self::Socket,
            FileType::CharacterDevice | FileType::BlockDevice => Self::Device,
            FileType::Unknown => Self::Unknown,
        }
    }
}

impl fmt::Display for FileKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::File => "file",
            Self::Folder => "folder",
            Self::Link => "link",
            Self::Pipe => "pipe",
            Self::Socket => "socket",
            Self::Device => "device",
            Self::Unknown => "file of unknown kind",
        })
    }
}

/// Names in one directory.
pub const FOLDER_ENTRIES_MAX: usize = 1_000_000;
const BUFFER_BYTES: usize = 32 << 10;
const STOP_EVERY: usize = 1_024;
