//! `policyc check` from process start to exit: time, memory, and how both grow with the number of rules.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use xtask::generate::{self, Mix};

use crate::child::{self, Scratch};
use crate::goal::Firmness::Stable;
use crate::goal::Limit::Below;
use crate::goal::{self, Goal, Measured};
use crate::quantile::quantile;

/// Measures, prints every figure with its limit, and says whether all are met.
#[must_use]
pub fn run() -> bool {
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../policies/examples/coding-agent.policy");
    // The limit is for an idle machine and this one has just built: the least disturbed round counts.
    let mut fastest = f64::INFINITY;
    for round in 0..ROUNDS {
        thread::sleep(if round > 0 { BETWEEN_ROUNDS } else { Duration::ZERO });
        fastest = fastest.min(median_ms(&example, EXAMPLE_RUNS));
    }
    let mut goals = vec![goal("checking the example, median".to_owned(), Some(fastest), 10.0, " ms")];
    let scratch = Scratch::new();
    // Time a rule compared with the cheapest smaller size. Work that only small policies get (a check runs no more tests
    // than an author would wait for) makes the smallest size a generous measure.
    let mut cheapest = f64::INFINITY;
    for (rules, runs) in SIZES {
        let folder = scratch.path().join(rules.to_string());
        generate::write(&folder, Mix::Default, rules, 0).expect("a folder for policies");
        let policy = folder.join("main.policy");
        let (time_ms, peak_mb) = (median_ms(&policy, runs), peak_mb(&policy));
        let memory = peak_mb.map_or("-".to_owned(), |peak| format!("{peak:.1} MB"));
        println!("{rules:>8} rules  {time_ms:>8.1} ms  {memory:>10}");
        if rules == BOUNDED_RULES {
            goals.push(goal(format!("checking {rules} rules"), Some(time_ms), 1_000.0, " ms"));
            goals.push(goal(format!("memory for {rules} rules"), peak_mb, 300.0, " MB"));
        }
        let each = time_ms / rules as f64;
        if cheapest.is_finite() {
            goals.push(goal(format!("growth at {rules} rules"), Some(each / cheapest), 1.3, " x"));
        }
        cheapest = cheapest.min(each);
    }
    goal::all_hold(&goals)
}

fn goal(claim: String, measured: Option<f64>, bound: f64, unit: &'static str) -> Goal {
    let measured = measured.map_or_else(|| Measured::Not("this system keeps no count".to_owned()), Measured::Value);
    Goal { claim, limit: Below(bound), unit, measured, firmness: Stable }
}

/// Of so many runs, after one that warms the caches.
fn median_ms(policy: &Path, runs: usize) -> f64 {
    let time = |_| {
        let start = Instant::now();
        let status = check(policy).status().expect("`cargo build --release -p policyc` builds policyc");
        // A program that fails does less work than it should, so its figures would flatter it.
        assert!(status.success(), "policyc check {}: {status}", policy.display());
        start.elapsed().as_secs_f64() * 1e3
    };
    let mut times: Vec<f64> = (0..=runs).map(time).skip(1).collect();
    quantile(&mut times, 0.5)
}

/// The kernel keeps the highest mark itself, so looking often is only to look shortly before the end. The time this
/// takes is why it is a run of its own.
fn peak_mb(policy: &Path) -> Option<f64> {
    let mut running = check(policy).spawn().expect("policyc starts");
    let mut peak = None;
    while running.try_wait().expect("a child can be waited for").is_none() {
        let status = fs::read_to_string(format!("/proc/{}/status", running.id())).unwrap_or_default();
        peak = child::high_water_bytes(&status).max(peak);
        thread::sleep(Duration::from_micros(500));
    }
    peak.map(|bytes| bytes as f64 / 1e6)
}

fn check(policy: &Path) -> Command {
    let mut command = Command::new(child::this_program().with_file_name("policyc"));
    command.arg("check").arg(policy).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command
}

const EXAMPLE_RUNS: usize = 50;
const ROUNDS: usize = 5;
const BETWEEN_ROUNDS: Duration = Duration::from_secs(1);
/// Sizes with the number of runs whose median counts.
const SIZES: [(usize, usize); 3] = [(1_000, 21), (BOUNDED_RULES, 7), (100_000, 3)];
const BOUNDED_RULES: usize = 10_000;
