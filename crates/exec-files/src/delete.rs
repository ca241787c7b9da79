//! Path -> deleted. A directory is renamed out of the way first.

use std::collections::BTreeSet;
use std::sync::Arc;

use rustix::fd::{AsFd as _, OwnedFd};
use rustix::fs::{Access, AtFlags, FileType, Mode, accessat, fstat, fsync, unlinkat};
use rustix::io::Errno;
use rustix::process::geteuid;
use rustix::thread::{CapabilitySet, capabilities};

use crate::{
    Effect, FileError, FileKind, IfMissing, Judge, Leaf, PATH_ONLY, Stop, TreeEntry, Workspace, all_allowed, beneath,
    join, remove, rename_new, split, survey, temporary_name,
};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Delete {
    /// Deletes a directory with its content.
    pub recursive: bool,
    /// A missing path is not an error.
    pub force: bool,
}

impl Workspace {
    /// Deletes a file, a link (never its target), an empty directory, or with `recursive` any directory.
    ///
    /// # Errors
    /// When nothing is there and `force` is not set, or a path below is not allowed. Then nothing has changed, except after
    /// [`FileError::PartlyDeleted`] and [`FileError::Unfinished`].
    pub fn delete(
        &self,
        path: &[u8],
        delete: Delete,
        judge: &mut Judge<'_>,
        stop: &Stop,
    ) -> Result<Vec<Effect>, FileError> {
        let deleted = self.retry_on_link_race(|| {
            let path = self.resolve_links(path, Leaf::Keep, judge)?;
            let (above, name) = split(&path)?;
            let _turn = self.locks.take(&[&path], stop)?;
            let (folder, _) = self.folder(above, IfMissing::Fail)?;
            let stat = beneath::look(folder.as_fd(), name).map_err(FileError::of("reading the metadata"))?;
            let effects = match FileKind::of(FileType::from_raw_mode(stat.st_mode)) {
                FileKind::Folder if delete.recursive => delete_folder(&folder, &path, name, judge, stop)?,
                FileKind::Folder => {
                    unlinkat(&folder, name, AtFlags::REMOVEDIR).map_err(|errno| match errno {
                        Errno::NOTEMPTY | Errno::EXIST => FileError::Folder,
                        errno => FileError::of("deleting the directory")(errno),
                    })?;
                    vec![Effect::removed(&path)]
                }
                FileKind::File
                | FileKind::Link
                | FileKind::Pipe
                | FileKind::Socket
                | FileKind::Device
                | FileKind::Unknown => {
                    unlinkat(&folder, name, AtFlags::empty()).map_err(FileError::of("deleting the file"))?;
                    vec![Effect::removed(&path)]
                }
            };
            fsync(&folder).map_err(FileError::unfinished("syncing the directory"))?;
            Ok(effects)
        });
        match deleted {
            Err(FileError::NotFound | FileError::NoFolder { .. }) if delete.force => Ok(Vec::new()),
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
    let top = beneath::open(folder.as_fd(), name, PATH_ONLY).map_err(FileError::of("opening the directory"))?;
    let device =
        |folder: &OwnedFd| fstat(folder).map(|stat| stat.st_dev).map_err(FileError::of("reading the metadata"));
    if device(&top)? != device(folder)? {
        return Err(FileError::OtherFileSystem);
    }
    let found = survey(&top, stop)?;
    all_allowed(found.iter().map(|entry| judge(&join(path, &entry.path))))?;
    check_removable(&top, &found)?;
    stop.check()?;
    // Other processes do not know the new name, and so cannot add a file that was not judged.
    let aside = temporary_name()?;
    rename_new(folder, name, folder, &aside).map_err(FileError::of("deleting the directory"))?;
    // Not stopped from here on, because the directory is no longer at its path.
    let is_unchanged = survey(&top, &Stop::on_request()).is_ok_and(|now| now == found);
    if !is_unchanged {
        rename_new(folder, &aside, folder, name).map_err(FileError::unfinished("moving the directory back"))?;
        return Err(FileError::Changed);
    }
    remove_for_good(folder, name, &aside, &top, &found)?;
    let below = found.iter().map(|entry| Effect::removed(&join(path, &entry.path)));
    Ok(std::iter::once(Effect::removed(path)).chain(below).collect())
}

/// Removes a directory that was set aside. What cannot be removed is renamed back.
fn remove_for_good(
    folder: &OwnedFd,
    name: &[u8],
    aside: &[u8],
    top: &OwnedFd,
    found: &[TreeEntry],
) -> Result<(), FileError> {
    remove(folder, aside, top, found).map_err(|(removed, errno)| {
        let is_back = rename_new(folder, aside, folder, name).is_ok();
        let _ = fsync(folder);
        let left = (found.len() + 1).saturating_sub(removed);
        FileError::PartlyDeleted { removed, left, is_back, errno: errno.raw_os_error() }
    })
}

/// Checks in advance for what would stop the removal half way.
fn check_removable(top: &OwnedFd, found: &[TreeEntry]) -> Result<(), FileError> {
    check_sticky(top, found)?;
    let folders = found.iter().filter(|entry| entry.kind() == FileKind::Folder).map(|entry| entry.path.as_slice());
    let top_has_entries = if found.is_empty() { None } else { Some(&b"."[..]) };
    for path in top_has_entries.into_iter().chain(folders) {
        accessat(top, path, Access::WRITE_OK | Access::EXEC_OK, AtFlags::EACCESS)
            .map_err(FileError::of("deleting the directory"))?;
    }
    Ok(())
}

/// In a sticky directory of another user, only own files can be removed.
fn check_sticky(top: &OwnedFd, found: &[TreeEntry]) -> Result<(), FileError> {
    let has_override = capabilities(None).is_ok_and(|sets| sets.effective.contains(CapabilitySet::FOWNER));
    if has_override {
        return Ok(());
    }
    let own = geteuid().as_raw();
    let is_foreign = |mode: u32, owner: u32| mode & STICKY != 0 && owner != own;
    let stat = fstat(top).map_err(FileError::of("reading the metadata"))?;
    let mut foreign: BTreeSet<&[u8]> = found
        .iter()
        .filter(|entry| entry.kind() == FileKind::Folder && is_foreign(entry.mode, entry.owner))
        .map(|entry| entry.path.as_slice())
        .collect();
    if is_foreign(stat.st_mode, stat.st_uid) {
        foreign.insert(b"");
    }
    let is_kept =
        |entry: &TreeEntry| entry.owner != own && split(&entry.path).is_ok_and(|(above, _)| foreign.contains(above));
    match found.iter().any(is_kept) {
        true => Err(FileError::of("deleting the directory")(Errno::PERM)),
        false => Ok(()),
    }
}

const STICKY: u32 = Mode::SVTX.bits();

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// A folder `t` with five entries, set aside as `aside`, and what was found in it.
    fn put_aside(place: &std::path::Path) -> (Arc<OwnedFd>, OwnedFd, Vec<TreeEntry>) {
        for (path, content) in [("t/a/1", "1"), ("t/a/2", "2"), ("t/z/mine", "keep")] {
            fs::create_dir_all(place.join(path).parent().unwrap()).unwrap();
            fs::write(place.join(path), content).unwrap();
        }
        let folder = Arc::new(OwnedFd::from(fs::File::open(place).unwrap()));
        let top = beneath::open(folder.as_fd(), b"t", PATH_ONLY).unwrap();
        let found = survey(&top, &Stop::on_request()).unwrap();
        fs::rename(place.join("t"), place.join("aside")).unwrap();
        (folder, top, found)
    }

    /// Somebody adds a file at the last moment, so that its folder cannot go.
    #[test]
    fn tool_fs_delete_that_stops_half_way_says_so_and_puts_the_rest_back() {
        let place = tempfile::tempdir().unwrap();
        let (folder, top, found) = put_aside(place.path());
        fs::write(place.path().join("aside/a/new"), "somebody else's").unwrap();
        let error = remove_for_good(&folder, b"t", b"aside", &top, &found).unwrap_err();
        let FileError::PartlyDeleted { removed: 4, left: 2, is_back: true, .. } = error else { panic!("{error:?}") };
        assert!(!error.changed_nothing());
        assert_eq!(fs::read_to_string(place.path().join("t/a/new")).unwrap(), "somebody else's");
        assert_eq!(fs::read_dir(place.path().join("t")).unwrap().count(), 1);
        assert!(!place.path().join("aside").exists());
    }

    #[test]
    fn tool_fs_delete_that_cannot_put_the_rest_back_says_so() {
        let place = tempfile::tempdir().unwrap();
        let (folder, top, found) = put_aside(place.path());
        fs::write(place.path().join("aside/a/new"), "").unwrap();
        fs::write(place.path().join("t"), "somebody has taken the name").unwrap();
        let error = remove_for_good(&folder, b"t", b"aside", &top, &found).unwrap_err();
        assert!(matches!(error, FileError::PartlyDeleted { is_back: false, .. }), "{error:?}");
        assert!(error.to_string().ends_with("under a temporary name: Directory not empty (os error 39)"), "{error}");
    }
}
