//! command -> process that can touch nothing else
//!
//! The [`Sandbox`] with its layers, the commands that [`run()`] in it, the machine's processes, and the doctor that tries what
//! each layer has to stop. It knows no policy, no request, no file tool and no ledger.
#![cfg(target_os = "linux")]

mod doctor;
mod process;
mod sandbox;

pub use doctor::{Finding, Options, Outcome, Report, Shown, Status, examine};
pub use exec_base::Exit;
pub use process::{
    AllowError, Caps, DEFAULT_TIMEOUT, EnvironmentError, INVOKE_OUTPUT_MAX, InterpreterNotFound, LIST_DEFAULT,
    LIST_MAX, ListError, ListOrder, Listed, NO_PYTEST, Output, Plan, Process, Pytest, Redact, RunError, RunResult,
    SHELL_OUTPUT_MAX, SYSTEM_PATH, SafeEnv, SearchPath, StopEvent, Task, TaskError, list_processes, run, timeout_of,
    validate_binary,
};
pub use sandbox::{
    Folder, FolderError, Kernel, Layer, Layers, Limits, Missing, PRIVATE_HOME, PRIVATE_TEMP, PrepareError,
    RulesetError, Sandbox, SandboxError, Step, TempError, UnknownLayer, ignore_file_size_signal, is_seen_by_commands,
};
