//! bytes and JSON <-> messages
//!
//! The messages of `proto/tool.proto`, owned: encoded and decoded by prost, checked by the same code that judges
//! requests; and the same messages as JSON, in the envelopes of the tool runtime. It knows no policy and no table,
//! decides nothing and does nothing.
#![warn(missing_docs)]

mod borrow;
mod call;
mod denied;
pub mod envelope;
mod folder;
mod hex;
pub mod invoke;
mod json;
pub mod proto;
mod shown;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
mod validate;

pub use borrow::Borrowed;
pub use call::{BadValue, CallError, CallWrong, call_of, envelope_of, message_of, tool_of};
pub use denied::{MESSAGE_BYTES_MAX, QUOTED_BYTES_MAX};
pub use folder::{folder_glob, folder_of};
pub use json::{Json, Mistake, Object, TEXT_BYTES_MAX, TextError};
pub use proto::{ToolDenied, ToolError, ToolRequest, ToolResponse, ToolSuccess, ValidationError};
pub use shown::{SHOWN_CHARACTERS_MAX, Shown};
pub use validate::{ValidationResult, Validator, violation_of};

#[cfg(test)]
mod tests;
