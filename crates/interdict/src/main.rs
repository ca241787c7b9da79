//! Arguments -> exit code: 0 fine, 1 findings, 2 could not run, 129, 130 and 143 ended by a signal.

// What cannot be written to must not end the program in the middle: these macros panic then.
#![deny(clippy::print_stderr, clippy::print_stdout)]

mod cli;
mod commands;
mod exit;
mod line;
mod response;
mod signals;
mod stdio;

use std::process::ExitCode;

use clap::Parser as _;

fn main() -> ExitCode {
    // Under `ulimit -f` a request that writes too much is answered, and so are those behind it.
    enforce_exec::sandbox::ignore_file_size_signal();
    exit::finish(commands::run(cli::Cli::parse().command))
}
