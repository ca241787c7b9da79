//! Small worlds, judged whole: on every policy and every request in them all judges agree with each
//! other and with what the language reference says in words.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "what goes wrong in a test has to end it"
)]

mod patterns;
mod rules;
