//! A policy or a frozen table -> the bytes of a table, for a program that judges by it.

use std::fmt;
use std::path::Path;

use policy_model::CheckOptions;

use crate::cli::Color;
use crate::exit::RunError;
use crate::opening;

/// Why there is no table. Findings of a policy have been shown on the standard error.
#[derive(Debug)]
pub struct LoadError(RunError);

/// The bytes of a whole table, read or frozen. What is named `.table` has to be one; anything else that is none is read as
/// a policy, which may import files from its own folder.
///
/// # Errors
/// When the file cannot be read, or is neither.
pub fn load_table(path: &Path) -> Result<Vec<u8>, LoadError> {
    opening::table_bytes(path, CheckOptions { allow_outside: false }, Color::Auto).map_err(LoadError)
}

impl LoadError {
    /// What to do.
    #[must_use]
    pub fn help(&self) -> Option<String> {
        self.0.help()
    }
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for LoadError {}
