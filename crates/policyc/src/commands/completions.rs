//! `policyc completions`: a shell -> the script that completes policyc's arguments in it.

use clap::CommandFactory;

use crate::cli::{Cli, CompletionsArgs};
use crate::exit::{Outcome, RunError};
use crate::output;

pub(crate) fn run(args: &CompletionsArgs) -> Result<Outcome, RunError> {
    // Into memory first: clap_complete panics when its writer fails.
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "policyc", &mut script);
    output::print(&script)?;
    Ok(Outcome::Fine)
}
