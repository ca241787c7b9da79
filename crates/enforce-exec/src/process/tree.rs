//! Ending everything that comes from a process, where there is no namespace that ends with it.
//!
//! This is weaker: between looking and killing, processes start others. It goes on until none is found, for a while.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};

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

/// A process that has not ended.
struct Living {
    pid: Pid,
    parent: i32,
    /// In ticks since the machine started: with the number, this is nobody else's.
    started: u64,
}

impl Living {
    fn read(pid: Pid) -> Option<Self> {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_pid())).ok()?;
        // The name in parentheses can have anything in it.
        let (_, rest) = stat.rsplit_once(')')?;
        let mut fields = rest.split_whitespace();
        let state = fields.next()?;
        let parent = fields.next()?.parse().ok()?;
        let started = fields.nth(STARTED_AFTER_PARENT)?.parse().ok()?;
        (!matches!(state, "Z" | "X")).then_some(Self { pid, parent, started })
    }
}

fn descendants(ancestor: Pid) -> Vec<Living> {
    let mut children: BTreeMap<i32, Vec<Living>> = BTreeMap::new();
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = entries.filter_map(|entry| Pid::from_raw(entry.file_name().to_str()?.parse().ok()?));
    for process in pids.filter_map(Living::read) {
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

/// Fields between the parent (the 4th) and the start (the 22nd).
const STARTED_AFTER_PARENT: usize = 17;
const PATIENCE: Duration = Duration::from_secs(5);
const PAUSE: Duration = Duration::from_millis(2);
