//! Ways to do the same -> what each takes, every one in turn in each round: whatever else the machine does, it does to
//! all of them.

use std::time::Instant;

use crate::quantile::quantile;

/// Does one of them, once.
pub(super) type Way<'a> = Box<dyn FnMut() -> Result<(), String> + 'a>;

/// What one of them took, in microseconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Took {
    pub(super) median: f64,
    /// A tenth of the rounds took no longer: those that were disturbed least.
    pub(super) quiet: f64,
}

/// What each of them took.
///
/// # Errors
/// When one of them fails, which it says.
pub(super) fn in_turns<const N: usize>(rounds: usize, mut ways: [Way<'_>; N]) -> Result<[Took; N], String> {
    let mut samples: [Vec<f64>; N] = std::array::from_fn(|_| Vec::with_capacity(rounds));
    // The first time costs what every later one does not.
    for way in &mut ways {
        way()?;
    }
    for round in 0..rounds {
        // Whoever comes after the slowest finds other caches, so that the first is not always the same.
        for turn in 0..N {
            let place = (round + turn) % N;
            let start = Instant::now();
            ways[place]()?;
            samples[place].push(start.elapsed().as_secs_f64() * 1e6);
        }
    }
    Ok(samples.map(|mut samples| Took { median: quantile(&mut samples, 0.5), quiet: quantile(&mut samples, 0.1) }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;

    #[test]
    fn each_way_has_its_turn_in_every_round() {
        let seen = RefCell::new(String::new());
        let note = |name: &'static str| -> Way<'_> {
            let seen = &seen;
            Box::new(move || {
                seen.borrow_mut().push_str(name);
                Ok(())
            })
        };
        let took = in_turns(2, [note("a"), note("b"), note("c")]).unwrap();
        assert_eq!(seen.borrow().as_str(), "abcabcbca");
        assert!(took.iter().all(|took| took.quiet <= took.median));
    }

    #[test]
    fn a_way_that_fails_leaves_no_figure() {
        assert_eq!(in_turns(1, [Box::new(|| Err("no".to_owned())) as Way<'_>]), Err("no".to_owned()));
    }
}
