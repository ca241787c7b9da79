//! A typed command -> what it does, one file each.

mod build;
mod check;
mod completions;
mod eval;
mod explain;
mod explain_code;
mod fmt;
mod import;
mod init;
mod inspect;
mod test;

use crate::cli::{Cli, Command};
use crate::exit::{Outcome, RunError};

pub use self::eval::answer_lines;

/// Runs a command to its outcome.
pub(crate) fn run(cli: Cli) -> Result<Outcome, RunError> {
    match cli.command {
        Command::Check(args) => check::run(&args, cli.color),
        Command::Fmt(args) => fmt::run(&args, cli.color),
        Command::Build(args) => build::run(&args, cli.color),
        Command::Eval(args) => eval::run(&args),
        Command::Inspect(args) => inspect::run(&args),
        Command::Test(args) => test::run(&args, cli.color),
        Command::Explain(args) => explain::run(&args, cli.color),
        Command::Import(args) => import::run(&args, cli.color),
        Command::Init(args) => init::run(&args),
        Command::ExplainCode(args) => explain_code::run(&args),
        Command::Completions(args) => completions::run(&args),
    }
}
