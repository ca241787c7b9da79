//! A seed, or bytes -> choices. Every choice of a run comes from here, so that those are enough to repeat it.

/// A source of choices.
#[derive(Debug, Clone)]
pub struct Dice {
    /// What was chosen elsewhere and comes first; from the back, so that the next is the last.
    chosen: Vec<u8>,
    rng: fastrand::Rng,
}

impl Dice {
    /// The choices of a seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self { chosen: Vec::new(), rng: fastrand::Rng::with_seed(seed) }
    }

    /// The choices that these bytes are: a seed of eight, and then one or two for each choice as long as there are any, so
    /// that whoever changes a byte changes one choice. The seed chooses what is left.
    #[must_use]
    pub fn of_bytes(bytes: &[u8]) -> Self {
        let (seed, chosen) = bytes.split_at_checked(8).unwrap_or((bytes, &[]));
        let seed = seed.iter().fold(0, |seed, byte| seed << 8 | u64::from(*byte));
        Self { chosen: chosen.iter().rev().copied().collect(), ..Self::new(seed) }
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
        self.taken(100).unwrap_or_else(|| self.rng.u32(..100)) < percent
    }

    /// A number below the bound; zero when there is none.
    pub fn below(&mut self, bound: usize) -> usize {
        match u32::try_from(bound).ok().and_then(|bound| self.taken(bound)) {
            Some(taken) => usize::try_from(taken).unwrap_or_default(),
            None if bound == 0 => 0,
            None => self.rng.usize(..bound),
        }
    }

    /// A number between the two, both included.
    pub fn between(&mut self, least: usize, most: usize) -> usize {
        least.saturating_add(self.below(most.saturating_sub(least).saturating_add(1)))
    }

    /// Any number at all.
    pub fn number(&mut self) -> u64 {
        match self.taken(u32::MAX) {
            Some(low) => u64::from(self.taken(u32::MAX).unwrap_or_default()) << 32 | u64::from(low),
            None => self.rng.u64(..),
        }
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
        let mut left = self.taken(sum).unwrap_or_else(|| self.rng.u32(..sum));
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
        if self.chosen.is_empty() {
            return self.rng.shuffle(items);
        }
        for place in 1..items.len() {
            items.swap(place, self.below(place.saturating_add(1)));
        }
    }

    /// A number below the bound from as many of the bytes as it takes; nothing when there are none.
    fn taken(&mut self, bound: u32) -> Option<u32> {
        let mut taken = u32::from(self.chosen.pop().filter(|_| bound > 0)?);
        for place in 1..4 {
            if bound > 1 << (8 * place) {
                taken |= u32::from(self.chosen.pop().unwrap_or_default()) << (8 * place);
            }
        }
        taken.checked_rem(bound)
    }
}

/// Neighbouring parts get seeds far from each other.
const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;
