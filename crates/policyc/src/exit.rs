//! How a run ended -> the exit code CI sees: 0 fine, 1 findings, 2 could not run.

use std::fmt;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use policy_judge::SourceError;

use crate::cli::Color;
use crate::render;

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
    /// A policy that cannot be loaded.
    Source(SourceError),
    /// A file that could not be read, and why.
    Read(PathBuf, String),
    /// `build --cedar` that gave no Cedar policies, and why.
    Cedar(String),
    /// `build` onto a file of the policy itself.
    OverwritesSource(PathBuf),
    /// `--root` that is none.
    Root(String),
    /// `fmt` of several files, with nowhere to put them.
    FormatSeveralToOutput,
    /// `fmt --write` of the standard input.
    WriteToStandardInput,
    /// `import` of a file whose name says nothing of what it holds.
    UnknownFormat(PathBuf),
    /// `init` or `import` onto a file that is there.
    Exists(PathBuf),
    /// A file that could not be written.
    Write(PathBuf, io::Error),
    /// `explain-code` of something that is none.
    UnknownCode { written: String, meant: Option<&'static str> },
    /// `explain` of a test that is none.
    UnknownTest { written: String, meant: Option<String> },
    /// `--filter` that no test's name contains.
    NoTestSelected(String),
    /// What `explain` was asked about is no request.
    BadRequest(String),
    /// Two judges of this program disagree, or one cannot read what another wrote.
    Internal(String),
    /// Findings that could not be put into their format.
    Format(String),
    /// The standard output did not take what was printed.
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

impl fmt::Display for RunError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::CheckOfStandardInput => write!(f, "cannot check the standard input"),
            Self::Source(error) => error.fmt(f),
            Self::Read(path, reason) => write!(f, "cannot read `{}`: {reason}", path.display()),
            Self::Cedar(error) => write!(f, "cannot write the policy as Cedar: {error}"),
            Self::OverwritesSource(path) => write!(f, "`{}` is a file of the policy itself", path.display()),
            Self::Root(root) => write!(f, "`{root}` is no root for paths"),
            Self::FormatSeveralToOutput => write!(f, "several files do not fit one standard output"),
            Self::WriteToStandardInput => write!(f, "cannot write to the standard input"),
            Self::UnknownFormat(path) => {
                write!(f, "the name `{}` does not say whose rules the file holds", path.display())
            }
            Self::Exists(path) => write!(f, "`{}` exists already", path.display()),
            Self::Write(path, error) => write!(f, "cannot write `{}`: {error}", path.display()),
            Self::UnknownCode { written, .. } => write!(f, "there is no code `{written}`"),
            Self::UnknownTest { written, .. } => write!(f, "there is no test `{written}`"),
            Self::NoTestSelected(text) => write!(f, "no test has `{text}` in its name"),
            Self::BadRequest(reason) => write!(f, "cannot explain the request: {reason}"),
            Self::Internal(reason) => write!(f, "internal error: {reason}"),
            Self::Format(error) => write!(f, "cannot print the findings: {error}"),
            Self::Output(error) => write!(f, "cannot write to the standard output: {error}"),
        }
    }
}

impl From<SourceError> for RunError {
    fn from(error: SourceError) -> Self {
        Self::Source(error)
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
