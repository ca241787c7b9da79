//! A line of JSON -> the request it asks for, and the response to it -> a reply of the same shape.
//!
//! There are two shapes: the envelopes of the tool runtime, which have a `type`, and invocations by tool and action. A line
//! that says it is a request gets a response, whatever is wrong with it (CTR-0022). Nothing is decided here.

use std::io::{self, BufWriter, Write};
use std::time::{Instant, SystemTime};

use enforce_exec::RefusalClass;
use serde_json::Value;
use tool_json::{
    Envelope, ErrorCode, ErrorMessage, Failure, FailureKind, Heartbeat, Object, Timestamp, ToolInvoke,
    ToolInvokeResult, message_of, parse_object, violation_of,
};
use tool_proto::{ToolRequest, ToolResponse, tool_response};

use crate::response::{envelope_response, invalid_invocation, invalid_request, invoke_response};

/// A line that was read, before anything is judged.
#[derive(Debug)]
pub(crate) enum Line {
    Ask(Box<Ask>),
    /// The reply to a line that asks for nothing, or for nothing that can be read.
    Answered {
        reply: String,
        is_invalid: bool,
    },
}

/// A request, and how it was written.
#[derive(Debug)]
pub(crate) struct Ask {
    pub(crate) message: ToolRequest,
    shape: Shape,
    started: Instant,
}

#[derive(Debug)]
enum Shape {
    Envelope { tool: String },
    Invocation { tool: String, action: String },
}

impl Line {
    /// Reads a line. The session is the program's own, whatever the line names.
    pub(crate) fn read(text: &[u8], token: &str, number: u64) -> Self {
        let started = Instant::now();
        let object = match parse_object(text) {
            Ok(object) => object,
            Err(error) => return Self::invalid_line(String::new(), error.to_string()),
        };
        let (tool, request_id) = (text_of(&object, "tool"), text_of(&object, "request_id"));
        if !object.contains_key("type") && (object.contains_key("tool") || object.contains_key("action")) {
            return Self::invocation(object, (token, number), started);
        }
        let is_request = text_of(&object, "type") == "ToolRequest";
        let request = match Envelope::from_object(object) {
            Ok(Envelope::ToolRequest(request)) => message_of(request).map_err(|error| error.to_string()),
            Ok(Envelope::Heartbeat(Heartbeat { session_id, .. })) => {
                let beat = Heartbeat { session_id, timestamp: Timestamp::at(SystemTime::now()).seconds() };
                return Self::Answered { reply: Envelope::Heartbeat(beat).to_string(), is_invalid: false };
            }
            Ok(Envelope::ToolResponse(_) | Envelope::EventMessage(_) | Envelope::ErrorMessage(_)) => {
                return Self::invalid_line(request_id, "only `ToolRequest` and `Heartbeat` are accepted".to_owned());
            }
            Err(error) if is_request => Err(error.to_string()),
            Err(error) => return Self::invalid_line(request_id, error.to_string()),
        };
        match request {
            Ok(message) => Self::ask(message, token, Shape::Envelope { tool }, started),
            Err(message) => {
                let response = invalid_request(tool, request_id, message, started.elapsed());
                Self::Answered { reply: Envelope::ToolResponse(response).to_string(), is_invalid: true }
            }
        }
    }

    /// The reply to a line that has too many bytes.
    pub(crate) fn too_long() -> Self {
        Self::invalid_line(String::new(), "the line is too long".to_owned())
    }

    fn invocation(object: Object, (token, number): (&str, u64), started: Instant) -> Self {
        let (tool, action) = (text_of(&object, "tool"), text_of(&object, "action"));
        let message = match ToolInvoke::from_object(object) {
            Ok(invoke) => {
                invoke.message(format!("{INVOCATION}{number}"), token.to_owned()).map_err(|error| error.failure())
            }
            Err(error) => Err(Failure::new(FailureKind::InvalidArguments, error.to_string())),
        };
        match message {
            Ok(message) => Self::ask(message, token, Shape::Invocation { tool, action }, started),
            Err(failure) => {
                Self::Answered { reply: invalid_invocation(tool, action, failure).to_string(), is_invalid: true }
            }
        }
    }

    fn ask(message: ToolRequest, token: &str, shape: Shape, started: Instant) -> Self {
        let message = ToolRequest { session_token: token.to_owned(), ..message };
        Self::Ask(Box::new(Ask { message, shape, started }))
    }

    fn invalid_line(request_id: String, message: String) -> Self {
        let error = ErrorMessage { code: ErrorCode::ValidationFail, message, request_id };
        Self::Answered { reply: Envelope::ErrorMessage(error).to_string(), is_invalid: true }
    }
}

impl Ask {
    /// Returns the reply in the shape of the request. `result` holds the bytes that a success has or names.
    pub(crate) fn reply(self, response: ToolResponse, class: Option<RefusalClass>, result: Vec<u8>) -> Reply {
        // The executor does not know the id of a request that it cannot read.
        let request_id = self.message.request_id.clone();
        let mut response = ToolResponse { request_id, ..response };
        if let Some(tool_response::Result::Denied(denied)) = &mut response.result
            && class == Some(RefusalClass::Invalid)
            && let Some(message) = violation_of(&self.message, &self.shape.tool())
        {
            // The protocol has other names for the caller's arguments.
            denied.message = message;
        }
        let (call, elapsed) = (self.message.tool.as_ref(), self.started.elapsed());
        match self.shape {
            Shape::Envelope { tool } => {
                Reply::Envelope(Envelope::ToolResponse(envelope_response(tool, call, response, class, result, elapsed)))
            }
            Shape::Invocation { tool, action } => {
                Reply::Result(Box::new(invoke_response(tool, action, call, response, class, result)))
            }
        }
    }
}

impl Shape {
    /// The name that the caller used.
    fn tool(&self) -> String {
        match self {
            Self::Envelope { tool } => tool.clone(),
            Self::Invocation { tool, action } => format!("{tool}.{action}"),
        }
    }
}

/// Returns a field that is a string, or an empty string.
fn text_of(object: &Object, name: &str) -> String {
    object.get(name).and_then(Value::as_str).unwrap_or_default().to_owned()
}

/// A reply that is not written yet. Escaping makes the bytes of a file up to six times as long, so the text is never held
/// as a whole.
#[derive(Debug)]
pub(crate) enum Reply {
    Text(String),
    Envelope(Envelope),
    Result(Box<ToolInvokeResult>),
}

impl Reply {
    /// The reply to a line that could not be recorded.
    pub(crate) fn not_recorded(why: &str) -> Self {
        let error = ErrorMessage { code: ErrorCode::Internal, message: why.to_owned(), request_id: String::new() };
        Self::Envelope(Envelope::ErrorMessage(error))
    }

    /// Writes the reply and a line break.
    pub(crate) fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let mut out = BufWriter::new(out);
        match self {
            Self::Text(line) => out.write_all(line.as_bytes())?,
            Self::Envelope(envelope) => serde_json::to_writer(&mut out, envelope)?,
            Self::Result(result) => serde_json::to_writer(&mut out, result)?,
        }
        out.write_all(b"\n")?;
        out.flush()
    }
}

/// Request ids of invocations, which have none of their own: this and the number of the line.
const INVOCATION: &str = "invocation-";

#[cfg(test)]
mod tests;
