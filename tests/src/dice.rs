//! Numbers that proptest or a fuzzer has chosen, or a seed -> the choices of a generator.

use std::vec::IntoIter;

/// A source of choices. A number that is not there is zero, the first of the choices: fewer numbers are a smaller case.
#[derive(Debug, Clone)]
pub struct Dice {
    chosen: IntoIter<u32>,
    /// Chooses instead where there is one.
    rng: Option<fastrand::Rng>,
}

impl Dice {
    /// These numbers, one after the other.
    #[must_use]
    pub fn new(chosen: &[u32]) -> Self {
        Self { chosen: Vec::from(chosen).into_iter(), rng: None }
    }

    /// The choices of a seed.
    #[must_use]
    pub fn seeded(seed: u64) -> Self {
        Self { chosen: Vec::new().into_iter(), rng: Some(fastrand::Rng::with_seed(seed)) }
    }

    fn next(&mut self) -> u32 {
        self.rng.as_mut().map_or_else(|| self.chosen.next().unwrap_or_default(), |rng| rng.u32(..))
    }

    /// Yes in so many of a hundred cases.
    pub fn chance(&mut self, percent: u32) -> bool {
        self.next() % 100 >= 100_u32.saturating_sub(percent)
    }

    /// A number below the bound; zero when there is none.
    pub fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.next()).unwrap_or_default().checked_rem(bound).unwrap_or_default()
    }

    /// A number between the two, both included.
    pub fn between(&mut self, least: usize, most: usize) -> usize {
        least.saturating_add(self.below(most.saturating_sub(least).saturating_add(1)))
    }

    /// Any number at all.
    pub fn number(&mut self) -> u64 {
        u64::from(self.next()) << 32 | u64::from(self.next())
    }

    /// One of a list.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> Option<&'a T> {
        items.get(self.below(items.len()))
    }

    /// One of a list that is never empty.
    pub fn one_of<T: Copy, const N: usize>(&mut self, items: [T; N]) -> T {
        const { assert!(N > 0) };
        items.get(self.below(N)).copied().unwrap_or(items[0])
    }

    /// One of a list that is never empty, each as often as its weight says.
    pub fn weighted<T: Copy, const N: usize>(&mut self, items: [(u32, T); N]) -> T {
        const { assert!(N > 0) };
        let mut left = self.next() % items.iter().map(|(weight, _)| weight).sum::<u32>().max(1);
        for (weight, item) in items {
            match left.checked_sub(weight) {
                Some(rest) => left = rest,
                None => return item,
            }
        }
        items[0].1
    }

    /// Another order.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for place in 1..items.len() {
            items.swap(place, self.below(place.saturating_add(1)));
        }
    }
}
