//! Where a state may be: in a folder of its owner alone, and of one process.

use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::path::Path;
use std::process::Command;

use super::support::{House, refused};
use crate::state::{DATABASE, DirectoryError, LOCK, OpenError, SqliteState, State as _};

fn folder_error(path: &Path) -> DirectoryError {
    match SqliteState::open(path).map(drop) {
        Err(OpenError::Folder(error)) => error,
        other => panic!("{other:?}"),
    }
}

fn chmod(path: &Path, mode: u32) {
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}

#[tokio::test]
async fn trust_audit_the_folder_and_its_files_are_their_owners_alone() {
    let house = House::new();
    house.state.refuse(None, refused("x")).await.unwrap();
    assert_eq!(house.path().metadata().unwrap().mode() & 0o7777, 0o700);
    let mut names: Vec<String> = Vec::new();
    for entry in std::fs::read_dir(house.path()).unwrap() {
        let entry = entry.unwrap();
        assert_eq!(entry.metadata().unwrap().mode() & 0o7777, 0o600, "{entry:?}");
        names.push(entry.file_name().into_string().unwrap());
    }
    names.sort();
    assert_eq!(names, [LOCK, DATABASE, "state.db-shm", "state.db-wal"]);
}

#[tokio::test]
async fn a_folder_that_others_can_read_is_refused_by_name() {
    let house = House::new();
    house.state.close().await.unwrap();
    let path = house.path();
    for mode in [0o750, 0o705, 0o710, 0o770] {
        chmod(&path, mode);
        let error = folder_error(&path);
        assert!(
            matches!(&error, DirectoryError::Exposed { path: named, mode: seen } if *named == path && *seen == mode)
        );
        assert!(error.to_string().contains(&path.display().to_string()), "{error}");
    }
    chmod(&path, 0o700);
    for name in [DATABASE, LOCK] {
        chmod(&path.join(name), 0o640);
        assert!(matches!(folder_error(&path), DirectoryError::Exposed { path: named, .. } if named == path.join(name)));
        chmod(&path.join(name), 0o600);
    }
    SqliteState::open(&path).unwrap();
}

#[test]
fn a_folder_of_another_user_is_refused_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state");
    std::fs::create_dir(&path).unwrap();
    chmod(&path, 0o700);
    // Only root can give a folder away; everyone else can name one of root's.
    let (path, owner) = match std::os::unix::fs::chown(&path, Some(12_345), None) {
        Ok(()) => (path, 12_345),
        Err(_) => (Path::new("/").to_owned(), 0),
    };
    assert!(
        matches!(folder_error(&path), DirectoryError::NotOwned { path: named, owner: seen } if named == path && seen == owner)
    );
}

#[test]
fn what_is_no_folder_and_what_is_a_link_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state");
    std::fs::write(&path, "").unwrap();
    assert!(matches!(folder_error(&path), DirectoryError::WrongKind { .. }));
    let real = folder.path().join("real");
    drop(SqliteState::open(&real).unwrap());
    let link = folder.path().join("link");
    symlink(&real, &link).unwrap();
    assert!(matches!(folder_error(&link), DirectoryError::WrongKind { .. }));
    let other = folder.path().join("other");
    std::fs::create_dir(&other).unwrap();
    chmod(&other, 0o700);
    symlink(real.join(DATABASE), other.join(DATABASE)).unwrap();
    assert!(matches!(folder_error(&other), DirectoryError::WrongKind { path } if path == other.join(DATABASE)));
    assert!(matches!(folder_error(&folder.path().join("a/b")), DirectoryError::Unusable { .. }));
}

#[tokio::test]
async fn two_on_one_state_are_refused_until_the_first_is_closed() {
    let house = House::new();
    let path = house.path();
    assert!(matches!(folder_error(&path), DirectoryError::Locked { path: named } if named == path));
    // Another process as well.
    let other = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "state::tests::places::a_process_that_opens_a_state", "--nocapture"])
        .env(OPENED, &path)
        .output()
        .unwrap();
    let said = String::from_utf8(other.stdout).unwrap();
    assert!(said.contains("another process uses the state in"), "{said}");
    house.state.close().await.unwrap();
    drop(SqliteState::open(&path).unwrap());
}

/// Started by the test above.
#[test]
fn a_process_that_opens_a_state() {
    if let Some(path) = std::env::var_os(OPENED) {
        match SqliteState::open(Path::new(&path)) {
            Ok(_) => println!("opened"),
            Err(error) => println!("{error}"),
        }
    }
}

const OPENED: &str = "INTERDICT_TEST_OPENED";
