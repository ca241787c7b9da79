//! What is refused, what is left behind then, and what it is called.

use std::fs;
use std::os::unix::fs::symlink;

use serde_json::json;

use crate::support::{Place, ask, invoke};

const RULES: &str = "rule work:\n  allow coder to file.*, fs.*\n  where path in \"src/**\"\n\n\
                     rule look:\n  allow coder to shell.exec\n  where command in \"echo\", \"no-such-tool\"\n";

#[test]
fn invoke_contain_escapes_are_denied_without_a_side_effect() {
    let place = Place::new(RULES, &[("src/a", "x"), ("vault/key", "secret")]);
    let outside = tempfile::tempdir().unwrap();
    symlink(outside.path(), place.root().join("src/out")).unwrap();
    symlink("../vault/key", place.root().join("src/in")).unwrap();
    let write = |path: &str| invoke("filesystem", "write_file", &json!({ "path": path, "content": "y" }));
    let said = place.run(&[write("../b"), write("src/../../b"), write("src/out/b"), write("src/in"), write("/etc/b")]);
    for line in &said.lines {
        assert_eq!(line["error"]["type"], "PolicyDenied", "{line}");
        assert_eq!(line["policy"]["allowed"], false, "{line}");
    }
    assert_eq!(said.lines.len(), 5);
    assert!(fs::read_dir(outside.path()).unwrap().next().is_none());
    assert!(!place.folder.path().join("b").exists());
    assert_eq!(fs::read_to_string(place.root().join("vault/key")).unwrap(), "secret");
}

#[test]
fn invoke_utf8_is_all_that_is_read_as_text() {
    let place = Place::new(RULES, &[("src/a", "x")]);
    fs::write(place.root().join("src/b"), b"\xff\xfe").unwrap();
    let said = place.run(&[invoke("filesystem", "read_file", &json!({ "path": "src/b" }))]);
    assert_eq!((&said.lines[0]["ok"], &said.lines[0]["error"]["type"]), (&json!(false), &json!("EncodingError")));
    assert!(said.lines[0]["output"].get("stdout").is_none());
}

#[test]
fn invoke_notfound_is_said_of_a_missing_file() {
    let place = Place::new(RULES, &[("src/a", "x")]);
    let said = place.run(&[invoke("filesystem", "read_file", &json!({ "path": "src/missing" }))]);
    assert_eq!(said.lines[0]["error"]["type"], "NotFound");
}

#[test]
fn invoke_root_that_is_unset_missing_or_no_folder_runs_nothing() {
    let place = Place::new(RULES, &[]);
    let line = invoke("filesystem", "read_file", &json!({ "path": "src/a" }));
    let unset = place.run_without_root(std::slice::from_ref(&line));
    assert!(!place.state().exists(), "nothing was begun");
    fs::remove_dir(place.root()).unwrap();
    let missing = place.run(std::slice::from_ref(&line));
    fs::write(place.root(), "").unwrap();
    let file = place.run(&[line]);
    for (said, why) in [
        (unset, "no root is given\n".to_owned()),
        (missing, format!("the root does not exist: `{}`\n", place.root().display())),
        (file, format!("the root is not a directory: `{}`\n", place.root().display())),
    ] {
        assert_eq!((said.lines.len(), said.code), (0, Some(2)), "{}", said.errors);
        assert!(said.errors.contains(&format!("error: GovernanceUnavailable: {why}")), "{}", said.errors);
        assert!(said.errors.contains("\nhelp: name an existing directory "), "{}", said.errors);
    }
}

#[test]
fn sec_allow_empty_sec_allow_miss_sec_allow_absent_are_said_word_for_word() {
    let place = Place::new(RULES, &[("src/a", "x")]);
    let run = |cmd: &str| ask("shell_exec", &json!({ "cmd": cmd }));
    let denied = |message: &str| {
        json!([{
            "code": "E_POLICY", "message": message,
            "rule_id": "default-deny", "rationale_code": "SHELL_EXEC_DENIED",
        }])
    };
    let said = place.run(&[run("rm -rf src"), run("no-such-tool"), run("/bin/echo a")]);
    assert_eq!(said.lines[0]["errors"], denied("binary \"rm\" not in allowlist"));
    let absent = json!([{ "code": "E_SHELL", "message": "binary \"no-such-tool\" not found on system" }]);
    assert_eq!(said.lines[1]["errors"], absent);
    assert_eq!(said.lines[2]["errors"], denied("binary \"/bin/echo\" not in allowlist"));
    let none = Place::new("rule work:\n  allow coder to file.read\n", &[]);
    let said = none.run(&[run("ls")]);
    let sentence = "command tool execution blocked: no allowlist configured. Configure allowed_commands in agent or server config.";
    assert_eq!(said.lines[0]["errors"], denied(sentence));
}

#[test]
fn sec_inline_an_interpreter_that_is_not_there_is_named() {
    let rules = "rule scripts:\n  allow coder to shell.inline\n  where command in \"sh\", \"no-such-python3\"\n";
    let place = Place::new(rules, &[]);
    let script = |interpreter: &str| ask("shell_inline", &json!({ "interpreter": interpreter, "script": "echo ran" }));
    let said = place.run(&[script("sh"), script("no-such-python3"), script("python3")]);
    assert_eq!(said.lines[0]["data"]["stdout"], "ran\n", "{}", said.lines[0]);
    let missing = json!([{ "code": "E_SHELL", "message": "interpreter not found: no-such-python3" }]);
    assert_eq!(said.lines[1]["errors"], missing);
    // One that is there and not allowed is not looked for.
    assert_eq!(said.lines[2]["errors"][0]["rationale_code"], "SHELL_INLINE_DENIED", "{}", said.lines[2]);
}

#[test]
fn trust_lease_covers_what_it_names_whatever_the_policy_says() {
    let place = Place::new(RULES, &[("src/a", "x")]);
    let lines =
        [ask("file_read", &json!({ "path": "src/a" })), ask("fs_delete", &json!({ "path": "src/a" }))].join("\n");
    let said = place.run_with(&["--role", "coder", "--lease", "file.read"], &lines);
    assert_eq!((&said.lines[0]["ok"], &said.lines[1]["ok"]), (&json!(true), &json!(false)));
    assert_eq!(said.lines[1]["errors"][0]["rationale_code"], "LEASE_SCOPE");
    assert!(place.root().join("src/a").exists());
}

#[test]
fn trust_lease_covers_what_a_diff_removes_renames_and_makes() {
    let place = Place::new(RULES, &[("src/a", "1\n")]);
    let diffs = [
        ("--- a/src/a\n+++ /dev/null\n@@ -1 +0,0 @@\n-1\n", "fs.delete"),
        ("diff --git a/src/a b/src/b\nsimilarity index 100%\nrename from src/a\nrename to src/b\n", "fs.move"),
        ("--- /dev/null\n+++ b/src/b\n@@ -0,0 +1 @@\n+x\n", "file.write"),
        ("--- a/src/a\n+++ b/src/a\n@@ -1 +1 @@\n-1\n+2\n", ""),
    ];
    let lines = diffs.map(|(diff, _)| ask("file_patch", &json!({ "path": "src/a", "unified_diff": diff }))).join("\n");
    let said = place.run_with(&["--role", "coder", "--lease", "file.patch"], &lines);
    for ((_, operation), line) in diffs.iter().zip(&said.lines) {
        assert_eq!(line["ok"], operation.is_empty(), "{line}");
        if operation.is_empty() {
            continue;
        }
        let error = &line["errors"][0];
        let expected = format!("the lease does not cover {operation}");
        assert_eq!(error["rationale_code"], "LEASE_SCOPE", "{error}");
        assert!(error["message"].as_str().unwrap().contains(&expected), "{error}");
    }
    // What is denied is not begun.
    assert_eq!((place.count("refused"), place.count("intent")), (3, 1));
    assert_eq!(fs::read_to_string(place.root().join("src/a")).unwrap(), "2\n");
    assert!(!place.root().join("src/b").exists());
}

#[test]
fn a_state_that_tools_could_reach_runs_nothing() {
    let place = Place::new(RULES, &[]);
    let inside = place.root().join("state");
    let said = place.run_with(&["--role", "coder"], "");
    assert_eq!(said.code, Some(0), "{}", said.errors);
    for state in [inside.to_str().unwrap(), place.folder.path().to_str().unwrap()] {
        let said = place.run_in(state, &["--role", "coder"], "{}\n");
        assert_eq!((said.lines.len(), said.code), (0, Some(2)), "{state}");
        assert!(said.errors.contains("overlap"), "{}", said.errors);
    }
    for state in ["/usr/interdict-state", "/etc/interdict-state"] {
        let said = place.run_in(state, &["--role", "coder"], "{}\n");
        assert_eq!((said.lines.len(), said.code), (0, Some(2)), "{state}");
        assert!(said.errors.contains("is inside a system directory that commands can read"), "{}", said.errors);
        assert!(!std::path::Path::new(state).exists());
    }
}

#[test]
fn a_role_that_no_policy_knows_runs_nothing() {
    let place = Place::new(RULES, &[]);
    let said = place.run_with(&["--role", "stranger"], "{}\n");
    assert_eq!((said.lines.len(), said.code), (0, Some(2)));
    assert!(said.errors.contains("`stranger`"), "{}", said.errors);
}

#[test]
fn trust_default_deny_of_everything_is_told_at_the_start() {
    let warning =
        "warning: `mine` allows nothing without --role, so every request will be denied; its roles are coder\n";
    let place = Place::new(RULES, &[("src/a", "x")]);
    let line = ask("file_read", &json!({ "path": "src/a" }));
    let said = place.run_with(&[], &line);
    assert_eq!((&said.lines[0]["ok"], said.code), (&json!(false), Some(0)));
    assert!(said.errors.contains(warning), "{}", said.errors);
    assert!(!place.run_with(&["--role", "coder"], &line).errors.contains("warning"));
    // What anybody may do, nobody has to have a role for. To be denied is not to be granted.
    for (rules, is_warned) in [
        ("rule work:\n  allow anyone to file.read\n  where path in \"src/**\"\n", false),
        (
            "rule work:\n  allow anyone to file.write\n  where not append and create-only\n  limit bytes <= 1 KiB\n",
            false,
        ),
        ("rule work:\n  allow anyone to shell.exec\n  where command in \"a\", \"b\" and timeout < 5 s\n", false),
        ("rule work:\n  ask anyone to git.push\n", false),
        ("rule vault:\n  deny anyone to file.*\n  where path in \"vault/**\"\n", true),
        ("", true),
    ] {
        let said = Place::new(rules, &[]).run_with(&[], "");
        assert_eq!((said.errors.contains(warning), said.code), (is_warned, Some(0)), "{rules}: {}", said.errors);
    }
    let place = Place::new("role guest\n\nrule work:\n  allow coder to file.read\n", &[]);
    let said = place.run_with(&["--role", "guest"], "");
    let warning =
        "warning: `mine` allows nothing to guest, so every request will be denied; its roles are coder, guest\n";
    assert!(said.errors.contains(warning), "{}", said.errors);
}

#[test]
fn a_rule_that_requires_a_check_is_not_taken_for_a_plain_permission() {
    let place = Place::new("rule work:\n  allow coder to file.write\n  require secrets.scan\n", &[]);
    let said = place.run(&[ask("file_write", &json!({ "path": "a", "content": "x" }))]);
    assert_eq!(said.lines[0]["errors"][0]["rationale_code"], "REQUIREMENT_UNMET", "{}", said.lines[0]);
    assert!(!place.root().join("a").exists());
}

#[test]
fn sec_allow_miss_is_not_said_of_a_command_that_a_rule_names() {
    let message = |line: &serde_json::Value| line["errors"][0]["message"].as_str().unwrap().to_owned();
    let run = |cmd: &str| ask("shell_exec", &json!({ "cmd": cmd }));
    let rules = "rule look:\n  allow coder to shell.exec\n  where command in \"echo\" and not network\n  limit timeout <= 1 s\n";
    let said = Place::new(rules, &[]).run(&[
        ask("shell_exec", &json!({ "cmd": "echo a", "allow_network": true })),
        ask("shell_exec", &json!({ "cmd": "echo a", "timeout_ms": 2000 })),
        run("echo $HOME"),
        run("echo a && rm b"),
    ]);
    for line in &said.lines[..3] {
        assert!(!message(line).contains("allowlist"), "{line}");
    }
    assert_eq!(said.lines[0]["errors"][0]["rationale_code"], "SHELL_EXEC_DENIED", "{}", said.lines[0]);
    assert_eq!(said.lines[1]["errors"][0]["rationale_code"], "LIMIT_EXCEEDED", "{}", said.lines[1]);
    assert_eq!(message(&said.lines[3]), "binary \"rm\" not in allowlist");
    let rules = "rule history:\n  allow coder to shell.exec\n  where command in \"git\" and subcommand in \"log\"\n";
    let said = Place::new(rules, &[]).run(&[run("git push"), run("rm b")]);
    assert!(!message(&said.lines[0]).contains("allowlist"), "{}", said.lines[0]);
    assert_eq!(message(&said.lines[1]), "binary \"rm\" not in allowlist");
}

/// A rule can name a command by the lines that it lets run.
#[test]
fn sec_allow_miss_is_not_said_of_a_command_that_a_rule_names_by_its_lines() {
    let run = |cmd: &str| ask("shell_exec", &json!({ "cmd": cmd }));
    for condition in [
        r#"line matches "^cargo (build|test)( .*)?$""#,
        r#"line in "cargo build", "cargo fetch --locked", "cat notes/a""#,
        r#"line in "cargo build*""#,
        r#"line == "cargo build""#,
        r#"line == "cargo""#,
        r#"line matches "^cargo$""#,
    ] {
        // That a rule looks for something anywhere names no command.
        let rules = format!(
            "rule build:\n  allow coder to shell.exec\n  where {condition} and not complex\n\n\
             rule forced:\n  deny anyone to shell.exec\n  where line matches \".*--force.*\" or line in \"* /etc\"\n"
        );
        let said = Place::new(&rules, &[]).run(&[
            run("cargo publish"),
            run("cargo"),
            run("carg x"),
            run("cargo-x"),
            run("rm b"),
        ]);
        let messages: Vec<_> = said.lines.iter().map(|line| line["errors"][0]["message"].as_str().unwrap()).collect();
        assert!(!messages[0].contains("allowlist") && !messages[1].contains("allowlist"), "{condition}: {messages:?}");
        for (message, name) in messages[2..].iter().zip(["carg", "cargo-x", "rm"]) {
            assert_eq!(*message, format!("binary \"{name}\" not in allowlist"), "{condition}");
        }
    }
}

#[test]
fn a_diff_makes_no_folders_where_the_policy_lets_none_be_made() {
    let rules = "rule work:\n  allow coder to file.patch, file.write\n  where not create-dirs\n\n\
                 rule free:\n  allow coder to file.patch, file.write\n  where path in \"free/**\"\n\n\
                 rule half:\n  allow coder to file.patch\n  where path in \"half/**\"\n";
    let place = Place::new(rules, &[("there/a", "x\n")]);
    let new = |path: &str| {
        let diff = format!(
            "diff --git a/{path} b/{path}\nnew file mode 100644\n--- /dev/null\n+++ b/{path}\n@@ -0,0 +1 @@\n+x\n"
        );
        ask("file_patch", &json!({ "path": path, "unified_diff": diff }))
    };
    let write = ask("file_write", &json!({ "path": "new/b", "content": "x", "create_dirs": true }));
    let said = place.run(&[write, new("new/b"), new("there/b"), new("free/a/b"), new("half/a/b")]);
    let is_ok: Vec<_> = said.lines.iter().map(|line| line["ok"].as_bool().unwrap()).collect();
    assert_eq!(is_ok, [false, false, true, true, false], "{:#?}", said.lines);
    assert_eq!(said.lines[1]["errors"][0]["code"], "E_POLICY", "{}", said.lines[1]);
    assert!(!place.root().join("new").exists() && !place.root().join("half").exists());
}

#[test]
fn a_link_to_a_path_that_needs_a_check_says_which() {
    let rules = "rule work:\n  allow coder to file.read\n  where path in \"a\"\n\n\
                 rule checked:\n  allow coder to file.read\n  where path in \"b\"\n  require secrets.scan\n\n\
                 rule small:\n  allow coder to file.read\n  where path in \"d\"\n  limit bytes <= 1 KiB\n";
    let place = Place::new(rules, &[("b", "x"), ("d", "x")]);
    let read = ask("file_read", &json!({ "path": "a" }));
    symlink("b", place.root().join("a")).unwrap();
    let checked = place.run(std::slice::from_ref(&read));
    let by = |error: &serde_json::Value| (error["rationale_code"].clone(), error["rule_id"].clone());
    let error = &checked.lines[0]["errors"][0];
    assert!(error["message"].as_str().unwrap().contains("requires `secrets.scan`"), "{error}");
    assert_eq!(by(error), (json!("REQUIREMENT_UNMET"), json!("checked")));
    fs::remove_file(place.root().join("a")).unwrap();
    symlink("d", place.root().join("a")).unwrap();
    let limited = place.run(&[read]);
    let error = &limited.lines[0]["errors"][0];
    assert!(error["message"].as_str().unwrap().contains("bytes up to 1024"), "{error}");
    assert_eq!(by(error), (json!("LIMIT_EXCEEDED"), json!("small")));
}

#[test]
fn trust_lease_with_an_operation_that_there_is_not_runs_nothing() {
    let place = Place::new(RULES, &[]);
    for (lease, known) in [
        ("file.raed", "known are file.edit, file.patch, file.read, file.write"),
        ("fiel.*", "fs.*"),
        ("read", "file.*"),
        ("", "file.*"),
    ] {
        let said = place.run_with(&["--role", "coder", "--lease", "fs.*", "--lease", lease], "{}\n");
        assert_eq!((said.lines.len(), said.code), (0, Some(2)), "{lease}: {}", said.errors);
        assert!(said.errors.contains(&format!("`{lease}`")) && said.errors.contains(known), "{}", said.errors);
    }
}

#[test]
fn a_working_directory_that_is_none_runs_nothing() {
    let place = Place::new(RULES, &[("src/a", "x")]);
    symlink("src", place.root().join("link")).unwrap();
    for (cwd, why) in [
        ("missing", "it does not exist"),
        ("src/a", "it is not a directory"),
        ("..", "not inside"),
        ("/etc", "not inside"),
    ] {
        let said = place.run_with(&["--role", "coder", "--cwd", cwd], "{}\n");
        assert_eq!((said.lines.len(), said.code), (0, Some(2)), "{cwd}: {}", said.errors);
        assert!(
            said.errors.contains(&format!("the working directory `{cwd}` cannot be used")) && said.errors.contains(why),
            "{}",
            said.errors
        );
    }
    for cwd in ["", ".", "src", "link"] {
        assert_eq!(place.run_with(&["--role", "coder", "--cwd", cwd], "").code, Some(0), "{cwd}");
    }
}

#[test]
fn programs_in_the_root_or_around_the_state_run_nothing() {
    let place = Place::new(RULES, &[("bin/tool", "")]);
    let (inside, around) = (place.root().join("bin"), place.folder.path().to_owned());
    let missing = place.folder.path().join("missing");
    for (folder, why) in [
        (&inside, "must not overlap"),
        (&around, "must not overlap"),
        (&missing, "cannot be used as a directory of programs"),
    ] {
        let said = place.run_with(&["--role", "coder", "--programs", folder.to_str().unwrap()], "{}\n");
        assert_eq!((said.lines.len(), said.code), (0, Some(2)), "{folder:?}: {}", said.errors);
        assert!(said.errors.contains(why) && said.errors.contains("could replace programs"), "{}", said.errors);
    }
}

#[test]
fn a_rule_that_requires_no_links_follows_none() {
    let rules = "rule strict:\n  allow coder to file.*, fs.*\n  where path in \"strict/**\"\n  require no-links\n\n\
                 rule free:\n  allow coder to file.read\n  where path in \"free/**\"\n\n\
                 rule run:\n  allow coder to shell.exec\n  require no-links\n";
    let place = Place::new(rules, &[("strict/a", "x"), ("free/a", "x")]);
    symlink("a", place.root().join("strict/b")).unwrap();
    symlink("a", place.root().join("free/b")).unwrap();
    symlink("../strict/a", place.root().join("free/c")).unwrap();
    let read = |path: &str| ask("file_read", &json!({ "path": path }));
    let said = place.run(&[
        read("strict/a"),
        read("free/b"),
        ask("file_write", &json!({ "path": "strict/new", "content": "x" })),
        ask("fs_delete", &json!({ "path": "strict/new" })),
        read("strict/b"),
        read("free/c"),
        ask("shell_exec", &json!({ "cmd": "echo a" })),
    ]);
    let is_ok: Vec<_> = said.lines.iter().map(|line| line["ok"].as_bool().unwrap()).collect();
    assert_eq!(is_ok, [true, true, true, true, false, false, false], "{:#?}", said.lines);
    let message = |at: usize| said.lines[at]["errors"][0]["message"].as_str().unwrap();
    assert!(message(4).contains("links are not followed here"), "{}", message(4));
    assert!(message(5).contains("`no-links`"), "{}", message(5));
    let code = &said.lines[6]["errors"][0]["rationale_code"];
    assert_eq!(code, "REQUIREMENT_UNMET", "a command is not held to it: {}", message(6));
}

#[test]
fn tests_that_are_denied_do_not_run_under_another_name() {
    let rules = "rule tests:\n  allow coder to pytest.run\n  where path in \"tests/**\"\n\n\
                 rule danger:\n  deny anyone to pytest.run\n  where path in \"tests/danger.py\", \"tests/deep\", \"tests/deep/**\"\n";
    let test = "def test_it():\n    open('ran', 'w').close()\n";
    let place = Place::new(rules, &[("tests/danger.py", test), ("tests/deep/test_e.py", test)]);
    symlink("deep/test_e.py", place.root().join("tests/test_l.py")).unwrap();
    symlink("deep", place.root().join("tests/dl")).unwrap();
    symlink("/etc", place.root().join("tests/out")).unwrap();
    let names = [
        ("tests/danger.py", "PYTEST_RUN_DENIED"),
        ("tests/danger.py::test_it[1]", "PYTEST_RUN_DENIED"),
        ("tests/danger.py[x]", "VALIDATION_FAILED"),
        ("tests/deep[x", "VALIDATION_FAILED"),
        ("tests/danger.py[x]::test_it", "VALIDATION_FAILED"),
        ("tests/test_l.py", "PYTEST_RUN_DENIED"),
        ("tests/test_l.py::test_it", "PYTEST_RUN_DENIED"),
        ("tests/dl", "PYTEST_RUN_DENIED"),
        ("tests/dl/test_e.py::test_it", "PYTEST_RUN_DENIED"),
        ("tests/out/test_x.py", "PATH_ESCAPE"),
    ];
    let said = place.run(&names.map(|(name, _)| ask("pytest_run", &json!({ "paths": [name] }))));
    for ((name, code), line) in names.iter().zip(&said.lines) {
        assert_eq!(line["errors"][0]["rationale_code"], *code, "{name}: {line}");
    }
    assert!(!place.root().join("ran").exists());
}
