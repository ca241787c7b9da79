//! A source of chance -> requests: of every variant, valid ones and ones that break a rule, for the tests of this crate
//! and of others.
//!
//! Half of what is made is valid. The rest mixes a tiny alphabet, lengths and numbers around the limits, and all of
//! Unicode: values spread evenly alone would meet no limit.

use enforce_core::git::Verb;
use enforce_core::limits::{
    HASH_SIZE, MAX_ARG_LEN, MAX_FILE_MODE, MAX_ID_LEN, MAX_PATH_LEN, MAX_READ_LIMIT, MAX_REPEATED_ITEMS,
    MAX_TIMEOUT_MS, MAX_TOKENS,
};
use fastrand::Rng;

use crate::proto::tool_request::Tool;
use crate::proto::{
    Argument, ArtifactPublish, AstEdit, AstExternal, AstGenerate, AstQuery, AstValidate, FileEdit, FilePatch, FileRead,
    FileWrite, FileWriteExtended, FsCopy, FsDelete, FsGrep, FsList, FsMove, GitOperation, HttpRequest, InferenceCall,
    MetricsEmit, ProcList, PytestRun, ShellExec, ShellExecExtended, ShellInline, ToolCall, ToolRequest, ValidateRun,
    argument,
};

/// How many variants a request has.
pub const VARIANTS: usize = 27;

/// A request of any variant, valid or not; now and then without a tool.
pub fn request(rng: &mut Rng) -> ToolRequest {
    let is_valid = rng.bool();
    if !is_valid && rng.u8(..) == 0 {
        return ToolRequest { tool: None, ..ToolRequest::default() };
    }
    let variant = rng.usize(..VARIANTS);
    made(rng, variant, is_valid)
}

/// A valid request of any variant.
pub fn valid_request(rng: &mut Rng) -> ToolRequest {
    let variant = rng.usize(..VARIANTS);
    made(rng, variant, true)
}

/// A request of one variant: those of the protocol in the order of their numbers, and from the last on again.
pub fn request_of(rng: &mut Rng, variant: usize) -> ToolRequest {
    let is_valid = rng.bool();
    made(rng, variant % VARIANTS, is_valid)
}

fn made(rng: &mut Rng, variant: usize, is_valid: bool) -> ToolRequest {
    let mut source = Source { rng, is_valid };
    ToolRequest {
        request_id: source.id(),
        session_token: source.id(),
        dedupe_key: if source.rng.bool() { String::new() } else { source.id() },
        tool: Some(source.tool(variant)),
    }
}

/// Text of any kind: empty, short, at a limit, and of all of Unicode.
pub fn text(rng: &mut Rng) -> String {
    match rng.u8(..16) {
        0 => String::new(),
        1..=5 => (0..rng.usize(..6)).map(|_| one_of(rng, TINY)).collect(),
        6..=9 => (0..rng.usize(..24)).map(|_| rng.char(' '..='~')).collect(),
        10..=13 => (0..rng.usize(..12)).map(|_| rng.char(..)).collect(),
        14 => one_of(rng, &["a", "\u{e9}", "\u{1f980}"]).repeat(near(rng, MAX_ID_LEN)),
        _ if rng.u8(..8) != 0 => one_of(rng, WORDS).to_owned(),
        _ => {
            let limit = if rng.bool() { MAX_PATH_LEN } else { MAX_ARG_LEN };
            one_of(rng, &["a", "\u{e9}"]).repeat(near(rng, limit))
        }
    }
}

/// A number of any size: small, at a limit, or as large as there is.
pub fn number(rng: &mut Rng) -> u64 {
    let limit = *rng.choice(&[MAX_READ_LIMIT, MAX_TIMEOUT_MS, MAX_TOKENS, 50, u64::from(u32::MAX)]).unwrap_or(&0);
    match rng.u8(..8) {
        0 => 0,
        1 | 2 => rng.u64(..4),
        3 => limit.wrapping_add(rng.u64(..3)).wrapping_sub(1),
        4 => u64::MAX - rng.u64(..2),
        5 => 1 << rng.u32(..64),
        _ => rng.u64(..) >> rng.u32(..64),
    }
}

struct Source<'r> {
    rng: &'r mut Rng,
    is_valid: bool,
}

impl Source<'_> {
    fn tool(&mut self, variant: usize) -> Tool {
        match variant {
            0 => Tool::FileRead(FileRead {
                path: self.path(),
                offset: number(self.rng),
                limit: self.number(MAX_READ_LIMIT),
            }),
            1 => {
                let (append, create_only) = self.one_flag();
                Tool::FileWrite(FileWrite { path: self.path(), content: self.bytes(), create_only, append })
            }
            2 => Tool::FileEdit(FileEdit { path: self.path(), old_content: self.some(), new_content: self.any() }),
            3 => Tool::ShellExec(ShellExec {
                command: self.command(),
                cwd: self.optional_path(),
                timeout_ms: self.number(MAX_TIMEOUT_MS),
                network_access: self.flag(),
                env: self.pairs(),
            }),
            4 => Tool::GitOp(GitOperation { operation: self.verb(), args: self.words(), cwd: self.optional_path() }),
            5 => Tool::Inference(InferenceCall {
                provider: self.id(),
                model: self.id(),
                prompt_hash: self.hash(),
                max_tokens: self.number(MAX_TOKENS),
                temperature_scaled: self.small(u32::MAX),
                system_prompt_hash: if self.flag() { Vec::new() } else { self.hash() },
            }),
            6 => Tool::ArtifactPublish(ArtifactPublish {
                artifact_id: self.id(),
                content_hash: self.hash(),
                category: self.id(),
                metadata: self.pairs(),
            }),
            7 => Tool::FilePatch(FilePatch { path: self.path(), unified_diff: self.some() }),
            8 => Tool::FsList(FsList { glob: self.path(), max_results: number(self.rng), include_hidden: self.flag() }),
            9 => Tool::FsGrep(FsGrep {
                pattern: self.id(),
                glob: self.optional_path(),
                case_sensitive: self.flag(),
                max_results: number(self.rng),
            }),
            10 => Tool::FsMove(FsMove { src: self.path(), dst: self.path(), overwrite: self.flag() }),
            11 => Tool::FsCopy(FsCopy {
                src: self.path(),
                dst: self.path(),
                overwrite: self.flag(),
                preserve_mode: self.flag(),
            }),
            12 => Tool::FsDelete(FsDelete { path: self.path(), recursive: self.flag(), force: self.flag() }),
            13 => Tool::ShellInline(ShellInline {
                interpreter: self.id(),
                script: self.some(),
                cwd: self.optional_path(),
                timeout_ms: self.number(MAX_TIMEOUT_MS),
                network_access: self.flag(),
                env: self.pairs(),
            }),
            14 => Tool::PytestRun(PytestRun {
                paths: self.tests(),
                timeout_ms: self.number(MAX_TIMEOUT_MS),
                network_access: self.flag(),
            }),
            15 => Tool::ProcList(ProcList { filter: self.short(), limit: number(self.rng) }),
            16 => Tool::HttpRequest(HttpRequest {
                method: self.method(),
                url: self.url(),
                headers: self.headers(),
                body: self.bytes(),
                timeout_ms: self.number(MAX_TIMEOUT_MS),
                max_bytes: number(self.rng),
                max_redirects: number(self.rng),
            }),
            17 => Tool::AstGenerate(AstGenerate {
                paths: self.paths(),
                language: self.short(),
                incremental: self.flag(),
                max_files: number(self.rng),
            }),
            18 => Tool::AstQuery(AstQuery {
                node_type: self.short(),
                name_like: self.short(),
                file_glob: self.optional_path(),
                limit: number(self.rng),
            }),
            19 => Tool::AstEdit(AstEdit {
                operation: self.id(),
                target_node_id: self.id(),
                new_name: self.id(),
                format_on_save: self.flag(),
                validate_build: self.flag(),
            }),
            20 => Tool::AstValidate(AstValidate { rules: self.json(&["[]", r#"[{"id":"docs"}]"#]) }),
            21 => Tool::AstExternal(AstExternal {
                provider: self.id(),
                request: self.json(&["{}", r#"{"method":"m","params":[1,-2,0.5,null]}"#]),
            }),
            22 => Tool::ValidateRun(ValidateRun {
                rule_id: self.id(),
                enforcement: self.short(),
                glob: self.optional_path(),
            }),
            23 => Tool::MetricsEmit(MetricsEmit { interval_ms: self.number(MAX_TIMEOUT_MS), session_id: self.short() }),
            24 => Tool::ToolCall(ToolCall { tool: self.id(), operation: self.short(), arguments: self.arguments() }),
            25 => {
                let (append, create_only) = self.one_flag();
                Tool::FileWriteExtended(FileWriteExtended {
                    path: self.path(),
                    content: self.bytes(),
                    create_only,
                    append,
                    create_dirs: self.flag(),
                    mode: self.small(u32::try_from(MAX_FILE_MODE).unwrap_or(u32::MAX)),
                    attribution: self.json(&["", "{}", r#"{"task_id":42}"#]),
                })
            }
            _ => Tool::ShellExecExtended(ShellExecExtended {
                command: self.command(),
                cwd: self.optional_path(),
                timeout_ms: self.number(MAX_TIMEOUT_MS),
                network_access: self.flag(),
                env: self.pairs(),
                stdin: self.bytes(),
            }),
        }
    }

    fn flag(&mut self) -> bool {
        self.rng.bool()
    }

    /// Two flags that exclude each other.
    fn one_flag(&mut self) -> (bool, bool) {
        let (first, second) = (self.flag(), self.flag());
        (first, second && !(self.is_valid && first))
    }

    /// Anything, when something invalid is asked for; now and then something valid all the same.
    fn any_instead(&mut self) -> bool {
        !self.is_valid && self.rng.u8(..3) == 0
    }

    fn any(&mut self) -> String {
        text(self.rng)
    }

    fn some(&mut self) -> String {
        let text = self.any();
        if self.is_valid && text.is_empty() { "x".to_owned() } else { text }
    }

    fn id(&mut self) -> String {
        match self.rng.u8(..8) {
            _ if self.any_instead() => self.any(),
            0 => one_of(self.rng, &["a", "\u{e9}", "\u{1f980}"]).repeat(MAX_ID_LEN),
            1 => self.rng.char(..).to_string(),
            _ => one_of(self.rng, WORDS).to_owned(),
        }
    }

    /// What an identifier may be, or nothing.
    fn short(&mut self) -> String {
        if self.rng.u8(..4) == 0 { String::new() } else { self.id() }
    }

    fn path(&mut self) -> String {
        match self.rng.u8(..8) {
            _ if self.any_instead() => one_of(self.rng, HOSTILE_PATHS).to_owned() + &self.any(),
            0 => one_of(self.rng, &["a", "\u{e9}"]).repeat(MAX_PATH_LEN),
            _ => one_of(self.rng, PATHS).to_owned(),
        }
    }

    fn optional_path(&mut self) -> String {
        if self.rng.bool() { String::new() } else { self.path() }
    }

    fn paths(&mut self) -> Vec<String> {
        let least = usize::from(self.is_valid);
        (0..self.count().max(least)).map(|_| self.path()).collect()
    }

    /// Paths that are no options.
    fn tests(&mut self) -> Vec<String> {
        let is_valid = self.is_valid;
        let plain = |path: String| if is_valid && path.starts_with('-') { format!("./{path}") } else { path };
        self.paths().into_iter().map(plain).collect()
    }

    fn command(&mut self) -> String {
        if self.any_instead() { self.any() } else { one_of(self.rng, COMMANDS).to_owned() }
    }

    fn url(&mut self) -> String {
        if self.any_instead() { self.any() } else { one_of(self.rng, URLS).to_owned() }
    }

    fn method(&mut self) -> String {
        if self.any_instead() { self.any() } else { one_of(self.rng, &["GET", "POST", "PATCH", "X-!#$"]).to_owned() }
    }

    fn verb(&mut self) -> String {
        if self.any_instead() {
            return one_of(self.rng, &["push", "", "GC", "PUSH ", "\u{1f980}"]).to_owned();
        }
        self.rng.choice(Verb::ALL).map_or_else(String::new, |verb| verb.wire_name().to_owned())
    }

    fn words(&mut self) -> Vec<String> {
        (0..self.count()).map(|_| if self.any_instead() { self.any() } else { self.word() }).collect()
    }

    fn word(&mut self) -> String {
        one_of(self.rng, GIT_WORDS).to_owned()
    }

    fn pairs(&mut self) -> Vec<String> {
        (0..self.count())
            .map(|place| {
                let key = one_of(self.rng, &["RUSTFLAGS", "PATH", "a", "\u{e9}"]);
                let value = one_of(self.rng, &["", "1", "a b", "\n", "\u{1f980}"]);
                if self.any_instead() { self.any() } else { format!("{key}{place}={value}") }
            })
            .collect()
    }

    fn headers(&mut self) -> Vec<String> {
        (0..self.count())
            .map(|place| {
                let value = one_of(self.rng, &["", "a", " b: c", "\u{e9}"]);
                if self.any_instead() { self.any() } else { format!("X-{place}: {value}") }
            })
            .collect()
    }

    fn arguments(&mut self) -> Vec<Argument> {
        (0..self.count())
            .map(|place| {
                let value = match self.rng.u8(..4) {
                    0 if self.any_instead() => None,
                    0 => Some(argument::Value::Flag(self.flag())),
                    1 => Some(argument::Value::Number(number(self.rng))),
                    _ => Some(argument::Value::Text(self.any())),
                };
                let name = if self.any_instead() { self.any() } else { format!("a{place}") };
                Argument { name, value }
            })
            .collect()
    }

    fn json(&mut self, valid: &[&str]) -> String {
        if self.any_instead() { self.any() } else { one_of(self.rng, valid).to_owned() }
    }

    fn bytes(&mut self) -> Vec<u8> {
        match self.rng.u8(..8) {
            0 => Vec::new(),
            1..=4 => self.any().into_bytes(),
            _ => (0..self.rng.usize(..40)).map(|_| self.rng.u8(..)).collect(),
        }
    }

    fn hash(&mut self) -> Vec<u8> {
        let size = if self.any_instead() { near(self.rng, HASH_SIZE) } else { HASH_SIZE };
        (0..size).map(|_| self.rng.u8(..)).collect()
    }

    fn number(&mut self, most: u64) -> u64 {
        let number = number(self.rng);
        if self.is_valid { number.min(most) } else { number }
    }

    fn small(&mut self, most: u32) -> u32 {
        let number = u32::try_from(number(self.rng)).unwrap_or(u32::MAX);
        if self.is_valid { number.min(most) } else { number }
    }

    fn count(&mut self) -> usize {
        match self.rng.u8(..) {
            0 if !self.is_valid => MAX_REPEATED_ITEMS + 1,
            1 => MAX_REPEATED_ITEMS,
            2..=128 => 0,
            _ => self.rng.usize(1..4),
        }
    }
}

fn one_of<'t>(rng: &mut Rng, texts: &[&'t str]) -> &'t str {
    rng.choice(texts).copied().unwrap_or_default()
}

/// A length at a limit: one less, as much, or one more.
fn near(rng: &mut Rng, limit: usize) -> usize {
    limit.saturating_sub(1).saturating_add(rng.usize(..3))
}

const TINY: &[&str] = &["a", "/", ".", "-", "=", ":", "\0", "\n", "`", "\\", "\u{e9}", "\u{202e}"];
const WORDS: &[&str] = &["a", "file_read", "rename_symbol", "openai", "jira", "sess-123", "r\u{e9}sum\u{e9}"];
const PATHS: &[&str] = &["src/lib.rs", "a", "/a//b/./c", "..a/b..", "src/**/*.rs", "-r", "\u{4e2d}/\u{1f980}", " "];
const HOSTILE_PATHS: &[&str] = &["", "../", "a/../../b", "\0", "/", "a/.."];
const COMMANDS: &[&str] = &["cargo test -q", "a && b | c", "echo `id`", "x=$(y)", "a\nb", "'", "\u{e9}"];
const URLS: &[&str] = &["https://doc.rust-lang.org/std/", "http://[::1]:8080/a?b#c", "ssh://u@h", "x", "https://"];
const GIT_WORDS: &[&str] = &[
    "origin",
    "main",
    "HEAD~1",
    "HEAD:refs/heads/x",
    "+a:b",
    "--",
    "--force",
    "--rebase",
    "--message=m",
    "--track",
    "-b",
    "--porcelain",
    "--no-ff",
    "--autosquash",
    "--signoff",
    "--allow-empty",
    "src/**",
    "--stat",
    "-x",
];
