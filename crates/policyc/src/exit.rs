//! How a run ended -> the exit code CI sees: 0 fine, 1 findings, 2 could not run.

use std::fmt;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

/// How a run that ran ended, in rising order: the worst of several files is the whole run's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Outcome {
    /// Nothing to complain about.
    Fine,
    /// Findings at the fail level, or files that would be laid out differently.
    Findings,
    /// A file could not be read or written; what happened has been shown.
    CouldNotRun,
}

impl Outcome {
    pub(crate) fn code(self) -> u8 {
        match self {
            Self::Fine => 0,
            Self::Findings => 1,
            Self::CouldNotRun => 2,
        }
    }
}

/// Why a run stopped before its end.
#[derive(Debug)]
pub(crate) enum RunError {
    /// `check -`: an import is found from the folder of the file that names it.
    CheckOfStandardInput,
    /// `fmt` of several files, with nowhere to put them.
    FormatSeveralToOutput,
    /// `fmt --write` of the standard input.
    WriteToStandardInput,
    /// `init` onto a file that is there.
    Exists(PathBuf),
    /// A file that could not be written.
    Write(PathBuf, io::Error),
    /// `explain-code` of something that is none.
    UnknownCode { written: String, meant: Option<&'static str> },
    /// Findings that could not be put into their format.
    Format(String),
    /// The standard output did not take what was printed.
    Output(io::Error),
}

impl RunError {
    fn help(&self) -> Option<String> {
        match self {
            Self::CheckOfStandardInput => Some("write the policy to a file; a file of that name is `./-`".to_owned()),
            Self::FormatSeveralToOutput => Some("add --write or --check".to_owned()),
            Self::WriteToStandardInput => Some("name the files, or leave --write out".to_owned()),
            Self::Exists(_) => Some("choose another path, or replace it with --force".to_owned()),
            Self::UnknownCode { meant: Some(meant), .. } => Some(format!("did you mean `{meant}`?")),
            Self::UnknownCode { meant: None, .. } => {
                Some("`policyc explain-code` without a code lists all of them".to_owned())
            }
            Self::Write(..) | Self::Format(_) | Self::Output(_) => None,
        }
    }
}

impl fmt::Display for RunError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::CheckOfStandardInput => write!(f, "cannot check the standard input"),
            Self::FormatSeveralToOutput => write!(f, "several files do not fit one standard output"),
            Self::WriteToStandardInput => write!(f, "cannot write to the standard input"),
            Self::Exists(path) => write!(f, "`{}` exists already", path.display()),
            Self::Write(path, error) => write!(f, "cannot write `{}`: {error}", path.display()),
            Self::UnknownCode { written, .. } => write!(f, "there is no code `{written}`"),
            Self::Format(error) => write!(f, "cannot print the findings: {error}"),
            Self::Output(error) => write!(f, "cannot write to the standard output: {error}"),
        }
    }
}

/// Says on the standard error why a run stopped, and gives the exit code.
pub(crate) fn finish(result: Result<Outcome, RunError>) -> ExitCode {
    let outcome = result.unwrap_or_else(|error| {
        complain(&error.to_string(), error.help().as_deref());
        Outcome::CouldNotRun
    });
    ExitCode::from(outcome.code())
}

/// One line, and one of help, on the standard error. A closed one is nobody to complain to.
pub(crate) fn complain(message: &str, help: Option<&str>) {
    let mut lines = format!("error: {}\n", crate::render::visible(message));
    if let Some(help) = help {
        lines.push_str(&format!("help: {help}\n"));
    }
    drop(io::stderr().write_all(lines.as_bytes()));
}
