//! Arguments -> all figures of acting, or the work of one child. Everything else is in the library.

use std::process::ExitCode;

#[cfg(target_os = "linux")]
fn main() -> ExitCode {
    linux::main()
}

#[cfg(not(target_os = "linux"))]
fn main() -> ExitCode {
    eprintln!("the executor is Linux's");
    ExitCode::from(2)
}

#[cfg(target_os = "linux")]
mod linux {
    use std::process::ExitCode;

    use benches::acting::{self, Effort, Kind};
    use clap::{Parser, Subcommand};

    /// Measures what this project claims about acting on what was permitted
    #[derive(Debug, Parser)]
    struct Cli {
        /// Exit with 1 when a figure is missed by more than its margin
        #[arg(long)]
        enforce: bool,
        /// Fewer rounds, and fewer requests in each
        #[arg(long)]
        quick: bool,
        #[command(subcommand)]
        child: Option<Child>,
    }

    /// What this program starts itself again for.
    #[derive(Debug, Subcommand)]
    #[command(disable_help_subcommand = true)]
    enum Child {
        /// Send requests through an executor
        #[command(hide = true)]
        Ask {
            #[arg(long, value_parser = |name: &str| Kind::of(name).ok_or("there is no such kind"))]
            kind: Kind,
            #[arg(long)]
            rounds: usize,
            #[arg(long)]
            requests: usize,
        },
    }

    pub(super) fn main() -> ExitCode {
        let cli = Cli::parse();
        if let Some(Child::Ask { kind, rounds, requests }) = cli.child {
            println!("{}", acting::ask(kind, rounds, requests));
            return ExitCode::SUCCESS;
        }
        let is_fine = acting::run(if cli.quick { Effort::Quick } else { Effort::Full });
        if is_fine || !cli.enforce { ExitCode::SUCCESS } else { ExitCode::from(1) }
    }
}
