//! How a task ends: it ran, with findings or without, or it could not run.

use std::fmt;
use std::io;
use std::path::PathBuf;
use std::process::{ExitCode, ExitStatus};

/// The result of a task that ran; findings have been printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    Fine,
    Findings,
}

/// Why a task could not run.
#[derive(Debug)]
pub(crate) enum TaskError {
    /// A program could not be started.
    Start { program: String, source: io::Error },
    /// A program whose work is needed ended badly.
    Failed { program: String, status: ExitStatus },
    /// A program's output is not what it should be.
    Output { program: String, reason: String },
    /// A file could not be read.
    Read { path: PathBuf, source: io::Error },
    /// A file or folder could not be written.
    Write { path: PathBuf, source: io::Error },
}

impl Outcome {
    pub(crate) fn fine_if(is_fine: bool) -> Self {
        if is_fine { Self::Fine } else { Self::Findings }
    }

    /// Of a program whose failure is a finding, such as a test run.
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

impl fmt::Display for TaskError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Start { program, source } => write!(f, "cannot start `{program}`: {source}"),
            Self::Failed { program, status } => write!(f, "`{program}` failed: {status}"),
            Self::Output { program, reason } => write!(f, "cannot use the output of `{program}`: {reason}"),
            Self::Read { path, source } => write!(f, "cannot read `{}`: {source}", path.display()),
            Self::Write { path, source } => write!(f, "cannot write `{}`: {source}", path.display()),
        }
    }
}

impl std::error::Error for TaskError {}
