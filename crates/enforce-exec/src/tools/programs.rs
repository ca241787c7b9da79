//! The operator's directories of programs -> the search path of commands, and what they may read and execute for it.

use std::fmt;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::sandbox::{Folder, SearchPath};

/// Where programs are looked for.
#[derive(Debug, Default)]
pub struct Programs {
    path: SearchPath,
    folders: Vec<Folder>,
}

/// Why a directory cannot hold programs.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ProgramsError {
    /// The directory cannot be opened.
    #[error("`{}` cannot be used as a directory of programs: {why}", .folder.display())]
    Unusable {
        /// The directory.
        folder: PathBuf,
        /// The reason.
        why: String,
    },
    /// The path has a `:`, by which a `PATH` would be read as two.
    #[error("`{}` must not contain `:`, which separates entries of PATH", .folder.display())]
    Colon {
        /// The directory.
        folder: PathBuf,
    },
    /// The directory overlaps one that commands can write to, or must not read.
    #[error("the programs in `{}` must not overlap with `{}`", .folder.display(), .other.display())]
    Overlap {
        /// The directory.
        folder: PathBuf,
        /// The other one.
        other: PathBuf,
    },
}

impl Programs {
    /// These directories, and the system's after them. None may overlap with a directory of `apart`: with the root, because a
    /// command could put its own program under a name that a policy trusts; with the state, because commands would read it.
    ///
    /// # Errors
    /// For the first directory that cannot be used.
    pub fn new(folders: &[PathBuf], apart: &[&Path]) -> Result<Self, ProgramsError> {
        let mut opened = Vec::new();
        let mut paths = Vec::new();
        for folder in folders {
            let unusable =
                |error: &dyn fmt::Display| ProgramsError::Unusable { folder: folder.clone(), why: error.to_string() };
            let path = folder.canonicalize().map_err(|error| unusable(&error))?;
            if path.as_os_str().as_bytes().contains(&b':') {
                return Err(ProgramsError::Colon { folder: path });
            }
            if let Some(other) = apart.iter().find(|other| path.starts_with(other) || other.starts_with(&path)) {
                return Err(ProgramsError::Overlap { folder: path, other: (*other).to_owned() });
            }
            opened.push(Folder::open(&path).map_err(|error| unusable(&error))?);
            paths.push(path);
        }
        Ok(Self { path: SearchPath::with(&paths), folders: opened })
    }

    /// The same without programs in a directory that commands can write to.
    pub(super) fn outside(self, folder: &Path) -> Self {
        Self { path: self.path.outside(folder), ..self }
    }

    pub(super) fn path(&self) -> &SearchPath {
        &self.path
    }

    pub(super) fn folders(&self) -> &[Folder] {
        &self.folders
    }
}
