//! Text <-> the envelopes of the tool runtime (SDK-ENVELOPES), told apart by their `type`.
//!
//! Every field is there once, and no other. `serde` reads tagged types by way of a buffer that takes lists for objects
//! and loses what is there twice, so a text is read in two steps: into values that cannot have anything twice, and from
//! there into the one type that it names.

mod error;

pub use error::{EnvelopeError, Wrong};

use std::fmt;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use tool_proto::{ToolDenied, ToolError};

use crate::json::{FaultKind, Json, Object, locate, parse, read, write_compact};

/// A message of the tool runtime.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "type")]
pub enum Envelope {
    /// A client asks for a call of a tool.
    ToolRequest(RequestEnvelope),
    /// What became of it.
    ToolResponse(ResponseEnvelope),
    /// What is happening meanwhile.
    EventMessage(EventMessage),
    /// What went wrong.
    ErrorMessage(ErrorMessage),
    /// The session is still there.
    Heartbeat(Heartbeat),
}

/// A client asks for a call of a tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RequestEnvelope {
    /// Which: `file_read`.
    pub tool: String,
    /// What is said to it.
    pub args: Object,
    /// Names the request; the response carries it.
    pub request_id: String,
    /// Names the session.
    pub session_id: String,
    /// In seconds since the beginning of 1970, as the client says.
    pub timestamp: u64,
}

/// What became of a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ResponseEnvelope {
    /// Whether the tool did what it was asked for.
    pub ok: bool,
    /// Which.
    pub tool: String,
    /// The request's own.
    pub request_id: String,
    /// How long it took.
    pub duration_ms: u64,
    /// What the tool gave; null without anything.
    pub data: Json,
    /// What went wrong.
    pub errors: Vec<ResponseError>,
}

/// One thing that went wrong.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ResponseError {
    /// For programs.
    pub code: ErrorCode,
    /// For people.
    pub message: String,
    /// Whether the same request may succeed later (CTR-0029); left out when not.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub retryable: bool,
    /// After how many milliseconds at the earliest (CTR-0030); left out when that is not known.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub retry_after_ms: u64,
    /// The rule by which it was denied; left out when it was not.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub rule_id: String,
    /// Why by that rule, for programs (CTR-0027); left out when it was not denied.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub rationale_code: String,
}

/// What is happening while a tool works.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EventMessage {
    /// What: `TaskProgress`.
    pub event: String,
    /// The request's own.
    pub request_id: String,
    /// How far it is.
    pub progress: Progress,
}

/// How far something is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Progress {
    /// Of everything.
    pub pct: Percent,
    /// For people.
    pub message: String,
}

/// From 0 to 100.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "u64", into = "u64")]
pub struct Percent(u8);

/// What went wrong.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ErrorMessage {
    /// For programs.
    pub code: ErrorCode,
    /// For people.
    pub message: String,
    /// The request's own.
    pub request_id: String,
}

/// The session is still there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Heartbeat {
    /// Names the session.
    pub session_id: String,
    /// In seconds since the beginning of 1970.
    pub timestamp: u64,
}

/// What programs tell errors apart by (SDK-ERRORS).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum ErrorCode {
    /// A file could not be read or written.
    #[serde(rename = "E_FILE_IO")]
    FileIo,
    /// Source text does not parse.
    #[serde(rename = "E_AST_PARSE")]
    AstParse,
    /// An edit of a syntax tree failed.
    #[serde(rename = "E_AST_EDIT")]
    AstEdit,
    /// A request or a result breaks a rule.
    #[serde(rename = "E_VALIDATION_FAIL")]
    ValidationFail,
    /// Git failed.
    #[serde(rename = "E_GIT")]
    Git,
    /// A request over HTTP failed.
    #[serde(rename = "E_HTTP")]
    Http,
    /// A command failed.
    #[serde(rename = "E_SHELL")]
    Shell,
    /// A policy forbids it.
    #[serde(rename = "E_POLICY")]
    Policy,
    /// It took too long.
    #[serde(rename = "E_TIMEOUT")]
    Timeout,
    /// The host itself failed.
    #[serde(rename = "E_INTERNAL")]
    Internal,
}

impl ResponseError {
    /// What no waiting helps.
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

    /// A denial: its sentence is the message as it stands, and what it is called is beside it.
    #[must_use]
    pub fn denied(code: ErrorCode, denied: ToolDenied) -> Self {
        let ToolDenied { rule_id, rationale_code, message } = denied;
        Self { rule_id, rationale_code, ..Self::new(code, message) }
    }

    /// The same, which may be asked for again when an error of the protocol may.
    #[must_use]
    pub fn with_retry_of(self, error: &ToolError) -> Self {
        Self { retryable: error.retryable, retry_after_ms: error.retry_after_ms, ..self }
    }
}

impl Envelope {
    /// Reads an envelope to its end.
    ///
    /// # Errors
    /// When the text is anything but one envelope: with the first mistake, and where it is.
    pub fn new(text: &[u8]) -> Result<Self, EnvelopeError> {
        let mut object = match parse(text)? {
            Json::Object(object) => object,
            other => {
                return Err(EnvelopeError { wrong: Wrong::NoObject { found: other.kind() }, line: 1, column: 1 });
            }
        };
        let refuse = |path: &str, wrong| {
            let (line, column) = locate(text, path);
            Err(EnvelopeError { wrong, line, column })
        };
        let kind = match object.take("type") {
            Some(Json::Text(kind)) => kind,
            Some(other) => {
                return refuse("type", Wrong::of("type", FaultKind::Type { expected: "text", found: other.kind() }));
            }
            None => return refuse("type", Wrong::of("type", FaultKind::Missing)),
        };
        match kind.as_str() {
            "ToolRequest" => fields(text, object).map(Self::ToolRequest),
            "ToolResponse" => fields(text, object).map(Self::ToolResponse),
            "EventMessage" => fields(text, object).map(Self::EventMessage),
            "ErrorMessage" => fields(text, object).map(Self::ErrorMessage),
            "Heartbeat" => fields(text, object).map(Self::Heartbeat),
            _ => refuse("type", Wrong::of("type", FaultKind::Word { found: kind })),
        }
    }
}

/// As compact text.
impl fmt::Display for Envelope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_compact(self, f)
    }
}

impl Percent {
    /// So many hundredths; nothing for more than 100.
    #[must_use]
    pub fn new(percent: u8) -> Option<Self> {
        (percent <= PERCENT_MAX).then_some(Self(percent))
    }

    /// As a number.
    #[must_use]
    pub fn get(self) -> u8 {
        self.0
    }
}

impl TryFrom<u64> for Percent {
    type Error = &'static str;

    fn try_from(percent: u64) -> Result<Self, Self::Error> {
        u8::try_from(percent).ok().and_then(Self::new).ok_or("more than 100")
    }
}

impl From<Percent> for u64 {
    fn from(percent: Percent) -> Self {
        Self::from(percent.0)
    }
}

/// An object of a known type. The text is only looked at again to say where a mistake is.
pub(crate) fn fields<T: DeserializeOwned>(text: &[u8], object: Object) -> Result<T, EnvelopeError> {
    read(object).map_err(|fault| {
        let (line, column) = locate(text, &fault.path);
        EnvelopeError { wrong: Wrong::of(&fault.path, fault.kind), line, column }
    })
}

/// What says nothing, and is left out.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes fields by reference")]
pub(crate) fn is_zero(number: &u64) -> bool {
    *number == 0
}

const PERCENT_MAX: u8 = 100;

#[cfg(test)]
mod tests;
