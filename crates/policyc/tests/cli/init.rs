//! `policyc init`: the starter is a good policy, and no file is lost to it.

use std::fs;

use crate::support::{GOOD, folder, folder_with, policyc};

#[test]
fn the_starter_passes_check_without_a_warning_and_is_laid_out() {
    let place = folder();
    let run = policyc(place.path(), ["init"]).run();
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
    assert!(run.stdout.starts_with("wrote interdict.policy\n"), "{}", run.stdout);
    assert!(run.stdout.contains("policyc check interdict.policy\n"), "{}", run.stdout);

    let run = policyc(place.path(), ["check", "--fail-level", "warning", "interdict.policy"]).run();
    assert_eq!((run.code, run.stdout.as_str()), (Some(0), "interdict.policy: no findings\n"));
    let run = policyc(place.path(), ["fmt", "--check", "interdict.policy"]).run();
    assert_eq!(run.code, Some(0), "{}", run.stdout);
}

#[test]
fn the_starter_has_a_test_for_each_rule() {
    let place = folder();
    policyc(place.path(), ["init"]).run();
    let text = fs::read_to_string(place.path().join("interdict.policy")).unwrap();
    let rules: Vec<_> = text.lines().filter_map(|line| line.strip_prefix("rule ")?.strip_suffix(':')).collect();
    assert_eq!(rules.len(), 4);
    for rule in rules {
        assert!(text.lines().any(|line| line.ends_with(&format!(" by {rule}"))), "no test for {rule}");
    }
}

#[test]
fn a_file_that_is_there_is_kept_unless_forced() {
    let place = folder_with(&[("mine.policy", GOOD)]);
    let run = policyc(place.path(), ["init", "mine.policy"]).run();
    assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""));
    assert_eq!(
        run.stderr,
        "error: `mine.policy` exists already\nhelp: choose another path, or replace it with --force\n"
    );
    assert_eq!(fs::read_to_string(place.path().join("mine.policy")).unwrap(), GOOD);

    assert_eq!(policyc(place.path(), ["init", "--force", "mine.policy"]).run().code, Some(0));
    assert_ne!(fs::read_to_string(place.path().join("mine.policy")).unwrap(), GOOD);
    assert_eq!(policyc(place.path(), ["init", "--force", "new.policy"]).run().code, Some(0));
}

#[test]
fn what_cannot_be_written_is_exit_code_2() {
    let place = folder_with(&[("file", "")]);
    for path in ["missing/x.policy", "file/x.policy", "."] {
        for arguments in [&["init", path][..], &["init", "--force", path]] {
            let run = policyc(place.path(), arguments).run();
            assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{arguments:?}");
            assert!(run.stderr.starts_with("error: "), "{arguments:?} {}", run.stderr);
        }
    }
}
