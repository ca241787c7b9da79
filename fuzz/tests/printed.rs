//! What is printed of bytes that fail is a test that compiles: one for each property of this crate, kept and compared.
//! `VERIFY_BLESS=1` keeps what is printed now; what does not compile any more is emptied first.

#![cfg(test)]

use std::fs;

use fuzz::{asks, corpus, shown};
use verify::cases::Premise;

mod pasted {
    include!("data/pasted.rs");
}

#[test]
fn what_is_printed_of_every_property_is_what_is_pasted() {
    let asked = TARGETS.iter().flat_map(|target| asks(target).into_iter().map(move |ask| (target, ask)));
    // Those of the core are printed by `verify`, which has such a test itself.
    let own = asked.filter(|(_, ask)| ask.name.starts_with("fuzz::"));
    let tests: Vec<String> = own
        .map(|(target, ask)| {
            let seeds = corpus(target).into_iter().map(|(_, bytes)| bytes);
            let is_met = |bytes: &Vec<u8>| ask.holds(bytes) == Ok(Premise::Met);
            let shortest = seeds.filter(is_met).min_by_key(Vec::len).expect("a seed meets the premise");
            shown(ask.name, &shortest, "somebody wants to see it").split_once("\n\n").unwrap().1.to_owned()
        })
        .collect();
    let printed = tests.join("\n");
    if std::env::var_os("VERIFY_BLESS").is_some() {
        fs::write(PASTED, printed).unwrap();
        return;
    }
    let pasted = fs::read_to_string(PASTED).unwrap();
    let same = pasted.lines().zip(printed.lines()).take_while(|(old, new)| old == new).count();
    assert!(pasted == printed, "fuzz/tests/data/pasted.rs:{}: another test is printed", same + 1);
}

const PASTED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/pasted.rs");
/// Those that have properties of their own.
const TARGETS: &[&str] = &["agreement", "eval", "import", "json", "policy", "shell", "table", "url", "wire"];
