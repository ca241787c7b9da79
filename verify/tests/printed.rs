//! What is printed of a case that fails is what `pasted.rs` compiles. `VERIFY_BLESS=1` keeps what is printed now.

#![cfg(test)]

use std::fs;

use verify::cases::{Case, Premise};
use verify::engines::{Dice, shown};

#[test]
fn what_is_printed_of_every_property_is_what_is_pasted() {
    let printed = printed().join("\n");
    if std::env::var_os("VERIFY_BLESS").is_some() {
        fs::write(PASTED, printed).unwrap();
        return;
    }
    let pasted = fs::read_to_string(PASTED).unwrap();
    let same = pasted.lines().zip(printed.lines()).take_while(|(old, new)| old == new).count();
    assert!(pasted == printed, "verify/tests/data/pasted.rs:{}: another test is printed", same + 1);
}

macro_rules! printed {
    ($(
        $module:ident::$name:ident $meaning:literal
        { counted: $counted:ty, full: $full:ty, random: $random:ty, proof: $proof:ty, unwind: $unwind:tt }
    )+) => {
        /// The test for a case of each property.
        fn printed() -> Vec<String> {
            vec![$({
                use verify::properties::$module::*;
                let name = concat!(stringify!($module), "::", stringify!($name));
                let case = rolled::<$random>($name);
                let shown = shown(name, &case, "somebody wants to see it");
                shown.split_once("\n\n").unwrap().1.to_owned()
            }),+]
        }
    };
}

verify::for_each_property!(printed);

/// The first case that the property speaks of: of dice, because those are made of more than the first that is counted.
fn rolled<C: Case>(property: fn(&C) -> Premise) -> C {
    for seed in 1..=ROLLS_MAX {
        let mut state = seed;
        let dice: Vec<u32> = std::iter::repeat_with(|| next(&mut state)).take(DICE).collect();
        let case = C::draw(&mut Dice::new(&dice));
        if property(&case) == Premise::Met {
            return case;
        }
    }
    panic!("none of {ROLLS_MAX} cases met the premise");
}

/// Xorshift, so that the same cases come on every machine.
fn next(state: &mut u64) -> u32 {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    (state.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 32) as u32
}

const PASTED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/pasted.rs");
const ROLLS_MAX: u64 = 100_000;
/// As many as the largest case takes.
const DICE: usize = 120;
