//! A private temporary directory on disk, for machines without a mount namespace.
//!
//! On a busy disk, making and removing a directory can take as long as starting a command. So a directory that no command has
//! changed is given to the next one; the others are removed, and all of them with the sandbox.
//!
//! The executor holds a lock on each directory, which the kernel releases when the process ends. A directory without a lock was
//! left by a process that has ended, in whatever container, and the next start removes it.

use std::fs::DirBuilder;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use rustix::fs::{AtFlags, CWD, Dir, FlockOperation, Mode, OFlags, flock};
use rustix::io::Errno;

use super::{DirectoryVersion, FileIdentity, Folder, FolderError, LastRuleset};
use exec_base::{open_directory, remove_tree};

/// Unchanged directories that wait for a command.
#[derive(Debug, Default)]
pub(super) struct TempPool {
    folders: Mutex<Vec<PrivateTemp>>,
}

/// An empty directory that only this user can enter. Dropping it removes the directory.
#[derive(Debug)]
pub(crate) struct PrivateTemp {
    folder: Folder,
    initial: DirectoryVersion,
    /// True if every change from now on gives it a different timestamp.
    is_dated: bool,
    ruleset: LastRuleset,
    /// Last, so that the handles are closed before the removal.
    removal: RemoveOnDrop,
}

/// The reason why there is no private directory on disk.
#[derive(Debug, thiserror::Error)]
pub enum TempError {
    #[error("cannot make a private directory: {0}")]
    NotMade(#[from] io::Error),
    #[error(transparent)]
    Folder(#[from] FolderError),
}

impl TempPool {
    pub(super) fn take(&self) -> Result<PrivateTemp, TempError> {
        loop {
            let next = self.folders.lock().unwrap_or_else(PoisonError::into_inner).pop();
            match next {
                // A cleanup of the system's temporary directory may have removed it.
                Some(temp) if temp.is_in_place() => {
                    let is_dated = temp.initial.is_past();
                    return Ok(PrivateTemp { is_dated, ..temp });
                }
                Some(_) => {}
                // Tries again in case another process swept the new directory before it was locked.
                None => return PrivateTemp::new().or_else(|_| PrivateTemp::new()),
            }
        }
    }

    /// Keeps a directory that no process can reach any more, if none has changed it.
    pub(super) fn give_back(&self, temp: PrivateTemp) {
        if temp.is_unchanged() {
            let mut folders = self.folders.lock().unwrap_or_else(PoisonError::into_inner);
            if folders.len() < IDLE_MAX {
                folders.push(temp);
            }
        }
    }
}

impl PrivateTemp {
    fn new() -> Result<Self, TempError> {
        let not_made = |error: Errno| TempError::NotMade(error.into());
        let removal = RemoveOnDrop::new_in(&parent()?)?;
        let handle = open_directory(CWD, removal.0.as_path()).map_err(not_made)?;
        // On a file system without locks, the sweep cannot lock it either, and so does not remove it.
        if flock(&handle, FlockOperation::NonBlockingLockExclusive) == Err(Errno::WOULDBLOCK) {
            // The sweep of another process has locked it first.
            return Err(not_made(Errno::WOULDBLOCK));
        }
        let folder = Folder::new(handle)?;
        let initial = DirectoryVersion::of(&rustix::fs::fstat(&folder).map_err(not_made)?);
        Ok(Self { folder, initial, is_dated: false, ruleset: LastRuleset::default(), removal })
    }

    pub(super) fn folder(&self) -> &Folder {
        &self.folder
    }

    pub(crate) fn path(&self) -> &Path {
        &self.removal.0
    }

    pub(super) fn ruleset(&self) -> &LastRuleset {
        &self.ruleset
    }

    fn is_in_place(&self) -> bool {
        let there = rustix::fs::statat(CWD, self.path(), AtFlags::SYMLINK_NOFOLLOW);
        there.is_ok_and(|stat| FileIdentity::of(&stat) == self.folder.identity())
    }

    /// True if it is empty, and its metadata has not changed.
    fn is_unchanged(&self) -> bool {
        rustix::fs::fstat(&self.folder).is_ok_and(|stat| DirectoryVersion::of(&stat) == self.initial)
            && (self.is_dated || self.is_empty().unwrap_or(false))
    }

    fn is_empty(&self) -> rustix::io::Result<bool> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let readable: OwnedFd = rustix::fs::openat(&self.folder, c".", flags, Mode::empty())?;
        for entry in Dir::new(readable)? {
            if !matches!(entry?.file_name().to_bytes(), b"." | b"..") {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// A path that is removed, with everything below it, when this is dropped.
#[derive(Debug)]
struct RemoveOnDrop(PathBuf);

impl RemoveOnDrop {
    fn new_in(parent: &Path) -> io::Result<Self> {
        let random = || getrandom::u64().map_err(io::Error::other);
        let path = parent.join(format!("{PREFIX}{:016x}{:016x}", random()?, random()?));
        DirBuilder::new().mode(0o700).create(&path)?;
        Ok(Self(path))
    }
}

impl Drop for RemoveOnDrop {
    fn drop(&mut self) {
        // A process that could not be killed may still write here; the rest stays in the system's temporary directory.
        if std::fs::remove_dir(&self.0).is_err() {
            let _ = remove_tree(&self.0);
        }
    }
}

pub(super) fn parent() -> io::Result<PathBuf> {
    std::path::absolute(std::env::temp_dir())
}

/// Removes directories of this user whose processes have ended. What cannot be examined stays.
pub(super) fn sweep(place: &Path) {
    let user = rustix::process::geteuid();
    let entries = std::fs::read_dir(place).into_iter().flatten().flatten();
    for entry in entries.filter(|entry| is_ours(entry.file_name().as_encoded_bytes())) {
        let path = entry.path();
        // Other users can make such names, too.
        let is_own =
            rustix::fs::statat(CWD, &path, AtFlags::SYMLINK_NOFOLLOW).is_ok_and(|stat| stat.st_uid == user.as_raw());
        if let Some(folder) = is_own.then(|| open_directory(CWD, path.as_path()).ok()).flatten()
            && flock(&folder, FlockOperation::NonBlockingLockExclusive).is_ok()
        {
            let _ = remove_tree(&path);
        }
    }
}

fn is_ours(name: &[u8]) -> bool {
    let random = name.strip_prefix(PREFIX.as_bytes());
    random.is_some_and(|random| random.len() == RANDOM_DIGITS && random.iter().all(u8::is_ascii_hexdigit))
}

const PREFIX: &str = "interdict-";
const RANDOM_DIGITS: usize = 32;
/// More commands than this rarely end together.
const IDLE_MAX: usize = 8;

#[cfg(test)]
mod tests {
    use std::fs::Permissions;
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    fn given_back(idle: &TempPool, touch: impl Fn(&Path)) -> PathBuf {
        let temp = idle.take().unwrap();
        let path = temp.path().to_owned();
        touch(&path);
        idle.give_back(temp);
        path
    }

    /// A file that is added right after the directory was made may not change its timestamp.
    #[test]
    fn a_date_counts_only_when_it_is_past() {
        let idle = TempPool::default();
        given_back(&idle, |_| {});
        let again = idle.take().unwrap();
        assert!(!again.is_dated);
        let (seconds, nanoseconds) = again.initial.changed;
        let (mut old, mut to_come) = (again.initial, again.initial);
        old.changed = (seconds - 10, nanoseconds);
        to_come.changed = (seconds + 10, nanoseconds);
        assert!(old.is_past() && !to_come.is_past());
    }

    #[test]
    fn a_folder_that_nobody_touched_is_given_again() {
        let idle = TempPool::default();
        let first = given_back(&idle, |_| {});
        let second = given_back(&idle, |path| assert_eq!(std::fs::read_dir(path).unwrap().count(), 0));
        assert_eq!(first, second);
        drop(idle);
        assert!(!first.exists());
    }

    #[test]
    fn a_folder_that_was_touched_is_gone() {
        let leave = |path: &Path| std::fs::write(path.join("left"), "secret").unwrap();
        let come_and_go = |path: &Path| {
            leave(path);
            std::fs::remove_file(path.join("left")).unwrap();
        };
        let open_up = |path: &Path| std::fs::set_permissions(path, Permissions::from_mode(0o777)).unwrap();
        let touches: [&dyn Fn(&Path); 3] = [&leave, &come_and_go, &open_up];
        for touch in touches {
            let idle = TempPool::default();
            // The kernel dates changes by its ticks; nothing but the date tells the second of these.
            let wait = |path: &Path| {
                std::thread::sleep(std::time::Duration::from_millis(20));
                touch(path);
            };
            let path = given_back(&idle, wait);
            assert!(!path.exists());
            assert_ne!(idle.take().unwrap().path(), path);
        }
    }

    #[test]
    fn a_folder_that_somebody_removed_or_replaced_is_not_given() {
        let idle = TempPool::default();
        let removed = given_back(&idle, |_| {});
        std::fs::remove_dir(&removed).unwrap();
        assert_ne!(idle.take().unwrap().path(), removed);

        let replaced = given_back(&idle, |_| {});
        std::fs::remove_dir(&replaced).unwrap();
        std::os::unix::fs::symlink("/", &replaced).unwrap();
        let next = idle.take().unwrap();
        assert_ne!(next.path(), replaced);
        std::fs::remove_file(&replaced).ok();
    }

    #[test]
    fn what_a_dead_executor_left_is_swept_and_nothing_else() {
        let place = tempfile::tempdir().unwrap();
        let path = |name: &str| place.path().join(name);
        let [living, dead] = ["1", "0"].map(|digit| path(&format!("interdict-{}", digit.repeat(RANDOM_DIGITS))));
        let others = ["interdict-doctor-00000000000000000000000000000000", "interdict-", "interdict-0", "other"];
        for folder in others.map(path).iter().chain([&living, &dead]) {
            std::fs::create_dir(folder).unwrap();
            std::fs::write(folder.join("left"), "secret").unwrap();
        }
        let held = open_directory(CWD, living.as_path()).unwrap();
        flock(&held, FlockOperation::NonBlockingLockExclusive).unwrap();
        let link = path(&format!("interdict-{}", "2".repeat(RANDOM_DIGITS)));
        std::os::unix::fs::symlink(path("other"), &link).unwrap();
        sweep(place.path());
        assert!(!dead.exists());
        assert!(living.join("left").exists() && link.exists());
        assert!(others.map(path).iter().all(|folder| folder.join("left").exists()));
        // Its maker ends.
        drop(held);
        sweep(place.path());
        assert!(!living.exists());
    }

    #[test]
    fn a_folder_is_locked_for_as_long_as_it_is_there() {
        let idle = TempPool::default();
        let temp = idle.take().unwrap();
        let other = open_directory(CWD, temp.path()).unwrap();
        assert_eq!(flock(&other, FlockOperation::NonBlockingLockExclusive), Err(Errno::WOULDBLOCK));
        assert!(is_ours(temp.path().file_name().unwrap().as_encoded_bytes()));
    }

    #[test]
    fn only_so_many_wait() {
        let idle = TempPool::default();
        let taken: Vec<_> = (0..=IDLE_MAX).map(|_| idle.take().unwrap()).collect();
        let paths: Vec<PathBuf> = taken.iter().map(|temp| temp.path().to_owned()).collect();
        taken.into_iter().for_each(|temp| idle.give_back(temp));
        assert_eq!(paths.iter().filter(|path| path.exists()).count(), IDLE_MAX);
    }
}
