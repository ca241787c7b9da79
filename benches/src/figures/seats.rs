//! Engines that are timed in turns, so that whatever else the machine does, it does to all of them.

use std::time::{Duration, Instant};

use crate::engines::{Engine, Name};
use crate::quantile::quantile;
use crate::verdict::Verdict;
use crate::workload::{Asked, Workload};

/// An engine at one number of rules.
pub(super) struct Seat {
    pub(super) name: Name,
    pub(super) rules: usize,
    engine: Box<dyn Engine>,
    /// Requests on which it gave the right verdict; it is timed on these.
    pub(super) checked: usize,
    /// How many decisions are timed together.
    batch: usize,
    next: usize,
    /// Nanoseconds for a decision, one for each batch.
    samples: Vec<f64>,
}

impl Seat {
    /// An engine that has shown that it answers as the reference evaluator does.
    pub(super) fn new(name: Name, workload: &Workload) -> Self {
        let mut engine = name.engine(workload, &workload.mixed.asks);
        let start = Instant::now();
        let checked = check(name, &mut *engine, &workload.mixed);
        // The second time, because an automaton that is made as it goes is made by now.
        let again = checked.min(WARM_REQUESTS);
        let start = if again == checked { start } else { Instant::now() };
        engine.judge_all(0, again);
        let each = start.elapsed().as_secs_f64() * 1e9 / again as f64;
        let batch = ((BATCH_NANOSECONDS / each) as usize).clamp(1, BATCH_MAX).min(checked);
        Self { name, rules: workload.rules, engine, checked, batch, next: 0, samples: Vec::new() }
    }

    fn turn(&mut self) {
        let start = Instant::now();
        loop {
            if self.next + self.batch > self.checked {
                self.next = 0;
            }
            let (from, to) = (self.next, self.next + self.batch);
            let batch_start = Instant::now();
            std::hint::black_box(self.engine.judge_all(from, to));
            self.samples.push(batch_start.elapsed().as_secs_f64() * 1e9 / self.batch as f64);
            self.next = to;
            if start.elapsed() >= TURN {
                return;
            }
        }
    }

    /// Of all batches.
    pub(super) fn median(&self) -> f64 {
        let mut sorted = self.samples.clone();
        quantile(&mut sorted, 0.5)
    }
}

/// Judges requests until all are judged or the time is over, and ends the program at a wrong verdict.
fn check(name: Name, engine: &mut dyn Engine, asked: &Asked) -> usize {
    let start = Instant::now();
    for (place, expected) in asked.expected.iter().enumerate() {
        let answer: Verdict = engine.judge(place);
        let expected = engine.says().expects(*expected);
        assert_eq!(answer, expected, "{} on {:?}", name.as_str(), asked.asks[place]);
        if place + 1 >= CHECKED_MIN && start.elapsed() > CHECK_TIME {
            return place + 1;
        }
    }
    asked.asks.len()
}

/// Times all seats, one after another, again and again.
pub(super) fn in_turns(seats: &mut [Seat], turns: usize) {
    for _ in 0..turns {
        seats.iter_mut().for_each(Seat::turn);
    }
}

/// A batch is long against what it takes to read the clock, and short against what a scheduler does.
const BATCH_NANOSECONDS: f64 = 4_000.0;
const BATCH_MAX: usize = 32;
const TURN: Duration = Duration::from_millis(3);
/// How long an engine may take to show that it is right.
const CHECK_TIME: Duration = Duration::from_secs(3);
const CHECKED_MIN: usize = 30;
const WARM_REQUESTS: usize = 1_000;
