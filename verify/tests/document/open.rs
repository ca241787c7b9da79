//! A kind of cases -> what a model checker is asked about: how many cases one after the other, and what is open in them.

use std::collections::BTreeSet;

use verify::cases::{Case, Source};
use verify::engines::Count;

/// What is open in a proof.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Open {
    /// How many cases there are by what is settled.
    pub(crate) settled: usize,
    /// The most bits of a case that can be anything.
    pub(crate) bits: u32,
}

impl Open {
    /// Makes every case of a kind that differs from the others in more than bytes and numbers, and looks at none.
    pub(crate) fn of<C: Case>() -> Self {
        let mut listening = Listening::default();
        let (mut settled, mut bits) = (BTreeSet::new(), 0);
        loop {
            std::hint::black_box(C::draw(&mut listening));
            settled.insert(std::mem::take(&mut listening.settled));
            bits = bits.max(std::mem::take(&mut listening.bits));
            if !listening.count.advance() {
                return Self { settled: settled.len(), bits };
            }
        }
    }
}

/// Goes through choices among few, on which it may depend what else there is to choose, and counts the bits of all that are
/// not settled.
#[derive(Default)]
struct Listening {
    count: Count,
    settled: Vec<usize>,
    bits: u32,
}

impl Source for Listening {
    fn below(&mut self, count: usize) -> usize {
        self.bits += count.next_power_of_two().ilog2();
        if count <= FEW { self.count.below(count) } else { 0 }
    }

    fn byte(&mut self, _: &'static [u8]) -> u8 {
        self.bits += u8::BITS;
        0
    }

    fn number(&mut self, _: &'static [u64]) -> u64 {
        self.bits += u64::BITS;
        0
    }

    fn settled(&mut self, count: usize) -> usize {
        let chosen = self.count.below(count);
        self.settled.push(chosen);
        chosen
    }
}

/// What is chosen among more is a byte or a number by another name.
const FEW: usize = 64;

mod tests {
    use super::*;
    use verify::cases::Bytes;

    #[derive(Debug)]
    struct Short;

    impl Case for Short {
        const ABOUT: &'static str = "a number, or up to three bytes, one of three times";
        const LOOPS: usize = 3;

        fn draw<S: Source>(source: &mut S) -> Self {
            match source.settled(3) {
                0 => _ = source.number(&[1]),
                _ => _ = Bytes::<3>::draw(source, b"a"),
            }
            Self
        }
    }

    #[test]
    fn what_is_settled_is_counted_and_what_is_open_is_measured_where_most_is() {
        assert_eq!(Open::of::<Short>(), Open { settled: 3, bits: 64 });
        assert_eq!(Open::of::<verify::properties::shell::Typed<3>>(), Open { settled: 1, bits: 2 + 3 * 8 });
        assert_eq!(Open::of::<verify::properties::net::Four<65536>>(), Open { settled: 1, bits: 32 });
    }
}
