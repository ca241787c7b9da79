//! Automata and strings at random, against the naive interpreter.

#![cfg(test)]

mod support;

use fastrand::Rng;
use support::watch::Watch;
use support::{frozen, open, random};

#[test]
fn any_automaton_finds_in_any_string_what_the_naive_one_finds() {
    let mut dice = Rng::with_seed(0xA070_3A7A);
    let mut with_finds = 0;
    for number in 0..AUTOMATA {
        let automaton = random::automaton(&mut dice);
        let bytes = frozen(&automaton.sketch());
        let table = open(&bytes).unwrap();
        let watch = Watch::over(&table);
        for _ in 0..STRINGS {
            let string = random::string(&mut dice);
            let expected = automaton.expected(&string);
            assert_eq!(watch.seen(&string), expected, "automaton {number}: {automaton:?} over {string:?}");
            with_finds += usize::from(expected.found.len() > 1);
        }
    }
    assert!(with_finds > AUTOMATA * STRINGS / 20, "strings with several finds: {with_finds}");
}

const AUTOMATA: usize = 2_000;
const STRINGS: usize = 20;
