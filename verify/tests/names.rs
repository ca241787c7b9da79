//! Names of properties are unique, the workflow runs every file of them, and every alphabet that bytes are counted with
//! has an argument.

#![cfg(test)]

use std::collections::BTreeSet;

use verify::PROPERTIES;
use verify::cases::{Case, Source};
use verify::engines::Dice;
use verify::properties::alphabet::ARGUMENTS;

#[test]
fn properties_have_names_of_their_own_and_every_file_is_in_the_workflow() {
    let names: BTreeSet<&str> = PROPERTIES.iter().map(|(_, name)| *name).collect();
    assert_eq!(names.len(), PROPERTIES.len());
    for (module, _) in PROPERTIES {
        let line = format!("          - {module}\n");
        assert!(WORKFLOW.contains(&line), ".github/workflows/kani.yml does not run `{module}`");
    }
}

macro_rules! alphabets {
    ($(
        $module:ident::$name:ident $meaning:literal
        { counted: $counted:ty, full: $full:ty, random: $random:ty, proof: $proof:ty, unwind: $unwind:tt }
    )+) => {
        #[test]
        fn every_alphabet_has_an_argument() {
            $({
                use verify::properties::$module::*;
                for number in 0..DRAWN {
                    let rolled: Vec<u32> = (0_u32..120).map(|place| (number + place).wrapping_mul(0x9e37_79b1)).collect();
                    std::hint::black_box(<$counted>::draw(&mut Listening(Dice::new(&rolled))));
                }
            })+
        }
    };
}

verify::for_each_property!(alphabets);

/// Hears what bytes a counting engine would choose among.
struct Listening<'a>(Dice<'a>);

impl Source for Listening<'_> {
    fn below(&mut self, count: usize) -> usize {
        self.0.below(count)
    }

    fn byte(&mut self, alphabet: &'static [u8]) -> u8 {
        assert!(ARGUMENTS.iter().any(|(known, _)| *known == alphabet), "no argument for {}", alphabet.escape_ascii());
        self.0.byte(alphabet)
    }

    fn number(&mut self, boundaries: &'static [u64]) -> u64 {
        self.0.number(boundaries)
    }
}

/// Enough that every kind of case asks for all of its bytes.
const DRAWN: u32 = 300;
const WORKFLOW: &str = include_str!("../../.github/workflows/kani.yml");
