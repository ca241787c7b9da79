//! bytes and JSON <-> messages
//!
//! The messages of `proto/tool.proto`, owned: encoded and decoded by prost, checked by the same code that judges
//! requests; and the same messages as JSON, in the envelopes of the tool runtime. It knows no policy and no table,
//! decides nothing and does nothing.

mod borrow;
pub mod envelope;
mod json;
pub mod proto;
mod shown;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
mod validate;

pub use borrow::Borrowed;
pub use json::{Json, Mistake, Object, TextError};
pub use proto::{ToolDenied, ToolError, ToolRequest, ToolResponse, ToolSuccess, ValidationError};
pub use validate::{ValidationResult, Validator};

#[cfg(test)]
mod tests;
