//! `policyc fmt`: what is printed, what is rewritten and what never is.

use std::fs;
use std::path::Path;

use crate::support::{BAD, folder_with, policyc};

#[test]
fn one_file_or_the_standard_input_is_printed() {
    let place = folder_with(&[("loose.policy", LOOSE)]);
    for (arguments, input) in [(&["fmt", "loose.policy"][..], ""), (&["fmt"], LOOSE), (&["fmt", "-"], LOOSE)] {
        let run = policyc(place.path(), arguments).input(input).run();
        assert_eq!((run.code, run.stdout.as_str(), run.stderr.as_str()), (Some(0), NEAT, ""), "{arguments:?}");
    }
    assert_eq!(text(place.path(), "loose.policy"), LOOSE);
}

#[test]
fn write_replaces_what_needs_it_and_leaves_the_rest_alone() {
    let place = folder_with(&[("loose.policy", LOOSE), ("neat.policy", NEAT)]);
    let before = fs::metadata(place.path().join("neat.policy")).unwrap();
    let run = policyc(place.path(), ["fmt", "--write", "loose.policy", "neat.policy"]).run();
    assert_eq!((run.code, run.stdout.as_str()), (Some(0), "1 file rewritten, 1 file unchanged\n"), "{run:?}");
    assert_eq!(text(place.path(), "loose.policy"), NEAT);
    let after = fs::metadata(place.path().join("neat.policy")).unwrap();
    assert_eq!(before.modified().unwrap(), after.modified().unwrap());
    assert!(is_same_file(&before, &after), "an unchanged file was replaced");
    assert_eq!(names(place.path()), ["loose.policy", "neat.policy"], "nothing is left behind");
}

#[test]
fn check_lists_what_would_change_and_changes_nothing() {
    let place = folder_with(&[("loose.policy", LOOSE), ("neat.policy", NEAT)]);
    let run = policyc(place.path(), ["fmt", "--check", "neat.policy", "loose.policy"]).run();
    assert_eq!(run.code, Some(1));
    assert_eq!(
        run.stdout,
        "loose.policy:1: would be laid out differently\n\
         - policy   loose language 1\n- role  reader\n\
         + policy loose language 1\n+ \n+ role reader\n\
         1 file would change, 1 file would not\n"
    );
    assert_eq!(text(place.path(), "loose.policy"), LOOSE);
    assert_eq!(policyc(place.path(), ["fmt", "--check", "neat.policy"]).run().code, Some(0));
    assert_eq!(policyc(place.path(), ["fmt", "--check"]).input(LOOSE).run().code, Some(1));
}

#[test]
fn a_file_with_a_syntax_error_is_shown_and_never_written() {
    let place = folder_with(&[("bad.policy", BAD), ("loose.policy", LOOSE)]);
    let run = policyc(place.path(), ["fmt", "bad.policy"]).run();
    assert_eq!((run.code, run.stdout.as_str()), (Some(1), ""));
    assert!(run.stderr.starts_with("error[E0201]: "), "{}", run.stderr);
    let run = policyc(place.path(), ["fmt", "--write", "bad.policy", "loose.policy"]).run();
    assert_eq!((run.code, run.stdout.as_str()), (Some(1), "1 file rewritten, 0 files unchanged\n"));
    assert_eq!(text(place.path(), "bad.policy"), BAD);
    assert_eq!(text(place.path(), "loose.policy"), NEAT, "the other file is written all the same");
}

#[test]
fn bytes_that_are_no_policy_are_findings() {
    let place = folder_with(&[]);
    for (bytes, code) in [(vec![0xFF], "E0103"), (vec![b'#'; (1 << 20) + 1], "E0102"), (vec![0], "E0105")] {
        let run = policyc(place.path(), ["fmt"]).input(bytes).run();
        assert_eq!((run.code, run.stdout.as_str()), (Some(1), ""));
        assert!(run.stderr.contains(&format!("error[{code}]: ")), "{}", run.stderr);
    }
}

#[test]
fn what_cannot_run_is_exit_code_2() {
    let place = folder_with(&[("loose.policy", LOOSE), ("neat.policy", NEAT)]);
    for arguments in [
        &["fmt", "missing.policy"][..],
        &["fmt", "."],
        &["fmt", "loose.policy", "neat.policy"],
        &["fmt", "--write"],
        &["fmt", "--write", "-"],
        &["fmt", "--write", "--check", "loose.policy"],
        &["fmt", "--check", "missing.policy", "neat.policy"],
    ] {
        let run = policyc(place.path(), arguments).run();
        assert_eq!(run.code, Some(2), "{arguments:?} {run:?}");
        assert!(run.stderr.starts_with("error: "), "{arguments:?} {run:?}");
    }
    assert_eq!(text(place.path(), "loose.policy"), LOOSE);
}

#[cfg(unix)]
#[test]
fn a_rewritten_file_keeps_its_permissions_and_its_links() {
    use std::os::unix::fs::{PermissionsExt, symlink};

    let place = folder_with(&[("loose.policy", LOOSE), ("locked.policy", LOOSE)]);
    let at = |name: &str| place.path().join(name);
    fs::set_permissions(at("loose.policy"), fs::Permissions::from_mode(0o640)).unwrap();
    fs::set_permissions(at("locked.policy"), fs::Permissions::from_mode(0o444)).unwrap();
    symlink("loose.policy", at("link.policy")).unwrap();

    let run = policyc(place.path(), ["fmt", "--write", "link.policy", "locked.policy"]).run();
    assert_eq!(run.code, Some(2), "{run:?}");
    assert!(run.stderr.starts_with("error: cannot write `locked.policy`: "), "{}", run.stderr);
    assert_eq!(text(place.path(), "loose.policy"), NEAT);
    assert_eq!(text(place.path(), "locked.policy"), LOOSE);
    assert_eq!(fs::metadata(at("loose.policy")).unwrap().permissions().mode() & 0o777, 0o640);
    assert!(fs::symlink_metadata(at("link.policy")).unwrap().is_symlink());
    assert_eq!(names(place.path()), ["link.policy", "locked.policy", "loose.policy"]);
}

fn text(place: &Path, name: &str) -> String {
    fs::read_to_string(place.join(name)).unwrap()
}

fn names(place: &Path) -> Vec<String> {
    let name = |entry: std::io::Result<fs::DirEntry>| entry.unwrap().file_name().into_string().unwrap();
    let mut names: Vec<_> = fs::read_dir(place).unwrap().map(name).collect();
    names.sort();
    names
}

#[cfg(unix)]
fn is_same_file(before: &fs::Metadata, after: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    before.ino() == after.ino()
}

#[cfg(not(unix))]
fn is_same_file(_: &fs::Metadata, _: &fs::Metadata) -> bool {
    true
}

const LOOSE: &str = "policy   loose language 1\nrole  reader\n";

const NEAT: &str = "policy loose language 1\n\nrole reader\n";
