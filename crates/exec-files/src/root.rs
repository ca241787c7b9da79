//! Path of a directory -> the handle that every operation starts from.

use std::fs;
use std::io::ErrorKind;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::fd::{AsFd as _, BorrowedFd, OwnedFd};
use rustix::fs::{Mode, OFlags, fstat, ioctl_getflags};

use crate::{Device, FileError, Journal, Locks, beneath};

/// A root directory; files are read and changed only beneath it.
#[derive(Debug)]
pub struct Workspace {
    path: PathBuf,
    /// Opened once, so that replacing the directory at its path does not move the root.
    handle: Arc<OwnedFd>,
    pub(super) device: Device,
    pub(super) links: Links,
    pub(super) locks: Arc<Locks>,
    /// Without it a crash can leave a change of several steps half done.
    pub(super) journal: Option<Arc<Journal>>,
}

/// The treatment of paths that contain symbolic links.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Links {
    /// Links are followed inside the root, and the path that they lead to is judged as well.
    FollowInside,
    Refuse,
}

/// The reason why a root cannot be opened (INVOKE-ROOT).
#[derive(Debug, thiserror::Error)]
pub enum RootError {
    #[error("no root is given")]
    Unset,
    #[error("the root does not exist")]
    Missing,
    #[error("the root is not a directory")]
    NotAFolder,
    #[error("the root is on a file system that is not for files, or that ignores case")]
    FileSystem,
    #[error("the kernel has no `openat2`, without which paths cannot be confined to the root")]
    NoContainment,
    #[error("opening the root failed: {0}")]
    Io(#[source] std::io::Error),
}

impl Workspace {
    /// Opens a root.
    ///
    /// # Errors
    /// When there is no such directory, its file system is not one for files, or the kernel cannot confine paths to it.
    pub fn open(root: &Path, links: Links) -> Result<Self, RootError> {
        if root.as_os_str().is_empty() {
            return Err(RootError::Unset);
        }
        let path = fs::canonicalize(root).map_err(RootError::of)?;
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let handle = rustix::fs::open(path.as_os_str().as_bytes(), flags, Mode::empty())
            .map_err(|errno| RootError::of(errno.into()))?;
        let stat = fstat(&handle).map_err(|errno| RootError::of(errno.into()))?;
        match beneath::check_file_system(&handle) {
            Ok(()) => {}
            Err(FileError::FileSystem { .. }) => return Err(RootError::FileSystem),
            Err(_) => return Err(RootError::Io(ErrorKind::Other.into())),
        }
        let names =
            beneath::open(handle.as_fd(), b"", OFlags::RDONLY | OFlags::DIRECTORY).map_err(|errno| match errno {
                rustix::io::Errno::NOSYS => RootError::NoContainment,
                errno => RootError::of(errno.into()),
            })?;
        // A file system without such flags does not fold names either.
        if ioctl_getflags(&names).is_ok_and(|flags| flags.bits() & CASEFOLD != 0) {
            return Err(RootError::FileSystem);
        }
        let (handle, device) = (Arc::new(handle), Device { number: stat.st_dev });
        Ok(Self { path, handle, device, links, locks: Arc::default(), journal: None })
    }

    /// Adds a journal, so that a change of several steps is undone after a crash.
    #[must_use]
    pub fn with_journal(self, journal: Journal) -> Self {
        Self { journal: Some(Arc::new(journal)), ..self }
    }

    /// Returns the same root with links refused. Writers in both wait for each other.
    #[must_use]
    pub fn without_links(&self) -> Self {
        Self {
            path: self.path.clone(),
            handle: Arc::clone(&self.handle),
            device: self.device,
            links: Links::Refuse,
            locks: Arc::clone(&self.locks),
            journal: self.journal.clone(),
        }
    }

    /// Returns the canonical path of the root when it was opened.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Duplicates the handle of the root, whatever is at its path by now.
    ///
    /// # Errors
    /// When the process has no descriptor left.
    pub fn root_handle(&self) -> std::io::Result<OwnedFd> {
        self.handle.try_clone()
    }

    pub(super) fn root(&self) -> BorrowedFd<'_> {
        self.handle.as_fd()
    }
}

impl RootError {
    fn of(error: std::io::Error) -> Self {
        match error.kind() {
            ErrorKind::NotFound => Self::Missing,
            ErrorKind::NotADirectory => Self::NotAFolder,
            _ => Self::Io(error),
        }
    }
}

/// `FS_CASEFOLD_FL`: names in the directory that differ only in case are equal.
const CASEFOLD: u32 = 0x4000_0000;
