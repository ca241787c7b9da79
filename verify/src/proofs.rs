//! Properties -> harnesses for a model checker (`cargo kani -p verify`), each about every case of its kind at once. A harness
//! is named like its property: `proofs::path::contained_paths_are_names::whole`.
//!
//! Without the checker the harnesses are tests: the same kinds of cases, with dice for what is open. That proves nothing. It
//! shows that the property holds where it was asked, and that a case meets its premise.

use crate::cases::{Case, Premise, Source};

/// Asks a property about any case of a kind. By its type and not by a pointer, which a checker would have to guess.
#[cfg(kani)]
fn ask<C: Case>(property: impl Fn(&C) -> Premise) {
    let is_met = ask_settled(&mut Settled::new(Anything), &property);
    kani::cover!(is_met, "the premise is met");
}

#[cfg(not(kani))]
fn ask<C: Case>(property: impl Fn(&C) -> Premise) {
    let mut is_met = false;
    for round in 0..ROUNDS {
        // Neighbours have nothing in common.
        let rolled = core::array::from_fn::<u32, 120, _>(|place| {
            let number = round.wrapping_mul(0x9e37_79b1).wrapping_add(u32::try_from(place).unwrap_or_default());
            (number ^ number >> 15).wrapping_mul(0x2c1b_3c6d).rotate_left(13).wrapping_mul(0x297a_2d39)
        });
        is_met |= ask_settled(&mut Settled::new(crate::engines::Dice::new(&rolled)), &property);
    }
    assert!(is_met, "no case meets the premise");
}

/// Asks about one case after the other until every settled choice was made. Returns whether one met the premise.
fn ask_settled<C: Case, S: Source>(source: &mut Settled<S>, property: impl Fn(&C) -> Premise) -> bool {
    let (mut is_met, mut goes_on) = (false, true);
    while goes_on {
        // In pieces, because one long loop would have all others unwound as often.
        let mut taken = 0;
        while goes_on && taken < SETTLED_AT_A_TIME {
            is_met |= matches!(property(&C::draw(source)), Premise::Met);
            goes_on = source.goes_on();
            taken += 1;
        }
    }
    is_met
}

/// Makes settled choices one after the other and leaves the others to another source. A checker puts together again whatever
/// a choice has kept apart, in every variable; what it is to know must be a constant.
struct Settled<S> {
    open: S,
    /// The settled choices of this round, and among how many each was made.
    chosen: [usize; SETTLED_MAX],
    counts: [usize; SETTLED_MAX],
    made: usize,
}

impl<S> Settled<S> {
    fn new(open: S) -> Self {
        Self { open, chosen: [0; SETTLED_MAX], counts: [1; SETTLED_MAX], made: 0 }
    }

    /// Makes the last choice that can be another, and forgets those behind it. Returns whether there was one.
    #[expect(clippy::indexing_slicing, reason = "a case with more settled choices has to end the harness")]
    fn goes_on(&mut self) -> bool {
        let mut place = self.made;
        self.made = 0;
        while place > 0 {
            place -= 1;
            self.chosen[place] += 1;
            if self.chosen[place] < self.counts[place] {
                return true;
            }
            self.chosen[place] = 0;
        }
        false
    }
}

impl<S: Source> Source for Settled<S> {
    #[expect(clippy::indexing_slicing, reason = "a case with more settled choices has to end the harness")]
    fn settled(&mut self, count: usize) -> usize {
        let place = self.made;
        self.made += 1;
        self.counts[place] = count;
        self.chosen[place]
    }

    fn below(&mut self, count: usize) -> usize {
        // What is known needs no reasoning.
        if count < 2 { 0 } else { self.open.below(count) }
    }

    fn byte(&mut self, alphabet: &'static [u8]) -> u8 {
        self.open.byte(alphabet)
    }

    fn number(&mut self, boundaries: &'static [u64]) -> u64 {
        self.open.number(boundaries)
    }

    fn flag(&mut self) -> bool {
        self.open.flag()
    }
}

/// Every choice at once.
#[cfg(kani)]
struct Anything;

#[cfg(kani)]
impl Source for Anything {
    fn below(&mut self, count: usize) -> usize {
        // The fewer bits, the less there is to reason about.
        match count {
            0..=0x100 => usize::from(kani::any_where(|chosen: &u8| usize::from(*chosen) < count)),
            0x101..=0x1_0000 => usize::from(kani::any_where(|chosen: &u16| usize::from(*chosen) < count)),
            _ => kani::any_where(|chosen: &usize| *chosen < count),
        }
    }

    fn byte(&mut self, _: &'static [u8]) -> u8 {
        kani::any()
    }

    fn number(&mut self, _: &'static [u64]) -> u64 {
        kani::any()
    }

    fn flag(&mut self) -> bool {
        kani::any()
    }
}

/// The most choices of a case that are settled, and how many are taken in one go.
const SETTLED_MAX: usize = 4;
const SETTLED_AT_A_TIME: usize = 4;
#[cfg(not(kani))]
const ROUNDS: u32 = 20_000;

macro_rules! harnesses {
    ($($module:ident { $(
        $name:ident {
            $counted:ty, $full:ty, $random:ty; $proof:ty, $unwind:tt $(; $second:ty, $second_unwind:tt)?
        }
    )+ })+) => {
        $(mod $module {
            $(mod $name {
                use crate::properties::$module::*;

                #[cfg_attr(kani, kani::proof, kani::unwind($unwind), kani::solver(cadical))]
                #[cfg_attr(not(kani), test)]
                fn whole() {
                    crate::proofs::ask::<$proof>($name);
                }

                $(#[cfg_attr(kani, kani::proof, kani::unwind($second_unwind), kani::solver(cadical))]
                #[cfg_attr(not(kani), test)]
                fn split() {
                    crate::proofs::ask::<$second>($name);
                })?
            })+
        })+
    };
}

crate::for_each_property!(harnesses);
