//! A run, looked at from outside: that a process is gone says something only of one that was there.
//!
//! Whatever comes from the run has a variable in its environment that nothing else on the machine has. The variable and
//! not a word of a command, because a shell copies itself for much of what it does, and a file of its text is no argument.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Instant;

use rustix::fs::{CWD, FileType, Mode};

use super::faults::PATIENCE;
use super::*;

/// A process of the run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Seen {
    id: Id,
    /// What it was told that it is; nothing of one that has ended.
    pub(super) name: String,
    pub(super) session: i32,
    /// Nobody has waited for it yet.
    pub(super) has_ended: bool,
}

/// Its number, and its start, with which the number is nobody else's.
type Id = (i32, u64);

/// What came of a run, of which nothing is left.
pub(super) struct Watched {
    pub(super) ran: Result<RunResult, RunError>,
    /// Living processes, as many as were seen together.
    pub(super) most: usize,
}

/// Runs a plan in the whole sandbox, and nobody calls it off.
pub(super) fn watched(workspace: &Workspace, plan: Plan<'_>, are_there: impl Fn(&[Seen]) -> bool + Send) -> Watched {
    watched_in((sandbox(), &StopEvent::new().unwrap()), workspace, plan, are_there)
}

/// Runs a plan, and looks at its processes all the while. They must have been seen to be all there that have to go, and
/// at the end all that were ever seen must be gone.
///
/// A command that is to end by itself waits until it was seen: `read _ < seen`.
pub(super) fn watched_in(
    (sandbox, stop): (&Sandbox, &StopEvent),
    workspace: &Workspace,
    plan: Plan<'_>,
    are_there: impl Fn(&[Seen]) -> bool + Send,
) -> Watched {
    let marker = format!("MARKER={:016x}", fastrand::u64(..));
    let environment = plan.environment.clone().request([marker.as_str()]).unwrap();
    let eyes = Eyes::open(&marker, workspace.place.path());
    let is_over = AtomicBool::new(false);
    let (ran, left, eyes) = thread::scope(|scope| {
        let eyes = scope.spawn(|| eyes.watch(&is_over, are_there));
        let ran = run(sandbox, Plan { environment, ..plan }, stop);
        let left = living(&look(&marker));
        is_over.store(true, Ordering::Relaxed);
        (ran, left, eyes.join().unwrap())
    });
    let Eyes { all, most, were_there, .. } = eyes;
    println!("{} processes were seen, {most} at once, {} are left", all.len(), left.len());
    let exit = ran.as_ref().map(|ran| ran.exit);
    assert!(were_there, "those that have to go were not all seen, but {:?}; it ended with {exit:?}", all.values());
    assert_eq!(left, [], "they outlive the run");
    let since = Instant::now();
    while let Some(seen) = all.values().find(|seen| seen.is_here()) {
        assert!(since.elapsed() < PATIENCE, "nobody has waited for {seen:?}");
        thread::yield_now();
    }
    Watched { ran, most }
}

struct Eyes<'a> {
    marker: &'a str,
    /// Read by a command that waits until it was seen.
    signal: File,
    /// As it was seen last.
    all: BTreeMap<Id, Seen>,
    most: usize,
    were_there: bool,
}

impl<'a> Eyes<'a> {
    fn open(marker: &'a str, folder: &Path) -> Self {
        let path = folder.join("seen");
        let _ = std::fs::remove_file(&path);
        rustix::fs::mknodat(CWD, &path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
        // Open for both, so that it waits for nobody.
        let signal = OpenOptions::new().read(true).write(true).open(path).unwrap();
        Self { marker, signal, all: BTreeMap::new(), most: 0, were_there: false }
    }

    fn watch(mut self, is_over: &AtomicBool, are_there: impl Fn(&[Seen]) -> bool) -> Self {
        while !is_over.load(Ordering::Relaxed) {
            let now = look(self.marker);
            self.most = self.most.max(living(&now).len());
            if !self.were_there && are_there(&now) {
                self.were_there = true;
                self.signal.write_all(b"seen\n").unwrap();
            }
            self.all.extend(now.into_iter().map(|seen| (seen.id, seen)));
            thread::sleep(PAUSE);
        }
        self
    }
}

impl Seen {
    /// Whether it has not ended, or nobody has waited for it.
    fn is_here(&self) -> bool {
        let (pid, started) = self.id;
        Stat::read(pid).is_some_and(|stat| stat.started == started)
    }
}

fn living(seen: &[Seen]) -> Vec<Seen> {
    seen.iter().filter(|seen| !seen.has_ended).cloned().collect()
}

/// Those that have a variable, and their children that have ended, which have no environment any more.
fn look(marker: &str) -> Vec<Seen> {
    let numbers = std::fs::read_dir("/proc").unwrap().flatten();
    let numbers = numbers.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    let all: BTreeMap<i32, Stat> = numbers.filter_map(|pid| Some((pid, Stat::read(pid)?))).collect();
    let is_marked = |pid: i32| {
        let environment = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        environment.split(|byte| *byte == 0).any(|variable| variable == marker.as_bytes())
    };
    let marked: BTreeSet<i32> = all.keys().copied().filter(|pid| is_marked(*pid)).collect();
    let is_of_run = |pid: i32, stat: &Stat| marked.contains(&pid) || stat.has_ended && marked.contains(&stat.parent);
    let seen = |(pid, stat): (i32, Stat)| {
        let Stat { session, started, has_ended, .. } = stat;
        Seen { id: (pid, started), name: name(pid), session, has_ended }
    };
    all.into_iter().filter(|(pid, stat)| is_of_run(*pid, stat)).map(seen).collect()
}

/// The first of its words. What the kernel calls it is the name of a file, and a machine's `sh` can be any.
fn name(pid: i32) -> String {
    let words = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    String::from_utf8_lossy(words.split(|byte| *byte == 0).next().unwrap_or_default()).into_owned()
}

/// What `/proc/PID/stat` says.
struct Stat {
    has_ended: bool,
    parent: i32,
    session: i32,
    started: u64,
}

impl Stat {
    fn read(pid: i32) -> Option<Self> {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        let (_, rest) = stat.rsplit_once(')')?;
        let fields: Vec<&str> = rest.split_whitespace().collect();
        Some(Self {
            has_ended: matches!(fields[0], "Z" | "X"),
            parent: fields[1].parse().ok()?,
            session: fields[3].parse().ok()?,
            started: fields[19].parse().ok()?,
        })
    }
}

/// Between two looks.
const PAUSE: Duration = Duration::from_millis(2);
