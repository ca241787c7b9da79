//! A full disk: the write fails by name, and everything is as it was.

use std::path::Path;
use std::process::Command;

use tempfile::TempDir;

use super::{REPLACE, allow};
use crate::{Copy, Delete, FileError, Links, Patch, Stop, Workspace, Write, WriteKind};

/// A file system of a megabyte, unmounted when it is dropped.
struct Small(TempDir);

impl Small {
    fn mount() -> Option<Self> {
        Self::mount_at(TempDir::new().unwrap())
    }

    fn mount_at(dir: TempDir) -> Option<Self> {
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", "size=1m,mode=755", "tmpfs"])
            .arg(dir.path())
            .output()
            .is_ok_and(|output| output.status.success());
        mounted.then_some(Self(dir))
    }

    fn path(&self) -> &Path {
        self.0.path()
    }
}

impl Drop for Small {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(self.path()).status();
    }
}

/// Runs a test again where its user is the administrator and may mount, or says loudly that it did not run.
fn in_a_namespace(test: &str) {
    let own_namespace = || {
        let mut command = Command::new("unshare");
        command.args(["--user", "--map-root-user", "--mount"]).env(IN_NAMESPACE, "yes");
        command
    };
    let is_possible = || own_namespace().arg("true").output().is_ok_and(|output| output.status.success());
    if std::env::var_os(IN_NAMESPACE).is_some() || !is_possible() {
        eprintln!("NOT TESTED: {test}, because nothing can be mounted here");
        return;
    }
    let name = format!("{}::{test}", module_path!().split_once("::").unwrap().1);
    let status = own_namespace().arg(std::env::current_exe().unwrap()).args(["--exact", "--nocapture", &name]).status();
    assert!(status.unwrap().success(), "{name} in a namespace");
}

fn names(path: &Path) -> Vec<String> {
    let mut names: Vec<_> =
        std::fs::read_dir(path).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn tool_fs_delete_never_deletes_another_file_system() {
    let root = TempDir::new().unwrap();
    let Some(mounted) = Small::mount_at(TempDir::new_in(root.path()).unwrap()) else {
        return in_a_namespace("tool_fs_delete_never_deletes_another_file_system");
    };
    std::fs::write(mounted.path().join("file"), "x").unwrap();
    let workspace = Workspace::open(root.path(), Links::FollowInside).unwrap();
    let delete = Delete { recursive: true, force: true };
    let name = mounted.path().file_name().unwrap().as_encoded_bytes();
    let error = workspace.delete(name, delete, &mut allow, &Stop::on_request()).unwrap_err();
    assert!(matches!(error, FileError::OtherFileSystem), "{error}");
    assert_eq!(names(mounted.path()), ["file"]);
}

#[test]
fn a_full_disk_changes_nothing_whatever_is_written() {
    let Some(small) = Small::mount() else {
        return in_a_namespace("a_full_disk_changes_nothing_whatever_is_written");
    };
    let workspace = Workspace::open(small.path(), Links::Refuse).unwrap();
    let (stop, large) = (Stop::on_request(), vec![b'x'; 700 << 10]);
    workspace.write(b"file", &large, REPLACE, &mut allow, &stop).unwrap();
    let append = Write { kind: WriteKind::Append, ..REPLACE };
    let new_folder = Write { create_dirs: true, ..REPLACE };
    let diff = format!("--- /dev/null\n+++ b/new\n@@ -0,0 +1 @@\n+{}\n", "y".repeat(700 << 10));
    let patch = Patch::parse(diff.as_bytes()).unwrap();
    let results = [
        workspace.write(b"file", &large, REPLACE, &mut allow, &stop).err(),
        workspace.write(b"file", &large, append, &mut allow, &stop).err(),
        workspace.write(b"a/b/file", &large, new_folder, &mut allow, &stop).err(),
        workspace.edit(b"file", &large, &[&large[..], b"y"].concat(), &mut allow, &stop).err(),
        workspace.copy(b"file", b"copy", Copy::default(), &mut allow, &stop).err(),
        workspace.patch(&patch, &mut |_, _| Ok(()), &mut |_, _| Ok(()), &stop).err(),
    ];
    for (number, error) in results.into_iter().enumerate() {
        assert!(matches!(error, Some(FileError::NoSpace)), "{number}: {error:?}");
    }
    assert_eq!(names(small.path()), ["file"]);
    assert!(std::fs::read(small.path().join("file")).unwrap() == large);
}

#[test]
fn tool_fs_move_onto_another_file_system_is_refused_by_name() {
    let Some(small) = Small::mount() else {
        return in_a_namespace("tool_fs_move_onto_another_file_system_is_refused_by_name");
    };
    let above = small.path().parent().unwrap();
    let name = small.path().file_name().unwrap().to_str().unwrap().to_owned();
    let source = tempfile::NamedTempFile::new_in(above).unwrap();
    let workspace = Workspace::open(above, Links::Refuse).unwrap();
    let from = source.path().file_name().unwrap().to_str().unwrap();
    let to = format!("{name}/file");
    let moved =
        workspace.move_(from.as_bytes(), to.as_bytes(), crate::Move::default(), &mut allow, &Stop::on_request());
    assert!(matches!(moved, Err(FileError::OtherFileSystem)), "{moved:?}");
    assert!(source.path().exists() && names(small.path()).is_empty());
}

/// Set where the test runs again.
const IN_NAMESPACE: &str = "INTERDICT_TEST_IN_NAMESPACE";
