//! JSON <-> messages
//!
//! The messages of the protocol as JSON: the envelopes of the tool runtime, the invocations and results of
//! `tool_invoke`, and calls of tools by name. This crate knows no policy and no table; it decides nothing and does
//! nothing.

mod call;
mod denied;
mod envelope;
mod hex;
mod invoke;
mod json;
mod violation;

pub use call::{BadValue, CallError, CallWrong, call_of, envelope_of, message_of, tool_of};
pub use envelope::{
    Envelope, EnvelopeError, ErrorCode, ErrorMessage, EventMessage, Heartbeat, Percent, Progress, RequestEnvelope,
    ResponseEnvelope, ResponseError, Wrong,
};
pub use invoke::{
    Capped, Effects, Failure, FailureKind, FileEffect, InvokeError, OUTPUT_BYTES_MAX, Output, Policy, Run, Sha256,
    Timestamp, ToolInvoke, ToolInvokeResult, cap_output,
};
pub use json::{Json, Mistake, Object, TEXT_BYTES_MAX, TextError};
pub use violation::violation_of;
