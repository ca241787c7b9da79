//! A seed -> choices. Every choice of a run comes from here, so that a seed is enough to repeat it.

/// A source of choices.
#[derive(Debug, Clone)]
pub struct Dice {
    rng: fastrand::Rng,
}

impl Dice {
    /// The choices of a seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self { rng: fastrand::Rng::with_seed(seed) }
    }

    /// The choices of one part of a run: they depend on the run's seed and the part's number alone,
    /// so that a part can be repeated without those before it.
    #[must_use]
    pub fn of_part(seed: u64, part: usize) -> Self {
        let part = u64::try_from(part).unwrap_or(u64::MAX);
        Self::new(seed.wrapping_add(part.wrapping_mul(GOLDEN)))
    }

    /// Yes in so many of a hundred cases.
    pub fn chance(&mut self, percent: u32) -> bool {
        self.rng.u32(..100) < percent
    }

    /// A number below the bound; zero when there is none.
    pub fn below(&mut self, bound: usize) -> usize {
        if bound == 0 { 0 } else { self.rng.usize(..bound) }
    }

    /// A number between the two, both included.
    pub fn between(&mut self, least: usize, most: usize) -> usize {
        least.saturating_add(self.below(most.saturating_sub(least).saturating_add(1)))
    }

    /// Any number at all.
    pub fn number(&mut self) -> u64 {
        self.rng.u64(..)
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
        let sum = items.iter().map(|(weight, _)| weight).sum::<u32>().max(1);
        let mut left = self.rng.u32(..sum);
        for (weight, item) in items {
            if left < weight {
                return item;
            }
            left -= weight;
        }
        items[0].1
    }

    /// Another order.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        self.rng.shuffle(items);
    }
}

/// Neighbouring parts get seeds far from each other.
const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;
