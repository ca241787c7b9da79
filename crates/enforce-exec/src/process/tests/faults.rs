//! Commands that do not want to end, do not want to be found, or want everything: answered in time, and gone.

use std::time::Instant;

use super::*;
use crate::sandbox::{Layer, Layers};

/// Runs a script that does not end by itself, for a short time.
fn timed_out(workspace: &Workspace, text: &str) -> Ran {
    let started = Instant::now();
    let ran = ran(Plan { timeout: SHORT, ..workspace.plan(script("sh", text)) });
    assert_eq!(ran.exit, Exit::TimedOut, "{}", stderr(&ran));
    assert!(started.elapsed() < SHORT + PATIENCE, "{:?}", started.elapsed());
    ran
}

/// Whether a process of this machine has a word among its arguments.
fn is_running(marker: &str) -> bool {
    let entries = std::fs::read_dir("/proc").unwrap().flatten();
    let mut lines = entries.filter_map(|entry| std::fs::read(entry.path().join("cmdline")).ok());
    lines.any(|line| line.windows(marker.len()).any(|window| window == marker.as_bytes()))
}

fn marker() -> String {
    format!("marker-{:x}", fastrand::u64(..))
}

#[test]
fn a_sleep_that_ignores_signals_is_killed() {
    let marker = marker();
    timed_out(&Workspace::new(), &format!("trap '' TERM INT HUP QUIT; echo {marker}; while true; do sleep 100; done"));
    assert!(!is_running(&marker));
}

#[test]
fn a_fork_bomb_is_contained_and_killed() {
    let marker = marker();
    let workspace = Workspace::new();
    let limits = Limits { processes: 64, ..Limits::default() };
    let text = format!("bomb() {{ bomb | bomb & }}; : {marker}; bomb; sleep 100");
    let plan = Plan { limits, timeout: SHORT, ..workspace.plan(script("sh", &text)) };
    let started = Instant::now();
    let ran = ran(plan);
    assert!(started.elapsed() < SHORT + PATIENCE, "{:?}", started.elapsed());
    // A shell that cannot start its last command gives up before the time is over.
    assert!(matches!(ran.exit, Exit::TimedOut | Exit::Code(2 | 254)), "{:?}", ran.exit);
    assert!(stderr(&ran).contains("fork"), "it has met the limit: {}", stderr(&ran));
    assert!(!is_running(&marker));
}

#[test]
fn a_daemon_ends_with_its_line() {
    let marker = marker();
    let workspace = Workspace::new();
    let text =
        format!("setsid sh -c 'setsid sh -c \"sleep 100; echo {marker}\" >/dev/null 2>&1 &' & wait; echo started");
    assert_eq!(said(&workspace.script(&text)), "started\n");
    assert!(!is_running(&marker));
}

#[test]
fn a_daemon_that_holds_the_output_does_not_hold_the_answer() {
    let marker = marker();
    let started = Instant::now();
    let ran = Workspace::new().script(&format!("(sleep 100; echo {marker}) & echo started"));
    assert_eq!(said(&ran), "started\n");
    assert!(started.elapsed() < PATIENCE && !is_running(&marker));
}

#[test]
fn zombies_are_reaped() {
    let workspace = Workspace::new();
    let ran = workspace.script(
        "i=0; while [ $i -lt 200 ]; do (sh -c 'true &' &) ; i=$((i+1)); done; sleep 0.3; cat /proc/[0-9]*/stat",
    );
    let zombies = said(&ran).lines().filter(|line| line.contains(") Z ")).count();
    println!("{zombies} zombies of 200 are left");
    assert!(zombies < 5, "{zombies} zombies are left");
}

#[test]
fn a_child_that_closes_its_output_and_lives_on_is_waited_for() {
    let workspace = Workspace::new();
    let ran = workspace.script("exec >&- 2>&-; sleep 0.2; exit 5");
    assert_eq!(ran.exit, Exit::Code(5));
    timed_out(&workspace, "exec >&- 2>&-; sleep 100");
}

#[test]
fn a_flood_of_output_is_read_and_dropped() {
    // `INTERDICT_FLOOD_BYTES=10000000000` for a longer look.
    let bytes: u64 = std::env::var("INTERDICT_FLOOD_BYTES").map_or(200_000_000, |bytes| bytes.parse().unwrap());
    let workspace = Workspace::new();
    let before = resident_kib();
    let limits = Limits { cpu_seconds: 600, ..Limits::default() };
    let (caps, timeout) = (Caps::Each(1_000), Duration::from_secs(600));
    let ran = ran(Plan { caps, limits, timeout, ..workspace.plan(line(&format!("head -c {bytes} /dev/zero"))) });
    assert_eq!(ran.exit, Exit::Code(0));
    assert_eq!((ran.stdout.bytes.len(), ran.stdout.total_bytes), (1_000, bytes));
    assert!(ran.is_truncated());
    let after = resident_kib();
    println!("{bytes} bytes; memory was {before} KiB before and {after} KiB after");
    assert!(after < before + 50_000, "memory has grown from {before} to {after} KiB");
}

fn resident_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}

#[test]
fn input_that_is_never_read_holds_nobody() {
    let workspace = Workspace::new();
    let input = vec![b'x'; 10 << 20];
    let ran = ran(Plan { stdin: &input, ..workspace.plan(line("echo done")) });
    assert_eq!(said(&ran), "done\n");
}

#[test]
fn the_first_command_of_a_pipeline_ends_when_nobody_reads() {
    let started = Instant::now();
    assert_eq!(said(&Workspace::new().line("yes | head -n 2")), "y\ny\n");
    assert!(started.elapsed() < PATIENCE);
}

#[test]
fn a_run_that_is_called_off_ends_at_once() {
    let workspace = Workspace::new();
    let stop = Stop::new().unwrap();
    let started = Instant::now();
    let exit = std::thread::scope(|scope| {
        let run = scope.spawn(|| run(sandbox(), workspace.plan(line("sleep 100")), &stop).unwrap().exit);
        stop.stop();
        run.join().unwrap()
    });
    assert_eq!(exit, Exit::Cancelled);
    assert!(started.elapsed() < PATIENCE);
}

#[test]
fn without_a_namespace_of_processes_descendants_are_found_and_killed() {
    let without = sandbox().only(Layers::all().without(Layer::PidNamespace));
    let workspace = Workspace::new();
    let marker = marker();
    let text = format!(
        "setsid sh -c 'setsid sh -c \"sleep 100; echo {marker}\" & sleep 100; echo {marker}' & echo up; sleep 100"
    );
    let plan = Plan { timeout: SHORT, ..workspace.plan(script("sh", &text)) };
    let ran = run(&without, plan, &Stop::new().unwrap()).unwrap();
    assert_eq!((ran.exit, stdout(&ran).as_str()), (Exit::TimedOut, "up\n"));
    assert!(!is_running(&marker));
    let text = format!("(sleep 100; echo {marker}) & echo up");
    let ran = run(&without, workspace.plan(script("sh", &text)), &Stop::new().unwrap()).unwrap();
    assert_eq!(said(&ran), "up\n");
    assert!(!is_running(&marker));
}

/// Time for what does not end.
const SHORT: Duration = Duration::from_millis(700);
/// Time for killing and answering, on a machine that does other things too.
const PATIENCE: Duration = Duration::from_secs(5);
