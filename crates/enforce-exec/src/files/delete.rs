//! A path -> nothing there. A folder goes as a whole: first out of sight, then for good.

use std::sync::Arc;

use rustix::fd::{AsFd as _, OwnedFd};
use rustix::fs::{Access, AtFlags, FileType, accessat, fsync, unlinkat};
use rustix::io::Errno;

use super::beneath;
use super::effect::{Change, Effect};
use super::entries::Kind;
use super::error::FileError;
use super::folders::{ITSELF, Missing};
use super::judge::{Judge, allowed};
use super::maker::temporary_name;
use super::resolve::{Leaf, join, split};
use super::root::Workspace;
use super::staged::rename_new;
use super::stop::Stop;
use super::survey::{Found, remove, survey};

/// How to delete.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Delete {
    /// Whether a folder goes with what is in it.
    pub recursive: bool,
    /// Whether it is fine that nothing is there.
    pub force: bool,
}

impl Workspace {
    /// Deletes a file, a link (never what it leads to), an empty folder, or with `recursive` any folder.
    ///
    /// # Errors
    /// When nothing is there and `force` is not said, a path below is not allowed, or the system refuses. Then
    /// everything is as it was, but for [`FileError::Unfinished`]: the folder is gone from its place, and what could
    /// not be removed lies beside it under a hidden temporary name.
    pub fn delete(
        &self,
        path: &[u8],
        delete: Delete,
        judge: &mut Judge<'_>,
        stop: &Stop,
    ) -> Result<Vec<Effect>, FileError> {
        let deleted = self.patiently(|| {
            let path = self.settle(path, Leaf::Keep, judge)?;
            let (above, name) = split(&path)?;
            let _turn = self.locks.take(&[&path], stop)?;
            let (folder, _) = self.folder(above, Missing::Refuse)?;
            let stat = beneath::look(folder.as_fd(), name).map_err(FileError::of("looking at the file"))?;
            let effects = match Kind::of(FileType::from_raw_mode(stat.st_mode)) {
                Kind::Folder if delete.recursive => delete_folder(&folder, &path, name, judge, stop)?,
                Kind::Folder => {
                    unlinkat(&folder, name, AtFlags::REMOVEDIR).map_err(|errno| match errno {
                        Errno::NOTEMPTY | Errno::EXIST => FileError::Folder,
                        errno => FileError::of("deleting the folder")(errno),
                    })?;
                    vec![removed(&path)]
                }
                Kind::File | Kind::Link | Kind::Pipe | Kind::Socket | Kind::Device | Kind::Unknown => {
                    unlinkat(&folder, name, AtFlags::empty()).map_err(FileError::of("deleting the file"))?;
                    vec![removed(&path)]
                }
            };
            fsync(&folder).map_err(FileError::unfinished("securing the folder"))?;
            Ok(effects)
        });
        match deleted {
            Err(FileError::NotFound) if delete.force => Ok(Vec::new()),
            deleted => deleted,
        }
    }
}

fn delete_folder(
    folder: &Arc<OwnedFd>,
    path: &[u8],
    name: &[u8],
    judge: &mut Judge<'_>,
    stop: &Stop,
) -> Result<Vec<Effect>, FileError> {
    let top = beneath::open(folder.as_fd(), name, ITSELF).map_err(FileError::of("opening the folder"))?;
    let found = survey(&top, stop)?;
    for entry in &found {
        allowed(judge, &join(path, &entry.path))?;
    }
    check_removable(&top, &found)?;
    stop.check()?;
    // Under a name that nobody knows, nobody adds a file that was not judged.
    let aside = temporary_name()?;
    rename_new(folder, name, folder, &aside).map_err(FileError::of("deleting the folder"))?;
    // No stopping from here on: the folder has gone from its place.
    let is_unchanged = survey(&top, &Stop::when_told()).is_ok_and(|now| now == found);
    if !is_unchanged {
        rename_new(folder, &aside, folder, name).map_err(FileError::unfinished("putting the folder back"))?;
        return Err(FileError::Changed);
    }
    remove(folder, &aside, &top, &found).map_err(FileError::unfinished("deleting the folder"))?;
    let below = found.iter().map(|entry| removed(&join(path, &entry.path)));
    Ok(std::iter::once(removed(path)).chain(below).collect())
}

/// Asks in advance what would stop the removal half way.
fn check_removable(top: &OwnedFd, found: &[Found]) -> Result<(), FileError> {
    let folders = found.iter().filter(|entry| entry.kind() == Kind::Folder).map(|entry| entry.path.as_slice());
    let top_has_entries = if found.is_empty() { None } else { Some(&b"."[..]) };
    for path in top_has_entries.into_iter().chain(folders) {
        accessat(top, path, Access::WRITE_OK | Access::EXEC_OK, AtFlags::EACCESS)
            .map_err(FileError::of("deleting the folder"))?;
    }
    Ok(())
}

pub(super) fn removed(path: &[u8]) -> Effect {
    Effect { path: path.to_vec(), change: Change::Removed, size_bytes: 0, sha256: None }
}
