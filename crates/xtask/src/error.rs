//! How a task ends: it ran and says what it saw, or it could not run and says why.

use std::fmt;
use std::io;
use std::path::PathBuf;
use std::process::{ExitCode, ExitStatus};

/// What a task that ran has seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// Nothing is wrong.
    Fine,
    /// Something is wrong, and has been printed.
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
    /// A fuzz target that is none.
    NoSuchTarget { wanted: String, known: Vec<String> },
    /// This machine has not what it takes.
    Unsupported { task: &'static str, needs: &'static str },
    /// A file could not be read.
    Read { path: PathBuf, source: io::Error },
    /// A file or folder could not be written.
    Write { path: PathBuf, source: io::Error },
}

impl Outcome {
    /// Of a program whose failure is a finding, such as a test run.
    pub(crate) fn of(status: ExitStatus) -> Self {
        if status.success() { Self::Fine } else { Self::Findings }
    }

    /// Of two tasks.
    pub(crate) fn and(self, other: Self) -> Self {
        if self == Self::Fine { other } else { self }
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
            Self::NoSuchTarget { wanted, known } => {
                write!(f, "there is no target `{wanted}`, only `{}`", known.join("`, `"))
            }
            Self::Unsupported { task, needs } => write!(f, "`{task}` needs {needs}"),
            Self::Read { path, source } => write!(f, "cannot read `{}`: {source}", path.display()),
            Self::Write { path, source } => write!(f, "cannot write `{}`: {source}", path.display()),
        }
    }
}

impl std::error::Error for TaskError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exit_codes_are_those_published() {
        assert_eq!(exit_code(&Ok(Outcome::Fine)), ExitCode::from(0));
        assert_eq!(exit_code(&Ok(Outcome::Findings)), ExitCode::from(1));
        let source = io::Error::from(io::ErrorKind::NotFound);
        assert_eq!(exit_code(&Err(TaskError::Start { program: "git".into(), source })), ExitCode::from(2));
    }
}
