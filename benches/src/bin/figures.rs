//! Arguments -> all figures, or the work of one child. Everything else is in the library.

use std::path::PathBuf;
use std::process::ExitCode;

use benches::figures::{self, Effort};
use clap::{Parser, Subcommand};

/// Measures what this project claims about its speed and size
#[derive(Debug, Parser)]
struct Cli {
    /// Exit with 1 when a figure is missed by more than its margin
    #[arg(long)]
    enforce: bool,
    /// The figures that a change is likely to move, on a tenth of the requests
    #[arg(long)]
    quick: bool,
    #[command(subcommand)]
    child: Option<Child>,
}

/// What this program starts itself again for.
#[derive(Debug, Subcommand)]
#[command(disable_help_subcommand = true)]
enum Child {
    /// Judge requests under callgrind
    #[command(hide = true)]
    Count {
        #[arg(long)]
        engine: String,
        #[arg(long)]
        folder: PathBuf,
        #[arg(long)]
        asks: String,
        #[arg(long)]
        requests: usize,
    },
    /// Build a table
    #[command(hide = true)]
    Build {
        #[arg(long)]
        mix: String,
        #[arg(long)]
        rules: usize,
    },
    /// Judge the largest request there may be
    #[command(hide = true)]
    Largest,
    /// Build a set of hostile patterns
    #[command(hide = true)]
    Hostile {
        #[arg(long)]
        set: String,
    },
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    let answer = match cli.child {
        Some(Child::Count { engine, folder, asks, requests }) => figures::count(&engine, &folder, &asks, requests),
        Some(Child::Build { mix, rules }) => figures::build(&mix, rules),
        Some(Child::Largest) => figures::largest(),
        Some(Child::Hostile { set }) => figures::hostile(&set),
        None => {
            let is_fine = figures::run(if cli.quick { Effort::Quick } else { Effort::Full });
            return if is_fine || !cli.enforce { ExitCode::SUCCESS } else { ExitCode::from(1) };
        }
    };
    println!("{answer}");
    ExitCode::SUCCESS
}
