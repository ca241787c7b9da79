//! A folder's handle -> what is in it: names and kinds. It follows nothing.

use std::fmt;
use std::mem::MaybeUninit;

use rustix::fd::{AsFd as _, BorrowedFd, OwnedFd};
use rustix::fs::{FileType, RawDir};
use serde::{Deserialize, Serialize};

use crate::{FileError, FileRole, Judge, Stop, Visible, Workspace, beneath, join};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    pub name: Vec<u8>,
    /// What it is; a link is a link, wherever it leads.
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
    /// A device of blocks or characters.
    Device,
    /// Something the system does not name.
    Unknown,
}

impl Workspace {
    /// A handle of a folder, for whoever starts something there.
    ///
    /// # Errors
    /// When there is no such folder, or a link leads out of the root or to a folder that is not allowed.
    pub fn open_folder(&self, path: &[u8], judge: &mut Judge<'_>) -> Result<OwnedFd, FileError> {
        self.with_links_resolved(path, judge, |path| beneath::open_folder(self.root(), path, &self.device))
    }

    /// The names in a folder that may be seen, sorted by their bytes (INVOKE-LIST): whatever they stand for, hidden or not.
    /// Behind a link they have two paths, and both have to be visible.
    ///
    /// # Errors
    /// When there is no such folder, a link leads out of the root or to a folder that is not allowed, or it has more
    /// than [`FOLDER_ENTRIES_MAX`] names.
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
                // To judge a name can take long.
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

/// The names in a folder, in no order, with what the file system says they are.
pub(super) fn names(folder: BorrowedFd<'_>, stop: &Stop) -> Result<Vec<(Vec<u8>, FileKind)>, FileError> {
    let mut buffer = [MaybeUninit::uninit(); BUFFER_BYTES];
    let mut raw = RawDir::new(folder, &mut buffer);
    let mut names = Vec::new();
    while let Some(entry) = raw.next() {
        let entry = entry.map_err(FileError::of("reading the folder"))?;
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
            // Not every file system tells along with the name.
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
            Self::Unknown => "thing of no known kind",
        })
    }
}

/// Names of one folder that are read at all.
pub const FOLDER_ENTRIES_MAX: usize = 1_000_000;
const BUFFER_BYTES: usize = 32 << 10;
const STOP_EVERY: usize = 1_024;
