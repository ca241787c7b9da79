//! Paths -> bounded texts, and texts -> files that are replaced as a whole or not at all.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use policy_model::{Disk, Files};
use policy_syntax::limits::FILE_BYTES_MAX;
use tempfile::NamedTempFile;

use crate::exit::RunError;

/// Reads a regular file, at most one byte more than a policy may have.
///
/// As `check` reads one: a pipe or a device is refused, because reading it may never end.
pub(crate) fn read(path: &Path) -> Result<Vec<u8>, String> {
    Disk.read(path).map_err(|error| error.to_string())
}

/// Reads the standard input, at most one byte more than a policy may have.
pub(crate) fn read_standard_input() -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    io::stdin().lock().take(BYTES_READ_MAX).read_to_end(&mut bytes).map_err(|error| error.to_string())?;
    Ok(bytes)
}

/// Replaces a file's text: readers see the old one or the new one, never a part.
///
/// A symbolic link stays one; the file it names is replaced. Permissions are kept, and a file
/// nobody may write is not replaced either, although its folder would allow it.
pub(crate) fn replace(path: &Path, text: &str) -> io::Result<()> {
    let path = fs::canonicalize(path)?;
    let permissions = fs::metadata(&path)?.permissions();
    if permissions.readonly() {
        return Err(io::Error::from(io::ErrorKind::PermissionDenied));
    }
    let mut fresh = NamedTempFile::new_in(folder_of(&path))?;
    fresh.write_all(text.as_bytes())?;
    fresh.as_file().set_permissions(permissions)?;
    fresh.as_file().sync_all()?;
    fresh.persist(&path)?;
    Ok(())
}

/// Makes a file that was not there. One that is there is left alone, or replaced where that is wanted.
pub(crate) fn create(path: &Path, text: &str, force: bool) -> Result<(), RunError> {
    let made = File::create_new(path).and_then(|mut file| file.write_all(text.as_bytes()));
    let written = match made {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists && force => replace(path, text),
        other => other,
    };
    written.map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => RunError::Exists(path.to_owned()),
        _ => RunError::Write(path.to_owned(), error),
    })
}

fn folder_of(path: &Path) -> PathBuf {
    path.parent().map_or_else(|| PathBuf::from("."), Path::to_path_buf)
}

/// One more than allowed, so that "too large" can be told from "just fits".
const BYTES_READ_MAX: u64 = FILE_BYTES_MAX as u64 + 1;
