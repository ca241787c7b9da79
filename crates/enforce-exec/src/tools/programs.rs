//! Folders that the operator names -> where programs are looked for beside the system's folders, and what commands may read
//! and execute for it.

use std::fmt;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use crate::sandbox::Folder;
use crate::sandbox::SearchPath;

/// Where programs are looked for.
#[derive(Debug, Default)]
pub struct Programs {
    path: SearchPath,
    folders: Vec<Folder>,
}

/// Why a folder is none of programs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProgramsError {
    /// It is not there, is no folder, or cannot be opened.
    Unusable {
        /// Which.
        folder: PathBuf,
        /// Why.
        why: String,
    },
    /// It has a `:`, by which a `PATH` would be read as two.
    Colon {
        /// Which.
        folder: PathBuf,
    },
    /// It and another folder lie in each other: one that commands can write to, or must not read.
    Overlap {
        /// Which.
        folder: PathBuf,
        /// The other.
        other: PathBuf,
    },
}

impl Programs {
    /// The system's folders, and these before them. None of them may overlap with a folder of `apart`: with the root,
    /// because a command could put its own program under a name that a policy trusts; with the state, because commands
    /// would read it.
    ///
    /// # Errors
    /// For the first folder that cannot be one.
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

    /// The same without programs in a folder that commands can write to.
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

impl fmt::Display for ProgramsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unusable { folder, why } => write!(f, "`{}` is no folder of programs: {why}", folder.display()),
            Self::Colon { folder } => write!(f, "`{}` has a `:`, which a PATH cannot say", folder.display()),
            Self::Overlap { folder, other } => {
                write!(f, "the programs in `{}` and `{}` lie in each other", folder.display(), other.display())
            }
        }
    }
}

impl std::error::Error for ProgramsError {}
