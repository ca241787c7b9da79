//! A state and the roots of acts that were interrupted -> the roots as they were before those acts, or after them.
//!
//! First the notes are read, and what was made of a change in several steps is taken back, the last step first. Then what
//! has a temporary name goes. Whatever somebody has changed since is left to them, and told.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use rustix::fd::{AsFd as _, OwnedFd};
use rustix::fs::{AtFlags, OFlags, RenameFlags, fsync, ftruncate, renameat_with, unlinkat};
use rustix::io::{Errno, pread};

use super::notes::{Append, Create, Kind, Mark, Note, Notes, Remove, Replace, Step};
use crate::{FileError, Links, Shown, Stop, Workspace, beneath, check, rename_new, split};

/// One result of [`recover`].
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Tidied {
    #[error("undid an interrupted change of {paths} files in `{}`", root.display())]
    TakenBack { root: PathBuf, paths: usize },
    #[error("an interrupted change in `{}` is left as it is: {why}", root.display())]
    Left { root: PathBuf, why: Why },
    #[error("removed {entries} temporary files of interrupted operations in `{}`", root.display())]
    Removed { root: PathBuf, entries: usize },
    #[error("interrupted operations may have left something in `{}`: {error}", place.display())]
    Failed { place: PathBuf, error: String },
}

/// The reason why a change is not undone.
#[derive(Debug, thiserror::Error)]
pub enum Why {
    #[error("`{}` was changed since", Shown(path))]
    Changed { path: Vec<u8> },
    #[error("its journal entry cannot be read")]
    Unreadable,
}

/// Ends what a crash has interrupted. Only whoever holds the state may call it, before anything acts.
#[must_use]
pub fn tidy(state: &Path, roots: &BTreeSet<String>, stop: &Stop) -> Vec<Tidied> {
    let mut tidied = Vec::new();
    if let Err(error) = take_all_back(state, &mut tidied) {
        // Without the notes nobody knows which temporary files are needed to take something back.
        tidied.push(Tidied::Failed { place: state.to_owned(), error: error.to_string() });
        return tidied;
    }
    let is_failed = |tidied: &[Tidied], root: &Path| {
        tidied.iter().any(|one| matches!(one, Tidied::Failed { place, .. } if place == root))
    };
    for root in roots.iter().map(Path::new) {
        let opened = Workspace::open(root, Links::Refuse).map_err(|error| error.to_string());
        let swept = opened.and_then(|workspace| match is_failed(&tidied, workspace.path()) {
            true => Ok(0),
            false => workspace.sweep(stop).map_err(|error| error.to_string()),
        });
        match swept {
            Ok(0) => {}
            Ok(entries) => tidied.push(Tidied::Removed { root: root.to_owned(), entries }),
            Err(error) => tidied.push(Tidied::Failed { place: root.to_owned(), error }),
        }
    }
    tidied
}

fn take_all_back(state: &Path, tidied: &mut Vec<Tidied>) -> io::Result<()> {
    let notes = Notes::open(state)?;
    for name in notes.names()? {
        let Some(note) = notes.read(&name)? else {
            tidied.push(Tidied::Left { root: state.to_owned(), why: Why::Unreadable });
            notes.forget(&name)?;
            continue;
        };
        let root = PathBuf::from(OsStr::from_bytes(&note.root));
        let opened = Workspace::open(&root, Links::Refuse).map_err(|error| error.to_string());
        let taken = opened.and_then(|workspace| take_back(&workspace, &note).map_err(|error| error.to_string()));
        match taken {
            Ok(Taken::Nothing) => {}
            Ok(Taken::Back { paths }) => tidied.push(Tidied::TakenBack { root, paths }),
            Ok(Taken::Not(why)) => tidied.push(Tidied::Left { root, why }),
            // Another start may find the root again, or room on the disk.
            Err(error) => {
                tidied.push(Tidied::Failed { place: root, error });
                continue;
            }
        }
        notes.forget(&name)?;
    }
    Ok(())
}

enum Taken {
    Nothing,
    Back { paths: usize },
    Not(Why),
}

/// Takes a change back, all of it or, if a file is not what the change left there, nothing.
fn take_back(workspace: &Workspace, note: &Note) -> Result<Taken, FileError> {
    let mut found = Vec::new();
    for step in &note.steps {
        let Some(kind) = &step.kind else { return Ok(Taken::Not(Why::Unreadable)) };
        let Ok(place) = Place::of(workspace, step) else { return Ok(Taken::Not(Why::Unreadable)) };
        match place.find(kind)? {
            Found::Other => return Ok(Taken::Not(Why::Changed { path: step.path.clone() })),
            state => found.push((place, kind, state)),
        }
    }
    let paths = found.iter().filter(|(.., state)| *state == Found::Made).count();
    for (place, kind, state) in found.iter().rev() {
        place.take_back(kind, *state)?;
    }
    Ok(if paths == 0 { Taken::Nothing } else { Taken::Back { paths } })
}

/// What has become of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Found {
    Untouched,
    Made,
    /// Neither what was there nor what the step puts there.
    Other,
}

/// Where a step is made: the folder is none when it is gone, or was never made.
struct Place<'s> {
    workspace: &'s Workspace,
    folder: Option<OwnedFd>,
    name: &'s [u8],
}

impl<'s> Place<'s> {
    fn of(workspace: &'s Workspace, step: &'s Step) -> Result<Self, FileError> {
        check(&step.path)?;
        let (above, name) = split(&step.path)?;
        let folder = match beneath::open_folder(workspace.root(), above, &workspace.device) {
            Ok(folder) => Some(folder),
            Err(FileError::NotFound | FileError::NotAFolder | FileError::Link) => None,
            Err(error) => return Err(error),
        };
        Ok(Self { workspace, folder, name })
    }

    fn mark(&self, name: &[u8]) -> Result<Option<Mark>, FileError> {
        let Some(folder) = &self.folder else { return Ok(None) };
        match beneath::look(folder.as_fd(), name) {
            Ok(stat) => Ok(Some(Mark::of(&stat))),
            Err(Errno::NOENT) => Ok(None),
            Err(errno) => Err(FileError::of("looking at the file")(errno)),
        }
    }

    fn find(&self, kind: &Kind) -> Result<Found, FileError> {
        let here = self.mark(self.name)?;
        Ok(match kind {
            Kind::Replace(Replace { old, .. }) if here == Some(*old) => Found::Untouched,
            Kind::Replace(Replace { beside, old, new }) if here == Some(*new) && self.mark(beside)? == Some(*old) => {
                Found::Made
            }
            Kind::Create(_) if here.is_none() => Found::Untouched,
            Kind::Create(Create { new, .. }) if here == Some(*new) => Found::Made,
            Kind::Remove(Remove { old, .. }) if here == Some(*old) => Found::Untouched,
            Kind::Remove(Remove { beside, old }) if here.is_none() && self.mark(beside)? == Some(*old) => Found::Made,
            Kind::Append(append) => self.find_appended(append)?.map_or(Found::Other, |(found, _)| found),
            Kind::Replace(_) | Kind::Create(_) | Kind::Remove(_) => Found::Other,
        })
    }

    /// The file that was appended to, if what was added to it is the beginning of what was to be.
    fn find_appended(&self, append: &Append) -> Result<Option<(Found, OwnedFd)>, FileError> {
        let Some(folder) = &self.folder else { return Ok(None) };
        let Ok((file, stat)) = beneath::open_as_file(folder.as_fd(), self.name, OFlags::RDWR, &self.workspace.device)
        else {
            return Ok(None);
        };
        let now = Mark::of(&stat);
        let added = now.bytes.checked_sub(append.old.bytes).and_then(|added| usize::try_from(added).ok());
        let Some(expected) = added.and_then(|added| append.content.get(..added)) else { return Ok(None) };
        if now.number != append.old.number || !has_at(&file, append.old.bytes, expected)? {
            return Ok(None);
        }
        Ok(Some((if expected.is_empty() { Found::Untouched } else { Found::Made }, file)))
    }

    fn take_back(&self, kind: &Kind, found: Found) -> Result<(), FileError> {
        let Some(folder) = &self.folder else { return Ok(()) };
        let is_made = found == Found::Made;
        let back = FileError::of("taking the change back");
        match kind {
            Kind::Replace(Replace { beside, new, .. }) => {
                if is_made {
                    renameat_with(folder, beside.as_slice(), folder, self.name, RenameFlags::EXCHANGE).map_err(back)?;
                }
                self.remove(beside, *new)?;
            }
            Kind::Create(Create { beside, new, folders }) => {
                self.remove(self.name, *new)?;
                self.remove(beside, *new)?;
                for path in folders.iter().rev() {
                    self.remove_folder(path);
                }
            }
            Kind::Remove(Remove { beside, .. }) => {
                if is_made {
                    rename_new(folder, beside, folder, self.name).map_err(back)?;
                }
            }
            Kind::Append(append) => {
                if let Some((Found::Made, file)) = self.find_appended(append)? {
                    ftruncate(&file, append.old.bytes).map_err(&back)?;
                    fsync(&file).map_err(back)?;
                }
            }
        }
        fsync(folder).map_err(FileError::of("securing the folder"))
    }

    /// Removes a file, if it is the one that was put there.
    fn remove(&self, name: &[u8], new: Mark) -> Result<(), FileError> {
        match &self.folder {
            Some(folder) if self.mark(name)? == Some(new) => {
                unlinkat(folder, name, AtFlags::empty()).map_err(FileError::of("taking the change back"))
            }
            _ => Ok(()),
        }
    }

    /// Whoever has put something into it keeps it.
    fn remove_folder(&self, path: &[u8]) {
        if check(path).is_ok()
            && let Ok((above, name)) = split(path)
            && let Ok(folder) = beneath::open_folder(self.workspace.root(), above, &self.workspace.device)
        {
            let _ = unlinkat(&folder, name, AtFlags::REMOVEDIR);
            let _ = fsync(&folder);
        }
    }
}

/// Whether a file has these bytes at a place.
fn has_at(file: &OwnedFd, place: u64, expected: &[u8]) -> Result<bool, FileError> {
    let mut buffer = vec![0; CHUNK_BYTES];
    let mut place = place;
    for chunk in expected.chunks(CHUNK_BYTES) {
        let mut read = 0;
        while read < chunk.len() {
            let room = buffer.get_mut(read..chunk.len()).unwrap_or_default();
            match pread(file, room, place + read as u64).map_err(FileError::of("reading the file"))? {
                0 => return Ok(false),
                bytes => read += bytes,
            }
        }
        if buffer.get(..read) != Some(chunk) {
            return Ok(false);
        }
        place += read as u64;
    }
    Ok(true)
}

const CHUNK_BYTES: usize = 64 << 10;
