//! a fuzzer's bytes -> whether the properties hold
//!
//! Each target is a test (`tests/targets.rs`): bytes come from bolero, which is a test runner under `cargo test` and
//! libFuzzer under `cargo bolero test`, and go to [`Ask`]s. Nothing is claimed here of the core that `verify` does not
//! claim; what is claimed of texts and messages is in [`properties`], once.

// What is built with instruments links only with the fuzzer that reads them.
#[cfg(fuzzing)]
extern crate bolero as _;

mod ask;
mod mutate;
pub mod properties;
#[cfg(feature = "seeds")]
pub mod seeds;
mod target;
mod targets;

pub use ask::Ask;
pub use target::{BYTES_MAX, Target, corpus};
pub use targets::asks;
