//! How a command ended -> the exit code that its caller sees, and one line on the standard error.

use std::fmt;
use std::io::{self, Write as _};
use std::process::ExitCode;

use crate::signals::Signal;

/// How a command ended that ran.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    Fine,
    /// A layer is missing, or the ledger is not what it was.
    Findings,
    /// In order, because a signal asked for it.
    Signalled(Signal),
}

/// Why a command did not run.
#[derive(Debug)]
pub(crate) struct RunError {
    message: String,
    help: Option<String>,
}

impl RunError {
    pub(crate) fn new(what: impl fmt::Display) -> Self {
        Self { message: what.to_string(), help: None }
    }

    /// With what to do.
    pub(crate) fn help(self, help: impl Into<String>) -> Self {
        Self { help: Some(help.into()), ..self }
    }
}

/// Says why a command did not run, and gives the exit code.
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

/// Says something on the standard error. One that is closed or full is nobody to complain to.
pub(crate) fn say(what: fmt::Arguments<'_>) {
    drop(writeln!(io::stderr(), "{what}"));
}
