//! Valid and invalid roots.

use std::fs;
use std::path::Path;

use tempfile::TempDir;

use crate::{Links, RootError, Workspace};

fn open(path: &Path) -> Result<Workspace, RootError> {
    Workspace::open(path, Links::FollowInside)
}

#[test]
fn invoke_root_unset_missing_and_not_a_folder_are_told_apart() {
    let dir = TempDir::new().unwrap();
    fs::write(dir.path().join("file"), "").unwrap();
    assert!(matches!(open(Path::new("")), Err(RootError::Unset)));
    assert!(matches!(open(&dir.path().join("missing")), Err(RootError::Missing)));
    assert!(matches!(open(&dir.path().join("file")), Err(RootError::NotAFolder)));
    assert!(matches!(open(&dir.path().join("file/below")), Err(RootError::NotAFolder)));
}

#[test]
fn invoke_root_is_canonical_when_its_name_is_a_link() {
    let dir = TempDir::new().unwrap();
    let real = dir.path().canonicalize().unwrap().join("real");
    fs::create_dir(&real).unwrap();
    std::os::unix::fs::symlink(&real, dir.path().join("link")).unwrap();
    assert_eq!(open(&dir.path().join("link")).unwrap().path(), real);
}

#[test]
fn trust_fs_a_root_on_a_file_system_of_the_system_is_refused() {
    for path in ["/proc", "/proc/self", "/sys", "/dev/pts"] {
        if Path::new(path).exists() {
            assert!(matches!(open(Path::new(path)), Err(RootError::FileSystem)), "{path}");
        }
    }
}

#[test]
fn trust_fs_a_root_stays_the_folder_it_was_when_its_name_is_taken_over() {
    let place = super::TestRoot::new();
    place.put("file", "inside");
    fs::rename(place.at(""), place.dir.path().join("moved")).unwrap();
    std::os::unix::fs::symlink(place.outside(), place.dir.path().join("root")).unwrap();
    assert_eq!(place.read("file").unwrap(), b"inside");
    assert!(place.read("secret").is_err());
}
