//! Process -> everything that it has started is killed, where there is no namespace that ends with it.
//!
//! This is weaker: between looking and killing, processes start others. It goes on until none is found, for a while.
//!
//! The process from which they come can be lost, because a command can kill it where nothing keeps signals inside. What it
//! had started then becomes the executor's, if that has asked for it, and is told from the executor's other children:
//! - a first process of a sandbox sends no signal at its end; whoever was adopted does,
//! - what comes from a sandbox is never in the executor's session, and did not start before the sandbox,
//! - it is held by the sandbox's filter, or at least can get no privileges, and cannot get rid of either.

use std::collections::BTreeMap;
use std::os::fd::AsFd as _;
use std::time::{Duration, Instant};

use rustix::process::{
    Pid, PidfdFlags, Signal, WaitId, WaitIdOptions, child_subreaper, getpid, pidfd_open, pidfd_send_signal,
    set_child_subreaper, waitid,
};

/// Kills all descendants of a process, which adopts those that lose their parents. Whether none is left.
pub(crate) fn end_descendants(ancestor: Pid) -> bool {
    let end = Instant::now() + PATIENCE;
    loop {
        let living = descendants(ancestor);
        if living.is_empty() {
            return true;
        }
        if Instant::now() > end {
            return false;
        }
        for process in living {
            // Held first, and looked at again: the number may be another's by now.
            if let Ok(held) = pidfd_open(process.pid, PidfdFlags::empty())
                && Living::read(process.pid).is_some_and(|again| again.started == process.started)
            {
                let _ = pidfd_send_signal(held, Signal::KILL);
            }
        }
        std::thread::sleep(PAUSE);
    }
}

/// Has the kernel give this process whatever loses its parents below it.
pub(crate) fn adopt() -> rustix::io::Result<()> {
    // To say it again changes nothing, and has the kernel tell every descendant.
    match child_subreaper()? {
        Some(_) => Ok(()),
        None => set_child_subreaper(Some(getpid())),
    }
}

/// What everything that comes from a sandbox has, and cannot lose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Mark {
    /// Whether there is a filter around it.
    pub(crate) has_filter: bool,
    pub(crate) drops_privileges: bool,
}

impl Mark {
    /// Whether a process has it. Privileges tell nothing where this process and its other children can get none either.
    fn is_on(self, pid: Pid) -> bool {
        let (Some(own), Some(other)) = (Held::read("self"), Held::read(&pid.as_raw_pid().to_string())) else {
            return false;
        };
        match self {
            Self { has_filter: true, .. } => other.filters > own.filters,
            Self { drops_privileges: true, .. } => other.no_new_privileges > 0,
            Self { .. } => true,
        }
    }
}

/// Kills what has come to this process from a sandbox whose first process is gone, and waits for it. Whether none is
/// left; `since` is when the first process started.
pub(crate) fn end_orphans(since: u64, mark: Mark) -> bool {
    if !matches!(child_subreaper(), Ok(Some(_))) {
        return true;
    }
    let end = Instant::now() + PATIENCE;
    while Instant::now() < end {
        let orphans: Vec<Living> = orphans(since, mark);
        if orphans.is_empty() {
            return true;
        }
        for orphan in &orphans {
            // It is this process's child, so that its number stays its own until it was waited for.
            if let Ok(held) = pidfd_open(orphan.pid, PidfdFlags::empty()) {
                let _ = pidfd_send_signal(&held, Signal::KILL);
                let _ = waitid(WaitId::PidFd(held.as_fd()), WaitIdOptions::EXITED | WaitIdOptions::NOHANG);
            }
        }
        std::thread::sleep(PAUSE);
    }
    false
}

/// When a process started that has not been waited for.
pub(crate) fn start_of(pid: Pid) -> Option<u64> {
    Living::read_any(pid).map(|process| process.started)
}

/// Those that were adopted, and have ended or not.
fn orphans(since: u64, mark: Mark) -> Vec<Living> {
    // Read where the others' is read: for a session that began outside of this namespace, as a container's does whose
    // first process is another's child, the system call answers zero, which is no process.
    let (myself, session) = (getpid().as_raw_pid(), Living::read_any(getpid()).map(|myself| myself.session));
    let is_orphan = |process: &Living| {
        process.parent == myself
            && process.tells_its_end
            && Some(process.session) != session
            && process.started >= since
            && mark.is_on(process.pid)
    };
    all_pids().filter_map(Living::read_any).filter(is_orphan).collect()
}

struct Living {
    pid: Pid,
    has_ended: bool,
    parent: i32,
    session: i32,
    /// In ticks since the machine started: with the number, this is nobody else's.
    started: u64,
    /// Whether its parent gets a signal when it ends.
    tells_its_end: bool,
}

impl Living {
    fn read(pid: Pid) -> Option<Self> {
        Self::read_any(pid).filter(|process| !process.has_ended)
    }

    /// The same of one that has ended as well, as long as nobody has waited for it.
    fn read_any(pid: Pid) -> Option<Self> {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_pid())).ok()?;
        // The name in parentheses can have anything in it.
        let (_, rest) = stat.rsplit_once(')')?;
        let fields: Vec<&str> = rest.split_whitespace().collect();
        let number = |field: usize| fields.get(field).and_then(|field| field.parse::<i32>().ok());
        Some(Self {
            pid,
            has_ended: matches!(*fields.get(STATE)?, "Z" | "X"),
            parent: number(PARENT)?,
            session: number(SESSION)?,
            started: fields.get(STARTED)?.parse().ok()?,
            tells_its_end: number(EXIT_SIGNAL)? != 0,
        })
    }
}

/// What `/proc/PID/status` says of how a process is held.
struct Held {
    filters: u64,
    no_new_privileges: u64,
}

impl Held {
    fn read(process: &str) -> Option<Self> {
        let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
        let number = |name: &str| status.lines().find_map(|line| line.strip_prefix(name)?.trim().parse().ok());
        let count = |name| number(name).unwrap_or(0);
        Some(Self { filters: count("Seccomp_filters:"), no_new_privileges: count("NoNewPrivs:") })
    }
}

fn all_pids() -> impl Iterator<Item = Pid> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| Pid::from_raw(entry.file_name().to_str()?.parse().ok()?))
}

fn descendants(ancestor: Pid) -> Vec<Living> {
    let mut children: BTreeMap<i32, Vec<Living>> = BTreeMap::new();
    for process in all_pids().filter_map(Living::read) {
        children.entry(process.parent).or_default().push(process);
    }
    let mut found = Vec::new();
    let mut next = vec![ancestor.as_raw_pid()];
    while let Some(pid) = next.pop() {
        let these = children.remove(&pid).unwrap_or_default();
        next.extend(these.iter().map(|process| process.pid.as_raw_pid()));
        found.extend(these);
    }
    found
}

/// Fields of `/proc/PID/stat`, from the 3rd on, which is the first behind the name.
const STATE: usize = 0;
const PARENT: usize = 1;
const SESSION: usize = 3;
const STARTED: usize = 19;
const EXIT_SIGNAL: usize = 35;
const PATIENCE: Duration = Duration::from_secs(5);
const PAUSE: Duration = Duration::from_millis(2);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_child_that_comes_from_no_sandbox_is_not_taken_for_an_orphan() {
        // In a session of its own, as what comes from a sandbox is.
        let mut other = std::process::Command::new("setsid").args(["sleep", "100"]).spawn().unwrap();
        let is_orphan = |since, has_filter, drops_privileges| {
            let mark = Mark { has_filter, drops_privileges };
            orphans(since, mark).iter().any(|orphan| orphan.pid.as_raw_pid().unsigned_abs() == other.id())
        };
        let started = Instant::now();
        while !is_orphan(0, false, false) {
            assert!(started.elapsed() < PATIENCE, "without a mark nothing tells it");
        }
        let is_told_by_privileges = Held::read("self").unwrap().no_new_privileges == 0;
        let by_privileges = is_told_by_privileges && is_orphan(0, false, true);
        let found = [is_orphan(0, true, true), is_orphan(0, true, false), by_privileges];
        let found_later = is_orphan(u64::MAX, false, false);
        other.kill().unwrap();
        other.wait().unwrap();
        assert_eq!((found, found_later), ([false; 3], false));
    }
}
