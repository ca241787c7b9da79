//! A line of JSON -> the request it asks for, and the response to it -> a reply of the same shape.
//!
//! Two shapes are known: the envelopes of the tool runtime, told by their `type`, and invocations by tool and action. Nothing
//! is decided here.

use std::io::{self, BufWriter, Write};

use tool_wire::envelope::{Envelope, ErrorCode, ErrorMessage, Heartbeat};
use tool_wire::invoke::{Failure, FailureKind, ToolInvoke, ToolInvokeResult};
use tool_wire::{Json, Object, ToolRequest, ToolResponse, message_of};

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
}

#[derive(Debug)]
enum Shape {
    Envelope { tool: String },
    Invocation { tool: String, action: String },
}

impl Line {
    /// Reads a line. The session is the program's own, whatever the line names.
    pub(crate) fn read(text: &[u8], token: &str, number: u64) -> Self {
        let object = match Json::new(text) {
            Ok(Json::Object(object)) => object,
            Ok(other) => return Self::mistaken(String::new(), format!("expected an object, found {}", other.kind())),
            Err(error) => return Self::mistaken(String::new(), error.to_string()),
        };
        if object.find("type").is_none() && object.find("action").is_some() {
            return Self::invocation(text, &object, token, number);
        }
        let request_id = match object.find("request_id") {
            Some(Json::Text(id)) => id.clone(),
            _ => String::new(),
        };
        match Envelope::new(text) {
            Ok(Envelope::ToolRequest(request)) => {
                let tool = request.tool.clone();
                match message_of(request) {
                    Ok(message) => Self::ask(message, token, Shape::Envelope { tool }),
                    Err(error) => Self::mistaken(request_id, error.to_string()),
                }
            }
            Ok(Envelope::Heartbeat(Heartbeat { session_id, .. })) => {
                let beat = Heartbeat { session_id, timestamp: clock::now().seconds() };
                Self::Answered(Answered { line: Envelope::Heartbeat(beat).to_string(), mistake: None })
            }
            Ok(Envelope::ToolResponse(_) | Envelope::EventMessage(_) | Envelope::ErrorMessage(_)) => {
                Self::mistaken(request_id, "only requests and heartbeats are read here".to_owned())
            }
            Err(error) => Self::mistaken(request_id, error.to_string()),
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

    fn invocation(text: &[u8], object: &Object, token: &str, number: u64) -> Self {
        let invoke = match ToolInvoke::new(text) {
            Ok(invoke) => invoke,
            Err(error) => {
                let said = |name| match object.find(name) {
                    Some(Json::Text(text)) => text.clone(),
                    _ => String::new(),
                };
                let failure = Failure { kind: FailureKind::InvalidArguments, message: error.to_string() };
                return Self::unread(said("tool"), said("action"), failure);
            }
        };
        let (tool, action) = (invoke.tool.clone(), invoke.action.clone());
        match invoke.message(format!("{INVOCATION}{number}"), token.to_owned()) {
            Ok(message) => Self::ask(message, token, Shape::Invocation { tool, action }),
            Err(error) => Self::unread(tool, action, error.failure()),
        }
    }

    /// An invocation that no request could be made of.
    fn unread(tool: String, action: String, failure: Failure) -> Self {
        let mistake = Some(failure.message.clone());
        let line = invoked::unread(tool, action, failure).to_string();
        Self::Answered(Answered { line, mistake })
    }

    fn ask(message: ToolRequest, token: &str, shape: Shape) -> Self {
        let message = ToolRequest { session_token: token.to_owned(), ..message };
        Self::Ask(Box::new(Ask { message, shape }))
    }

    fn mistaken(request_id: String, message: String) -> Self {
        let mistake = Some(message.clone());
        let error = ErrorMessage { code: ErrorCode::ValidationFail, message, request_id };
        Self::Answered(Answered { line: Envelope::ErrorMessage(error).to_string(), mistake })
    }
}

impl Ask {
    /// The response in the shape of the request. `result` is what the response holds or names.
    pub(crate) fn answer(self, response: ToolResponse, result: Vec<u8>) -> Reply {
        let call = self.message.tool.as_ref();
        // The executor does not know the name of what it cannot read.
        let request_id = self.message.request_id.clone();
        let response = ToolResponse { request_id, ..response };
        match self.shape {
            Shape::Envelope { tool } => {
                Reply::Envelope(Envelope::ToolResponse(enveloped::response(tool, call, response, result)))
            }
            Shape::Invocation { tool, action } => {
                Reply::Result(Box::new(invoked::result(tool, action, call, response, result)))
            }
        }
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
