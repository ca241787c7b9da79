//! files -> findings: the command line for authors of policies and for CI.
//!
//! It knows neither grammar nor meaning: `policy-syntax` and `policy-model` find, this crate shows. It is a library so that
//! a fuzzer reaches what reads the lines of others.

mod cli;
mod commands;
mod coverage;
mod exit;
mod files;
mod help;
mod judging;
mod loading;
mod named;
mod opening;
mod output;
mod reading;
mod render;
mod report;
mod testing;
mod together;

use std::process::ExitCode;

use clap::Parser;

pub use commands::answer_lines;
pub use loading::{LoadError, load_table};

/// Runs the command that the arguments name.
#[must_use]
pub fn run() -> ExitCode {
    exit::finish(commands::run(cli::Cli::parse()))
}
