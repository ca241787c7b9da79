//! An open directory that a command may see, with its path.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};

use exec_base::FileIdentity;
use rustix::fs::{AtFlags, CWD, Mode, OFlags, Stat, StatxFlags};

/// An open directory. A grant is for this directory, never for another one that has taken its path.
#[derive(Debug)]
pub struct Folder {
    handle: OwnedFd,
    path: PathBuf,
    identity: FileIdentity,
    mount: Option<u64>,
}

/// An identity that no other directory has, not even in a file system that is mounted later, as long as the directory is open
/// or its file system is gone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct UniqueIdentity {
    mount: u64,
    identity: FileIdentity,
}

/// The reason why a directory cannot be given to a command.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FolderError {
    #[error("cannot open the directory `{}`: {error}", shown(path))]
    NotOpened { path: PathBuf, error: rustix::io::Errno },
    #[error("the directory `{}` was removed", shown(path))]
    Removed { path: PathBuf },
    /// It is the root of the file tree, or part of `/proc`, `/sys` or `/dev`.
    #[error("the directory `{}` must not be given to a command", shown(path))]
    TooWide { path: PathBuf },
}

/// Metadata that changes when the directory or one of its entries changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct DirectoryVersion {
    identity: FileIdentity,
    mode: u32,
    owner: (u32, u32),
    pub(super) changed: (i64, u64),
}

impl DirectoryVersion {
    pub(super) fn of(stat: &Stat) -> Self {
        let changed = (stat.st_ctime, stat.st_ctime_nsec);
        Self { identity: FileIdentity::of(stat), mode: stat.st_mode, owner: (stat.st_uid, stat.st_gid), changed }
    }

    /// True if no later change can get the same timestamp, even on a file system with coarse ones.
    pub(super) fn is_past(&self) -> bool {
        let now = rustix::time::clock_gettime(rustix::time::ClockId::Realtime).tv_sec;
        now.saturating_sub(self.changed.0) > TIMESTAMP_GRAIN_SECONDS
    }
}

impl Folder {
    /// Opens a directory by its path, following links.
    ///
    /// # Errors
    /// When it cannot be opened, or must not be given to a command.
    pub fn open(path: &Path) -> Result<Self, FolderError> {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let not_opened = |error| FolderError::NotOpened { path: path.to_owned(), error };
        Self::new(rustix::fs::openat(CWD, path, flags, Mode::empty()).map_err(not_opened)?)
    }

    /// Takes a directory that is already open.
    ///
    /// # Errors
    /// When it is not a directory, was removed, or must not be given to a command.
    pub fn new(handle: OwnedFd) -> Result<Self, FolderError> {
        let not_opened = |error| FolderError::NotOpened { path: PathBuf::new(), error };
        let stat = rustix::fs::fstat(&handle).map_err(not_opened)?;
        if rustix::fs::FileType::from_raw_mode(stat.st_mode) != rustix::fs::FileType::Directory {
            return Err(not_opened(rustix::io::Errno::NOTDIR));
        }
        let path = path_of(handle.as_fd()).map_err(not_opened)?;
        if stat.st_nlink == 0 || !path.is_absolute() {
            return Err(FolderError::Removed { path });
        }
        if path.parent().is_none() || is_kernel_tree(&path) {
            return Err(FolderError::TooWide { path });
        }
        let mount = mount_of(handle.as_fd());
        Ok(Self { handle, path, identity: FileIdentity::of(&stat), mount })
    }

    /// Returns the absolute path without links at the time of opening.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn identity(&self) -> FileIdentity {
        self.identity
    }

    /// None if the kernel is too old for unique mount ids, or the file system may use an inode number twice.
    pub(super) fn unique_identity(&self) -> Option<UniqueIdentity> {
        Some(UniqueIdentity { mount: self.mount?, identity: self.identity })
    }
}

impl AsFd for Folder {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.handle.as_fd()
    }
}

/// Escapes a path for a message.
pub(crate) fn shown(path: &Path) -> String {
    String::from_utf8_lossy(path.as_os_str().as_bytes()).escape_debug().to_string()
}

fn path_of(handle: BorrowedFd<'_>) -> rustix::io::Result<PathBuf> {
    use std::os::fd::AsRawFd as _;
    let link = format!("/proc/self/fd/{}", handle.as_raw_fd());
    let path = rustix::fs::readlinkat(CWD, link, Vec::new())?;
    Ok(PathBuf::from(std::ffi::OsString::from_vec(path.into_bytes())))
}

/// Returns the unique id of the mount, which no later mount gets. Device and inode numbers are reused: two tmpfs mounts, one
/// after the other, have the same. In network, FUSE and union file systems, two directories can even have the same inode number
/// at the same time.
fn mount_of(handle: BorrowedFd<'_>) -> Option<u64> {
    let kind = rustix::fs::fstatfs(handle).ok()?.f_type;
    if !UNIQUE_INODES.iter().any(|known| i64::from(*known) == kind) {
        return None;
    }
    let wanted = StatxFlags::from_bits_retain(libc::STATX_MNT_ID_UNIQUE);
    let status = rustix::fs::statx(handle, c"", AtFlags::EMPTY_PATH, wanted).ok()?;
    (status.stx_mask & wanted.bits() != 0).then_some(status.stx_mnt_id)
}

/// True if the files at a path are devices, or generated by the kernel.
fn is_kernel_tree(path: &Path) -> bool {
    let is_in_memory = path.starts_with(SHARED_MEMORY) && path != Path::new(SHARED_MEMORY);
    !is_in_memory && KERNEL_TREES.iter().any(|tree| path.starts_with(tree))
}

const KERNEL_TREES: [&str; 3] = ["/proc", "/sys", "/dev"];
const SHARED_MEMORY: &str = "/dev/shm";
/// After this many seconds, a change gets a different timestamp on every file system in use.
const TIMESTAMP_GRAIN_SECONDS: i64 = 2;
/// File systems in which inode numbers are unique: ext4, XFS, Btrfs, F2FS, tmpfs.
const UNIQUE_INODES: [u32; 5] = [0xef53, 0x5846_5342, 0x9123_683e, 0xf2f5_2010, 0x0102_1994];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_known_by_its_path_without_links() {
        let place = tempfile::tempdir().unwrap();
        let real = place.path().join("real");
        std::fs::create_dir(&real).unwrap();
        std::os::unix::fs::symlink(&real, place.path().join("link")).unwrap();
        let folder = Folder::open(&place.path().join("link")).unwrap();
        assert_eq!(folder.path(), real.canonicalize().unwrap());
    }

    #[test]
    fn what_is_no_folder_or_is_gone_is_refused() {
        let place = tempfile::tempdir().unwrap();
        let file = place.path().join("file");
        std::fs::write(&file, "").unwrap();
        let missing = place.path().join("missing");
        for (path, error) in [(file, rustix::io::Errno::NOTDIR), (missing, rustix::io::Errno::NOENT)] {
            assert_eq!(Folder::open(&path).unwrap_err(), FolderError::NotOpened { path, error });
        }
        let gone = place.path().join("gone");
        std::fs::create_dir(&gone).unwrap();
        let handle = std::fs::File::open(&gone).unwrap();
        std::fs::remove_dir(&gone).unwrap();
        assert!(matches!(Folder::new(handle.into()), Err(FolderError::Removed { .. })));
    }

    #[test]
    fn the_whole_tree_and_the_kernels_files_are_never_given() {
        for path in ["/", "/proc", "/proc/self", "/sys", "/dev"] {
            assert!(matches!(Folder::open(Path::new(path)), Err(FolderError::TooWide { .. })), "{path}");
        }
    }

    /// A folder in a file system that is gone again.
    fn mounted(place: &Path, kind: &str) -> Option<Folder> {
        use rustix::mount::{MountFlags, UnmountFlags, mount, unmount};
        if let Err(error) = mount(kind, place, kind, MountFlags::empty(), None) {
            eprintln!("NOT TESTED: nothing can be mounted here ({error}); run this as root");
            return None;
        }
        let folder = Folder::open(place).unwrap();
        unmount(place, UnmountFlags::DETACH).unwrap();
        Some(folder)
    }

    #[test]
    fn a_later_file_system_has_the_same_numbers_and_another_spot() {
        let place = tempfile::tempdir().unwrap();
        let Some(unique_identity) = mounted(place.path(), "tmpfs").map(|folder| folder.unique_identity().unwrap())
        else {
            return;
        };
        // Other tests mount as well, and may get the number of the device first.
        let mut later = (0..1_000).map(|_| mounted(place.path(), "tmpfs").unwrap());
        let later = later.find(|later| later.identity() == unique_identity.identity).unwrap();
        assert_ne!(later.unique_identity().unwrap(), unique_identity);
    }

    #[test]
    fn a_file_system_that_nobody_knows_has_no_spots() {
        let place = tempfile::tempdir().unwrap();
        let Some(folder) = mounted(place.path(), "ramfs") else { return };
        assert_eq!(folder.unique_identity(), None);
    }
}
