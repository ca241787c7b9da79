//! A root -> an executor on it with the example policy, and a session's token.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use enforce_exec::files::{Links, Workspace};
use enforce_exec::sandbox::{Layer, Sandbox};
use enforce_exec::{Executor, ExecutorConfig, LoadedPolicy, Tools};
use exec_record::{ContentStore, Digest, NewSession, Scope, SqliteState};
use policy_model::{CheckOptions, Memory, check_in};
use policy_table::freeze;
use prost::Message as _;
use table_format::Pin;
use tool_proto::ToolRequest;
use tool_proto::tool_request::Tool;
use tool_proto::tool_response::Result as Answer;

/// An executor that runs no command.
#[derive(Clone)]
pub(super) struct House {
    pub(super) executor: Executor,
    root: String,
    table: Digest,
}

impl House {
    pub(super) fn new(root: &Path, state_folder: &Path) -> Self {
        fs::create_dir_all(state_folder).expect("a folder");
        private(state_folder);
        let loaded = LoadedPolicy::new(example_table(), Pin::Unpinned).expect("a frozen table opens");
        let workspace = Workspace::open(root, Links::Refuse).expect("a workspace");
        let root = workspace.path().to_str().expect("a path of letters").to_owned();
        let sandbox = Sandbox::new(&Layer::ALL).expect("what is missing is accepted");
        let (state, _) = SqliteState::open(state_folder).expect("a state");
        let store = ContentStore::local(state_folder).expect("a store");
        let tools = Tools::new(workspace, sandbox).expect("tools");
        let table = loaded.digest().into();
        let executor = Executor::new(ExecutorConfig { state: Arc::new(state), store, tables: vec![loaded], tools });
        Self { executor, root, table }
    }

    pub(super) async fn session(&self, working_directory: &str) -> String {
        let session = session(self.root.clone(), working_directory, self.table);
        self.executor.create_session(session).await.expect("a session").1.reveal()
    }

    pub(super) async fn answer(&self, request: Vec<u8>) -> Answer {
        let response = self.executor.handle(request).await;
        response.into_message().result.expect("a result")
    }
}

pub(super) fn request(request_id: String, token: &str, tool: Tool) -> Vec<u8> {
    let session_token = token.to_owned();
    ToolRequest { request_id, session_token, dedupe_key: String::new(), tool: Some(tool) }.encode_to_vec()
}

pub(super) fn session(root: String, working_directory: &str, table: Digest) -> NewSession {
    NewSession {
        roles: vec!["coder".to_owned()],
        scope: Scope::Everything,
        working_directory: working_directory.to_owned(),
        root,
        expires_at_ms: u64::MAX,
        budgets: Vec::new(),
        tables: vec![table],
    }
}

/// What a state asks of its folder.
pub(super) fn private(folder: &Path) {
    use std::os::unix::fs::PermissionsExt as _;
    fs::set_permissions(folder, fs::Permissions::from_mode(0o700)).expect("a folder of one's own");
}

fn example_table() -> Vec<u8> {
    let memory = Memory::default().with("main.policy", EXAMPLE.as_bytes());
    let checked = check_in(&memory, Path::new("main.policy"), CheckOptions::default());
    let model = checked.model.expect("the example has no error");
    freeze(&model, &checked.sources).expect("the example has a table").bytes
}

const EXAMPLE: &str = include_str!("../../../policies/examples/coding-agent.policy");
