//! Programs of this tree -> how fast and how small they are, against what they should be.
//! Of checking, the goals, the judgement and the table are here and measuring is in `measure`; what
//! a decision and an act take is measured by the crate `benches`, started here as programs.

mod measure;

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use clap::ValueEnum;
use serde::Deserialize;

use crate::error::{Outcome, TaskError};
use crate::generate::{self, Mix};
use crate::tree::{Tree, output, status, unusable};
use measure::{Scratch, peak_bytes, times};

/// What a missed figure means for the exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Misses {
    Report,
    Fail,
}

/// What is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Part {
    /// What `policyc check` takes
    Check,
    /// What a decision takes, and the table it is made from
    Decide,
    /// What it takes to act on what was permitted, and to keep a record of all that was asked
    Act,
}

/// How much of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Effort {
    /// What a change is likely to move, on fewer requests.
    Quick,
    /// Everything.
    Full,
}

/// Against which engines decisions are timed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Peers {
    /// Those that are quick to compile.
    Light,
    /// All.
    All,
}

/// What CI measures.
pub(crate) fn run_in_ci(tree: &Tree) -> Result<Outcome, TaskError> {
    decide(tree, Misses::Fail, Effort::Quick, Peers::Light)
}

/// What a decision takes, in a program of its own that prints what it finds.
pub(crate) fn decide(tree: &Tree, misses: Misses, effort: Effort, peers: Peers) -> Result<Outcome, TaskError> {
    let features: &[&str] = match peers {
        Peers::All => &["--no-default-features", "--features", "peers"],
        Peers::Light => &["--no-default-features"],
    };
    run(build(tree, "benches", "figures", features)?, misses, effort)
}

/// What acting takes, in a program of its own too.
pub(crate) fn act(tree: &Tree, misses: Misses, effort: Effort) -> Result<Outcome, TaskError> {
    run(build(tree, "benches", "acting", &[])?, misses, effort)
}

fn run(program: String, misses: Misses, effort: Effort) -> Result<Outcome, TaskError> {
    let mut command = Command::new(program);
    command.args((misses == Misses::Fail).then_some("--enforce"));
    command.args((effort == Effort::Quick).then_some("--quick"));
    Ok(Outcome::of(status(&mut command)?))
}

/// Builds policyc, measures it, prints the table.
pub(crate) fn check(tree: &Tree, misses: Misses) -> Result<Outcome, TaskError> {
    let policyc = build(tree, "policyc", "policyc", &[])?;
    let figures = measure_all(tree, Path::new(&policyc))?;
    let goals = figures.goals();
    print!("{}\n{}", figures.render(), render(&goals));
    let is_missed = goals.iter().any(|goal| goal.verdict() == Verdict::Missed);
    Ok(if is_missed && misses == Misses::Fail { Outcome::Findings } else { Outcome::Fine })
}

/// Everything that was measured.
#[derive(Debug, PartialEq)]
struct Figures {
    /// Of the example policy, fastest run first.
    example: Vec<Duration>,
    /// In rising number of rules; the first is what the others are compared with.
    sizes: Vec<Size>,
}

#[derive(Debug, PartialEq)]
struct Size {
    rules: usize,
    time: Duration,
    /// Where the system tells.
    peak_bytes: Option<u64>,
}

/// A figure and the bound it has to stay below, in the same unit.
#[derive(Debug, PartialEq)]
struct Goal {
    claim: String,
    measured: Option<f64>,
    bound: f64,
    unit: &'static str,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Met,
    Missed,
    NotMeasured,
}

fn build(tree: &Tree, package: &str, program: &str, features: &[&str]) -> Result<String, TaskError> {
    let mut command = tree.cargo(&["build", "--release", "--locked", "-p", package, "--bin", program]);
    command.args(features).arg("--message-format=json-render-diagnostics");
    let printed = output(&mut command)?;
    let artifacts = printed.lines().filter_map(|line| serde_json::from_str::<Artifact>(line).ok());
    let mut executables = artifacts.filter(|artifact| artifact.target.name == program).filter_map(|a| a.executable);
    executables.next().ok_or_else(|| unusable(&command, "no executable in it"))
}

/// One of cargo's messages, of which only those about executables are of interest.
#[derive(Debug, Deserialize)]
struct Artifact {
    target: Target,
    executable: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Target {
    name: String,
}

fn measure_all(tree: &Tree, policyc: &Path) -> Result<Figures, TaskError> {
    let check = |policy: &Path| {
        let mut command = Command::new(policyc);
        command.current_dir(tree.root()).arg("check").arg(policy);
        command
    };
    // The goal is for an idle machine and this one has just built: the least disturbed round counts.
    let mut example = times(&mut check(Path::new(EXAMPLE)), EXAMPLE_RUNS)?;
    for _ in 1..EXAMPLE_ROUNDS {
        std::thread::sleep(BETWEEN_ROUNDS);
        let round = times(&mut check(Path::new(EXAMPLE)), EXAMPLE_RUNS)?;
        if median(&round) < median(&example) {
            example = round;
        }
    }
    let scratch = Scratch::new()?;
    let mut sizes = Vec::new();
    for (rules, runs) in SIZES {
        let folder = scratch.path().join(rules.to_string());
        generate::write(&folder, Mix::Default, *rules, SEED)
            .map_err(|source| TaskError::Write { path: folder.clone(), source })?;
        let mut command = check(&folder.join("main.policy"));
        let time = median(&times(&mut command, *runs)?);
        sizes.push(Size { rules: *rules, time, peak_bytes: peak_bytes(&mut command)? });
    }
    Ok(Figures { example, sizes })
}

impl Figures {
    /// In the order of the table that DESIGN's numbers come in: start, size, growth.
    fn goals(&self) -> Vec<Goal> {
        let bounded = self.sizes.iter().find(|size| size.rules == BOUNDED_RULES);
        let mut goals = vec![
            Goal {
                claim: "checking the example, median".to_owned(),
                measured: Some(millis(median(&self.example))),
                bound: 10.0,
                unit: "ms",
            },
            Goal {
                claim: format!("checking {BOUNDED_RULES} rules"),
                measured: bounded.map(|size| millis(size.time)),
                bound: 1_000.0,
                unit: "ms",
            },
            Goal {
                claim: format!("memory for {BOUNDED_RULES} rules"),
                measured: bounded.and_then(|size| size.peak_bytes).map(megabytes),
                bound: 300.0,
                unit: "MB",
            },
        ];
        goals.extend(self.sizes.iter().skip(1).map(|size| Goal {
            claim: format!("growth at {} rules", size.rules),
            measured: self.growth(size),
            bound: 1.3,
            unit: "x",
        }));
        goals
    }

    /// Time a rule compared with the smallest size: 1 is linear.
    fn relative(&self, size: &Size) -> Option<f64> {
        Some(size.seconds_each()? / self.sizes.first()?.seconds_each()?)
    }

    /// Time a rule compared with the cheapest smaller size. Work that only small policies get (a check
    /// runs no more tests than an author would wait for) makes the smallest size a generous measure.
    fn growth(&self, size: &Size) -> Option<f64> {
        let smaller = self.sizes.iter().filter(|other| other.rules < size.rules);
        let cheapest = smaller.filter_map(Size::seconds_each).min_by(f64::total_cmp)?;
        Some(size.seconds_each()? / cheapest)
    }

    fn render(&self) -> String {
        let mut text = String::new();
        let least = self.example.first().copied().unwrap_or_default();
        // Writing to a String cannot fail.
        let _ = writeln!(
            text,
            "{EXAMPLE}: median {:.2} ms, least {:.2} ms of {} runs, best of {EXAMPLE_ROUNDS} rounds\n\n{:>8}  {:>11}  {:>11}  {:>10}  {:>10}",
            millis(median(&self.example)),
            millis(least),
            self.example.len(),
            "rules",
            "time",
            "memory",
            "time/rule",
            "growth"
        );
        let times = |ratio: Option<f64>| ratio.map_or("-".to_owned(), |ratio| format!("{ratio:.2} x"));
        for size in &self.sizes {
            let memory = size.peak_bytes.map_or("-".to_owned(), |bytes| format!("{:.1} MB", megabytes(bytes)));
            let (relative, growth) = (times(self.relative(size)), times(self.growth(size)));
            let Size { rules, time, .. } = size;
            let _ = writeln!(text, "{rules:>8}  {:>8.1} ms  {memory:>11}  {relative:>10}  {growth:>10}", millis(*time));
        }
        text
    }
}

impl Size {
    fn seconds_each(&self) -> Option<f64> {
        Some(self.time.as_secs_f64() / f64::from(u32::try_from(self.rules).ok()?))
    }
}

impl Goal {
    fn verdict(&self) -> Verdict {
        match self.measured {
            Some(measured) if measured < self.bound => Verdict::Met,
            Some(_) => Verdict::Missed,
            None => Verdict::NotMeasured,
        }
    }
}

fn render(goals: &[Goal]) -> String {
    let mut text = String::new();
    // Writing to a String cannot fail.
    for goal in goals {
        let measured = goal.measured.map_or("-".to_owned(), |measured| format!("{measured:.2}"));
        let word = match goal.verdict() {
            Verdict::Met => "pass",
            Verdict::Missed => "FAIL",
            Verdict::NotMeasured => "not measured",
        };
        let Goal { claim, bound, unit, .. } = goal;
        let _ = writeln!(text, "{claim:<30}  {measured:>8} {unit:<2}  under {bound:>6} {unit:<2}  {word}");
    }
    text
}

/// Of sorted times; the upper one of two in the middle.
fn median(times: &[Duration]) -> Duration {
    times.get(times.len() / 2).copied().unwrap_or_default()
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1_000.0
}

#[expect(clippy::cast_precision_loss, reason = "a figure of three digits needs no more")]
fn megabytes(bytes: u64) -> f64 {
    bytes as f64 / 1_000_000.0
}

const EXAMPLE: &str = "policies/examples/coding-agent.policy";
const EXAMPLE_RUNS: usize = 50;
const EXAMPLE_ROUNDS: usize = 5;
const BETWEEN_ROUNDS: Duration = Duration::from_secs(1);
/// Sizes with the number of runs whose median counts.
const SIZES: &[(usize, usize)] = &[(1_000, 21), (BOUNDED_RULES, 7), (100_000, 3)];
const BOUNDED_RULES: usize = 10_000;
const SEED: u64 = 0;

#[cfg(test)]
mod tests;
