//! Model -> Cedar
//!
//! A policy as Cedar policies and a schema, exact in everything; and Cedar's own answer to a request, an
//! oracle for every other judge. The only crate that knows Cedar; it reads no policy text and no file.

mod compile;
mod condition;
mod error;
mod glob;
mod judge;
mod policies;
mod request;
mod schema;
#[cfg(test)]
mod testing;
mod tree;
mod vocabulary;

pub use compile::{CedarPolicy, compile};
pub use error::{CedarError, JudgeError};
pub use judge::{CedarAnswer, CedarJudge};
pub use request::{Approval, CedarRequest, RequestBuilder};
