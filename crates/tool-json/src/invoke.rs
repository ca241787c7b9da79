//! `tool_invoke` of the runtime that asks by tool and action: its requests -> messages, and its results <-> text.
//!
//! A result is what it says: `ok` follows from the rest, and output is never longer than its cap.

mod output;
mod request;
mod sha256;
mod timestamp;

pub use output::{Capped, OUTPUT_BYTES_MAX, Output, Run, cap_output};
pub use request::{InvokeError, ToolInvoke};
pub use sha256::Sha256;
pub use timestamp::Timestamp;

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize};
use tool_proto::ToolError;

use crate::envelope::{EnvelopeError, Wrong, fields, is_zero};
use crate::json::{Json, parse, write_compact};

/// What became of an invocation (INVOKE-RESULT).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Written", into = "Written")]
pub struct ToolInvokeResult {
    /// When.
    pub timestamp_utc: Timestamp,
    /// Which tool: `filesystem`.
    pub tool: String,
    /// Which of its actions: `read_file`.
    pub action: String,
    /// What the gate said.
    pub policy: Policy,
    /// What the tool wrote.
    pub output: Output,
    /// What it changed or read.
    pub effects: Effects,
    /// What went wrong.
    pub error: Option<Failure>,
}

/// What the gate said.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Policy {
    /// Whether it may happen.
    pub allowed: bool,
    /// The rule that decided.
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// Why, for programs.
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
}

/// What a tool did to files.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Effects {
    /// Each file.
    pub files: Vec<FileEffect>,
}

/// A file as it is after the act.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileEffect {
    /// Which.
    pub path: String,
    /// How long it is.
    pub size_bytes: u64,
    /// Of all of it.
    pub sha256: Sha256,
}

/// What went wrong.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Failure {
    /// For programs.
    #[serde(rename = "type")]
    pub kind: FailureKind,
    /// For people.
    pub message: String,
    /// Whether the same invocation may succeed later (CTR-0029); left out when not.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub retryable: bool,
    /// After how many milliseconds at the earliest (CTR-0030); left out when that is not known.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub retry_after_ms: u64,
}

/// What programs tell failures apart by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum FailureKind {
    /// The gate forbids it; also what is not known, and what leads out of the root.
    PolicyDenied,
    /// There is nothing to judge by: no root, or no policy.
    GovernanceUnavailable,
    /// A file is no UTF-8.
    EncodingError,
    /// A file is not there.
    NotFound,
    /// A tool took too long.
    Timeout,
    /// The arguments are not what the action takes.
    InvalidArguments,
    /// The system failed.
    IoError,
}

impl Failure {
    /// What no waiting helps.
    #[must_use]
    pub fn new(kind: FailureKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), retryable: false, retry_after_ms: 0 }
    }

    /// The same, which may be asked for again when an error of the protocol may.
    #[must_use]
    pub fn with_retry_of(self, error: &ToolError) -> Self {
        Self { retryable: error.retryable, retry_after_ms: error.retry_after_ms, ..self }
    }
}

impl ToolInvokeResult {
    /// Whether it was allowed and nothing went wrong.
    #[must_use]
    pub fn ok(&self) -> bool {
        self.policy.allowed && self.error.is_none()
    }

    /// Reads a result to its end.
    ///
    /// # Errors
    /// When the text is anything but one result.
    pub fn new(text: &[u8]) -> Result<Self, EnvelopeError> {
        typed(text)
    }
}

/// As compact text.
impl fmt::Display for ToolInvokeResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_compact(self, f)
    }
}

/// A result as it is written, before it is known to be one.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    timestamp_utc: Timestamp,
    ok: bool,
    tool: String,
    action: String,
    policy: Policy,
    output: Output,
    #[serde(default, skip_serializing_if = "has_none")]
    effects: Effects,
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    error: Option<Failure>,
}

impl TryFrom<Written> for ToolInvokeResult {
    type Error = &'static str;

    fn try_from(written: Written) -> Result<Self, Self::Error> {
        let Written { timestamp_utc, ok, tool, action, policy, output, effects, error } = written;
        let result = Self { timestamp_utc, tool, action, policy, output, effects, error };
        if result.ok() == ok {
            Ok(result)
        } else {
            Err("a result whose `ok` is not what `policy.allowed` and `error` say")
        }
    }
}

impl From<ToolInvokeResult> for Written {
    fn from(result: ToolInvokeResult) -> Self {
        let ok = result.ok();
        let ToolInvokeResult { timestamp_utc, tool, action, policy, output, effects, error } = result;
        Self { timestamp_utc, ok, tool, action, policy, output, effects, error }
    }
}

fn has_none(effects: &Effects) -> bool {
    effects.files.is_empty()
}

/// What may be left out, and is not null when it is there.
fn given<'de, T: Deserialize<'de>, D: Deserializer<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

/// A text that is one object of a type.
fn typed<T: serde::de::DeserializeOwned>(text: &[u8]) -> Result<T, EnvelopeError> {
    match parse(text)? {
        Json::Object(object) => fields(text, object),
        other => Err(EnvelopeError { wrong: Wrong::NoObject { found: other.kind() }, line: 1, column: 1 }),
    }
}

#[cfg(test)]
mod tests;
