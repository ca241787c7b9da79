//! bytes and JSON <-> messages
//!
//! The messages of `proto/tool.proto`, owned: encoded and decoded by prost, checked by the same code that judges
//! requests. It knows no policy and no table, decides nothing and does nothing.

mod borrow;
pub mod proto;
mod validate;

pub use borrow::Borrowed;
pub use proto::{ToolDenied, ToolError, ToolRequest, ToolResponse, ToolSuccess, ValidationError};
pub use validate::{ValidationResult, Validator};
