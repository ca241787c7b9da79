//! What is said when something fails: of what, by how much, and what to do.

use std::os::unix::fs::symlink;

use serde_json::{Value, json};

use crate::support::{Place, ask, invoke};

const RULES: &str = "rule work:\n  allow coder to file.*, fs.*, proc.list\n\n\
                     rule look:\n  allow coder to shell.exec\n  where command in \"echo\"\n";

/// What each line is answered with: the message of its only error.
fn messages(place: &Place, lines: &[String]) -> Vec<String> {
    let said = place.run(lines);
    let message = |line: &Value| {
        let message = line["errors"][0]["message"].as_str().or(line["error"]["message"].as_str());
        message.unwrap_or_else(|| panic!("{line}")).to_owned()
    };
    said.lines.iter().map(message).collect()
}

#[test]
fn a_failure_names_the_path_that_it_is_about() {
    let place = Place::new(RULES, &[("src/a", "x"), ("src/b", "x"), ("src/d/c", "x")]);
    symlink("../..", place.root().join("src/out")).unwrap();
    let patch = "--- a/src/n\n+++ b/src/n\n@@ -1 +1 @@\n-1\n+2\n";
    let cases = [
        (ask("file_read", &json!({ "path": "src/lib.rs" })), "file not found: `src/lib.rs`"),
        (ask("file_read", &json!({ "path": "src/d" })), "`src/d`: it is a folder, not a file"),
        (
            ask("file_edit", &json!({ "path": "src/n", "old_content": "a", "new_content": "b" })),
            "file not found: `src/n`",
        ),
        (
            ask("file_edit", &json!({ "path": "src/a", "old_content": "y", "new_content": "b" })),
            "`src/a`: the text to replace is not in the file",
        ),
        (
            ask("file_write", &json!({ "path": "new/folder/a", "content": "x" })),
            "directory not found: `new/folder`; `create_dirs` makes it",
        ),
        (
            ask("file_write", &json!({ "path": "src/a", "content": "x", "create_only": true })),
            "`src/a`: it already exists",
        ),
        (ask("file_patch", &json!({ "path": "src/n", "unified_diff": patch })), "file not found: `src/n`"),
        (ask("fs_copy", &json!({ "src": "src/n", "dst": "src/m" })), "file not found: `src/n`"),
        (ask("fs_copy", &json!({ "src": "src/a", "dst": "src/b" })), "`src/b`: it already exists"),
        (ask("fs_move", &json!({ "src": "src/a", "dst": "no/m" })), "directory not found: `no`"),
        (ask("fs_move", &json!({ "src": "src/n", "dst": "src/m" })), "file not found: `src/n`"),
        (ask("fs_delete", &json!({ "path": "src/n" })), "file not found: `src/n`"),
        (
            ask("fs_delete", &json!({ "path": "src/d" })),
            "`src/d`: the directory is not empty, and the request is not recursive",
        ),
        (ask("shell_exec", &json!({ "cmd": "echo a", "cwd": "src/n" })), "directory not found: `src/n`"),
        (ask("shell_exec", &json!({ "cmd": "echo a", "cwd": "src/a" })), "`src/a`: it is not a directory"),
        (invoke("filesystem", "list_dir", &json!({ "path": "src/n" })), "directory not found: `src/n`"),
        (invoke("filesystem", "read_file", &json!({ "path": "src/n" })), "file not found: `src/n`"),
        (
            ask("file_read", &json!({ "path": "src/out/x" })),
            "file.read reaches `src/out/x`, which is not allowed: a symbolic link leads out of the root",
        ),
    ];
    let said = messages(&place, &cases.each_ref().map(|(line, _)| line.clone()));
    for (said, (line, expected)) in said.iter().zip(&cases) {
        assert_eq!(said, expected, "{line}");
    }
}

#[test]
fn ctr_0031_an_argument_that_is_too_large_is_told_by_its_own_name_and_with_its_bound() {
    let place = Place::new(RULES, &[]);
    let cases = [
        (
            ask("file_read", &json!({ "path": "a", "max_bytes": 2_000_000_000 })),
            "the argument `max_bytes` of `file_read` is too large: 2000000000, 1073741824 at most",
        ),
        (
            ask("shell_exec", &json!({ "cmd": "echo", "timeout_ms": 3_600_001 })),
            "the argument `timeout_ms` of `shell_exec` is too large: 3600001, 3600000 at most",
        ),
        (
            ask("file_write", &json!({ "path": "a", "content": "", "mode_octal": "4755" })),
            "the argument `mode_octal` of `file_write` is too large: 4755, 0777 at most",
        ),
        (
            ask("file_write", &json!({ "path": "a", "content": "", "append": true, "create_only": true })),
            "the argument `append` of `file_write` cannot be set together with another field: `create_only`",
        ),
        (
            invoke("filesystem", "read_file", &json!({ "path": "../a" })),
            "the argument `path` of `filesystem.read_file` has a component `..` at byte 0",
        ),
        (
            invoke("filesystem", "list_dir", &json!({ "path": "a/.." })),
            "the argument `path` of `filesystem.list_dir` has a component `..` at byte 2",
        ),
    ];
    let said = messages(&place, &cases.each_ref().map(|(line, _)| line.clone()));
    for (said, (line, expected)) in said.iter().zip(&cases) {
        assert_eq!(said, expected, "{line}");
    }
}

#[test]
fn a_pattern_that_cannot_be_read_is_told_in_one_line_and_as_it_was_written() {
    let place = Place::new(RULES, &[("a", "x")]);
    let said = messages(
        &place,
        &[
            ask("grep", &json!({ "pattern": "a(" })),
            ask("grep", &json!({ "pattern": "a\nb" })),
            ask("proc_list", &json!({ "filter": "[a" })),
            ask("fs_list", &json!({ "glob": "a[" })),
        ],
    );
    let expected = [
        "invalid pattern: unclosed group, at character 2",
        "invalid pattern: it matches a line end, but a match must lie within one line",
        "invalid filter: unclosed character class, at character 1",
        "invalid glob: error parsing glob 'a[': unclosed character class; missing ']'",
    ];
    assert_eq!(said, expected);
}
