//! An executor on a folder of its own, and what is asked of it.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use enforce_exec::files::{Journal, Links, Workspace};
use enforce_exec::sandbox::{Layer, Sandbox};
use enforce_exec::{ConcurrencyLimits, Executor, ExecutorConfig, LoadedPolicy, Tools};
use exec_record::{ContentStore, Ledger, NewSession, Recovered, Scope, Settings, SqliteState, Verdict, Verified};
use policy_syntax::Sources;
use policy_table::freeze;
use prost::Message as _;
use table_format::Pin;
use tempfile::TempDir;
use tests::check_text;
use tool_proto::tool_request::Tool;
use tool_proto::tool_response::Result as Answer;
use tool_proto::{FileRead, FileWrite, ShellExec};
use tool_proto::{ToolRequest, ToolResponse};

/// An executor on a folder of its own, and a session.
pub(crate) struct Running {
    pub(crate) folder: TempDir,
    pub(crate) executor: Executor,
    pub(crate) token: String,
}

impl Running {
    pub(crate) async fn new(rules: &str) -> Self {
        Self::with(rules, |session| session).await
    }

    /// With another session.
    pub(crate) async fn with(rules: &str, change: impl FnOnce(NewSession) -> NewSession) -> Self {
        Self::made(rules, |parts| parts, change).await
    }

    /// With other parts.
    pub(crate) async fn of(rules: &str, change: impl FnOnce(ExecutorConfig) -> ExecutorConfig) -> Self {
        Self::made(rules, change, |session| session).await
    }

    async fn made(
        rules: &str,
        parts: impl FnOnce(ExecutorConfig) -> ExecutorConfig,
        session: impl FnOnce(NewSession) -> NewSession,
    ) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("root");
        fs::create_dir(&root).unwrap();
        let loaded = loaded(rules);
        let (own, _) = open(&root, &folder.path().join("state"), &loaded);
        Self::begun(folder, &loaded, Executor::new(parts(own)), session).await
    }

    /// With room for so much at once.
    pub(crate) async fn with_limits(rules: &str, room: ConcurrencyLimits) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("root");
        fs::create_dir(&root).unwrap();
        let loaded = loaded(rules);
        let (own, _) = open(&root, &folder.path().join("state"), &loaded);
        Self::begun(folder, &loaded, Executor::with_limits(own, room), |session| session).await
    }

    async fn begun(
        folder: TempDir,
        loaded: &LoadedPolicy,
        executor: Executor,
        session: impl FnOnce(NewSession) -> NewSession,
    ) -> Self {
        let root = folder.path().join("root");
        let token = executor.create_session(session(granted(&root, loaded))).await.unwrap().1.reveal();
        Self { folder, executor, token }
    }

    pub(crate) fn root(&self) -> std::path::PathBuf {
        self.folder.path().join("root")
    }

    pub(crate) fn state(&self) -> std::path::PathBuf {
        self.folder.path().join("state")
    }

    pub(crate) fn request(&self, key: &str, tool: Tool) -> ToolRequest {
        request(&self.token, key, tool)
    }

    pub(crate) async fn ask(&self, request: &ToolRequest) -> ToolResponse {
        ask(&self.executor, request).await
    }

    pub(crate) async fn verify(&self) -> Vec<&'static str> {
        self.executor.close().await.unwrap();
        kinds(&self.state())
    }
}

/// The parts of an executor on these folders.
pub(crate) fn open(root: &Path, state: &Path, loaded: &LoadedPolicy) -> (ExecutorConfig, Recovered) {
    open_with(root, state, loaded, Settings::default())
}

pub(crate) fn open_with(
    root: &Path,
    state: &Path,
    loaded: &LoadedPolicy,
    settings: Settings,
) -> (ExecutorConfig, Recovered) {
    let workspace = Workspace::open(root, Links::FollowInside).unwrap();
    // What holds commands has tests of its own; here, machines without it have to be fine too.
    let (opened, recovered) = SqliteState::open_with(state, settings).unwrap();
    let workspace = workspace.with_journal(Journal::open(state).unwrap());
    let tools = Tools::new(workspace, Sandbox::new(&Layer::ALL).unwrap()).unwrap();
    let store = ContentStore::local(state).unwrap();
    (ExecutorConfig { state: Arc::new(opened), store, tables: vec![loaded.clone()], tools }, recovered)
}

/// A session of a coder who may all that the policy allows.
pub(crate) fn granted(root: &Path, loaded: &LoadedPolicy) -> NewSession {
    NewSession {
        roles: vec!["coder".to_owned()],
        scope: Scope::Everything,
        working_directory: String::new(),
        root: root.canonicalize().unwrap().to_str().unwrap().to_owned(),
        expires_at_ms: now_ms() + 3_600_000,
        budgets: Vec::new(),
        tables: vec![loaded.digest().into()],
    }
}

pub(crate) fn request(token: &str, key: &str, tool: Tool) -> ToolRequest {
    ToolRequest {
        request_id: "r".to_owned(),
        session_token: token.to_owned(),
        dedupe_key: key.to_owned(),
        tool: Some(tool),
    }
}

pub(crate) async fn ask(executor: &Executor, request: &ToolRequest) -> ToolResponse {
    executor.handle(request.encode_to_vec()).await.into_message()
}

/// What is on the record, of which nothing is missing or changed.
pub(crate) fn kinds(state: &Path) -> Vec<&'static str> {
    whole(state);
    seen(state)
}

/// What is on the record so far.
pub(crate) fn seen(state: &Path) -> Vec<&'static str> {
    let mut kinds = Vec::new();
    Ledger::open(state).unwrap().each(|record, _| kinds.push(record.event.kind())).unwrap();
    kinds
}

/// How many records of a kind there are.
pub(crate) fn count(kinds: &[&str], wanted: &str) -> usize {
    kinds.iter().filter(|kind| **kind == wanted).count()
}

pub(crate) fn whole(state: &Path) -> Verified {
    match Ledger::open(state).unwrap().verify(None).unwrap() {
        Verdict::Whole(verified) => verified,
        Verdict::Broken(faults) => panic!("{faults:?}"),
    }
}

pub(crate) fn loaded(rules: &str) -> LoadedPolicy {
    LoadedPolicy::new(table(rules), Pin::Unpinned).unwrap()
}

pub(crate) fn table(rules: &str) -> Vec<u8> {
    let checked = check_text(&format!("policy executed language 1\nrole coder\n{rules}\n"));
    let model = checked.model.unwrap_or_else(|| panic!("{:#?}", checked.diagnostics));
    freeze(&model, &Sources::default()).unwrap().bytes
}

pub(crate) fn now_ms() -> u64 {
    u64::try_from(SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis()).unwrap()
}

pub(crate) fn append(path: &str, content: &str) -> Tool {
    Tool::FileWrite(FileWrite { path: path.to_owned(), content: content.into(), create_only: false, append: true })
}

pub(crate) fn read(path: &str) -> Tool {
    Tool::FileRead(FileRead { path: path.to_owned(), offset: 0, limit: 0 })
}

pub(crate) fn run(command: &str) -> Tool {
    Tool::ShellExec(ShellExec { command: command.to_owned(), ..ShellExec::default() })
}

pub(crate) fn code(response: &ToolResponse) -> &str {
    match response.result.as_ref().unwrap() {
        Answer::Success(_) => "DONE",
        Answer::Denied(denied) => &denied.rationale_code,
        Answer::Error(error) => &error.error_code,
    }
}

pub(crate) fn message(response: &ToolResponse) -> &str {
    match response.result.as_ref().unwrap() {
        Answer::Success(_) => "",
        Answer::Denied(denied) => &denied.message,
        Answer::Error(error) => &error.message,
    }
}

pub(crate) const ALL: &str = "rule all: allow anyone to file.*, fs.*, shell.exec, http.request";
