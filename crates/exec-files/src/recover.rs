//! A state and the roots of interrupted operations -> the roots as they were before those operations, or after them.
//!
//! First the journal is read, and what was done of a change in several steps is undone, the last step first. Then files
//! with temporary names are removed. A file that was changed since is left as it is and reported.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, ErrorKind};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};

use rustix::fd::{AsFd as _, OwnedFd};
use rustix::fs::{AtFlags, OFlags, RenameFlags, fsync, ftruncate, renameat_with, unlinkat};
use rustix::io::Errno;

use crate::journal::{FileStamp, JournalEntry, StepRecord};
use crate::{
    Escaped, FileError, FileKind, Journal, Links, Maker, PATH_BYTES_MAX, Stop, Workspace, beneath, check, join, names,
    of_io, rename_new, split,
};
use exec_base::remove_tree_at;

/// One result of [`recover`].
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Recovery {
    #[error("undid an interrupted change of {paths} files in `{}`", root.display())]
    Undone { root: PathBuf, paths: usize },
    #[error("an interrupted change in `{}` is left as it is: {reason}", root.display())]
    Skipped { root: PathBuf, reason: SkipReason },
    #[error("removed {entries} temporary files of interrupted operations in `{}`", root.display())]
    Removed { root: PathBuf, entries: usize },
    #[error("interrupted operations may have left something in `{}`: {error}", directory.display())]
    Failed { directory: PathBuf, error: String },
}

/// The reason why a change is not undone.
#[derive(Debug, thiserror::Error)]
pub enum SkipReason {
    #[error("`{}` was changed since", Escaped(path))]
    Changed { path: Vec<u8> },
    #[error("its journal entry cannot be read")]
    Unreadable,
}

/// Undoes or completes what a crash has interrupted. Only the owner of the state may call it, before anything acts.
#[must_use]
pub fn recover(state: &Path, roots: &BTreeSet<String>, stop: &Stop) -> Vec<Recovery> {
    let mut results = Vec::new();
    if let Err(error) = undo_all(state, &mut results) {
        // Without the journal, which temporary files are needed to undo something is unknown.
        results.push(Recovery::Failed { directory: state.to_owned(), error: error.to_string() });
        return results;
    }
    for root in roots.iter().map(Path::new) {
        let has_failed = |root: &Path| {
            results.iter().any(|result| matches!(result, Recovery::Failed { directory, .. } if directory == root))
        };
        let opened = Workspace::open(root, Links::Refuse).map_err(|error| error.to_string());
        let swept = opened.and_then(|workspace| match has_failed(workspace.path()) {
            true => Ok(0),
            false => workspace.sweep(stop).map_err(|error| error.to_string()),
        });
        match swept {
            Ok(0) => {}
            Ok(entries) => results.push(Recovery::Removed { root: root.to_owned(), entries }),
            Err(error) => results.push(Recovery::Failed { directory: root.to_owned(), error }),
        }
    }
    results
}

fn undo_all(state: &Path, results: &mut Vec<Recovery>) -> io::Result<()> {
    let journal = Journal::open(state)?;
    for name in journal.names()? {
        match journal.read(&name)? {
            None => results.push(Recovery::Skipped { root: state.to_owned(), reason: SkipReason::Unreadable }),
            Some(entry) => {
                let root = PathBuf::from(OsStr::from_bytes(&entry.root));
                let opened = Workspace::open(&root, Links::Refuse).map_err(|error| error.to_string());
                match opened.and_then(|workspace| undo(&workspace, &entry).map_err(|error| error.to_string())) {
                    Ok(Ok(0)) => {}
                    Ok(Ok(paths)) => results.push(Recovery::Undone { root, paths }),
                    Ok(Err(reason)) => results.push(Recovery::Skipped { root, reason }),
                    // The entry stays: at another start the root may be back, or the disk no longer full.
                    Err(error) => {
                        results.push(Recovery::Failed { directory: root, error });
                        continue;
                    }
                }
            }
        }
        journal.remove(&name)?;
    }
    Ok(())
}

/// Undoes all steps of a change or, if a file is not what the change left there, none. Returns how many were undone.
fn undo(workspace: &Workspace, entry: &JournalEntry) -> Result<Result<usize, SkipReason>, FileError> {
    let mut steps = Vec::new();
    for record in &entry.steps {
        let Ok(step) = RecordedStep::new(workspace, record) else { return Ok(Err(SkipReason::Unreadable)) };
        match step.progress()? {
            Some(progress) => steps.push((step, progress)),
            None => return Ok(Err(SkipReason::Changed { path: record.path.clone() })),
        }
    }
    for (step, progress) in steps.iter().rev() {
        step.undo(*progress)?;
    }
    Ok(Ok(steps.iter().filter(|(_, progress)| *progress == Progress::Done).count()))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Progress {
    NotDone,
    Done,
}

struct RecordedStep<'s> {
    workspace: &'s Workspace,
    record: &'s StepRecord,
    /// None if it is gone, or was never made.
    directory: Option<OwnedFd>,
    name: &'s [u8],
}

impl<'s> RecordedStep<'s> {
    fn new(workspace: &'s Workspace, record: &'s StepRecord) -> Result<Self, FileError> {
        check(&record.path)?;
        if record.old.is_none() && record.new.is_none() {
            return Err(FileError::Changed);
        }
        let (parent, name) = split(&record.path)?;
        let directory = match beneath::open_folder(workspace.root(), parent, &workspace.device) {
            Ok(directory) => Some(directory),
            Err(FileError::NotFound | FileError::NotAFolder | FileError::Link) => None,
            Err(error) => return Err(error),
        };
        Ok(Self { workspace, record, directory, name })
    }

    fn stamp(&self, name: &[u8]) -> Result<Option<FileStamp>, FileError> {
        let Some(directory) = &self.directory else { return Ok(None) };
        match beneath::look(directory.as_fd(), name) {
            Ok(stat) => Ok(Some(FileStamp::of(&stat))),
            Err(Errno::NOENT) => Ok(None),
            Err(errno) => Err(FileError::of("reading the metadata")(errno)),
        }
    }

    /// Finds out whether the step was done; none if the file is neither the old nor the new one.
    fn progress(&self) -> Result<Option<Progress>, FileError> {
        let StepRecord { old, new, temporary, appended, .. } = self.record;
        if let (Some(old), Some(content)) = (old, appended) {
            return Ok(self.appended_file(old, content)?.map(|(progress, _)| progress));
        }
        let here = self.stamp(self.name)?;
        Ok(if here == *old {
            Some(Progress::NotDone)
        } else if here == *new && (old.is_none() || self.stamp(temporary)? == *old) {
            Some(Progress::Done)
        } else {
            None
        })
    }

    /// Opens the file that was appended to, if what was added to it is a prefix of `content`.
    fn appended_file(&self, old: &FileStamp, content: &[u8]) -> Result<Option<(Progress, File)>, FileError> {
        let Some(directory) = &self.directory else { return Ok(None) };
        let device = &self.workspace.device;
        let Ok((file, stat)) = beneath::open_as_file(directory.as_fd(), self.name, OFlags::RDWR, device) else {
            return Ok(None);
        };
        let (file, now) = (File::from(file), FileStamp::of(&stat));
        let added = now.bytes.checked_sub(old.bytes).and_then(|added| usize::try_from(added).ok());
        let Some(expected) = added.and_then(|added| content.get(..added)) else { return Ok(None) };
        if now.inode != old.inode || !has_at(&file, old.bytes, expected)? {
            return Ok(None);
        }
        Ok(Some((if expected.is_empty() { Progress::NotDone } else { Progress::Done }, file)))
    }

    fn undo(&self, progress: Progress) -> Result<(), FileError> {
        let Some(directory) = &self.directory else { return Ok(()) };
        let failed = FileError::of("undoing the change");
        let StepRecord { old, new, temporary, directories, appended, .. } = self.record;
        if let (Some(old), Some(content)) = (old, appended) {
            if let Some((Progress::Done, file)) = self.appended_file(old, content)? {
                ftruncate(&file, old.bytes).map_err(&failed)?;
                fsync(&file).map_err(&failed)?;
            }
        } else if progress == Progress::Done && old.is_some() {
            match new {
                Some(_) => renameat_with(directory, temporary.as_slice(), directory, self.name, RenameFlags::EXCHANGE),
                None => rename_new(directory, temporary, directory, self.name),
            }
            .map_err(&failed)?;
        }
        // By now the new file has either name, or none.
        for name in new.iter().flat_map(|_| [self.name, temporary]) {
            if self.stamp(name)? == *new {
                unlinkat(directory, name, AtFlags::empty()).map_err(&failed)?;
            }
        }
        directories.iter().rev().for_each(|path| self.remove_directory(path));
        fsync(directory).map_err(FileError::of("syncing the directory"))
    }

    /// Removes a directory unless somebody has put something into it.
    fn remove_directory(&self, path: &[u8]) {
        if check(path).is_ok()
            && let Ok((parent, name)) = split(path)
            && let Ok(parent) = beneath::open_folder(self.workspace.root(), parent, &self.workspace.device)
        {
            let _ = unlinkat(&parent, name, AtFlags::REMOVEDIR);
            let _ = fsync(&parent);
        }
    }
}

fn has_at(file: &File, offset: u64, expected: &[u8]) -> Result<bool, FileError> {
    let mut buffer = vec![0; CHUNK_BYTES];
    for (chunk, at) in expected.chunks(CHUNK_BYTES).zip((offset..).step_by(CHUNK_BYTES)) {
        let found = buffer.get_mut(..chunk.len()).unwrap_or_default();
        match file.read_exact_at(found, at) {
            Ok(()) if found == chunk => {}
            Ok(()) => return Ok(false),
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => return Ok(false),
            Err(error) => return Err(of_io("reading the file", &error)),
        }
    }
    Ok(true)
}

impl Workspace {
    /// Removes everything with a temporary name whose process has ended, and returns how many files and directories that
    /// were. Each of them is a copy that was never published or something half deleted, so that removing it ends the
    /// interrupted operation one way or the other.
    ///
    /// # Errors
    /// When the root cannot be read, or it takes too long. What cannot be opened or removed is skipped.
    pub(super) fn sweep(&self, stop: &Stop) -> Result<usize, FileError> {
        let mut removed = 0;
        let mut directories = vec![Vec::new()];
        while let Some(path) = directories.pop() {
            stop.check()?;
            let directory = match beneath::open_folder(self.root(), &path, &self.device) {
                Ok(directory) => directory,
                Err(error) if path.is_empty() => return Err(error),
                Err(_) => continue,
            };
            let found = match names(directory.as_fd(), stop) {
                Ok(found) => found,
                Err(error @ (FileError::Cancelled | FileError::TimedOut)) => return Err(error),
                Err(_) => continue,
            };
            for (name, kind) in found {
                if Maker::of(&name).is_some_and(|maker| maker.is_gone()) {
                    let is_removed = match kind {
                        FileKind::Folder => {
                            remove_tree_at(&directory, name.as_slice(), || stop.check().is_ok()).is_ok()
                        }
                        _ => unlinkat(&directory, name.as_slice(), AtFlags::empty()).is_ok(),
                    };
                    removed += usize::from(is_removed);
                } else if kind == FileKind::Folder && path.len().saturating_add(name.len()) < PATH_BYTES_MAX {
                    directories.push(join(&path, &name));
                }
            }
        }
        Ok(removed)
    }
}

const CHUNK_BYTES: usize = 64 << 10;
