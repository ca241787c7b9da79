//! Process -> all its descendants killed, where no process namespace ends with it.
//!
//! This is weaker: processes can fork between the search and the kill, so it is repeated until none is found, for a limited
//! time.
//!
//! A command can kill the first process where nothing keeps signals inside. The executor, as a subreaper, then adopts its
//! descendants, and tells them from its other children:
//! - The first process of a sandbox sends no signal when it ends; adopted processes do.
//! - A process of a sandbox is never in the executor's session, and did not start before the sandbox.
//! - It has the sandbox's filter, or at least cannot gain privileges, and can drop neither.

use std::collections::BTreeMap;
use std::os::fd::AsFd as _;
use std::time::{Duration, Instant};

use exec_base::ProcessStat;
use rustix::process::{
    Pid, PidfdFlags, Signal, WaitId, WaitIdOptions, child_subreaper, getpid, pidfd_open, pidfd_send_signal,
    set_child_subreaper, waitid,
};

/// Kills all descendants of a process that adopts orphans. Returns whether none is left.
pub(crate) fn end_descendants(ancestor: Pid) -> bool {
    let end = Instant::now() + DEADLINE;
    loop {
        let living = descendants(ancestor);
        if living.is_empty() {
            return true;
        }
        if Instant::now() > end {
            return false;
        }
        for process in living {
            // Opened first, then checked again: the process id may have been reused.
            if let Ok(held) = pidfd_open(process.pid, PidfdFlags::empty())
                && Relative::read(process.pid).is_some_and(|again| again.started == process.started)
            {
                let _ = pidfd_send_signal(held, Signal::KILL);
            }
        }
        std::thread::sleep(PAUSE);
    }
}

/// Makes this process adopt the orphans among its descendants.
pub(crate) fn adopt() -> rustix::io::Result<()> {
    // Setting it again would change nothing and make the kernel visit every descendant.
    match child_subreaper()? {
        Some(_) => Ok(()),
        None => set_child_subreaper(Some(getpid())),
    }
}

/// Restrictions that every process of a sandbox has and cannot lose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SandboxMark {
    pub(crate) has_filter: bool,
    pub(crate) drops_privileges: bool,
}

impl SandboxMark {
    /// True if a process has them. The executor may be unable to gain privileges itself; then `NoNewPrivs` tells nothing.
    fn is_on(self, pid: Pid) -> bool {
        let (Some(own), Some(other)) =
            (SecurityStatus::read("self"), SecurityStatus::read(&pid.as_raw_pid().to_string()))
        else {
            return false;
        };
        match self {
            Self { has_filter: true, .. } => other.filters > own.filters,
            Self { drops_privileges: true, .. } => other.no_new_privileges > 0,
            Self { .. } => true,
        }
    }
}

/// Kills and reaps the processes that were adopted from a sandbox whose first process is gone. Returns whether none is left;
/// `since` is the start time of the first process.
pub(crate) fn end_orphans(since: u64, mark: SandboxMark) -> bool {
    if !matches!(child_subreaper(), Ok(Some(_))) {
        return true;
    }
    let end = Instant::now() + DEADLINE;
    while Instant::now() < end {
        let orphans: Vec<Relative> = orphans(since, mark);
        if orphans.is_empty() {
            return true;
        }
        for orphan in &orphans {
            // A child keeps its process id until it is reaped.
            if let Ok(held) = pidfd_open(orphan.pid, PidfdFlags::empty()) {
                let _ = pidfd_send_signal(&held, Signal::KILL);
                let _ = waitid(WaitId::PidFd(held.as_fd()), WaitIdOptions::EXITED | WaitIdOptions::NOHANG);
            }
        }
        std::thread::sleep(PAUSE);
    }
    false
}

/// Returns the start time of a process that has not been reaped.
pub(crate) fn start_of(pid: Pid) -> Option<u64> {
    Relative::read_any(pid).map(|process| process.started)
}

fn orphans(since: u64, mark: SandboxMark) -> Vec<Relative> {
    // Read from `/proc` like the others: for a session that began outside of this process namespace, as in some containers,
    // the system call returns zero, which is no process.
    let (myself, session) = (getpid().as_raw_pid(), Relative::read_any(getpid()).map(|myself| myself.session));
    let is_orphan = |process: &Relative| {
        process.parent == myself
            && process.signals_its_end
            && Some(process.session) != session
            && process.started >= since
            && mark.is_on(process.pid)
    };
    all_pids().filter_map(Relative::read_any).filter(is_orphan).collect()
}

struct Relative {
    pid: Pid,
    has_ended: bool,
    parent: i32,
    session: i32,
    started: u64,
    /// True if its end sends its parent a signal.
    signals_its_end: bool,
}

impl Relative {
    fn read(pid: Pid) -> Option<Self> {
        Self::read_any(pid).filter(|process| !process.has_ended)
    }

    /// Reads a process that may have ended, but has not been reaped.
    fn read_any(pid: Pid) -> Option<Self> {
        let stat = ProcessStat::read(&pid.as_raw_pid().to_string())?;
        Some(Self {
            pid,
            has_ended: matches!(stat.field(3)?, 'Z' | 'X'),
            parent: stat.field(4)?,
            session: stat.field(6)?,
            started: stat.started()?,
            signals_its_end: stat.field::<i32>(38)? != 0,
        })
    }
}

/// Restrictions of a process, from `/proc/PID/status`.
struct SecurityStatus {
    filters: u64,
    no_new_privileges: u64,
}

impl SecurityStatus {
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

fn descendants(ancestor: Pid) -> Vec<Relative> {
    let mut children: BTreeMap<i32, Vec<Relative>> = BTreeMap::new();
    for process in all_pids().filter_map(Relative::read) {
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

const DEADLINE: Duration = Duration::from_secs(5);
const PAUSE: Duration = Duration::from_millis(2);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_child_that_comes_from_no_sandbox_is_not_taken_for_an_orphan() {
        // In a session of its own, as what comes from a sandbox is.
        let mut other = std::process::Command::new("setsid").args(["sleep", "100"]).spawn().unwrap();
        let is_orphan = |since, has_filter, drops_privileges| {
            let mark = SandboxMark { has_filter, drops_privileges };
            orphans(since, mark).iter().any(|orphan| orphan.pid.as_raw_pid().unsigned_abs() == other.id())
        };
        let started = Instant::now();
        while !is_orphan(0, false, false) {
            assert!(started.elapsed() < DEADLINE, "without a mark nothing tells it");
        }
        let is_told_by_privileges = SecurityStatus::read("self").unwrap().no_new_privileges == 0;
        let by_privileges = is_told_by_privileges && is_orphan(0, false, true);
        let found = [is_orphan(0, true, true), is_orphan(0, true, false), by_privileges];
        let found_later = is_orphan(u64::MAX, false, false);
        other.kill().unwrap();
        other.wait().unwrap();
        assert_eq!((found, found_later), ([false; 3], false));
    }
}
