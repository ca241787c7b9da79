//! This program started again as a child, for what has to be measured in a process of its own.

use std::env;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde::de::DeserializeOwned;

/// Why a child gave no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum NoAnswer {
    TookTooLong(Duration),
    Failed(String),
}

/// The path of this program.
pub(crate) fn this_program() -> PathBuf {
    env::current_exe().expect("a running program has a path")
}

/// Runs a child to its end and reads the JSON it prints last.
pub(crate) fn answer<T: DeserializeOwned>(command: &mut Command, time: Duration) -> Result<T, NoAnswer> {
    let failed = |reason: String| NoAnswer::Failed(reason);
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| failed(format!("{}: {error}", command.get_program().display())))?;
    let printed = wait(&mut child, time)?;
    let last = printed.lines().last().unwrap_or_default();
    serde_json::from_str(last).map_err(|error| failed(format!("{error} in `{last}`")))
}

/// What a child prints, or why there is nothing: ended when the time is over.
fn wait(child: &mut Child, time: Duration) -> Result<String, NoAnswer> {
    let mut stdout = child.stdout.take().expect("is piped");
    let reader = thread::spawn(move || {
        let mut text = String::new();
        stdout.read_to_string(&mut text).map(|_| text)
    });
    let start = Instant::now();
    let status = loop {
        match child.try_wait().expect("a child can be waited for") {
            Some(status) => break status,
            None if start.elapsed() > time => {
                // It may have ended just now, which is as good.
                let _ = child.kill();
                let _ = child.wait();
                return Err(NoAnswer::TookTooLong(time));
            }
            None => thread::sleep(Duration::from_millis(5)),
        }
    };
    let text = reader.join().expect("no thread panics").map_err(|error| NoAnswer::Failed(error.to_string()))?;
    if status.success() { Ok(text) } else { Err(NoAnswer::Failed(status.to_string())) }
}

/// The most memory that this process has had resident, where the system keeps count (Linux).
pub(crate) fn peak_bytes() -> Option<u64> {
    high_water_bytes(&fs::read_to_string("/proc/self/status").ok()?)
}

/// The line `VmHWM:  1234 kB` of a process's status, whose kB are KiB.
pub(crate) fn high_water_bytes(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim_end().parse().ok()?;
    Some(kibibytes << 10)
}

/// A folder that goes away with this value.
pub(crate) struct Scratch {
    path: PathBuf,
}

impl Scratch {
    pub(crate) fn new() -> Self {
        let path = env::temp_dir().join(format!("interdict-benches-{}", std::process::id()));
        fs::create_dir(&path).expect("a folder for temporary files");
        Self { path }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // Nothing is lost when it stays: it is in the folder for temporary files.
        let _ = fs::remove_dir_all(&self.path);
    }
}
