//! Targets of the crate `fuzz` -> what a fuzzer or dice find in them: progress on the way, a table at the end, and each
//! find as a file of the corpus with a test that fails.
//!
//! libFuzzer runs through cargo-bolero, without a sanitizer: the crates are safe Rust, where a sanitizer finds nothing that
//! a panic does not, and it takes most of the speed. `--smoke` needs neither: it runs the tests that are built anyway,
//! for longer.

mod engine;
mod finds;
mod smoke;
mod status;

use std::collections::VecDeque;
use std::fmt::Write as _;
use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

use crate::error::{Outcome, TaskError};
use crate::tree::Tree;
use engine::Engine;
use finds::Find;
use status::Status;

pub(crate) use smoke::run_in_ci;

/// What is fuzzed, and for how long.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Plan {
    /// These, or all when there are none.
    pub(crate) targets: Vec<String>,
    /// Each target.
    pub(crate) time: Duration,
    /// Targets at a time.
    pub(crate) jobs: usize,
}

/// Prints every target.
pub(crate) fn list(tree: &Tree) -> Result<Outcome, TaskError> {
    for target in targets(tree)? {
        println!("{target}");
    }
    Ok(Outcome::Fine)
}

/// Fuzzes, and fails when something was found or nothing was run.
pub(crate) fn run(tree: &Tree, plan: &Plan) -> Result<Outcome, TaskError> {
    let chosen = chosen(targets(tree)?, &plan.targets)?;
    let engine = Engine::prepare(tree)?;
    let waiting = Mutex::new(chosen.iter().cloned().collect::<VecDeque<_>>());
    let live = Mutex::new(Vec::new());
    let done = Mutex::new(Vec::new());
    // A function, so that nobody holds the lock while a target runs.
    let next = || locked(&waiting).pop_front();
    thread::scope(|scope| {
        let mut workers = Vec::new();
        for _ in 0..plan.jobs.max(1) {
            workers.push(scope.spawn(|| {
                while let Some(target) = next() {
                    let ran = engine.fuzz(&target, plan.time, &live);
                    locked(&live).retain(|one: &Live| one.target != target);
                    locked(&done).push(ran);
                }
            }));
        }
        while workers.iter().any(|worker| !worker.is_finished()) {
            thread::sleep(LOOK_EVERY);
            show_progress(&live, plan.time);
        }
    });
    let mut rows = Vec::new();
    for ran in done.into_inner().unwrap_or_default() {
        rows.push(ran?);
    }
    rows.sort_by_key(|row| chosen.iter().position(|target| *target == row.target));
    for find in rows.iter().flat_map(|row| &row.finds) {
        find.file(tree)?;
    }
    print!("\n{}", render(&rows));
    Ok(outcome(&rows))
}

/// A target that is being built or run.
#[derive(Debug)]
struct Live {
    target: String,
    /// Since it runs, and the last that was heard.
    running: Option<(Instant, Status)>,
    /// Inputs that libFuzzer kept because the process died of them.
    crashes: usize,
    shown: Instant,
}

/// What came of one target.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Ran {
    target: String,
    /// After the corpus was read, and at the end.
    first: Status,
    last: Status,
    time: Duration,
    finds: Vec<Find>,
}

impl Ran {
    fn per_second(&self) -> u64 {
        let millis = u64::try_from(self.time.as_millis()).unwrap_or(u64::MAX).max(1);
        self.last.executions.saturating_mul(1_000) / millis
    }
}

/// The files of the crate that hold a target, by name.
fn targets(tree: &Tree) -> Result<Vec<String>, TaskError> {
    let mut targets = Vec::new();
    for path in tree.files()? {
        let name = path.strip_prefix(TESTS).and_then(|name| name.strip_suffix(".rs"));
        if let Some(name) = name.filter(|name| !name.contains('/'))
            && tree.read_text(&path)?.contains(MARK)
        {
            targets.push(name.to_owned());
        }
    }
    Ok(targets)
}

fn chosen(known: Vec<String>, wanted: &[String]) -> Result<Vec<String>, TaskError> {
    match wanted.iter().find(|wanted| !known.contains(wanted)) {
        Some(wanted) => Err(TaskError::NoSuchTarget { wanted: wanted.clone(), known }),
        None if wanted.is_empty() => Ok(known),
        None => Ok(wanted.to_vec()),
    }
}

fn show_progress(live: &Mutex<Vec<Live>>, time: Duration) {
    for one in locked(live).iter_mut().filter(|one| one.shown.elapsed() >= SHOW_EVERY) {
        one.shown = Instant::now();
        println!("{}", progress(one, time));
    }
}

fn progress(live: &Live, time: Duration) -> String {
    let Some((start, status)) = &live.running else {
        return format!("{:<10} is being built", live.target);
    };
    let left = time.saturating_sub(start.elapsed()).as_secs();
    let Status { executions, per_second, edges, inputs } = status;
    let Live { target, crashes, .. } = live;
    format!(
        "{target:<10} {executions:>10} execs  {per_second:>7}/s  {edges:>6} edges  {inputs:>5} inputs  {crashes} crashes  {}:{:02} left",
        left / 60,
        left % 60
    )
}

fn render(rows: &[Ran]) -> String {
    let mut text = format!(
        "{:<10}  {:>11}  {:>8}  {:>15}  {:>15}  {:>5}\n",
        "target", "executions", "execs/s", "edges", "corpus", "finds"
    );
    // Writing to a String cannot fail.
    for row in rows {
        let edges = format!("{} -> {}", row.first.edges, row.last.edges);
        let corpus = format!("{} -> {}", row.first.inputs, row.last.inputs);
        let Ran { target, last, finds, .. } = row;
        let _ = writeln!(
            text,
            "{target:<10}  {:>11}  {:>8}  {edges:>15}  {corpus:>15}  {:>5}",
            last.executions,
            row.per_second(),
            finds.len()
        );
    }
    for row in rows.iter().filter(|row| row.is_empty()) {
        let _ = writeln!(text, "`{}` ran nothing", row.target);
    }
    text
}

impl Ran {
    fn is_empty(&self) -> bool {
        self.last.executions == 0 && self.finds.is_empty()
    }
}

fn outcome(rows: &[Ran]) -> Outcome {
    let is_fine = !rows.is_empty() && rows.iter().all(|row| row.finds.is_empty() && !row.is_empty());
    if is_fine { Outcome::Fine } else { Outcome::Findings }
}

/// A thread that panicked has left nothing half done here.
fn locked<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

const TESTS: &str = "fuzz/tests/";
/// What a file with a target has, in two parts, so that it is not found here.
const MARK: &str = concat!("bolero::", "check!()");
const LOOK_EVERY: Duration = Duration::from_millis(500);
const SHOW_EVERY: Duration = Duration::from_secs(5);

#[cfg(test)]
mod tests;
