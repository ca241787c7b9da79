//! A policy that cannot be read, is not whole or is for another program: nothing runs, and nothing is answered as if it did.

use std::fs;

use policy_judge::CheckOptions;
use serde_json::json;

use crate::support::{Place, ask};

const RULES: &str = "rule work:\n  allow coder to file.*\n";

/// Nothing runs with what is at the policy's place now.
fn runs_nothing(place: &Place, what: &str, expected: &str) {
    let said = place.run(&[ask("file_write", &json!({ "path": "a", "content": "x" }))]);
    assert_eq!((said.lines.len(), said.code), (0, Some(2)), "{what}: {}", said.errors);
    assert!(said.errors.contains(expected), "{what}: {}", said.errors);
    assert!(!place.root().join("a").exists(), "{what}");
    assert!(!place.state().exists(), "{what}");
}

#[test]
fn trust_fail_closed_a_policy_with_a_mistake_runs_nothing() {
    let place = Place::new(RULES, &[]);
    for (what, text, expected) in [
        (
            "syntax",
            "policy mine language 1\nrole coder\nrule work: allow coder file.*\n",
            "mine.policy:3:24: error[E0201]: ",
        ),
        ("a role", "policy mine language 1\nrule work: allow coder to file.*\n", "mine.policy:2:18: error[E0401]: "),
        ("an operation", "policy mine language 1\nrole coder\nrule work: allow coder to file.fly\n", "error[E0402]: "),
        ("a language", "policy mine language 2\nrole coder\nrule work: allow coder to file.*\n", "error[E0210]: "),
        ("nothing", "", "mine.policy:1:1: error["),
        ("a failing test", "policy mine language 1\nrole r\ntest a: r file.read => allow\n", "3:24: error[E0701]: "),
    ] {
        fs::write(place.policy(), text).unwrap();
        runs_nothing(&place, what, expected);
    }
    fs::write(place.policy(), b"policy mine language 1\n\xff\xfe").unwrap();
    runs_nothing(&place, "no UTF-8", "error");
    fs::remove_file(place.policy()).unwrap();
    runs_nothing(&place, "no file", "error");
    fs::create_dir(place.policy()).unwrap();
    runs_nothing(&place, "a folder", "error");
}

#[test]
fn trust_fail_closed_a_table_that_is_not_whole_or_for_another_version_runs_nothing() {
    let place = Place::new(RULES, &[]);
    let whole = policy_judge::load_table(&place.policy(), CheckOptions::default()).unwrap();
    fs::write(place.policy(), &whole).unwrap();
    let changed = |at: usize| {
        let mut bytes = whole.clone();
        bytes[at] ^= 1;
        bytes
    };
    let cases = [
        ("the last byte changed", changed(whole.len() - 1), "its digest does not match"),
        ("a byte in the middle changed", changed(whole.len() / 2), "its digest does not match"),
        ("cut in half", whole[..whole.len() / 2].to_vec(), "error"),
        ("cut in its header", whole[..10].to_vec(), "error"),
        ("of another version", changed(VERSION_AT), "version"),
    ];
    for (what, bytes, expected) in cases {
        fs::write(place.policy(), bytes).unwrap();
        runs_nothing(&place, what, expected);
    }
    fs::write(place.policy(), &whole).unwrap();
    let said = place.run(&[ask("file_write", &json!({ "path": "a", "content": "x" }))]);
    assert_eq!((said.lines[0]["ok"].as_bool(), said.code), (Some(true), Some(0)), "{}", said.errors);
}

#[test]
fn trust_fail_closed_one_policy_of_two_that_cannot_be_read_runs_nothing() {
    let place = Place::new(RULES, &[]);
    let other = place.folder.path().join("other.policy");
    fs::write(&other, "policy other language 1\nrole coder\nrule work: allow coder\n").unwrap();
    let line = ask("file_write", &json!({ "path": "a", "content": "x" }));
    let said = place.run_with(&["--role", "coder", "--policy", other.to_str().unwrap()], &line);
    assert_eq!((said.lines.len(), said.code), (0, Some(2)), "{}", said.errors);
    assert!(!place.root().join("a").exists());
}

/// Where a table says which version of the format it is in: behind the eight bytes that say it is one.
const VERSION_AT: usize = 8;
