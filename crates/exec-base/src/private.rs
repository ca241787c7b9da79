//! Path -> a directory that only its owner can read and that one process holds.

use std::fs::{DirBuilder, File, Metadata, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

/// The reason why a directory cannot be used, in the order of the checks. Each path is that of the directory or of a file in it.
#[derive(Debug, thiserror::Error)]
pub enum DirectoryError {
    /// It cannot be made, opened or examined.
    #[error("cannot use `{}`: {error}", path.display())]
    Unusable {
        path: PathBuf,
        #[source]
        error: io::Error,
    },
    /// The directory is no directory, or the file no file. A link is neither.
    #[error("`{}` is a link or of the wrong type", path.display())]
    WrongKind { path: PathBuf },
    #[error("`{}` belongs to another user ({owner})", path.display())]
    NotOwned { path: PathBuf, owner: u32 },
    /// Others can read, write or enter it.
    #[error("`{}` has mode {mode:04o}; only its owner may have access", path.display())]
    Exposed { path: PathBuf, mode: u32 },
    #[error("another process uses the state in `{}`", path.display())]
    Locked { path: PathBuf },
}

/// A directory that this process alone uses, until it is dropped.
#[derive(Debug)]
pub struct LockedDirectory {
    path: PathBuf,
    lock: File,
}

impl LockedDirectory {
    /// Makes the directory if it is missing, checks that it is private and locks the file `lock` in it.
    ///
    /// # Errors
    /// When the directory or the file cannot be made, is exposed to others, or is locked by another process.
    pub fn open(path: &Path, lock: &str) -> Result<Self, DirectoryError> {
        private_directory(path)?;
        let lock_path = path.join(lock);
        let lock = private_file(&lock_path)?;
        match lock.try_lock() {
            Ok(()) => Ok(Self { path: path.to_owned(), lock }),
            Err(TryLockError::WouldBlock) => Err(DirectoryError::Locked { path: path.to_owned() }),
            Err(TryLockError::Error(error)) => Err(DirectoryError::Unusable { path: lock_path, error }),
        }
    }

    /// Makes a file in it if it is missing, durably, and checks that it is private. Returns its path.
    ///
    /// # Errors
    /// When the file cannot be made, or is exposed to others.
    pub fn private_file(&self, name: &str) -> Result<PathBuf, DirectoryError> {
        let path = self.path.join(name);
        private_file(&path)?;
        sync(&self.path)?;
        Ok(path)
    }
}

/// Not left to closing the file: a process that is just being started may hold a copy of it for a moment.
impl Drop for LockedDirectory {
    fn drop(&mut self) {
        let _ = self.lock.unlock();
    }
}

/// Makes a directory if it is missing, durably, and checks that only its owner has access.
///
/// # Errors
/// When it cannot be made, is a link or a file, or others have access to it.
pub fn private_directory(path: &Path) -> Result<(), DirectoryError> {
    let unusable = |error| DirectoryError::Unusable { path: path.to_owned(), error };
    match DirBuilder::new().mode(DIRECTORY_MODE).create(path) {
        Ok(()) => sync(path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new(".")))?,
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
        Err(error) => return Err(unusable(error)),
    }
    let metadata = path.symlink_metadata().map_err(unusable)?;
    if !metadata.is_dir() {
        return Err(DirectoryError::WrongKind { path: path.to_owned() });
    }
    check(path, &metadata)
}

/// Opens a file that only its owner has access to, or makes one.
fn private_file(path: &Path) -> Result<File, DirectoryError> {
    let unusable = |error| DirectoryError::Unusable { path: path.to_owned(), error };
    match path.symlink_metadata() {
        Ok(metadata) if !metadata.is_file() => return Err(DirectoryError::WrongKind { path: path.to_owned() }),
        Ok(_) => {}
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(unusable(error)),
    }
    let mut options = OpenOptions::new();
    let file =
        options.read(true).write(true).create(true).truncate(false).mode(FILE_MODE).open(path).map_err(unusable)?;
    check(path, &file.metadata().map_err(unusable)?)?;
    Ok(file)
}

fn check(path: &Path, metadata: &Metadata) -> Result<(), DirectoryError> {
    if metadata.uid() != rustix::process::geteuid().as_raw() {
        return Err(DirectoryError::NotOwned { path: path.to_owned(), owner: metadata.uid() });
    }
    let mode = metadata.mode() & 0o7777;
    if mode & OTHERS_MODE != 0 {
        return Err(DirectoryError::Exposed { path: path.to_owned(), mode });
    }
    Ok(())
}

/// Keeps the names in a directory through a loss of power.
fn sync(path: &Path) -> Result<(), DirectoryError> {
    let synced = File::open(path).and_then(|directory| directory.sync_all());
    synced.map_err(|error| DirectoryError::Unusable { path: path.to_owned(), error })
}

const DIRECTORY_MODE: u32 = 0o700;
const FILE_MODE: u32 = 0o600;
const OTHERS_MODE: u32 = 0o077;
