//! The outcome of a command -> its exit status, and one line on standard error.

use std::fmt;
use std::io::{self, Write as _};
use std::process::ExitCode;

use crate::signals::Signal;

/// The outcome of a command that ran.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    Fine,
    /// A layer is missing, or the ledger was changed.
    Findings,
    /// A signal asked the command to end, and it did so in order.
    Signalled(Signal),
}

/// The reason a command could not run.
#[derive(Debug)]
pub(crate) struct RunError {
    message: String,
    help: Option<String>,
}

impl RunError {
    pub(crate) fn new(what: impl fmt::Display) -> Self {
        Self { message: what.to_string(), help: None }
    }

    /// Adds advice.
    pub(crate) fn help(self, help: impl Into<String>) -> Self {
        Self { help: Some(help.into()), ..self }
    }
}

/// Prints an error and returns the exit status.
pub(crate) fn finish(result: Result<Outcome, RunError>) -> ExitCode {
    match result {
        Ok(Outcome::Fine) => ExitCode::SUCCESS,
        Ok(Outcome::Findings) => ExitCode::from(1),
        Ok(Outcome::Signalled(signal)) => ExitCode::from(signal.exit_code()),
        Err(RunError { message, help }) => {
            say(format_args!("error: {message}"));
            if let Some(help) = help {
                say(format_args!("help: {help}"));
            }
            ExitCode::from(2)
        }
    }
}

/// Prints a line to standard error, if it can be written to.
pub(crate) fn say(what: fmt::Arguments<'_>) {
    drop(writeln!(io::stderr(), "{what}"));
}
