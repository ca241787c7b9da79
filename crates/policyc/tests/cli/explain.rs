//! `policyc explain`: the verdict and why, the nearest miss, three ways to ask, exit codes.

use serde_json::{Value, json};

use crate::support::{BAD, Run, folder_with, policyc, snapshot};

#[test]
fn a_permission_says_what_it_binds_to() {
    let run = explained(&["coder", "shell.exec", "command", "cargo", "timeout", "60000"]);
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
    snapshot("explain-allow", &run.stdout);
    let run = explained(&["coder", "git.push", "ref", "refs/heads/feature/x"]);
    assert_eq!(run.code, Some(0));
    snapshot("explain-ask", &run.stdout);
}

#[test]
fn a_denial_by_default_shows_what_came_closest() {
    for (name, words) in [
        ("explain-path", &["coder", "file.read", "path", "deploy/prod.yml"][..]),
        ("explain-role", &["anyone", "file.read", "path", "src/main.rs"]),
        ("explain-flag", &["coder", "git.push", "ref", "refs/heads/feature/x", "force"]),
        ("explain-two-things", &["coder", "git.push", "ref", "refs/heads/main", "force"]),
        ("explain-complex", &["coder", "shell.exec", "line", "cargo build > x"]),
    ] {
        let run = explained(words);
        assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{words:?}");
        snapshot(name, &run.stdout);
    }
}

#[test]
fn a_limit_that_denies_is_shown_with_the_number() {
    let run = explained(&["coder", "file.read", "path", "src/a", "bytes", "11", "MiB"]);
    assert_eq!(run.code, Some(0));
    snapshot("explain-limit", &run.stdout);
}

#[test]
fn a_rule_to_deny_shows_what_would_have_permitted() {
    let run = explained(&["coder", "file.read", "path", "src/.env"]);
    snapshot("explain-deny", &run.stdout);
    let run = explained(&["coder", "file.read", "path", "deploy/.env"]);
    snapshot("explain-deny-anyway", &run.stdout);
}

#[test]
fn an_operation_without_rules_names_its_neighbours() {
    let run = explained(&["coder", "git.rebase"]);
    assert!(
        run.stdout.ends_with(
            "\nno rule permits `git.rebase` to anyone; of `git` these are permitted to someone: `git.push`\n"
        ),
        "{}",
        run.stdout
    );
    let run = explained(&["coder", "http.request", "host", "docs.rs"]);
    let end = "\nno rule permits `http.request` to anyone; nor any other operation of `http`\n";
    assert!(run.stdout.ends_with(end), "{}", run.stdout);
}

#[test]
fn an_earlier_rule_and_a_stronger_effect_are_told_apart() {
    let rules = "policy p language 1
role r
rule wide: allow r to git.push
rule late: allow r to git.push
rule ask-small: ask r to git.push where force
rule ask-again: ask r to git.push where force and all
";
    let place = folder_with(&[("p.policy", rules)]);
    let matched = |words: &[&str]| -> Vec<Value> {
        let arguments = ["explain", "--format", "json", "p.policy"].into_iter().chain(words.iter().copied());
        let run = policyc(place.path(), arguments).run();
        let object: Value = serde_json::from_str(&run.stdout).unwrap();
        object["matched"]
            .as_array()
            .unwrap()
            .iter()
            .map(|one| json!([one["rule"], one["decides"], one["why"]]))
            .collect()
    };
    assert_eq!(
        matched(&["r", "git.push", "force", "all"]),
        [
            json!(["ask-small", true, null]),
            json!(["ask-again", false, "`ask-small` stands before it"]),
            json!(["wide", false, "an ask is stronger"]),
            json!(["late", false, "an ask is stronger"]),
        ]
    );
    assert_eq!(
        matched(&["r", "git.push"]),
        [json!(["wide", true, null]), json!(["late", false, "`wide` stands before it"])]
    );
}

#[test]
fn too_much_to_be_asked_for_is_not_allowed_either() {
    let rules = "policy p language 1
role r
rule ask-first: ask r to file.write limit bytes <= 1 MiB
rule write: allow r to file.write limit bytes <= 10 MiB
";
    let place = folder_with(&[("p.policy", rules)]);
    let run = policyc(place.path(), ["explain", "p.policy", "r", "file.write", "path", "a", "bytes", "5MiB"]).run();
    snapshot("explain-ask-limit", &run.stdout);
}

#[test]
fn json_has_the_same_facts() {
    let run = explained(&["--format", "json", "coder", "file.read", "path", "src/.env"]);
    assert_eq!((run.code, run.stdout.lines().count()), (Some(0), 1));
    let mut object = object(&run);
    assert!(object["blake3"].take().as_str().is_some_and(|digest| digest.len() == 64));
    let place = |line: u64, column: u64, end_column: u64| json!({ "file": "demo.policy", "line": line, "column": column, "end_line": line, "end_column": end_column });
    let matched = |rule: &str, effect: &str, decides: bool, why: Value, at: Value| {
        let mut entry = at;
        entry["rule"] = json!(rule);
        entry["effect"] = json!(effect);
        entry["decides"] = json!(decides);
        entry["why"] = why;
        entry
    };
    assert_eq!(
        object,
        json!({
            "verdict": "deny",
            "rule": "secret-files",
            "code": "SECRET_PATH",
            "because": "Secrets never reach a model.",
            "facts_alone": false,
            "place": place(24, 6, 18),
            "limit": null,
            "requirements": [],
            "limits": [],
            "budgets": [],
            "matched": [
                matched("secret-files", "deny", true, Value::Null, place(24, 6, 18)),
                matched("read", "allow", false, json!("a deny is stronger"), place(8, 6, 10)),
            ],
            "without_denials": { "verdict": "allow", "rule": "read" },
            "nearest": null,
            "blake3": null,
        })
    );
}

#[test]
fn json_names_each_failure_and_its_place() {
    let run = explained(&["--format", "json", "anyone", "file.read", "path", "deploy/a", "bytes", "11MiB"]);
    let nearest = object(&run)["nearest"].clone();
    assert_eq!(nearest["rule"], "read");
    let failures: Vec<Value> = nearest["failures"]
        .as_array()
        .unwrap()
        .iter()
        .map(|failure| json!([failure["kind"], failure["line"], failure["text"], failure["sentence"]]))
        .collect();
    assert_eq!(
        failures,
        [
            json!(["role", 8, "read", "needs the role `reader` or one that includes it"]),
            json!(["condition", 10, "path in sources", "path is `deploy/a`, which is not in `src/**`, `tests/**`"]),
            json!(["limit", 11, "limit bytes <= 10 MiB", "bytes is 11 MiB, the limit is 10 MiB"]),
        ]
    );
    let obliged = object(&explained(&["--format", "json", "coder", "shell.exec", "command", "rg"]));
    assert_eq!(
        (obliged["limits"].clone(), obliged["budgets"].clone()),
        (
            json!([{ "attribute": "timeout", "most": 600_000 }, { "attribute": "output", "most": 5_242_880 }]),
            json!(["runs"])
        )
    );
}

#[test]
fn words_json_and_a_test_ask_the_same() {
    let words = explained(&["coder", "file.read", "path", "src/main.rs", "bytes", "4096"]);
    let whole = explained(&[r#"coder file.read path "src/main.rs" bytes 4 KiB"#]);
    let line = r#"{"id":1,"roles":["coder"],"op":"file.read","path":"/workspace/./src/main.rs","bytes":4096}"#;
    let request = explained(&["--request", line]);
    let test = explained(&["--test", "reads"]);
    assert_eq!((words.code, &words.stdout), (Some(0), &whole.stdout));
    assert_eq!(words.stdout, request.stdout);
    assert_eq!(words.stdout, test.stdout);
}

#[test]
fn of_several_targets_the_strictest_is_explained() {
    let line = r#"{"roles":["coder"],"op":"shell.exec","line":"cargo build && rm -rf x"}"#;
    let run = explained(&["--request", line]);
    snapshot("explain-targets", &run.stdout);
    let run = explained(&["--format", "json", "--request", line]);
    assert_eq!(object(&run)["target"], "rm -rf x");
}

#[test]
fn a_path_that_leaves_the_root_is_no_matter_of_rules() {
    let line = r#"{"roles":["coder"],"op":"file.read","path":"/etc/passwd"}"#;
    let run = explained(&["--request", line]);
    assert_eq!(run.code, Some(0));
    assert!(run.stdout.starts_with("deny: by `default-deny` (PATH_ESCAPE)\n"), "{}", run.stdout);
    snapshot("explain-refused-path", &run.stdout);
    let run = explained(&["--format", "json", "--fail-on-deny", "--request", line]);
    assert_eq!((run.code, object(&run)["code"].clone()), (Some(1), json!("PATH_ESCAPE")));
}

#[test]
fn what_the_core_does_not_read_is_explained_as_the_denial_that_it_is() {
    for (name, request, code) in [
        (
            "explain-refused-url",
            r#"{"roles":["coder"],"op":"http.request","method":"GET","url":"https://user@evil/"}"#,
            "VALIDATION_FAILED",
        ),
        (
            "explain-refused-ref",
            r#"{"roles":["coder"],"op":"git.push","args":["origin","refs/heads/../x"]}"#,
            "VALIDATION_FAILED",
        ),
        ("explain-refused-line", r#"{"roles":["coder"],"op":"shell.exec","line":"cargo build &&"}"#, "SHELL_COMPLEX"),
    ] {
        let run = explained(&["--request", request]);
        assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{request}");
        snapshot(name, &run.stdout);
        let run = explained(&["--format", "json", "--fail-on-deny", "--request", request]);
        assert_eq!((run.code, run.stderr.as_str()), (Some(1), ""), "{request}");
        let object = object(&run);
        assert!(object["blake3"].as_str().is_some_and(|digest| digest.len() == 64));
        assert_eq!((&object["verdict"], &object["rule"]), (&json!("deny"), &json!("default-deny")), "{request}");
        assert_eq!((&object["code"], &object["matched"]), (&json!(code), &json!([])), "{request}");
    }
}

#[test]
fn facts_of_no_request_are_explained_with_a_note_and_contradictions_are_errors() {
    let run = explained(&["coder", "git.push", "ref", "main"]);
    assert_eq!(run.code, Some(0));
    assert!(
        run.stdout.contains("note: no request can be built with these facts; they are judged alone"),
        "{}",
        run.stdout
    );
    let run = explained(&["--format", "json", "coder", "git.push", "ref", "main"]);
    assert_eq!(object(&run)["facts_alone"], true);
    let run = explained(&["coder", "shell.exec", "command", "ls", "line", "rm x"]);
    assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""));
    let error = "error: cannot explain the request: `command` is not what `line` says\n";
    assert!(run.stderr.starts_with(error), "{}", run.stderr);
}

#[test]
fn only_when_asked_a_denial_is_exit_code_1() {
    for (words, code) in [
        (&["coder", "file.read", "path", "src/a"][..], Some(0)),
        (&["coder", "git.push", "ref", "refs/heads/feature/x"], Some(0)),
        (&["coder", "file.read", "path", "deploy/a"], Some(1)),
        (&["coder", "file.read", "path", "src/.env"], Some(1)),
    ] {
        assert_eq!(explained(words).code, Some(0), "{words:?}");
        let asked: Vec<&str> = ["--fail-on-deny"].into_iter().chain(words.iter().copied()).collect();
        assert_eq!(explained(&asked).code, code, "{words:?}");
    }
}

#[test]
fn words_that_are_no_request_are_shown() {
    let run = explained(&["coder", "file.read", "pth", "src/main.rs"]);
    assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""));
    snapshot("explain-bad-words", &run.stderr);
    for (words, code) in [
        (&["codr", "file.read"][..], "E0401"),
        (&["coder", "file.raed"], "E0402"),
        (&["coder", "file.*"], "E0402"),
        (&["coder", "file.read", "path", "../a"], "E0512"),
        (&["coder", "file.read", "bytes", "10", "MB"], "E0413"),
        (&["coder", "file.read", "path"], "E0501"),
        (&["coder"], "E0201"),
        (&["coder file.read => allow"], "E0201"),
        (&["coder file.read => allow\nrule x: allow coder to git.pull test y: coder git.pull"], "E0201"),
    ] {
        let run = explained(words);
        assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{words:?}");
        assert!(run.stderr.contains(code) && run.stderr.contains("--> <request>:"), "{words:?}\n{}", run.stderr);
        assert!(
            run.stderr.contains("\nerror: cannot explain the request: the words are no request\n"),
            "{}",
            run.stderr
        );
    }
}

#[test]
fn what_cannot_run_is_exit_code_2() {
    let place = folder_with(&[("demo.policy", DEMO), ("bad.policy", BAD)]);
    for (arguments, said) in [
        (&["explain"][..], ""),
        (&["explain", "demo.policy"], ""),
        (&["explain", "demo.policy", "coder", "git.push", "--test", "reads"], ""),
        (&["explain", "demo.policy", "--format", "sarif", "coder", "git.push"], ""),
        (&["explain", "-", "coder", "git.push"], "error: cannot take a policy from the standard input"),
        (&["explain", "missing.policy", "coder", "git.push"], "error[E0101]"),
        (&["explain", "bad.policy", "coder", "git.push"], "error[E0201]"),
        (&["explain", "demo.policy", "--test", "read"], "error: there is no test `read`\nhelp: did you mean `reads`?"),
        (&["explain", "demo.policy", "--request", "{"], "error: cannot explain the request: "),
        (&["explain", "demo.policy", "--request", "{\"op\":\"file.raed\"}"], "error: cannot explain the request: "),
        (&["explain", "demo.policy", "--root", "x", "--request", "{}"], "error: `x` is no root"),
        (
            &["explain", "demo.policy", "--request", r#"{"op":"http.request","url":"https://u@a/","verb":"GET"}"#],
            "error: cannot explain the request: `verb` is not a field of `http.request`",
        ),
    ] {
        let run = policyc(place.path(), arguments).run();
        assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{arguments:?} {run:?}");
        assert!(run.stderr.starts_with(said), "{arguments:?} {}", run.stderr);
    }
}

#[test]
fn a_policy_whose_tests_fail_is_explained_all_the_same() {
    let text = format!("{DEMO}\ntest wrong: coder file.read path \"src/a\" => deny\n");
    let place = folder_with(&[("demo.policy", text.as_str())]);
    let run = policyc(place.path(), ["explain", "demo.policy", "--test", "wrong"]).run();
    assert_eq!(run.code, Some(0));
    assert!(run.stdout.starts_with("allow: by `read` (ALLOWED)\n"), "{}", run.stdout);
}

#[test]
fn rules_of_imports_and_packs_are_named_with_their_files() {
    let run = explained(&["coder", "file.write", "path", ".git/hooks/pre-commit"]);
    assert!(run.stdout.contains("<std.protected-paths>:"), "{}", run.stdout);
}

#[test]
fn text_of_others_cannot_drive_the_terminal() {
    let run = explained(&["--request", "{\"op\":\"file.read\",\"path\":\"/a\\u001b[2Jb\\u202e\"}"]);
    assert_eq!(run.code, Some(0));
    assert!(run.stdout.contains("/a\\u{1b}[2Jb\\u{202e}"), "{}", run.stdout);
    assert!(!run.stdout.contains('\u{1b}') && !run.stdout.contains('\u{202E}'), "{}", run.stdout);
    let run = explained(&[
        "--request",
        "{\"op\":\"http.request\",\"method\":\"GET\",\"url\":\"https://\\u001b[2Jb\\u202e\"}",
    ]);
    assert_eq!(run.code, Some(0));
    assert!(run.stdout.contains("https://\\u{1b}[2Jb\\u{202e}"), "{}", run.stdout);
    assert!(!run.stdout.contains('\u{1b}') && !run.stdout.contains('\u{202E}'), "{}", run.stdout);
}

fn explained(arguments: &[&str]) -> Run {
    let place = folder_with(&[("demo.policy", DEMO)]);
    policyc(place.path(), ["explain", "demo.policy"].into_iter().chain(arguments.iter().copied())).run()
}

fn object(run: &Run) -> Value {
    serde_json::from_str(&run.stdout).unwrap()
}

const DEMO: &str = r#"policy demo language 1

role reader
role coder includes reader

paths sources = "src/**", "tests/**"

rule read:
  allow reader to file.read
  where path in sources
  limit bytes <= 10 MiB

rule push:
  ask coder to git.push
  where ref in "refs/heads/feature/**" and not force
  require clean-tree, secrets.scan
  because "A person reads what leaves the house."

rule build:
  allow coder to shell.exec
  where command in "cargo", "rg" and not network
  limit timeout <= 10 min, output <= 5 MiB

rule secret-files:
  deny anyone to file.*
  where path in "**/.env"
  code SECRET_PATH
  because "Secrets never reach a model."

budget runs: coder shell.exec calls <= 100 per hour

test reads: coder file.read path "src/main.rs" bytes 4 KiB => allow by read
"#;
