//! A folder's name -> the handle that every operation starts from.

use std::fs;
use std::io::ErrorKind;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::fd::{AsFd as _, BorrowedFd, OwnedFd};
use rustix::fs::{Mode, OFlags, fstat, ioctl_getflags};

use super::notes::Notes;
use crate::{Device, FileError, Locks, beneath};

/// A root that files are read and changed below.
#[derive(Debug)]
pub struct Workspace {
    path: PathBuf,
    /// Opened once: whoever replaces the folder's name later does not move the root.
    handle: Arc<OwnedFd>,
    pub(super) device: Device,
    pub(super) links: Links,
    pub(super) locks: Arc<Locks>,
    /// Without them a crash can leave a change of several steps made in part.
    pub(super) notes: Option<Arc<Notes>>,
}

/// What happens to a path with a link in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Links {
    /// It is followed as long as it stays inside the root, and where it leads is judged as well.
    FollowInside,
    /// It is refused.
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
    /// Opens a root by its canonical name.
    ///
    /// # Errors
    /// When there is no such folder, it is on a file system that is not for files, or nothing could be confined to it.
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
        // Where a folder has no such flags, its names are not folded either.
        if ioctl_getflags(&names).is_ok_and(|flags| flags.bits() & CASEFOLD != 0) {
            return Err(RootError::FileSystem);
        }
        let (handle, device) = (Arc::new(handle), Device { number: stat.st_dev });
        Ok(Self { path, handle, device, links, locks: Arc::default(), notes: None })
    }

    /// The same root, in which a change of several steps is taken back after a crash.
    #[must_use]
    pub fn with_notes(self, notes: Notes) -> Self {
        Self { notes: Some(Arc::new(notes)), ..self }
    }

    /// The same root, without links. Writers in both of them wait for each other.
    #[must_use]
    pub fn without_links(&self) -> Self {
        Self {
            path: self.path.clone(),
            handle: Arc::clone(&self.handle),
            device: self.device,
            links: Links::Refuse,
            locks: Arc::clone(&self.locks),
            notes: self.notes.clone(),
        }
    }

    /// The canonical name of the root when it was opened.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The root that is held, whatever is at its path by now.
    ///
    /// # Errors
    /// When no descriptor is left.
    pub fn hold(&self) -> std::io::Result<OwnedFd> {
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

/// `FS_CASEFOLD_FL`: the folder takes names for equal that differ in case.
const CASEFOLD: u32 = 0x4000_0000;
