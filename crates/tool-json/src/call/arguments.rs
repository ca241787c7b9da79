//! The arguments of each tool: the fields of its message by the names that JSON has for them.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::envelope::is_default;
use crate::json::Object;
use crate::with::{JsonText, hash, headers, octal, pairs, text};

/// Arguments before the semicolon are required; those after it are omitted when they have their default.
macro_rules! arguments {
    ($($name:ident = $message:literal {
        $($(#[$must_meta:meta])* $must:ident: $must_type:ty),*
        $(; $($(#[$may_meta:meta])* $may:ident: $may_type:ty),+)?
    })+) => { $(
        #[derive(Serialize, Deserialize)]
        #[serde(remote = $message, deny_unknown_fields)]
        pub(super) struct $name {
            $($(#[$must_meta])* $must: $must_type,)*
            $($($(#[$may_meta])* #[serde(default, skip_serializing_if = "is_default")] $may: $may_type,)+)?
        }
    )+ };
}

arguments! {
    FileRead = "tool_proto::FileRead" { path: String; offset: u64, #[serde(rename = "max_bytes")] limit: u64 }
    FileWriteExtended = "tool_proto::FileWriteExtended" {
        path: String, #[serde(with = "text")] content: Vec<u8>;
        create_only: bool, append: bool, create_dirs: bool,
        #[serde(rename = "mode_octal", with = "octal")] mode: u32,
        #[serde(with = "JsonText::<Object>")] attribution: String
    }
    FileEdit = "tool_proto::FileEdit" { path: String, old_content: String, new_content: String }
    FilePatch = "tool_proto::FilePatch" { path: String, unified_diff: String }
    FsList = "tool_proto::FsList" { glob: String; max_results: u64, include_hidden: bool }
    FsGrep = "tool_proto::FsGrep" { pattern: String; glob: String, case_sensitive: bool, max_results: u64 }
    FsMove = "tool_proto::FsMove" { src: String, dst: String; overwrite: bool }
    FsCopy = "tool_proto::FsCopy" { src: String, dst: String; overwrite: bool, preserve_mode: bool }
    FsDelete = "tool_proto::FsDelete" { path: String; recursive: bool, force: bool }

    ShellExec = "tool_proto::ShellExec" {
        #[serde(rename = "cmd")] command: String;
        cwd: String, timeout_ms: u64, #[serde(with = "pairs")] env: Vec<String>,
        #[serde(rename = "allow_network")] network_access: bool
    }
    ShellExecExtended = "tool_proto::ShellExecExtended" {
        #[serde(rename = "cmd")] command: String, #[serde(with = "text")] stdin: Vec<u8>;
        cwd: String, timeout_ms: u64, #[serde(with = "pairs")] env: Vec<String>,
        #[serde(rename = "allow_network")] network_access: bool
    }
    ShellInline = "tool_proto::ShellInline" {
        interpreter: String, script: String;
        cwd: String, timeout_ms: u64, #[serde(with = "pairs")] env: Vec<String>,
        #[serde(rename = "allow_network")] network_access: bool
    }
    PytestRun = "tool_proto::PytestRun" {
        paths: Vec<String>; timeout_ms: u64, #[serde(rename = "allow_network")] network_access: bool
    }
    ProcList = "tool_proto::ProcList" {; filter: String, limit: u64 }

    HttpRequest = "tool_proto::HttpRequest" {
        method: String, url: String;
        #[serde(with = "headers")] headers: Vec<String>, #[serde(with = "text")] body: Vec<u8>,
        timeout_ms: u64, max_bytes: u64, max_redirects: u64
    }

    AstGenerate = "tool_proto::AstGenerate" {
        paths: Vec<String>; language: String, incremental: bool, max_files: u64
    }
    AstEdit = "tool_proto::AstEdit" {
        operation: String, target_node_id: String, new_name: String; format_on_save: bool, validate_build: bool
    }
    AstValidate = "tool_proto::AstValidate" { #[serde(with = "JsonText::<Vec<Value>>")] rules: String }
    AstExternal = "tool_proto::AstExternal" { provider: String, #[serde(with = "JsonText::<Value>")] request: String }
    ValidateRun = "tool_proto::ValidateRun" { rule_id: String; enforcement: String, glob: String }
    MetricsEmit = "tool_proto::MetricsEmit" {; #[serde(rename = "interval")] interval_ms: u64, session_id: String }

    Inference = "tool_proto::InferenceCall" {
        provider: String, model: String, #[serde(with = "hash")] prompt_hash: Vec<u8>;
        max_tokens: u64, temperature_scaled: u32, #[serde(with = "hash")] system_prompt_hash: Vec<u8>
    }
    ArtifactPublish = "tool_proto::ArtifactPublish" {
        artifact_id: String, #[serde(with = "hash")] content_hash: Vec<u8>, category: String;
        #[serde(with = "pairs")] metadata: Vec<String>
    }
}

/// The message has the fields of `where` beside `limit`.
#[derive(Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct AstQuery {
    #[serde(rename = "where", skip_serializing_if = "is_default")]
    nodes: Nodes,
    #[serde(skip_serializing_if = "is_default")]
    limit: u64,
}

#[derive(Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Nodes {
    #[serde(rename = "type", skip_serializing_if = "is_default")]
    node_type: String,
    #[serde(skip_serializing_if = "is_default")]
    name_like: String,
    #[serde(skip_serializing_if = "is_default")]
    file_glob: String,
}

impl From<AstQuery> for tool_proto::AstQuery {
    fn from(query: AstQuery) -> Self {
        let AstQuery { nodes: Nodes { node_type, name_like, file_glob }, limit } = query;
        Self { node_type, name_like, file_glob, limit }
    }
}

impl From<tool_proto::AstQuery> for AstQuery {
    fn from(query: tool_proto::AstQuery) -> Self {
        let tool_proto::AstQuery { node_type, name_like, file_glob, limit } = query;
        Self { nodes: Nodes { node_type, name_like, file_glob }, limit }
    }
}
