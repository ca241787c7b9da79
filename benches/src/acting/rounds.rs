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
    let mut order = Order::<N>::new();
    for _ in 0..rounds {
        for place in order.next() {
            let start = Instant::now();
            ways[place]()?;
            samples[place].push(start.elapsed().as_secs_f64() * 1e6);
        }
    }
    Ok(samples.map(|mut samples| Took { median: quantile(&mut samples, 0.5), quiet: quantile(&mut samples, 0.1) }))
}

/// Orders of turns, another one in each round: what one way leaves to the kernel, whoever comes next pays for, and that is
/// to be each of the others as often.
struct Order<const N: usize> {
    places: [usize; N],
    random: u64,
}

impl<const N: usize> Order<N> {
    fn new() -> Self {
        Self { places: std::array::from_fn(|place| place), random: SEED }
    }

    /// Shuffled as Fisher and Yates do it, by the numbers of xorshift: the same in every run.
    fn next(&mut self) -> [usize; N] {
        for last in (1..N).rev() {
            self.random ^= self.random << 13;
            self.random ^= self.random >> 7;
            self.random ^= self.random << 17;
            self.places.swap(last, (self.random % (last as u64 + 1)) as usize);
        }
        self.places
    }
}

/// Any number but zero.
const SEED: u64 = 0x9e37_79b9_7f4a_7c15;

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
        let seen = seen.into_inner().into_bytes();
        for round in seen.chunks(3) {
            let mut round = round.to_vec();
            round.sort_unstable();
            assert_eq!(round, b"abc");
        }
        assert_eq!(seen.len(), 9);
        assert!(took.iter().all(|took| took.quiet <= took.median));
    }

    #[test]
    fn each_way_comes_after_every_other_about_as_often() {
        let mut order = Order::<6>::new();
        let mut followed = [[0_u32; 6]; 6];
        for _ in 0..6_000 {
            for pair in order.next().windows(2) {
                followed[pair[0]][pair[1]] += 1;
            }
        }
        // Five pairs in each round, thirty that are possible.
        for (place, others) in followed.iter().enumerate() {
            for (other, count) in others.iter().enumerate().filter(|(other, _)| *other != place) {
                assert!((900..=1_100).contains(count), "{other} comes {count} times after {place}");
            }
        }
    }

    #[test]
    fn a_way_that_fails_leaves_no_figure() {
        assert_eq!(in_turns(1, [Box::new(|| Err("no".to_owned())) as Way<'_>]), Err("no".to_owned()));
    }
}
