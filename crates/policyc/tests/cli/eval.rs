//! `policyc eval`: JSON lines in, JSON lines out, and the exit code at the end.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::{OnceLock, mpsc};
use std::thread;
use std::time::Duration;

use policy_model::{CheckOptions, Memory};
use serde_json::{Value, json};

use crate::support::{BINARY, Run, folder, folder_with, of_crate, policyc};

#[test]
fn requests_are_judged_line_by_line() {
    let requests = [
        r#"{"id":"1","roles":["coder"],"op":"file.read","path":"src/main.rs","bytes":4096}"#,
        r#"{"id":"2","roles":["coder"],"op":"shell.exec","line":"git log && rm -rf /"}"#,
        r#"{"id":"3","roles":["coder"],"op":"http.request","method":"GET","url":"https://doc.rust-lang.org/std/"}"#,
    ];
    let run = eval(&[], &requests);
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
    let place = folder_with(&[("p.policy", POLICY), ("requests.jsonl", &requests.join("\n"))]);
    assert_eq!(policyc(place.path(), ["eval", "p.policy", "--requests", "requests.jsonl"]).run(), run);
    assert_eq!(
        run.stdout,
        r#"{"id":"1","verdict":"allow","rule":"read-sources","code":"ALLOWED"}
{"id":"2","verdict":"deny","rule":"default-deny","code":"SHELL_EXEC_DENIED","target":"rm -rf /"}
{"id":"3","verdict":"allow","rule":"docs","code":"ALLOWED"}
"#
    );
}

#[test]
fn an_id_is_repeated_as_it_is_written() {
    let ids = ["1", "-7", "1.50", "12345678901234567890123", "1e2", "\"a\"", "\"\\u0061\\n\"", "\"\""];
    let requests = ids.map(|id| format!("{{\"id\":{id},\"op\":\"git.status\"}}"));
    let run = eval(&[], &requests);
    let expected =
        |id| format!("{{\"id\":{id},\"verdict\":\"deny\",\"rule\":\"default-deny\",\"code\":\"GIT_STATUS_DENIED\"}}");
    assert_eq!(run.stdout.lines().collect::<Vec<_>>(), ids.map(expected));
    let without = eval(&[], &[r#"{"op":"git.status"}"#]);
    assert!(without.stdout.starts_with("{\"id\":null,\"verdict\":"), "{}", without.stdout);
}

#[test]
fn a_line_that_is_no_request_is_an_error_and_the_rest_goes_on() {
    let mut complaints = Vec::new();
    let cases = [
        (r#"{"id":1,"op":"file.read""#, "null", "not JSON at column 24: EOF while parsing an object"),
        (r#"{"id":1,"op":"file.read"} x"#, "null", "not JSON at column 27: trailing characters"),
        (r"nonsense", "null", "not JSON at column 2: expected ident"),
        (
            "{\"id\":1,\"op\":\"a\tb\"}",
            "null",
            "not JSON at column 15: control character (\\u0000-\\u001F) found while parsing a string",
        ),
        (r"[]", "null", "a request is a JSON object"),
        (r#""file.read""#, "null", "a request is a JSON object"),
        (r"{}", "null", "a request needs `op`"),
        (r#"{"id":1}"#, "1", "a request needs `op`"),
        (r#"{"id":1,"op":7}"#, "1", "`op` must be a string"),
        (r#"{"id":1,"op":"file.raed","path":"a"}"#, "1", "unknown operation `file.raed`; did you mean `file.read`?"),
        (r#"{"id":1,"op":"\u001b[2J"}"#, "1", "unknown operation `\\u{1b}[2J`"),
        (r#"{"id":{},"op":"git.status"}"#, "null", "`id` must be a string or a number"),
        (r#"{"id":null,"op":"git.status"}"#, "null", "`id` must be a string or a number"),
        (r#"{"id":1,"id":2,"op":"git.status"}"#, "null", "`id` is given twice"),
        (r#"{"id":1,"op":"git.status","op":"git.push"}"#, "1", "`op` is given twice"),
        (r#"{"id":1,"op":"file.read","path":"a","path":"b"}"#, "1", "`path` is given twice"),
        (r#"{"id":1,"op":"file.read","path":"a","pat\u0068":"b"}"#, "1", "`path` is given twice"),
        (r#"{"id":1,"op":"fs.list","path":"a","hidden":false,"hidden":false}"#, "1", "`hidden` is given twice"),
        (r#"{"id":1,"op":"file.read","pth":"a"}"#, "1", "`pth` is not a field of `file.read`; did you mean `path`?"),
        (r#"{"id":1,"op":"file.read","path":"a","host":"b"}"#, "1", "`host` is not a field of `file.read`"),
        (r#"{"id":1,"op":"file.read","path":"a","url":"https://b/"}"#, "1", "`url` is not a field of `file.read`"),
        (
            r#"{"id":1,"op":"file.read","path":"a","Path":"a"}"#,
            "1",
            "`Path` is not a field of `file.read`; did you mean `path`?",
        ),
        (r#"{"id":1,"roles":["codr"],"op":"git.status"}"#, "1", "unknown role `codr`; did you mean `coder`?"),
        (r#"{"id":1,"roles":["anyone"],"op":"git.status"}"#, "1", "unknown role `anyone`"),
        (r#"{"id":1,"roles":"coder","op":"git.status"}"#, "1", "`roles` must be a list of strings"),
        (r#"{"id":1,"roles":[1],"op":"git.status"}"#, "1", "`roles` must be a list of strings"),
        (r#"{"id":1,"roles":null,"op":"git.status"}"#, "1", "`roles` must be a list of strings"),
        (r#"{"id":1,"op":"file.read","path":1}"#, "1", "`path` must be a string"),
        (r#"{"id":1,"op":"file.read","path":null}"#, "1", "`path` must be a string"),
        (r#"{"id":1,"op":"file.read","path":["a"]}"#, "1", "`path` must be a string"),
        (r#"{"id":1,"op":"pytest.run","paths":["a",1]}"#, "1", "`paths` must be a list of strings"),
        (r#"{"id":1,"op":"pytest.run","paths":["a"],"path":"a"}"#, "1", "give `paths` or `path`, not both"),
        (r#"{"id":1,"op":"git.log","args":"--oneline"}"#, "1", "`args` must be a list of strings"),
        (r#"{"id":1,"op":"shell.exec","line":"ls","env":{"A":1}}"#, "1", "`env` must be an object of strings"),
        (
            r#"{"id":1,"op":"file.read","path":"a","name":"a"}"#,
            "1",
            "`name` is not a field of `file.read`; the judge reads it from `path`",
        ),
        (r#"{"id":1,"op":"file.read","path":"\ud800"}"#, "1", "`path` must be a string"),
        (
            r#"{"id":1,"op":"file.read","path":"a","bytes":"1"}"#,
            "1",
            "`bytes` must be a whole number that is not negative",
        ),
        (
            r#"{"id":1,"op":"file.read","path":"a","bytes":-1}"#,
            "1",
            "`bytes` must be a whole number that is not negative",
        ),
        (
            r#"{"id":1,"op":"file.read","path":"a","bytes":1.0}"#,
            "1",
            "`bytes` must be a whole number that is not negative",
        ),
        (
            r#"{"id":1,"op":"file.read","path":"a","bytes":1e3}"#,
            "1",
            "`bytes` must be a whole number that is not negative",
        ),
        (
            r#"{"id":1,"op":"file.read","path":"a","bytes":99999999999999999999}"#,
            "1",
            "`bytes` must be a whole number that is not negative",
        ),
        (r#"{"id":1,"op":"fs.list","path":"a","hidden":1}"#, "1", "`hidden` must be true or false"),
        (
            r#"{"id":1,"op":"shell.exec","line":"ls","output":1}"#,
            "1",
            "`output` is not a field of `shell.exec`; it is known only after the act",
        ),
        (
            r#"{"id":1,"op":"git.push","ref":"refs/heads/x"}"#,
            "1",
            "`ref` is not a field of `git.push`; write what git is given in `args`",
        ),
        (r#"{"id":1,"op":"http.request","url":["https://a.b/"]}"#, "1", "`url` must be a string"),
        (
            r#"{"id":1,"op":"http.request","host":"a.b"}"#,
            "1",
            "`host` is not a field of `http.request`; write the whole address in `url`",
        ),
        (
            r#"{"id":1,"op":"shell.exec","command":"git"}"#,
            "1",
            "`command` is not a field of `shell.exec`; write the whole line in `line`",
        ),
        (
            r#"{"id":1,"op":"shell.exec","line":"ls > x","complex":true}"#,
            "1",
            "`complex` is not a field of `shell.exec`; the judge reads it from `line`",
        ),
        (
            r#"{"id":1,"op":"file.write","path":"a","bytes":1}"#,
            "1",
            "`bytes` is not a field of `file.write`; it is the length of `content`",
        ),
        (
            r#"{"id":1,"op":"fs.move","path":"a"}"#,
            "1",
            "`path` is not a field of `fs.move`; name both paths, in `src` and `dst`",
        ),
        // Nor does a text that is refused make a request of it.
        (
            r#"{"id":1,"op":"http.request","url":"https://u@a.b/","verb":"GET"}"#,
            "1",
            "`verb` is not a field of `http.request`",
        ),
        (
            r#"{"id":1,"op":"git.push","args":["a//b"],"roles":["codr"]}"#,
            "1",
            "unknown role `codr`; did you mean `coder`?",
        ),
        (r#"{"id":1,"op":"file.read","path":"../a","path":"b"}"#, "1", "`path` is given twice"),
    ];
    let requests: Vec<&str> = cases.iter().flat_map(|(request, ..)| [*request, STATUS, ""]).collect();
    let run = eval(&[], &requests);
    let answers: Vec<Value> = run.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((run.code, answers.len()), (Some(2), 2 * cases.len()));
    for ((answers, (request, id, error)), number) in answers.chunks(2).zip(cases).zip(0..) {
        let id: Value = serde_json::from_str(id).unwrap();
        let expected = json!({ "id": id, "error": error, "line": 3 * number + 1 });
        if answers[0] != expected || answers[1]["code"] != "GIT_STATUS_DENIED" {
            complaints.push(format!("{request}: {}\n  not {expected}", answers[0]));
        }
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

#[test]
fn bytes_that_are_no_text_and_lines_that_are_too_long_are_errors() {
    let long = format!("{{\"id\":1,\"op\":\"file.read\",\"path\":\"{}\"}}", "a".repeat(1 << 20));
    let input = [
        b"{\"op\":\"git.status\",\"ref\":\"\xFF\"}\n".to_vec(),
        long.into_bytes(),
        b"\n{\"op\":\"git.status\"}".to_vec(),
    ]
    .concat();
    let run = policyc(with_table().path(), ["eval", "p.table", "--requests", "-"]).input(input).run();
    let lines: Vec<Value> = run.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(run.code, Some(2));
    assert_eq!((&lines[0]["line"], &lines[1]["line"]), (&json!(1), &json!(2)));
    assert!(lines[0]["error"].as_str().unwrap().starts_with("not JSON at column "), "{}", lines[0]);
    assert_eq!(lines[1]["error"], "the line has more than 1048576 bytes");
    assert_eq!(lines[2]["code"], "GIT_STATUS_DENIED");
}

#[test]
fn exit_codes_tell_denials_and_errors_apart() {
    let (allowed, denied, bad) =
        (r#"{"op":"file.read","roles":["coder"],"path":"src/a"}"#, r#"{"op":"git.push"}"#, r#"{"op":"nothing"}"#);
    let asked = r#"{"op":"git.commit","roles":["coder"]}"#;
    for (options, requests, code) in [
        (&[][..], &[][..], 0),
        (&[], &[allowed, denied], 0),
        (&["--fail-on-deny"], &[allowed, asked], 0),
        (&["--fail-on-deny"], &[allowed, denied], 1),
        (&[], &[allowed, bad], 2),
        (&["--fail-on-deny"], &[denied, bad, allowed], 2),
        (&["--fail-on-deny"], &[r#"{"op":"file.read","path":"../x"}"#], 1),
        (&[], &[r#"{"op":"http.request","url":"https://user@evil/"}"#], 0),
        (&["--fail-on-deny"], &[r#"{"op":"http.request","url":"https://user@evil/"}"#], 1),
    ] {
        assert_eq!(eval(options, requests).code, Some(code), "{options:?} {requests:?}");
    }
    let place = with_table();
    for arguments in [
        &["eval", "p.table"][..],
        &["eval", "p.table", "--requests", "missing.jsonl"],
        &["eval", "p.table", "--requests", "."],
        &["eval", "p.table", "--requests", "-", "--root", "relative"],
        &["eval", "p.table", "--requests", "-", "--root", "/a/../b"],
    ] {
        let run = policyc(place.path(), arguments).run();
        assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{arguments:?}");
        assert!(run.stderr.starts_with("error: "), "{arguments:?} {}", run.stderr);
    }
}

#[test]
fn paths_are_judged_from_the_root() {
    let ask = |options: &[&str], path: &str| {
        let request = json!({ "op": "file.read", "roles": ["coder"], "path": path }).to_string();
        let answer = answer(&eval(options, &[request]));
        (answer["code"].as_str().unwrap().to_owned(), answer["target"].clone())
    };
    let allowed = || ("ALLOWED".to_owned(), Value::Null);
    for path in ["src/a", "./src//./a", "/workspace/src/a", "src/"] {
        assert_eq!(ask(&[], path), allowed(), "{path}");
    }
    for path in ["/src/a", "/workspacex/src/a", "/"] {
        assert_eq!(ask(&[], path), ("PATH_ESCAPE".to_owned(), json!(path)), "{path}");
    }
    for path in ["../src/a", "src/../src/a", "src/a\0", "..", ""] {
        assert_eq!(ask(&[], path), ("VALIDATION_FAILED".to_owned(), Value::Null), "{path}");
    }
    assert_eq!(ask(&["--root", "/srv/./repo/"], "/srv/repo/src/a"), allowed());
    assert_eq!(ask(&["--root", "/srv/repo"], "/workspace/src/a").0, "PATH_ESCAPE");
    assert_eq!(ask(&[], "src").0, "ALLOWED");
    assert_eq!(ask(&[], ".").0, "FILE_READ_DENIED");
    let escape = answer(&eval(&["--obligations"], &[r#"{"op":"file.read","path":"/etc/passwd"}"#]));
    assert_eq!(escape, refused("PATH_ESCAPE", "/etc/passwd", "the path `/etc/passwd` is not inside the root"));
}

#[test]
fn what_the_core_refuses_is_denied_and_not_an_error() {
    let url = |url: &str| json!({ "op": "http.request", "roles": ["coder"], "method": "GET", "url": url });
    let run = |line: &str| json!({ "op": "shell.exec", "roles": ["coder"], "line": line });
    for (request, code) in [
        (url("https://user@evil/"), "VALIDATION_FAILED"),
        (url("https://doc.rust-lang.org:0/"), "VALIDATION_FAILED"),
        (url(""), "VALIDATION_FAILED"),
        (url("https://127.1/"), "VALIDATION_FAILED"),
        (json!({ "op": "git.push", "roles": ["coder"], "args": ["origin", "refs/heads/../x"] }), "VALIDATION_FAILED"),
        (json!({ "op": "git.push", "roles": ["coder"], "args": ["--exec=x", "origin"] }), "VALIDATION_FAILED"),
        (json!({ "op": "git.push", "roles": ["coder"], "args": ["origin"] }), "VALIDATION_FAILED"),
        (json!({ "op": "shell.exec", "line": "git log", "env": { "LD_PRELOAD": "x" } }), "VALIDATION_FAILED"),
        (json!({ "op": "shell.exec", "line": "git log", "timeout": 99_999_999_999_u64 }), "VALIDATION_FAILED"),
        (json!({ "op": "file.write", "path": "notes/a.md", "append": true, "create-only": true }), "VALIDATION_FAILED"),
        (json!({ "op": "file.read" }), "VALIDATION_FAILED"),
        (json!({ "op": "fs.move", "src": "a" }), "VALIDATION_FAILED"),
        (run("git 'log"), "SHELL_COMPLEX"),
        (run("git log\r\0; rm"), "SHELL_COMPLEX"),
        (run(""), "VALIDATION_FAILED"),
    ] {
        let run = eval(&["--obligations"], &[request.to_string()]);
        assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{request}");
        let answer = answer(&run);
        assert_eq!((&answer["verdict"], &answer["rule"]), (&json!("deny"), &json!("default-deny")), "{request}");
        assert_eq!(answer["code"], code, "{request} {answer}");
        assert!(answer["because"].is_string() && answer["budgets"].is_null(), "a denial binds to nothing");
    }
}

#[test]
fn a_line_says_what_a_request_says() {
    let policy = "policy p language 1\nwithout std.protected-paths\nrole r\n\
                  rule tests: allow r to pytest.run where path == \"src/a.py\"\n\
                  rule log: allow r to git.log where path in \"src/**\"\n\
                  rule push: allow r to git.push where ref in \"refs/heads/**\" and remote == \"origin\"\n\
                  rule move: allow r to fs.move where path in \"src/**\"\n\
                  rule write: allow r to file.write where append limit bytes <= 3 B\n\
                  rule run: allow r to shell.exec, shell.inline where not network\n\
                  rule get: allow r to http.request where host == \"a.example\" and method == \"GET\"\n";
    let place = folder_with(&[("p.policy", policy)]);
    for (request, rule) in [
        (r#"{"op":"pytest.run","paths":["src/a.py::test_x"]}"#, "tests"),
        (r#"{"op":"pytest.run","path":"src/a.py"}"#, "tests"),
        (r#"{"op":"pytest.run","paths":["src/a.py","src/b.py"]}"#, "default-deny"),
        (r#"{"op":"git.log","args":["--oneline","-5","--","src/a"]}"#, "log"),
        (r#"{"op":"git.log","args":["--oneline","-5"],"cwd":"src"}"#, "default-deny"),
        (r#"{"op":"git.log","args":["--","a"],"cwd":"src"}"#, "log"),
        (r#"{"op":"git.push","args":["origin","refs/heads/x"]}"#, "push"),
        (r#"{"op":"git.push","args":["fork","refs/heads/x"]}"#, "default-deny"),
        (r#"{"op":"fs.move","src":"src/a","dst":"src/b"}"#, "move"),
        (r#"{"op":"fs.move","src":"src/a","dst":"b"}"#, "default-deny"),
        (r#"{"op":"file.write","path":"a","content":"abc","append":true}"#, "write"),
        (r#"{"op":"file.write","path":"a","content":"abcd","append":true,"create-dirs":true,"mode":384}"#, "write"),
        (r#"{"op":"file.write","path":"a","content":"abc"}"#, "default-deny"),
        (r#"{"op":"shell.exec","line":"ls","cwd":"src","env":{"A":"1"},"stdin":"x","timeout":5}"#, "run"),
        (r#"{"op":"shell.exec","line":"ls","network":true}"#, "default-deny"),
        (r#"{"op":"shell.inline","interpreter":"python3","script":"pass"}"#, "run"),
        (r#"{"op":"http.request","method":"GET","url":"https://a.example/x","headers":{"Accept":"a/b"}}"#, "get"),
        (r#"{"op":"http.request","method":"POST","url":"https://a.example/x","body":"b"}"#, "default-deny"),
    ] {
        let request = request.replacen('{', r#"{"roles":["r"],"#, 1);
        let run = policyc(place.path(), ["eval", "p.policy", "--requests", "-"]).input(&*request).run();
        assert_eq!(answer(&run)["rule"], rule, "{request} {run:?}");
    }
}

#[test]
fn of_several_arguments_that_the_core_refuses_the_first_decides() {
    let policy =
        "policy p language 1\nrole r\ntool t {\n  op a(from: path, to: host, at: ref)\n}\nrule x: allow r to t.a\n";
    let place = folder_with(&[("p.policy", policy)]);
    let ask = |request: &str| {
        let run = policyc(place.path(), ["eval", "p.policy", "--requests", "-"]).input(request).run();
        answer(&run)["code"].clone()
    };
    for (request, code) in [
        (r#"{"op":"t.a","roles":["r"],"from":"a","to":"127.1","at":"a/b"}"#, "VALIDATION_FAILED"),
        (r#"{"op":"t.a","roles":["r"],"from":"a","to":"a.b","at":"a/./b"}"#, "VALIDATION_FAILED"),
        (r#"{"op":"t.a","roles":["r"],"from":"/etc","to":"a.b","at":"a/b"}"#, "PATH_ESCAPE"),
        (r#"{"op":"t.a","roles":["r"],"from":"a","to":"a.b","at":"a/b","by":"x"}"#, "VALIDATION_FAILED"),
        (r#"{"op":"t.a","roles":["r"],"from":"a","to":"a.b","at":"a/b"}"#, "ALLOWED"),
    ] {
        assert_eq!(ask(request), code, "{request}");
    }
}

#[test]
fn a_declared_tools_paths_are_contained_too() {
    let policy = "policy p language 1\nrole r\ntool t {\n  op a(from: path, path: string)\n}\nrule x: allow r to t.a where from in \"src/**\"\n";
    let place = folder_with(&[("p.policy", policy)]);
    let ask = |from: &str| {
        let request = json!({ "op": "t.a", "roles": ["r"], "from": from, "path": "/no/path/../at/all" }).to_string();
        let run = policyc(place.path(), ["eval", "p.policy", "--requests", "-"]).input(request).run();
        answer(&run)["code"].clone()
    };
    assert_eq!((ask("/workspace/src/a"), ask("src/../x")), (json!("ALLOWED"), json!("PATH_ESCAPE")));
}

#[test]
fn an_attribute_that_a_line_cannot_say_is_not_left_out_in_silence() {
    let policy = "policy p language 1\ntool t {\n  op a(id: string)\n}\nrule x: deny anyone to t.a where id == \"x\"\n\
                  rule y: allow anyone to t.a\n";
    let place = folder_with(&[("p.policy", policy)]);
    let request = r#"{"id":"x","op":"t.a"}"#;
    let run = policyc(place.path(), ["eval", "p.policy", "--requests", "-"]).input(request).run();
    let error = "`t.a` cannot be asked for here: its `id` would be the request's";
    assert_eq!((run.code, answer(&run)), (Some(2), json!({ "id": "x", "error": error, "line": 1 })));
}

#[test]
fn a_files_name_and_extension_are_those_of_its_path() {
    let ask = |request: Value| answer(&eval(&[], &[request.to_string()]))["rule"].clone();
    assert_eq!(ask(json!({ "op": "file.write", "roles": ["coder"], "path": "notes/a.md" })), "notes");
    assert_eq!(ask(json!({ "op": "file.write", "roles": ["coder"], "path": "notes/md" })), "default-deny");
    assert_eq!(ask(json!({ "op": "file.write", "roles": ["coder"], "path": "x/README" })), "readme");
}

#[test]
fn every_target_has_to_be_allowed_and_the_one_that_decides_is_named() {
    let ask = |src: &str, dst: &str| {
        let request = json!({ "op": "fs.copy", "roles": ["coder"], "src": src, "dst": dst }).to_string();
        let answer = answer(&eval(&[], &[request]));
        (answer["verdict"].clone(), answer["rule"].clone(), answer["target"].clone())
    };
    let said = |verdict: &str, rule: &str, target: Value| (json!(verdict), json!(rule), target);
    assert_eq!(ask("src/a", "src/b"), said("allow", "copy", json!("src/a")));
    assert_eq!(ask("src/a", "lib/b"), said("deny", "default-deny", json!("lib/b")));
    assert_eq!(ask("src/a", "/x"), said("deny", "default-deny", json!("/x")));
    let line = |line: &str| {
        let answer = answer(&eval(&[], &[json!({ "op": "shell.exec", "roles": ["coder"], "line": line }).to_string()]));
        (answer["verdict"].clone(), answer["rule"].clone(), answer["target"].clone())
    };
    assert_eq!(line("git log --oneline"), said("allow", "history", Value::Null));
    assert_eq!(line(" 'git'\tlog  \"--oneline\"\n"), said("allow", "history", Value::Null));
    assert_eq!(line("git log;'rm' 'a b'"), said("deny", "default-deny", json!("'rm' 'a b'")));
    assert_eq!(line("git log | git log"), said("allow", "history", json!("git log")));
    assert_eq!(line("git log ; git fetch || git log"), said("ask", "fetch", json!("git fetch")));
    assert_eq!(line("git fetch && rm x"), said("deny", "default-deny", json!("rm x")));
    assert_eq!(line("/usr/bin/git log"), said("deny", "default-deny", Value::Null));
    assert_eq!(line("./git log && git log"), said("deny", "default-deny", json!("./git log")));
}

#[test]
fn a_line_that_is_not_understood_is_complex() {
    let ask = |request: Value| {
        let answer = answer(&eval(&[], &[request.to_string()]));
        (answer["rule"].clone(), answer["code"].clone())
    };
    for line in ["git log > x", "git log $(rm x)", "git log *", "A=b git log", "git \"$x\"", "git 'log"] {
        let request = json!({ "op": "shell.exec", "roles": ["coder"], "line": line });
        assert_eq!(ask(request), (json!("default-deny"), json!("SHELL_COMPLEX")), "{line}");
    }
    let path = json!({ "op": "shell.exec", "roles": ["coder"], "line": "/bin/git log" });
    assert_eq!(ask(path).0, "default-deny", "a command with a slash is no name");
}

#[test]
fn a_url_says_scheme_host_port_and_path() {
    let ask = |url: &str| {
        let request = json!({ "op": "http.request", "roles": ["coder"], "method": "GET", "url": url }).to_string();
        answer(&eval(&[], &[request]))["rule"].clone()
    };
    assert_eq!(ask("https://Doc.Rust-Lang.org/std/?search=a"), "docs");
    assert_eq!(ask("https://doc.rust-lang.org:8443/std/"), "other-port");
    assert_eq!(ask("http://doc.rust-lang.org/std/"), "default-deny");
    assert_eq!(ask("https://doc.rust-lang.org/private/x"), "private-docs");
    assert_eq!(ask("https://doc.rust-lang.org.evil.example/"), "default-deny");
}

#[test]
fn reasons_limits_and_obligations_are_said_when_there_are_any() {
    let secret = answer(&eval(&[], &[r#"{"id":1,"op":"file.read","path":"src/.env"}"#]));
    let because = "Secrets never reach a model.";
    let expected =
        json!({"id": 1, "verdict": "deny", "rule": "secret-files", "code": "SECRET_PATH", "because": because});
    assert_eq!(secret, expected);

    let large = r#"{"id":1,"op":"file.read","roles":["coder"],"path":"src/a","bytes":1048577}"#;
    let limit = json!({ "attribute": "bytes", "most": 1 << 20 });
    let expected =
        json!({"id": 1, "verdict": "deny", "rule": "read-sources", "code": "LIMIT_EXCEEDED", "limit": limit});
    assert_eq!(answer(&eval(&[], &[large])), expected);
    assert_eq!(answer(&eval(&["--obligations"], &[large])), expected, "a denial binds to nothing");
    let just = large.replace("577", "576");
    assert_eq!(answer(&eval(&[], &[just]))["verdict"], "allow");

    let commit = [r#"{"op":"git.commit","roles":["coder"]}"#];
    let plain = answer(&eval(&[], &commit));
    let expected = json!({"id": null, "verdict": "ask", "rule": "commit", "code": "APPROVAL_REQUIRED"});
    assert_eq!(plain, expected);
    let bound = answer(&eval(&["--obligations"], &commit));
    assert_eq!(
        (&bound["requirements"], &bound["limits"], &bound["budgets"]),
        (&json!(["clean-tree", "secrets.scan"]), &json!([]), &json!(["commits"]))
    );

    let line =
        json!({"op": "shell.exec", "roles": ["coder"], "line": "git log && git fetch", "timeout": 5}).to_string();
    let bound = answer(&eval(&["--obligations"], &[line]));
    let output = |most: u64| json!({ "attribute": "output", "most": most });
    assert_eq!(bound["limits"], json!([output(5 << 20), output(1 << 20)]), "those of all targets");
}

#[test]
fn a_source_and_its_table_give_the_same_answers() {
    let examples = of_crate("../../policies/examples");
    let mut compared = 0;
    for entry in fs::read_dir(&examples).unwrap() {
        let policy = entry.unwrap().path();
        let requests = REQUESTS;
        let place = folder_with(&[("requests.jsonl", &requests.join("\n"))]);
        let policy = policy.to_str().unwrap();
        assert_eq!(policyc(place.path(), ["build", "-o", "t", policy]).run().code, Some(0));
        let ask =
            |file: &str| policyc(place.path(), ["eval", file, "--requests", "requests.jsonl", "--obligations"]).run();
        let (of_source, of_table) = (ask(policy), ask("t.table"));
        assert_eq!((of_source.code, &of_source), (Some(0), &of_table), "{policy}");
        compared += of_table.stdout.lines().count();
    }
    assert!(compared >= 25, "only {compared} answers are there to compare");
}

#[test]
fn an_answer_comes_before_the_next_request_is_sent() {
    let place = with_table();
    let mut command = Command::new(BINARY);
    command.args(["eval", "p.table", "--requests", "-"]).current_dir(place.path());
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let (mut requests, answers) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    let (send, receive) = mpsc::channel();
    thread::spawn(move || BufReader::new(answers).lines().for_each(|line| drop(send.send(line.unwrap()))));
    for id in 0..3 {
        writeln!(requests, "{{\"id\":{id},\"op\":\"git.status\"}}").unwrap();
        let line = receive.recv_timeout(Duration::from_secs(60));
        assert!(line.as_ref().is_ok_and(|line| line.starts_with(&format!("{{\"id\":{id},"))), "{line:?}");
    }
    drop(requests);
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn a_reader_of_answers_that_has_seen_enough_is_no_error() {
    let requests = "{\"op\":\"git.status\"}\n".repeat(5_000);
    let place = with_table();
    fs::write(place.path().join("requests.jsonl"), requests).unwrap();
    let run = policyc(place.path(), ["eval", "p.table", "--requests", "requests.jsonl"]).run_into_closed_pipe();
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_said_and_is_exit_code_2() {
    let place = with_table();
    fs::write(place.path().join("requests.jsonl"), STATUS).unwrap();
    let full = fs::File::options().write(true).open("/dev/full").unwrap();
    let run = policyc(place.path(), ["eval", "p.table", "--requests", "requests.jsonl"]).run_into(Stdio::from(full));
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.starts_with("error: cannot write to the standard output: "), "{}", run.stderr);
}

#[cfg(target_os = "linux")]
#[test]
fn neither_a_long_line_nor_many_of_them_take_memory() {
    let place = with_table();
    let script = "ulimit -v 200000; { head -c 400000000 /dev/zero; echo; yes '{\"op\":\"git.status\"}' | head -n 20000; } \
                  | \"$0\" eval p.table --requests - | tail -n 20000 | sort | uniq -c | head -n 3";
    let output = Command::new("sh").args(["-c", script, BINARY]).current_dir(place.path()).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(
        text.trim_start(),
        "20000 {\"id\":null,\"verdict\":\"deny\",\"rule\":\"default-deny\",\"code\":\"GIT_STATUS_DENIED\"}\n"
    );
}

/// Runs `eval` over requests with the policy below.
fn eval<R: AsRef<str>>(options: &[&str], requests: &[R]) -> Run {
    let place = with_table();
    let input: String = requests.iter().map(|request| format!("{}\n", request.as_ref())).collect();
    let arguments = ["eval", "p.table", "--requests", "-"].iter().chain(options);
    policyc(place.path(), arguments).input(input).run()
}

/// A folder with the table of the policy below, which is frozen once.
fn with_table() -> tempfile::TempDir {
    static TABLE: OnceLock<Vec<u8>> = OnceLock::new();
    let freeze = || {
        let files = Memory::default().with("p.policy", POLICY);
        let checked = policy_model::check_in(&files, Path::new("p.policy"), CheckOptions::default());
        policy_table::freeze(&checked.model.unwrap(), &checked.sources).unwrap().bytes
    };
    let place = folder();
    fs::write(place.path().join("p.table"), TABLE.get_or_init(freeze)).unwrap();
    place
}

/// The one answer of a run.
fn answer(run: &Run) -> Value {
    assert_eq!(run.stdout.lines().count(), 1, "{run:?}");
    serde_json::from_str(&run.stdout).unwrap()
}

/// The answer to a request without an id that no rule is asked about.
fn refused(code: &str, target: &str, because: &str) -> Value {
    let rule = "default-deny";
    json!({ "id": null, "verdict": "deny", "rule": rule, "code": code, "target": target, "because": because })
}

/// Requests that every example can be asked.
const REQUESTS: &[&str] = &[
    r#"{"id":1,"op":"file.read","path":"src/.env"}"#,
    r#"{"id":2,"op":"shell.exec","line":"cargo build && rm -rf x"}"#,
    r#"{"id":3,"op":"http.request","method":"GET","url":"http://169.254.169.254/"}"#,
    r#"{"id":4,"op":"git.push","args":["--force","origin","refs/heads/main"]}"#,
    r#"{"id":5,"op":"fs.move","src":".git","dst":"a"}"#,
];

/// A request that is denied.
const STATUS: &str = "{\"op\":\"git.status\"}";

const POLICY: &str = "policy p language 1

role reader
role coder includes reader

rule read-sources:
  allow reader to file.read, fs.list
  where path in \"src/**\"
  limit bytes <= 1 MiB

rule copy:
  allow coder to fs.copy
  where path in \"src/**\"

rule secret-files:
  deny anyone to file.read
  where path in \"**/.env\"
  code SECRET_PATH
  because \"Secrets never reach a model.\"

rule notes:
  allow coder to file.write
  where extension == \"md\"

rule readme:
  allow coder to file.write
  where name == \"README\"

rule history:
  allow coder to shell.exec
  where command == \"git\" and subcommand == \"log\"
  limit timeout <= 10 min, output <= 5 MiB

rule fetch:
  ask coder to shell.exec
  where command == \"git\" and subcommand == \"fetch\"
  limit output <= 1 MiB

rule docs:
  allow coder to http.request
  where host in \"doc.rust-lang.org\" and scheme == \"https\" and method in \"GET\" and port == 443

rule private-docs:
  deny anyone to http.request
  where url-path in \"/private/*\"

rule other-port:
  deny anyone to http.request
  where port != 443 and scheme == \"https\"

rule commit:
  ask coder to git.commit
  require clean-tree, secrets.scan

budget commits: coder git.commit calls <= 10 per hour
";
