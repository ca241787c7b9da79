//! A change in several steps <-> a journal entry, which exists from before the first step until after the last.
//!
//! An entry names the file at each path before the change and after it. After a crash the next start reads it and undoes
//! the change ([`super::recover()`]). The journal lies in the state directory, not in the root, where commands could
//! write entries of their own.

use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use prost::Message as _;
use rustix::fd::OwnedFd;
use rustix::fs::{AtFlags, Mode, OFlags, Stat, fsync, openat, renameat, unlinkat};

use crate::{FileError, Workspace, of_io};
use exec_base::private_directory;

/// The directory in which interrupted changes are recorded.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    directory: OwnedFd,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct JournalEntry {
    #[prost(bytes = "vec", tag = "1")]
    pub(super) root: Vec<u8>,
    /// In the order in which they are made.
    #[prost(message, repeated, tag = "2")]
    pub(super) steps: Vec<StepRecord>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct StepRecord {
    /// Relative to the root, without links.
    #[prost(bytes = "vec", tag = "1")]
    pub(super) path: Vec<u8>,
    /// The file at the path before the step; none if the step creates it.
    #[prost(message, optional, tag = "2")]
    pub(super) old: Option<FileStamp>,
    /// The file at the path after the step; none if the step removes it or appends to it.
    #[prost(message, optional, tag = "3")]
    pub(super) new: Option<FileStamp>,
    /// A temporary name in the same directory: of the new file before the step, of the old file after it.
    #[prost(bytes = "vec", tag = "4")]
    pub(super) temporary: Vec<u8>,
    /// Directories made for the file, relative to the root, the outer ones first.
    #[prost(bytes = "vec", repeated, tag = "5")]
    pub(super) directories: Vec<Vec<u8>>,
    /// Undoing an append removes exactly this and nothing else.
    #[prost(bytes = "vec", optional, tag = "6")]
    pub(super) appended: Option<Vec<u8>>,
}

/// A file and its content, as far as their metadata can tell them from others. Renaming the file does not change it.
#[derive(Clone, Copy, PartialEq, prost::Message)]
pub(super) struct FileStamp {
    #[prost(uint64, tag = "1")]
    pub(super) inode: u64,
    #[prost(uint64, tag = "2")]
    pub(super) bytes: u64,
    #[prost(int64, tag = "3")]
    modified_s: i64,
    #[prost(int64, tag = "4")]
    modified_ns: i64,
}

/// An entry on disk. It stays there when this is dropped: the change may be half done.
#[derive(Debug)]
#[must_use = "the next start undoes a change whose entry is not removed"]
pub(super) struct PendingEntry {
    journal: Arc<Journal>,
    name: String,
}

impl Journal {
    /// Opens the journal in a state directory, and makes it if it is missing.
    ///
    /// # Errors
    /// When it cannot be made, or others than its owner have access to it.
    pub fn open(state: &Path) -> io::Result<Self> {
        let path = state.join(DIRECTORY);
        private_directory(&path).map_err(io::Error::other)?;
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let directory = rustix::fs::open(path.as_os_str().as_bytes(), flags, Mode::empty())?;
        Ok(Self { path, directory })
    }

    /// Lists the complete entries. An incomplete one belongs to a change that was never begun, and is removed.
    pub(super) fn names(&self) -> io::Result<Vec<String>> {
        let mut names = Vec::new();
        for entry in std::fs::read_dir(&self.path)? {
            let Ok(name) = entry?.file_name().into_string() else { continue };
            if name.ends_with(COMPLETE) {
                names.push(name);
            } else if name.ends_with(INCOMPLETE) {
                unlinkat(&self.directory, name.as_str(), AtFlags::empty())?;
            }
        }
        names.sort_unstable();
        Ok(names)
    }

    /// Reads an entry; none if the file is not one.
    pub(super) fn read(&self, name: &str) -> io::Result<Option<JournalEntry>> {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let file = File::from(openat(&self.directory, name, flags, Mode::empty())?);
        let mut bytes = Vec::new();
        file.take(ENTRY_BYTES_MAX).read_to_end(&mut bytes)?;
        Ok(JournalEntry::decode(bytes.as_slice()).ok())
    }

    pub(super) fn remove(&self, name: &str) -> io::Result<()> {
        unlinkat(&self.directory, name, AtFlags::empty())?;
        Ok(fsync(&self.directory)?)
    }

    fn add(&self, entry: &JournalEntry) -> io::Result<String> {
        let name = format!("{:016x}{COMPLETE}", getrandom::u64().map_err(io::Error::other)?);
        let incomplete = format!("{name}{INCOMPLETE}");
        let write = || {
            let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            let mode = Mode::from_raw_mode(0o600);
            let mut file = File::from(openat(&self.directory, incomplete.as_str(), flags, mode)?);
            file.write_all(&entry.encode_to_vec())?;
            file.sync_all()?;
            renameat(&self.directory, incomplete.as_str(), &self.directory, name.as_str())?;
            Ok(fsync(&self.directory)?)
        };
        match write() {
            Ok(()) => Ok(name),
            Err(error) => {
                for name in [&incomplete, &name] {
                    let _ = unlinkat(&self.directory, name.as_str(), AtFlags::empty());
                }
                Err(error)
            }
        }
    }
}

impl Workspace {
    /// Records a change before it begins, if the workspace has a journal.
    pub(super) fn record(
        &self,
        steps: impl FnOnce() -> Result<Vec<StepRecord>, FileError>,
    ) -> Result<Option<PendingEntry>, FileError> {
        let Some(journal) = &self.journal else { return Ok(None) };
        let entry = JournalEntry { root: self.path().as_os_str().as_bytes().to_vec(), steps: steps()? };
        let name = journal.add(&entry).map_err(|error| of_io("recording the change", &error))?;
        Ok(Some(PendingEntry { journal: Arc::clone(journal), name }))
    }
}

impl PendingEntry {
    /// Removes the entry of a change that is complete, or undone.
    pub(super) fn remove(self) -> Result<(), FileError> {
        self.journal.remove(&self.name).map_err(|error| of_io("removing the record of the change", &error))
    }
}

impl FileStamp {
    pub(super) fn of(stat: &Stat) -> Self {
        Self {
            inode: stat.st_ino,
            bytes: u64::try_from(stat.st_size).unwrap_or(0),
            modified_s: stat.st_mtime,
            modified_ns: i64::try_from(stat.st_mtime_nsec).unwrap_or(0),
        }
    }
}

const DIRECTORY: &str = "undo";
const COMPLETE: &str = ".entry";
/// Follows [`COMPLETE`] until the entry is on disk.
const INCOMPLETE: &str = ".incomplete";
/// An entry holds the content that is appended, or the paths of a diff.
const ENTRY_BYTES_MAX: u64 = 2 * enforce_core::limits::MAX_WRITE_SIZE as u64;

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use super::*;

    /// The next start changes files of the root as the entries say.
    #[test]
    fn trust_audit_the_journal_is_a_directory_of_its_owner_alone() {
        let state = tempfile::tempdir().unwrap();
        let undo = state.path().join(DIRECTORY);
        drop(Journal::open(state.path()).unwrap());
        std::fs::set_permissions(&undo, std::fs::Permissions::from_mode(0o770)).unwrap();
        let error = Journal::open(state.path()).unwrap_err().to_string();
        assert!(error.contains("has mode 0770"), "{error}");
        std::fs::remove_dir(&undo).unwrap();
        let elsewhere = tempfile::tempdir().unwrap();
        symlink(elsewhere.path(), &undo).unwrap();
        let error = Journal::open(state.path()).unwrap_err().to_string();
        assert!(error.contains("is a link"), "{error}");
    }
}
