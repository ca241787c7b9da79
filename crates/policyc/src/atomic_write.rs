//! Bytes -> several files, all of them replaced or none.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

/// A file that kept all from being written.
#[derive(Debug)]
pub(crate) struct ReplaceError {
    pub(crate) path: PathBuf,
    pub(crate) error: io::Error,
}

/// Replaces or makes the files in their order. When one cannot be, all are as they were.
///
/// Readers see a file's old bytes or its new ones, never a part. A symbolic link stays one and permissions
/// are kept, as when one file is replaced.
pub(crate) fn replace_all(files: &[(PathBuf, Vec<u8>)]) -> Result<(), ReplaceError> {
    let staged = files.iter().map(|(path, bytes)| {
        let failed = |error| ReplaceError { path: path.clone(), error };
        Staged::new(path, bytes).map_err(failed)
    });
    exchange(staged.collect::<Result<_, _>>()?)
}

/// A file that is about to be exchanged.
struct Staged {
    target: PathBuf,
    fresh: NamedTempFile,
    /// A copy of what is there; none when nothing is.
    before: Option<NamedTempFile>,
}

impl Staged {
    fn new(path: &Path, bytes: &[u8]) -> io::Result<Self> {
        let target = match fs::canonicalize(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let fresh = written(new_file(path)?, bytes)?;
                return Ok(Self { target: path.to_owned(), fresh, before: None });
            }
            canonical => canonical?,
        };
        let kind = fs::metadata(&target)?;
        if !kind.is_file() {
            return Err(io::Error::other("it is not a regular file"));
        }
        if kind.permissions().readonly() {
            return Err(io::Error::from(io::ErrorKind::PermissionDenied));
        }
        let kept = |bytes: &[u8]| {
            let file = written(NamedTempFile::new_in(folder_of(&target))?, bytes)?;
            file.as_file().set_permissions(kind.permissions())?;
            Ok::<_, io::Error>(file)
        };
        let (fresh, before) = (kept(bytes)?, kept(&fs::read(&target)?)?);
        Ok(Self { fresh, before: Some(before), target })
    }
}

/// A file with the permissions of a new one; temporary files are their owner's alone otherwise.
fn new_file(path: &Path) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(NEW_FILE_MODE));
    builder.tempfile_in(folder_of(path))
}

fn written(mut file: NamedTempFile, bytes: &[u8]) -> io::Result<NamedTempFile> {
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    Ok(file)
}

/// The files exchanged so far, and the way back.
struct Done {
    target: PathBuf,
    before: Option<NamedTempFile>,
}

fn exchange(staged: Vec<Staged>) -> Result<(), ReplaceError> {
    let mut done: Vec<Done> = Vec::new();
    for Staged { target, fresh, before } in staged {
        if let Err(error) = fresh.persist(&target) {
            done.into_iter().rev().for_each(undo);
            return Err(ReplaceError { path: target, error: error.error });
        }
        done.push(Done { target, before });
    }
    Ok(())
}

/// As well as it can be: what made the exchange fail may keep this from working too.
fn undo(Done { target, before }: Done) {
    match before {
        Some(before) => drop(before.persist(target)),
        None => drop(fs::remove_file(target)),
    }
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// The mode that programs ask for when they make a file; the user's mask takes away from it.
#[cfg(unix)]
const NEW_FILE_MODE: u32 = 0o666;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_files_are_made_and_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let (a, b) = (folder.path().join("a"), folder.path().join("b"));
        fs::write(&a, "old").unwrap();
        replace_all(&[(a.clone(), b"new a".to_vec()), (b.clone(), b"new b".to_vec())]).unwrap();
        assert_eq!((fs::read(&a).unwrap(), fs::read(&b).unwrap()), (b"new a".to_vec(), b"new b".to_vec()));
        assert_eq!(names(folder.path()), ["a", "b"], "no temporary file is left");
    }

    #[test]
    fn nothing_is_touched_when_one_cannot_be_written() {
        let folder = tempfile::tempdir().unwrap();
        let (a, b, c) = (folder.path().join("a"), folder.path().join("b"), folder.path().join("c"));
        fs::write(&a, "old").unwrap();
        fs::create_dir(&c).unwrap();
        let files = [&a, &b, &c].map(|path| (path.clone(), b"new".to_vec()));
        assert_eq!(replace_all(&files).unwrap_err().path, c);
        assert_eq!(fs::read(&a).unwrap(), b"old");
        assert_eq!(names(folder.path()), ["a", "c"]);
        let missing = folder.path().join("no/such");
        assert_eq!(
            replace_all(&[(a.clone(), b"new".to_vec()), (missing.clone(), Vec::new())]).unwrap_err().path,
            missing
        );
        assert_eq!(fs::read(&a).unwrap(), b"old");
    }

    #[test]
    fn what_was_exchanged_is_put_back_when_a_later_one_fails() {
        let folder = tempfile::tempdir().unwrap();
        let below = folder.path().join("below");
        fs::create_dir(&below).unwrap();
        let (a, b, c) = (folder.path().join("a"), folder.path().join("b"), below.join("c"));
        fs::write(&a, "old").unwrap();
        let staged: Vec<_> = [&a, &b, &c].into_iter().map(|path| Staged::new(path, b"new").unwrap()).collect();
        fs::remove_dir_all(&below).unwrap();
        assert_eq!(exchange(staged).unwrap_err().path, c);
        assert_eq!(fs::read(&a).unwrap(), b"old");
        assert_eq!(names(folder.path()), ["a"]);
    }

    #[cfg(unix)]
    #[test]
    fn permissions_and_links_stay() {
        use std::os::unix::fs::{PermissionsExt, symlink};

        let folder = tempfile::tempdir().unwrap();
        let (file, link, new) = (folder.path().join("file"), folder.path().join("link"), folder.path().join("new"));
        fs::write(&file, "old").unwrap();
        fs::set_permissions(&file, PermissionsExt::from_mode(0o640)).unwrap();
        symlink("file", &link).unwrap();
        fs::write(folder.path().join("plain"), "").unwrap();
        replace_all(&[(link.clone(), b"through".to_vec()), (new.clone(), Vec::new())]).unwrap();
        let mode = |path: &Path| fs::symlink_metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((fs::read(&file).unwrap(), mode(&file)), (b"through".to_vec(), 0o640));
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(mode(&new), mode(&folder.path().join("plain")), "as any new file");

        fs::set_permissions(&file, PermissionsExt::from_mode(0o440)).unwrap();
        assert_eq!(replace_all(&[(file, Vec::new())]).unwrap_err().error.kind(), io::ErrorKind::PermissionDenied);
    }

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<_> = entries.collect();
        names.sort_unstable();
        names
    }
}
