//! A folder's path -> its handle, with missing folders made on the way and taken back unless they are kept.

use std::sync::Arc;

use crate::{FileError, Workspace, beneath, components, join};
use rustix::fd::{AsFd as _, OwnedFd};
use rustix::fs::{AtFlags, Mode, OFlags, fsync, mkdirat, unlinkat};
use rustix::io::Errno;

/// What to do about a folder that is not there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Missing {
    Refuse,
    Make,
}

/// Folders made for a file that is not there yet; dropped, they go again.
#[derive(Debug, Default)]
pub(super) struct Made {
    folders: Vec<(Arc<OwnedFd>, Vec<u8>)>,
    paths: Vec<Vec<u8>>,
}

impl Workspace {
    /// Opens a folder by its literal path.
    pub(super) fn folder(&self, path: &[u8], missing: Missing) -> Result<(Arc<OwnedFd>, Made), FileError> {
        match beneath::open_folder(self.root(), path, &self.device) {
            Ok(folder) => Ok((Arc::new(folder), Made::default())),
            Err(FileError::NotFound) => match missing {
                Missing::Make => self.make(path),
                Missing::Refuse => Err(FileError::NoFolder { path: path.into() }),
            },
            Err(error) => Err(error),
        }
    }

    fn make(&self, path: &[u8]) -> Result<(Arc<OwnedFd>, Made), FileError> {
        let mut made = Made::default();
        let mut folder = Arc::new(beneath::open_folder(self.root(), b"", &self.device)?);
        let mut so_far = Vec::new();
        for name in components(path) {
            so_far = join(&so_far, name);
            let next = match beneath::open_folder(folder.as_fd(), name, &self.device) {
                Err(FileError::NotFound) => {
                    match mkdirat(&folder, name, FOLDER_MODE) {
                        Ok(()) => {
                            made.folders.push((Arc::clone(&folder), name.to_vec()));
                            made.paths.push(so_far.clone());
                        }
                        // Somebody was faster; what it is shows when it is opened.
                        Err(Errno::EXIST) => {}
                        Err(errno) => return Err(FileError::of("making the folder")(errno)),
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

impl Made {
    /// Their paths below the root, those above before those below.
    pub(super) fn paths(&self) -> &[Vec<u8>] {
        &self.paths
    }

    /// Keeps the folders, and makes their names last.
    pub(super) fn keep(self) -> Result<(), FileError> {
        let secured = self.secure().map_err(FileError::unfinished("securing the folder"));
        self.leave();
        secured
    }

    /// Makes their names last, as long as they are there.
    pub(super) fn secure(&self) -> Result<(), Errno> {
        self.folders.iter().try_for_each(|(folder, _)| fsync(folder))
    }

    pub(super) fn leave(mut self) {
        self.folders.clear();
    }
}

impl Drop for Made {
    fn drop(&mut self) {
        for (folder, name) in self.folders.iter().rev() {
            // Whoever put something into it meanwhile keeps it.
            let _ = unlinkat(folder, name.as_slice(), AtFlags::REMOVEDIR);
        }
    }
}

/// What a new folder is allowed, before the process' mask.
const FOLDER_MODE: Mode = Mode::from_raw_mode(0o777);
/// How a path itself is held, whatever it is.
pub(super) const ITSELF: OFlags = OFlags::PATH.union(OFlags::NOFOLLOW);
