//! A root -> the same without what processes left in it that were killed in the middle of an act.
//!
//! Whatever has a temporary name is a copy that was never named, or something that was on its way out: to remove it ends
//! the act one way or the other. What is somebody's who still runs is left alone.

use rustix::fd::{AsFd as _, OwnedFd};
use rustix::fs::{AtFlags, unlinkat};

use crate::{FileError, Kind, Maker, PATH_BYTES_MAX, Stop, Workspace, beneath, join, names};
use exec_base::remove_tree_at;

impl Workspace {
    /// Removes what acts left behind whose process is gone. How many files and folders that were.
    ///
    /// # Errors
    /// When the root cannot be read, or it takes too long. What cannot be looked into or removed is passed over.
    pub fn sweep(&self, stop: &Stop) -> Result<usize, FileError> {
        let mut removed = 0;
        let mut folders = vec![Vec::new()];
        while let Some(path) = folders.pop() {
            stop.check()?;
            let folder = match beneath::open_folder(self.root(), &path, &self.device) {
                Ok(folder) => folder,
                Err(error) if path.is_empty() => return Err(error),
                Err(_) => continue,
            };
            let found = match names(folder.as_fd(), stop) {
                Ok(found) => found,
                Err(error @ (FileError::Cancelled | FileError::TimedOut)) => return Err(error),
                Err(_) => continue,
            };
            for (name, kind) in found {
                if Maker::of(&name).is_some_and(|maker| maker.is_gone()) {
                    removed += usize::from(remove_left(&folder, &name, kind, stop));
                } else if kind == Kind::Folder && path.len().saturating_add(name.len()) < PATH_BYTES_MAX {
                    folders.push(join(&path, &name));
                }
            }
        }
        Ok(removed)
    }
}

fn remove_left(folder: &OwnedFd, name: &[u8], kind: Kind, stop: &Stop) -> bool {
    match kind {
        Kind::Folder => remove_tree_at(folder, name, || stop.check().is_ok()).is_ok(),
        _ => unlinkat(folder, name, AtFlags::empty()).is_ok(),
    }
}
