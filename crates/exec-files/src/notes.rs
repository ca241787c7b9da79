//! A change in several steps <-> a note of it in the state, that is there from before the first step to after the last.
//!
//! A note says what was in each place before and what comes there, by the numbers of the files. After a crash the next
//! start reads it and takes back what was made ([`super::tidy()`]). Notes lie in the state and not in the root, where
//! commands could write their own.

use std::fs::File;
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use prost::Message as _;
use rustix::fd::OwnedFd;
use rustix::fs::{AtFlags, Mode, OFlags, Stat, fsync, openat, renameat, unlinkat};

use crate::{FileError, Workspace, of_io};
use exec_base::private_directory;

#[derive(Debug)]
pub struct Notes {
    path: PathBuf,
    folder: OwnedFd,
}

/// A change, and the root it is made in.
#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct Note {
    #[prost(bytes = "vec", tag = "1")]
    pub(super) root: Vec<u8>,
    #[prost(message, repeated, tag = "2")]
    pub(super) steps: Vec<Step>,
}

/// One step, in the order in which they are made.
#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct Step {
    /// Relative to the root, without links.
    #[prost(bytes = "vec", tag = "1")]
    pub(super) path: Vec<u8>,
    #[prost(oneof = "Kind", tags = "2, 3, 4, 5")]
    pub(super) kind: Option<Kind>,
}

#[derive(Clone, PartialEq, prost::Oneof)]
pub(super) enum Kind {
    #[prost(message, tag = "2")]
    Replace(Replace),
    #[prost(message, tag = "3")]
    Create(Create),
    #[prost(message, tag = "4")]
    Remove(Remove),
    #[prost(message, tag = "5")]
    Append(Append),
}

/// The new file changes names with the old one.
#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct Replace {
    /// The temporary name, in the same folder.
    #[prost(bytes = "vec", tag = "1")]
    pub(super) beside: Vec<u8>,
    #[prost(message, required, tag = "2")]
    pub(super) old: Mark,
    #[prost(message, required, tag = "3")]
    pub(super) new: Mark,
}

/// The new file gets its name.
#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct Create {
    #[prost(bytes = "vec", tag = "1")]
    pub(super) beside: Vec<u8>,
    #[prost(message, required, tag = "2")]
    pub(super) new: Mark,
    /// The folders that were made for it, relative to the root, those above before those below.
    #[prost(bytes = "vec", repeated, tag = "3")]
    pub(super) folders: Vec<Vec<u8>>,
}

/// The old file gets a temporary name.
#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct Remove {
    #[prost(bytes = "vec", tag = "1")]
    pub(super) beside: Vec<u8>,
    #[prost(message, required, tag = "2")]
    pub(super) old: Mark,
}

/// The file gets more.
#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct Append {
    #[prost(message, required, tag = "1")]
    pub(super) old: Mark,
    /// What it gets: only this is taken from it again.
    #[prost(bytes = "vec", tag = "2")]
    pub(super) content: Vec<u8>,
}

/// What tells a file from others, and its content from another that it had. Names can change without changing it.
#[derive(Clone, Copy, PartialEq, prost::Message)]
pub(super) struct Mark {
    #[prost(uint64, tag = "1")]
    pub(super) number: u64,
    #[prost(uint64, tag = "2")]
    pub(super) bytes: u64,
    #[prost(int64, tag = "3")]
    changed_s: i64,
    #[prost(int64, tag = "4")]
    changed_ns: i64,
}

/// A note that is on disk. It stays there when this is dropped: what is under way may be half done.
#[derive(Debug)]
#[must_use = "a note that is not forgotten is taken back"]
pub(super) struct Kept {
    notes: Arc<Notes>,
    name: String,
}

impl Notes {
    /// Opens the folder of notes in the folder of a state, which is its owner's alone.
    ///
    /// # Errors
    /// When there is none and none can be made, or others can get at it.
    pub fn open(state: &Path) -> io::Result<Self> {
        let path = state.join(NOTES);
        private_directory(&path).map_err(io::Error::other)?;
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let folder = rustix::fs::open(path.as_os_str().as_bytes(), flags, Mode::empty())?;
        Ok(Self { path, folder })
    }

    /// The names of the notes that are there. What was not written to its end was never begun, and goes.
    pub(super) fn names(&self) -> io::Result<Vec<String>> {
        let mut names = Vec::new();
        for entry in std::fs::read_dir(&self.path)? {
            let Ok(name) = entry?.file_name().into_string() else { continue };
            if name.ends_with(WHOLE) {
                names.push(name);
            } else if name.ends_with(BEGUN) {
                unlinkat(&self.folder, name.as_str(), AtFlags::empty())?;
            }
        }
        names.sort_unstable();
        Ok(names)
    }

    /// Reads a note. None when it is not one.
    pub(super) fn read(&self, name: &str) -> io::Result<Option<Note>> {
        use std::io::Read as _;
        let file = openat(&self.folder, name, OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC, Mode::empty())?;
        let mut bytes = Vec::new();
        File::from(file).take(NOTE_BYTES_MAX).read_to_end(&mut bytes)?;
        Ok(Note::decode(bytes.as_slice()).ok())
    }

    pub(super) fn forget(&self, name: &str) -> io::Result<()> {
        unlinkat(&self.folder, name, AtFlags::empty())?;
        Ok(fsync(&self.folder)?)
    }

    fn keep(&self, note: &Note) -> io::Result<String> {
        let name = format!("{:016x}{WHOLE}", getrandom::u64().map_err(io::Error::other)?);
        let begun = format!("{name}{BEGUN}");
        let kept = self.write(&begun, &note.encode_to_vec()).and_then(|()| {
            renameat(&self.folder, begun.as_str(), &self.folder, name.as_str())?;
            Ok(fsync(&self.folder)?)
        });
        if let Err(error) = kept {
            for name in [&begun, &name] {
                let _ = unlinkat(&self.folder, name.as_str(), AtFlags::empty());
            }
            return Err(error);
        }
        Ok(name)
    }

    fn write(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        use std::io::Write as _;
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let mut file = File::from(openat(&self.folder, name, flags, Mode::from_raw_mode(0o600))?);
        file.write_all(bytes)?;
        file.sync_all()
    }
}

impl Workspace {
    /// Notes a change before it begins.
    pub(super) fn note(&self, steps: impl FnOnce() -> Result<Vec<Step>, FileError>) -> Result<Option<Kept>, FileError> {
        let Some(notes) = &self.notes else { return Ok(None) };
        let note = Note { root: self.path().as_os_str().as_bytes().to_vec(), steps: steps()? };
        let name = notes.keep(&note).map_err(|error| of_io("noting the change", &error))?;
        Ok(Some(Kept { notes: Arc::clone(notes), name }))
    }
}

impl Kept {
    /// All is done, or all is undone.
    pub(super) fn forget(self) -> Result<(), FileError> {
        self.notes.forget(&self.name).map_err(|error| of_io("removing the note of the change", &error))
    }
}

impl Mark {
    pub(super) fn of(stat: &Stat) -> Self {
        Self {
            number: stat.st_ino,
            bytes: u64::try_from(stat.st_size).unwrap_or(0),
            changed_s: stat.st_mtime,
            changed_ns: i64::try_from(stat.st_mtime_nsec).unwrap_or(0),
        }
    }
}

/// The name of the folder of notes in the folder of a state.
const NOTES: &str = "undo";
/// How the name of a note ends, and what follows until it is whole.
const WHOLE: &str = ".note";
const BEGUN: &str = ".begun";
/// Bytes of a note: what is appended, or the names of the files of a diff.
const NOTE_BYTES_MAX: u64 = 2 * enforce_core::limits::MAX_WRITE_SIZE as u64;

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use super::*;

    /// What is noted there is done at the next start, to files of the root.
    #[test]
    fn trust_audit_notes_are_kept_in_a_folder_that_is_their_owners_alone() {
        let state = tempfile::tempdir().unwrap();
        let undo = state.path().join(NOTES);
        drop(Notes::open(state.path()).unwrap());
        std::fs::set_permissions(&undo, std::fs::Permissions::from_mode(0o770)).unwrap();
        let error = Notes::open(state.path()).unwrap_err().to_string();
        assert!(error.contains("has mode 0770"), "{error}");
        std::fs::remove_dir(&undo).unwrap();
        let elsewhere = tempfile::tempdir().unwrap();
        symlink(elsewhere.path(), &undo).unwrap();
        let error = Notes::open(state.path()).unwrap_err().to_string();
        assert!(error.contains("is a link"), "{error}");
    }
}
