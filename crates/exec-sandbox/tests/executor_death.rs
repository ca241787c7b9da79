//! When the executor is killed, everything that it has started is gone.
#![cfg(target_os = "linux")]

use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use exec_sandbox::{Folder, Limits, Sandbox};
use exec_sandbox::{OutputLimits, Plan, SafeEnv, SearchPath, StopEvent, Task, run};

#[test]
fn a_killed_executor_takes_its_commands_along() {
    let marker = format!("executor-death-{:x}", fastrand::u64(..));
    let place = tempfile::tempdir().unwrap();
    let mut executor = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "--nocapture", "runs_a_command_for_ever_when_it_is_told_where"])
        .env("MARKER", &marker)
        .env("PLACE", place.path())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    // The command says that it runs, with a daemon beside it, by making a file.
    let started = Instant::now();
    while !place.path().join("running").exists() {
        assert!(started.elapsed() < PATIENCE, "the command has not started");
        std::thread::yield_now();
    }
    assert!(is_running(&marker));
    executor.kill().unwrap();
    executor.wait().unwrap();
    // Nobody holds its output any more: that is the end of all of them.
    let output = BufReader::new(executor.stdout.take().unwrap());
    assert!(output.lines().all(|line| line.is_ok()));
    let killed = Instant::now();
    while is_running(&marker) {
        assert!(killed.elapsed() < PATIENCE, "a command has outlived its executor");
        std::thread::yield_now();
    }
}

/// What the test above starts and kills. By itself it has nothing to do.
#[test]
fn runs_a_command_for_ever_when_it_is_told_where() {
    let (Ok(marker), Ok(place)) = (std::env::var("MARKER"), std::env::var("PLACE")) else {
        return;
    };
    let folders = [Folder::open(place.as_ref()).unwrap()];
    let script =
        format!("trap '' TERM HUP INT; setsid sh -c 'sleep 1000; : {marker}' & : > running; sleep 1000; : {marker}");
    let shell = SearchPath::default().interpreter("sh").unwrap();
    let words = ["sh", "-c", &script].map(|word| word.as_bytes().to_vec());
    let plan = Plan {
        task: Task::argv(shell, words.into()),
        working_directory: &folders[0],
        environment: SafeEnv::new(&SearchPath::default()),
        stdin: b"",
        timeout: Duration::from_secs(600),
        output_limits: OutputLimits::Each(1_000),
        network: false,
        read: &[],
        write: &folders,
        limits: Limits::default(),
    };
    run(&Sandbox::new(&[]).unwrap(), plan, &StopEvent::new().unwrap()).unwrap();
}

/// Whether a process of this machine has a word among its arguments.
fn is_running(marker: &str) -> bool {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let mut lines = entries.filter_map(|entry| std::fs::read(entry.path().join("cmdline")).ok());
    lines.any(|line| line.windows(marker.len()).any(|window| window == marker.as_bytes()))
}

const PATIENCE: Duration = Duration::from_secs(20);
