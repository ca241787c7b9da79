//! The workflow that everything is for: write, read, run the tests.

use std::fs;

use serde_json::{Value, json};

use crate::support::{Place, invoke, sha256_of};

const RULES: &str = "rule work:\n  allow coder to file.*, fs.*\n\nrule tests:\n  allow coder to pytest.run\n";

#[test]
fn invoke_golden_what_is_written_is_read_and_tested() {
    let place = Place::new(RULES, &[]);
    let test = "def test_sum():\n    assert 1 + 1 == 2\n";
    let said = place.run(&[
        invoke("filesystem", "write_file", &json!({ "path": "test_sum.py", "content": test })),
        invoke("filesystem", "read_file", &json!({ "path": "test_sum.py" })),
        invoke("pytest", "run", &json!({ "paths": ["test_sum.py"] })),
    ]);
    let [write, read, run] = said.lines.as_slice() else { panic!("{:?} {}", said.lines, said.errors) };
    let effect = json!([{ "path": "test_sum.py", "size_bytes": test.len(), "sha256": sha256_of(&place.root().join("test_sum.py")) }]);
    assert_eq!([&write["effects"]["files"], &read["effects"]["files"]], [&effect, &effect]);
    assert_eq!(read["output"]["stdout"], test);
    assert_eq!(fs::read_to_string(place.root().join("test_sum.py")).unwrap(), test);
    assert_eq!(run["ok"], true, "`cargo xtask test` installs pytest where there is none: {run}");
    assert_eq!(run["output"]["exit_code"], 0, "{run}");
    assert!(run["output"]["stdout"].as_str().unwrap().contains("1 passed"), "{run}");
    assert!(run["output"]["duration_ms"].is_u64() && run["output"]["cmd"].is_array(), "{run}");
    for line in &said.lines {
        assert!(line["timestamp_utc"].as_str().unwrap().ends_with('Z'), "{line}");
        assert!(line["output"]["truncated"].is_boolean() && line["policy"]["allowed"].is_boolean(), "{line}");
    }
    assert_eq!(said.code, Some(0));
    let verified = place.verify();
    assert_eq!((verified.lines[0]["whole"].as_bool(), verified.code), (Some(true), Some(0)));
    // A session, an intent and a result for each line, and the checkpoints.
    assert!(verified.lines[0]["records"].as_u64().unwrap() >= 7, "{:?}", verified.lines);
}

#[test]
fn invoke_empty_content_writes_nothing() {
    let place = Place::new(RULES, &[]);
    let said = place.run(&[invoke("filesystem", "write_file", &json!({ "path": "a", "content": "" }))]);
    let nothing = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
    let effect = json!([{ "path": "a", "size_bytes": 0, "sha256": nothing }]);
    assert_eq!(said.lines[0]["effects"]["files"], effect);
    assert_eq!(fs::read(place.root().join("a")).unwrap(), b"");
}

#[test]
fn invoke_list_is_sorted() {
    let place = Place::new(RULES, &[("d/b", ""), ("d/a", ""), ("d/c", "")]);
    let said = place.run(&[invoke("filesystem", "list_dir", &json!({ "path": "d" }))]);
    assert_eq!(said.lines[0]["output"]["stdout"], "a\nb\nc");
}

#[test]
fn invoke_result_has_every_field_in_success_and_in_failure() {
    let place = Place::new(RULES, &[("a", "x")]);
    let said = place.run(&[
        invoke("filesystem", "read_file", &json!({ "path": "a" })),
        invoke("filesystem", "read_file", &json!({ "path": "missing" })),
    ]);
    for line in &said.lines {
        for (field, is_there) in [
            ("timestamp_utc", line["timestamp_utc"].is_string()),
            ("ok", line["ok"].is_boolean()),
            ("tool", line["tool"] == "filesystem"),
            ("action", line["action"] == "read_file"),
            ("policy.allowed", line["policy"]["allowed"].is_boolean()),
            ("output.truncated", line["output"]["truncated"].is_boolean()),
        ] {
            assert!(is_there, "{field}: {line}");
        }
    }
    let hash = sha256_of(&place.root().join("a"));
    assert_eq!(said.lines[0]["effects"]["files"], json!([{ "path": "a", "size_bytes": 1, "sha256": hash }]));
    assert_eq!(said.lines[1].get("effects"), None, "{}", said.lines[1]);
}

#[test]
fn invoke_result_has_no_effect_where_a_part_of_a_file_was_read() {
    let place = Place::new(RULES, &[("a", "abcdef")]);
    let read = |args: Value| invoke("filesystem", "read_file", &args);
    let said = place.run(&[
        read(json!({ "path": "a", "max_bytes": 3 })),
        read(json!({ "path": "a", "offset": 2 })),
        read(json!({ "path": "a", "max_bytes": 7 })),
    ]);
    let stdout: Vec<_> = said.lines.iter().map(|line| line["output"]["stdout"].as_str().unwrap()).collect();
    assert_eq!(stdout, ["abc", "cdef", "abcdef"]);
    assert!(said.lines[..2].iter().all(|line| line.get("effects").is_none()), "{:?}", said.lines);
    assert_eq!(said.lines[2]["effects"]["files"][0]["sha256"], sha256_of(&place.root().join("a")));
}
