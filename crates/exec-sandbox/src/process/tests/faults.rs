//! Commands that do not want to end, do not want to be found, or want everything: answered in time, and gone.

use std::collections::BTreeSet;
use std::process::Command;
use std::time::Instant;

use super::watched::{Seen, Watched, watched, watched_in};
use super::*;
use crate::sandbox::{Layer, Layers};

/// Runs a script that does not end by itself, for a short time.
fn timed_out(workspace: &Workspace, text: &str) {
    let started = Instant::now();
    let ran = ran(Plan { timeout: SHORT, ..workspace.plan(script("sh", text)) });
    is_timed_out(&ran, started);
}

fn is_timed_out(ran: &RunResult, started: Instant) {
    assert_eq!(ran.exit, Exit::TimedOut, "{}", stderr(ran));
    assert!(started.elapsed() < SHORT + PATIENCE, "{:?}", started.elapsed());
}

/// Whether a command of this name is there.
fn has(seen: &[Seen], name: &str) -> bool {
    seen.iter().any(|seen| seen.name == name)
}

/// Sessions in which there is a command of this name.
fn sessions(seen: &[Seen], name: &str) -> usize {
    let sessions = seen.iter().filter(|seen| seen.name == name).map(|seen| seen.session);
    sessions.collect::<BTreeSet<_>>().len()
}

#[test]
fn a_sleep_that_ignores_signals_is_killed() {
    let workspace = Workspace::new();
    let text = "trap '' TERM INT HUP QUIT; while true; do sleep 100; done";
    let plan = Plan { timeout: SHORT, ..workspace.plan(script("sh", text)) };
    let started = Instant::now();
    let ran = watched(&workspace, plan, |seen| has(seen, "sh") && has(seen, "sleep")).ran.unwrap();
    is_timed_out(&ran, started);
}

#[test]
fn a_fork_bomb_is_contained_and_killed() {
    // The one that everybody knows gives up where it cannot fork; the other one never does.
    let known = "bomb() { bomb | bomb & }; (bomb); read _ < seen; sleep 100";
    let stubborn = r"
import os, time
while True:
    try:
        os.fork()
    except OSError:
        os.write(2, b'cannot fork\n')
        time.sleep(0.5)
";
    for (interpreter, text, together) in [("sh", known, 1), ("python3", stubborn, BOMB_SEEN)] {
        let workspace = Workspace::new();
        let limits = Limits { processes: BOMB_PROCESSES, ..Limits::default() };
        let plan = Plan { limits, timeout: SHORT, ..workspace.plan(script(interpreter, text)) };
        let started = Instant::now();
        let Watched { ran, most } = watched(&workspace, plan, |seen| seen.len() >= together);
        let ran = ran.unwrap();
        assert!(started.elapsed() < SHORT + PATIENCE, "{:?}", started.elapsed());
        let uncounted = if rustix::process::geteuid().is_root() { UNCOUNTED } else { 0 };
        assert!(u64::try_from(most).unwrap() <= BOMB_PROCESSES + uncounted, "{most} processes");
        // A shell that cannot start its last command gives up before the time is over.
        assert!(matches!(ran.exit, Exit::TimedOut | Exit::Code(2 | 254)), "{:?}", ran.exit);
        assert!(stderr(&ran).contains("fork"), "it has met the limit: {}", stderr(&ran));
    }
}

#[test]
fn a_daemon_ends_with_its_line() {
    let workspace = Workspace::new();
    let text = "setsid sh -c 'setsid sh -c \"sleep 100; :\" >/dev/null 2>&1 &' & wait; read _ < seen; echo started";
    // The line's own shell is in a session, the daemon in another one.
    let daemon = |seen: &[Seen]| has(seen, "sleep") && sessions(seen, "sh") == 2;
    let ran = watched(&workspace, workspace.plan(script("sh", text)), daemon).ran.unwrap();
    assert_eq!(said(&ran), "started\n");
}

#[test]
fn a_daemon_that_holds_the_output_does_not_hold_the_answer() {
    let workspace = Workspace::new();
    let plan = workspace.plan(script("sh", "sleep 100 & read _ < seen; echo started"));
    let started = Instant::now();
    let ran = watched(&workspace, plan, |seen| has(seen, "sleep")).ran.unwrap();
    assert_eq!(said(&ran), "started\n");
    assert!(started.elapsed() < PATIENCE, "{:?}", started.elapsed());
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
fn a_maker_of_zombies_goes_with_them() {
    let makes = |last: &str| format!("import os, time\nfor _ in range({ZOMBIES}): os.fork() or os._exit(0)\n{last}");
    let are_there = |seen: &[Seen]| seen.iter().filter(|seen| seen.has_ended).count() == ZOMBIES;
    for sandbox in [sandbox(), &sandbox().only(Layers::all().without(Layer::PidNamespace))] {
        let (workspace, stop) = (Workspace::new(), StopEvent::new().unwrap());
        let plan = workspace.plan(script("python3", &makes("time.sleep(100)")));
        let started = Instant::now();
        let ran = watched_in((sandbox, &stop), &workspace, Plan { timeout: SHORT, ..plan }, are_there).ran.unwrap();
        is_timed_out(&ran, started);
        // One that ends by itself leaves them to the first process.
        let plan = workspace.plan(script("python3", &makes("open('seen').readline()")));
        assert_eq!(watched_in((sandbox, &stop), &workspace, plan, are_there).ran.unwrap().exit, Exit::Code(0));
    }
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
    let bytes: u64 = if std::env::var_os("INTERDICT_FAULTS").is_some() { 10_000_000_000 } else { 200_000_000 };
    let workspace = Workspace::new();
    let before = resident_kib();
    let limits = Limits { cpu_seconds: 600, ..Limits::default() };
    let (output_limits, timeout) = (OutputLimits::Each(1_000), Duration::from_secs(600));
    let ran =
        ran(Plan { output_limits, limits, timeout, ..workspace.plan(line(&format!("head -c {bytes} /dev/zero"))) });
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
    let stop = StopEvent::new().unwrap();
    let started = Instant::now();
    let is_there = |seen: &[Seen]| {
        let is_there = has(seen, "sleep");
        if is_there {
            stop.stop();
        }
        is_there
    };
    let ran = watched_in((sandbox(), &stop), &workspace, workspace.plan(line("sleep 100")), is_there).ran.unwrap();
    assert_eq!(ran.exit, Exit::Cancelled);
    assert!(started.elapsed() < PATIENCE);
}

#[test]
fn without_a_namespace_of_processes_descendants_are_found_and_killed() {
    let without = sandbox().only(Layers::all().without(Layer::PidNamespace));
    let (workspace, stop) = (Workspace::new(), StopEvent::new().unwrap());
    let text = "setsid sh -c 'setsid sh -c \"sleep 100; :\" & sleep 100; :' & echo up; sleep 100; :";
    let plan = Plan { timeout: SHORT, ..workspace.plan(script("sh", text)) };
    let are_there = |seen: &[Seen]| sessions(seen, "sh") == 3 && sessions(seen, "sleep") == 3;
    let ran = watched_in((&without, &stop), &workspace, plan, are_there).ran.unwrap();
    assert_eq!((ran.exit, stdout(&ran).as_str()), (Exit::TimedOut, "up\n"));
    let plan = workspace.plan(script("sh", "(sleep 100; :) & read _ < seen; echo up"));
    let ran = watched_in((&without, &stop), &workspace, plan, |seen| has(seen, "sleep")).ran.unwrap();
    assert_eq!(said(&ran), "up\n");
}

/// Without a namespace of processes, a command sees the first process and is its equal. What it had started must not
/// outlive it, whether the command can signal it or not.
#[test]
fn without_a_namespace_of_processes_nothing_outlives_the_first_process() {
    let (workspace, stop) = (Workspace::new(), StopEvent::new().unwrap());
    let without = |layers: &[Layer]| {
        let fewer = |all: Layers, layer: &Layer| all.without(*layer);
        sandbox().only(layers.iter().fold(Layers::all().without(Layer::PidNamespace), fewer))
    };
    // The one that kills is in the third session, with others that it has made before and makes after it.
    let attack = r#"
import os, time
first, (told, tells) = os.getppid(), os.pipe()
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.setsid()
        for _ in range(3):
            if os.fork() == 0:
                time.sleep(1000)
        open('seen').readline()
        try:
            os.kill(first, 9)
        except PermissionError:
            print('refused', flush=True)
        os.closerange(0, 3)
        for _ in range(3):
            os.fork()
        os.write(tells, b'.')
        time.sleep(1000)
    os._exit(0)
os.read(told, 1)
"#;
    let python = SearchPath::default().interpreter("python3").unwrap();
    let attack = |sandbox: &Sandbox| {
        let words = ["python3", "-c", attack].map(|word| word.as_bytes().to_vec());
        let plan = workspace.plan(Task::argv(python.clone(), words.into()));
        let are_there = |seen: &[Seen]| sessions(seen, "python3") > 1 && seen.len() >= 5;
        watched_in((sandbox, &stop), &workspace, plan, are_there).ran
    };
    // Landlock keeps signals inside.
    assert_eq!(said(&attack(&without(&[])).unwrap()), "refused\n");
    // Without it, those that are left are found.
    let started = Instant::now();
    let error = attack(&without(&[Layer::Landlock])).unwrap_err();
    assert!(matches!(error, RunError::Lost), "{error}");
    assert!(started.elapsed() < PATIENCE, "{:?}", started.elapsed());
    // Those of another test may be about to be waited for.
    while zombies() > 0 {
        assert!(started.elapsed() < PATIENCE, "they were not waited for");
        std::thread::yield_now();
    }
}

/// As a container does whose first process is a child of another namespace's: its session has no number in there.
#[test]
fn without_a_namespace_of_processes_they_are_found_in_a_session_from_outside() {
    let inside = || {
        let mut command = Command::new("unshare");
        command.args(["--user", "--map-root-user", "--pid", "--fork", "--mount-proc"]);
        command
    };
    if !inside().arg("true").output().is_ok_and(|output| output.status.success()) {
        eprintln!("NOT TESTED: a session from outside, because no namespace of processes can be made here");
        return;
    }
    let here = module_path!().split_once("::").unwrap().1;
    let tests = ["descendants_are_found_and_killed", "nothing_outlives_the_first_process"]
        .map(|name| format!("{here}::without_a_namespace_of_processes_{name}"));
    let output = inside().arg(std::env::current_exe().unwrap()).arg("--exact").args(tests).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    assert!(String::from_utf8_lossy(&output.stdout).contains("2 passed"), "they are others by name");
}

/// Children of this process that run Python, have ended, and that nobody has waited for.
fn zombies() -> usize {
    let myself = std::process::id().to_string();
    let is_zombie = |entry: std::fs::DirEntry| {
        let stat = std::fs::read_to_string(entry.path().join("stat")).unwrap_or_default();
        // Its name has a version in it.
        stat.contains(" (python3") && stat.contains(&format!(") Z {myself} "))
    };
    std::fs::read_dir("/proc").unwrap().flatten().map(is_zombie).filter(|is| *is).count()
}

/// Time for what does not end: enough to be seen at work, on a machine that does other things too.
const SHORT: Duration = Duration::from_secs(2);
/// Time for killing and answering, on such a machine.
pub(super) const PATIENCE: Duration = Duration::from_secs(5);
/// What a fork bomb may have, and how many of them have to be seen at once.
const BOMB_PROCESSES: u64 = 64;
const BOMB_SEEN: usize = 40;
/// Root's processes are bounded by their numbers alone, of which the kernel leaves these out.
const UNCOUNTED: u64 = 300;
const ZOMBIES: usize = 50;
