//! A private folder on disk, for machines that cannot give one in memory. What a command has left in it is removed.
//!
//! Making and removing a folder can take as long as starting a command, where the disk is busy. So a folder that nobody
//! has touched is given to the next command instead of being removed; with the sandbox, all of them go.
//!
//! Whoever makes a folder holds a lock on it, which the kernel takes away when its process ends, however that ends. So a
//! folder without a lock was left by somebody who is dead, in whatever container, and the next start removes it.

use std::fs::DirBuilder;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use rustix::fs::{AtFlags, CWD, Dir, FlockOperation, Mode, OFlags, Stat, flock};
use rustix::io::Errno;

use super::{Folder, FolderError, LastRuleset};
use exec_base::{open_directory, remove_tree};

/// Folders that wait for a command, as new as on their first day.
#[derive(Debug, Default)]
pub(super) struct Idle {
    folders: Mutex<Vec<PrivateTemp>>,
}

/// A folder that only this user can enter, empty when it is given. It is removed when it is dropped.
#[derive(Debug)]
pub(crate) struct PrivateTemp {
    folder: Folder,
    when_new: State,
    /// Whether whatever is put into it from now on changes its date.
    is_dated: bool,
    ruleset: LastRuleset,
    /// Last, so that nothing of it is open when it goes.
    removal: Removal,
}

/// The reason why there is no private directory on disk.
#[derive(Debug, thiserror::Error)]
pub enum TempError {
    #[error("cannot make a private directory: {0}")]
    NotMade(#[from] io::Error),
    #[error(transparent)]
    Folder(#[from] FolderError),
}

impl Idle {
    /// A folder in which nothing is and to which nothing was done.
    pub(super) fn take(&self) -> Result<PrivateTemp, TempError> {
        loop {
            let next = self.folders.lock().unwrap_or_else(PoisonError::into_inner).pop();
            match next {
                // What cleans up the system's temporary folder may have come by.
                Some(temp) if temp.is_in_place() => {
                    let is_dated = temp.when_new.is_past();
                    return Ok(PrivateTemp { is_dated, ..temp });
                }
                Some(_) => {}
                // Once more, should the sweep of another start have come in between.
                None => return PrivateTemp::new().or_else(|_| PrivateTemp::new()),
            }
        }
    }

    /// Keeps a folder that no process is left to touch, if none has.
    pub(super) fn give_back(&self, temp: PrivateTemp) {
        if temp.is_as_new() {
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
        let removal = Removal::of_new(&place()?)?;
        let handle = open_directory(CWD, removal.0.as_path()).map_err(not_made)?;
        // Where there are no locks, nobody gets one to remove it either.
        if flock(&handle, FlockOperation::NonBlockingLockExclusive) == Err(Errno::WOULDBLOCK) {
            // Another start has taken it for a dead one's, in the moment before this.
            return Err(not_made(Errno::WOULDBLOCK));
        }
        let folder = Folder::new(handle)?;
        let when_new = State::of(&folder).map_err(not_made)?;
        Ok(Self { folder, when_new, is_dated: false, ruleset: LastRuleset::default(), removal })
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

    /// Whether its path still leads to it.
    fn is_in_place(&self) -> bool {
        let there = rustix::fs::statat(CWD, self.path(), AtFlags::SYMLINK_NOFOLLOW);
        there.is_ok_and(|stat| super::folder::Identity::of(&stat) == self.folder.identity())
    }

    /// Whether nothing is in it, and neither its mode nor anything else that the kernel dates was changed.
    fn is_as_new(&self) -> bool {
        State::of(&self.folder).is_ok_and(|now| now == self.when_new)
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

/// What a command can change of a folder without leaving something in it.
#[derive(Debug, PartialEq, Eq)]
struct State {
    mode: u32,
    owner: (u32, u32),
    changed: (i64, i64),
}

impl State {
    fn of(folder: &Folder) -> rustix::io::Result<Self> {
        let Stat { st_mode, st_uid, st_gid, st_ctime, st_ctime_nsec, .. } = rustix::fs::fstat(folder)?;
        let nanoseconds = i64::try_from(st_ctime_nsec).unwrap_or(i64::MAX);
        Ok(Self { mode: st_mode, owner: (st_uid, st_gid), changed: (st_ctime, nanoseconds) })
    }

    /// Whether its date is so old that nothing can get the same any more, however roughly a file system dates.
    fn is_past(&self) -> bool {
        let now = rustix::time::clock_gettime(rustix::time::ClockId::Realtime);
        now.tv_sec.saturating_sub(self.changed.0) > super::DATE_GRAIN_SECONDS
    }
}

/// A path that is gone with everything below it when this is dropped.
#[derive(Debug)]
struct Removal(PathBuf);

impl Removal {
    fn of_new(place: &Path) -> io::Result<Self> {
        let mut random = [0; RANDOM_DIGITS / 2];
        getrandom::fill(&mut random).map_err(|error| io::Error::other(error.to_string()))?;
        let name: String = random.iter().map(|byte| format!("{byte:02x}")).collect();
        let path = place.join(format!("{PREFIX}{name}"));
        DirBuilder::new().mode(0o700).create(&path)?;
        Ok(Self(path))
    }
}

impl Drop for Removal {
    fn drop(&mut self) {
        // Whoever could not be ended may still write here; what is left is in the system's own temporary folder.
        if std::fs::remove_dir(&self.0).is_err() {
            let _ = remove_tree(&self.0);
        }
    }
}

/// The system's temporary folder.
pub(super) fn place() -> io::Result<PathBuf> {
    std::path::absolute(std::env::temp_dir())
}

/// Removes the folders of this user in a place whose makers are gone. What cannot be looked at stays.
pub(super) fn sweep(place: &Path) {
    let user = rustix::process::geteuid();
    let entries = std::fs::read_dir(place).into_iter().flatten().flatten();
    for entry in entries.filter(|entry| is_ours(entry.file_name().as_encoded_bytes())) {
        let path = entry.path();
        // Other users can make such names as well.
        let is_own =
            rustix::fs::statat(CWD, &path, AtFlags::SYMLINK_NOFOLLOW).is_ok_and(|stat| stat.st_uid == user.as_raw());
        if let Some(folder) = is_own.then(|| open_directory(CWD, path.as_path()).ok()).flatten()
            && flock(&folder, FlockOperation::NonBlockingLockExclusive).is_ok()
        {
            let _ = remove_tree(&path);
        }
    }
}

/// Whether a name is one that folders are made under.
fn is_ours(name: &[u8]) -> bool {
    let random = name.strip_prefix(PREFIX.as_bytes());
    random.is_some_and(|random| random.len() == RANDOM_DIGITS && random.iter().all(u8::is_ascii_hexdigit))
}

const PREFIX: &str = "interdict-";
const RANDOM_DIGITS: usize = 32;
/// How many folders wait at most; more commands than this rarely end together.
const IDLE_MAX: usize = 8;

#[cfg(test)]
mod tests {
    use std::fs::Permissions;
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    fn given_back(idle: &Idle, touch: impl Fn(&Path)) -> PathBuf {
        let temp = idle.take().unwrap();
        let path = temp.path().to_owned();
        touch(&path);
        idle.give_back(temp);
        path
    }

    /// What is put into a folder in the moment that it was made in may not change its date.
    #[test]
    fn a_date_counts_only_when_it_is_past() {
        let idle = Idle::default();
        given_back(&idle, |_| {});
        let again = idle.take().unwrap();
        assert!(!again.is_dated);
        let (seconds, nanoseconds) = again.when_new.changed;
        let old = State { changed: (seconds - 10, nanoseconds), ..again.when_new };
        let to_come = State { changed: (seconds + 10, nanoseconds), ..again.when_new };
        assert!(old.is_past() && !to_come.is_past());
    }

    #[test]
    fn a_folder_that_nobody_touched_is_given_again() {
        let idle = Idle::default();
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
            let idle = Idle::default();
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
        let idle = Idle::default();
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
        let idle = Idle::default();
        let temp = idle.take().unwrap();
        let other = open_directory(CWD, temp.path()).unwrap();
        assert_eq!(flock(&other, FlockOperation::NonBlockingLockExclusive), Err(Errno::WOULDBLOCK));
        assert!(is_ours(temp.path().file_name().unwrap().as_encoded_bytes()));
    }

    #[test]
    fn only_so_many_wait() {
        let idle = Idle::default();
        let taken: Vec<_> = (0..=IDLE_MAX).map(|_| idle.take().unwrap()).collect();
        let paths: Vec<PathBuf> = taken.iter().map(|temp| temp.path().to_owned()).collect();
        taken.into_iter().for_each(|temp| idle.give_back(temp));
        assert_eq!(paths.iter().filter(|path| path.exists()).count(), IDLE_MAX);
    }
}
