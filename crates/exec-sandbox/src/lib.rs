//! command -> process that can touch nothing else
//!
//! The [`Sandbox`] and its layers, commands that [`run()`] in it, the list of processes, and the doctor, which tries what each
//! layer has to stop. The crate knows no policy, no request, no file tool and no ledger.
#![cfg(target_os = "linux")]

mod doctor;
mod process;
mod sandbox;

pub use doctor::{Finding, Options, Outcome, Report, Status, TrialResult, examine};
pub use exec_base::Exit;
pub use process::{
    AllowError, DEFAULT_TIMEOUT, EnvironmentError, INVOKE_OUTPUT_MAX, InterpreterNotFound, LIST_DEFAULT, LIST_MAX,
    Output, OutputLimits, PYTEST_NOT_FOUND, Plan, Process, ProcessList, ProcessListError, ProcessQuery, Pytest, Redact,
    RunError, RunResult, SHELL_OUTPUT_MAX, SYSTEM_PATH, SafeEnv, SearchPath, StopEvent, Task, TaskError,
    effective_timeout, list_processes, run,
};
pub use sandbox::{
    Folder, FolderError, Kernel, Layer, Layers, Limits, MissingLayer, PRIVATE_HOME, PRIVATE_TEMP, PrepareError,
    RulesetError, Sandbox, SandboxError, SetupStep, TempError, UnknownLayer, ignore_file_size_signal,
    is_visible_to_commands,
};
