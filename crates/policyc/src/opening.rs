//! A policy or a frozen table -> the bytes of a table. A policy is frozen in memory, so that a source and
//! its table are judged by the same code.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::Read;
use std::path::Path;

use policy_model::{CheckOptions, FileError};
use policy_syntax::{Diagnostic, Severity, Sources};
use policy_table::{blake3, diagnose, freeze};
use table_format::{OpenError, Pin, Table};

use crate::cli::Color;
use crate::exit::RunError;
use crate::output;
use crate::render::human_findings;
use crate::report::Finding;

/// The bytes of a whole table, read or frozen. Findings of a policy are shown on the standard error.
///
/// What is named `.table` has to be one; anything else that is none is read as a policy.
pub(crate) fn table_bytes(path: &Path, options: CheckOptions, color: Color) -> Result<Vec<u8>, RunError> {
    if path == Path::new("-") {
        return Err(RunError::PolicyOnStandardInput);
    }
    let bytes = read(path).map_err(|error| RunError::Read(path.to_owned(), error.reason()))?;
    let is_named_table = path.extension() == Some(OsStr::new(TABLE_EXTENSION));
    match open(path, &bytes) {
        Ok(_) => Ok(bytes),
        Err(RunError::NoTable(_, OpenError::NotATable | OpenError::Truncated { .. })) if !is_named_table => {
            frozen(path, options, color)
        }
        Err(error) => Err(error),
    }
}

/// Opens a table of any digest: who looks at one says which.
pub(crate) fn open<'a>(path: &Path, bytes: &'a [u8]) -> Result<Table<'a>, RunError> {
    Table::open(bytes, Pin::Unpinned, blake3).map_err(|error| RunError::NoTable(path.to_owned(), error))
}

fn frozen(path: &Path, options: CheckOptions, color: Color) -> Result<Vec<u8>, RunError> {
    let checked = policy_model::check(path, options);
    let Some(model) = &checked.model else {
        show_errors(&checked.diagnostics, &checked.sources, color);
        return Err(RunError::PolicyHasErrors(path.to_owned()));
    };
    freeze(model, &checked.sources).map(|frozen| frozen.bytes).map_err(|error| {
        show_errors(&[diagnose(&error, checked.root)], &checked.sources, color);
        RunError::PolicyHasErrors(path.to_owned())
    })
}

/// Shows the errors among findings on the standard error.
pub(crate) fn show_errors(diagnostics: &[Diagnostic], sources: &Sources, color: Color) {
    let errors = diagnostics.iter().filter(|diagnostic| diagnostic.code.severity == Severity::Error);
    let findings: Vec<_> = errors.map(|diagnostic| Finding { diagnostic, sources }).collect();
    output::complain_styled(&human_findings(&findings), color);
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

/// The end of a table's name.
pub(crate) const TABLE_EXTENSION: &str = "table";

/// Far more than the largest policy needs, and little enough to be held.
const TABLE_BYTES_MAX: u64 = 1 << 30;
