//! Ast -> Model

pub mod codes;
mod check;
pub use check::{CheckOptions, Checked, check};
