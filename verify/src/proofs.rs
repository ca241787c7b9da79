//! Properties -> harnesses: one for each, about every case of its kind at once, for a model checker to run
//! (`cargo kani -p verify`). A harness is named like its property: `proofs::path::contained_paths_are_names`. Where that
//! leaves little open, a second one behind it leaves more: `proofs::shell::quotes_never_open_an_operator::split`.
//!
//! A property that holds because no case meets its premise says nothing; the checker shows by `cover` that one does.

use crate::cases::{Case, Premise, SETTLED_AT_A_TIME, Source};

/// Asks a property about any case of a kind. By its type and not by a pointer, which a checker would have to guess.
fn ask<C: Case>(property: impl Fn(&C) -> Premise) {
    let mut source = Anything { settled: [0; SETTLED_MAX], counts: [1; SETTLED_MAX], made: 0 };
    let (mut is_met, mut goes_on) = (false, true);
    while goes_on {
        // In pieces, because one long loop would have all others unwound as often.
        let mut taken = 0;
        while goes_on && taken < SETTLED_AT_A_TIME {
            let case = C::draw(&mut source);
            // The stand-in can be told to run one case alone, which somebody then wants to see.
            #[cfg(test)]
            if std::env::var_os("KANI_STAND_IN_ONLY").is_some() {
                std::eprintln!("{case:?}");
            }
            is_met |= matches!(property(&case), Premise::Met);
            goes_on = source.goes_on();
            taken += 1;
        }
    }
    kani::cover!(is_met, "the premise is met");
}

/// Every choice at once, but for those that are settled: they are made one after the other. A checker puts together
/// again whatever a choice has kept apart, in every variable; what it is to know must be a constant.
struct Anything {
    /// The settled choices of this round, and among how many each was made.
    settled: [usize; SETTLED_MAX],
    counts: [usize; SETTLED_MAX],
    made: usize,
}

impl Anything {
    /// Settles the last choice that can be another, and forgets those behind it. Whether there was one.
    fn goes_on(&mut self) -> bool {
        let mut place = self.made;
        self.made = 0;
        while place > 0 {
            place -= 1;
            self.settled[place] += 1;
            if self.settled[place] < self.counts[place] {
                return true;
            }
            self.settled[place] = 0;
        }
        false
    }
}

impl Source for Anything {
    fn settled(&mut self, count: usize) -> usize {
        let place = self.made;
        self.made += 1;
        self.counts[place] = count;
        self.settled[place]
    }

    fn below(&mut self, count: usize) -> usize {
        match count {
            // What is known needs no reasoning.
            0 | 1 => 0,
            // The fewer bits, the less there is to reason about.
            2..=0x100 => usize::from(kani::any_where(|chosen: &u8| usize::from(*chosen) < count)),
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

/// The most choices of a case that are settled.
const SETTLED_MAX: usize = 4;

/// A module for each file of properties, with a harness for each property in it. The sign of macros comes from
/// outside, because a macro that makes macros cannot write it.
macro_rules! harnesses {
    ($sign:tt $($module:ident)+) => {
        $(mod $module {
            macro_rules! harness {
                () => {};
                // A property of this file.
                (
                    $module::$sign name:ident $sign meaning:literal
                    { counted: $sign counted:ty, full: $sign full:ty, random: $sign random:ty,
                      proof: $sign proof:ty, unwind: $sign unwind:tt }
                    $sign($sign rest:tt)*
                ) => {
                    #[kani::proof]
                    #[kani::unwind($sign unwind)]
                    #[kani::solver(cadical)]
                    fn $sign name() {
                        #[allow(clippy::wildcard_imports, unused_imports, reason = "the kinds of cases stand there")]
                        use crate::properties::$module::*;
                        super::ask::<$sign proof>(crate::properties::$module::$sign name);
                    }
                    harness! { $sign($sign rest)* }
                };
                // One of another file.
                (
                    $sign other:ident::$sign name:ident $sign meaning:literal { $sign($sign engines:tt)* }
                    $sign($sign rest:tt)*
                ) => {
                    harness! { $sign($sign rest)* }
                };
            }

            crate::for_each_property!(harness);

            macro_rules! split {
                () => {};
                (
                    $module::$sign name:ident::split { proof: $sign proof:ty, unwind: $sign unwind:tt }
                    $sign($sign rest:tt)*
                ) => {
                    mod $sign name {
                        #[kani::proof]
                        #[kani::unwind($sign unwind)]
                        #[kani::solver(cadical)]
                        fn split() {
                            #[allow(clippy::wildcard_imports, unused_imports, reason = "the kinds of cases stand there")]
                            use crate::properties::$module::*;
                            super::super::ask::<$sign proof>(crate::properties::$module::$sign name);
                        }
                    }
                    split! { $sign($sign rest)* }
                };
                (
                    $sign other:ident::$sign name:ident::split { $sign($sign engines:tt)* } $sign($sign rest:tt)*
                ) => {
                    split! { $sign($sign rest)* }
                };
            }

            crate::for_each_split!(split);
        })+

        /// The files of properties that have harnesses.
        const MODULES: &[&str] = &[$(stringify!($module)),+];
    };
}

harnesses! { $ alphabet path shell net wire validate judge table decide }

// No property without a harness.
const _: () = {
    let mut place = 0;
    while place < crate::PROPERTIES.len() {
        assert!(has_harness(crate::PROPERTIES[place].0), "a file of properties has no module of harnesses");
        place += 1;
    }
};

const fn has_harness(module: &str) -> bool {
    let mut place = 0;
    while place < MODULES.len() {
        if is_same_text(MODULES[place].as_bytes(), module.as_bytes()) {
            return true;
        }
        place += 1;
    }
    false
}

const fn is_same_text(one: &[u8], other: &[u8]) -> bool {
    let mut place = 0;
    while place < one.len() && place < other.len() && one[place] == other[place] {
        place += 1;
    }
    place == one.len() && place == other.len()
}
