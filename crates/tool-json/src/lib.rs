//! JSON <-> messages
//!
//! The messages of the protocol as JSON: the envelopes of the tool runtime, the invocations and results of
//! `tool_invoke`, and calls of tools by name. This crate knows no policy and no table; it decides nothing and does
//! nothing.

mod call;
mod envelope;
mod fields;
mod invoke;
mod json;
mod violation;
mod with;

pub use call::{CallError, call_of, envelope_of, message_of, tool_of};
pub use envelope::{
    Envelope, ErrorCode, ErrorMessage, EventMessage, Heartbeat, Percent, Progress, ReadError, RequestEnvelope,
    ResponseEnvelope, ResponseError,
};
pub use fields::{FieldError, Problem};
pub use invoke::{
    Effects, Ended, Failure, FailureKind, FileEffect, InvokeError, OUTPUT_BYTES_MAX, Output, Policy, Timestamp,
    ToolInvoke, ToolInvokeResult,
};
pub use json::{JsonError, Object, TEXT_BYTES_MAX, parse, parse_object};
pub use violation::violation_of;
