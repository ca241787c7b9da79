//! Request -> every rule it breaks: INV-0001 to INV-0034, and the same kinds of rules for the other tools.
//!
//! Nothing is stored: a visitor sees each violation (CTR-0033). The cost is the length of the request.

mod violation;

pub use violation::{Rule, Violation};

use crate::git::Verb;
use crate::limits::{
    HASH_SIZE, MAX_ARG_LEN, MAX_COMMAND_LEN, MAX_EDIT_SIZE, MAX_FILE_MODE, MAX_ID_LEN, MAX_PATH_LEN, MAX_READ_LIMIT,
    MAX_REPEATED_ITEMS, MAX_TIMEOUT_MS, MAX_TOKENS, MAX_WRITE_SIZE,
};
use crate::path::{is_simple, parent};
use crate::text::{characters, numbered, split_once, starts_with};
use crate::wire::{Request, Texts, Tool, ToolCall};

/// Shows every violation to `report`, in the order of the fields. A request without any is valid (CTR-0034).
pub fn validate(request: &Request<'_>, report: &mut dyn FnMut(Violation)) {
    let mut check = Check { report };
    check.id("request_id", request.request_id);
    check.id("session_token", request.session_token);
    check.at_most("dedupe_key", request.dedupe_key, MAX_ID_LEN);
    match &request.tool {
        Some(tool) => check.tool(tool),
        None => check.say("tool", Rule::Required),
    }
}

struct Check<'r> {
    report: &'r mut dyn FnMut(Violation),
}

impl Check<'_> {
    #[inline(never)]
    fn tool(&mut self, tool: &Tool<'_>) {
        match tool {
            Tool::FileRead(read) => {
                self.path("file_read.path", read.path);
                self.number("file_read.limit", read.limit, MAX_READ_LIMIT);
            }
            Tool::FileWrite(write) => {
                let fields = &["file_write.path", "file_write.content", "file_write.append"];
                self.write(fields, write.path, write.content, write.append && write.create_only);
            }
            Tool::FileWriteExtended(write) => {
                let fields = &["file_write_extended.path", "file_write_extended.content", "file_write_extended.append"];
                self.write(fields, write.path, write.content, write.append && write.create_only);
                self.number("file_write_extended.mode", u64::from(write.mode), u64::from(MAX_FILE_MODE));
                self.size("file_write_extended.attribution", write.attribution.len(), MAX_COMMAND_LEN);
            }
            Tool::FileEdit(edit) => {
                self.path("file_edit.path", edit.path);
                self.required("file_edit.old_content", edit.old_content);
                self.size("file_edit.old_content", edit.old_content.len(), MAX_EDIT_SIZE);
                self.size("file_edit.new_content", edit.new_content.len(), MAX_EDIT_SIZE);
            }
            Tool::FilePatch(patch) => {
                self.path("file_patch.path", patch.path);
                self.required("file_patch.unified_diff", patch.unified_diff);
                self.size("file_patch.unified_diff", patch.unified_diff.len(), MAX_EDIT_SIZE);
            }
            Tool::FsList(list) => self.path("fs_list.glob", list.glob),
            Tool::FsGrep(grep) => {
                self.required("fs_grep.pattern", grep.pattern);
                self.size("fs_grep.pattern", grep.pattern.len(), MAX_ARG_LEN);
                self.optional_path("fs_grep.glob", grep.glob);
            }
            Tool::FsMove(both) => {
                self.path("fs_move.src", both.src);
                self.path("fs_move.dst", both.dst);
            }
            Tool::FsCopy(both) => {
                self.path("fs_copy.src", both.src);
                self.path("fs_copy.dst", both.dst);
            }
            Tool::FsDelete(delete) => self.path("fs_delete.path", delete.path),
            Tool::ShellExec(shell) => {
                let fields = &["shell_exec.command", "shell_exec.cwd", "shell_exec.timeout_ms", "shell_exec.env"];
                self.shell(fields, shell.command, shell.cwd, shell.timeout_ms, &shell.env);
            }
            Tool::ShellExecExtended(shell) => {
                let fields = &[
                    "shell_exec_extended.command",
                    "shell_exec_extended.cwd",
                    "shell_exec_extended.timeout_ms",
                    "shell_exec_extended.env",
                ];
                self.shell(fields, shell.command, shell.cwd, shell.timeout_ms, &shell.env);
                self.size("shell_exec_extended.stdin", shell.stdin.len(), MAX_EDIT_SIZE);
            }
            Tool::ShellInline(inline) => {
                self.id("shell_inline.interpreter", inline.interpreter);
                let fields =
                    &["shell_inline.script", "shell_inline.cwd", "shell_inline.timeout_ms", "shell_inline.env"];
                self.shell(fields, inline.script, inline.cwd, inline.timeout_ms, &inline.env);
            }
            Tool::PytestRun(run) => {
                self.paths("pytest_run.paths", &run.paths);
                for (item, path) in numbered(run.paths.iter()) {
                    if starts_with(path, b'-') {
                        self.say_of("pytest_run.paths", item, Rule::NoOption);
                    }
                }
                self.number("pytest_run.timeout_ms", run.timeout_ms, MAX_TIMEOUT_MS);
            }
            Tool::ProcList(list) => self.size("proc_list.filter", list.filter.len(), MAX_ARG_LEN),
            Tool::HttpRequest(http) => {
                self.id("http_request.method", http.method);
                if !http.method.bytes().all(|byte| is_token(byte) && !byte.is_ascii_lowercase()) {
                    self.say("http_request.method", Rule::Token);
                }
                self.required("http_request.url", http.url);
                self.size("http_request.url", http.url.len(), MAX_ARG_LEN);
                self.items("http_request.headers", &http.headers);
                for (item, header) in numbered(http.headers.iter()) {
                    if !is_header(header) {
                        self.say_of("http_request.headers", item, Rule::Header);
                    }
                }
                self.size("http_request.body", http.body.len(), MAX_EDIT_SIZE);
                self.number("http_request.timeout_ms", http.timeout_ms, MAX_TIMEOUT_MS);
            }
            Tool::GitOp(git) => {
                if Verb::named(git.operation).is_none() {
                    self.say("git_op.operation", Rule::OneOf);
                }
                self.items("git_op.args", &git.args);
                self.optional_path("git_op.cwd", git.cwd);
            }
            Tool::AstGenerate(generate) => {
                self.paths("ast_generate.paths", &generate.paths);
                self.at_most("ast_generate.language", generate.language, MAX_ID_LEN);
            }
            Tool::AstQuery(query) => {
                self.at_most("ast_query.node_type", query.node_type, MAX_ID_LEN);
                self.at_most("ast_query.name_like", query.name_like, MAX_ID_LEN);
                self.optional_path("ast_query.file_glob", query.file_glob);
            }
            Tool::AstEdit(edit) => {
                self.id("ast_edit.operation", edit.operation);
                self.id("ast_edit.target_node_id", edit.target_node_id);
                self.id("ast_edit.new_name", edit.new_name);
            }
            Tool::AstValidate(validate) => self.command("ast_validate.rules", validate.rules),
            Tool::AstExternal(external) => {
                self.id("ast_external.provider", external.provider);
                self.command("ast_external.request", external.request);
            }
            Tool::Inference(call) => {
                self.id("inference.provider", call.provider);
                self.id("inference.model", call.model);
                self.hash("inference.prompt_hash", call.prompt_hash);
                self.number("inference.max_tokens", call.max_tokens, MAX_TOKENS);
                if !call.system_prompt_hash.is_empty() {
                    self.hash("inference.system_prompt_hash", call.system_prompt_hash);
                }
            }
            Tool::ArtifactPublish(publish) => {
                self.id("artifact_publish.artifact_id", publish.artifact_id);
                self.hash("artifact_publish.content_hash", publish.content_hash);
                self.id("artifact_publish.category", publish.category);
                self.items("artifact_publish.metadata", &publish.metadata);
                for (item, entry) in numbered(publish.metadata.iter()) {
                    self.key_value("artifact_publish.metadata", item, entry);
                }
            }
            Tool::ValidateRun(run) => {
                self.id("validate_run.rule_id", run.rule_id);
                self.at_most("validate_run.enforcement", run.enforcement, MAX_ID_LEN);
                self.optional_path("validate_run.glob", run.glob);
            }
            Tool::MetricsEmit(emit) => {
                self.number("metrics_emit.interval_ms", emit.interval_ms, MAX_TIMEOUT_MS);
                self.at_most("metrics_emit.session_id", emit.session_id, MAX_ID_LEN);
            }
            Tool::ToolCall(call) => self.call(call),
        }
    }

    fn write(&mut self, fields: &[&'static str; 3], path: &str, content: &[u8], both: bool) {
        let [path_field, content_field, append_field] = *fields;
        self.path(path_field, path);
        self.size(content_field, content.len(), MAX_WRITE_SIZE);
        if both {
            self.say(append_field, Rule::Exclusive { with: "create_only" });
        }
    }

    fn shell(&mut self, fields: &[&'static str; 4], command: &str, cwd: &str, timeout_ms: u64, env: &Texts<'_>) {
        let [command_field, cwd_field, timeout_field, env_field] = *fields;
        self.command(command_field, command);
        self.optional_path(cwd_field, cwd);
        self.number(timeout_field, timeout_ms, MAX_TIMEOUT_MS);
        self.environment(env_field, env);
    }

    fn call(&mut self, call: &ToolCall<'_>) {
        self.id("tool_call.tool", call.tool);
        self.at_most("tool_call.operation", call.operation, MAX_ID_LEN);
        self.count("tool_call.arguments", call.arguments.len());
        for (item, argument) in numbered(call.arguments.iter()) {
            let field = "tool_call.arguments";
            if argument.name.is_empty() || argument.value.is_none() {
                self.say_of(field, item, Rule::Required);
            }
            let found = characters(argument.name.as_bytes());
            if found > MAX_ID_LEN {
                self.say_of(field, item, Rule::MaxLength { most: MAX_ID_LEN, found });
            }
        }
    }

    fn id(&mut self, field: &'static str, text: &str) {
        self.required(field, text);
        self.at_most(field, text, MAX_ID_LEN);
    }

    fn required(&mut self, field: &'static str, text: &str) {
        if text.is_empty() {
            self.say(field, Rule::Required);
        }
    }

    fn at_most(&mut self, field: &'static str, text: &str, most: usize) {
        // Text has no more characters than bytes.
        if text.len() > most {
            let found = characters(text.as_bytes());
            if found > most {
                self.say(field, Rule::MaxLength { most, found });
            }
        }
    }

    fn path(&mut self, field: &'static str, path: &str) {
        self.required(field, path);
        self.optional_path(field, path);
    }

    fn optional_path(&mut self, field: &'static str, path: &str) {
        self.path_of(field, None, path);
    }

    fn path_of(&mut self, field: &'static str, item: Option<usize>, path: &str) {
        if is_simple(path.as_bytes()) {
            return;
        }
        let found = characters(path.as_bytes());
        if found > MAX_PATH_LEN {
            (self.report)(Violation { field, item, rule: Rule::MaxLength { most: MAX_PATH_LEN, found } });
        }
        if let Some(at) = path.as_bytes().iter().position(|byte| *byte == 0) {
            (self.report)(Violation { field, item, rule: Rule::NoNul { at } });
        }
        if let Some(at) = parent(path.as_bytes()) {
            (self.report)(Violation { field, item, rule: Rule::NoTraversal { at } });
        }
    }

    fn paths(&mut self, field: &'static str, paths: &Texts<'_>) {
        if paths.is_empty() {
            self.say(field, Rule::Required);
        }
        self.count(field, paths.len());
        for (item, path) in numbered(paths.iter()) {
            if path.is_empty() {
                self.say_of(field, item, Rule::Required);
            }
            self.path_of(field, Some(item), path);
        }
    }

    fn command(&mut self, field: &'static str, text: &str) {
        self.required(field, text);
        self.size(field, text.len(), MAX_COMMAND_LEN);
    }

    fn size(&mut self, field: &'static str, found: usize, most: usize) {
        if found > most {
            self.say(field, Rule::MaxSize { most, found });
        }
    }

    fn number(&mut self, field: &'static str, found: u64, most: u64) {
        if found > most {
            self.say(field, Rule::MaxValue { most, found });
        }
    }

    fn hash(&mut self, field: &'static str, hash: &[u8]) {
        if hash.len() != HASH_SIZE {
            self.say(field, Rule::ExactSize { expected: HASH_SIZE, found: hash.len() });
        }
    }

    fn count(&mut self, field: &'static str, found: usize) {
        if found > MAX_REPEATED_ITEMS {
            self.say(field, Rule::MaxItems { most: MAX_REPEATED_ITEMS, found });
        }
    }

    fn items(&mut self, field: &'static str, entries: &Texts<'_>) {
        self.count(field, entries.len());
        for (item, entry) in numbered(entries.iter()) {
            if entry.len() > MAX_ARG_LEN {
                self.say_of(field, item, Rule::MaxSize { most: MAX_ARG_LEN, found: entry.len() });
            }
        }
    }

    fn environment(&mut self, field: &'static str, entries: &Texts<'_>) {
        self.items(field, entries);
        for (item, entry) in numbered(entries.iter()) {
            self.key_value(field, item, entry);
            let key = entry.bytes().take_while(|byte| *byte != b'=');
            if starts_with(entry, b'=') || key.into_iter().any(|byte| byte == 0) {
                self.say_of(field, item, Rule::Key);
            }
        }
    }

    fn key_value(&mut self, field: &'static str, item: usize, entry: &str) {
        let found = entry.bytes().fold(0_usize, |found, byte| found.wrapping_add(usize::from(byte == b'=')));
        if found != 1 {
            self.say_of(field, item, Rule::KeyValue { found });
        }
    }

    fn say(&mut self, field: &'static str, rule: Rule) {
        (self.report)(Violation { field, item: None, rule });
    }

    fn say_of(&mut self, field: &'static str, item: usize, rule: Rule) {
        (self.report)(Violation { field, item: Some(item), rule });
    }
}

/// Whether it is `Name: value` on one line, and the client is left to say where the request goes and how long it is.
fn is_header(header: &str) -> bool {
    let Some((name, value)) = split_once(header, b':') else {
        return false;
    };
    let is_own = |own: &&[u8]| name.bytes().map(|byte| byte.to_ascii_lowercase()).eq(own.iter().copied());
    !name.is_empty()
        && name.bytes().all(is_token)
        && !value.bytes().any(|byte| byte < b' ' && byte != b'\t' || byte == 0x7f)
        && !OWN_HEADERS.iter().any(is_own)
}

fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}

/// Headers that are the client's own.
const OWN_HEADERS: &[&[u8]] = &[b"host", b"content-length", b"transfer-encoding", b"connection"];

#[cfg(test)]
mod tests;
