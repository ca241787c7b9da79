//! A kind of cases -> how many there are and what they are made of: found by counting, so that no claim is out of date.

use std::ptr;

use verify::cases::{Case, Source};
use verify::engines::Count;

/// What is counted through.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Domain {
    pub(crate) cases: u64,
    /// What bytes are chosen among.
    pub(crate) alphabets: Vec<&'static [u8]>,
    /// What numbers are chosen among.
    pub(crate) boundaries: Vec<&'static [u64]>,
}

impl Domain {
    /// Makes every case of a kind, and looks at none.
    pub(crate) fn of<C: Case>() -> Self {
        let mut listening = Listening { count: Count::default(), domain: Self::default() };
        loop {
            std::hint::black_box(C::draw(&mut listening));
            listening.domain.cases += 1;
            if !listening.count.advance() {
                return listening.domain;
            }
        }
    }
}

/// Counts, and listens to what it is asked for.
struct Listening {
    count: Count,
    domain: Domain,
}

impl Source for Listening {
    fn below(&mut self, count: usize) -> usize {
        self.count.below(count)
    }

    fn byte(&mut self, alphabet: &'static [u8]) -> u8 {
        note(&mut self.domain.alphabets, alphabet);
        self.count.byte(alphabet)
    }

    fn number(&mut self, boundaries: &'static [u64]) -> u64 {
        note(&mut self.domain.boundaries, boundaries);
        self.count.number(boundaries)
    }
}

/// Most are the one that was asked for before, at the same place.
fn note<T: PartialEq>(known: &mut Vec<&'static [T]>, asked: &'static [T]) {
    if !known.iter().any(|other| ptr::eq(*other, asked)) && !known.contains(&asked) {
        known.push(asked);
    }
}

mod tests {
    use super::*;
    use verify::cases::Bytes;

    #[derive(Debug)]
    struct Short;

    impl Case for Short {
        const ABOUT: &'static str = "up to two letters, or a number";
        const LOOPS: usize = 2;

        fn draw<S: Source>(source: &mut S) -> Self {
            if source.flag() {
                Bytes::<2>::draw(source, b"ab");
            } else {
                source.number(&[1, 9, 10]);
            }
            Self
        }
    }

    #[test]
    fn a_domain_is_what_is_asked_for() {
        assert_eq!(Domain::of::<Short>(), Domain { cases: 10, alphabets: vec![b"ab"], boundaries: vec![&[1, 9, 10]] });
    }
}
