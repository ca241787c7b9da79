//! Writing: replacing, creating, appending, and who may do what with the file afterwards.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};

use sha2::{Digest as _, Sha256};

use super::{REPLACE, TestRoot, allow, is_temporary};
use crate::journal::{FileStamp, StepRecord};
use crate::{Change, Effect, FileError, Journal, Links, Recovery, Stop, Workspace, Write, WriteKind, recover};

const CREATE: Write = Write { kind: WriteKind::CreateOnly, ..REPLACE };
const APPEND: Write = Write { kind: WriteKind::Append, ..REPLACE };

fn effect(path: &str, change: Change, content: &str) -> Effect {
    let sha256 = Some(Sha256::digest(content).into());
    Effect { path: path.into(), change, size_bytes: content.len() as u64, sha256 }
}

fn mode(place: &TestRoot, path: &str) -> u32 {
    fs::metadata(place.at(path)).unwrap().permissions().mode() & 0o7777
}

#[test]
fn tool_file_write_creates_and_replaces_and_says_so() {
    let place = TestRoot::new();
    assert_eq!(place.write("file", "one").unwrap(), effect("file", Change::Created, "one"));
    assert_eq!(place.write("file", "other").unwrap(), effect("file", Change::Replaced, "other"));
    assert_eq!(place.text("file"), "other");
    assert_eq!(fs::read_dir(place.at("")).unwrap().count(), 1, "nothing temporary is left");
}

#[test]
fn invoke_empty_content_writes_no_bytes() {
    let place = TestRoot::new();
    assert_eq!(place.write("file", "").unwrap(), effect("file", Change::Created, ""));
    assert_eq!(place.write("file", "").unwrap(), effect("file", Change::Replaced, ""));
    assert_eq!(fs::metadata(place.at("file")).unwrap().len(), 0);
}

#[test]
fn ctr_0007_create_only_fails_when_something_is_there() {
    let place = TestRoot::new();
    assert_eq!(place.write_as("file", "x", CREATE).unwrap(), effect("file", Change::Created, "x"));
    assert!(matches!(place.unchanged(|| place.write_as("file", "y", CREATE)), FileError::Exists));
    fs::create_dir(place.at("folder")).unwrap();
    assert!(place.unchanged(|| place.write_as("folder", "y", CREATE)).changed_nothing());
}

#[test]
fn ctr_0008_append_adds_to_the_end_and_creates_what_is_missing() {
    let place = TestRoot::new();
    assert_eq!(place.write_as("file", "one", APPEND).unwrap(), effect("file", Change::Created, "one"));
    assert_eq!(place.write_as("file", " two", APPEND).unwrap(), effect("file", Change::Appended, "one two"));
    assert_eq!(place.text("file"), "one two");
}

#[test]
fn ctr_0008_append_to_a_file_with_other_names_is_refused() {
    let place = TestRoot::new();
    place.put("file", "x");
    fs::hard_link(place.at("file"), place.outside().join("name")).unwrap();
    assert!(matches!(place.unchanged(|| place.write_as("file", "y", APPEND)), FileError::HardLinked { links: 2 }));
}

#[test]
fn trust_fs_replacing_a_file_leaves_its_other_names_alone() {
    let place = TestRoot::new();
    fs::hard_link(place.outside().join("secret"), place.at("file")).unwrap();
    place.write("file", "new").unwrap();
    assert_eq!(fs::read_to_string(place.outside().join("secret")).unwrap(), super::SECRET);
    assert_eq!(place.text("file"), "new");
}

#[test]
fn tool_file_write_makes_folders_only_when_it_is_told_to() {
    let place = TestRoot::new();
    let error = place.unchanged(|| place.write("a/b/file", "x"));
    assert_eq!(error.to_string(), "directory not found: `a/b`");
    place.write_as("a/b/file", "x", Write { create_dirs: true, ..REPLACE }).unwrap();
    assert_eq!(place.text("a/b/file"), "x");
}

#[test]
fn tool_file_write_takes_back_the_folders_of_a_write_that_fails() {
    let place = TestRoot::new();
    let long = format!("a/b/{}", "n".repeat(300));
    place.unchanged(|| place.write_as(&long, "x", Write { create_dirs: true, ..REPLACE }));
    place.put("file", "x");
    let error = place.unchanged(|| place.write_as("file/b/c", "x", Write { create_dirs: true, ..REPLACE }));
    assert!(matches!(error, FileError::NotAFolder));
}

#[test]
fn invoke_contain_folders_are_not_made_through_a_link_that_leads_out() {
    let place = TestRoot::new();
    place.link("out", "../outside");
    let error = place.unchanged(|| place.write_as("out/a/file", "x", Write { create_dirs: true, ..REPLACE }));
    assert!(matches!(error, FileError::Escape));
}

#[test]
fn tool_file_write_keeps_the_mode_unless_one_is_given() {
    let place = TestRoot::new();
    place.write_as("file", "x", Write { mode: Some(0o750), ..REPLACE }).unwrap();
    assert_eq!(mode(&place, "file"), 0o750);
    place.write("file", "y").unwrap();
    assert_eq!(mode(&place, "file"), 0o750);
    place.write_as("file", "z", Write { mode: Some(0o600), ..REPLACE }).unwrap();
    assert_eq!(mode(&place, "file"), 0o600);
    place.edit("file", "z", "zz").unwrap();
    assert_eq!(mode(&place, "file"), 0o600);
}

#[test]
fn tool_file_write_never_sets_bits_that_change_who_runs_a_file() {
    let place = TestRoot::new();
    for wrong in [0o4755, 0o2755, 0o1777, 0o10000] {
        let write = Write { mode: Some(wrong), ..REPLACE };
        assert!(
            matches!(place.unchanged(|| place.write_as("file", "x", write)), FileError::Mode { mode } if mode == wrong)
        );
    }
    place.put("file", "x");
    fs::set_permissions(place.at("file"), fs::Permissions::from_mode(0o6755)).unwrap();
    place.write("file", "y").unwrap();
    assert_eq!(mode(&place, "file"), 0o755);
}

#[test]
fn tool_file_write_keeps_owner_and_group() {
    let place = TestRoot::new();
    place.put("file", "x");
    if std::os::unix::fs::chown(place.at("file"), Some(12_345), Some(54_321)).is_err() {
        eprintln!("NOT TESTED: owners, because they cannot be changed here");
        return;
    }
    place.write("file", "y").unwrap();
    let now = fs::metadata(place.at("file")).unwrap();
    assert_eq!((now.uid(), now.gid()), (12_345, 54_321));
}

#[test]
fn the_root_itself_cannot_be_written() {
    let place = TestRoot::new();
    for write in [REPLACE, CREATE, APPEND] {
        assert!(matches!(place.unchanged(|| place.write_as("", "x", write)), FileError::Root));
    }
}

#[test]
fn trust_limits_more_than_may_be_written_is_refused() {
    let place = TestRoot::new();
    let large = "x".repeat((100 << 20) + 1);
    assert!(matches!(place.unchanged(|| place.write("file", &large)), FileError::TooLarge { .. }));
}

#[test]
fn temporary_names_are_recognisable() {
    let name = crate::maker::temporary_name().unwrap();
    assert!(is_temporary(std::ffi::OsStr::new(std::str::from_utf8(&name).unwrap())));
}

#[test]
fn tool_file_write_does_not_replace_a_file_that_is_protected_itself() {
    let place = TestRoot::new();
    place.put("file", "x");
    fs::set_permissions(place.at("file"), fs::Permissions::from_mode(0o444)).unwrap();
    if fs::OpenOptions::new().write(true).open(place.at("file")).is_ok() {
        eprintln!("NOT TESTED: protected files, because the administrator may write them");
        return;
    }
    for error in [place.unchanged(|| place.write("file", "y")), place.unchanged(|| place.edit("file", "x", "y"))] {
        assert!(matches!(error, FileError::Io { errno, .. } if errno == rustix::io::Errno::ACCESS.raw_os_error()));
    }
}

/// Exactly the bytes that a killed process has appended are removed.
#[test]
fn ctr_0008_an_append_that_a_crash_ends_is_taken_back_and_only_that() {
    let appended = vec![b'x'; 200_000];
    for (added, is_taken_back) in [
        (&b""[..], true),
        (&appended[..1], true),
        (&appended[..100_000], true),
        (&appended, true),
        (b"somebody else's", false),
        (&[&appended[..10], b"y"].concat(), false),
        (&[&appended, &b"x"[..]].concat(), false),
    ] {
        let place = TestRoot::new();
        let state = tempfile::tempdir().unwrap();
        let workspace = Workspace::open(&place.at(""), Links::Refuse).unwrap();
        let workspace = workspace.with_journal(Journal::open(state.path()).unwrap());
        place.put("log", "before");
        let old = Some(FileStamp::of(&rustix::fs::stat(place.at("log")).unwrap()));
        let append = StepRecord { path: b"log".into(), old, appended: Some(appended.clone()), ..StepRecord::default() };
        workspace.record(|| Ok(vec![append])).unwrap();
        let mut file = fs::OpenOptions::new().append(true).open(place.at("log")).unwrap();
        std::io::Write::write_all(&mut file, added).unwrap();
        let now = place.text("log");
        let told = recover(state.path(), &BTreeSet::new(), &Stop::on_request());
        assert_eq!(place.text("log"), if is_taken_back { "before" } else { &now });
        match told.as_slice() {
            [] => assert!(added.is_empty()),
            [Recovery::Undone { paths: 1, .. }] => assert!(is_taken_back),
            [Recovery::Skipped { .. }] => assert!(!is_taken_back),
            other => panic!("{other:?}"),
        }
        // One that comes to its end is kept.
        workspace.write(b"log", b" and after", APPEND, &mut allow, &Stop::on_request()).unwrap();
        assert!(recover(state.path(), &BTreeSet::new(), &Stop::on_request()).is_empty());
        assert!(place.text("log").ends_with(" and after"));
    }
}
