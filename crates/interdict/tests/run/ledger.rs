//! The ledger, as people and programs read it.

use serde_json::json;

use crate::support::{Place, invoke};

const RULES: &str = "rule read:\n  allow coder to file.read\n  where path in \"a\", \"link\"\n";

#[test]
fn trust_audit_the_ledger_is_shown_with_what_was_decided_by_which_facts() {
    let place = Place::new(RULES, &[("a", "x")]);
    std::os::unix::fs::symlink("a", place.root().join("link")).unwrap();
    place.run(&[
        invoke("filesystem", "read_file", &json!({ "path": "link" })),
        invoke("filesystem", "write_file", &json!({ "path": "b", "content": "12" })),
    ]);
    let (text, code) = place.show(&["--session", "1"]);
    assert_eq!(code, Some(0), "{text}");
    // Without numbers and times, which are of this run.
    let said: Vec<&str> =
        text.lines().map(|line| line.get(53..).filter(|_| line.contains('#')).unwrap_or(line)).collect();
    let [created, root, policy, rest @ ..] = said.as_slice() else { panic!("{text}") };
    assert_eq!(*created, "session-created roles [\"coder\"], lease [\"*\"]");
    assert!(root.starts_with("        root \"") && policy.starts_with("        policy "), "{text}");
    let result = rest.get(4).copied().unwrap_or_default();
    assert!(result.starts_with("result          of #2: done DONE, 1 files, 1 bytes, "), "{text}");
    let rest: Vec<&str> = rest.iter().copied().filter(|line| *line != result).collect();
    assert_eq!(
        rest,
        [
            "intent          file.read: allow by read [ALLOWED]",
            "        path \"link\" name \"link\" offset 0",
            "reached         of #2",
            "        \"a\"",
            "refused         file.write: deny by default-deny [FILE_WRITE_DENIED]",
            "        path \"b\" name \"b\" bytes 2",
            "session-ended   somebody ended it",
        ],
        "{text}"
    );
}

#[test]
fn what_was_asked_for_moves_no_cursor_and_starts_no_line() {
    let place = Place::new(RULES, &[]);
    place.run(&[invoke("filesystem", "read_file", &json!({ "path": "\u{1b}[2Ja\n     9  forged\u{202e}" }))]);
    let (text, _) = place.show(&[]);
    assert!(text.contains(r#"path "\u{1b}[2Ja\n     9  forged\u{202e}""#), "{text}");
    assert!(text.chars().all(|character| character == '\n' || !character.is_control()), "{text:?}");
}

#[test]
fn each_record_is_an_object_for_programs() {
    let place = Place::new(RULES, &[("a", "x")]);
    place.run(&[invoke("filesystem", "read_file", &json!({ "path": "a" }))]);
    let (text, _) = place.show(&["--format", "json"]);
    let records: Vec<serde_json::Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let intent = records.iter().find(|record| record["kind"] == "intent").unwrap();
    let judged = &intent["judged"];
    assert_eq!((&judged["operation"], &judged["verdict"]), (&json!("file.read"), &json!("allow")));
    assert_eq!(judged["facts"], json!(["path \"a\" name \"a\" offset 0"]));
    let of_session: Vec<_> = records.iter().filter(|record| record["session"] == 1).collect();
    for pair in of_session.windows(2) {
        assert_eq!(pair[1]["previous"], pair[0]["hash"]);
    }
    assert_eq!(of_session.len(), 4);
}

#[test]
fn a_ledger_that_is_not_there_is_not_shown() {
    let place = Place::new(RULES, &[]);
    let (text, code) = place.show(&[]);
    assert_eq!((text.as_str(), code), ("", Some(2)));
}
