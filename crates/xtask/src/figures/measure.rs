//! A program -> how long it runs and how much memory it takes at most, seen from outside.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{self, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::error::TaskError;
use crate::tree::shown;

/// Wall time of that many runs from start to exit, sorted. One run before them warms the caches.
pub(super) fn times(command: &mut Command, runs: usize) -> Result<Vec<Duration>, TaskError> {
    let mut times = Vec::with_capacity(runs);
    for run in 0..=runs {
        let start = Instant::now();
        let status = quiet(command).status();
        let time = start.elapsed();
        let status = status.map_err(|source| TaskError::Start { program: shown(command), source })?;
        must_succeed(command, status)?;
        if run > 0 {
            times.push(time);
        }
    }
    times.sort_unstable();
    Ok(times)
}

/// The most memory one run has resident, where the system keeps count (Linux).
///
/// The kernel keeps the highest mark itself, so looking often is only to look shortly before the end.
/// The time this takes is why it is a run of its own.
pub(super) fn peak_bytes(command: &mut Command) -> Result<Option<u64>, TaskError> {
    let spawned = quiet(command).spawn();
    let mut child = spawned.map_err(|source| TaskError::Start { program: shown(command), source })?;
    let report = PathBuf::from(format!("/proc/{}/status", child.id()));
    let mut peak = None;
    loop {
        peak = fs::read_to_string(&report).ok().and_then(|status| high_water_bytes(&status)).max(peak);
        let ended = child.try_wait().map_err(|source| TaskError::Start { program: shown(command), source })?;
        if let Some(status) = ended {
            must_succeed(command, status)?;
            return Ok(peak);
        }
        thread::sleep(LOOK_AGAIN);
    }
}

/// A folder for generated policies that goes away with this value.
#[derive(Debug)]
pub(super) struct Scratch {
    path: PathBuf,
}

impl Scratch {
    pub(super) fn new() -> Result<Self, TaskError> {
        let path = env::temp_dir().join(format!("interdict-figures-{}", process::id()));
        // `create_dir` and not `create_dir_all`: what is there already is not ours to remove.
        match fs::create_dir(&path) {
            Ok(()) => Ok(Self { path }),
            Err(source) => Err(TaskError::Write { path, source }),
        }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // Nothing is lost when it stays: it is in the folder for temporary files.
        let _ = fs::remove_dir_all(&self.path);
    }
}

/// A program that fails does less work than it should, so its figures would flatter it.
fn must_succeed(command: &Command, status: ExitStatus) -> Result<(), TaskError> {
    if status.success() { Ok(()) } else { Err(TaskError::Failed { program: shown(command), status }) }
}

fn quiet(command: &mut Command) -> &mut Command {
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null())
}

/// The line `VmHWM:  1234 kB` of a process's status, whose kB are KiB.
fn high_water_bytes(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim_end().parse().ok()?;
    kibibytes.checked_mul(1024)
}

const LOOK_AGAIN: Duration = Duration::from_micros(500);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_high_water_mark_is_read_in_bytes() {
        assert_eq!(high_water_bytes("Name:\tx\nVmPeak:\t  9 kB\nVmHWM:\t    1234 kB\n"), Some(1_263_616));
        assert_eq!(high_water_bytes("Name:\tx\nState:\tZ (zombie)\n"), None);
        assert_eq!(high_water_bytes("VmHWM:\tmany kB\n"), None);
    }

    #[test]
    fn as_many_times_are_taken_as_asked_for_in_rising_order() {
        let times = times(Command::new(env!("CARGO")).arg("--version"), 3).unwrap();
        assert_eq!(times.len(), 3);
        assert!(times.is_sorted());
    }

    #[test]
    fn a_program_that_fails_has_no_figures() {
        let mut command = Command::new(env!("CARGO"));
        command.arg("--no-such-option");
        assert!(matches!(times(&mut command, 1), Err(TaskError::Failed { .. })));
        assert!(matches!(peak_bytes(&mut command), Err(TaskError::Failed { .. })));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_running_program_has_a_peak() {
        let peak = peak_bytes(Command::new(env!("CARGO")).arg("--list")).unwrap();
        assert!(peak.is_some_and(|bytes| bytes > 100_000), "{peak:?}");
    }

    #[test]
    fn a_scratch_folder_goes_away_and_is_never_another_ones() {
        let scratch = Scratch::new().unwrap();
        let path = scratch.path().to_owned();
        assert!(path.is_dir());
        assert!(matches!(Scratch::new(), Err(TaskError::Write { .. })));
        assert!(path.is_dir());
        drop(scratch);
        assert!(!path.exists());
    }
}
