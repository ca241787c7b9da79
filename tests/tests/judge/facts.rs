//! What each message says to a policy: one rule for each fact, which holds only when the fact is there as it should be.

use std::collections::BTreeSet;

use enforce_core::Operation;
use tool_proto::argument::Value;
use tool_proto::tool_request::Tool;
use tool_proto::{
    Argument, ArtifactPublish, AstEdit, AstExternal, AstGenerate, AstQuery, AstValidate, FileEdit, FilePatch, FileRead,
    FileWrite, FileWriteExtended, FsCopy, FsDelete, FsGrep, FsList, FsMove, GitOperation, HttpRequest, InferenceCall,
    MetricsEmit, ProcList, PytestRun, ShellExec, ShellExecExtended, ShellInline, ToolCall, ValidateRun,
};

use crate::bench::{Frozen, PLAIN, Setting, answer, encoded};

fn s(text: &str) -> String {
    text.to_owned()
}

/// Each with an operation and everything that can be said about it.
fn cases() -> Vec<(&'static str, &'static str, Tool)> {
    let hash = vec![1; 32];
    vec![
        (
            "file.read",
            "path == \"src/a.rs\" and name == \"a.rs\" and extension == \"rs\" and bytes == 10 B and offset == 5 B and not append",
            Tool::FileRead(FileRead { path: s("./src//a.rs"), offset: 5, limit: 10 }),
        ),
        (
            "file.write",
            "path == \"a\" and name == \"a\" and bytes == 3 B and append and not create-only and not create-dirs",
            Tool::FileWrite(FileWrite { path: s("a"), content: b"xyz".to_vec(), create_only: false, append: true }),
        ),
        (
            "file.write",
            "path == \"a\" and create-only and create-dirs and not append and bytes == 0 B",
            Tool::FileWriteExtended(FileWriteExtended {
                path: s("a"),
                create_only: true,
                create_dirs: true,
                mode: 0o644,
                ..FileWriteExtended::default()
            }),
        ),
        (
            "file.edit",
            "path == \"a.b\" and extension == \"b\" and bytes == 4 B",
            Tool::FileEdit(FileEdit { path: s("/workspace/a.b"), old_content: s("x"), new_content: s("abcd") }),
        ),
        (
            "file.patch",
            "path == \"a\" and bytes == 2 B",
            Tool::FilePatch(FilePatch { path: s("a"), unified_diff: s("xy") }),
        ),
        (
            "fs.list",
            "path == \"src\" and max-results == 7 and hidden",
            Tool::FsList(FsList { glob: s("src/**/*.rs"), max_results: 7, include_hidden: true }),
        ),
        (
            "fs.grep",
            "path == \"\" and max-results == 9 and not hidden",
            Tool::FsGrep(FsGrep { pattern: s("x"), max_results: 9, ..FsGrep::default() }),
        ),
        (
            "fs.move",
            "path in \"a\", \"b\" and overwrite and not recursive",
            Tool::FsMove(FsMove { src: s("a"), dst: s("b"), overwrite: true }),
        ),
        (
            "fs.copy",
            "path in \"a\", \"b\" and not overwrite and not force",
            Tool::FsCopy(FsCopy { src: s("a"), dst: s("b"), overwrite: false, preserve_mode: true }),
        ),
        (
            "fs.delete",
            "path == \"a\" and recursive and force and not overwrite",
            Tool::FsDelete(FsDelete { path: s("a"), recursive: true, force: true }),
        ),
        (
            "shell.exec",
            "command == \"git\" and subcommand == \"log\" and line == \"git -p log 'a b'\" and timeout == 5 ms and network",
            Tool::ShellExec(ShellExec {
                command: s("git  -p 'log' \"a b\""),
                cwd: s("sub"),
                timeout_ms: 5,
                network_access: true,
                env: vec![s("A=1")],
            }),
        ),
        (
            "shell.exec",
            "complex and line == \"ls > x\" and not network",
            Tool::ShellExecExtended(ShellExecExtended {
                command: s("ls > x"),
                stdin: b"y".to_vec(),
                ..ShellExecExtended::default()
            }),
        ),
        (
            "shell.inline",
            "command == \"python3\" and path == \"sub\" and timeout == 6 ms and network",
            Tool::ShellInline(ShellInline {
                interpreter: s("python3"),
                script: s("print()"),
                cwd: s("sub/."),
                timeout_ms: 6,
                network_access: true,
                env: Vec::new(),
            }),
        ),
        (
            "pytest.run",
            "command == \"pytest\" and path in \"tests\", \"more\" and timeout == 7 ms and not network",
            Tool::PytestRun(PytestRun { paths: vec![s("tests"), s("more")], timeout_ms: 7, network_access: false }),
        ),
        (
            "proc.list",
            "filter == \"cargo\" and max-results == 8",
            Tool::ProcList(ProcList { filter: s("cargo"), limit: 8 }),
        ),
        (
            "http.request",
            "host == \"docs.rs\" and scheme == \"https\" and method == \"GET\" and url-path == \"/A/b\" and port == 443 and redirects == 2 and timeout == 9 ms",
            Tool::HttpRequest(HttpRequest {
                method: s("GET"),
                url: s("HTTPS://Docs.RS/A/b?q=1"),
                timeout_ms: 9,
                max_redirects: 2,
                ..HttpRequest::default()
            }),
        ),
        (
            "git.push",
            "ref == \"refs/heads/x\" and remote == \"origin\" and force and not all",
            Tool::GitOp(GitOperation {
                operation: s("PUSH"),
                args: vec![s("-f"), s("origin"), s("refs/heads/x")],
                cwd: s(""),
            }),
        ),
        (
            "git.clone",
            "path == \"r\" and url == \"https://a.b/r.git\"",
            Tool::GitOp(GitOperation { operation: s("CLONE"), args: vec![s("https://a.b/r.git")], cwd: s("") }),
        ),
        (
            "git.commit",
            "all and not force",
            Tool::GitOp(GitOperation { operation: s("COMMIT"), args: vec![s("-a"), s("-m"), s("x")], cwd: s("") }),
        ),
        (
            "ast.generate",
            "path == \"src\" and language == \"rust\" and max-files == 3",
            Tool::AstGenerate(AstGenerate {
                paths: vec![s("src/*.rs")],
                language: s("rust"),
                incremental: true,
                max_files: 3,
            }),
        ),
        (
            "ast.query",
            "path == \"src\"",
            Tool::AstQuery(AstQuery { node_type: s("fn"), file_glob: s("src/**"), ..AstQuery::default() }),
        ),
        (
            "ast.edit",
            "not path in \"**\"",
            Tool::AstEdit(AstEdit {
                operation: s("rename_symbol"),
                target_node_id: s("n"),
                new_name: s("m"),
                ..AstEdit::default()
            }),
        ),
        ("ast.validate", "not path in \"**\"", Tool::AstValidate(AstValidate { rules: s("[]") })),
        (
            "ast.external",
            "provider == \"rust-analyzer\"",
            Tool::AstExternal(AstExternal { provider: s("rust-analyzer"), request: s("{}") }),
        ),
        (
            "inference.call",
            "provider == \"p\" and model == \"m\" and tokens == 10 and temperature == 0.70",
            Tool::Inference(InferenceCall {
                provider: s("p"),
                model: s("m"),
                prompt_hash: hash.clone(),
                max_tokens: 10,
                temperature_scaled: 70,
                system_prompt_hash: Vec::new(),
            }),
        ),
        (
            "artifact.publish",
            "artifact == \"a\" and category == \"c\"",
            Tool::ArtifactPublish(ArtifactPublish {
                artifact_id: s("a"),
                content_hash: hash,
                category: s("c"),
                metadata: vec![s("k=v")],
            }),
        ),
        (
            "validate.run",
            "rule == \"r\"",
            Tool::ValidateRun(ValidateRun { rule_id: s("r"), enforcement: s("blocking"), glob: s("src/**") }),
        ),
        ("metrics.emit", "interval == 60 s", Tool::MetricsEmit(MetricsEmit { interval_ms: 60_000, session_id: s("") })),
    ]
}

#[test]
fn ctr_0006_ctr_0011_ctr_0013_ctr_0017_ctr_0019_every_fact_of_a_message_reaches_the_policy() {
    for (operation, condition, tool) in cases() {
        let bytes = encoded(tool);
        let policy = Frozen::new(&format!("rule it: allow anyone to {operation} where {condition}"));
        assert_eq!(answer(&[&policy], PLAIN, &bytes), "PERMIT", "{operation} where {condition}");
        // Each part of the condition is needed: turned round, it does not hold any more.
        for part in condition.split(" and ") {
            let other = condition.replace(part, &format!("not ({part})"));
            let policy = Frozen::new(&format!("rule it: allow anyone to {operation} where {other}"));
            assert_ne!(answer(&[&policy], PLAIN, &bytes), "PERMIT", "{operation} where {other}");
        }
    }
}

#[test]
fn every_operation_but_those_of_git_has_a_case() {
    let tried: BTreeSet<&str> = cases().iter().map(|(operation, _, _)| *operation).collect();
    for operation in Operation::ALL.iter().filter(|operation| !operation.name().starts_with("git.")) {
        assert!(tried.contains(operation.name()), "{}", operation.name());
    }
}

#[test]
fn ctr_0004_ctr_0012_what_a_request_leaves_open_is_not_over_a_limit() {
    let policy = Frozen::new(
        "rule reads: allow anyone to file.read limit bytes <= 10 B
         rule runs: allow anyone to shell.exec limit timeout <= 1 s",
    );
    let read = |limit| encoded(Tool::FileRead(FileRead { path: s("a"), offset: 0, limit }));
    let run = |timeout_ms| encoded(Tool::ShellExec(ShellExec { command: s("ls"), timeout_ms, ..ShellExec::default() }));
    for (bytes, is_permitted) in
        [(read(0), true), (read(10), true), (read(11), false), (run(0), true), (run(1_000), true), (run(1_001), false)]
    {
        assert_eq!(answer(&[&policy], PLAIN, &bytes) == "PERMIT", is_permitted);
    }
}

#[test]
fn ctr_0006_relative_paths_start_in_the_sessions_working_directory() {
    let policy = Frozen::new("rule it: allow anyone to file.read where path == \"sub/a\"");
    let read = |path: &str| encoded(Tool::FileRead(FileRead { path: s(path), offset: 0, limit: 0 }));
    let inside = Setting { working_directory: "sub", ..PLAIN };
    assert_eq!(answer(&[&policy], inside, &read("a")), "PERMIT");
    assert_eq!(answer(&[&policy], inside, &read("/workspace/sub/a")), "PERMIT");
    assert_ne!(answer(&[&policy], inside, &read("sub/a")), "PERMIT");
    assert_eq!(answer(&[&policy], Setting { working_directory: "/workspace/sub/", ..PLAIN }, &read("./a")), "PERMIT");
}

#[test]
fn variables_that_change_which_program_runs_are_refused() {
    let policy = Frozen::new("rule it: allow anyone to shell.exec, shell.inline where command in \"cargo\", \"sh\"");
    let run = |entry: &str| {
        let message = ShellExec { command: s("cargo test"), env: vec![s("A=1"), s(entry)], ..ShellExec::default() };
        let inline =
            ShellInline { interpreter: s("sh"), script: s("id"), env: vec![s(entry)], ..ShellInline::default() };
        let answers =
            [Tool::ShellExec(message), Tool::ShellInline(inline)].map(|tool| answer(&[&policy], PLAIN, &encoded(tool)));
        assert_eq!(answers[0], answers[1]);
        answers[0].clone()
    };
    for fine in [
        "RUST_BACKTRACE=1",
        "CARGO_TERM_COLOR=always",
        "MYPATH=/x",
        "LDFLAGS=-lm",
        "PYTHONUNBUFFERED=1",
        "NODE_ENV=test",
        "RUSTFLAGS=",
    ] {
        assert_eq!(run(fine), "PERMIT", "{fine}");
    }
    for bad in [
        "PATH=/workspace/evil",
        "LD_PRELOAD=/workspace/evil.so",
        "BASH_ENV=x",
        "DYLD_INSERT_LIBRARIES=x",
        "ENV=x",
        "GIT_SSH_COMMAND=x",
        "GIT_EXTERNAL_DIFF=x",
        "NODE_OPTIONS=--require x",
        "PYTHONSTARTUP=x",
        "PERL5OPT=-Mx",
        "PAGER=x",
        "CARGO_BUILD_RUSTC_WRAPPER=x",
        "CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUNNER=x",
        "CARGO_HOME=x",
        "RUSTC_WORKSPACE_WRAPPER=x",
        "RUSTFLAGS=@x",
        "RUSTFLAGS_X=",
        "RIPGREP_CONFIG_PATH=x",
        "npm_config_script_shell=x",
        "PYTHONUSERBASE=x",
        "PYTHONBREAKPOINT=os.system",
        "LUA_INIT=@x",
        "MAKEFILES=x",
        "GOFLAGS=-x",
        "ZDOTDIR=x",
        "_JAVA_OPTIONS=x",
        "HOME=/workspace/x",
    ] {
        let expected =
            format!("default-deny VALIDATION_FAILED: the variable `{bad}` would change which program is run");
        assert_eq!(run(bad), expected);
    }
}

#[test]
fn a_glob_that_no_rule_can_ask_for_still_has_to_lie_in_the_root() {
    let policy = Frozen::new("rule it: allow anyone to validate.run");
    let run = |glob: &str| {
        answer(
            &[&policy],
            PLAIN,
            &encoded(Tool::ValidateRun(ValidateRun { rule_id: s("r"), enforcement: s(""), glob: s(glob) })),
        )
    };
    for fine in ["", "**", "src/**", "/workspace/src/*.rs"] {
        assert_eq!(run(fine), "PERMIT", "{fine}");
    }
    for outside in ["/etc/**", "/etc/passwd", "/workspace_evil/*", "/*"] {
        assert!(run(outside).starts_with("default-deny PATH_ESCAPE"), "{outside}: {}", run(outside));
    }
}

#[test]
fn text_that_is_no_path_may_look_like_one() {
    let policy = Frozen::new("rule it: allow anyone to validate.run, proc.list, ast.external");
    for text in ["/etc/passwd", "/*", "../x"] {
        for tool in [
            Tool::ValidateRun(ValidateRun { rule_id: s(text), ..ValidateRun::default() }),
            Tool::ProcList(ProcList { filter: s(text), limit: 0 }),
            Tool::AstExternal(AstExternal { provider: s(text), request: s(text) }),
        ] {
            assert_eq!(answer(&[&policy], PLAIN, &encoded(tool.clone())), "PERMIT", "{tool:?}");
        }
    }
}

#[test]
fn a_line_that_no_shell_would_run_is_nothing_that_a_rule_could_allow() {
    let policy = Frozen::new("rule it: allow anyone to shell.exec where complex or not complex");
    let run = |command: &str| {
        answer(&[&policy], PLAIN, &encoded(Tool::ShellExec(ShellExec { command: s(command), ..ShellExec::default() })))
    };
    assert_eq!(run("ls > x"), "PERMIT");
    for invalid in ["echo 'a", "a\0b", "git log\r\0; rm -rf /", "$x\0", "&& ls", "   ", "ls |"] {
        assert!(run(invalid).starts_with("default-deny SHELL_COMPLEX: no shell"), "{invalid}");
    }
}

#[test]
fn what_of_a_file_is_tested_does_not_hide_the_file() {
    let policy = Frozen::new(
        "rule all: allow anyone to pytest.run
         rule slow: deny anyone to pytest.run where path in \"slow\", \"slow/**\"",
    );
    let run = |path: &str| {
        let message = PytestRun { paths: vec![s(path)], ..PytestRun::default() };
        answer(&[&policy], PLAIN, &encoded(Tool::PytestRun(message)))
    };
    assert_eq!(run("tests/a.py::b"), "PERMIT");
    for hidden in ["slow/a.py::b", "slow/a.py", "slow::b", "slow/a.py::b[1]", "slow::b::c[::]"] {
        assert!(run(hidden).starts_with("slow PYTEST_RUN_DENIED"), "{hidden}");
    }
    assert_eq!(run("tests/a.py::b[slow/a.py]"), "PERMIT");
    // To most versions of pytest a bracket ends the name of the file, to others it is a part of it.
    for two_readings in ["slow/a.py[x]", "slow[x", "[x", "slow/a.py[x]::b", "tests/a[1].py"] {
        let answer = run(two_readings);
        assert!(answer.starts_with("default-deny VALIDATION_FAILED: pytest_run.paths has an entry with"), "{answer}");
    }
    assert!(run("tests/a.py::../../x").starts_with("default-deny VALIDATION_FAILED"));
    // Without a name it is the folder that pytest runs in.
    let policy = Frozen::new("rule all: allow anyone to pytest.run where path in \"::*\"");
    let message = PytestRun { paths: vec![s("::a.py")], ..PytestRun::default() };
    let answer = answer(&[&policy], PLAIN, &encoded(Tool::PytestRun(message)));
    assert!(answer.starts_with("default-deny PYTEST_RUN_DENIED"), "{answer}");
}

#[test]
fn sec_allow_exact_a_command_with_a_slash_is_no_name() {
    let policy = Frozen::new("rule it: allow anyone to shell.exec where command in \"git\", \"/bin/git\", \"**\"");
    let run = |command: &str| {
        answer(&[&policy], PLAIN, &encoded(Tool::ShellExec(ShellExec { command: s(command), ..ShellExec::default() })))
    };
    assert_eq!(run("git log"), "PERMIT");
    assert_eq!(run("'git' log"), "PERMIT");
    for none in ["/bin/git log", "./git log", "bin/git", "'/bin/git' log"] {
        assert_ne!(run(none), "PERMIT", "{none}");
    }
}

fn call(operation: &str, arguments: &[(&str, Value)]) -> Vec<u8> {
    let argument = |(name, value): &(&str, Value)| Argument { name: s(name), value: Some(value.clone()) };
    let arguments = arguments.iter().map(argument).collect();
    encoded(Tool::ToolCall(ToolCall { tool: s("jira"), operation: s(operation), arguments }))
}

#[test]
fn gate_generic_gate_ops_gate_runtime_declared_tools_are_judged_by_what_they_declare() {
    let policy = Frozen::new(
        "tool jira {
           op search(project: string, max: int, deep: flag)
           op attach(file: path, on: host, by: command, at: ref)
           op remove(project: string)
         }
         tool dice(min: int)
         rule search: allow anyone to jira.search where project in \"CORE\" and not deep limit max <= 50
         rule attach: allow anyone to jira.attach
           where file in \"docs/**\" and on == \"a.b\" and by == \"git\" and at == \"refs/heads/x\"
         rule dice: allow anyone to dice where min == 1",
    );
    let text = |text: &str| Value::Text(s(text));
    let ask = |bytes: &[u8]| answer(&[&policy], PLAIN, bytes);
    assert_eq!(ask(&call("search", &[("project", text("CORE")), ("max", Value::Number(50))])), "PERMIT");
    let attach = |file: &str, on: &str, by: &str, at: &str| {
        ask(&call("attach", &[("file", text(file)), ("on", text(on)), ("by", text(by)), ("at", text(at))]))
    };
    assert_eq!(attach("./docs//a", "A.B", "git", "refs/heads/x"), "PERMIT");
    for (bytes, expected) in [
        (call("search", &[("project", text("OPS"))]), "default-deny JIRA_SEARCH_DENIED"),
        (call("search", &[("project", text("CORE")), ("deep", Value::Flag(true))]), "default-deny JIRA_SEARCH_DENIED"),
        (call("search", &[("project", text("CORE")), ("max", Value::Number(51))]), "search LIMIT_EXCEEDED"),
        (call("remove", &[("project", text("CORE"))]), "default-deny JIRA_REMOVE_DENIED"),
        (call("close", &[]), "default-deny OPERATION_NOT_ALLOWED"),
        (call("", &[]), "default-deny OPERATION_NOT_ALLOWED"),
        (
            call("search", &[("other", text("x"))]),
            "default-deny VALIDATION_FAILED: the argument `other` is not declared",
        ),
        (call("search", &[("max", text("x"))]), "default-deny VALIDATION_FAILED: the argument `max` is not of"),
        (
            call("search", &[("project", text("CORE")), ("project", text("OPS"))]),
            "default-deny VALIDATION_FAILED: the argument `project` is there twice",
        ),
        (
            call("search", &[("deep", Value::Flag(false)), ("deep", Value::Flag(false))]),
            "default-deny VALIDATION_FAILED: the argument `deep` is there twice",
        ),
    ] {
        let said = ask(&bytes);
        assert!(said.starts_with(expected), "{said}\n{expected}");
    }
    assert!(attach("/etc/x", "a.b", "git", "refs/heads/x").starts_with("default-deny PATH_ESCAPE"));
    assert!(attach("docs/a", "a.b\\@c", "git", "refs/heads/x").starts_with("default-deny VALIDATION_FAILED"));
    assert!(attach("docs/a", "a.b", "/bin/git", "refs/heads/x").starts_with("default-deny JIRA_ATTACH_DENIED"));
    assert!(attach("docs/a", "a.b", "git", "refs//x").starts_with("default-deny VALIDATION_FAILED"));
    let dice = ToolCall {
        tool: s("dice"),
        operation: s(""),
        arguments: vec![Argument { name: s("min"), value: Some(Value::Number(1)) }],
    };
    assert_eq!(ask(&encoded(Tool::ToolCall(dice))), "PERMIT");
}

#[test]
fn a_command_with_a_slash_is_no_name_for_a_declared_tool_either() {
    let policy = Frozen::new(
        "tool jira { op attach(by: command) }
         rule it: allow anyone to jira.attach where by in \"git\", \"/bin/git\", \"**\"",
    );
    let attach = |by: &str| answer(&[&policy], PLAIN, &call("attach", &[("by", Value::Text(s(by)))]));
    assert_eq!(attach("git"), "PERMIT");
    for none in ["/bin/git", "./git", "bin/git"] {
        assert_ne!(attach(none), "PERMIT", "{none}");
    }
}

#[test]
fn what_nobody_declares_is_told_by_its_whole_name() {
    let policy = Frozen::new("tool jira { op attach(by: command) }");
    let refused = "default-deny OPERATION_NOT_ALLOWED: no policy knows";
    assert_eq!(answer(&[&policy], PLAIN, &call("close", &[])), format!("{refused} `jira`.`close`"));
    assert_eq!(answer(&[&policy], PLAIN, &call("", &[])), format!("{refused} `jira`"));
}

#[test]
fn a_built_in_operation_cannot_be_asked_for_as_a_declared_tool() {
    let policy = Frozen::new("rule all: allow anyone to file.*, git.*");
    for (tool, operation) in [("file", "read"), ("git", "push"), ("file.read", "")] {
        let message = ToolCall { tool: s(tool), operation: s(operation), arguments: Vec::new() };
        let said = answer(&[&policy], PLAIN, &encoded(Tool::ToolCall(message)));
        assert!(said.starts_with("default-deny OPERATION_NOT_ALLOWED"), "{tool}.{operation}: {said}");
    }
}
