//! A plan -> commands run in the sandbox: their exit status and output.
//!
//! The commands that run are those that were judged: programs found before, words parsed before, joined as written. No shell
//! parses anything a second time. This module knows no policy and no protocol.

mod allow;
mod environment;
mod list;
mod output;
mod pytest;
mod run;
mod task;
mod watch;

pub use allow::{AllowError, InterpreterNotFound, SYSTEM_PATH, SearchPath};
pub use environment::{EnvironmentError, SafeEnv};
pub use list::{LIST_DEFAULT, LIST_MAX, Process, ProcessList, ProcessListError, ProcessQuery, Redact, list_processes};
pub use output::{INVOKE_OUTPUT_MAX, Output, OutputLimits, SHELL_OUTPUT_MAX};
pub use pytest::{PYTEST_NOT_FOUND, Pytest};
pub use run::{DEFAULT_TIMEOUT, Plan, RunError, RunResult, effective_timeout, run};
pub use task::{Task, TaskError};
pub use watch::StopEvent;

#[cfg(test)]
mod tests;
