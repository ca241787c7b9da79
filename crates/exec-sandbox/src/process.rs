//! A plan -> commands that have run in the sandbox: their status and what they wrote.
//!
//! What runs is what was judged: programs that were found before, words that were read before, joined as they were
//! written. No shell reads anything a second time. It knows no policy and no protocol.

mod allow;
mod environment;
mod list;
mod output;
mod pytest;
mod run;
mod stop;
mod task;
mod watch;

pub use allow::{AllowError, InterpreterNotFound, SYSTEM_PATH, SearchPath, validate_binary};
pub use environment::{EnvironmentError, SafeEnv};
pub use list::{LIST_DEFAULT, LIST_MAX, Process, ProcessList, ProcessListError, ProcessQuery, Redact, list_processes};
pub use output::{INVOKE_OUTPUT_MAX, Output, OutputLimits, SHELL_OUTPUT_MAX};
pub use pytest::{PYTEST_NOT_FOUND, Pytest};
pub use run::{DEFAULT_TIMEOUT, Plan, RunError, RunResult, effective_timeout, run};
pub use stop::StopEvent;
pub use task::{Task, TaskError};

#[cfg(test)]
mod tests;
