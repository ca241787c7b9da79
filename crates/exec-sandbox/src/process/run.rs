//! A plan -> its result: one sandbox, watched until nothing of it is left.

use std::fs::File;
use std::io::{Seek as _, Write as _};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::time::{Duration, Instant};

use enforce_core::limits::MAX_TIMEOUT_MS;
use rustix::fs::{MemfdFlags, SealFlags};
use rustix::io::Errno;
use rustix::pipe::{PipeFlags, pipe_with};

use super::environment::SafeEnv;
use super::output::{Output, OutputLimits, OutputReader};
use super::task::Task;
use super::watch::{LineEnd, StopEvent, Watch};
use crate::sandbox::{
    Folder, Job, Limits, PRIVATE_HOME, PRIVATE_TEMP, PrepareError, PrivateTemp, Sandbox, SandboxOrder, Script,
    SetupStep, Streams, TempError, adopt, c_path, system,
};
use exec_base::Exit;

/// Everything that the commands get; they have access to nothing else.
#[derive(Debug)]
pub struct Plan<'a> {
    pub task: Task,
    /// Lies in one of the directories below.
    pub working_directory: &'a Folder,
    pub environment: SafeEnv,
    /// The input of the first command; the null device if empty.
    pub stdin: &'a [u8],
    pub timeout: Duration,
    pub output_limits: OutputLimits,
    /// Access to the machine's network. Only a policy gives that (TRUST-NET, CTR-0013).
    pub network: bool,
    /// Directories to read and execute from, in addition to the system's.
    pub read: &'a [Folder],
    /// Directories to read, execute and write.
    pub write: &'a [Folder],
    pub limits: Limits,
}

/// The result of a run, of which no process is left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunResult {
    pub exit: Exit,
    pub stdout: Output,
    pub stderr: Output,
    pub duration: Duration,
    /// CPU time of all commands; zero if they were killed.
    pub cpu: Duration,
    /// Memory of the largest command; zero if it was killed.
    pub memory_kib: u64,
}

/// The reason why nothing ran, or its result is unknown.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    #[error(transparent)]
    Prepare(#[from] PrepareError),
    #[error(transparent)]
    Temp(#[from] TempError),
    #[error("the sandbox cannot be made: {step}: {error}")]
    Sandbox { step: SetupStep, error: Errno },
    /// Its first process was killed from outside, or by the kernel for lack of memory.
    #[error("the sandbox ended without a report")]
    Lost,
    #[error("the sandbox was killed, but some of its processes remain")]
    NotKilled,
}

impl RunResult {
    #[must_use]
    pub fn is_truncated(&self) -> bool {
        self.stdout.is_truncated() || self.stderr.is_truncated()
    }
}

/// Returns the timeout of a request: 0 means the default (CTR-0012), and there is a maximum.
#[must_use]
pub fn effective_timeout(timeout_ms: u64) -> Duration {
    match timeout_ms {
        0 => DEFAULT_TIMEOUT,
        _ => Duration::from_millis(timeout_ms.min(MAX_TIMEOUT_MS)),
    }
}

/// Runs a plan to its end. It blocks, and the sandbox ends with the calling thread.
///
/// # Errors
/// When the plan could not be run, or its result is unknown.
pub fn run(sandbox: &Sandbox, plan: Plan<'_>, stop: &StopEvent) -> Result<RunResult, RunError> {
    let started = Instant::now();
    let deadline = started.checked_add(plan.timeout);
    let output_limits = plan.output_limits;
    let (output, output_end) = pipe()?;
    let (errors, errors_end) = pipe()?;
    let (report, report_end) = pipe()?;
    let streams = Streams { input: input(plan.stdin)?, output: output_end, errors: errors_end, report: report_end };
    let temp = sandbox.private_temp()?;
    let prepared = prepare(sandbox, plan, temp.as_ref(), streams)?;
    let (is_own, mark) = (prepared.has_own_processes, prepared.mark());
    if !is_own {
        adopt().map_err(system("adopt what is left behind"))?;
    }
    let (pid, process) = prepared.start()?;
    // Closes this process's copies of the descriptors that the sandbox writes to.
    let namespace = prepared.into_namespace();
    let mut watch = Watch {
        reader: OutputReader::new(output_limits, output, errors),
        report: Some(report),
        process: Some(process),
        pid,
        is_own,
        mark,
        deadline,
        outcome: None,
        killed: None,
        is_alone: false,
    };
    let over = watch.until_over(stop);
    if over.is_err() {
        watch.kill();
    }
    if let Some(temp) = temp.filter(|_| watch.is_alone) {
        sandbox.give_back(temp);
    }
    match watch.process.take() {
        process if watch.is_alone => sandbox.leave(process, namespace),
        Some(process) => sandbox.leave_stuck(process),
        None => {}
    }
    over?;
    let LineEnd { exit, cpu_us, memory_kib } = watch.outcome.ok_or(RunError::Lost)??;
    Ok(RunResult {
        exit,
        stdout: watch.reader.output.kept,
        stderr: watch.reader.errors.kept,
        duration: started.elapsed(),
        cpu: Duration::from_micros(cpu_us),
        memory_kib,
    })
}

fn prepare(
    sandbox: &Sandbox,
    plan: Plan<'_>,
    temp: Option<&PrivateTemp>,
    streams: Streams,
) -> Result<crate::sandbox::Prepared, RunError> {
    let temp_path = temp.map_or(Path::new(PRIVATE_TEMP), PrivateTemp::path);
    let home = temp.map_or(Path::new(PRIVATE_HOME), PrivateTemp::path);
    let script_path = temp_path.join(SCRIPT_NAME);
    let temp_bytes = temp.map(|temp| temp.path().as_os_str().as_bytes());
    let environment = plan.environment.strings(home.as_os_str().as_bytes(), temp_bytes).map_err(PrepareError::from)?;
    let (commands, text) = plan.task.prepare(&script_path).map_err(PrepareError::from)?;
    let script = match text {
        Some(text) => Some(Script { path: c_path(&script_path).map_err(PrepareError::from)?, text }),
        None => None,
    };
    let order = SandboxOrder {
        network: plan.network,
        working_directory: Some(plan.working_directory),
        read: plan.read,
        write: plan.write,
        temp,
        limits: &plan.limits,
        script,
        environment,
        job: Job::Line(commands),
        streams,
    };
    Ok(sandbox.prepare(order)?)
}

/// Puts the input into a file in memory, so that nobody has to keep writing to a pipe that may never be read. It is sealed,
/// because otherwise a command could grow it beyond all limits.
///
/// Without input, the sandbox opens its own null device. The machine's own, opened here, is not read-only: a command could change
/// its mode through the descriptor. A closed pipe is no alternative, because some programs search it as their input.
fn input(bytes: &[u8]) -> Result<Option<OwnedFd>, RunError> {
    if bytes.is_empty() {
        return Ok(None);
    }
    let flags = MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING;
    let memory = rustix::fs::memfd_create(c"stdin", flags).map_err(system("hold the input"))?;
    let mut file = File::from(memory);
    let written = file.write_all(bytes).and_then(|()| file.rewind());
    let error = |error: std::io::Error| Errno::from_io_error(&error).unwrap_or(Errno::IO);
    written.map_err(|cause| system("hold the input")(error(cause)))?;
    let seals = SealFlags::WRITE | SealFlags::GROW | SealFlags::SHRINK | SealFlags::SEAL;
    rustix::fs::fcntl_add_seals(&file, seals).map_err(system("seal the input"))?;
    Ok(Some(file.into()))
}

fn pipe() -> Result<(OwnedFd, OwnedFd), PrepareError> {
    pipe_with(PipeFlags::CLOEXEC).map_err(system("make a pipe"))
}

/// Ten minutes (SDK-DEFAULTS).
pub const DEFAULT_TIMEOUT: Duration = Duration::from_secs(600);
const SCRIPT_NAME: &str = "inline-script";
