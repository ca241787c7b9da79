//! How a run ended -> the exit code CI sees: 0 fine, 1 findings, 2 could not run.

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use policy_judge::SourceError;
use thiserror::Error;

use crate::cli::Color;
use crate::render;

/// The end of a run, in rising order: the worst of several files is the whole run's.
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
#[derive(Debug, Error)]
pub(crate) enum RunError {
    #[error("cannot check the standard input")]
    CheckOfStandardInput,
    #[error(transparent)]
    Source(#[from] SourceError),
    #[error("cannot read `{}`: {}", .0.display(), .1)]
    Read(PathBuf, String),
    #[error("cannot write the policy as Cedar: {0}")]
    Cedar(String),
    #[error("`{}` is a file of the policy itself", .0.display())]
    OverwritesSource(PathBuf),
    #[error("`{0}` is no root for paths")]
    Root(String),
    #[error("several files do not fit one standard output")]
    FormatSeveralToOutput,
    #[error("cannot write to the standard input")]
    WriteToStandardInput,
    #[error("the name `{}` does not say whose rules the file holds", .0.display())]
    UnknownFormat(PathBuf),
    #[error("`{}` exists already", .0.display())]
    Exists(PathBuf),
    #[error("cannot write `{}`: {}", .0.display(), .1)]
    Write(PathBuf, io::Error),
    #[error("there is no code `{written}`")]
    UnknownCode { written: String, meant: Option<&'static str> },
    #[error("there is no test `{written}`")]
    UnknownTest { written: String, meant: Option<String> },
    #[error("no test has `{0}` in its name")]
    NoTestSelected(String),
    #[error("cannot explain the request: {0}")]
    BadRequest(String),
    #[error("internal error: {0}")]
    Internal(String),
    #[error("cannot print the findings: {0}")]
    Format(String),
    #[error("cannot write to the standard output: {0}")]
    Output(io::Error),
}

impl RunError {
    pub(crate) fn help(&self) -> Option<String> {
        match self {
            Self::CheckOfStandardInput => Some("write the policy to a file; a file of that name is `./-`".to_owned()),
            Self::Source(error) => error.help().map(str::to_owned),
            Self::OverwritesSource(_) => Some("choose other names with -o".to_owned()),
            Self::Root(_) => Some("a root is an absolute path without `..`: --root /workspace".to_owned()),
            Self::FormatSeveralToOutput => Some("add --write or --check".to_owned()),
            Self::WriteToStandardInput => Some("name the files, or leave --write out".to_owned()),
            Self::UnknownFormat(_) => Some("say it with --from registry, tool-rules, claude-code or codex".to_owned()),
            Self::Exists(_) => Some("choose another path, or replace it with --force".to_owned()),
            Self::UnknownCode { meant: Some(meant), .. } => Some(format!("did you mean `{meant}`?")),
            Self::UnknownCode { meant: None, .. } => {
                Some("`policyc explain-code` without a code lists all of them".to_owned())
            }
            Self::UnknownTest { meant: Some(meant), .. } => Some(format!("did you mean `{meant}`?")),
            Self::UnknownTest { meant: None, .. } | Self::NoTestSelected(_) => {
                Some("tests are named after the word `test` in the policy's own file".to_owned())
            }
            Self::BadRequest(_) => Some("`policyc explain --help` shows how a request is written".to_owned()),
            Self::Internal(_) => {
                Some("this is a defect of policyc: do not use the table, and report the policy".to_owned())
            }
            Self::Read(..) | Self::Cedar(_) | Self::Write(..) | Self::Format(_) | Self::Output(_) => None,
        }
    }
}

/// Says on the standard error why a run stopped, and gives the exit code.
pub(crate) fn finish(result: Result<Outcome, RunError>, color: Color) -> ExitCode {
    let outcome = result.unwrap_or_else(|error| {
        if let RunError::Source(SourceError::PolicyHasErrors(_, checked)) = &error {
            render::show_errors(&checked.diagnostics, &checked.sources, color);
        }
        complain(&error.to_string(), error.help().as_deref());
        Outcome::CouldNotRun
    });
    ExitCode::from(outcome.code())
}

/// One line, and one of help, on the standard error. A closed one is nobody to complain to.
pub(crate) fn complain(message: &str, help: Option<&str>) {
    let mut lines = format!("error: {}\n", render::visible(message));
    if let Some(help) = help {
        lines.push_str(&format!("help: {help}\n"));
    }
    drop(io::stderr().write_all(lines.as_bytes()));
}
