//! files -> findings: the command line for authors of policies and for CI.
//!
//! It knows neither grammar nor meaning: `policy-syntax` and `policy-model` find, this crate shows. It is a library so that
//! a fuzzer reaches what reads the lines of others.

mod atomic_write;
mod cli;
mod commands;
mod coverage;
mod exit;
mod files;
mod help;
mod output;
mod render;
mod report;

use std::process::ExitCode;

use clap::Parser;

pub use commands::answer_lines;

/// Runs the command that the arguments name.
#[must_use]
pub fn run() -> ExitCode {
    let cli = cli::Cli::parse();
    let color = cli.color;
    exit::finish(commands::run(cli), color)
}
