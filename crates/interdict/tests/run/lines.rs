//! Lines in, lines out: one for one, whatever they are; and what commands are held to.

use serde_json::json;

use crate::support::{Place, ask, invoke, sha256_of};

const RULES: &str = "rule work:\n  allow coder to file.*, fs.*\n\n\
                     rule look:\n  allow coder to shell.exec\n  where command in \"echo\", \"wc\", \"cat\", \"sleep\", \"env\", \"head\", \"yes\"\n\n\
                     rule scripts:\n  allow coder to shell.inline\n\n\
                     rule tests:\n  allow coder to pytest.run\n";

#[test]
fn ctr_0022_every_line_of_garbage_has_one_answer() {
    let place = Place::new(RULES, &[("a", "x")]);
    let mut state = 7_u64;
    let mut lines = Vec::new();
    for number in 0..GARBAGE_LINES {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let noise: String = (0..state % 40).map(|at| char::from(b' ' + ((state >> (at % 32)) % 95) as u8)).collect();
        lines.push(match number % 4 {
            0 => format!("x{noise}"),
            1 => json!({ "type": noise, "request_id": "r" }).to_string(),
            2 => json!({ "tool": "filesystem", "action": "read_file", "args": { "path": noise } }).to_string(),
            _ => ask("file_read", &json!({ "path": noise, "offset": state })),
        });
    }
    let said = place.run(&lines);
    assert_eq!((said.lines.len(), said.code), (lines.len(), Some(0)));
    assert_eq!(place.verify().lines[0]["whole"], true);
}

#[test]
fn ctr_0023_the_answer_carries_the_requests_name() {
    let place = Place::new(RULES, &[("a", "x")]);
    let said = place.run(&[ask("file_read", &json!({ "path": "a" })), ask("file_read", &json!({ "path": "missing" }))]);
    assert!(said.lines.iter().all(|line| line["request_id"] == "r-1"), "{:?}", said.lines);
}

#[test]
fn ctr_0029_ctr_0030_both_shapes_say_when_a_budget_has_enough_again_and_that_one_never_has() {
    let rules = "rule work:\n  allow coder to file.*, fs.*\n\n\
                 budget reads: coder file.read calls <= 1 per minute\n\
                 budget lists: coder fs.list max-results <= 1 per session\n";
    let place = Place::new(rules, &[("a", "x")]);
    let said = place.run(&[
        ask("file_read", &json!({ "path": "a" })),
        ask("file_read", &json!({ "path": "a" })),
        invoke("filesystem", "read_file", &json!({ "path": "a" })),
        ask("fs_list", &json!({ "glob": "*" })),
        invoke("filesystem", "list_dir", &json!({ "path": "." })),
    ]);
    assert_eq!(said.lines[0]["ok"], true);
    let (enveloped, invoked) = (&said.lines[1]["errors"][0], &said.lines[2]["error"]);
    assert_eq!((&enveloped["code"], &invoked["type"]), (&json!("E_POLICY"), &json!("PolicyDenied")));
    assert_eq!(said.lines[2]["policy"], json!({ "allowed": false, "code": "RATE_LIMITED" }));
    for error in [enveloped, invoked] {
        let wait_ms = error["retry_after_ms"].as_u64().unwrap_or_else(|| panic!("{error}"));
        assert!(error["retryable"] == true && (1..=61_000).contains(&wait_ms), "{error}");
        let message = error["message"].as_str().unwrap();
        assert!(message.starts_with("of the budget `mine/reads` 1 of 1 are used, and 1 more are needed"), "{message}");
    }
    // What is left open is charged as usual, and a session has no more than its own.
    let (enveloped, invoked) = (&said.lines[3]["errors"][0], &said.lines[4]["error"]);
    for error in [enveloped, invoked] {
        assert!(error.get("retryable").is_none() && error.get("retry_after_ms").is_none(), "{error}");
        let message = error["message"].as_str().unwrap();
        assert_eq!(message, "of the budget `mine/lists` 0 of 1 are used, and 5000 more are needed");
    }
    let (rule, code) = (&json!("mine/lists"), &json!("BUDGET_EXCEEDED"));
    assert_eq!((&enveloped["rule_id"], &enveloped["rationale_code"]), (rule, code));
    assert_eq!((&said.lines[4]["policy"]["rule"], &said.lines[4]["policy"]["code"]), (rule, code));
}

#[test]
fn ctr_0024_a_result_over_a_mebibyte_comes_by_way_of_the_store() {
    let (large, small) = ("x".repeat((1 << 20) + 1), "x".repeat(1 << 20));
    let place = Place::new(RULES, &[("large", &large), ("small", &small)]);
    let said =
        place.run(&[ask("file_read", &json!({ "path": "large" })), ask("file_read", &json!({ "path": "small" }))]);
    assert_eq!(said.lines[0]["data"]["content"].as_str().unwrap().len(), large.len());
    assert_eq!(said.lines[1]["data"]["content"].as_str().unwrap().len(), large.len() - 1);
    let hash = blake3_hex(large.as_bytes());
    let (first, rest) = hash.split_at(2);
    let object = place.state().join("objects").join(first).join(rest);
    assert!(object.exists(), "{object:?}");
    // What comes with its answer is nowhere else: without a key nobody can ask for it again.
    let objects = std::fs::read_dir(place.state().join("objects")).unwrap();
    assert_eq!(objects.map(|folder| folder.unwrap().file_name()).collect::<Vec<_>>(), [first]);
}

#[test]
fn tool_shell_exec_runs_what_was_judged_and_joins_it_as_written() {
    let place = Place::new(RULES, &[("a", "one two\n")]);
    let run = |cmd: &str| ask("shell_exec", &json!({ "cmd": cmd }));
    let said = place.run(&[
        run("echo 'a  b' | wc -c"),
        run("cat missing || echo 'it is not' there && echo done"),
        run("echo '$HOME;' \"x\""),
        ask("shell_exec", &json!({ "cmd": "cat", "stdin": "from outside" })),
        run("yes | head -n 1"),
    ]);
    let stdout = |at: usize| said.lines[at]["data"]["stdout"].as_str().unwrap_or_else(|| panic!("{}", said.lines[at]));
    assert_eq!(stdout(0).trim(), "5");
    assert_eq!(stdout(1), "it is not there\ndone\n");
    assert_eq!(stdout(2), "$HOME; x\n");
    assert_eq!(stdout(3), "from outside");
    assert_eq!(stdout(4), "y\n");
}

#[test]
fn sec_env_minimal_sec_env_everywhere_nothing_of_the_hosts_environment_reaches_a_tool() {
    let place = Place::new(RULES, &[]);
    let said = place.run(&[
        ask("shell_exec", &json!({ "cmd": "env", "env": { "LANG": "C.UTF-8" } })),
        ask("shell_inline", &json!({ "interpreter": "sh", "script": "env" })),
    ]);
    for line in &said.lines {
        let stdout = line["data"]["stdout"].as_str().unwrap_or_else(|| panic!("{line}"));
        assert!(!stdout.contains("poison"), "{stdout}");
        assert!(stdout.contains("PATH=/usr/local/sbin:") && stdout.contains("HOME="), "{stdout}");
    }
    assert!(said.lines[0]["data"]["stdout"].as_str().unwrap().contains("LANG=C.UTF-8"));
}

#[test]
fn sec_env_minimal_a_configured_secret_reaches_commands_and_no_request_sets_it() {
    let place = Place::new(RULES, &[]);
    let file = place.root().parent().unwrap().join("token");
    std::fs::write(&file, "s3cret value\n").unwrap();
    let secret = format!("API_TOKEN={}", file.display());
    let arguments = ["--role", "coder", "--secret", &secret, "--request-env", "MODE"];
    let lines = [
        ask("shell_exec", &json!({ "cmd": "env", "env": { "MODE": "a/b", "RUSTFLAGS": "" } })),
        ask("shell_inline", &json!({ "interpreter": "sh", "script": "env" })),
        ask("shell_exec", &json!({ "cmd": "env", "env": { "API_TOKEN": "other" } })),
        ask("shell_exec", &json!({ "cmd": "env", "env": { "OTHER": "x" } })),
        ask("shell_exec", &json!({ "cmd": "env", "env": { "RUSTFLAGS": "-Clinker=x" } })),
    ];
    let said = place.run_with(&arguments, &(lines.join("\n") + "\n"));
    for line in &said.lines[..2] {
        let stdout = line["data"]["stdout"].as_str().unwrap_or_else(|| panic!("{line}"));
        assert!(stdout.lines().any(|line| line == "API_TOKEN=s3cret value"), "{stdout}");
    }
    assert!(said.lines[0]["data"]["stdout"].as_str().unwrap().lines().any(|line| line == "MODE=a/b"));
    for line in &said.lines[2..] {
        assert_eq!(line["ok"], false, "{line}");
    }
    assert!(!std::fs::read(place.state().join("state.db")).unwrap().windows(6).any(|bytes| bytes == b"s3cret"));
}

#[test]
fn sec_env_minimal_a_secret_that_cannot_be_one_is_refused_at_the_start() {
    let place = Place::new(RULES, &[("token", "x")]);
    let inside = format!("TOKEN={}", place.root().join("token").display());
    let outside = place.root().parent().unwrap().join("token");
    std::fs::write(&outside, "x").unwrap();
    let reserved = format!("PATH={}", outside.display());
    for (secret, why) in [
        ("TOKEN", "`TOKEN` is not a secret"),
        ("TOKEN=/no/such/file", "No such file"),
        (&inside, "it is inside the root"),
        (&reserved, "variable `PATH` is set by the executor"),
    ] {
        let said = place.run_with(&["--role", "coder", "--secret", secret], "");
        assert_eq!(said.code, Some(2), "{}", said.errors);
        assert!(said.errors.contains(why), "{}", said.errors);
    }
    let said = place.run_with(&["--role", "coder", "--request-env", "HOME"], "");
    assert!(said.errors.contains("requests cannot be allowed to set `HOME`"), "{}", said.errors);
}

#[test]
fn trust_net_a_command_has_no_network() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let place = Place::new(RULES, &[]);
    let script = format!("import socket\nsocket.create_connection(('127.0.0.1', {port}), 2)\nprint('reached')\n");
    let said = place.run(&[ask("shell_inline", &json!({ "interpreter": "python3", "script": script }))]);
    let line = &said.lines[0];
    if line["errors"][0]["message"].as_str().is_some_and(|message| message.starts_with("interpreter not found")) {
        eprintln!("NOT TESTED: there is no python3 on this machine");
        return;
    }
    assert_ne!(line["data"]["code"], 0, "{line}");
    assert!(!line["data"]["stdout"].as_str().unwrap().contains("reached"), "{line}");
    // To ask for it is not enough, and neither is a rule that does not speak of it.
    let asked = ask("shell_inline", &json!({ "interpreter": "python3", "script": script, "allow_network": true }));
    assert_eq!(place.run(std::slice::from_ref(&asked)).lines[0]["ok"], false);
    let granted = "rule online:\n  allow coder to shell.inline\n  where command == \"python3\" and network\n";
    let said = Place::new(granted, &[]).run(&[asked]);
    assert_eq!(said.lines[0]["data"]["stdout"], "reached\n", "{}", said.lines[0]);
}

#[test]
fn ctr_0012_a_command_that_takes_too_long_is_killed_and_answered() {
    let place = Place::new(RULES, &[]);
    let said = place.run(&[ask("shell_exec", &json!({ "cmd": "sleep 60", "timeout_ms": 200 }))]);
    assert_eq!(said.lines[0]["errors"][0]["code"], "E_TIMEOUT", "{}", said.lines[0]);
    assert!(said.lines[0]["data"]["duration_ms"].as_u64().unwrap() < 20_000, "{}", said.lines[0]);
}

#[test]
fn tool_shell_exec_tells_the_end_by_a_signal_from_a_code_that_looks_like_it() {
    let place = Place::new(RULES, &[]);
    let script = |script: &str| ask("shell_inline", &json!({ "interpreter": "sh", "script": script }));
    let said = place.run(&[
        script("kill -9 $$"),
        script("kill -15 $$"),
        script("exit 137"),
        ask("shell_exec", &json!({ "cmd": "echo a" })),
        ask("shell_exec", &json!({ "cmd": "sleep 60", "timeout_ms": 200 })),
    ]);
    let ends = [
        (json!(137), Some(json!(9))),
        (json!(143), Some(json!(15))),
        (json!(137), None),
        (json!(0), None),
        // It was killed here, which is said in another way.
        (json!(124), None),
    ];
    for (line, (code, signal)) in said.lines.iter().zip(&ends) {
        assert_eq!((&line["data"]["code"], line["data"].get("signal")), (code, signal.as_ref()), "{line}");
    }
}

#[test]
fn ctr_0010_an_edit_that_does_not_match_once_changes_nothing() {
    let place = Place::new(RULES, &[("a", "x y x")]);
    let edit = |old: &str| ask("file_edit", &json!({ "path": "a", "old_content": old, "new_content": "z" }));
    let said = place.run(&[edit("x"), edit("w"), edit("y")]);
    assert_eq!(said.lines.iter().map(|line| line["ok"].as_bool().unwrap()).collect::<Vec<_>>(), [false, false, true]);
    assert_eq!(std::fs::read_to_string(place.root().join("a")).unwrap(), "x z x");
}

#[test]
fn a_diff_of_several_files_is_judged_for_each_of_them() {
    let rules = "rule work:\n  allow coder to file.patch\n  where path in \"src/**\"\n";
    let place = Place::new(rules, &[("src/a", "1\n"), ("src/b", "1\n"), ("vault/c", "1\n")]);
    let hunk = |path: &str| format!("--- a/{path}\n+++ b/{path}\n@@ -1 +1 @@\n-1\n+2\n");
    let patch = |paths: &[&str]| {
        let diff: String = paths.iter().map(|path| hunk(path)).collect();
        ask("file_patch", &json!({ "path": "src/a", "unified_diff": diff }))
    };
    let said = place.run(&[patch(&["src/a", "vault/c"]), patch(&["src/a", "src/b"])]);
    assert_eq!(said.lines[0]["errors"][0]["code"], "E_POLICY", "{}", said.lines[0]);
    assert_eq!(said.lines[1]["data"]["hunks_applied"], 2, "{}", said.lines[1]);
    let read = |path: &str| std::fs::read_to_string(place.root().join(path)).unwrap();
    assert_eq!([read("src/a"), read("src/b"), read("vault/c")], ["2\n", "2\n", "1\n"]);
}

#[test]
fn a_diff_that_removes_or_renames_needs_what_removing_and_renaming_need() {
    let rules = "rule work:\n  allow coder to file.patch\n";
    let place = Place::new(rules, &[("a", "1\n")]);
    let removed = "--- a/a\n+++ /dev/null\n@@ -1 +0,0 @@\n-1\n";
    let renamed = "diff --git a/a b/b\nsimilarity index 100%\nrename from a\nrename to b\n";
    let patch = |diff: &str| ask("file_patch", &json!({ "path": "a", "unified_diff": diff }));
    let said = place.run(&[patch(removed), patch(renamed)]);
    for (line, code) in said.lines.iter().zip(["FS_DELETE_DENIED", "FS_MOVE_DENIED"]) {
        assert_eq!(line["errors"][0]["rationale_code"], code, "{line}");
    }
    assert!(place.root().join("a").exists() && !place.root().join("b").exists());
}

#[test]
fn a_hidden_file_is_judged_as_hidden_however_a_glob_names_it() {
    let rules = "rule look:\n  allow coder to fs.list, fs.grep\n  where not hidden\n";
    let place = Place::new(rules, &[(".env", "token\n"), (".cfg/x", "token\n"), ("a", "token\n")]);
    let said = place.run(&[
        ask("fs_list", &json!({ "glob": ".*" })),
        ask("fs_list", &json!({ "glob": ".cfg/*" })),
        ask("grep", &json!({ "pattern": "token", "glob": ".env" })),
        ask("grep", &json!({ "pattern": "token" })),
    ]);
    assert_eq!([&said.lines[0]["data"]["files"], &said.lines[1]["data"]["files"]], [&json!([]), &json!([])]);
    assert_eq!(said.lines[2]["data"]["matches"], json!([]));
    assert_eq!(said.lines[3]["data"]["matches"][0]["file"], "a");
}

#[test]
fn a_limit_on_output_holds_for_both_streams_together() {
    let place = Place::new("rule scripts:\n  allow coder to shell.inline\n  limit output <= 1 KiB\n", &[]);
    let script = "head -c 5000 /dev/zero | tr '\\0' o; head -c 5000 /dev/zero | tr '\\0' e >&2";
    let said = place.run(&[ask("shell_inline", &json!({ "interpreter": "sh", "script": script }))]);
    let data = &said.lines[0]["data"];
    let bytes = |stream: &str| data[stream].as_str().unwrap_or_else(|| panic!("{}", said.lines[0])).len();
    assert_eq!((bytes("stdout") + bytes("stderr"), &data["truncated"]), (1_024, &json!(true)));
}

#[test]
fn a_variable_that_is_not_known_to_be_harmless_runs_nothing() {
    let place = Place::new(RULES, &[]);
    let said = place.run(&[ask("shell_exec", &json!({ "cmd": "env", "env": { "TAR_OPTIONS": "--to-command id" } }))]);
    assert_eq!(said.lines[0]["ok"], false);
    assert!(said.lines[0]["errors"][0]["message"].as_str().unwrap().contains("`TAR_OPTIONS`"), "{}", said.lines[0]);
}

/// A search would not show it.
#[test]
fn a_refusal_does_not_name_what_the_request_does_not() {
    let rules = "rule files:\n  allow coder to file.*, fs.*\n\nrule no-keys:\n  deny anyone to file.*, fs.*\n  where path in \"d/*.pem\"\n  because \"Keys stay.\"\n";
    let place = Place::new(rules, &[("d/acme.pem", "x"), ("d/zz.pem", "x"), ("d/a", "x"), ("e/b", "x")]);
    std::os::unix::fs::symlink("d/acme.pem", place.root().join("link")).unwrap();
    let said = place.run(&[
        ask("fs_delete", &json!({ "path": "d", "recursive": true })),
        ask("fs_copy", &json!({ "src": "d", "dst": "f" })),
        ask("fs_move", &json!({ "src": "d", "dst": "f" })),
        ask("file_read", &json!({ "path": "link" })),
        ask("file_patch", &json!({ "path": "link", "unified_diff": "@@ -1 +1 @@\n-x\n+y\n" })),
    ]);
    let message = |line: usize| said.lines[line]["errors"][0]["message"].as_str().unwrap();
    for (line, operation) in [(0, "fs.delete"), (1, "fs.copy"), (2, "fs.move")] {
        let why = "is not allowed there: 2 files and folders below it are denied: Keys stay.";
        assert_eq!(message(line), format!("{operation} {why}"));
        assert_eq!(said.lines[line]["errors"][0]["rule_id"], "no-keys");
    }
    for (line, operation) in [(3, "file.read"), (4, "file.patch")] {
        let why = "is not allowed there: a link leads to what is denied: Keys stay.";
        assert_eq!(message(line), format!("{operation} {why}"));
    }
}

#[test]
fn tool_grep_says_how_many_files_it_could_not_search() {
    let place = Place::new(RULES, &[("a", "token\n")]);
    std::fs::write(place.root().join("b"), vec![b'x'; 17 << 20]).unwrap();
    let said = place
        .run(&[ask("grep", &json!({ "pattern": "token" })), ask("grep", &json!({ "pattern": "token", "glob": "a" }))]);
    let unread: Vec<_> = said.lines.iter().map(|line| line["data"]["unread"].clone()).collect();
    assert_eq!(unread, [json!(1), json!(null)], "{:?}", said.lines);
}

#[test]
fn a_search_does_not_see_what_is_denied() {
    let rules = "rule look:\n  allow coder to fs.grep, fs.list\n\nrule vault:\n  deny anyone to fs.*\n  where path in \"**/.env*\", \"vault/**\"\n";
    let place = Place::new(rules, &[("a", "token\n"), ("vault/b", "token\n"), ("d/c.env", "token\n")]);
    let said = place.run(&[ask("grep", &json!({ "pattern": "token" })), ask("fs_list", &json!({ "glob": "**" }))]);
    let files: Vec<_> =
        said.lines[0]["data"]["matches"].as_array().unwrap().iter().map(|found| found["file"].clone()).collect();
    assert_eq!(files, ["a", "d/c.env"]);
    assert_eq!(said.lines[1]["data"]["files"], json!(["a", "d/c.env"]));
}

#[test]
fn tool_fs_list_tool_fs_move_tool_fs_copy_tool_fs_delete_tool_file_write_answer_as_the_runtime_says() {
    let place = Place::new(RULES, &[("d/b", "x"), ("d/.hidden", "")]);
    let said = place.run(&[
        ask("file_write", &json!({ "path": "n/e/w", "content": "12", "create_dirs": true, "mode_octal": "0640" })),
        ask("fs_copy", &json!({ "src": "d/b", "dst": "d/c", "preserve_mode": true })),
        ask("fs_move", &json!({ "src": "d/b", "dst": "d/a" })),
        ask("fs_move", &json!({ "src": "d/a", "dst": "d/c" })),
        ask("fs_list", &json!({ "glob": "d/*", "include_hidden": true })),
        ask("fs_delete", &json!({ "path": "d" })),
        ask("fs_delete", &json!({ "path": "d", "recursive": true })),
        ask("fs_delete", &json!({ "path": "d", "force": true })),
    ]);
    let data: Vec<_> = said.lines.iter().map(|line| line["data"].clone()).collect();
    assert_eq!((&data[0]["written"], &data[0]["bytes"]), (&json!(true), &json!(2)));
    assert_eq!([&data[1], &data[2]], [&json!({ "copied": true }), &json!({ "moved": true })]);
    assert_eq!(said.lines[3]["errors"][0]["code"], "E_FILE_IO", "what is there is not overwritten");
    assert_eq!(data[4]["files"], json!(["d/.hidden", "d/a", "d/c"]));
    assert_eq!(said.lines[5]["ok"], false, "a folder is not deleted by the way");
    assert_eq!([&data[6], &data[7]], [&json!({ "deleted": true }), &json!({ "deleted": false })]);
    assert!(!place.root().join("d").exists());
}

#[test]
fn ctr_0006_ctr_0011_paths_and_commands_start_in_the_working_directory() {
    let place = Place::new(RULES, &[("d/a", "inside\n"), ("a", "outside\n")]);
    let lines = [
        ask("file_read", &json!({ "path": "a" })),
        ask("shell_exec", &json!({ "cmd": "cat a" })),
        ask("shell_exec", &json!({ "cmd": "cat a", "cwd": "/" })),
    ];
    let said = place.run_with(&["--role", "coder", "--cwd", "d"], &lines.join("\n"));
    assert_eq!(said.lines[0]["data"]["content"], "inside\n");
    assert_eq!(said.lines[1]["data"]["stdout"], "inside\n");
    assert_eq!(said.lines[2]["errors"][0]["code"], "E_POLICY", "{}", said.lines[2]);
}

#[test]
fn tool_proc_list_shows_what_runs() {
    let place = Place::new("rule look:\n  allow coder to proc.list\n", &[]);
    let said = place.run(&[ask("proc_list", &json!({ "filter": "interdict", "limit": 5 }))]);
    let processes = said.lines[0]["data"]["processes"].as_array().unwrap_or_else(|| panic!("{}", said.lines[0]));
    assert!(!processes.is_empty() && processes.len() <= 5);
    for process in processes {
        let is_whole = process["pid"].is_u64() && process["cmd"].is_string() && process["cpu"].is_number();
        assert!(is_whole && process["mem_mb"].is_number(), "{process}");
    }
}

#[test]
fn invoke_pytest_honours_a_timeout() {
    let place = Place::new(RULES, &[("test_hang.py", "import time\ndef test_hang():\n    time.sleep(60)\n")]);
    let said = place.run(&[invoke("pytest", "run", &json!({ "paths": ["test_hang.py"], "timeout_ms": 3000 }))]);
    let line = &said.lines[0];
    if line["output"]["stderr"].as_str().is_some_and(|stderr| stderr.contains("No module named pytest")) {
        eprintln!("NOT TESTED: there is no pytest on this machine; `apt-get install python3-pytest` brings one");
        return;
    }
    assert_eq!(line["error"]["type"], "Timeout", "{line}");
}

#[test]
fn invoke_pytest_that_a_signal_ended_has_its_number_below_zero() {
    let test = |exit: &str| format!("import os\ndef test_end():\n    {exit}\n");
    let (killed, ended) = (test("os.kill(os.getpid(), 9)"), test("os._exit(137)"));
    let place = Place::new(RULES, &[("test_killed.py", &killed), ("test_ended.py", &ended)]);
    let run = |path: &str| invoke("pytest", "run", &json!({ "paths": [path] }));
    let said = place.run(&[run("test_killed.py"), run("test_ended.py")]);
    if said.lines[0]["output"]["stderr"].as_str().is_some_and(|stderr| stderr.contains("No module named pytest")) {
        eprintln!("NOT TESTED: there is no pytest on this machine; `apt-get install python3-pytest` brings one");
        return;
    }
    let codes: Vec<_> = said.lines.iter().map(|line| line["output"]["exit_code"].clone()).collect();
    assert_eq!(codes, [json!(-9), json!(137)], "{:?}", said.lines);
    // The six fields of such a result, and no other.
    assert!(said.lines.iter().all(|line| line["output"].as_object().unwrap().len() == 6), "{:?}", said.lines);
}

#[test]
fn ctr_0011_a_working_directory_can_be_a_link_inside_the_root() {
    let place = Place::new(RULES, &[("real/a", "inside\n")]);
    std::os::unix::fs::symlink("real", place.root().join("link")).unwrap();
    std::os::unix::fs::symlink("/etc", place.root().join("out")).unwrap();
    let said = place.run(&[
        ask("shell_exec", &json!({ "cmd": "cat a", "cwd": "link" })),
        ask("shell_inline", &json!({ "interpreter": "sh", "script": "cat a", "cwd": "link" })),
        ask("shell_exec", &json!({ "cmd": "cat a", "cwd": "out" })),
    ]);
    assert_eq!(said.lines[0]["data"]["stdout"], "inside\n", "{}", said.lines[0]);
    assert_eq!(said.lines[1]["data"]["stdout"], "inside\n", "{}", said.lines[1]);
    assert_eq!(said.lines[2]["errors"][0]["code"], "E_POLICY", "{}", said.lines[2]);
}

/// A script is judged by the folder that it runs in, and so is one that a link leads to.
#[test]
fn a_working_directory_behind_a_link_is_judged_with_all_that_the_request_says() {
    let rules = "rule scripts:\n  allow coder to shell.inline\n  where command in \"sh\" and path in \"link/**\", \"real/**\"\n";
    let place = Place::new(rules, &[("real/a", "inside\n"), ("vault/a", "secret\n")]);
    std::os::unix::fs::symlink("real", place.root().join("link")).unwrap();
    let run = ask("shell_inline", &json!({ "interpreter": "sh", "script": "cat a", "cwd": "link" }));
    let said = place.run(std::slice::from_ref(&run));
    assert_eq!(said.lines[0]["data"]["stdout"], "inside\n", "{}", said.lines[0]);
    std::fs::remove_file(place.root().join("link")).unwrap();
    std::os::unix::fs::symlink("vault", place.root().join("link")).unwrap();
    let said = place.run(&[run]);
    assert_eq!(said.lines[0]["errors"][0]["code"], "E_POLICY", "{}", said.lines[0]);
}

#[test]
fn invoke_result_is_given_to_an_invocation_that_misses_something_or_has_too_much() {
    let place = Place::new(RULES, &[]);
    let said = place.run(&[
        r#"{"tool":"filesystem","action":"read_file"}"#.to_owned(),
        r#"{"tool":"filesystem","action":"list_dir"}"#.to_owned(),
        r#"{"tool":"filesystem","action":"read_file","args":[]}"#.to_owned(),
        r#"{"tool":"filesystem","action":"read_file","args":{"path":"a"},"more":1}"#.to_owned(),
        r#"{"action":"read_file","args":{"path":"a"}}"#.to_owned(),
        r#"{"tool":"filesystem"}"#.to_owned(),
        r#"{"tool":"nothing","action":"at_all","args":{}}"#.to_owned(),
    ]);
    let words = ["args", "args", "args", "more", "tool", "action"];
    for (line, word) in said.lines.iter().zip(words) {
        assert_eq!((&line["ok"], &line["error"]["type"]), (&json!(false), &json!("InvalidArguments")), "{line}");
        assert!(line["error"]["message"].as_str().unwrap().contains(&format!("`{word}`")), "{line}");
    }
    assert_eq!(said.lines[6]["error"]["type"], "PolicyDenied", "what is unknown is denied");
}

#[test]
fn a_read_from_behind_the_end_is_empty_wherever_that_is() {
    let place = Place::new(RULES, &[("a", "abc")]);
    let read = |offset: u64| ask("file_read", &json!({ "path": "a", "offset": offset }));
    let said = place.run(&[read(2), read(3), read(1 << 63), read(u64::MAX)]);
    let contents: Vec<_> = said.lines.iter().map(|line| line["data"]["content"].as_str().unwrap_or_default()).collect();
    assert_eq!(
        (contents, said.lines.iter().all(|line| line["ok"] == true)),
        (vec!["c", "", "", ""], true),
        "{:?}",
        said.lines
    );
}

#[test]
fn tool_file_read_gives_at_most_max_bytes_and_the_hash_of_what_it_gives() {
    let place = Place::new(RULES, &[("a", "abcdef"), ("part", "abc"), ("e", "a\u{e9}\u{20ac}"), ("none", "")]);
    let read = |args: serde_json::Value| ask("file_read", &args);
    let said = place.run(&[
        read(json!({ "path": "a" })),
        read(json!({ "path": "a", "max_bytes": 0 })),
        read(json!({ "path": "a", "max_bytes": 3 })),
        read(json!({ "path": "a", "max_bytes": 6 })),
        read(json!({ "path": "a", "max_bytes": 1_048_576 })),
        read(json!({ "path": "a", "offset": 3, "max_bytes": 2 })),
        read(json!({ "path": "none", "max_bytes": 5 })),
        // A character is not cut, as far as there is another before it.
        read(json!({ "path": "e", "max_bytes": 5 })),
        read(json!({ "path": "e", "offset": 3, "max_bytes": 2 })),
    ]);
    let contents: Vec<_> = said.lines.iter().map(|line| line["data"]["content"].as_str().unwrap_or("-")).collect();
    assert_eq!(contents, ["abcdef", "abcdef", "abc", "abcdef", "abcdef", "de", "", "a\u{e9}", "-"]);
    let hash = |at: usize| said.lines[at]["data"]["sha256"].as_str().unwrap();
    let of = |path: &str| sha256_of(&place.root().join(path));
    assert_eq!([hash(0), hash(1), hash(3), hash(4)], [of("a").as_str(); 4]);
    assert_eq!((hash(2), hash(6)), (of("part").as_str(), of("none").as_str()));
    let error = &said.lines[8]["errors"][0];
    assert_eq!(error["code"], "E_FILE_IO");
    assert!(error["message"].as_str().unwrap().contains("inside a character"), "{error}");
}

#[test]
fn trust_limits_a_tree_that_is_deeper_than_there_are_descriptors_is_searched_copied_and_deleted() {
    let place = Place::new(RULES, &[("a", "needle\n")]);
    let deep = format!("{}file", "d/".repeat(500));
    std::fs::create_dir_all(place.root().join(&deep).parent().unwrap()).unwrap();
    std::fs::write(place.root().join(&deep), "needle\n").unwrap();
    let delete = |path: &str| ask("fs_delete", &json!({ "path": path, "recursive": true }));
    let lines = [
        ask("fs_list", &json!({ "glob": "**" })),
        ask("grep", &json!({ "pattern": "needle" })),
        ask("fs_copy", &json!({ "src": "d", "dst": "c" })),
        ask("fs_move", &json!({ "src": "d", "dst": "m" })),
        delete(&deep.replacen("d/", "m/", 1)),
        delete("c"),
        delete("m"),
    ];
    let said = place.run_with_limit("-n 256", &lines);
    assert!(said.lines.len() == 7 && said.lines.iter().all(|line| line["ok"] == true), "{:?}", said.lines);
    assert_eq!(said.lines[0]["data"]["files"], json!(["a", deep]));
    assert_eq!(said.lines[1]["data"]["matches"][1]["file"], json!(deep));
    assert_eq!(std::fs::read_dir(place.root()).unwrap().count(), 1);
}

/// The system would end the program for it.
#[test]
fn trust_limits_a_file_that_is_larger_than_may_be_is_answered_and_leaves_nothing() {
    let place = Place::new(RULES, &[]);
    let write = |path: &str, bytes: usize| ask("file_write", &json!({ "path": path, "content": "x".repeat(bytes) }));
    // In blocks of 512 bytes: 400 KiB, in which the state has room.
    let said =
        place.run_with_limit("-f 800", &[write("small", 1_000), write("large", 500 << 10), write("last", 1_000)]);
    let ok: Vec<_> = said.lines.iter().map(|line| line["ok"].clone()).collect();
    assert_eq!(ok, [true, false, true], "{:?} {}", said.lines, said.errors);
    assert_eq!((said.code, &said.lines[1]["errors"][0]["code"]), (Some(0), &json!("E_FILE_IO")));
    let mut names: Vec<_> = std::fs::read_dir(place.root()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["last", "small"]);
}

/// Each byte of such a file has six in the answer, which are never held together.
#[test]
fn a_large_answer_takes_little_more_memory_than_what_it_is_about() {
    let place = Place::new(RULES, &[]);
    let bytes = 32 << 20;
    std::fs::write(place.root().join("zeros"), vec![0_u8; bytes]).unwrap();
    let (line, peak_bytes) = place.peak_memory_of(&ask("file_read", &json!({ "path": "zeros" })));
    assert!(line > 6 * bytes, "{line}");
    assert!(peak_bytes < 5 * bytes, "{} MiB", peak_bytes >> 20);
}

#[test]
fn tool_file_patch_takes_little_more_memory_than_the_file() {
    let place = Place::new(RULES, &[]);
    let bytes = 32 << 20;
    std::fs::write(place.root().join("lines"), vec![b'\n'; bytes]).unwrap();
    let diff = "@@ -1 +1 @@\n-\n+x\n";
    let (_, peak_bytes) = place.peak_memory_of(&ask("file_patch", &json!({ "path": "lines", "unified_diff": diff })));
    assert!(std::fs::read(place.root().join("lines")).unwrap().starts_with(b"x\n\n"));
    assert!(peak_bytes < 5 * bytes, "{} MiB", peak_bytes >> 20);
}

#[test]
fn programs_of_a_named_folder_are_found_and_run_in_the_sandbox() {
    use std::os::unix::fs::PermissionsExt as _;
    let place = Place::new("rule run:\n  allow coder to shell.exec\n  where command in \"mytool\"\n", &[]);
    let tools = place.folder.path().join("tools");
    std::fs::create_dir(&tools).unwrap();
    std::fs::write(tools.join("mytool"), "#!/bin/sh\necho ran; echo changed > \"$0\"; echo x > \"${0%/*}/new\"\n")
        .unwrap();
    std::fs::set_permissions(tools.join("mytool"), std::fs::Permissions::from_mode(0o755)).unwrap();
    let line = ask("shell_exec", &json!({ "cmd": "mytool" }));
    let without = place.run(std::slice::from_ref(&line));
    assert_eq!(without.lines[0]["errors"][0]["message"], "binary \"mytool\" not found on system");
    let said = place.run_with(&["--role", "coder", "--programs", tools.to_str().unwrap()], &line);
    assert_eq!(said.lines[0]["data"]["stdout"], "ran\n", "{}", said.lines[0]);
    assert!(std::fs::read_to_string(tools.join("mytool")).unwrap().starts_with("#!") && !tools.join("new").exists());
}

fn blake3_hex(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex().to_string()
}

/// More than a few of each kind.
const GARBAGE_LINES: usize = 2_000;

/// What cannot be read as a request is answered under its name all the same.
#[test]
fn ctr_0022_a_request_with_more_parts_than_are_read_is_answered_by_its_name() {
    let place = Place::new(RULES, &[]);
    let said = place.run(&[ask("pytest_run", &json!({ "paths": vec!["a"; 16_385] }))]);
    assert_eq!((said.lines.len(), &said.lines[0]["ok"]), (1, &json!(false)));
    assert_eq!(said.lines[0]["request_id"], "r-1");
}
