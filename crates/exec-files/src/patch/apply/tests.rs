//! A patch that fails between its first change and its last is taken back, and so is one that a crash ends there.

use std::collections::BTreeSet;
use std::fs;

use tempfile::TempDir;

use super::{Patch, Workspace};

use super::{AppliedStep, PatchStep, commit};
use crate::{Effect, FileError, Journal, Links, Recovery, SkipReason, Stop, recover};

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

fn staged(workspace: &Workspace) -> Vec<PatchStep> {
    let patch = Patch::parse(DIFF).unwrap();
    let resolved = workspace.resolve_sections(&patch, &mut |_, _| Ok(())).unwrap();
    workspace.stage_all(&patch, &resolved, &mut |_, _| Ok(()), &Stop::on_request()).unwrap()
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
    assert!(matches!(commit(steps, None), Err(FileError::Exists)));
    let expected = [("changed", "old\n"), ("gone", "bye\n"), ("last", "old\n"), ("obstructed", "somebody else's")];
    assert_eq!(everything(&dir), pairs(&expected));
}

#[test]
fn tool_file_patch_that_finds_a_file_changed_in_the_middle_puts_those_before_it_back() {
    let (dir, workspace) = prepared();
    let steps = staged(&workspace);
    fs::write(dir.path().join("last"), "somebody else's").unwrap();
    assert!(matches!(commit(steps, None), Err(FileError::Changed)));
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
    assert_eq!(commit(staged(&workspace), None).unwrap().len(), 5);
    assert_eq!(
        everything(&dir),
        pairs(&[("changed", "new\n"), ("last", "new\n"), ("made", ""), ("obstructed", "hello\n")])
    );
    assert_eq!(fs::read_to_string(dir.path().join("made/folder/file")).unwrap(), "hello\n");
}

/// A workspace with a journal, and the state it lies in.
fn journaled() -> (TempDir, Workspace, TempDir) {
    let (dir, workspace) = prepared();
    let state = TempDir::new().unwrap();
    let workspace = workspace.with_journal(Journal::open(state.path()).unwrap());
    (dir, workspace, state)
}

/// Makes some of the changes, and leaves everything as a process does that is killed, for as long as the answer is held.
#[must_use]
fn crash_after(workspace: &Workspace, changes: usize) -> (Vec<(AppliedStep, Effect)>, Vec<PatchStep>) {
    let steps = staged(workspace);
    workspace.record(|| steps.iter().map(PatchStep::record).collect()).unwrap();
    let mut steps = steps.into_iter();
    let made = steps.by_ref().take(changes).map(|step| step.apply().unwrap()).collect();
    (made, steps.collect())
}

fn recovered(state: &TempDir) -> Vec<Recovery> {
    let recovered = recover(state.path(), &BTreeSet::new(), &Stop::on_request());
    let entries = fs::read_dir(state.path().join("undo")).unwrap().count();
    assert_eq!(entries, 0, "{recovered:?}");
    recovered
}

#[test]
fn tool_file_patch_that_a_crash_ends_is_taken_back_wherever_that_was() {
    for changes in 0..=5 {
        let (dir, workspace, state) = journaled();
        let before = everything(&dir);
        let _held = crash_after(&workspace, changes);
        assert_ne!(everything(&dir), before);
        match recovered(&state).as_slice() {
            [] if changes == 0 => {}
            [Recovery::Undone { root, paths }] => assert_eq!((root.as_path(), *paths), (workspace.path(), changes)),
            other => panic!("after {changes} changes: {other:?}"),
        }
        assert_eq!(everything(&dir), before, "after {changes} changes");
        // It can be applied now, which shows that every file is the one it was.
        assert_eq!(commit(staged(&workspace), None).unwrap().len(), 5);
    }
}

/// A start can be killed as well.
#[test]
fn tool_file_patch_that_was_taken_back_in_part_is_taken_back() {
    let (dir, workspace, state) = journaled();
    let before = everything(&dir);
    let _held = crash_after(&workspace, 5);
    let aside =
        everything(&dir).into_iter().find(|(name, content)| name.starts_with(".interdict-") && content == "bye\n");
    fs::rename(dir.path().join(aside.unwrap().0), dir.path().join("gone")).unwrap();
    fs::remove_file(dir.path().join("obstructed")).unwrap();
    assert!(matches!(recovered(&state).as_slice(), [Recovery::Undone { paths: 3, .. }]));
    assert_eq!(everything(&dir), before);
}

#[test]
fn tool_file_patch_that_is_done_is_never_taken_back() {
    let (dir, workspace, state) = journaled();
    let steps = staged(&workspace);
    let entry = workspace.record(|| steps.iter().map(PatchStep::record).collect()).unwrap();
    assert_eq!(fs::read_dir(state.path().join("undo")).unwrap().count(), 1);
    commit(steps, entry).unwrap();
    let after = everything(&dir);
    assert!(recovered(&state).is_empty());
    assert_eq!(everything(&dir), after);
}

#[test]
fn tool_file_patch_that_fails_leaves_no_entry() {
    let (dir, workspace, state) = journaled();
    let steps = staged(&workspace);
    let entry = workspace.record(|| steps.iter().map(PatchStep::record).collect()).unwrap();
    fs::write(dir.path().join("obstructed"), "somebody else's").unwrap();
    assert!(matches!(commit(steps, entry), Err(FileError::Exists)));
    assert_eq!(fs::read_dir(state.path().join("undo")).unwrap().count(), 0);
}

/// A file that was written after the crash is worth more than its content before it.
#[test]
fn tool_file_patch_whose_files_were_changed_since_is_left_and_told() {
    for (name, content) in
        [("changed", "newer\n"), ("gone", "here again\n"), ("last", "other\n"), ("obstructed", "mine")]
    {
        let (dir, workspace, state) = journaled();
        let _held = crash_after(&workspace, 3);
        fs::write(dir.path().join(name), content).unwrap();
        let before = everything(&dir);
        let told = recovered(&state);
        let [Recovery::Skipped { reason: SkipReason::Changed { path }, .. }] = told.as_slice() else {
            panic!("{told:?}")
        };
        assert_eq!(path, name.as_bytes());
        assert_eq!(everything(&dir), before);
    }
}

#[test]
fn tool_file_patch_keeps_its_entry_until_its_root_is_there() {
    let (dir, workspace, state) = journaled();
    let before = everything(&dir);
    let _held = crash_after(&workspace, 2);
    let elsewhere = dir.path().with_extension("moved");
    fs::rename(dir.path(), &elsewhere).unwrap();
    let told = recover(state.path(), &BTreeSet::new(), &Stop::on_request());
    assert!(matches!(told.as_slice(), [Recovery::Failed { .. }]), "{told:?}");
    fs::rename(&elsewhere, dir.path()).unwrap();
    assert!(matches!(recovered(&state).as_slice(), [Recovery::Undone { paths: 2, .. }]));
    assert_eq!(everything(&dir), before);
}

#[test]
fn an_unreadable_entry_is_reported_and_an_incomplete_one_is_removed() {
    let state = TempDir::new().unwrap();
    drop(Journal::open(state.path()).unwrap());
    fs::write(state.path().join("undo/0.entry"), [0xff; 10]).unwrap();
    fs::write(state.path().join("undo/1.entry.incomplete"), "half").unwrap();
    assert!(matches!(recovered(&state).as_slice(), [Recovery::Skipped { reason: SkipReason::Unreadable, .. }]));
}
