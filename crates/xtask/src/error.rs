//! How a task ends: it ran, with findings or without, or it could not run.

use std::io;
use std::path::PathBuf;
use std::process::{ExitCode, ExitStatus};

use thiserror::Error;

/// The result of a task that ran; findings have been printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    Fine,
    Findings,
}

#[derive(Debug, Error)]
pub(crate) enum TaskError {
    #[error("cannot start `{program}`: {source}")]
    Start { program: String, source: io::Error },
    #[error("`{program}` failed: {status}")]
    Failed { program: String, status: ExitStatus },
    #[error("cannot use the output of `{program}`: {reason}")]
    Output { program: String, reason: String },
    #[error("cannot read `{}`: {source}", .path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error("cannot write `{}`: {source}", .path.display())]
    Write { path: PathBuf, source: io::Error },
}

impl Outcome {
    pub(crate) fn fine_if(is_fine: bool) -> Self {
        if is_fine { Self::Fine } else { Self::Findings }
    }

    /// For a program whose failure is a finding, such as a test run.
    pub(crate) fn of(status: ExitStatus) -> Self {
        Self::fine_if(status.success())
    }
}

/// The published table: 0 fine, 1 findings, 2 could not run.
pub(crate) fn exit_code(result: &Result<Outcome, TaskError>) -> ExitCode {
    match result {
        Ok(Outcome::Fine) => ExitCode::SUCCESS,
        Ok(Outcome::Findings) => ExitCode::from(1),
        Err(_) => ExitCode::from(2),
    }
}
