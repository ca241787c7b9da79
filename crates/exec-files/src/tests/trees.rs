//! Moving, copying and deleting: files, links, whole folders; a folder with one denied file stays as it is.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use super::{TestRoot, allow, as_anybody, denying};
use crate::{Change, Copy, Delete, Effect, FileError, FileKind, Move, Stop};

const ALL: Delete = Delete { recursive: true, force: false };
const OVERWRITE: Move = Move { overwrite: true };

impl TestRoot {
    fn move_(&self, src: &str, dst: &str, how: Move) -> Result<Vec<Effect>, FileError> {
        self.workspace.move_(src.as_bytes(), dst.as_bytes(), how, &mut allow, &Stop::on_request())
    }

    fn copy(&self, src: &str, dst: &str, how: Copy) -> Result<Vec<Effect>, FileError> {
        self.workspace.copy(src.as_bytes(), dst.as_bytes(), how, &mut allow, &Stop::on_request())
    }

    fn delete(&self, path: &str, how: Delete) -> Result<Vec<Effect>, FileError> {
        self.workspace.delete(path.as_bytes(), how, &mut allow, &Stop::on_request())
    }
}

fn paths(effects: &[Effect]) -> Vec<&str> {
    effects.iter().map(|effect| std::str::from_utf8(&effect.path).unwrap()).collect()
}

#[test]
fn tool_fs_move_moves_a_file_and_a_folder() {
    let place = TestRoot::new();
    place.put("a", "x");
    place.put("folder/deep/file", "y");
    let effects = place.move_("a", "b", Move::default()).unwrap();
    assert_eq!(paths(&effects), ["b", "a"]);
    assert_eq!((&effects[0].change, effects[0].size_bytes), (&Change::MovedFrom(b"a".to_vec()), 1));
    assert_eq!(effects[1].change, Change::Removed);
    place.move_("folder", "moved", Move::default()).unwrap();
    assert_eq!((place.text("b").as_str(), place.text("moved/deep/file").as_str()), ("x", "y"));
    assert!(!place.at("a").exists() && !place.at("folder").exists());
}

#[test]
fn tool_fs_move_replaces_a_file_only_when_it_is_told_to_and_a_folder_never() {
    let place = TestRoot::new();
    place.put("a", "x");
    place.put("b", "y");
    place.put("folder/file", "z");
    fs::create_dir(place.at("empty")).unwrap();
    assert!(matches!(place.unchanged(|| place.move_("a", "b", Move::default())), FileError::Exists));
    for (src, dst) in [("a", "folder"), ("folder", "a"), ("folder", "empty"), ("a", "empty")] {
        assert!(matches!(place.unchanged(|| place.move_(src, dst, OVERWRITE)), FileError::Exists), "{src} {dst}");
    }
    place.move_("a", "b", OVERWRITE).unwrap();
    assert_eq!(place.text("b"), "x");
}

#[test]
fn tool_fs_move_onto_another_name_of_the_same_file_is_refused() {
    let place = TestRoot::new();
    place.put("a", "x");
    fs::hard_link(place.at("a"), place.at("b")).unwrap();
    assert!(matches!(place.unchanged(|| place.move_("a", "b", OVERWRITE)), FileError::Overlap));
}

#[test]
fn tool_fs_move_and_copy_into_themselves_and_of_the_root_are_refused() {
    let place = TestRoot::new();
    place.put("a/b", "x");
    for (src, dst) in [("a", "a"), ("a", "a/c"), ("a/b", "a")] {
        assert!(matches!(place.unchanged(|| place.move_(src, dst, OVERWRITE)), FileError::Overlap), "{src} {dst}");
        let copy = Copy { overwrite: true, preserve_mode: true };
        assert!(matches!(place.unchanged(|| place.copy(src, dst, copy)), FileError::Overlap), "{src} {dst}");
    }
    for (src, dst) in [("", "a"), ("a", "")] {
        assert!(matches!(place.unchanged(|| place.move_(src, dst, OVERWRITE)), FileError::Root));
        assert!(matches!(place.unchanged(|| place.copy(src, dst, Copy::default())), FileError::Root));
    }
    assert!(matches!(place.unchanged(|| place.delete("", ALL)), FileError::Root));
}

#[test]
fn tool_fs_move_copy_and_delete_show_every_path_below_to_the_judge_first() {
    let place = TestRoot::new();
    place.put("folder/fine", "x");
    place.put("folder/deep/.env", "secret");
    place.put("other", "x");
    let stop = Stop::on_request();
    let (mut moved, mut copied, mut deleted) = (Vec::new(), Vec::new(), Vec::new());
    for error in [
        place.unchanged(|| {
            place.workspace.move_(b"folder", b"new", Move::default(), &mut denying(&[".env"], &mut moved), &stop)
        }),
        place.unchanged(|| {
            place.workspace.copy(b"folder", b"new", Copy::default(), &mut denying(&[".env"], &mut copied), &stop)
        }),
        place.unchanged(|| place.workspace.delete(b"folder", ALL, &mut denying(&[".env"], &mut deleted), &stop)),
    ] {
        let FileError::DeniedBelow { count: 1, denied } = &error else { panic!("{error:?}") };
        assert!(denied.reason::<String>().unwrap().ends_with("folder/deep/.env"), "{error:?}");
    }
    let (mut asked, mut asked_to_delete) = (Vec::new(), Vec::new());
    place.workspace.move_(b"folder", b"new", Move::default(), &mut denying(&[], &mut asked), &stop).unwrap();
    assert_eq!(asked, ["folder/deep", "new/deep", "folder/deep/.env", "new/deep/.env", "folder/fine", "new/fine"]);
    place.workspace.delete(b"new", ALL, &mut denying(&[], &mut asked_to_delete), &stop).unwrap();
    assert_eq!(asked_to_delete, ["new/deep", "new/deep/.env", "new/fine"]);
}

/// The system would let go of everything else first.
#[test]
fn tool_fs_delete_of_what_somebody_else_keeps_in_a_sticky_folder_changes_nothing() {
    let place = TestRoot::new();
    place.put("t/a/sticky/other", "theirs");
    place.put("t/z/mine", "keep");
    fs::set_permissions(place.at("t/a/sticky"), fs::Permissions::from_mode(0o1777)).unwrap();
    // Only root can give a file away.
    let give = |path: &str| std::os::unix::fs::chown(place.at(path), Some(12_345), None).is_ok();
    if !give("t/a/sticky") || !give("t/a/sticky/other") {
        return;
    }
    let error = place.unchanged(|| as_anybody(|| place.delete("t", ALL)));
    assert!(matches!(error, FileError::Io { errno: 1, .. }), "{error:?}");
    // One's own can go from there.
    std::os::unix::fs::chown(place.at("t/a/sticky/other"), Some(0), None).unwrap();
    as_anybody(|| place.delete("t/a/sticky/other", Delete::default())).unwrap();
}

#[test]
fn tool_fs_move_and_copy_judge_where_things_would_come_to_lie() {
    let place = TestRoot::new();
    place.put("mine/hooks/pre-commit", "evil");
    fs::create_dir(place.at(".git")).unwrap();
    let stop = Stop::on_request();
    for copies in [false, true] {
        let error = place.unchanged(|| {
            let mut asked = Vec::new();
            let judge = &mut denying(&[".git/x/hooks"], &mut asked);
            if copies {
                place.workspace.copy(b"mine", b".git/x", Copy::default(), judge, &stop)
            } else {
                place.workspace.move_(b"mine", b".git/x", Move::default(), judge, &stop)
            }
        });
        assert!(matches!(error, FileError::DeniedBelow { count: 2, .. }), "{error:?}");
    }
}

#[test]
fn invoke_contain_a_move_or_copy_through_a_link_out_is_an_escape() {
    let place = TestRoot::new();
    place.put("a", "x");
    place.link("out", "../outside");
    for (src, dst) in [("a", "out/a"), ("out/secret", "stolen")] {
        assert!(matches!(place.unchanged(|| place.move_(src, dst, OVERWRITE)), FileError::Escape));
        assert!(matches!(place.unchanged(|| place.copy(src, dst, Copy::default())), FileError::Escape));
    }
    assert!(matches!(place.unchanged(|| place.delete("out/secret", ALL)), FileError::Escape));
    assert!(matches!(place.unchanged(|| place.copy("out", "copy", Copy::default())), FileError::Escape));
}

#[test]
fn tool_fs_move_moves_a_link_itself_and_replaces_one_itself() {
    let place = TestRoot::new();
    place.link("link", "../outside/secret");
    place.move_("link", "moved", Move::default()).unwrap();
    assert_eq!(fs::read_link(place.at("moved")).unwrap().to_str(), Some("../outside/secret"));
    place.put("a", "x");
    place.move_("a", "moved", OVERWRITE).unwrap();
    assert_eq!(place.text("moved"), "x");
    assert_eq!(fs::read_to_string(place.outside().join("secret")).unwrap(), super::SECRET);
}

#[test]
fn tool_fs_copy_copies_a_file_with_or_without_its_mode() {
    let place = TestRoot::new();
    place.put("a", "x");
    fs::set_permissions(place.at("a"), fs::Permissions::from_mode(0o6751)).unwrap();
    let mode = |path: &str| fs::metadata(place.at(path)).unwrap().permissions().mode() & 0o7777;
    let effects = place.copy("a", "kept", Copy { overwrite: false, preserve_mode: true }).unwrap();
    assert_eq!(effects, [Effect::written(b"kept", Change::Created, b"x")]);
    place.copy("a", "plain", Copy::default()).unwrap();
    assert_eq!((mode("kept"), mode("plain") & 0o111), (0o751, 0));
    place.put("a", "y");
    assert!(matches!(place.unchanged(|| place.copy("a", "kept", Copy::default())), FileError::Exists));
    let effects = place.copy("a", "kept", Copy { overwrite: true, preserve_mode: false }).unwrap();
    assert_eq!(effects[0].change, Change::Replaced);
    assert_eq!((place.text("kept").as_str(), mode("kept")), ("y", 0o751));
}

#[test]
fn tool_fs_copy_copies_a_folder_with_links_as_links() {
    let place = TestRoot::new();
    place.put("a/deep/file", "x");
    place.put("a/run", "y");
    fs::create_dir(place.at("a/empty")).unwrap();
    fs::set_permissions(place.at("a/run"), fs::Permissions::from_mode(0o700)).unwrap();
    fs::set_permissions(place.at("a/deep"), fs::Permissions::from_mode(0o500)).unwrap();
    place.link("a/link", "deep/file");
    let effects = place.copy("a", "b", Copy { overwrite: false, preserve_mode: true }).unwrap();
    assert_eq!(paths(&effects), ["b", "b/deep", "b/deep/file", "b/empty", "b/link", "b/run"]);
    assert_eq!((place.text("b/deep/file").as_str(), place.text("b/run").as_str()), ("x", "y"));
    assert_eq!(fs::read_link(place.at("b/link")).unwrap().to_str(), Some("deep/file"));
    let mode = |path: &str| fs::metadata(place.at(path)).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode("b/run"), mode("b/deep")), (0o700, 0o500));
    assert!(matches!(place.unchanged(|| place.copy("a", "b", Copy::default())), FileError::Exists));
    // So that they can be cleared away.
    for path in ["a/deep", "b/deep"] {
        fs::set_permissions(place.at(path), fs::Permissions::from_mode(0o700)).unwrap();
    }
}

/// When it fails, its folders have the modes of the originals already, which let nobody remove what is in them.
#[test]
fn tool_fs_copy_that_fails_leaves_nothing_whatever_the_modes() {
    let place = TestRoot::new();
    place.put("from/closed/deep/file", "x");
    for folder in ["from/closed/deep", "from/closed", "from"] {
        fs::set_permissions(place.at(folder), fs::Permissions::from_mode(0o500)).unwrap();
    }
    let how = Copy { preserve_mode: true, ..Copy::default() };
    // Somebody takes the name after it was looked at.
    let mut judge = |_: &[u8]| {
        let _ = fs::create_dir(place.at("to"));
        Ok(())
    };
    let copied = as_anybody(|| place.workspace.copy(b"from", b"to", how, &mut judge, &Stop::on_request()));
    assert!(matches!(copied, Err(FileError::Exists)), "{copied:?}");
    let mut names: Vec<_> = fs::read_dir(place.at("")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["from", "to"]);
}

#[test]
fn tool_fs_copy_of_a_folder_with_a_pipe_leaves_nothing() {
    let place = TestRoot::new();
    place.put("a/file", "x");
    rustix::fs::mkfifoat(rustix::fs::CWD, place.at("a/pipe"), rustix::fs::Mode::from_raw_mode(0o600)).unwrap();
    let error = place.unchanged(|| place.copy("a", "b", Copy::default()));
    assert!(matches!(error, FileError::NotAFile { kind: FileKind::Pipe }));
}

#[test]
fn tool_fs_delete_has_safe_defaults() {
    let place = TestRoot::new();
    place.put("file", "x");
    place.put("folder/file", "x");
    fs::create_dir(place.at("empty")).unwrap();
    let force = Delete { recursive: false, force: true };
    assert!(matches!(place.unchanged(|| place.delete("missing", Delete::default())), FileError::NotFound));
    assert!(matches!(place.unchanged(|| place.delete("no/such", Delete::default())), FileError::NoFolder { .. }));
    assert!(place.delete("missing", force).unwrap().is_empty());
    assert!(place.delete("no/such", force).unwrap().is_empty());
    assert!(matches!(place.unchanged(|| place.delete("folder", Delete::default())), FileError::Folder));
    assert!(matches!(place.unchanged(|| place.delete("folder", force)), FileError::Folder));
    assert_eq!(paths(&place.delete("empty", Delete::default()).unwrap()), ["empty"]);
    assert_eq!(paths(&place.delete("file", Delete::default()).unwrap()), ["file"]);
    assert_eq!(paths(&place.delete("folder", ALL).unwrap()), ["folder", "folder/file"]);
    assert_eq!(fs::read_dir(place.at("")).unwrap().count(), 0);
}

#[test]
fn tool_fs_delete_of_a_folder_removes_links_and_never_what_they_lead_to() {
    let place = TestRoot::new();
    place.put("folder/a/b", "x");
    place.link("folder/out", "../../outside");
    place.link("folder/a/leaf", "../../../outside/secret");
    place.delete("folder", ALL).unwrap();
    assert!(!place.at("folder").exists());
    assert_eq!(fs::read_to_string(place.outside().join("secret")).unwrap(), super::SECRET);
}

#[test]
fn tool_fs_delete_puts_a_folder_back_that_somebody_adds_to_while_it_is_judged() {
    let place = TestRoot::new();
    place.put("folder/file", "x");
    let mut judge = |_: &[u8]| {
        place.put("folder/added", "not judged");
        Ok(())
    };
    let result = place.workspace.delete(b"folder", ALL, &mut judge, &Stop::on_request());
    assert!(matches!(result, Err(FileError::Changed)), "{result:?}");
    assert_eq!((place.text("folder/file").as_str(), place.text("folder/added").as_str()), ("x", "not judged"));
    assert_eq!(fs::read_dir(place.at("")).unwrap().count(), 1);
}

#[test]
fn trust_limits_a_tree_that_is_deeper_than_a_path_can_say_is_refused_as_a_whole() {
    let place = TestRoot::new();
    place.make_deeper_than_a_path();
    let error = place.delete("d", ALL).unwrap_err();
    assert_eq!(error.to_string(), "a path below it is longer than 4095 bytes");
    assert!(matches!(place.move_("d", "e", Move::default()), Err(FileError::LongPath { .. })));
    assert!(matches!(place.copy("d", "e", Copy::default()), Err(FileError::LongPath { .. })));
    assert!(place.at("d").exists() && !place.at("e").exists());
    place.remove_deep();
}

#[test]
fn tool_fs_delete_of_a_folder_that_cannot_be_emptied_does_not_start() {
    let place = TestRoot::new();
    place.put("folder/a/file", "x");
    place.put("folder/b/file", "x");
    fs::set_permissions(place.at("folder/a"), fs::Permissions::from_mode(0o555)).unwrap();
    if fs::write(place.at("folder/a/other"), "").is_ok() {
        eprintln!("NOT TESTED: protected folders, because the administrator may write to them");
        return;
    }
    assert!(matches!(place.unchanged(|| place.delete("folder", ALL)), FileError::Io { .. }));
    fs::set_permissions(place.at("folder/a"), fs::Permissions::from_mode(0o755)).unwrap();
}
