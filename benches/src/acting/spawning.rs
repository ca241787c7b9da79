//! How long it takes to run `true`: plainly, with some layers of the sandbox, with all of them, and in bubblewrap.

use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use enforce_exec::sandbox::{Exit, OutputLimits, Plan, SafeEnv, SearchPath, StopEvent, Task, run};
use enforce_exec::sandbox::{Folder, Layer, Limits, Sandbox};
use rustix::process::WaitOptions;

use super::rounds::{Took, Way, in_turns};

/// What each way took.
pub(super) struct Spawned {
    pub(super) plain: Took,
    /// As the standard library does it where it can: without copying the page tables.
    pub(super) posix_spawn: Took,
    /// Through the executor, with no layer.
    pub(super) bare: Took,
    pub(super) landlock_and_seccomp: Took,
    pub(super) whole: Took,
    pub(super) bubblewrap: Result<Took, String>,
}

pub(super) fn measure(scratch: &Path, rounds: usize) -> Result<Spawned, String> {
    let workspace = scratch.join("spawn");
    std::fs::create_dir(&workspace).map_err(|error| error.to_string())?;
    let folders = [Folder::open(&workspace).map_err(|error| error.to_string())?];
    let whole = Sandbox::new(&[]).map_err(|error| error.to_string())?;
    let bare = whole.only(std::iter::empty::<Layer>().collect());
    let files = whole.only([Layer::NoNewPrivileges, Layer::Landlock, Layer::Seccomp].into_iter().collect());
    let ways = || -> [Way<'_>; 5] {
        [
            Box::new(plain),
            Box::new(spawned),
            Box::new(|| sandboxed(&bare, &folders)),
            Box::new(|| sandboxed(&files, &folders)),
            Box::new(|| sandboxed(&whole, &folders)),
        ]
    };
    let (took, bubblewrap) = match bubblewrap() {
        Ok(()) => {
            let [a, b, c, d, e] = ways();
            let [plain, spawned, bare, files, whole, peer] = in_turns(rounds, [a, b, c, d, e, Box::new(bubblewrap)])?;
            ([plain, spawned, bare, files, whole], Ok(peer))
        }
        Err(why) => (in_turns(rounds, ways())?, Err(format!("bwrap: {why}"))),
    };
    let [plain, posix_spawn, bare, landlock_and_seccomp, whole] = took;
    Ok(Spawned { plain, posix_spawn, bare, landlock_and_seccomp, whole, bubblewrap })
}

/// The standard library forks when it is to set a user.
fn plain() -> Result<(), String> {
    finished(Command::new(TRUE).uid(rustix::process::getuid().as_raw()))
}

fn spawned() -> Result<(), String> {
    finished(&mut Command::new(TRUE))
}

fn bubblewrap() -> Result<(), String> {
    // It does not wait for the first process of its own sandbox, which then is this process's, because the executor has asked
    // for that. Thousands that nobody waits for would slow down whatever looks at all children.
    while let Ok(Some(_)) = rustix::process::wait(WaitOptions::NOHANG) {}
    finished(Command::new("bwrap").args(["--unshare-all", "--ro-bind", "/", "/", TRUE]))
}

fn finished(command: &mut Command) -> Result<(), String> {
    // The same streams as in the sandbox.
    let output = command.stdin(Stdio::null()).output().map_err(|error| error.to_string())?;
    if output.status.success() { Ok(()) } else { Err(output.status.to_string()) }
}

fn sandboxed(sandbox: &Sandbox, folders: &[Folder]) -> Result<(), String> {
    let plan = Plan {
        task: Task::argv(TRUE.into(), vec![b"true".to_vec()]),
        working_directory: &folders[0],
        environment: SafeEnv::new(&SearchPath::default()),
        stdin: b"",
        timeout: TIME,
        output_limits: OutputLimits::Each(1_000),
        network: false,
        read: &[],
        write: folders,
        limits: Limits::default(),
    };
    let stop = StopEvent::new().map_err(|error| error.to_string())?;
    let ran = run(sandbox, plan, &stop).map_err(|error| error.to_string())?;
    if ran.exit == Exit::Code(0) { Ok(()) } else { Err(ran.exit.to_string()) }
}

const TRUE: &str = "/usr/bin/true";
const TIME: Duration = Duration::from_secs(10);
