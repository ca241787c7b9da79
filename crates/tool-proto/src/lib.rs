//! bytes <-> messages
//!
//! The messages of `proto/tool.proto`, owned: encoded and decoded by prost, validated by the same code that judges
//! requests. This crate knows no JSON, no policy and no table; it decides nothing and does nothing.
#![warn(missing_docs)]

mod borrow;
mod denied;
mod escaped;
mod folder;
#[path = "../proto/tool.rs"]
#[rustfmt::skip]
mod proto;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
mod validate;

pub use borrow::Borrowed;
pub use denied::{MESSAGE_BYTES_MAX, QUOTED_BYTES_MAX};
pub use escaped::{ESCAPED_CHARACTERS_MAX, Escaped};
pub use folder::{folder_glob, folder_of};
// `tool.proto` is the list of messages.
pub use proto::*;
pub use validate::{ValidationResult, Validator, first_of};

#[cfg(test)]
mod tests;
