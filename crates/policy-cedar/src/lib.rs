//! Model -> Cedar
//!
//! A policy as Cedar policies and a schema, with exactly the same meaning. The only crate that knows Cedar; it reads no policy
//! text and no file. With the feature `testing` it also asks Cedar itself, an oracle for every other judge.

#[cfg_attr(not(feature = "testing"), expect(dead_code, reason = "`request` and `judge` read the rest"))]
mod compile;
mod condition;
mod glob;
#[cfg(feature = "testing")]
mod judge;
#[cfg_attr(not(feature = "testing"), expect(dead_code, reason = "`request` and `judge` read the rest"))]
mod policies;
#[cfg(feature = "testing")]
mod request;
mod schema;
#[cfg(test)]
mod testing;
mod tree;
#[cfg_attr(not(feature = "testing"), expect(dead_code, reason = "`request` and `judge` read the rest"))]
mod vocabulary;

pub use compile::{CedarError, CedarPolicy, compile};
#[cfg(feature = "testing")]
pub use judge::{CedarAnswer, CedarJudge, JudgeError};
#[cfg(feature = "testing")]
pub use request::{Approval, CedarRequest, RequestBuilder};
