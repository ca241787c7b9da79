//! A plan -> what came of it: one sandbox, watched until nothing of it is left.

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
use super::stop::StopEvent;
use super::task::Task;
use super::watch::{LineEnd, Watch};
use crate::sandbox::{
    Folder, Job, Limits, PRIVATE_HOME, PRIVATE_TEMP, PrepareError, PrivateTemp, Sandbox, SandboxOrder, Script,
    SetupStep, Streams, TempError, adopt, c_path, system,
};
use exec_base::Exit;

/// Everything that a run is given. What is not in it, the commands do not have.
#[derive(Debug)]
pub struct Plan<'a> {
    pub task: Task,
    /// Where it starts. It lies in one of the folders.
    pub working_directory: &'a Folder,
    pub environment: SafeEnv,
    /// What the first command reads; the null device when there is nothing.
    pub stdin: &'a [u8],
    /// After this it is killed.
    pub timeout: Duration,
    /// How much of its output is kept.
    pub output_limits: OutputLimits,
    /// Whether it has the machine's network. Only a policy gives that (TRUST-NET, CTR-0013).
    pub network: bool,
    /// Folders to read and execute from, beside the system's.
    pub read: &'a [Folder],
    /// Folders to read, execute and write.
    pub write: &'a [Folder],
    pub limits: Limits,
}

/// What came of it. Nothing that it started is left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunResult {
    pub exit: Exit,
    pub stdout: Output,
    pub stderr: Output,
    /// From the start to the end of everything.
    pub duration: Duration,
    /// Computing time of all commands; zero for those that were killed here.
    pub cpu: Duration,
    /// Memory of the largest command; zero when it was killed here.
    pub memory_kib: u64,
}

/// The reason why nothing ran, or nothing is known of what did.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    #[error(transparent)]
    Prepare(#[from] PrepareError),
    #[error(transparent)]
    Temp(#[from] TempError),
    /// Nothing ran.
    #[error("the sandbox cannot be made: {step}: {error}")]
    Sandbox { step: SetupStep, error: Errno },
    /// Its first process was killed by somebody else, or by the kernel for lack of memory.
    #[error("the sandbox ended without a report")]
    Lost,
    #[error("the sandbox was killed, but some of its processes remain")]
    NotKilled,
}

impl RunResult {
    /// Whether some of the output was dropped.
    #[must_use]
    pub fn is_truncated(&self) -> bool {
        self.stdout.is_truncated() || self.stderr.is_truncated()
    }
}

/// The time that a request gives: 0 is the default (CTR-0012), and there is a longest.
#[must_use]
pub fn effective_timeout(timeout_ms: u64) -> Duration {
    match timeout_ms {
        0 => DEFAULT_TIMEOUT,
        _ => Duration::from_millis(timeout_ms.min(MAX_TIMEOUT_MS)),
    }
}

/// Runs a plan to its end. It blocks, and the sandbox dies with the thread that called it.
///
/// # Errors
/// When it could not be run, or what became of it is not known.
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
    let mut watch =
        Watch::new(OutputReader::new(output_limits, output, errors), report, (pid, process), (is_own, mark), deadline);
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
        stdout: watch.drain.output.kept,
        stderr: watch.drain.errors.kept,
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
    let said_temp = temp.map(|temp| temp.path().as_os_str().as_bytes());
    let environment = plan.environment.strings(home.as_os_str().as_bytes(), said_temp).map_err(PrepareError::from)?;
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

/// What a command reads: a file in memory, so that nobody has to keep writing to a pipe that may never be read. It is
/// sealed, because a command could let it grow where no limit counts.
///
/// Where there is nothing to read, the sandbox opens its own null device. One that was opened here would be the machine's
/// in the machine's tree, which is not read-only: a command could change its mode through the descriptor. A pipe at its
/// end would not do either, because some programs take it for what they were given to search.
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

/// What a run gets that asks for no time of its own: ten minutes (SDK-DEFAULTS).
pub const DEFAULT_TIMEOUT: Duration = Duration::from_secs(600);
const SCRIPT_NAME: &str = "inline-script";
