//! Lines that run in the whole sandbox of this machine.

mod faults;
mod line;
mod pytest;
mod watched;

use std::sync::OnceLock;
use std::time::Duration;

use enforce_core::shell::Line;
use exec_base::Exit;

use super::*;
use crate::sandbox::{Folder, Limits, Sandbox};

/// The whole sandbox: these tests need a kernel that has all of it.
fn sandbox() -> &'static Sandbox {
    static SANDBOX: OnceLock<Sandbox> = OnceLock::new();
    SANDBOX.get_or_init(|| Sandbox::new(&[]).unwrap())
}

/// A workspace with nothing in it yet.
struct Workspace {
    place: tempfile::TempDir,
    folders: [Folder; 1],
}

impl Workspace {
    fn new() -> Self {
        let place = tempfile::tempdir().unwrap();
        let folders = [Folder::open(place.path()).unwrap()];
        Self { place, folders }
    }

    fn with(files: &[(&str, &str)]) -> Self {
        let workspace = Self::new();
        for (name, text) in files {
            std::fs::write(workspace.place.path().join(name), text).unwrap();
        }
        workspace
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.place.path().join(name)).unwrap()
    }

    fn plan(&self, task: Task) -> Plan<'_> {
        Plan {
            task,
            working_directory: &self.folders[0],
            environment: SafeEnv::new(&SearchPath::default()),
            stdin: b"",
            timeout: Duration::from_secs(30),
            output_limits: OutputLimits::Each(SHELL_OUTPUT_MAX),
            network: false,
            read: &[],
            write: &self.folders,
            limits: Limits::default(),
        }
    }

    /// Runs a line.
    fn line(&self, text: &str) -> RunResult {
        ran(self.plan(line(text)))
    }

    /// Runs a script of the shell: for what a line cannot say.
    fn script(&self, text: &str) -> RunResult {
        ran(self.plan(script("sh", text)))
    }
}

fn ran(plan: Plan<'_>) -> RunResult {
    run(sandbox(), plan, &StopEvent::new().unwrap()).unwrap()
}

/// A line whose commands are all allowed.
fn line(text: &str) -> Task {
    let find = |name: &[u8]| SearchPath::default().find(name).ok_or(String::from_utf8_lossy(name).into_owned());
    Task::line(&Line::new(text.as_bytes()).unwrap(), find).unwrap()
}

fn script(interpreter: &str, text: &str) -> Task {
    let program = SearchPath::default().interpreter(interpreter).unwrap();
    Task::script(program, interpreter, text.as_bytes().to_owned())
}

fn stdout(ran: &RunResult) -> String {
    String::from_utf8(ran.stdout.bytes.clone()).unwrap()
}

fn stderr(ran: &RunResult) -> String {
    String::from_utf8_lossy(&ran.stderr.bytes).into_owned()
}

/// A run that ended well, as what it wrote.
fn said(ran: &RunResult) -> String {
    assert_eq!(ran.exit, Exit::Code(0), "{}", stderr(ran));
    stdout(ran)
}
