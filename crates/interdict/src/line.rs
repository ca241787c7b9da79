//! A line of JSON -> the request it asks for, and the response to it -> a reply of the same shape.
//!
//! Two shapes are known: the envelopes of the tool runtime, told by their `type`, and invocations by tool and action. What
//! says that it is a request is answered as one, whatever is wrong with it (CTR-0022). Nothing is decided here.

use std::io::{self, BufWriter, Write};
use std::time::Instant;

use enforce_exec::RefusalClass;
use tool_json::{
    Envelope, ErrorCode, ErrorMessage, Failure, FailureKind, Heartbeat, Json, Object, ToolInvoke, ToolInvokeResult,
    message_of, violation_of,
};
use tool_proto::{ToolRequest, ToolResponse, tool_response};

use crate::{clock, enveloped, invoked};

/// What a line comes to before anything is judged.
#[derive(Debug)]
pub(crate) enum Line {
    /// It asks for something.
    Ask(Box<Ask>),
    /// It asks for nothing, or for nothing that can be read.
    Answered(Answered),
}

/// A line that needs no judge.
#[derive(Debug)]
pub(crate) struct Answered {
    pub(crate) line: String,
    /// Why it could not be read; nothing when there was nothing to ask.
    pub(crate) mistake: Option<String>,
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
        let object = match Json::new(text) {
            Ok(Json::Object(object)) => object,
            Ok(other) => return Self::mistaken(String::new(), format!("expected an object, found {}", other.kind())),
            Err(error) => return Self::mistaken(String::new(), error.to_string()),
        };
        let is_invocation = object.find("tool").is_some() || object.find("action").is_some();
        if object.find("type").is_none() && is_invocation {
            return Self::invocation(text, &object, (token, number), started);
        }
        match Envelope::new(text) {
            Ok(Envelope::ToolRequest(request)) => {
                let tool = request.tool.clone();
                match message_of(request) {
                    Ok(message) => Self::ask(message, token, Shape::Envelope { tool }, started),
                    Err(error) => Self::refused(&object, error.to_string(), started),
                }
            }
            Ok(Envelope::Heartbeat(Heartbeat { session_id, .. })) => {
                let beat = Heartbeat { session_id, timestamp: clock::now().seconds() };
                Self::Answered(Answered { line: Envelope::Heartbeat(beat).to_string(), mistake: None })
            }
            Ok(Envelope::ToolResponse(_) | Envelope::EventMessage(_) | Envelope::ErrorMessage(_)) => {
                let message = "only requests and heartbeats are read here".to_owned();
                Self::mistaken(said(&object, "request_id"), message)
            }
            Err(error) if said(&object, "type") == "ToolRequest" => Self::refused(&object, error.to_string(), started),
            Err(error) => Self::mistaken(said(&object, "request_id"), error.to_string()),
        }
    }

    /// A line of more bytes than are read.
    pub(crate) fn too_long() -> Self {
        Self::mistaken(String::new(), "the line is too long".to_owned())
    }

    /// The answer to a line that could not be put on record.
    pub(crate) fn unrecorded(why: &str) -> Reply {
        let error = ErrorMessage { code: ErrorCode::Internal, message: why.to_owned(), request_id: String::new() };
        Reply::Envelope(Envelope::ErrorMessage(error))
    }

    fn invocation(text: &[u8], object: &Object, (token, number): (&str, u64), started: Instant) -> Self {
        let invoke = match ToolInvoke::new(text) {
            Ok(invoke) => invoke,
            Err(error) => {
                let failure = Failure::new(FailureKind::InvalidArguments, error.to_string());
                return Self::unread(said(object, "tool"), said(object, "action"), failure);
            }
        };
        let (tool, action) = (invoke.tool.clone(), invoke.action.clone());
        match invoke.message(format!("{INVOCATION}{number}"), token.to_owned()) {
            Ok(message) => Self::ask(message, token, Shape::Invocation { tool, action }, started),
            Err(error) => Self::unread(tool, action, error.failure()),
        }
    }

    /// An invocation that no request could be made of.
    fn unread(tool: String, action: String, failure: Failure) -> Self {
        let mistake = Some(failure.message.clone());
        let line = invoked::unread(tool, action, failure).to_string();
        Self::Answered(Answered { line, mistake })
    }

    /// A request in an envelope that no message could be made of.
    fn refused(object: &Object, message: String, started: Instant) -> Self {
        let (tool, request_id) = (said(object, "tool"), said(object, "request_id"));
        let mistake = Some(message.clone());
        let response = enveloped::unread(tool, request_id, message, started.elapsed());
        Self::Answered(Answered { line: Envelope::ToolResponse(response).to_string(), mistake })
    }

    fn ask(message: ToolRequest, token: &str, shape: Shape, started: Instant) -> Self {
        let message = ToolRequest { session_token: token.to_owned(), ..message };
        Self::Ask(Box::new(Ask { message, shape, started }))
    }

    fn mistaken(request_id: String, message: String) -> Self {
        let mistake = Some(message.clone());
        let error = ErrorMessage { code: ErrorCode::ValidationFail, message, request_id };
        Self::Answered(Answered { line: Envelope::ErrorMessage(error).to_string(), mistake })
    }
}

impl Ask {
    /// The response in the shape of the request. `result` is what the response holds or names.
    pub(crate) fn answer(self, response: ToolResponse, class: Option<RefusalClass>, result: Vec<u8>) -> Reply {
        // The executor does not know the name of what it cannot read.
        let request_id = self.message.request_id.clone();
        let mut response = ToolResponse { request_id, ..response };
        if let Some(tool_response::Result::Denied(denied)) = &mut response.result
            && class == Some(RefusalClass::Invalid)
            && let Some(message) = violation_of(&self.message, &self.shape.tool())
        {
            // The protocol has its own names for what the caller has said.
            denied.message = message;
        }
        let (call, elapsed) = (self.message.tool.as_ref(), self.started.elapsed());
        match self.shape {
            Shape::Envelope { tool } => Reply::Envelope(Envelope::ToolResponse(enveloped::response(
                tool,
                call,
                (response, class),
                result,
                elapsed,
            ))),
            Shape::Invocation { tool, action } => {
                Reply::Result(Box::new(invoked::result(tool, action, call, (response, class), result)))
            }
        }
    }
}

impl Shape {
    /// What was called, as the caller names it.
    fn tool(&self) -> String {
        match self {
            Self::Envelope { tool } => tool.clone(),
            Self::Invocation { tool, action } => format!("{tool}.{action}"),
        }
    }
}

/// A text that an object has, if it has it.
fn said(object: &Object, name: &str) -> String {
    match object.find(name) {
        Some(Json::Text(text)) => text.clone(),
        _ => String::new(),
    }
}

/// An answer that is not written yet. A file of bytes that have to be escaped is six times as long in writing, which is
/// never held as a whole.
#[derive(Debug)]
pub(crate) enum Reply {
    Written(String),
    Envelope(Envelope),
    Result(Box<ToolInvokeResult>),
}

impl Reply {
    /// Writes the answer and its line break.
    pub(crate) fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let mut out = BufWriter::new(out);
        match self {
            Self::Written(line) => out.write_all(line.as_bytes())?,
            Self::Envelope(envelope) => serde_json::to_writer(&mut out, envelope)?,
            Self::Result(result) => serde_json::to_writer(&mut out, result)?,
        }
        out.write_all(b"\n")?;
        out.flush()
    }
}

/// Before the number of a line, the name of an invocation, which has none of its own.
const INVOCATION: &str = "invocation-";

#[cfg(test)]
mod tests;
