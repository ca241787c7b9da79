//! Editing: exactly one place, or nothing.

use super::TestRoot;
use crate::{Change, FileError, Stop};

#[test]
fn ctr_0010_an_edit_replaces_the_one_place() {
    let place = TestRoot::new();
    place.put("file", "one two three");
    let effect = place.edit("file", "two", "2").unwrap();
    assert_eq!(place.text("file"), "one 2 three");
    assert_eq!((effect.change, effect.size_bytes), (Change::Replaced, 11));
    assert_eq!(effect.sha256, Some(<sha2::Sha256 as sha2::Digest>::digest("one 2 three").into()));
    place.edit("file", "one 2 three", "").unwrap();
    assert_eq!(place.text("file"), "");
}

#[test]
fn ctr_0010_none_or_several_places_change_nothing_and_are_counted() {
    let place = TestRoot::new();
    place.put("file", "aXbXc");
    assert!(matches!(place.unchanged(|| place.edit("file", "Y", "Z")), FileError::NoMatch));
    assert!(matches!(place.unchanged(|| place.edit("file", "X", "Z")), FileError::ManyMatches { count: 2 }));
    assert!(matches!(place.unchanged(|| place.edit("file", "", "Z")), FileError::ManyMatches { count: 6 }));
}

#[test]
fn ctr_0010_places_that_overlap_are_several() {
    let place = TestRoot::new();
    place.put("file", "aaa");
    assert!(matches!(place.unchanged(|| place.edit("file", "aa", "b")), FileError::ManyMatches { count: 2 }));
}

#[test]
fn ctr_0010_counting_ends_at_its_limit() {
    let place = TestRoot::new();
    place.put("file", "a".repeat(1 << 20));
    let error = place.unchanged(|| place.edit("file", &"a".repeat(1 << 19), "b"));
    assert!(matches!(error, FileError::ManyMatches { count: 100 }));
}

#[test]
fn ctr_0009_an_edit_leaves_no_temporary_file() {
    let place = TestRoot::new();
    place.put("file", "x");
    place.edit("file", "x", "y").unwrap();
    assert_eq!(std::fs::read_dir(place.at("")).unwrap().count(), 1);
}

#[test]
fn invoke_notfound_a_missing_file_cannot_be_edited() {
    let place = TestRoot::new();
    assert!(matches!(place.unchanged(|| place.edit("file", "x", "y")), FileError::NotFound));
}

#[test]
fn sdk_locks_a_file_is_rewritten_in_one_turn() {
    let place = TestRoot::new();
    place.put("count", "0");
    std::thread::scope(|scope| {
        for _ in 0..16 {
            scope.spawn(|| {
                let mut add = |text: &[u8]| {
                    let number: u32 = std::str::from_utf8(text).unwrap().parse().unwrap();
                    Ok((number + 1).to_string().into_bytes())
                };
                place.workspace.rewrite(b"count", &mut add, &mut super::allow, &Stop::on_request()).unwrap();
            });
        }
    });
    assert_eq!(place.text("count"), "16");
    let mut refuse = |_: &[u8]| Err(FileError::NoMatch);
    let refused = || place.workspace.rewrite(b"count", &mut refuse, &mut super::allow, &Stop::on_request());
    assert!(matches!(place.unchanged(refused), FileError::NoMatch));
}

#[test]
fn ctr_0009_a_file_that_somebody_else_changes_meanwhile_is_left_to_them() {
    let place = TestRoot::new();
    place.put("file", "old");
    let mut make = |_: &[u8]| {
        place.put("file", "theirs");
        Ok(b"ours".to_vec())
    };
    let result = place.workspace.rewrite(b"file", &mut make, &mut super::allow, &Stop::on_request());
    assert!(matches!(result, Err(FileError::Changed)), "{result:?}");
    assert_eq!(place.text("file"), "theirs");
    assert_eq!(std::fs::read_dir(place.at("")).unwrap().count(), 1);
}
