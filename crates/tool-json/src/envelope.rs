//! Text <-> the envelopes of the tool runtime (SDK-ENVELOPES), told apart by their `type`.
//!
//! The text becomes a JSON value first, in which nothing is there twice, and then the struct that its `type` names: serde's
//! own tagged types accept lists for objects.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tool_proto::{ToolDenied, ToolError};

use crate::fields::{FieldError, Problem, from_field, from_object};
use crate::json::{JsonError, Object, parse_object};

/// Why a text is not an envelope or not an invocation.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    /// The text is not one JSON object.
    #[error(transparent)]
    Json(#[from] JsonError),
    /// A field is missing, unknown or has a wrong value.
    #[error(transparent)]
    Field(#[from] FieldError),
}

/// A message of the tool runtime.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "type")]
pub enum Envelope {
    ToolRequest(RequestEnvelope),
    ToolResponse(ResponseEnvelope),
    EventMessage(EventMessage),
    ErrorMessage(ErrorMessage),
    Heartbeat(Heartbeat),
}

/// A call of a tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RequestEnvelope {
    pub tool: String,
    pub args: Object,
    /// The id that the response carries too.
    pub request_id: String,
    pub session_id: String,
    /// Unix time in seconds, from the client's clock.
    pub timestamp: u64,
}

/// The result of a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ResponseEnvelope {
    pub ok: bool,
    pub tool: String,
    pub request_id: String,
    pub duration_ms: u64,
    /// The result of the tool; null when it has none.
    pub data: Value,
    /// Empty on success.
    pub errors: Vec<ResponseError>,
}

/// An error of a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ResponseError {
    pub code: ErrorCode,
    pub message: String,
    /// True when the same request may succeed later (CTR-0029); omitted when false.
    #[serde(default, skip_serializing_if = "is_default")]
    pub retryable: bool,
    /// The earliest time for a retry (CTR-0030); omitted when unknown.
    #[serde(default, skip_serializing_if = "is_default")]
    pub retry_after_ms: u64,
    /// The rule that denied the request; omitted when none did.
    #[serde(default, skip_serializing_if = "is_default")]
    pub rule_id: String,
    /// The reason of a denial, for programs (CTR-0027); omitted when there was none.
    #[serde(default, skip_serializing_if = "is_default")]
    pub rationale_code: String,
}

/// The progress of a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EventMessage {
    pub event: String,
    pub request_id: String,
    pub progress: Progress,
}

/// A part of the work of a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Progress {
    pub pct: Percent,
    pub message: String,
}

/// A number from 0 to 100.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "u64", into = "u64")]
pub struct Percent(u8);

/// An error that answers no call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ErrorMessage {
    pub code: ErrorCode,
    pub message: String,
    pub request_id: String,
}

/// A sign that a session is alive.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Heartbeat {
    pub session_id: String,
    /// Unix time in seconds.
    pub timestamp: u64,
}

/// The kind of an error (SDK-ERRORS).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum ErrorCode {
    #[serde(rename = "E_FILE_IO")]
    FileIo,
    #[serde(rename = "E_AST_PARSE")]
    AstParse,
    #[serde(rename = "E_AST_EDIT")]
    AstEdit,
    #[serde(rename = "E_VALIDATION_FAIL")]
    ValidationFail,
    #[serde(rename = "E_GIT")]
    Git,
    #[serde(rename = "E_HTTP")]
    Http,
    #[serde(rename = "E_SHELL")]
    Shell,
    #[serde(rename = "E_POLICY")]
    Policy,
    #[serde(rename = "E_TIMEOUT")]
    Timeout,
    #[serde(rename = "E_INTERNAL")]
    Internal,
}

impl ResponseError {
    #[must_use]
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            retryable: false,
            retry_after_ms: 0,
            rule_id: String::new(),
            rationale_code: String::new(),
        }
    }

    /// A denial, with its rule and its reason.
    #[must_use]
    pub fn denied(code: ErrorCode, denied: ToolDenied) -> Self {
        let ToolDenied { rule_id, rationale_code, message } = denied;
        Self { rule_id, rationale_code, ..Self::new(code, message) }
    }

    /// Copies the hint about retries from an error of the protocol.
    #[must_use]
    pub fn with_retry_of(self, error: &ToolError) -> Self {
        Self { retryable: error.retryable, retry_after_ms: error.retry_after_ms, ..self }
    }
}

impl Envelope {
    /// Reads an envelope, to the end of the text.
    ///
    /// # Errors
    /// Fails with the first mistake when the text is anything but one envelope.
    pub fn new(text: &[u8]) -> Result<Self, ReadError> {
        Ok(Self::from_object(parse_object(text)?)?)
    }

    /// Reads an envelope from its fields.
    ///
    /// # Errors
    /// Fails with the first field that is missing, unknown or wrong.
    pub fn from_object(mut object: Object) -> Result<Self, FieldError> {
        let Some(kind) = object.shift_remove(TYPE) else {
            return Err(FieldError::new(TYPE, Problem::Missing));
        };
        Ok(match from_field(TYPE, kind)? {
            Kind::ToolRequest => Self::ToolRequest(from_object(object)?),
            Kind::ToolResponse => Self::ToolResponse(from_object(object)?),
            Kind::EventMessage => Self::EventMessage(from_object(object)?),
            Kind::ErrorMessage => Self::ErrorMessage(from_object(object)?),
            Kind::Heartbeat => Self::Heartbeat(from_object(object)?),
        })
    }
}

#[derive(Deserialize)]
enum Kind {
    ToolRequest,
    ToolResponse,
    EventMessage,
    ErrorMessage,
    Heartbeat,
}

/// Compact JSON.
impl fmt::Display for Envelope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_compact(self, f)
    }
}

impl Percent {
    /// Returns `None` for more than 100.
    #[must_use]
    pub fn new(percent: u8) -> Option<Self> {
        (percent <= PERCENT_MAX).then_some(Self(percent))
    }

    #[must_use]
    pub fn get(self) -> u8 {
        self.0
    }
}

impl TryFrom<u64> for Percent {
    type Error = &'static str;

    fn try_from(percent: u64) -> Result<Self, Self::Error> {
        u8::try_from(percent).ok().and_then(Self::new).ok_or("must be at most 100")
    }
}

impl From<Percent> for u64 {
    fn from(percent: Percent) -> Self {
        Self::from(percent.0)
    }
}

/// Writes a value with nothing in it but text for names, which cannot fail.
pub(crate) fn write_compact(value: &impl Serialize, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    f.write_str(&serde_json::to_string(value).map_err(|_| fmt::Error)?)
}

/// True for a value that is left out.
pub(crate) fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

const TYPE: &str = "type";

const PERCENT_MAX: u8 = 100;

#[cfg(test)]
mod tests;
