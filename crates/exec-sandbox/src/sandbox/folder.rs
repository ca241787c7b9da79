//! A folder that a command may see: held open, with the path that leads to it.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD, Mode, OFlags, StatxFlags};

/// A folder. What is granted is the folder that is held, and never another one that has taken its path.
#[derive(Debug)]
pub struct Folder {
    handle: OwnedFd,
    path: PathBuf,
    identity: Identity,
    mount: Option<u64>,
}

/// What tells a folder from every other, those in file systems that are mounted later included, as long as somebody holds on
/// to it or its file system is gone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Spot {
    mount: u64,
    identity: Identity,
}

/// What tells a file from every other that is there at the same time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Identity {
    device: u64,
    inode: u64,
}

/// The reason why a directory cannot be given to a command.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FolderError {
    #[error("cannot open the directory `{}`: {error}", shown(path))]
    NotOpened { path: PathBuf, error: rustix::io::Errno },
    #[error("the directory `{}` was removed", shown(path))]
    Removed { path: PathBuf },
    /// It is the root of the file tree, or a part of what the kernel shows as files.
    #[error("the directory `{}` must not be given to a command", shown(path))]
    TooWide { path: PathBuf },
}

impl Folder {
    /// Opens a folder by its path, following links.
    ///
    /// # Errors
    /// When it cannot be opened, is no folder, or is not one that could be given to a command.
    pub fn open(path: &Path) -> Result<Self, FolderError> {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let not_opened = |error| FolderError::NotOpened { path: path.to_owned(), error };
        Self::new(rustix::fs::openat(CWD, path, flags, Mode::empty()).map_err(not_opened)?)
    }

    /// Takes a folder that is already open.
    ///
    /// # Errors
    /// When it is no folder, was removed, or is not one that could be given to a command.
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
        if path.parent().is_none() || is_the_kernels(&path) {
            return Err(FolderError::TooWide { path });
        }
        let mount = mount_of(handle.as_fd());
        Ok(Self { handle, path, identity: Identity::of(&stat), mount })
    }

    /// Where it was when it was opened; absolute, and without links.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn identity(&self) -> Identity {
        self.identity
    }

    /// None where that cannot be said: the kernel is too old for it, or the file system may give a number twice.
    pub(super) fn spot(&self) -> Option<Spot> {
        Some(Spot { mount: self.mount?, identity: self.identity })
    }
}

impl AsFd for Folder {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.handle.as_fd()
    }
}

impl Identity {
    pub(crate) fn of(stat: &rustix::fs::Stat) -> Self {
        Self { device: stat.st_dev, inode: stat.st_ino }
    }
}

/// A path on one line, whatever is in it.
pub(crate) fn shown(path: &Path) -> String {
    String::from_utf8_lossy(path.as_os_str().as_bytes()).escape_debug().to_string()
}

fn path_of(handle: BorrowedFd<'_>) -> rustix::io::Result<PathBuf> {
    use std::os::fd::AsRawFd as _;
    let link = format!("/proc/self/fd/{}", handle.as_raw_fd());
    let path = rustix::fs::readlinkat(CWD, link, Vec::new())?;
    Ok(PathBuf::from(std::ffi::OsString::from_vec(path.into_bytes())))
}

/// The mount that it lies in, by a number that no later mount gets. Devices and inodes get theirs again: two file systems in
/// memory, one after the other, have the same numbers for both. In file systems that pass on the numbers of others (those of
/// a network, of a program, of several disks), two folders can have the same inode at the same time.
fn mount_of(handle: BorrowedFd<'_>) -> Option<u64> {
    let kind = rustix::fs::fstatfs(handle).ok()?.f_type;
    if !NUMBERS_ARE_OWN.iter().any(|known| i64::from(*known) == kind) {
        return None;
    }
    let asked = StatxFlags::from_bits_retain(libc::STATX_MNT_ID_UNIQUE);
    let said = rustix::fs::statx(handle, c"", AtFlags::EMPTY_PATH, asked).ok()?;
    (said.stx_mask & asked.bits() != 0).then_some(said.stx_mnt_id)
}

/// Whether files there are devices, or the kernel's answers.
fn is_the_kernels(path: &Path) -> bool {
    let is_in_memory = path.starts_with(SHARED_MEMORY) && path != Path::new(SHARED_MEMORY);
    !is_in_memory && KERNEL_TREES.iter().any(|tree| path.starts_with(tree))
}

const KERNEL_TREES: [&str; 3] = ["/proc", "/sys", "/dev"];
const SHARED_MEMORY: &str = "/dev/shm";
/// File systems with numbers of their own, which none of their files shares with another: ext4, XFS, Btrfs, F2FS, tmpfs.
const NUMBERS_ARE_OWN: [u32; 5] = [0xef53, 0x5846_5342, 0x9123_683e, 0xf2f5_2010, 0x0102_1994];

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
        let Some(spot) = mounted(place.path(), "tmpfs").map(|folder| folder.spot().unwrap()) else { return };
        // Other tests mount as well, and may get the number of the device first.
        let mut later = (0..1_000).map(|_| mounted(place.path(), "tmpfs").unwrap());
        let later = later.find(|later| later.identity() == spot.identity).unwrap();
        assert_ne!(later.spot().unwrap(), spot);
    }

    #[test]
    fn a_file_system_that_nobody_knows_has_no_spots() {
        let place = tempfile::tempdir().unwrap();
        let Some(folder) = mounted(place.path(), "ramfs") else { return };
        assert_eq!(folder.spot(), None);
    }
}
