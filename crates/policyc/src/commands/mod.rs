//! A typed command -> what it does, one file each.

mod check;
mod completions;
mod explain_code;
mod fmt;
mod init;

use crate::cli::{Cli, Command};
use crate::exit::{Outcome, RunError};

/// Runs a command to its outcome.
pub(crate) fn run(cli: Cli) -> Result<Outcome, RunError> {
    match cli.command {
        Command::Check(args) => check::run(&args, cli.color),
        Command::Fmt(args) => fmt::run(&args, cli.color),
        Command::Init(args) => init::run(&args),
        Command::ExplainCode(args) => explain_code::run(&args),
        Command::Completions(args) => completions::run(&args),
    }
}
