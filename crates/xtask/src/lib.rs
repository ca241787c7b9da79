//! tree -> findings
//!
//! Everything CI runs, and the generator of synthetic policies for benches. It knows no crate of this
//! workspace: what it checks it reads as text or bytes, or starts as a program.

mod ci;
mod cli;
mod error;
mod figures;
pub mod generate;
mod layers;
mod nostd;
mod tidy;
mod trace;
mod tree;

pub use cli::run;
