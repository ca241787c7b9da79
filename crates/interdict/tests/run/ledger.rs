//! The ledger, as people and programs read it.

use exec_record::Digest;
use serde_json::json;

use crate::support::{Place, ask, invoke};

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
            "session-ended   ended by the program",
        ],
        "{text}"
    );
}

#[test]
fn what_was_asked_for_moves_no_cursor_and_starts_no_line() {
    let place = Place::new(RULES, &[]);
    let path = "\u{1b}[2Ja\n     9  forged\u{202e}\u{9b}2J\u{85}\u{7f}\u{2066}\u{200b}\u{61c}\u{2028}";
    place.run(&[invoke("filesystem", "read_file", &json!({ "path": path }))]);
    let is_shown = |character: char| character == '\n' || character == '"' || character.escape_debug().count() == 1;
    let (text, _) = place.show(&[]);
    assert!(text.contains(r#"path "\u{1b}[2Ja\n     9  forged\u{202e}\u{9b}2J\u{85}\u{7f}"#), "{text}");
    assert!(text.chars().all(|character| is_shown(character) || character == '\\'), "{text:?}");
    let (text, _) = place.show(&["--format", "json"]);
    assert!(text.chars().all(|character| is_shown(character) || character == '\\'), "{text:?}");
    let records: Vec<serde_json::Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let refused = records.iter().find(|record| record["kind"] == "refused").unwrap();
    assert_eq!(refused["judged"]["targets"], json!([path]));
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

/// Whatever else a request calls a secret: what was run, and on what, is there to be seen.
#[test]
fn trust_audit_no_request_takes_off_the_record_what_it_does() {
    let rules = "rule work:\n  allow coder to shell.exec, fs.*\n";
    let place = Place::new(rules, &[("src/o", "x"), ("vault/key", "x")]);
    let passwords: String = (0..65).map(|number| format!(" --password=hunter{number:03}")).collect();
    let run = |line: &str| ask("shell_exec", &json!({ "cmd": line }));
    place.run(&[
        run(&format!("rm -f src/o; true{passwords}")),
        run("true --password=vault/key && cat vault/key"),
        run("grep -e password=vault/key vault/key"),
        ask("fs_move", &json!({ "src": "vault/key", "dst": "vault/password=vault/key" })),
    ]);
    let (text, _) = place.show(&[]);
    for said in [
        r#"command "rm" subcommand "src/o" line "rm -f src/o""#,
        r#"command "cat" subcommand "vault/key" line "cat vault/key""#,
        r#"line "true --password=[redacted]""#,
        r#"line "grep -e password=[redacted] vault/key""#,
        r#"path "vault/key""#,
        r#"path "vault/password=vault/key""#,
    ] {
        assert!(text.contains(said), "{said}: {text}");
    }
    assert!(!text.contains("hunter"), "{text}");
}

/// The same words do something else in another folder, with another script, input or environment.
#[test]
fn trust_audit_the_record_has_what_decides_what_a_command_does() {
    let rules = "rule run:\n  allow coder to shell.exec, shell.inline\n";
    let place = Place::new(rules, &[("a/x", "1"), ("b/x", "1")]);
    let (script, stdin) = ("kill -9 $$ # hunter2", "hunter3 from outside");
    place.run(&[
        ask("shell_exec", &json!({ "cmd": "rm x", "cwd": "a" })),
        ask("shell_exec", &json!({ "cmd": "rm x", "cwd": "./b" })),
        ask("shell_exec", &json!({ "cmd": "grep hunter4", "stdin": stdin, "env": { "LANG": "C", "TZ": "hunter5" } })),
        ask("shell_inline", &json!({ "interpreter": "sh", "script": script, "cwd": "a" })),
        ask("shell_exec", &json!({ "cmd": "sleep 60", "timeout_ms": 50 })),
    ]);
    let (text, _) = place.show(&["--format", "json"]);
    let records: Vec<serde_json::Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let of = |kind: &str, field: &str| -> Vec<serde_json::Value> {
        records.iter().filter(|record| record["kind"] == kind).map(|record| record[field].clone()).collect()
    };
    let hash = |text: &str| Digest::of(text.as_bytes()).to_string();
    let alone =
        |folder: &str| json!({ "working_directory": folder, "line": null, "script": null, "stdin": null, "env": null });
    let env = json!({ "names": ["LANG", "TZ"], "digest": hash("LANG=C\0TZ=hunter5\0") });
    assert_eq!(
        of("intent", "setting"),
        [
            alone("a"),
            alone("b"),
            json!({ "working_directory": "", "line": null, "script": null, "stdin": hash(stdin), "env": env }),
            json!({ "working_directory": "a", "line": null, "script": hash(script), "stdin": null, "env": null }),
            alone(""),
        ]
    );
    let exits = [
        json!({ "code": 0 }),
        json!({ "code": 0 }),
        json!({ "code": 1 }),
        json!({ "signal": 9 }),
        json!({ "timed_out": true }),
    ];
    assert_eq!(of("result", "exit"), exits);
    for secret in ["hunter2", "hunter3", "hunter5"] {
        assert!(!text.contains(secret), "{secret}: {text}");
    }

    let (shown, _) = place.show(&[]);
    for line in [
        "        in \"a\"".to_owned(),
        "        in \".\"".to_owned(),
        format!("        script {}", hash(script)),
        format!("        stdin {}", hash(stdin)),
        format!("        env [\"LANG\", \"TZ\"] {}", hash("LANG=C\0TZ=hunter5\0")),
    ] {
        assert!(shown.lines().any(|shown| shown == line), "{line}: {shown}");
    }
    assert!(shown.contains(" ms, terminated by signal 9\n"), "{shown}");
}

#[test]
fn trust_audit_a_secret_in_a_script_is_in_no_fact() {
    let place = Place::new("rule run:\n  allow coder to shell.exec\n  where command == \"true\"\n", &[]);
    let run = |line: String| ask("shell_exec", &json!({ "cmd": line }));
    let scripts =
        ["mysql -p@", "redis-cli -a @", "sshpass -p @ ssh h", "vault login @", "docker login -p @", "curl -u me:@ h"];
    let lines = scripts.iter().flat_map(|script| {
        let script = script.replace('@', "s3cr3tPw");
        [
            run(format!("sh -c '{script}'")),
            run(format!("true && env bash -c \"{script}\"")),
            run(format!("ssh host '{script}'")),
            run(format!("true '{script}'")),
        ]
    });
    place.run(&lines.collect::<Vec<_>>());
    for format in ["human", "json"] {
        let (text, _) = place.show(&["--format", format]);
        assert!(text.contains("[redacted]") && !text.contains("s3cr3tPw"), "{text}");
    }
}

/// However a request is padded: what it deletes is named on the record.
#[test]
fn trust_audit_no_padding_hides_what_was_run() {
    let rules =
        "rule work:\n  allow coder to shell.exec, fs.*\n\nrule lines:\n  allow coder to shell.exec\n  where complex\n";
    let folders = format!("{}/", "n".repeat(200)).repeat(8);
    let path = format!("{folders}important-path/{folders}x");
    let names = ["word", "words", "blanks", "middle", "far", "many", "complex"].map(|name| format!("important-{name}"));
    let mut files: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "1")).collect();
    files.push((&path, "1"));
    let place = Place::new(rules, &files);
    let run = |line: String| ask("shell_exec", &json!({ "cmd": line }));
    let said = place.run(&[
        run(format!("rm {}important-word", "./".repeat(1_100))),
        run(format!("rm -f {}important-words", "x ".repeat(600))),
        run(format!("sh -c '{}rm important-blanks'", " ".repeat(1_100))),
        run(format!("rm -f {}important-middle{}", "x ".repeat(2_000), " y".repeat(2_000))),
        run(format!("rm -f {}important-far{}", "x ".repeat(20_000), " y".repeat(20_000))),
        run(format!("{}rm important-many", "true; ".repeat(900))),
        run(format!("{}$(rm important-complex){}", "true; ".repeat(300), "; true".repeat(300))),
        ask("fs_delete", &json!({ "path": path })),
    ]);
    for (name, answer) in names.iter().chain([&path]).zip(&said.lines) {
        assert!(!place.root().join(name).exists(), "{name}: {answer}");
    }
    for format in ["human", "json"] {
        let (text, _) = place.show(&["--format", format]);
        for name in names.iter().chain([&path]) {
            assert!(text.contains(name.as_str()), "{format}: {name}");
        }
    }
}

/// Each policy has its own decision about each command, and so many are on the record one by one.
#[test]
fn trust_audit_a_line_of_more_commands_than_are_on_record_is_there_as_a_whole() {
    let rules = "rule work:\n  allow coder to shell.exec\n";
    let place = Place::new(rules, &[("important", "1")]);
    let second = place.folder.path().join("second.policy");
    std::fs::write(&second, format!("policy second language 1\n\nrole coder\n\n{rules}")).unwrap();
    let line = format!("{}rm important", "true; ".repeat(600));
    let ask = ask("shell_exec", &json!({ "cmd": line }));
    place.run_with(&["--role", "coder", "--policy", second.to_str().unwrap()], &ask);
    assert!(!place.root().join("important").exists());
    let (text, _) = place.show(&[]);
    assert!(text.contains(&format!("        as a whole {line:?}\n")), "{text}");
    assert!(!text.contains("line \"rm important\""), "it is not among those that are there one by one");
}

#[test]
fn a_file_that_is_read_has_no_setting_and_no_exit() {
    let place = Place::new(RULES, &[("a", "x")]);
    place.run(&[invoke("filesystem", "read_file", &json!({ "path": "a" }))]);
    let (text, _) = place.show(&["--format", "json"]);
    let said = text.lines().filter(|line| line.contains(r#""setting":null"#) || line.contains(r#""exit":null"#));
    assert_eq!(said.count(), 2, "{text}");
}

#[test]
fn a_ledger_that_is_not_there_is_not_shown() {
    let place = Place::new(RULES, &[]);
    let (text, code) = place.show(&[]);
    assert_eq!((text.as_str(), code), ("", Some(2)));
}
