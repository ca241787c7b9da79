//! The core alone: how far its slowest decisions are from the usual one, and what a second thread brings.

use std::fs;
use std::sync::Barrier;
use std::thread;
use std::time::Instant;

use super::seats::quantile;
use crate::engines::Core;

/// The 99th percentile and the median of single decisions, in nanoseconds.
///
/// Each decision is timed alone, the time that reading the clock takes is subtracted, and nothing is
/// thrown away: what the machine did in between counts too.
pub(super) fn tail(core: &Core, rounds: usize) -> (f64, f64) {
    let mut clock: Vec<f64> = (0..10_000).map(|_| nanoseconds(|| {})).collect();
    let clock = quantile(&mut clock, 0.5);
    let mut samples = Vec::with_capacity(rounds * core.requests());
    for _ in 0..rounds {
        samples.extend((0..core.requests()).map(|place| {
            let time = nanoseconds(|| {
                std::hint::black_box(core.verdict(std::hint::black_box(place)));
            });
            (time - clock).max(0.0)
        }));
    }
    (quantile(&mut samples, 0.99), quantile(&mut samples, 0.5))
}

fn nanoseconds(work: impl FnOnce()) -> f64 {
    let start = Instant::now();
    work();
    start.elapsed().as_secs_f64() * 1e9
}

/// What a second thread brings.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Scaling {
    /// Decisions of two threads in a second, relative to one thread's.
    pub(super) wall: f64,
    /// The same for a second on a processor, where the system tells (Linux). A thread that waits while
    /// other programs run is not slower, and threads that stand in each other's way are.
    pub(super) on_processor: Option<f64>,
}

impl Scaling {
    /// The one that other programs disturb least.
    pub(super) fn ratio(&self) -> f64 {
        self.on_processor.unwrap_or(self.wall)
    }
}

/// The best of several runs with one thread and with two, in turns: what disturbs a run makes it slower,
/// never faster.
pub(super) fn scaling(core: &Core, runs: usize) -> Scaling {
    let mut best = [Rate::default(); 2];
    for _ in 0..runs {
        for (best, threads) in best.iter_mut().zip([1, 2]) {
            let rate = Rate::measure(core, threads);
            best.wall = best.wall.max(rate.wall);
            best.on_processor = largest(best.on_processor, rate.on_processor);
        }
    }
    let [one, two] = best;
    let on_processor = two.on_processor.zip(one.on_processor).map(|(two, one)| two / one);
    Scaling { wall: two.wall / one.wall, on_processor }
}

/// Decisions in a second.
#[derive(Debug, Clone, Copy, Default)]
struct Rate {
    wall: f64,
    on_processor: Option<f64>,
}

impl Rate {
    /// From the start of the first thread to the end of the last, all waiting for each other before.
    fn measure(core: &Core, threads: usize) -> Self {
        let barrier = Barrier::new(threads);
        let rounds = DECISIONS.div_ceil(core.requests());
        let decisions = (rounds * core.requests()) as f64;
        let work = || {
            barrier.wait();
            let (start, start_on_processor) = (Instant::now(), on_processor());
            for _ in 0..rounds {
                for place in 0..core.requests() {
                    std::hint::black_box(core.verdict(std::hint::black_box(place)));
                }
            }
            let rate = on_processor().zip(start_on_processor).map(|(end, start)| decisions / (end - start));
            (start, Instant::now(), rate)
        };
        let ran: Vec<(Instant, Instant, Option<f64>)> = thread::scope(|scope| {
            let running: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
            running.into_iter().map(|thread| thread.join().expect("no thread panics")).collect()
        });
        let first = ran.iter().map(|(start, _, _)| *start).min().expect("there are threads");
        let last = ran.iter().map(|(_, end, _)| *end).max().expect("there are threads");
        Self {
            wall: threads as f64 * decisions / (last - first).as_secs_f64(),
            on_processor: ran.iter().map(|(_, _, rate)| *rate).sum(),
        }
    }
}

fn largest(one: Option<f64>, other: Option<f64>) -> Option<f64> {
    one.into_iter().chain(other).max_by(f64::total_cmp)
}

/// Seconds that this thread has been on a processor.
fn on_processor() -> Option<f64> {
    let told = fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    let nanoseconds: f64 = told.split(' ').next()?.parse().ok()?;
    Some(nanoseconds / 1e9)
}

/// A run takes some fifty milliseconds on the largest policy, and its threads start within less than one.
const DECISIONS: usize = 400_000;
