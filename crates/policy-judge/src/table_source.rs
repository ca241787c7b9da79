//! A policy or a frozen table -> the bytes of a table. A policy is frozen in memory, so that a source and
//! its table are judged by the same code.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

use policy_model::{CheckOptions, Checked, Disk, FileError};
use policy_syntax::{Severity, Source, is_unseen};
use policy_table::blake3;
use table_format::{OpenError, Pin, Table};
use thiserror::Error;

use crate::policy::{JudgeError, judge_policy};

/// Why there is no table.
#[derive(Debug, Error)]
pub enum SourceError {
    /// Imports are found from the folder of a policy, and the standard input has none.
    #[error("cannot take a policy from the standard input")]
    StandardInput,
    /// The file could not be read.
    #[error("cannot read `{}`: {}", .0.display(), .1)]
    Unreadable(PathBuf, FileError),
    /// The file is no table, or not a whole one.
    #[error("cannot use `{}`: {}", .0.display(), .1)]
    NotATable(PathBuf, OpenError),
    /// The policy has errors.
    #[error("`{}` has errors, so there is nothing to judge by", .0.display())]
    PolicyHasErrors(PathBuf, Box<Checked>),
    /// The table that was just made cannot be used.
    #[error(transparent)]
    Judge(#[from] JudgeError),
}

/// Returns the bytes of a whole table, read from a file or made from a policy.
///
/// A file called `.table` has to be a table; any other file that is none is read as a policy.
///
/// # Errors
/// When the file cannot be read, or is neither.
pub fn load_table(path: &Path, options: CheckOptions) -> Result<Vec<u8>, SourceError> {
    if path == Path::new("-") {
        return Err(SourceError::StandardInput);
    }
    let bytes = read(path).map_err(|error| SourceError::Unreadable(path.to_owned(), error))?;
    let is_named_table = path.extension() == Some(OsStr::new(TABLE_EXTENSION));
    match open_table(path, &bytes) {
        Ok(_) => Ok(bytes),
        Err(SourceError::NotATable(_, OpenError::NotATable | OpenError::Truncated { .. })) if !is_named_table => {
            frozen(path, options)
        }
        Err(error) => Err(error),
    }
}

/// Opens a table of any digest: the user names the file to trust.
///
/// # Errors
/// When the bytes are no table.
pub fn open_table<'a>(path: &Path, bytes: &'a [u8]) -> Result<Table<'a>, SourceError> {
    Table::open(bytes, Pin::Unpinned, blake3).map_err(|error| SourceError::NotATable(path.to_owned(), error))
}

impl SourceError {
    /// Says how to correct it.
    #[must_use]
    pub fn help(&self) -> Option<&'static str> {
        match self {
            Self::StandardInput => Some("write the policy to a file; imports are found from its folder"),
            Self::Unreadable(..) => None,
            Self::NotATable(..) => Some("build it again from its policy: `policyc build POLICY`"),
            Self::PolicyHasErrors(..) => Some("correct them; `policyc check` shows warnings too"),
            Self::Judge(_) => Some("this is a defect: do not use the table, and report the policy"),
        }
    }

    /// The errors of the policy, each on one line: `a.policy:3:7: error[E0401]: unknown role`.
    pub fn findings(&self) -> impl Iterator<Item = String> {
        let checked = match self {
            Self::PolicyHasErrors(_, checked) => Some(checked),
            Self::StandardInput | Self::Unreadable(..) | Self::NotATable(..) | Self::Judge(_) => None,
        };
        let errors =
            checked.into_iter().flat_map(|checked| checked.diagnostics.iter().map(move |found| (checked, found)));
        errors.filter(|(_, found)| found.code.severity == Severity::Error).map(|(checked, found)| {
            let source = checked.sources.get(found.primary.at.file);
            let name = source.map_or("", Source::name);
            let (line, column) = source.map_or((1, 1), |source| {
                let position = source.position(found.primary.at.span.start);
                (position.line, position.column)
            });
            let text = format!("{name}:{line}:{column}: error[{}]: {}", found.code.id, found.message);
            text.chars().flat_map(|c| if is_unseen(c) { c.escape_unicode().collect() } else { vec![c] }).collect()
        })
    }
}

fn frozen(path: &Path, options: CheckOptions) -> Result<Vec<u8>, SourceError> {
    let judged = judge_policy(&Disk, path, options, |_| true)?;
    match judged.usable() {
        Some((_, frozen)) => Ok(frozen.bytes.clone()),
        None => Err(SourceError::PolicyHasErrors(path.to_owned(), Box::new(judged.checked))),
    }
}

/// Reads a regular file of at most [`TABLE_BYTES_MAX`].
fn read(path: &Path) -> Result<Vec<u8>, FileError> {
    let refused = |error: std::io::Error| match error.kind() {
        std::io::ErrorKind::NotFound => FileError::NotFound,
        _ => FileError::Refused(error.to_string()),
    };
    let kind = fs::metadata(path).map_err(refused)?;
    if kind.is_dir() {
        return Err(FileError::IsDirectory);
    }
    if !kind.is_file() {
        return Err(FileError::NotRegular);
    }
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(refused)?;
    file.take(TABLE_BYTES_MAX.saturating_add(1)).read_to_end(&mut bytes).map_err(refused)?;
    match u64::try_from(bytes.len()) {
        Ok(len) if len <= TABLE_BYTES_MAX => Ok(bytes),
        _ => Err(FileError::Refused(format!("it has more than {TABLE_BYTES_MAX} bytes"))),
    }
}

/// The extension of a table's file name.
pub const TABLE_EXTENSION: &str = "table";

/// Far more than the largest policy needs, and little enough to be held in memory.
const TABLE_BYTES_MAX: u64 = 1 << 30;
