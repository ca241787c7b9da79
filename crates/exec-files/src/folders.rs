//! Path of a directory -> its handle. Missing directories are made on request, and removed again unless they are kept.

use std::sync::Arc;

use crate::{FileError, Workspace, beneath, components, join};
use rustix::fd::{AsFd as _, OwnedFd};
use rustix::fs::{AtFlags, Mode, OFlags, fsync, mkdirat, unlinkat};
use rustix::io::Errno;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum IfMissing {
    Fail,
    Make,
}

/// Directories made for a file that is not written yet. Dropping this removes them.
#[derive(Debug, Default)]
pub(super) struct NewDirectories {
    /// The handle of the parent, and the name in it.
    directories: Vec<(Arc<OwnedFd>, Vec<u8>)>,
    paths: Vec<Vec<u8>>,
}

impl Workspace {
    /// Opens a directory by its path, following no links.
    pub(super) fn folder(&self, path: &[u8], missing: IfMissing) -> Result<(Arc<OwnedFd>, NewDirectories), FileError> {
        match beneath::open_folder(self.root(), path, &self.device) {
            Ok(folder) => Ok((Arc::new(folder), NewDirectories::default())),
            Err(FileError::NotFound) => match missing {
                IfMissing::Make => self.make(path),
                IfMissing::Fail => Err(FileError::NoFolder { path: path.into() }),
            },
            Err(error) => Err(error),
        }
    }

    fn make(&self, path: &[u8]) -> Result<(Arc<OwnedFd>, NewDirectories), FileError> {
        let mut made = NewDirectories::default();
        let mut folder = Arc::new(beneath::open_folder(self.root(), b"", &self.device)?);
        let mut so_far = Vec::new();
        for name in components(path) {
            so_far = join(&so_far, name);
            let next = match beneath::open_folder(folder.as_fd(), name, &self.device) {
                Err(FileError::NotFound) => {
                    match mkdirat(&folder, name, FOLDER_MODE) {
                        Ok(()) => {
                            made.directories.push((Arc::clone(&folder), name.to_vec()));
                            made.paths.push(so_far.clone());
                        }
                        // Another process was faster; opening it shows whether it is a directory.
                        Err(Errno::EXIST) => {}
                        Err(errno) => return Err(FileError::of("making the directory")(errno)),
                    }
                    beneath::open_folder(folder.as_fd(), name, &self.device)?
                }
                opened => opened?,
            };
            folder = Arc::new(next);
        }
        Ok((folder, made))
    }
}

impl NewDirectories {
    /// Paths below the root, the outer ones first.
    pub(super) fn paths(&self) -> &[Vec<u8>] {
        &self.paths
    }

    /// Keeps the directories and writes their names to disk.
    pub(super) fn keep(self) -> Result<(), FileError> {
        let synced = self.sync().map_err(FileError::unfinished("syncing the directory"));
        self.disarm();
        synced
    }

    pub(super) fn sync(&self) -> Result<(), Errno> {
        self.directories.iter().try_for_each(|(parent, _)| fsync(parent))
    }

    /// Keeps the directories.
    pub(super) fn disarm(mut self) {
        self.directories.clear();
    }
}

impl Drop for NewDirectories {
    fn drop(&mut self) {
        for (parent, name) in self.directories.iter().rev() {
            // Fails if another process has put something into it meanwhile, which is kept.
            let _ = unlinkat(parent, name.as_slice(), AtFlags::REMOVEDIR);
        }
    }
}

/// Before the umask.
const FOLDER_MODE: Mode = Mode::from_raw_mode(0o777);
/// Opens a file of any kind, or a link itself, without access to its content.
pub(super) const PATH_ONLY: OFlags = OFlags::PATH.union(OFlags::NOFOLLOW);
