//! The examples of the tool runtime's specification, letter by letter, through the program.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::process::Command;

use serde_json::{Value, json};

use crate::support::{Place, sha256_of};

const RULES: &str = "rule work:\n  allow coder to file.*, fs.*, proc.list\n\n\
                     rule build:\n  allow coder to shell.exec\n  where command in \"cargo\"\n";

/// A request as the specification writes one, with these arguments.
fn request(tool: &str, args: &str) -> String {
    format!(
        r#"{{"type":"ToolRequest","tool":"{tool}","args":{args},"request_id":"uuid","session_id":"sess-123","timestamp":1730822400}}"#
    )
}

/// What a tool gave, if the answer is one as the specification writes it.
fn data<'a>(answer: &'a Value, tool: &str) -> &'a Value {
    assert_eq!(names(answer), ["data", "duration_ms", "errors", "ok", "request_id", "tool", "type"], "{answer}");
    let told = [&answer["type"], &answer["tool"], &answer["request_id"]];
    assert_eq!(told, ["ToolResponse", tool, "uuid"].map(Value::from).each_ref(), "{answer}");
    assert_eq!((&answer["ok"], &answer["errors"]), (&json!(true), &json!([])), "{answer}");
    assert!(answer["duration_ms"].is_u64(), "{answer}");
    &answer["data"]
}

/// What an object has, in the order of the alphabet.
fn names(object: &Value) -> Vec<&str> {
    let mut names: Vec<&str> = object.as_object().unwrap().keys().map(String::as_str).collect();
    names.sort_unstable();
    names
}

/// The answer to one example.
fn answer(place: &Place, tool: &str, args: &str) -> Value {
    place.run(&[request(tool, args)]).lines.remove(0)
}

#[test]
fn sdk_envelopes_the_request_of_the_specification_is_answered_with_its_response() {
    let place = Place::new(RULES, &[("src/main.rs", "fn main() {}")]);
    let heartbeat = r#"{"type": "Heartbeat", "session_id": "sess-123", "timestamp": 1730822430}"#;
    let said = place.run(&[request("file_read", r#"{"path": "src/main.rs"}"#), heartbeat.to_owned()]);
    let hash = sha256_of(&place.root().join("src/main.rs"));
    assert_eq!(data(&said.lines[0], "file_read"), &json!({ "content": "fn main() {}", "sha256": hash }));
    assert_eq!([&said.lines[1]["type"], &said.lines[1]["session_id"]], ["Heartbeat", "sess-123"]);
}

#[test]
fn tool_fs_list_tool_grep_examples_of_the_specification_are_answered() {
    let files =
        [("src/lib.rs", "fn f() {\n    Panic!()\n}\n"), ("src/auth/mod.rs", ""), ("src/.h.rs", ""), ("a.rs", "")];
    let place = Place::new(RULES, &files);
    let list = answer(&place, "fs_list", r#"{"glob": "src/**/*.rs", "max_results": 5000, "include_hidden": false}"#);
    assert_eq!(data(&list, "fs_list")["files"], json!(["src/auth/mod.rs", "src/lib.rs"]));
    let args = r#"{"pattern":"panic!", "glob":"src/**", "case_sensitive":false, "max_results":1000}"#;
    let grep = answer(&place, "grep", args);
    let found = json!([{ "file": "src/lib.rs", "line": 2, "col": 5, "snippet": "    Panic!()" }]);
    assert_eq!(data(&grep, "grep")["matches"], found);
}

#[test]
fn tool_fs_move_tool_fs_copy_tool_fs_delete_examples_of_the_specification_are_answered() {
    let place = || Place::new(RULES, &[("path/from", "x"), ("path/to/delete", "x")]);
    let text = |place: &Place, path: &str| fs::read_to_string(place.root().join(path)).unwrap_or_default();
    // The specification's destination is a folder of another of its examples.
    let free = |place: &Place| fs::remove_dir_all(place.root().join("path/to")).unwrap();
    let moving = place();
    free(&moving);
    let moved = answer(&moving, "fs_move", r#"{"src": "path/from", "dst": "path/to", "overwrite": false}"#);
    assert_eq!(data(&moved, "fs_move"), &json!({ "moved": true }));
    assert_eq!([text(&moving, "path/from"), text(&moving, "path/to")], ["", "x"]);
    let copying = place();
    free(&copying);
    let args = r#"{"src": "path/from", "dst": "path/to", "overwrite": false, "preserve_mode": true}"#;
    assert_eq!(data(&answer(&copying, "fs_copy", args), "fs_copy"), &json!({ "copied": true }));
    assert_eq!([text(&copying, "path/from"), text(&copying, "path/to")], ["x", "x"]);
    let deleting = place();
    let deleted = answer(&deleting, "fs_delete", r#"{"path": "path/to/delete", "recursive": false, "force": false}"#);
    assert_eq!(data(&deleted, "fs_delete"), &json!({ "deleted": true }));
    assert!(!deleting.root().join("path/to/delete").exists() && deleting.root().join("path/from").exists());
}

#[test]
fn tool_file_read_tool_file_write_tool_file_patch_examples_of_the_specification_are_answered() {
    let lines: String = (1..=30).map(|line| format!("{line}\n")).collect();
    let place = Place::new(RULES, &[("src/lib.rs", &lines)]);
    let read = answer(&place, "file_read", r#"{"path": "src/lib.rs", "max_bytes": 1048576}"#);
    let hash = sha256_of(&place.root().join("src/lib.rs"));
    assert_eq!(data(&read, "file_read"), &json!({ "content": lines, "sha256": hash }));

    let args = r#"{
      "path": "src/auth.rs",
      "content": "…",
      "attribution": {"task_id": 42},
      "create_dirs": true,
      "mode_octal": "0644"
    }"#;
    let write = answer(&place, "file_write", &args.replace('\n', ""));
    let written = place.root().join("src/auth.rs");
    assert_eq!(data(&write, "file_write"), &json!({ "written": true, "bytes": 3, "sha256": sha256_of(&written) }));
    assert_eq!(fs::metadata(&written).unwrap().permissions().mode() & 0o7777, 0o644);
    assert_eq!(fs::read_to_string(written).unwrap(), "…");

    // The diff that the specification leaves out, with as many hunks as it says.
    let hunk = |line: usize| format!("@@ -{line} +{line} @@\n-{line}\n+x{line}\n");
    let diff = format!("--- a/src/lib.rs\n+++ b/src/lib.rs\n{}{}{}", hunk(1), hunk(10), hunk(30));
    let args = r#"{"path": "src/lib.rs", "unified_diff": "..."}"#;
    let patch = answer(&place, "file_patch", &args.replace("\"...\"", &Value::from(diff).to_string()));
    let patched = data(&patch, "file_patch");
    assert_eq!((&patched["patched"], &patched["hunks_applied"]), (&json!(true), &json!(3)));
    assert!(fs::read_to_string(place.root().join("src/lib.rs")).unwrap().ends_with("29\nx30\n"));
    let none = answer(&place, "file_patch", args);
    assert_eq!((&none["ok"], &none["errors"][0]["code"]), (&json!(false), &json!("E_FILE_IO")), "{none}");
}

#[test]
fn tool_proc_list_example_of_the_specification_is_answered() {
    let place = Place::new(RULES, &[]);
    let mut node = Command::new("sleep").arg0("node").arg("60").spawn().unwrap();
    let list = answer(&place, "proc_list", r#"{"filter": "cargo|node", "limit": 50}"#);
    node.kill().unwrap();
    node.wait().unwrap();
    let processes = data(&list, "proc_list")["processes"].as_array().unwrap();
    let is_listed = processes.iter().any(|process| process["pid"] == node.id() && process["cmd"] == "node 60");
    // Where very much runs, it may be behind the limit.
    assert!(is_listed || processes.len() == 50, "{processes:?}");
    for process in processes {
        assert_eq!(names(process), ["cmd", "cpu", "mem_mb", "pid"]);
        assert!(process["cmd"].is_string() && process["cpu"].is_number() && process["mem_mb"].is_number());
    }
}

#[test]
fn tool_shell_exec_example_of_the_specification_is_answered() {
    let place = Place::new(RULES, &[]);
    // What is asked for is not tested here, only that it is asked for as written.
    let tools = place.folder.path().join("tools");
    fs::create_dir(&tools).unwrap();
    fs::write(tools.join("cargo"), "#!/bin/sh\necho \"$@\"\n").unwrap();
    fs::set_permissions(tools.join("cargo"), fs::Permissions::from_mode(0o755)).unwrap();
    let run = |args: &str| {
        let arguments = ["--role", "coder", "--programs", tools.to_str().unwrap()];
        place.run_with(&arguments, &request("shell_exec", args)).lines.remove(0)
    };
    let args = r#"{"cmd":"cargo test -q","cwd":".","timeout_ms":600000,"env":{"RUSTFLAGS":""},"stdin":null,"allow_network":false}"#;
    let answered = run(args);
    let ran = data(&answered, "shell_exec");
    assert_eq!((&ran["code"], &ran["stdout"], &ran["stderr"]), (&json!(0), &json!("test -q\n"), &json!("")));
    // A variable by which a compiler runs other programs is the request's to empty, and not to set.
    let refused = run(&args.replace("\"RUSTFLAGS\":\"\"", "\"RUSTFLAGS\":\"-g\""));
    assert_eq!((&refused["type"], &refused["ok"]), (&json!("ToolResponse"), &json!(false)), "{refused}");
    assert_eq!(refused["errors"][0]["code"], "E_VALIDATION_FAIL", "{refused}");
    assert!(refused["errors"][0]["message"].as_str().unwrap().contains("RUSTFLAGS"), "{refused}");
}
