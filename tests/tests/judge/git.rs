//! Git operations as the judge sees them: the corpus, and what policies can say about refs, paths and remotes.

use serde_json::Value;
use tool_wire::proto::{GitOperation, tool_request::Tool};

use crate::bench::{Frozen, PLAIN, answer, encoded};

fn git(operation: &str, args: &[&str]) -> Vec<u8> {
    encoded(Tool::GitOp(GitOperation {
        operation: operation.to_owned(),
        args: args.iter().map(|arg| (*arg).to_owned()).collect(),
        cwd: String::new(),
    }))
}

#[test]
fn ctr_0015_the_git_cases_of_the_corpus_are_read_or_refused() {
    let policy = Frozen::new("rule all: allow anyone to git.*");
    let cases = include_str!("../../corpus/attacks.jsonl").lines();
    let cases: Vec<Value> = cases.map(|line| serde_json::from_str(line).unwrap()).collect();
    let mut compared = 0;
    for case in cases.iter().filter(|case| case["kind"] == "git") {
        let args: Vec<&str> =
            case["input"]["args"].as_array().unwrap().iter().map(|arg| arg.as_str().unwrap()).collect();
        let bytes = git(case["input"]["operation"].as_str().unwrap(), &args);
        let answer = answer(&[&policy], PLAIN, &bytes);
        let word = if answer == "PERMIT" { "ok" } else { "refuse" };
        assert_eq!(word, case["expect"].as_str().unwrap(), "{case} {answer}");
        compared += 1;
    }
    assert!(compared >= 12, "only {compared} cases");
}

#[test]
fn ctr_0016_diff_can_be_allowed_and_push_denied() {
    let policy = Frozen::new("rule look: allow anyone to git.diff");
    assert_eq!(answer(&[&policy], PLAIN, &git("DIFF", &["HEAD~1"])), "PERMIT");
    let denied = "default-deny GIT_PUSH_DENIED: no rule allows git.push of `main`";
    assert_eq!(answer(&[&policy], PLAIN, &git("PUSH", &["origin", "main"])), denied);
}

#[test]
fn a_push_is_judged_by_remote_full_ref_and_force() {
    let policy = Frozen::new(
        "rule feature: allow anyone to git.push where ref in \"refs/heads/feature/**\" and remote == \"origin\" and not force",
    );
    let push = |args: &[&str]| answer(&[&policy], PLAIN, &git("PUSH", args));
    assert_eq!(push(&["origin", "feature/x"]), "PERMIT");
    assert_eq!(push(&["origin", "HEAD:refs/heads/feature/x"]), "PERMIT");
    for denied in [
        &["origin", "main"][..],
        &["origin", "feature/x:main"],
        &["origin", "feature/x", "main"],
        &["other", "feature/x"],
        &["--force", "origin", "feature/x"],
        &["origin", "+feature/x"],
        &["origin", ":feature/x"],
        &["--all", "origin"],
        &["https://example.com/r", "feature/x"],
    ] {
        assert!(push(denied).starts_with("default-deny GIT_PUSH_DENIED"), "{denied:?}");
    }
    assert!(push(&["origin"]).starts_with("default-deny VALIDATION_FAILED"));
}

#[test]
fn paths_of_git_are_judged_also_inside_commits() {
    let policy = Frozen::new(
        "rule all: allow anyone to git.*
         rule secrets: deny anyone to git.* where path in \"**/.env\"",
    );
    let ask = |operation: &str, args: &[&str]| answer(&[&policy], PLAIN, &git(operation, args));
    assert_eq!(ask("ADD", &["src/a", "b"]), "PERMIT");
    assert!(ask("ADD", &["src/a", "src/.env"]).starts_with("secrets GIT_ADD_DENIED"));
    assert!(ask("SHOW", &["HEAD:src/.env"]).starts_with("secrets GIT_SHOW_DENIED"));
    assert!(ask("DIFF", &["HEAD", "--", "./x//.env"]).starts_with("secrets GIT_DIFF_DENIED"));
    assert!(ask("ADD", &["/etc/passwd"]).starts_with("default-deny PATH_ESCAPE"));
    assert!(ask("ADD", &["a/../b"]).starts_with("default-deny PATH_ESCAPE"));
}

#[test]
fn paths_of_git_start_in_its_working_directory() {
    let policy = Frozen::new("rule some: allow anyone to git.add where path == \"sub/a\"");
    let add = |cwd: &str, path: &str| {
        let args = vec![path.to_owned()];
        let message = GitOperation { operation: "ADD".to_owned(), args, cwd: cwd.to_owned() };
        answer(&[&policy], PLAIN, &encoded(Tool::GitOp(message)))
    };
    assert_eq!(add("sub", "a"), "PERMIT");
    assert_eq!(add("/workspace//sub/.", "./a"), "PERMIT");
    assert_eq!(add("sub", "/workspace/sub/a"), "PERMIT");
    assert!(add("", "a").starts_with("default-deny GIT_ADD_DENIED"));
    assert!(add("/etc", "a").starts_with("default-deny PATH_ESCAPE"));
}
