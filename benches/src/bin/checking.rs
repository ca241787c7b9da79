//! Arguments -> time and memory of `policyc check`. Everything else is in the library.

use std::process::ExitCode;

use clap::Parser;

/// Measures `policyc check`, of the `policyc` beside this program
#[derive(Debug, Parser)]
struct Cli {
    /// Exit with 1 when a figure is missed
    #[arg(long)]
    enforce: bool,
}

fn main() -> ExitCode {
    let is_fine = benches::checking::run();
    if is_fine || !Cli::parse().enforce { ExitCode::SUCCESS } else { ExitCode::from(1) }
}
