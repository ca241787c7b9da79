//! Every invariant of the protocol at its boundaries, on both sides.

use std::format;
use std::string::String;
use std::vec;
use std::vec::Vec;

use super::*;
use crate::wire::{
    Argument, ArgumentValue, ArtifactPublish, FileEdit, FileRead, FileWrite, FileWriteExtended, FsMove, GitOperation,
    HttpRequest, InferenceCall, PytestRun, ShellExec, Texts, Tool, ToolCall,
};

const READ: FileRead<'static> = FileRead { path: "a", offset: 0, limit: 0 };
const HASH: [u8; HASH_SIZE] = [7; HASH_SIZE];

fn request(tool: Tool<'_>) -> Request<'_> {
    Request::new("r", "t", "", Some(tool))
}

fn all(request: &Request<'_>) -> Vec<(&'static str, &'static str)> {
    let mut found = Vec::new();
    validate(request, &mut |violation| found.push((violation.field, violation.rule.name())));
    found
}

fn of(tool: Tool<'_>) -> Vec<(&'static str, &'static str)> {
    all(&request(tool))
}

/// What is wrong with text of that many characters, each of them of one byte and of four.
fn at_lengths(check: impl Fn(&str) -> Vec<(&'static str, &'static str)>, most: usize, field: &'static str) {
    for character in ["a", "\u{1f980}"] {
        assert_eq!(check(&character.repeat(most)), []);
        assert_eq!(check(&character.repeat(most + 1)), [(field, "max_length")]);
    }
}

fn no_path(check: impl Fn(&str) -> Vec<(&'static str, &'static str)>, field: &'static str) {
    for traversal in ["..", "../a", "a/..", "a/../b", "/..", "a//.."] {
        assert_eq!(check(traversal), [(field, "no_traversal")], "{traversal}");
    }
    for plain in ["a..b", "...", "[...slug].tsx", "..a", "a..", "a/..b/c", "."] {
        assert_eq!(check(plain), [], "{plain}");
    }
    assert_eq!(check("a\0b"), [(field, "no_nul")]);
}

#[test]
fn inv_0001_request_id_has_1_to_256_characters() {
    let check = |text: &str| all(&Request::new(text, "t", "", Some(Tool::FileRead(READ))));
    assert_eq!(check(""), [("request_id", "required")]);
    assert_eq!(check("a"), []);
    at_lengths(check, MAX_ID_LEN, "request_id");
}

#[test]
fn inv_0002_session_token_has_1_to_256_characters() {
    let check = |text: &str| all(&Request::new("r", text, "", Some(Tool::FileRead(READ))));
    assert_eq!(check(""), [("session_token", "required")]);
    at_lengths(check, MAX_ID_LEN, "session_token");
}

#[test]
fn inv_0003_dedupe_key_has_up_to_256_characters() {
    let check = |text: &str| all(&Request::new("r", "t", text, Some(Tool::FileRead(READ))));
    assert_eq!(check(""), []);
    at_lengths(check, MAX_ID_LEN, "dedupe_key");
}

#[test]
fn inv_0004_a_request_without_a_tool_is_invalid() {
    assert_eq!(all(&Request::new("r", "t", "", None)), [("tool", "required")]);
}

fn read(path: &str) -> Vec<(&'static str, &'static str)> {
    of(Tool::FileRead(FileRead { path, ..READ }))
}

#[test]
fn inv_0005_file_read_path_has_1_to_4096_characters() {
    assert_eq!(read(""), [("file_read.path", "required")]);
    at_lengths(read, MAX_PATH_LEN, "file_read.path");
}

#[test]
fn inv_0006_inv_0007_file_read_path_has_no_nul_and_no_traversal() {
    no_path(read, "file_read.path");
    assert_eq!(read("../\0"), [("file_read.path", "no_nul"), ("file_read.path", "no_traversal")]);
}

#[test]
fn inv_0008_file_read_limit_is_a_gigabyte_at_most() {
    let check = |limit| of(Tool::FileRead(FileRead { limit, ..READ }));
    assert_eq!(check(1_073_741_824), []);
    assert_eq!(check(1_073_741_825), [("file_read.limit", "max_value")]);
    // An offset has no limit.
    assert_eq!(of(Tool::FileRead(FileRead { offset: u64::MAX, ..READ })), []);
}

const WRITE: FileWrite<'static> = FileWrite { path: "a", content: b"", create_only: false, append: false };

fn write(path: &str) -> Vec<(&'static str, &'static str)> {
    of(Tool::FileWrite(FileWrite { path, ..WRITE }))
}

#[test]
fn inv_0009_file_write_path_has_1_to_4096_characters() {
    assert_eq!(write(""), [("file_write.path", "required")]);
    at_lengths(write, MAX_PATH_LEN, "file_write.path");
}

#[test]
fn inv_0010_file_write_path_has_no_nul_and_no_traversal() {
    no_path(write, "file_write.path");
}

#[test]
fn inv_0011_file_write_content_is_a_hundred_megabytes_at_most() {
    let content = vec![0; 104_857_601];
    let check = |content| of(Tool::FileWrite(FileWrite { content, ..WRITE }));
    assert_eq!(check(&content[..104_857_600]), []);
    assert_eq!(check(&content), [("file_write.content", "max_size")]);
}

#[test]
fn inv_0012_create_only_and_append_exclude_each_other() {
    for (create_only, append) in [(false, false), (true, false), (false, true), (true, true)] {
        let violations = of(Tool::FileWrite(FileWrite { create_only, append, ..WRITE }));
        let both = create_only && append;
        assert_eq!(violations, if both { vec![("file_write.append", "mutually_exclusive")] } else { vec![] });
    }
    let both = request(Tool::FileWrite(FileWrite { create_only: true, append: true, ..WRITE }));
    validate(&both, &mut |violation| assert_eq!(violation.rule, Rule::Exclusive { with: "create_only" }));
}

const EDIT: FileEdit<'static> = FileEdit { path: "a", old_content: "x", new_content: "" };

#[test]
fn inv_0013_file_edit_path_has_1_to_4096_characters_and_is_a_path() {
    let check = |path: &str| of(Tool::FileEdit(FileEdit { path, ..EDIT }));
    assert_eq!(check(""), [("file_edit.path", "required")]);
    at_lengths(check, MAX_PATH_LEN, "file_edit.path");
    no_path(check, "file_edit.path");
}

#[test]
fn inv_0014_file_edit_old_content_is_there_and_ten_megabytes_at_most() {
    let text = "\u{e9}".repeat(5_242_880) + "x";
    let check = |old_content| of(Tool::FileEdit(FileEdit { old_content, ..EDIT }));
    assert_eq!(check(""), [("file_edit.old_content", "required")]);
    assert_eq!(check(text.get(..10_485_760).unwrap()), []);
    assert_eq!(check(&text), [("file_edit.old_content", "max_size")]);
}

#[test]
fn inv_0015_file_edit_new_content_is_ten_megabytes_at_most() {
    let text = "x".repeat(10_485_761);
    let check = |new_content| of(Tool::FileEdit(FileEdit { new_content, ..EDIT }));
    assert_eq!(check(""), []);
    assert_eq!(check(text.get(..10_485_760).unwrap()), []);
    assert_eq!(check(&text), [("file_edit.new_content", "max_size")]);
}

const SHELL: ShellExec<'static> =
    ShellExec { command: "ls", cwd: "", timeout_ms: 0, network_access: false, env: Texts::EMPTY };

#[test]
fn inv_0016_shell_command_is_there_and_a_megabyte_at_most() {
    let text = "x".repeat(1_048_577);
    let check = |command| of(Tool::ShellExec(ShellExec { command, ..SHELL }));
    assert_eq!(check(""), [("shell_exec.command", "required")]);
    assert_eq!(check(text.get(..1_048_576).unwrap()), []);
    assert_eq!(check(&text), [("shell_exec.command", "max_size")]);
}

#[test]
fn inv_0017_shell_cwd_has_up_to_4096_characters_and_is_a_path() {
    let check = |cwd: &str| of(Tool::ShellExec(ShellExec { cwd, ..SHELL }));
    assert_eq!(check(""), []);
    at_lengths(check, MAX_PATH_LEN, "shell_exec.cwd");
    no_path(check, "shell_exec.cwd");
}

#[test]
fn inv_0018_shell_timeout_is_an_hour_at_most() {
    let check = |timeout_ms| of(Tool::ShellExec(ShellExec { timeout_ms, ..SHELL }));
    assert_eq!(check(3_600_000), []);
    assert_eq!(check(3_600_001), [("shell_exec.timeout_ms", "max_value")]);
}

fn environment(env: &[&str]) -> Vec<(&'static str, &'static str)> {
    let env: Vec<&str> = env.to_vec();
    of(Tool::ShellExec(ShellExec { env: Texts::listed(&env), ..SHELL }))
}

#[test]
fn inv_0019_shell_env_has_a_thousand_entries_at_most() {
    assert_eq!(environment(&["A=1"; 1_000]), []);
    assert_eq!(environment(&["A=1"; 1_001]), [("shell_exec.env", "max_items")]);
}

#[test]
fn inv_0020_each_env_entry_is_a_key_and_a_value_of_32_kilobytes_at_most() {
    let longest = format!("A={}", "x".repeat(32_766));
    let longer = format!("A={}", "x".repeat(32_767));
    assert_eq!(environment(&[&longest, "K=", "K=v"]), []);
    assert_eq!(environment(&[&longer]), [("shell_exec.env", "max_size")]);
    for none in ["", "K", "K=a=b", "K=="] {
        assert_eq!(environment(&[none]), [("shell_exec.env", "key_value")], "{none}");
    }
    assert_eq!(environment(&["=v"]), [("shell_exec.env", "key")]);
    for nul in ["K\0=v", "K=v\0", "K=\0v"] {
        assert_eq!(environment(&[nul]), [("shell_exec.env", "key")], "{nul:?}");
    }
    let mut items = Vec::new();
    let env = ["A=1", "B", "C=3", "D"];
    let shell = Tool::ShellExec(ShellExec { env: Texts::listed(&env), ..SHELL });
    validate(&request(shell), &mut |violation| items.push(violation.item));
    assert_eq!(items, [Some(1), Some(3)]);
}

const GIT: GitOperation<'static> = GitOperation { operation: "LOG", args: Texts::EMPTY, cwd: "" };

#[test]
fn inv_0021_git_operation_is_one_of_the_eighteen() {
    let check = |operation| of(Tool::GitOp(GitOperation { operation, ..GIT }));
    for verb in Verb::ALL {
        assert_eq!(check(verb.wire_name()), []);
    }
    for none in ["", "log", "GC", "LOG "] {
        assert_eq!(check(none), [("git_op.operation", "one_of")], "{none}");
    }
}

#[test]
fn inv_0022_inv_0023_git_args_are_a_thousand_of_32_kilobytes_at_most() {
    let check = |args: &[&str]| {
        let args: Vec<&str> = args.to_vec();
        of(Tool::GitOp(GitOperation { args: Texts::listed(&args), ..GIT }))
    };
    assert_eq!(check(&["x"; 1_000]), []);
    assert_eq!(check(&["x"; 1_001]), [("git_op.args", "max_items")]);
    let text = "x".repeat(32_769);
    assert_eq!(check(&[text.get(..32_768).unwrap()]), []);
    assert_eq!(check(&["a", &text]), [("git_op.args", "max_size")]);
}

#[test]
fn inv_0024_git_cwd_has_up_to_4096_characters() {
    let check = |cwd: &str| of(Tool::GitOp(GitOperation { cwd, ..GIT }));
    assert_eq!(check(""), []);
    at_lengths(check, MAX_PATH_LEN, "git_op.cwd");
    no_path(check, "git_op.cwd");
}

const CALL: InferenceCall<'static> = InferenceCall {
    provider: "p",
    model: "m",
    prompt_hash: &HASH,
    max_tokens: 0,
    temperature_scaled: 0,
    system_prompt_hash: b"",
};

#[test]
fn inv_0025_inference_provider_has_1_to_256_characters() {
    let check = |provider: &str| of(Tool::Inference(InferenceCall { provider, ..CALL }));
    assert_eq!(check(""), [("inference.provider", "required")]);
    at_lengths(check, MAX_ID_LEN, "inference.provider");
}

#[test]
fn inv_0026_inference_model_has_1_to_256_characters() {
    let check = |model: &str| of(Tool::Inference(InferenceCall { model, ..CALL }));
    assert_eq!(check(""), [("inference.model", "required")]);
    at_lengths(check, MAX_ID_LEN, "inference.model");
}

fn hashes() -> impl Iterator<Item = (&'static [u8], bool)> {
    static BYTES: [u8; 64] = [1; 64];
    [0, 1, 31, 32, 33, 64].into_iter().map(|len| (&BYTES[..len], len == 32))
}

#[test]
fn inv_0027_inference_prompt_hash_has_32_bytes() {
    for (prompt_hash, is_hash) in hashes() {
        let violations = of(Tool::Inference(InferenceCall { prompt_hash, ..CALL }));
        assert_eq!(violations, if is_hash { vec![] } else { vec![("inference.prompt_hash", "exact_size")] });
    }
}

#[test]
fn inv_0028_inference_tokens_are_a_million_at_most() {
    let check = |max_tokens| of(Tool::Inference(InferenceCall { max_tokens, ..CALL }));
    assert_eq!(check(1_000_000), []);
    assert_eq!(check(1_000_001), [("inference.max_tokens", "max_value")]);
}

#[test]
fn inv_0029_inference_system_prompt_hash_is_empty_or_has_32_bytes() {
    for (system_prompt_hash, is_hash) in hashes() {
        let violations = of(Tool::Inference(InferenceCall { system_prompt_hash, ..CALL }));
        let is_fine = is_hash || system_prompt_hash.is_empty();
        assert_eq!(violations, if is_fine { vec![] } else { vec![("inference.system_prompt_hash", "exact_size")] });
    }
}

const PUBLISH: ArtifactPublish<'static> =
    ArtifactPublish { artifact_id: "a", content_hash: &HASH, category: "c", metadata: Texts::EMPTY };

#[test]
fn inv_0030_artifact_id_has_1_to_256_characters() {
    let check = |artifact_id: &str| of(Tool::ArtifactPublish(ArtifactPublish { artifact_id, ..PUBLISH }));
    assert_eq!(check(""), [("artifact_publish.artifact_id", "required")]);
    at_lengths(check, MAX_ID_LEN, "artifact_publish.artifact_id");
}

#[test]
fn inv_0031_artifact_content_hash_has_32_bytes() {
    for (content_hash, is_hash) in hashes() {
        let violations = of(Tool::ArtifactPublish(ArtifactPublish { content_hash, ..PUBLISH }));
        assert_eq!(violations, if is_hash { vec![] } else { vec![("artifact_publish.content_hash", "exact_size")] });
    }
}

#[test]
fn inv_0032_artifact_category_has_1_to_256_characters() {
    let check = |category: &str| of(Tool::ArtifactPublish(ArtifactPublish { category, ..PUBLISH }));
    assert_eq!(check(""), [("artifact_publish.category", "required")]);
    at_lengths(check, MAX_ID_LEN, "artifact_publish.category");
}

fn metadata(entries: &[&str]) -> Vec<(&'static str, &'static str)> {
    let entries: Vec<&str> = entries.to_vec();
    of(Tool::ArtifactPublish(ArtifactPublish { metadata: Texts::listed(&entries), ..PUBLISH }))
}

#[test]
fn inv_0033_artifact_metadata_has_a_thousand_entries_at_most() {
    assert_eq!(metadata(&["a=b"; 1_000]), []);
    assert_eq!(metadata(&["a=b"; 1_001]), [("artifact_publish.metadata", "max_items")]);
}

#[test]
fn inv_0034_each_metadata_entry_has_one_equals_sign_and_32_kilobytes_at_most() {
    let longest = format!("A={}", "x".repeat(32_766));
    assert_eq!(metadata(&[&longest, "=", "a=b"]), []);
    assert_eq!(metadata(&[&(longest + "x")]), [("artifact_publish.metadata", "max_size")]);
    for none in ["", "a", "a=b=c"] {
        assert_eq!(metadata(&[none]), [("artifact_publish.metadata", "key_value")], "{none}");
    }
}

#[test]
fn ctr_0031_ctr_0032_ctr_0033_every_violation_is_told_with_its_field_and_rule() {
    let long = "x".repeat(300);
    let env = ["A", "B=1", "=2"];
    let shell = ShellExec { command: "", cwd: "../x", timeout_ms: u64::MAX, env: Texts::listed(&env), ..SHELL };
    let broken = Request::new("", &long, &long, Some(Tool::ShellExec(shell)));
    let expected = [
        ("request_id", "required"),
        ("session_token", "max_length"),
        ("dedupe_key", "max_length"),
        ("shell_exec.command", "required"),
        ("shell_exec.cwd", "no_traversal"),
        ("shell_exec.timeout_ms", "max_value"),
        ("shell_exec.env", "key_value"),
        ("shell_exec.env", "key"),
    ];
    assert_eq!(all(&broken), expected);
}

#[test]
fn ctr_0034_a_request_without_violations_is_valid_and_rules_say_their_facts() {
    assert_eq!(all(&request(Tool::FileRead(READ))), []);
    let path = String::from("a/../") + &"x".repeat(MAX_PATH_LEN);
    let mut found = Vec::new();
    let read = Tool::FileRead(FileRead { path: &path, ..READ });
    validate(&request(read), &mut |violation| found.push(violation.rule));
    let length = Rule::MaxLength { most: MAX_PATH_LEN, found: MAX_PATH_LEN + 5 };
    assert_eq!(found, [length, Rule::NoTraversal { at: 2 }]);
}

#[test]
fn the_other_tools_have_rules_of_the_same_kinds() {
    let moved = of(Tool::FsMove(FsMove { src: "../a", dst: "", overwrite: false }));
    assert_eq!(moved, [("fs_move.src", "no_traversal"), ("fs_move.dst", "required")]);
    let paths = ["tests", "", "a/.."];
    let run = PytestRun { paths: Texts::listed(&paths), timeout_ms: 3_600_001, network_access: false };
    let expected = [
        ("pytest_run.paths", "required"),
        ("pytest_run.paths", "no_traversal"),
        ("pytest_run.timeout_ms", "max_value"),
    ];
    assert_eq!(of(Tool::PytestRun(run)), expected);
    assert_eq!(of(Tool::PytestRun(PytestRun::default())), [("pytest_run.paths", "required")]);
    let write = FileWriteExtended { path: "a", mode: 0o1777, ..FileWriteExtended::default() };
    assert_eq!(of(Tool::FileWriteExtended(write)), [("file_write_extended.mode", "max_value")]);
    let http = HttpRequest { method: "GET /", url: "https://a.b/", ..HttpRequest::default() };
    assert_eq!(of(Tool::HttpRequest(http)), [("http_request.method", "token")]);
    assert_eq!(of(Tool::HttpRequest(HttpRequest { method: "get", ..http })), [("http_request.method", "token")]);
    let headers =
        ["Accept: a, b", "X-Y:", "nocolon", "X: a\r\nHost: b", "host: b", "A b: c", ": c", "Content-Length: 1"];
    let http = HttpRequest { method: "GET", headers: Texts::listed(&headers), ..http };
    let mut items = Vec::new();
    validate(&request(Tool::HttpRequest(http)), &mut |violation| items.push((violation.item, violation.rule)));
    assert_eq!(items, [2, 3, 4, 5, 6, 7].map(|item| (Some(item), Rule::Header)));
    let paths = ["tests/a.py::b", "--junitxml=x", "@options.txt"];
    let run = PytestRun { paths: Texts::listed(&paths), ..PytestRun::default() };
    assert_eq!(of(Tool::PytestRun(run)), [("pytest_run.paths", "no_option"); 2]);
    let paths = ["a.py::b[1-2]", "a.py::b[c::d]", "a.py]", "a.py[x]", "a[x", "[x", "a.py[x]::b", "a[::b", "a[b"];
    let run = PytestRun { paths: Texts::listed(&paths), ..PytestRun::default() };
    let mut items = Vec::new();
    validate(&request(Tool::PytestRun(run)), &mut |violation| items.push((violation.item, violation.rule)));
    assert_eq!(items, [3, 4, 5, 6, 7, 8].map(|item| (Some(item), Rule::NoBracket)));
    let arguments =
        [Argument { name: "", value: Some(ArgumentValue::Flag(true)) }, Argument { name: "a", value: None }];
    let call = ToolCall { tool: "jira", operation: "", arguments: Repeated::listed(&arguments) };
    assert_eq!(of(Tool::ToolCall(call)), [("tool_call.arguments", "required"); 2]);
}
