//! Where policy files come from: a disk, or a map in memory.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::path::{Component, Path, PathBuf};

use policy_syntax::limits::FILE_BYTES_MAX;

/// A source of files: the disk, or a map in memory.
pub trait Files {
    /// Returns the canonical path of a file: absolute, without links, `.` and `..`.
    ///
    /// # Errors
    /// The file does not exist or may not be accessed.
    fn canonical(&self, path: &Path) -> Result<PathBuf, FileError>;

    /// Reads a file, at most one byte more than [`FILE_BYTES_MAX`].
    ///
    /// # Errors
    /// The file cannot be read.
    fn read(&self, path: &Path) -> Result<Vec<u8>, FileError>;
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FileError {
    #[error("no such file")]
    NotFound,
    #[error("is a directory")]
    IsDirectory,
    /// Reading a device, a pipe or a socket may never end.
    #[error("not a regular file")]
    NotRegular,
    #[error("{0}")]
    Refused(String),
}

#[derive(Debug, Clone, Copy, Default)]
pub struct Disk;

impl Files for Disk {
    fn canonical(&self, path: &Path) -> Result<PathBuf, FileError> {
        fs::canonicalize(path).map_err(|error| refused(&error))
    }

    fn read(&self, path: &Path) -> Result<Vec<u8>, FileError> {
        let kind = fs::metadata(path).map_err(|error| refused(&error))?;
        if kind.is_dir() {
            return Err(FileError::IsDirectory);
        }
        if !kind.is_file() {
            return Err(FileError::NotRegular);
        }
        let file = fs::File::open(path).map_err(|error| refused(&error))?;
        let mut bytes = Vec::new();
        // The file may grow while it is read, so the bound is on the reading.
        file.take(READ_BYTES_MAX).read_to_end(&mut bytes).map_err(|error| refused(&error))?;
        Ok(bytes)
    }
}

/// Files in memory, for tests, documents and editors.
#[derive(Debug, Clone, Default)]
pub struct Memory {
    files: BTreeMap<PathBuf, Vec<u8>>,
}

impl Memory {
    /// Adds a file. Its path is relative to the root.
    #[must_use]
    pub fn with(mut self, path: impl AsRef<Path>, text: impl Into<Vec<u8>>) -> Self {
        self.files.insert(normal(path.as_ref()), text.into());
        self
    }
}

impl Files for Memory {
    fn canonical(&self, path: &Path) -> Result<PathBuf, FileError> {
        let path = normal(path);
        if self.files.contains_key(&path) { Ok(path) } else { Err(FileError::NotFound) }
    }

    fn read(&self, path: &Path) -> Result<Vec<u8>, FileError> {
        self.files.get(&normal(path)).cloned().ok_or(FileError::NotFound)
    }
}

fn refused(error: &std::io::Error) -> FileError {
    match error.kind() {
        std::io::ErrorKind::NotFound => FileError::NotFound,
        _ => FileError::Refused(error.to_string()),
    }
}

fn normal(path: &Path) -> PathBuf {
    let mut parts = PathBuf::from("/");
    for component in path.components() {
        match component {
            Component::Normal(part) => parts.push(part),
            Component::ParentDir => {
                parts.pop();
            }
            Component::CurDir | Component::RootDir | Component::Prefix(_) => {}
        }
    }
    parts
}

const READ_BYTES_MAX: u64 = FILE_BYTES_MAX as u64 + 1;
