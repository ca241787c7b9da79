//! Instructions that decisions execute, counted by valgrind's callgrind: the same on every run, whatever
//! else the machine does.
//!
//! The parent builds policies and requests and writes them down; a child under callgrind reads them,
//! judges every request once so that nothing is made for the first time, and judges them again inside
//! [`counted_decisions`], which is all that is counted. No crate's macros and no runner of theirs are needed,
//! only valgrind itself.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::building;
use crate::ask::Ask;
use crate::child::{self, NoAnswer};
use crate::engines::{Core, Engine, Name};
use crate::plain::PlainRule;
use crate::workload::{Asked, Workload, checked};

/// Whether there is a valgrind to count with.
pub(super) fn is_possible() -> bool {
    Command::new("valgrind").arg("--version").output().is_ok_and(|output| output.status.success())
}

/// A workload on disk, for children to read.
pub(super) struct Snapshot {
    folder: PathBuf,
}

impl Snapshot {
    pub(super) fn write(folder: PathBuf, workload: &Workload) -> Self {
        let write = |name: &str, bytes: &[u8]| fs::write(folder.join(name), bytes).expect("a file for a child");
        let asks = |asked: &Asked| serde_json::to_vec(&asked.asks).expect("requests are JSON");
        fs::create_dir(&folder).expect("a folder of its own");
        write(TABLE, &workload.table);
        write(PLAIN, &serde_json::to_vec(&workload.plain).expect("rules are JSON"));
        write(MIXED, &asks(&workload.mixed));
        write(SIXTY, &asks(&workload.sixty));
        let policy = (building::name(workload.mix), workload.rules);
        write(POLICY, &serde_json::to_vec(&policy).expect("a policy's name is JSON"));
        Self { folder }
    }

    /// What a decision executes.
    pub(super) fn count(&self, name: Name, asks: Asks, requests: usize) -> Result<Count, NoAnswer> {
        let counts = self.folder.join(format!("{}-{}.callgrind", name.as_str(), asks.file()));
        let mut command = Command::new("valgrind");
        command.args(["--quiet", "--tool=callgrind", "--collect-atstart=no"]);
        command.arg(format!("--toggle-collect={}", counted(name)));
        command.arg(format!("--callgrind-out-file={}", counts.display()));
        command.arg(child::this_program()).arg("count").args(["--engine", name.as_str(), "--asks", asks.file()]);
        command.arg("--requests").arg(requests.to_string()).arg("--folder").arg(&self.folder);
        let judged: Judged = child::answer(&mut command, TIME_MAX)?;
        let profile = fs::read_to_string(&counts).unwrap_or_default();
        let total = total(&profile).ok_or_else(|| NoAnswer::Failed("callgrind has counted nothing".to_owned()))?;
        Ok(Count { instructions: total / judged.requests as f64, allocations: allocations(&profile) })
    }
}

/// What callgrind has seen.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Count {
    /// For a decision.
    pub(super) instructions: f64,
    /// Calls of the allocator in all decisions together.
    pub(super) allocations: u64,
}

/// Which requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Asks {
    Mixed,
    Sixty,
}

impl Asks {
    fn file(self) -> &'static str {
        match self {
            Self::Mixed => MIXED,
            Self::Sixty => SIXTY,
        }
    }
}

/// What the child says.
#[derive(Debug, Serialize, Deserialize)]
struct Judged {
    requests: usize,
}

/// The child: judges the requests of a folder inside the function that is counted.
pub(super) fn judge(name: &str, folder: &Path, asks: &str, requests: usize) -> String {
    let read = |name: &str| fs::read(folder.join(name)).expect("a file of the parent");
    let mut asks: Vec<Ask> = serde_json::from_slice(&read(asks)).expect("requests of the parent");
    asks.truncate(requests);
    let name = *Name::BUILT.iter().find(|known| known.as_str() == name).expect("an engine of this program");
    let mut engine: Box<dyn Engine> = match name {
        Name::Core => Box::new(Core::new(&read(TABLE), &asks)),
        Name::Cedar | Name::CedarSliced => {
            let (mix, rules): (String, usize) = serde_json::from_slice(&read(POLICY)).expect("a policy of the parent");
            let model = checked(building::mix(&mix), rules).model.expect("generated policies have no error");
            name.of_model(&model, &asks)
        }
        other => {
            let rules: Vec<PlainRule> = serde_json::from_slice(&read(PLAIN)).expect("rules of the parent");
            other.of_plain_rules(&rules, &asks)
        }
    };
    // This project's engine makes nothing for the first time, and its decisions are counted wherever they are.
    if name != Name::Core {
        std::hint::black_box(engine.judge_all(0, asks.len()));
    }
    std::hint::black_box(counted_decisions(&mut *engine, asks.len()));
    serde_json::to_string(&Judged { requests: asks.len() }).expect("JSON")
}

/// Everything in here is counted, found by callgrind under this name.
#[inline(never)]
fn counted_decisions(engine: &mut dyn Engine, requests: usize) -> usize {
    engine.judge_all(0, requests)
}

/// The function in which instructions are counted, as callgrind knows it: this project's own decision, and
/// for other engines everything that is done for a request.
fn counted(name: Name) -> &'static str {
    match name {
        Name::Core => "enforce_core::decide::decide",
        _ => "*counted_decisions*",
    }
}

/// The sum of what callgrind has counted.
fn total(profile: &str) -> Option<f64> {
    let line = profile.lines().find_map(|line| line.strip_prefix("totals:").or(line.strip_prefix("summary:")))?;
    line.trim().parse().ok().filter(|total| *total > 0.0)
}

/// How often the allocator was called. A profile has `cfn=(7) malloc` the first time that a function is
/// called, `cfn=(7)` later, and `calls=3 …` on the line after each.
fn allocations(profile: &str) -> u64 {
    let mut names: BTreeMap<&str, &str> = BTreeMap::new();
    let mut called = "";
    let mut calls = 0;
    for line in profile.lines() {
        if let Some(function) = line.strip_prefix("cfn=").or(line.strip_prefix("fn=")) {
            let (number, name) = function.split_once(' ').unwrap_or((function, ""));
            if !name.is_empty() {
                names.insert(number, name);
            }
            called = number;
        } else if let Some(counts) = line.strip_prefix("calls=") {
            let is_allocator = names.get(called).is_some_and(|name| ALLOCATOR.contains(name));
            let count = counts.split(' ').next().and_then(|count| count.parse::<u64>().ok()).unwrap_or_default();
            calls += if is_allocator { count } else { 0 };
        }
    }
    calls
}

const ALLOCATOR: &[&str] = &["malloc", "calloc", "realloc", "aligned_alloc", "posix_memalign", "free"];
const TABLE: &str = "table";
const POLICY: &str = "policy.json";
const PLAIN: &str = "plain.json";
const MIXED: &str = "mixed.json";
const SIXTY: &str = "sixty.json";
/// Under callgrind a program is some fifty times slower.
const TIME_MAX: Duration = Duration::from_secs(600);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn totals_and_calls_of_the_allocator_are_read() {
        let profile = "events: Ir\nfn=(1) judge\n3 5\ncfn=(2) malloc\ncalls=2 0\n3 40\n\
                       cfn=(3) decide\ncalls=9 0\n4 90\nfn=(3)\ncfn=(2)\ncalls=1 0\n4 20\ntotals: 155\n";
        assert_eq!((total(profile), allocations(profile)), (Some(155.0), 3));
        assert_eq!((total("totals: 0\n"), allocations("")), (None, 0));
    }
}
