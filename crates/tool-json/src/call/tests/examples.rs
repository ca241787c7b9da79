//! The examples of the runtime's specification, each as the message it is.

use super::*;

fn assert_is(tool: &str, args: &str, expected: Tool) {
    assert_eq!(tool_of(tool, object(args)), Ok(expected));
}

fn git(operation: &str, args: &[&str]) -> Tool {
    let args = args.iter().map(|arg| (*arg).to_owned()).collect();
    Tool::GitOp(tool_proto::GitOperation { operation: operation.into(), args, cwd: String::new() })
}

#[test]
fn files_of_the_examples_are_the_messages_they_say() {
    assert_is(
        "fs_list",
        r#"{"glob": "src/**/*.rs", "max_results": 5000, "include_hidden": false}"#,
        Tool::FsList(tool_proto::FsList { glob: "src/**/*.rs".into(), max_results: 5000, include_hidden: false }),
    );
    assert_is(
        "fs_move",
        r#"{"src": "path/from", "dst": "path/to", "overwrite": false}"#,
        Tool::FsMove(tool_proto::FsMove { src: "path/from".into(), dst: "path/to".into(), overwrite: false }),
    );
    assert_is(
        "fs_copy",
        r#"{"src": "path/from", "dst": "path/to", "overwrite": false, "preserve_mode": true}"#,
        Tool::FsCopy(tool_proto::FsCopy {
            src: "path/from".into(),
            dst: "path/to".into(),
            overwrite: false,
            preserve_mode: true,
        }),
    );
    assert_is(
        "fs_delete",
        r#"{"path": "path/to/delete", "recursive": false, "force": true}"#,
        Tool::FsDelete(tool_proto::FsDelete { path: "path/to/delete".into(), recursive: false, force: true }),
    );
    assert_is(
        "file_read",
        r#"{"path": "src/lib.rs", "max_bytes": 1048576}"#,
        Tool::FileRead(tool_proto::FileRead { path: "src/lib.rs".into(), offset: 0, limit: 1_048_576 }),
    );
    assert_is(
        "file_write",
        r#"{"path": "src/auth.rs", "content": "…", "attribution": {"task_id": 42}, "create_dirs": true, "mode_octal": "0644"}"#,
        Tool::FileWriteExtended(FileWriteExtended {
            path: "src/auth.rs".into(),
            content: "…".into(),
            create_only: false,
            append: false,
            create_dirs: true,
            mode: 0o644,
            attribution: r#"{"task_id":42}"#.into(),
        }),
    );
    assert_is(
        "file_write",
        r#"{"path": "a", "content": "b", "create_dirs": false, "append": true}"#,
        Tool::FileWrite(FileWrite { path: "a".into(), content: "b".into(), create_only: false, append: true }),
    );
    assert_is(
        "file_patch",
        r#"{"path": "src/lib.rs", "unified_diff": "..."}"#,
        Tool::FilePatch(tool_proto::FilePatch { path: "src/lib.rs".into(), unified_diff: "...".into() }),
    );
    assert_is(
        "grep",
        r#"{"pattern":"panic!", "glob":"src/**", "case_sensitive":false, "max_results":1000}"#,
        Tool::FsGrep(tool_proto::FsGrep {
            pattern: "panic!".into(),
            glob: "src/**".into(),
            case_sensitive: false,
            max_results: 1000,
        }),
    );
}

#[test]
fn what_runs_in_the_examples_is_the_message_it_says() {
    assert_is(
        "proc_list",
        r#"{"filter": "cargo|node", "limit": 50}"#,
        Tool::ProcList(tool_proto::ProcList { filter: "cargo|node".into(), limit: 50 }),
    );
    let exec = tool_proto::ShellExec {
        command: "cargo test -q".into(),
        cwd: ".".into(),
        timeout_ms: 600_000,
        network_access: false,
        env: vec!["RUSTFLAGS=".into()],
    };
    let text = r#"{"cmd":"cargo test -q","cwd":".","timeout_ms":600000,"env":{"RUSTFLAGS":""},"stdin":null,"allow_network":false}"#;
    assert_is("shell_exec", text, Tool::ShellExec(exec.clone()));
    for (stdin, bytes) in [("\"\"", ""), ("\"yes\\n\"", "yes\n")] {
        let tool_proto::ShellExec { command, cwd, timeout_ms, network_access, env } = exec.clone();
        let stdin_exec =
            tool_proto::ShellExecExtended { command, cwd, timeout_ms, network_access, env, stdin: bytes.into() };
        assert_is("shell_exec", &text.replace("null", stdin), Tool::ShellExecExtended(stdin_exec));
    }
    assert_is(
        "curl",
        r#"{"method":"GET","url":"https://doc.rust-lang.org/std/","headers":{"User-Agent":"tool-runtime-sdk/1.0","Accept":"*/*"},"body":null,"timeout_ms":15000,"max_bytes":5242880}"#,
        Tool::HttpRequest(tool_proto::HttpRequest {
            method: "GET".into(),
            url: "https://doc.rust-lang.org/std/".into(),
            headers: vec!["Accept: */*".into(), "User-Agent: tool-runtime-sdk/1.0".into()],
            body: Vec::new(),
            timeout_ms: 15_000,
            max_bytes: 5_242_880,
            max_redirects: 0,
        }),
    );
}

#[test]
fn git_in_the_examples_is_the_message_it_says() {
    assert_is("git_status", r#"{"porcelain": true}"#, git("STATUS", &["--porcelain"]));
    assert_is("git_diff", r#"{"rev":"HEAD","paths":["src/**"]}"#, git("DIFF", &["HEAD", "--", "src/**"]));
    assert_is("git_add", r#"{"paths":["src/**"]}"#, git("ADD", &["--", "src/**"]));
    assert_is(
        "git_commit",
        r#"{"message":"feat(auth): add token parser","signoff":true,"allow_empty":false}"#,
        git("COMMIT", &["--message=feat(auth): add token parser", "--signoff"]),
    );
    assert_is(
        "git_checkout",
        r#"{"target":"feature/branch","create":false,"track":true}"#,
        git("CHECKOUT", &["--track", "feature/branch"]),
    );
    assert_is("git_merge", r#"{"branch":"main","no_ff":true}"#, git("MERGE", &["--no-ff", "main"]));
    assert_is(
        "git_rebase",
        r#"{"onto":"origin/main","autosquash":true}"#,
        git("REBASE", &["--autosquash", "origin/main"]),
    );
    assert_is(
        "git_push",
        r#"{"remote":"origin","refspec":"HEAD:refs/heads/feature","force":false}"#,
        git("PUSH", &["origin", "HEAD:refs/heads/feature"]),
    );
    assert_is("git_pull", r#"{"remote":"origin","rebase":true}"#, git("PULL", &["--rebase", "origin"]));
}

#[test]
fn syntax_trees_and_checks_of_the_examples_are_the_messages_they_say() {
    assert_is(
        "ast_generate",
        r#"{"paths":["src/**/*.rs"],"language":"rust","incremental":true,"max_files":5000}"#,
        Tool::AstGenerate(tool_proto::AstGenerate {
            paths: vec!["src/**/*.rs".into()],
            language: "rust".into(),
            incremental: true,
            max_files: 5000,
        }),
    );
    assert_is(
        "ast_query",
        r#"{"where":{"type":"fn","name_like":"auth*","file_glob":"src/**"},"limit":200}"#,
        Tool::AstQuery(tool_proto::AstQuery {
            node_type: "fn".into(),
            name_like: "auth*".into(),
            file_glob: "src/**".into(),
            limit: 200,
        }),
    );
    assert_is(
        "ast_edit",
        r#"{"operation":"rename_symbol","target_node_id":"n1","new_name":"auth_signin","format_on_save":true,"validate_build":true}"#,
        Tool::AstEdit(tool_proto::AstEdit {
            operation: "rename_symbol".into(),
            target_node_id: "n1".into(),
            new_name: "auth_signin".into(),
            format_on_save: true,
            validate_build: true,
        }),
    );
    let rules = r#"[{"id":"exported_fn_docs","enforcement":"blocking","where":{"type":"fn","exported":true},"must_have":["docstring"]}]"#;
    assert_is(
        "ast_validate",
        &format!(r#"{{"rules":{rules}}}"#),
        Tool::AstValidate(tool_proto::AstValidate { rules: rules.into() }),
    );
    let request = r#"{"method":"textDocument/documentSymbol","params":{"uri":"file:///…"}}"#;
    assert_is(
        "ast_external",
        &format!(r#"{{"provider":"rust-analyzer","request":{request}}}"#),
        Tool::AstExternal(tool_proto::AstExternal { provider: "rust-analyzer".into(), request: request.into() }),
    );
    assert_is(
        "validate",
        r#"{"rule_id":"secrets.scan","enforcement":"blocking","glob":"src/**"}"#,
        Tool::ValidateRun(tool_proto::ValidateRun {
            rule_id: "secrets.scan".into(),
            enforcement: "blocking".into(),
            glob: "src/**".into(),
        }),
    );
    assert_is(
        "emit_metrics",
        r#"{"interval":1000,"session_id":"sess-123"}"#,
        Tool::MetricsEmit(tool_proto::MetricsEmit { interval_ms: 1000, session_id: "sess-123".into() }),
    );
}
