//! A typed command -> its function.

mod doctor;
mod ledger;
mod run;

use std::env;
use std::path::PathBuf;

use enforce_exec::sandbox::Layer;

use crate::cli::{Command, LedgerCommand};
use crate::exit::{Outcome, RunError};

pub(crate) fn run(command: Command) -> Result<Outcome, RunError> {
    match command {
        Command::Run(args) => run::run(&args),
        Command::Doctor(args) => doctor::run(&args),
        Command::Ledger(LedgerCommand::Verify(args)) => ledger::verify(&args),
        Command::Ledger(LedgerCommand::Show(args)) => ledger::show(&args),
    }
}

/// Returns the directory of `--state`, or its default.
fn state_directory(state: Option<&PathBuf>) -> Result<PathBuf, RunError> {
    if let Some(state) = state {
        return Ok(state.clone());
    }
    let variable = |name| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let state = variable("XDG_STATE_HOME").or_else(|| variable("HOME").map(|home| home.join(".local/state")));
    match state {
        Some(state) if state.is_absolute() => Ok(state.join("interdict")),
        Some(_) | None => {
            Err(RunError::new("there is no default directory for the state").help("name one: --state DIR"))
        }
    }
}

/// Parses the names of layers.
fn layers(names: &[String]) -> Result<Vec<Layer>, RunError> {
    let read = |name: &String| {
        name.parse::<Layer>().map_err(|_| {
            let names: Vec<&str> = Layer::ALL.into_iter().map(Layer::name).collect();
            RunError::new(format!("unknown layer `{}`", name.escape_debug())).help(names.join(", "))
        })
    };
    names.iter().map(read).collect()
}
