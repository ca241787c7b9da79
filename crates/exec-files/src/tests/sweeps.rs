//! The next start removes what killed processes have left in a root, and nothing else.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use super::{TestRoot, allow, as_anybody};
use crate::maker::temporary_name;
use crate::{Copy, Links, Move, Stop};

#[test]
fn ctr_0009_what_the_dead_left_is_removed_and_nothing_else() {
    let place = TestRoot::with(Links::Refuse);
    // No process has this number.
    let left = ".interdict-7fffffff-1-0123456789abcdef.tmp";
    let mine = String::from_utf8(temporary_name().unwrap()).unwrap();
    place.put("a", "x");
    place.put(&mine, "under way");
    place.put(".interdict-notes.tmp", "somebody's own");
    place.put("deep/er/b", "x");
    let before = place.everything();
    place.put(left, "half");
    place.put(&format!("deep/{left}"), "half");
    place.put(&format!("deep/er/{left}/tree/c"), "half");
    place.put(&format!("deep/er/{left}/tree/d"), "half");
    // What a link leads to is not looked into.
    place.link("link", "../outside");
    fs::write(place.outside().join(left), "outside").unwrap();
    place.link(&format!("deep/er/{left}/out"), "../../../../outside");
    assert_eq!(place.workspace.sweep(&Stop::on_request()).unwrap(), 3);
    assert!(place.outside().join(left).exists());
    fs::remove_file(place.outside().join(left)).unwrap();
    fs::remove_file(place.at("link")).unwrap();
    assert_eq!(before, place.everything());
    assert_eq!(place.workspace.sweep(&Stop::on_request()).unwrap(), 0);
}

#[test]
fn ctr_0009_what_the_dead_left_is_removed_whatever_its_modes() {
    let place = TestRoot::with(Links::Refuse);
    let left = ".interdict-7fffffff-1-0123456789abcdef.tmp";
    place.put(&format!("{left}/closed/deep/file"), "half");
    for (folder, mode) in [("closed/deep", 0o500), ("closed", 0), ("", 0o500)] {
        fs::set_permissions(place.at(left).join(folder), fs::Permissions::from_mode(mode)).unwrap();
    }
    assert_eq!(as_anybody(|| place.workspace.sweep(&Stop::on_request())).unwrap(), 1);
    assert!(!place.at(left).exists());
}

/// Whatever is called so goes at the next start: no request may call something so.
#[test]
fn ctr_0009_no_request_names_what_a_sweep_would_remove() {
    use crate::FileError::Reserved;
    let place = TestRoot::with(Links::FollowInside);
    let left = ".interdict-7fffffff-1-0123456789abcdef.tmp";
    place.put("folder/a", "x");
    place.link("link", left);
    let (workspace, stop) = (&place.workspace, Stop::on_request());
    for path in [left.to_owned(), format!("folder/{left}"), format!("{left}/b")] {
        assert!(matches!(place.unchanged(|| place.write(&path, "x")), Reserved), "{path}");
        let moved = || workspace.move_(b"folder/a", path.as_bytes(), Move::default(), &mut allow, &stop);
        assert!(matches!(place.unchanged(moved), Reserved), "{path}");
        let copied = || workspace.copy(b"folder", path.as_bytes(), Copy::default(), &mut allow, &stop);
        assert!(matches!(place.unchanged(copied), Reserved), "{path}");
    }
    assert!(matches!(place.unchanged(|| place.write("link", "x")), Reserved));
    assert!(place.write(".interdict-notes.tmp", "x").is_ok());
}

#[test]
fn a_sweep_ends_when_it_is_told_to() {
    let place = TestRoot::with(Links::Refuse);
    let stop = Stop::on_request();
    stop.stop();
    assert!(matches!(place.workspace.sweep(&stop), Err(crate::FileError::Cancelled)));
}
