//! Git operations as the judge sees them: the corpus, and what policies can say about refs, paths and remotes.

use serde_json::Value;
use tool_proto::{GitOperation, ShellExec, tool_request::Tool};

use crate::bench::{Frozen, PLAIN, answer, encoded};

fn git(operation: &str, args: &[&str]) -> Vec<u8> {
    git_in("", operation, args)
}

fn git_in(cwd: &str, operation: &str, args: &[&str]) -> Vec<u8> {
    encoded(Tool::GitOp(GitOperation {
        operation: operation.to_owned(),
        args: args.iter().map(|arg| (*arg).to_owned()).collect(),
        cwd: cwd.to_owned(),
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

/// Whoever may run the program may not ask for its operations, and the other way round.
#[test]
fn ctr_0015_git_operations_are_judged_apart_from_the_program_of_that_name() {
    let shell =
        |command: &str| encoded(Tool::ShellExec(ShellExec { command: command.to_owned(), ..ShellExec::default() }));
    let program = Frozen::new("rule program: allow anyone to shell.exec where command in \"git\"");
    let operations = Frozen::new("rule operations: allow anyone to git.*");
    for (operation, args, line) in [
        ("STATUS", &[][..], "git status"),
        ("DIFF", &["HEAD~1"], "git diff HEAD~1"),
        ("PUSH", &["origin", "refs/heads/main"], "git push origin refs/heads/main"),
    ] {
        assert_eq!(answer(&[&program], PLAIN, &shell(line)), "PERMIT", "{line}");
        let denied = answer(&[&program], PLAIN, &git(operation, args));
        assert!(denied.starts_with(&format!("default-deny GIT_{operation}_DENIED: ")), "{operation}: {denied}");
        assert_eq!(answer(&[&operations], PLAIN, &git(operation, args)), "PERMIT", "{operation}");
        let denied = answer(&[&operations], PLAIN, &shell(line));
        assert!(denied.starts_with("default-deny SHELL_EXEC_DENIED: "), "{line}: {denied}");
    }
}

#[test]
fn ctr_0016_diff_can_be_allowed_and_push_denied() {
    let policy = Frozen::new("rule look: allow anyone to git.diff");
    assert_eq!(answer(&[&policy], PLAIN, &git("DIFF", &["HEAD~1"])), "PERMIT");
    let denied = "default-deny GIT_PUSH_DENIED: no rule allows git.push of `refs/heads/main`";
    assert_eq!(answer(&[&policy], PLAIN, &git("PUSH", &["origin", "refs/heads/main"])), denied);
}

#[test]
fn a_push_is_judged_by_remote_full_ref_and_force() {
    let policy = Frozen::new(
        "rule feature: allow anyone to git.push where ref in \"refs/heads/feature/**\" and remote == \"origin\" and not force",
    );
    let push = |args: &[&str]| answer(&[&policy], PLAIN, &git("PUSH", args));
    assert_eq!(push(&["origin", "refs/heads/feature/x"]), "PERMIT");
    assert_eq!(push(&["origin", "HEAD:refs/heads/feature/x"]), "PERMIT");
    for denied in [
        &["origin", "refs/heads/main"][..],
        &["origin", "feature/x:refs/heads/main"],
        &["origin", "refs/heads/feature/x", "refs/heads/main"],
        &["other", "refs/heads/feature/x"],
        &["--force", "origin", "refs/heads/feature/x"],
        &["origin", "+refs/heads/feature/x"],
        &["origin", ":refs/heads/feature/x"],
        &["--all", "origin"],
        &["https://example.com/r", "refs/heads/feature/x"],
    ] {
        assert!(push(denied).starts_with("default-deny GIT_PUSH_DENIED"), "{denied:?}");
    }
    for refused in [&["origin"][..], &["origin", "feature/x"], &["origin", "heads/feature/x"], &["origin", "tag", "v1"]]
    {
        assert!(push(refused).starts_with("default-deny VALIDATION_FAILED"), "{refused:?}");
    }
}

#[test]
fn branches_that_are_changed_are_judged_by_their_full_names() {
    let policy = Frozen::new(
        "rule all: allow anyone to git.*
         rule keep: deny anyone to git.* where ref in \"refs/heads/main\", \"refs/tags/**\"",
    );
    let ask = |operation: &str, args: &[&str]| answer(&[&policy], PLAIN, &git(operation, args));
    assert_eq!(ask("BRANCH", &["x"]), "PERMIT");
    assert!(ask("BRANCH", &["-D", "main"]).starts_with("keep GIT_BRANCH_DENIED"));
    assert!(ask("CHECKOUT", &["-B", "main"]).starts_with("keep GIT_CHECKOUT_DENIED"));
    assert!(ask("TAG", &["-d", "v1"]).starts_with("keep GIT_TAG_DENIED"));
    assert!(ask("FETCH", &["origin", "x:refs/heads/main"]).starts_with("keep GIT_FETCH_DENIED"));
    for refused in [&["-D", "@{-1}"][..], &["-D", "heads/main"]] {
        assert!(ask("BRANCH", refused).starts_with("default-deny VALIDATION_FAILED"), "{refused:?}");
    }
}

#[test]
fn a_path_is_judged_with_the_commit_it_is_taken_from() {
    let policy = Frozen::new(
        "rule all: allow anyone to git.*
         rule old: deny anyone to git.* where ref == \"old\" and path in \"src/**\"",
    );
    let ask = |operation: &str, args: &[&str]| answer(&[&policy], PLAIN, &git(operation, args));
    assert_eq!(ask("CHECKOUT", &["old", "--", "lib/a"]), "PERMIT");
    assert_eq!(ask("CHECKOUT", &["new", "--", "src/a"]), "PERMIT");
    assert!(ask("CHECKOUT", &["old", "--", "src/a"]).starts_with("old GIT_CHECKOUT_DENIED"));
    assert!(ask("DIFF", &["new", "old", "--", "lib/a", "src/a"]).starts_with("old GIT_DIFF_DENIED"));
    assert!(ask("DIFF", &["new..old", "--", "src/a"]).starts_with("old GIT_DIFF_DENIED"));
    assert!(ask("SHOW", &["old:src/a"]).starts_with("old GIT_SHOW_DENIED"));
    assert!(ask("DIFF", &["a", "b", "c", "--", "x"]).starts_with("default-deny VALIDATION_FAILED"));
    assert_eq!(ask("LOG", &["a", "b", "c"]), "PERMIT");
    assert!(ask("LOG", &["a", "b", "c", "--", "x"]).contains("commits"));
    let narrow = Frozen::new("rule src: allow anyone to git.show where path in \"src/**\"");
    assert_eq!(answer(&[&narrow], PLAIN, &git("SHOW", &["HEAD:src/a"])), "PERMIT");
    assert_ne!(answer(&[&narrow], PLAIN, &git("SHOW", &["HEAD"])), "PERMIT");
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
    assert!(ask("STASH", &["push", "src/.env"]).starts_with("secrets GIT_STASH_DENIED"));
    assert!(ask("SHOW", &["HEAD^{/:|.}:src/.env"]).starts_with("default-deny VALIDATION_FAILED"));
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
    // Where git runs is judged too when nothing else is, and paths in commits are known from the root only.
    let policy = Frozen::new(
        "rule all: allow anyone to git.*
         rule hidden: deny anyone to git.* where path in \"sub/**\"",
    );
    let run = |operation: &str, cwd: &str, args: &[&str]| {
        let args = args.iter().map(|arg| (*arg).to_owned()).collect();
        let message = GitOperation { operation: operation.to_owned(), args, cwd: cwd.to_owned() };
        answer(&[&policy], PLAIN, &encoded(Tool::GitOp(message)))
    };
    assert_eq!(run("STATUS", "", &[]), "PERMIT");
    assert!(run("STATUS", "sub", &[]).starts_with("hidden GIT_STATUS_DENIED"));
    assert!(run("RESET", "sub", &["--hard", "HEAD"]).starts_with("hidden GIT_RESET_DENIED"));
    assert!(run("SHOW", "lib", &["HEAD:a"]).starts_with("default-deny VALIDATION_FAILED"));
}

/// Whoever may look at a folder may not look at the whole repository from there.
#[test]
fn trust_flow_a_working_directory_is_no_path_that_an_operation_on_everything_is_held_to() {
    let policy = Frozen::new("rule src: allow anyone to git.* where path in \"src/**\"");
    let everything: &[(&str, &[&str])] = &[
        ("SHOW", &["HEAD"]),
        ("LOG", &["-p", "--all"]),
        ("DIFF", &["HEAD~1"]),
        ("RESET", &["--hard", "HEAD~3"]),
        ("STASH", &["clear"]),
        ("ADD", &["-A"]),
        ("COMMIT", &["-a", "-m", "x"]),
        ("PULL", &["origin", "evil"]),
        ("STATUS", &[]),
    ];
    for (operation, args) in everything {
        for cwd in ["", "src"] {
            let answer = answer(&[&policy], PLAIN, &git_in(cwd, operation, args));
            assert!(answer.starts_with("default-deny GIT_"), "{operation} {args:?} in {cwd:?}: {answer}");
        }
    }
    assert_eq!(answer(&[&policy], PLAIN, &git_in("src", "ADD", &["a"])), "PERMIT");
    assert_eq!(answer(&[&policy], PLAIN, &git_in("src", "DIFF", &["HEAD", "--", "a"])), "PERMIT");
    // Where it runs has to be allowed, with each ref.
    let policy = Frozen::new(
        "rule main: allow anyone to git.log where ref == \"main\"
         rule hidden: deny anyone to git.log where path in \"hidden/**\"",
    );
    assert_eq!(answer(&[&policy], PLAIN, &git_in("src", "LOG", &["main"])), "PERMIT");
    assert!(answer(&[&policy], PLAIN, &git_in("hidden", "LOG", &["main"])).starts_with("hidden GIT_LOG_DENIED"));
}

#[test]
fn trust_flow_a_path_in_a_commit_holds_no_other_ref_to_it() {
    let policy = Frozen::new(
        "rule src: allow anyone to git.show, git.log where path in \"src/**\"
         rule secret: deny anyone to git.* where ref in \"secret\"",
    );
    let ask = |operation: &str, args: &[&str]| answer(&[&policy], PLAIN, &git(operation, args));
    assert_eq!(ask("SHOW", &["HEAD:src/a", "old:src/b"]), "PERMIT");
    assert!(ask("SHOW", &["HEAD:src/a", "secret"]).starts_with("secret GIT_SHOW_DENIED"));
    assert!(ask("LOG", &["-p", "secret", "HEAD:src/a"]).starts_with("secret GIT_LOG_DENIED"));
    assert!(ask("SHOW", &["HEAD:src/a", "other"]).starts_with("default-deny GIT_SHOW_DENIED"));
    assert!(ask("SHOW", &["--all", "HEAD:src/a"]).starts_with("default-deny GIT_SHOW_DENIED"));
    for range in ["HEAD:src/a..secret:src/b", "HEAD:src/a..secret", "secret..HEAD:src/a"] {
        assert!(ask("LOG", &["-p", range]).starts_with("default-deny VALIDATION_FAILED"), "{range}");
    }
}

#[test]
fn every_branch_and_tag_that_is_changed_is_judged_wherever_it_stands() {
    let policy = Frozen::new(
        "rule all: allow anyone to git.*
         rule keep: deny anyone to git.* where ref in \"refs/heads/main\", \"refs/tags/release/**\"",
    );
    let ask = |operation: &str, args: &[&str]| answer(&[&policy], PLAIN, &git(operation, args));
    for (operation, args) in [
        ("BRANCH", &["-D", "x", "main"][..]),
        ("BRANCH", &["-M", "x", "main"]),
        ("BRANCH", &["main", "y:src/a"]),
        ("TAG", &["-d", "x", "release/1"]),
        ("TAG", &["release/1", "y:src/a"]),
        ("REBASE", &["x", "main"]),
        ("PULL", &["origin", "x:refs/heads/main"]),
    ] {
        assert!(ask(operation, args).starts_with("keep GIT_"), "{operation} {args:?}");
    }
    for args in [&["-D", "x", "@{-1}"][..], &["-M", "x", "@{-1}"], &["-m", "y"], &["-D", "main", "y:src/a"]] {
        let answer = ask("BRANCH", args);
        assert!(answer.starts_with("keep GIT_") || answer.starts_with("default-deny VALIDATION_FAILED"), "{args:?}");
    }
    assert!(ask("CHECKOUT", &["--track", "origin/main"]).starts_with("keep GIT_CHECKOUT_DENIED"));
}

#[test]
fn the_pack_for_git_keeps_shared_branches_from_every_spelling_that_moves_them() {
    let policy = Frozen::new("use std.git-safety\nrule all: allow anyone to git.*");
    let ask = |operation: &str, args: &[&str]| answer(&[&policy], PLAIN, &git(operation, args));
    for (operation, args) in [
        ("BRANCH", &["-d", "main"][..]),
        ("BRANCH", &["--delete", "x", "release/1.0"]),
        ("BRANCH", &["-m", "main", "x"]),
        ("BRANCH", &["--move", "x", "main"]),
        ("BRANCH", &["-f", "main", "x"]),
        ("FETCH", &["origin", "+x:refs/heads/main"]),
        ("FETCH", &["-f", "origin", "x:refs/heads/main"]),
        ("PULL", &["origin", "+x:refs/heads/main"]),
        ("REBASE", &["x", "main"]),
        ("REBASE", &["--onto", "y", "x", "production"]),
    ] {
        let answer = ask(operation, args);
        assert!(answer.contains("SHARED_BRANCH"), "{operation} {args:?}: {answer}");
    }
    for (operation, args) in [
        ("BRANCH", &["-d", "x"][..]),
        ("BRANCH", &["-m", "x", "y"]),
        ("BRANCH", &["x", "main"]),
        ("FETCH", &["origin", "main:refs/heads/main"]),
        ("REBASE", &["main"]),
        ("REBASE", &["main", "x"]),
    ] {
        assert_eq!(ask(operation, args), "PERMIT", "{operation} {args:?}");
    }
}

#[test]
fn what_is_fetched_is_judged_and_so_is_what_it_changes() {
    let policy = Frozen::new("rule main: allow anyone to git.pull where ref in \"main\", \"refs/heads/main\"");
    let pull = |args: &[&str]| answer(&[&policy], PLAIN, &git("PULL", args));
    assert_eq!(pull(&["origin", "main"]), "PERMIT");
    assert_eq!(pull(&["origin", "main:refs/heads/main"]), "PERMIT");
    for denied in [&["origin", "evil"][..], &["origin", "evil:refs/heads/main"], &["--tags", "origin", "main"]] {
        assert!(pull(denied).starts_with("default-deny GIT_PULL_DENIED"), "{denied:?}");
    }
}

#[test]
fn all_beside_a_name_is_judged_as_more_than_the_name() {
    let policy =
        Frozen::new("rule feature: allow anyone to git.push where ref in \"refs/heads/feature/**\" and not force");
    let push = |args: &[&str]| answer(&[&policy], PLAIN, &git("PUSH", args));
    assert_eq!(push(&["origin", "refs/heads/feature/x"]), "PERMIT");
    for option in ["--tags", "--all"] {
        let answer = push(&[option, "origin", "refs/heads/feature/x"]);
        assert!(answer.starts_with("default-deny GIT_PUSH_DENIED"), "{option}: {answer}");
    }
    let policy = Frozen::new("rule main: allow anyone to git.log where ref == \"main\" and path in \"src/**\"");
    let log = |args: &[&str]| answer(&[&policy], PLAIN, &git("LOG", args));
    assert_eq!(log(&["main", "--", "src/a"]), "PERMIT");
    assert!(log(&["--all", "main", "--", "src/a"]).starts_with("default-deny GIT_LOG_DENIED"));
}

#[test]
fn a_folder_in_a_commit_is_compared_with_everything_unless_two_are_named() {
    let policy = Frozen::new(
        "rule src: allow anyone to git.* where path in \"src/**\"
         rule key: deny anyone to git.* where path == \"conf/key\"",
    );
    let ask = |operation: &str, args: &[&str]| answer(&[&policy], PLAIN, &git(operation, args));
    assert_eq!(ask("DIFF", &["HEAD:src", "old:src"]), "PERMIT");
    for alone in [&["HEAD:src"][..], &["--cached", "HEAD:src"], &["HEAD:src/sub"], &["HEAD:src/"]] {
        assert!(ask("DIFF", alone).starts_with("default-deny GIT_DIFF_DENIED"), "{alone:?}");
    }
    // From where such a path starts is not known beside a folder in a commit.
    for (operation, args) in
        [("DIFF", &["HEAD:conf", "HEAD:src", "--", "key"][..]), ("CHECKOUT", &["HEAD:conf", "--", "key"])]
    {
        assert!(ask(operation, args).starts_with("default-deny VALIDATION_FAILED"), "{operation} {args:?}");
    }
}
