//! How many requests a second go the whole way: bytes, session, judge, record, response. Beside it the ledger alone, with
//! records that are made before, in the same rounds.
//!
//! Each kind of request has a process of its own: refusals are for one processor, and a process is bound to one before
//! it has threads.

use std::fs::File;
use std::io::Write as _;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
use serde::{Deserialize, Serialize};

use super::Effort;
use super::serving::{LedgerAlone, Served, Whole};
use crate::child::{self, Scratch};
use crate::quantile::quantile;

/// Which requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// To read a file that a rule denies.
    Refused,
    /// To run a line that no rule allows.
    RefusedLine,
    /// To read a file of 4 KiB that a rule allows.
    Permitted,
}

/// What was measured.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(super) struct Asked {
    pub(super) through: Rate,
    pub(super) ledger: Rate,
    pub(super) in_flight: usize,
}

/// Requests a second, median of the rounds, and how long each waited.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(super) struct Rate {
    pub(super) rate: f64,
    /// For a second of processor time.
    pub(super) processor_rate: f64,
    pub(super) median_ms: f64,
    pub(super) p99_ms: f64,
}

impl Kind {
    /// As an argument says it.
    #[must_use]
    pub fn of(name: &str) -> Option<Self> {
        [Self::Refused, Self::RefusedLine, Self::Permitted].into_iter().find(|kind| kind.name() == name)
    }

    fn name(self) -> &'static str {
        match self {
            Self::Refused => "refused",
            Self::RefusedLine => "refused-line",
            Self::Permitted => "permitted",
        }
    }

    /// Acts have a limit of their own; refusals are written down together, and the more the better.
    pub(super) fn in_flight(self) -> usize {
        match self {
            Self::Refused | Self::RefusedLine => REFUSED_IN_FLIGHT,
            Self::Permitted => enforce_exec::ACTS_MAX,
        }
    }

    fn requests(self, effort: Effort) -> usize {
        match (self, effort) {
            (Self::Refused | Self::RefusedLine, Effort::Full) => 100 * REFUSED_IN_FLIGHT,
            (Self::Refused | Self::RefusedLine, Effort::Quick) => 20 * REFUSED_IN_FLIGHT,
            (Self::Permitted, Effort::Full) => 80 * enforce_exec::ACTS_MAX,
            (Self::Permitted, Effort::Quick) => 20 * enforce_exec::ACTS_MAX,
        }
    }
}

/// Measures in a child.
pub(super) fn measure(kind: Kind, effort: Effort) -> Result<Asked, String> {
    let mut command = Command::new(child::this_program());
    command.args(["ask", "--kind", kind.name()]);
    command.args(["--rounds", &effort.rounds(ROUNDS).to_string(), "--requests", &kind.requests(effort).to_string()]);
    child::answer(&mut command, TIME).map_err(|error| format!("{error:?}"))
}

/// What the child does, and prints.
#[must_use]
pub fn ask(kind: Kind, rounds: usize, requests: usize) -> String {
    let workers = match kind {
        Kind::Refused | Kind::RefusedLine => {
            bind_to_one_processor();
            1
        }
        Kind::Permitted => std::thread::available_parallelism().map_or(1, usize::from),
    };
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(workers).enable_all().build();
    let asked = runtime.expect("a runtime").block_on(async move {
        let scratch = Scratch::new();
        let whole = Whole::new(&scratch.path().join("whole"), kind).await;
        let ledger = LedgerAlone::new(&scratch.path().join("ledger"), kind).await;
        let (mut through, mut alone) = (Vec::new(), Vec::new());
        // The first of each finds nothing at hand.
        whole.serve(requests / WARM_PART).await;
        ledger.serve(requests / WARM_PART).await;
        for _ in 0..rounds {
            through.push(whole.serve(requests).await);
            alone.push(ledger.serve(requests).await);
        }
        let all = requests / WARM_PART + rounds * requests;
        whole.verify(all).await;
        ledger.verify(all).await;
        Asked { through: Rate::of(&through), ledger: Rate::of(&alone), in_flight: kind.in_flight() }
    });
    serde_json::to_string(&asked).expect("numbers can be written")
}

impl Rate {
    fn of(rounds: &[Served]) -> Self {
        let mut rates: Vec<f64> = rounds.iter().map(|served| served.waits.len() as f64 / served.seconds).collect();
        let mut waits: Vec<f64> = rounds.iter().flat_map(|served| &served.waits).copied().collect();
        let of_processor = |served: &Served| served.waits.len() as f64 / served.processor_seconds;
        let mut processor_rates: Vec<f64> = rounds.iter().map(of_processor).collect();
        Self {
            rate: quantile(&mut rates, 0.5),
            processor_rate: quantile(&mut processor_rates, 0.5),
            median_ms: quantile(&mut waits, 0.5) * 1e3,
            p99_ms: quantile(&mut waits, 0.99) * 1e3,
        }
    }
}

/// The last of those that this process may use: interrupts mostly go to the first.
fn bind_to_one_processor() {
    let allowed = sched_getaffinity(None).expect("a process has processors");
    let last = (0..CpuSet::MAX_CPU).rfind(|cpu| allowed.is_set(*cpu)).expect("one at least");
    let mut one = CpuSet::new();
    one.set(last);
    sched_setaffinity(None, &one).expect("a processor that may be used");
}

/// Milliseconds for adding a page to a file and making it durable, which is what a group of records waits for.
pub(super) fn durable_ms(scratch: &Path) -> f64 {
    let mut file = File::create(scratch.join("durable")).expect("a file");
    let mut samples: Vec<f64> = (0..DURABLE_SAMPLES)
        .map(|_| {
            let start = Instant::now();
            file.write_all(&[7; 4_096]).and_then(|()| file.sync_data()).expect("a disk");
            start.elapsed().as_secs_f64() * 1e3
        })
        .collect();
    quantile(&mut samples, 0.5)
}

const ROUNDS: usize = 7;
/// Before the first round, this part of one.
const WARM_PART: usize = 10;
/// As many as are written down together at the most.
const REFUSED_IN_FLIGHT: usize = 1_024;
const DURABLE_SAMPLES: usize = 50;
const TIME: Duration = Duration::from_secs(300);
