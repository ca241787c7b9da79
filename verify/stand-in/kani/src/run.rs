//! (harness, runs) -> what was seen: how many runs, how many were about nothing, and what was covered.

use std::any::Any;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::env;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use crate::any::{Abandoned, seed};
use crate::loops;

/// Runs a harness many times, each with other dice, and prints what was seen.
///
/// # Panics
/// When an assertion fails, with the number of the run; when something that was to be covered never was; or when a loop
/// is seen to go round more often than it is unwound.
pub fn stand_in(name: &str, unwind: u32, harness: fn()) {
    let start = Instant::now();
    let only = number_of("KANI_STAND_IN_ONLY");
    let most = number_of("KANI_STAND_IN_RUNS").unwrap_or(RUNS);
    let longest = number_of("KANI_STAND_IN_SECONDS").map_or(LONGEST, Duration::from_secs);
    let numbers = only.map_or(0..most, |only| only..only + 1);
    COVERED.take();
    loops::start(unwind);
    let (mut runs, mut abandoned) = (0_u64, 0_u64);
    for number in numbers {
        // A harness that takes long is asked less often, but never hardly at all, and until it has said something.
        if runs >= RUNS_LEAST && start.elapsed() > longest && (is_covered() || runs >= RUNS) {
            break;
        }
        runs += 1;
        seed(number);
        match catch_unwind(AssertUnwindSafe(harness)) {
            Ok(()) => {}
            Err(ended) if ended.is::<Abandoned>() => abandoned += 1,
            Err(ended) => {
                panic!("{name} fails in run {number}: {}; KANI_STAND_IN_ONLY={number} runs it alone", message(&*ended))
            }
        }
    }
    let (covered, longest) = (COVERED.take(), loops::longest());
    let met = covered.values().min().copied().unwrap_or_default();
    let rounds = longest.as_ref().map(|(rounds, _)| format!(", loops {rounds} of {unwind}")).unwrap_or_default();
    println!("{name}: {runs} cases, {met} met the premise, {:.1} s{rounds}", start.elapsed().as_secs_f64());
    if let Some((rounds, place)) = longest.filter(|(rounds, _)| *rounds > unwind) {
        panic!("{name} unwinds loops {unwind} times, and one is entered {rounds} times: {place}");
    }
    if only.is_none() {
        let never: Vec<&str> = covered.iter().filter(|(_, times)| **times == 0).map(|(text, _)| *text).collect();
        assert!(
            met > 0,
            "{name} says nothing: of {runs} runs {abandoned} were about nothing, and none covered {never:?}"
        );
    }
}

fn is_covered() -> bool {
    COVERED.with_borrow(|covered| covered.values().any(|times| *times > 0))
}

/// Notes whether something happened.
pub fn cover(happened: bool, message: &'static str) {
    loops::pause(|| {
        COVERED.with_borrow_mut(|covered| *covered.entry(message).or_default() += u64::from(happened));
    });
}

thread_local! {
    /// How often each thing happened; zero when it could have.
    static COVERED: RefCell<BTreeMap<&'static str, u64>> = const { RefCell::new(BTreeMap::new()) };
}

fn number_of(variable: &str) -> Option<u64> {
    env::var(variable).ok()?.parse().ok()
}

fn message(ended: &(dyn Any + Send)) -> &str {
    let text = ended.downcast_ref::<&str>().copied();
    text.or_else(|| ended.downcast_ref::<String>().map(String::as_str)).unwrap_or("it panics")
}

const RUNS: u64 = 20_000;
const RUNS_LEAST: u64 = 1_000;
const LONGEST: Duration = Duration::from_secs(5);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{any, any_where, assume};

    fn failure(harness: fn()) -> String {
        let ended = catch_unwind(|| stand_in("a_harness", 1, harness)).expect_err("it fails");
        message(&*ended).to_owned()
    }

    #[test]
    fn a_harness_that_holds_and_is_covered_passes() {
        stand_in("a_harness", 1, || {
            let byte: u8 = any_where(|byte| *byte < 3);
            assert!(byte < 3);
            crate::cover!(byte == 2, "two");
        });
    }

    #[test]
    fn an_assertion_that_fails_is_shown_with_its_run() {
        let failed = failure(|| assert!(any::<u8>() < 200, "small"));
        assert!(failed.starts_with("a_harness fails in run ") && failed.contains(": small; "), "{failed}");
    }

    #[test]
    fn a_harness_that_covers_nothing_fails() {
        let never = failure(|| crate::cover!(any::<u8>() > 255 - u8::from(any::<bool>()) && false, "never"));
        assert!(never.ends_with("none covered [\"never\"]"), "{never}");
        let abandoned = failure(|| {
            assume(false);
            crate::cover!(true, "behind it");
        });
        assert!(abandoned.contains("20000 were about nothing"), "{abandoned}");
        assert!(failure(|| {}).contains("says nothing"));
    }
}
