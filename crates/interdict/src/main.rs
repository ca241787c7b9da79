//! Arguments -> exit code: 0 fine, 1 findings, 2 could not run, 130 and 143 ended by a signal.

mod cli;
mod clock;
mod commands;
mod enveloped;
mod exit;
mod invoked;
mod line;
mod lines;
mod report;
mod signals;

use std::process::ExitCode;

use clap::Parser as _;

fn main() -> ExitCode {
    exit::finish(commands::run(cli::Cli::parse().command))
}
