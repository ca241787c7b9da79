//! Choices that come from elsewhere: from dice, or from the bytes of a fuzzer.

use crate::cases::Source;

/// Dice that were rolled before. Half of the bytes and numbers come from the few that matter and half from the whole
/// range: either alone misses what the other finds. What is not there is zero, so that fewer dice are a smaller case.
#[derive(Debug)]
pub struct Dice<'a> {
    rolled: core::slice::Iter<'a, u32>,
}

impl<'a> Dice<'a> {
    /// These dice, one after the other.
    #[must_use]
    pub fn new(rolled: &'a [u32]) -> Self {
        Self { rolled: rolled.iter() }
    }

    fn next(&mut self) -> u32 {
        self.rolled.next().copied().unwrap_or_default()
    }
}

impl Source for Dice<'_> {
    fn below(&mut self, count: usize) -> usize {
        remainder(u64::from(self.next()), count)
    }

    fn byte(&mut self, alphabet: &'static [u8]) -> u8 {
        let rolled = self.next();
        let [low, high, ..] = rolled.to_le_bytes();
        if high < 0x80 { alphabet.get(remainder(rolled.into(), alphabet.len())).copied().unwrap_or(low) } else { low }
    }

    fn number(&mut self, boundaries: &'static [u64]) -> u64 {
        let rolled = self.next();
        match boundaries.get(remainder(rolled.into(), boundaries.len().saturating_add(1))) {
            // At a boundary, and on either side of it.
            Some(boundary) => boundary.wrapping_add(u64::from(rolled >> 16) % 3).wrapping_sub(1),
            None => u64::from(rolled) << 32 | u64::from(self.next()),
        }
    }
}

/// The bytes of a fuzzer, each of which is a choice. What is not there is zero.
#[derive(Debug)]
pub struct Raw<'a> {
    bytes: core::slice::Iter<'a, u8>,
}

impl<'a> Raw<'a> {
    /// These bytes, one after the other.
    #[must_use]
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { bytes: bytes.iter() }
    }

    fn next(&mut self) -> u8 {
        self.bytes.next().copied().unwrap_or_default()
    }
}

impl Source for Raw<'_> {
    fn below(&mut self, count: usize) -> usize {
        let low = self.next();
        // Most choices are of few, and a fuzzer changes one byte more easily than two.
        let high = if count > 256 { self.next() } else { 0 };
        remainder(u64::from(u16::from_le_bytes([low, high])), count)
    }

    fn byte(&mut self, _: &'static [u8]) -> u8 {
        self.next()
    }

    fn number(&mut self, boundaries: &'static [u64]) -> u64 {
        let first = self.next();
        match boundaries.get(usize::from(first)) {
            Some(boundary) => *boundary,
            None => (0..7).fold(u64::from(first), |number, _| number << 8 | u64::from(self.next())),
        }
    }
}

fn remainder(number: u64, count: usize) -> usize {
    let count = u64::try_from(count).unwrap_or(u64::MAX);
    usize::try_from(number.checked_rem(count).unwrap_or_default()).unwrap_or_default()
}
