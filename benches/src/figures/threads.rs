//! The core alone: how far its slowest decisions are from the usual one, and what a second thread brings.

use std::sync::Barrier;
use std::thread;
use std::time::Instant;

use crate::engines::Core;
use crate::quantile::quantile;

/// The 99th percentile and the median of single decisions, in nanoseconds, in the quietest of several turns.
///
/// Each decision is timed alone, the time that reading the clock takes is subtracted, and of a turn nothing is
/// thrown away. What else runs on the machine can only lengthen a tail, so the turn with the shortest one says
/// most about the decisions.
pub(super) fn tail(core: &Core, turns: usize) -> (f64, f64) {
    let mut clock: Vec<f64> = (0..10_000).map(|_| nanoseconds(|| {})).collect();
    let clock = quantile(&mut clock, 0.5);
    let decision = |place| {
        let time = nanoseconds(|| {
            std::hint::black_box(core.verdict(std::hint::black_box(place)));
        });
        (time - clock).max(0.0)
    };
    let turn = |_| {
        let mut samples: Vec<f64> = (0..ROUNDS_OF_A_TURN).flat_map(|_| (0..core.requests()).map(decision)).collect();
        (quantile(&mut samples, 0.99), quantile(&mut samples, 0.5))
    };
    let quieter = |left: &(f64, f64), right: &(f64, f64)| f64::total_cmp(&(left.0 / left.1), &(right.0 / right.1));
    (0..turns).map(turn).min_by(quieter).unwrap_or((f64::NAN, f64::NAN))
}

fn nanoseconds(work: impl FnOnce()) -> f64 {
    let start = Instant::now();
    work();
    start.elapsed().as_secs_f64() * 1e9
}

/// What a second thread brings: medians of several turns.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Scaling {
    /// Decisions of two threads in a second, relative to one thread's.
    pub(super) decisions: f64,
    /// The same for a loop that needs no memory: what the machine gives to a second thread, which is less
    /// than double where other programs or other guests of the host run too.
    pub(super) machine: f64,
    /// The one relative to the other, where what the machine gives counts as double.
    pub(super) ratio: f64,
}

/// Measures the loop and the decisions with one thread and with two, in turns.
pub(super) fn scaling(core: &Core, turns: usize) -> Scaling {
    let rounds = DECISIONS.div_ceil(core.requests());
    let decide = || {
        for _ in 0..rounds {
            for place in 0..core.requests() {
                std::hint::black_box(core.verdict(std::hint::black_box(place)));
            }
        }
    };
    let turn = || {
        let (one_counts, one_decides) = (rate(count_up, 1), rate(decide, 1));
        let (two_count, two_decide) = (rate(count_up, 2), rate(decide, 2));
        (two_decide / one_decides, two_count / one_counts)
    };
    let turns: Vec<(f64, f64)> = (0..turns).map(|_| turn()).collect();
    let median = |of: &dyn Fn(&(f64, f64)) -> f64| quantile(&mut turns.iter().map(of).collect::<Vec<_>>(), 0.5);
    Scaling {
        decisions: median(&|(decisions, _)| *decisions),
        machine: median(&|(_, machine)| *machine),
        ratio: median(&|(decisions, machine)| 2.0 * decisions / machine),
    }
}

/// How often the work is done in a second: from the start of the first thread to the end of the last, all
/// waiting for each other before.
fn rate(work: impl Fn() + Sync, threads: usize) -> f64 {
    let barrier = Barrier::new(threads);
    let timed = || {
        barrier.wait();
        let start = Instant::now();
        work();
        (start, Instant::now())
    };
    let ran: Vec<(Instant, Instant)> = thread::scope(|scope| {
        let running: Vec<_> = (0..threads).map(|_| scope.spawn(timed)).collect();
        running.into_iter().map(|thread| thread.join().expect("no thread panics")).collect()
    });
    let first = ran.iter().map(|(start, _)| *start).min().expect("there are threads");
    let last = ran.iter().map(|(_, end)| *end).max().expect("there are threads");
    threads as f64 / (last - first).as_secs_f64()
}

/// As long as the decisions, in registers alone.
fn count_up() {
    (0..STEPS).fold(0_u64, |sum, step| std::hint::black_box(sum.wrapping_add(step)));
}

/// Enough that forty of a thousand requests are beyond the 99th percentile.
const ROUNDS_OF_A_TURN: usize = 4;
/// A run takes some fifty milliseconds on the largest policy, and its threads start within less than one.
const DECISIONS: usize = 400_000;
/// About as long.
const STEPS: u64 = 40_000_000;
