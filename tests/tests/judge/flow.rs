//! The order of the checks, who erred, and what several policies and people say together.

use enforce_core::judge::{Approval, Layer, Outcome, Refusal, Scope, Session, judge};
use enforce_core::path::Root;
use enforce_core::{Policy, Verdict};
use prost::Message;
use tool_proto::ToolRequest;
use tool_proto::{FileRead, FileWrite, FsMove, HttpRequest, PytestRun, ShellExec, ShellInline, tool_request::Tool};

use crate::bench::{Frozen, PLAIN, Setting, TOKEN, answer, encoded};

fn read(path: &str) -> Vec<u8> {
    encoded(Tool::FileRead(FileRead { path: path.to_owned(), offset: 0, limit: 0 }))
}

#[test]
fn trust_flow_trust_fail_closed_each_check_comes_before_the_next_one() {
    let policy = Frozen::new("rule all: allow anyone to file.read");
    let table = policy.table();
    let bound = Policy::new(&table).unwrap();
    let layers = [Layer { policy: &bound, roles: &[] }];
    let session = Session {
        root: Root::new(b"/workspace").unwrap(),
        working_directory: b"",
        scope: Scope::Only(&["file.read"]),
        layers: &layers,
        approval: Approval::Missing,
    };
    // For each request: whether a session is looked for, how many decisions there are, and what it comes to.
    let run = |bytes: &[u8]| {
        let (mut looked, mut decisions) = (0, 0);
        let mut obligations = [None; 1];
        let outcome = judge(
            bytes,
            |request| {
                looked += 1;
                (request.session_token == *TOKEN).then_some(session)
            },
            &mut [],
            &mut obligations,
            &mut |judged| {
                decisions += 1;
                assert_eq!(judged.decision.verdict(), Verdict::Allow);
            },
        );
        let name = match outcome {
            Outcome::Permit(_) => "permit",
            Outcome::Refuse(refused) => match refused.refusal {
                Refusal::SenderMalformed(_) => "malformed",
                Refusal::SenderInvalid { .. } => "invalid",
                Refusal::SenderUnknownSession => "session",
                Refusal::SenderOutsideLease(_) => "lease",
                Refusal::SenderPath { .. } => "path",
                other => panic!("{other:?}"),
            },
        };
        (name, looked, decisions)
    };
    let write = encoded(Tool::FileWrite(FileWrite { path: "a".to_owned(), ..FileWrite::default() }));
    let stranger = ToolRequest { session_token: "other".to_owned(), ..ToolRequest::decode(&*read("src/a")).unwrap() };
    assert_eq!(run(b"\xff"), ("malformed", 0, 0));
    assert_eq!(run(&read("../a")), ("invalid", 0, 0));
    assert_eq!(run(&stranger.encode_to_vec()), ("session", 1, 0));
    assert_eq!(run(&write), ("lease", 1, 0));
    assert_eq!(run(&read("/etc/passwd")), ("path", 1, 0));
    assert_eq!(run(&read("src/a")), ("permit", 1, 1));
}

#[test]
fn ctr_0026_ctr_0027_ctr_0028_a_refusal_has_a_rule_a_code_and_a_sentence() {
    let policy = Frozen::new(
        "rule secrets: deny anyone to file.read where path in \"**/.env\" code SECRET_PATH because \"No secrets.\"
         rule small: allow anyone to file.read where path in \"src/**\" limit bytes <= 10 B
         rule asked: ask anyone to file.read where path in \"docs/**\"",
    );
    let limited = encoded(Tool::FileRead(FileRead { path: "src/a".to_owned(), offset: 0, limit: 11 }));
    let unknown = ToolRequest { session_token: "x".to_owned(), ..ToolRequest::decode(&*read("src/a")).unwrap() };
    let empty = ToolRequest::default();
    for (bytes, expected) in [
        (read("src/.env"), "secrets SECRET_PATH: rule secrets denies file.read of `src/.env`: No secrets."),
        (read("lib/a"), "default-deny FILE_READ_DENIED: no rule allows file.read of `lib/a`"),
        (limited, "small LIMIT_EXCEEDED: rule small allows file.read of `src/a` with bytes up to 10 only"),
        (
            read("docs/a"),
            "asked APPROVAL_REQUIRED: rule asked leaves file.read of `docs/a` to a person, and nobody has agreed",
        ),
        (read("/etc/x"), "default-deny PATH_ESCAPE: the path `/etc/x` is not inside the root"),
        (unknown.encode_to_vec(), "default-deny SESSION_UNKNOWN: the session is not known, or it is over"),
        (read("a/.."), "default-deny VALIDATION_FAILED: file_read.path has a component `..`"),
        (empty.encode_to_vec(), "default-deny VALIDATION_FAILED: request_id is missing, the first of 3 violations"),
        (vec![0x0a], "default-deny VALIDATION_FAILED: the request ends in the middle of a field, at byte 1"),
        (read("src/a"), "PERMIT"),
    ] {
        assert_eq!(answer(&[&policy], PLAIN, &bytes), expected);
    }
}

#[test]
fn a_refusal_repeats_the_name_of_a_request_unless_that_is_not_fit_to_be_repeated() {
    let name = |request_id: &str| {
        let request = ToolRequest { request_id: request_id.to_owned(), ..ToolRequest::decode(&*read("../a")).unwrap() };
        let bytes = request.encode_to_vec();
        match judge(&bytes, |_| None, &mut [], &mut [], &mut |_| {}) {
            Outcome::Refuse(refused) => refused.request_id.as_str().to_owned(),
            Outcome::Permit(permit) => panic!("{permit:?}"),
        }
    };
    let (longest, longer) = ("a".repeat(256), "a".repeat(257));
    for fit in ["r-1", "", " ", "a b", "\u{e9}", "\u{1f980}", &longest] {
        assert_eq!(name(fit), fit);
    }
    for unfit in ["\0", "a\nb", "\u{1b}[2J", "\u{1f}", &longer] {
        assert_eq!(name(unfit), "", "{unfit:?}");
    }
}

#[test]
fn trust_lease_what_is_outside_the_lease_is_refused_whatever_the_policy_says() {
    let policy = Frozen::new("rule all: allow anyone to file.read, file.write");
    let setting = Setting { scope: Scope::Only(&["file.write", "git.*"]), ..PLAIN };
    let expected = "default-deny LEASE_SCOPE: the lease does not cover file.read";
    assert_eq!(answer(&[&policy], setting, &read("a")), expected);
    let setting = Setting { scope: Scope::Only(&["file.*"]), ..PLAIN };
    assert_eq!(answer(&[&policy], setting, &read("a")), "PERMIT");
}

#[test]
fn gate_merge_all_policies_of_a_session_have_to_agree() {
    let wide = Frozen::new("rule all: allow anyone to file.read");
    let narrow = Frozen::new("rule some: allow anyone to file.read where path in \"src/**\"");
    let asking = Frozen::new("rule who-knows: ask anyone to file.read");
    assert_eq!(answer(&[&wide, &narrow], PLAIN, &read("src/a")), "PERMIT");
    let denied = "default-deny FILE_READ_DENIED: no rule allows file.read of `a`";
    assert_eq!(answer(&[&wide, &narrow], PLAIN, &read("a")), denied);
    assert_eq!(answer(&[&narrow, &wide], PLAIN, &read("a")), denied);
    // A denial is stronger than a question, whichever comes first.
    assert_eq!(answer(&[&asking, &narrow], PLAIN, &read("a")), denied);
    assert!(answer(&[&wide, &asking], PLAIN, &read("a")).starts_with("who-knows APPROVAL_REQUIRED"));
    let nothing = "default-deny JUDGE_UNABLE: the session has no policy";
    assert_eq!(answer(&[], PLAIN, &read("a")), nothing);
}

#[test]
fn what_a_person_has_agreed_to_is_permitted_and_what_is_denied_is_not() {
    let policy = Frozen::new(
        "rule asked: ask anyone to file.read where path in \"docs/**\"
         rule nowhere: deny anyone to file.read where path in \"docs/x\"",
    );
    let agreed = Setting { approval: Approval::Given, ..PLAIN };
    assert!(answer(&[&policy], PLAIN, &read("docs/a")).starts_with("asked APPROVAL_REQUIRED"));
    assert_eq!(answer(&[&policy], agreed, &read("docs/a")), "PERMIT");
    assert!(answer(&[&policy], agreed, &read("docs/x")).starts_with("nowhere FILE_READ_DENIED"));
    assert!(answer(&[&policy], agreed, &read("a")).starts_with("default-deny"));
}

#[test]
fn roles_are_those_that_the_session_holds() {
    let policy = Frozen::new("role reader\nrole coder includes reader\nrule r: allow reader to file.read");
    let with = |roles: &'static [&'static str]| answer(&[&policy], Setting { roles, ..PLAIN }, &read("a"));
    assert!(with(&[]).starts_with("default-deny"));
    assert_eq!(with(&["reader"]), "PERMIT");
    assert_eq!(with(&["coder"]), "PERMIT");
}

#[test]
fn every_target_has_to_be_allowed() {
    let policy = Frozen::new(
        "rule moves: allow anyone to fs.move where path in \"a/**\"
         rule runs: allow anyone to shell.exec where command in \"git\", \"cargo\"",
    );
    let moved = |src: &str, dst: &str| {
        let message = FsMove { src: src.to_owned(), dst: dst.to_owned(), overwrite: false };
        answer(&[&policy], PLAIN, &encoded(Tool::FsMove(message)))
    };
    assert_eq!(moved("a/x", "a/y"), "PERMIT");
    assert!(moved("a/x", "b/y").ends_with("no rule allows fs.move of `b/y`"));
    assert!(moved("b/x", "a/y").ends_with("no rule allows fs.move of `b/x`"));
    let run = |command: &str| {
        let message = ShellExec { command: command.to_owned(), ..ShellExec::default() };
        answer(&[&policy], PLAIN, &encoded(Tool::ShellExec(message)))
    };
    assert_eq!(run("git log && cargo build | git apply"), "PERMIT");
    assert!(run("git log && rm -rf /").ends_with("no rule allows shell.exec of `rm -rf /`"));
    assert!(run("git log $(id)").starts_with("default-deny SHELL_COMPLEX"));
    assert!(run("'git").starts_with("default-deny SHELL_COMPLEX"));
}

#[test]
fn what_is_denied_is_shown_as_the_request_writes_it() {
    let policy = Frozen::new("rule it: allow anyone to file.read");
    let (url, line) = ("https://Example.com/a?b".to_owned(), "ls  > x".to_owned());
    for (tool, expected) in [
        (Tool::ShellExec(ShellExec { command: line, ..ShellExec::default() }), "shell.exec of `ls  > x`"),
        (
            Tool::ShellInline(ShellInline { interpreter: "sh".into(), script: "id".into(), ..ShellInline::default() }),
            "shell.inline of `sh`",
        ),
        (
            Tool::PytestRun(PytestRun { paths: vec!["./a.py::b".into()], ..PytestRun::default() }),
            "pytest.run of `./a.py::b`",
        ),
        (
            Tool::HttpRequest(HttpRequest { method: "GET".into(), url, ..HttpRequest::default() }),
            "http.request of `https://Example.com/a?b`",
        ),
        (Tool::FileWrite(FileWrite { path: "./a//b".into(), ..FileWrite::default() }), "file.write of `./a//b`"),
    ] {
        let said = answer(&[&policy], PLAIN, &encoded(tool));
        assert!(said.ends_with(&format!(": no rule allows {expected}")), "{said}");
    }
}

#[test]
fn a_buffer_that_is_too_small_is_a_refusal_that_says_how_much_is_needed() {
    let policy = Frozen::new("rule all: allow anyone to file.read, shell.exec");
    let small = Setting { buffer_bytes: 4, working_directory: "sub", ..PLAIN };
    let needed = "default-deny JUDGE_UNABLE: the judge needs a buffer of 7 bytes";
    assert_eq!(answer(&[&policy], small, &read("a/b")), needed);
    assert_eq!(answer(&[&policy], Setting { buffer_bytes: 7, ..small }, &read("a/b")), "PERMIT");
    // What is in its shortest form needs none.
    assert_eq!(answer(&[&policy], Setting { buffer_bytes: 0, ..PLAIN }, &read("a/b")), "PERMIT");
    let run = encoded(Tool::ShellExec(ShellExec { command: "ls 'a b'".to_owned(), ..ShellExec::default() }));
    assert!(answer(&[&policy], small, &run).contains("JUDGE_UNABLE"));
}
