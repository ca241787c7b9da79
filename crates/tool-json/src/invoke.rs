//! `tool_invoke` of the runtime that asks by tool and action: invocations -> messages, and results <-> text.

mod output;

pub use output::{OUTPUT_BYTES_MAX, Output};

use std::fmt;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use enforce_core::limits::HASH_SIZE;
use serde::{Deserialize, Serialize};
use tool_proto::tool_request::Tool;
use tool_proto::{Escaped, ToolError, ToolRequest, folder_glob};

use crate::call::{CallError, tool_of};
use crate::envelope::{ReadError, is_default, write_compact};
use crate::fields::{FieldError, Problem, from_field, from_object};
use crate::json::{Object, parse_object};
use crate::with::hash;

/// A call of one action of a tool, such as `read_file` of `filesystem`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ToolInvoke {
    pub tool: String,
    pub action: String,
    pub args: Object,
}

/// Why no message can be made of an invocation.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvokeError {
    /// There is no such action (INVOKE-UNKNOWN).
    #[error("unknown action `{}` of tool `{}`; known are {}", Escaped(.action), Escaped(.tool), known_actions())]
    Unknown { tool: String, action: String },
    #[error(transparent)]
    Call(#[from] CallError),
}

impl ToolInvoke {
    /// Reads an invocation, to the end of the text.
    ///
    /// # Errors
    /// Fails when the text is anything but one invocation.
    pub fn new(text: &[u8]) -> Result<Self, ReadError> {
        Ok(Self::from_object(parse_object(text)?)?)
    }

    /// Reads an invocation from its fields.
    ///
    /// # Errors
    /// Fails with the first field that is missing, unknown or wrong.
    pub fn from_object(object: Object) -> Result<Self, FieldError> {
        from_object(object)
    }

    /// Returns the message of the request.
    ///
    /// # Errors
    /// Fails when there is no such action, and when its arguments are wrong.
    pub fn message(self, request_id: String, session_token: String) -> Result<ToolRequest, InvokeError> {
        let tool = Some(self.call()?);
        Ok(ToolRequest { request_id, session_token, dedupe_key: String::new(), tool })
    }

    fn call(self) -> Result<Tool, InvokeError> {
        let Self { tool, action, args } = self;
        let is_asked = |(known, of, _): &&(&str, &str, &str)| (*known, *of) == (tool.as_str(), action.as_str());
        let Some((_, _, known)) = ACTIONS.iter().find(is_asked) else {
            return Err(InvokeError::Unknown { tool, action });
        };
        let name = format!("{tool}.{action}");
        let args = match *known {
            FS_LIST => list_everything(args).map_err(|error| CallError::argument(&name, error))?,
            _ => args,
        };
        tool_of(known, args).map_err(|error| InvokeError::Call(error.called(name)))
    }
}

/// The arguments of `fs_list` for everything in a directory. `glob` and `include_hidden` are no arguments of `list_dir`.
fn list_everything(mut args: Object) -> Result<Object, FieldError> {
    let Some(path) = args.shift_remove(PATH) else {
        return Err(FieldError::new(PATH, Problem::Missing));
    };
    let path: String = from_field(PATH, path)?;
    if let Some(unknown) = [GLOB, "include_hidden"].into_iter().find(|name| args.contains_key(*name)) {
        return Err(FieldError::new(unknown, Problem::Unknown));
    }
    args.insert(GLOB.to_owned(), folder_glob(&path).into());
    Ok(args)
}

impl InvokeError {
    /// The error as a result has it.
    #[must_use]
    pub fn failure(&self) -> Failure {
        let kind = match self {
            Self::Unknown { .. } => FailureKind::PolicyDenied,
            Self::Call(_) => FailureKind::InvalidArguments,
        };
        Failure::new(kind, self.to_string())
    }
}

fn known_actions() -> String {
    ACTIONS.map(|(tool, action, _)| format!("{tool} {action}")).join(", ")
}

/// The result of an invocation (INVOKE-RESULT).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ToolInvokeResult {
    timestamp_utc: Timestamp,
    ok: bool,
    tool: String,
    action: String,
    policy: Policy,
    output: Output,
    #[serde(default, skip_serializing_if = "is_default")]
    effects: Effects,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    error: Option<Failure>,
}

/// What came of an invocation.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Ended {
    pub policy: Policy,
    pub output: Output,
    pub effects: Effects,
    pub error: Option<Failure>,
}

/// The decision of the policy.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Policy {
    pub allowed: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
}

impl Default for Policy {
    fn default() -> Self {
        Self { allowed: true, rule: None, code: None }
    }
}

/// The files that a tool read or changed.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Effects {
    pub files: Vec<FileEffect>,
}

/// A file after the call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileEffect {
    pub path: String,
    pub size_bytes: u64,
    #[serde(with = "hash")]
    pub sha256: [u8; HASH_SIZE],
}

/// An error of an invocation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Failure {
    #[serde(rename = "type")]
    pub kind: FailureKind,
    pub message: String,
    /// True when the same invocation may succeed later (CTR-0029); omitted when false.
    #[serde(default, skip_serializing_if = "is_default")]
    pub retryable: bool,
    /// The earliest time for a retry (CTR-0030); omitted when unknown.
    #[serde(default, skip_serializing_if = "is_default")]
    pub retry_after_ms: u64,
}

/// The kind of a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum FailureKind {
    /// The policy denies it, the action is unknown, or the path leads out of the root.
    PolicyDenied,
    /// There is no root or no policy, or nothing can be recorded.
    GovernanceUnavailable,
    /// The file is not UTF-8.
    EncodingError,
    NotFound,
    Timeout,
    InvalidArguments,
    IoError,
}

impl FileEffect {
    /// Returns `None` unless `sha256` is 64 lower-case hexadecimal digits.
    #[must_use]
    pub fn new(path: String, size_bytes: u64, sha256: &str) -> Option<Self> {
        Some(Self { path, size_bytes, sha256: hash::decode(sha256)? })
    }
}

impl Failure {
    /// A failure that cannot be retried.
    #[must_use]
    pub fn new(kind: FailureKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), retryable: false, retry_after_ms: 0 }
    }

    /// Copies the hint about retries from an error of the protocol.
    #[must_use]
    pub fn with_retry_of(self, error: &ToolError) -> Self {
        Self { retryable: error.retryable, retry_after_ms: error.retry_after_ms, ..self }
    }
}

impl ToolInvokeResult {
    /// The result of an invocation that ended at `timestamp_utc`.
    #[must_use]
    pub fn new(timestamp_utc: Timestamp, tool: String, action: String, ended: Ended) -> Self {
        let Ended { policy, output, effects, error } = ended;
        let ok = policy.allowed && error.is_none();
        Self { timestamp_utc, ok, tool, action, policy, output, effects, error }
    }

    /// True when the invocation was allowed and nothing went wrong.
    #[must_use]
    pub fn ok(&self) -> bool {
        self.ok
    }

    /// Reads a result, to the end of the text.
    ///
    /// # Errors
    /// Fails when the text is anything but one result, and when the result contradicts itself.
    pub fn read(text: &[u8]) -> Result<Self, ReadError> {
        let result: Self = from_object(parse_object(text)?)?;
        result.output.check()?;
        if result.ok == (result.policy.allowed && result.error.is_none()) {
            return Ok(result);
        }
        let rule = "must be true exactly when `policy.allowed` is true and there is no `error`".to_owned();
        Err(FieldError::new("ok", Problem::Value(rule)).into())
    }
}

/// Compact JSON.
impl fmt::Display for ToolInvokeResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_compact(self, f)
    }
}

/// A time in UTC from 1970 to 9999, in milliseconds. Its text is `2026-01-10T08:33:00.000Z`, and no other text is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Timestamp {
    unix_ms: u64,
}

impl Timestamp {
    /// Returns the time so many milliseconds after the start of 1970; the end of 9999 for all times after it.
    #[must_use]
    pub fn from_unix_ms(unix_ms: u64) -> Self {
        Self { unix_ms: unix_ms.min(UNIX_MS_MAX) }
    }

    /// Returns the time of a clock; the start of 1970 for all times before it.
    #[must_use]
    pub fn at(time: SystemTime) -> Self {
        let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
        Self::from_unix_ms(u64::try_from(since.as_millis()).unwrap_or(UNIX_MS_MAX))
    }

    /// Unix time in seconds.
    #[must_use]
    pub fn seconds(self) -> u64 {
        self.unix_ms / 1_000
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        humantime::format_rfc3339_millis(UNIX_EPOCH + Duration::from_millis(self.unix_ms)).fmt(f)
    }
}

impl TryFrom<String> for Timestamp {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        let time = humantime::parse_rfc3339(&text).map(Self::at);
        time.ok().filter(|time| time.to_string() == text).ok_or("must be a time such as `2026-01-10T08:33:00.000Z`")
    }
}

impl From<Timestamp> for String {
    fn from(timestamp: Timestamp) -> Self {
        timestamp.to_string()
    }
}

const PATH: &str = "path";
const GLOB: &str = "glob";
const FS_LIST: &str = "fs_list";
/// Tools, their actions, and the tool of the protocol that each is.
const ACTIONS: [(&str, &str, &str); 4] = [
    ("filesystem", "read_file", "file_read"),
    ("filesystem", "write_file", "file_write"),
    ("filesystem", "list_dir", FS_LIST),
    ("pytest", "run", "pytest_run"),
];
/// The last millisecond of the year 9999.
const UNIX_MS_MAX: u64 = 253_402_300_799_999;

#[cfg(test)]
mod tests;
