//! A path -> a folder that only its owner can read, held by this process alone.

use std::fmt;
use std::fs::{DirBuilder, File, Metadata, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

/// Why a folder cannot hold a state, in the order of the checks.
#[derive(Debug)]
pub enum FolderError {
    /// It, or something in it, cannot be made, opened or looked at.
    Unusable {
        /// What.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// It is no folder, or something in it is no file. Links are neither.
    WrongKind {
        /// What.
        path: PathBuf,
    },
    /// It belongs to somebody else.
    NotOwned {
        /// What.
        path: PathBuf,
        /// To whom.
        owner: u32,
    },
    /// Others can read, write or enter it.
    Exposed {
        /// What.
        path: PathBuf,
        /// Its permissions.
        mode: u32,
    },
    /// Another process has it.
    Held {
        /// What.
        path: PathBuf,
    },
}

/// A folder that this process alone uses, until it is dropped.
#[derive(Debug)]
pub(super) struct Folder {
    path: PathBuf,
    lock: File,
}

impl Folder {
    /// Makes the folder if it is not there, checks that nobody else can look into it, and takes it.
    pub(super) fn open(path: &Path) -> Result<Self, FolderError> {
        private_folder(path)?;
        let lock = private_file(&path.join(LOCK))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(FolderError::Held { path: path.to_owned() }),
            Err(TryLockError::Error(error)) => return Err(FolderError::Unusable { path: path.join(LOCK), error }),
        }
        let folder = Self { path: path.to_owned(), lock };
        // The files that SQLite adds beside the database get the database's permissions.
        private_file(&folder.database())?;
        sync(path)?;
        Ok(folder)
    }

    pub(super) fn database(&self) -> PathBuf {
        self.path.join(DATABASE)
    }
}

/// Said and not left to the end of the file: a process that is just being started may have a copy of it for a moment.
impl Drop for Folder {
    fn drop(&mut self) {
        let _ = self.lock.unlock();
    }
}

/// Makes a folder if it is not there. It is its owner's alone, and no link to one.
///
/// # Errors
/// When it cannot be made, or is another's.
pub(crate) fn private_folder(path: &Path) -> Result<(), FolderError> {
    let unusable = |error| FolderError::Unusable { path: path.to_owned(), error };
    match DirBuilder::new().mode(FOLDER_MODE).create(path) {
        Ok(()) => sync(path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new(".")))?,
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
        Err(error) => return Err(unusable(error)),
    }
    let metadata = path.symlink_metadata().map_err(unusable)?;
    if !metadata.is_dir() {
        return Err(FolderError::WrongKind { path: path.to_owned() });
    }
    check(path, &metadata)
}

/// Opens a file that is its owner's alone, or makes one.
fn private_file(path: &Path) -> Result<File, FolderError> {
    let unusable = |error| FolderError::Unusable { path: path.to_owned(), error };
    match path.symlink_metadata() {
        Ok(metadata) if !metadata.is_file() => return Err(FolderError::WrongKind { path: path.to_owned() }),
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

fn check(path: &Path, metadata: &Metadata) -> Result<(), FolderError> {
    if metadata.uid() != rustix::process::geteuid().as_raw() {
        return Err(FolderError::NotOwned { path: path.to_owned(), owner: metadata.uid() });
    }
    let mode = metadata.mode() & 0o7777;
    if mode & OTHERS_MODE != 0 {
        return Err(FolderError::Exposed { path: path.to_owned(), mode });
    }
    Ok(())
}

/// What was made in a folder is there after a loss of power too.
fn sync(path: &Path) -> Result<(), FolderError> {
    let synced = File::open(path).and_then(|folder| folder.sync_all());
    synced.map_err(|error| FolderError::Unusable { path: path.to_owned(), error })
}

impl fmt::Display for FolderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unusable { path, error } => write!(f, "`{}` cannot be used: {error}", path.display()),
            Self::WrongKind { path } => write!(f, "`{}` is neither a folder nor a file of a state", path.display()),
            Self::NotOwned { path, owner } => write!(f, "`{}` belongs to another user ({owner})", path.display()),
            Self::Exposed { path, mode } => {
                write!(f, "others can get at `{}`, its mode is {mode:04o}: only its owner may", path.display())
            }
            Self::Held { path } => write!(f, "another process uses the state in `{}`", path.display()),
        }
    }
}

impl std::error::Error for FolderError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Unusable { error, .. } => Some(error),
            Self::WrongKind { .. } | Self::NotOwned { .. } | Self::Exposed { .. } | Self::Held { .. } => None,
        }
    }
}

/// The database's name in the folder.
pub const DATABASE: &str = "state.db";
/// The name of the file that is locked.
pub const LOCK: &str = "lock";
const FOLDER_MODE: u32 = 0o700;
const FILE_MODE: u32 = 0o600;
const OTHERS_MODE: u32 = 0o077;
