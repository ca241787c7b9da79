//! A patch that fails between its first change and its last is taken back.

use std::fs;

use tempfile::TempDir;

use super::{Patch, Workspace};
use crate::files::patch::commit::{Step, commit};
use crate::files::{FileError, Links, Stop};

const DIFF: &[u8] = b"\
--- a/changed
+++ b/changed
@@ -1 +1 @@
-old
+new
--- a/gone
+++ /dev/null
@@ -1 +0,0 @@
-bye
--- /dev/null
+++ b/made/folder/file
@@ -0,0 +1 @@
+hello
--- a/last
+++ b/last
@@ -1 +1 @@
-old
+new
--- /dev/null
+++ b/obstructed
@@ -0,0 +1 @@
+hello
";

fn prepared() -> (TempDir, Workspace) {
    let dir = TempDir::new().unwrap();
    for (name, content) in [("changed", "old\n"), ("gone", "bye\n"), ("last", "old\n")] {
        fs::write(dir.path().join(name), content).unwrap();
    }
    let workspace = Workspace::open(dir.path(), Links::Refuse).unwrap();
    (dir, workspace)
}

fn staged(workspace: &Workspace) -> Vec<Step> {
    let patch = Patch::parse(DIFF).unwrap();
    let places = workspace.places(&patch, &mut |_, _| Ok(())).unwrap();
    workspace.stage_all(&patch, &places, &mut |_, _| Ok(()), &Stop::when_told()).unwrap()
}

/// Names and contents; folders are names alone.
fn everything(dir: &TempDir) -> Vec<(String, String)> {
    let mut all: Vec<_> = fs::read_dir(dir.path())
        .unwrap()
        .map(|entry| entry.unwrap())
        .map(|entry| (entry.file_name().into_string().unwrap(), fs::read_to_string(entry.path()).unwrap_or_default()))
        .collect();
    all.sort();
    all
}

fn pairs(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs.iter().map(|(name, content)| ((*name).to_owned(), (*content).to_owned())).collect()
}

#[test]
fn tool_file_patch_that_fails_at_its_last_file_puts_all_others_back() {
    let (dir, workspace) = prepared();
    let steps = staged(&workspace);
    fs::write(dir.path().join("obstructed"), "somebody else's").unwrap();
    assert!(matches!(commit(steps), Err(FileError::Exists)));
    let expected = [("changed", "old\n"), ("gone", "bye\n"), ("last", "old\n"), ("obstructed", "somebody else's")];
    assert_eq!(everything(&dir), pairs(&expected));
}

#[test]
fn tool_file_patch_that_finds_a_file_changed_in_the_middle_puts_those_before_it_back() {
    let (dir, workspace) = prepared();
    let steps = staged(&workspace);
    fs::write(dir.path().join("last"), "somebody else's").unwrap();
    assert!(matches!(commit(steps), Err(FileError::Changed)));
    assert_eq!(everything(&dir), pairs(&[("changed", "old\n"), ("gone", "bye\n"), ("last", "somebody else's")]));
}

#[test]
fn tool_file_patch_that_is_given_up_before_it_starts_leaves_nothing() {
    let (dir, workspace) = prepared();
    drop(staged(&workspace));
    assert_eq!(everything(&dir), pairs(&[("changed", "old\n"), ("gone", "bye\n"), ("last", "old\n")]));
}

#[test]
fn tool_file_patch_that_succeeds_leaves_what_it_says_and_nothing_else() {
    let (dir, workspace) = prepared();
    assert_eq!(commit(staged(&workspace)).unwrap().len(), 5);
    assert_eq!(
        everything(&dir),
        pairs(&[("changed", "new\n"), ("last", "new\n"), ("made", ""), ("obstructed", "hello\n")])
    );
    assert_eq!(fs::read_to_string(dir.path().join("made/folder/file")).unwrap(), "hello\n");
}
