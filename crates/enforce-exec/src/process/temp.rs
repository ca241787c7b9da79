//! A private folder on disk, for machines that cannot give one in memory. It is removed with its content.

use std::fs::DirBuilder;
use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

pub(super) struct PrivateTemp {
    path: PathBuf,
}

impl PrivateTemp {
    /// A new folder that only this user can enter.
    pub(super) fn new() -> io::Result<Self> {
        let mut random = [0; 16];
        getrandom::fill(&mut random).map_err(|error| io::Error::other(error.to_string()))?;
        let name: String = random.iter().map(|byte| format!("{byte:02x}")).collect();
        let path = std::path::absolute(std::env::temp_dir())?.join(format!("interdict-{name}"));
        DirBuilder::new().mode(0o700).create(&path)?;
        Ok(Self { path })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for PrivateTemp {
    fn drop(&mut self) {
        // Whoever could not be ended may still write here; what is left is in the system's own temporary folder.
        if std::fs::remove_dir(&self.path).is_err() {
            let _ = std::fs::remove_dir_all(&self.path);
        }
    }
}
