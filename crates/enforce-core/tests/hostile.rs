//! Tables that somebody broke and signed again: each is refused, or every decision from it comes to an end without a
//! panic, whatever the request says.

#![cfg(test)]

mod support;

use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use enforce_core::{Decision, Facts, decide};
use fastrand::Rng;
use support::sketch::Sketch;
use support::{frozen, golden, open, random};
use table_format::{HEADER_BYTES, RoleId, Table};

#[test]
fn decisions_from_a_table_with_any_other_byte_end() {
    ends(|| {
        let golden = frozen(&golden::every_row());
        let requests = Requests::new();
        let mut changed = golden.clone();
        let mut opened = 0;
        for (place, byte) in golden.iter().enumerate() {
            let others = (0..8).map(|bit| byte ^ 1 << bit).chain([0, 1, 2, 127, 128, 254, 255]);
            for other in others.filter(|other| other != byte) {
                changed[place] = other;
                if let Ok(table) = open(&changed) {
                    requests.decide(&table);
                    opened += 1;
                }
            }
            changed[place] = *byte;
        }
        assert!(opened > golden.len(), "opened: {opened}");
    });
}

#[test]
fn decisions_from_tables_with_other_words_end() {
    ends(|| {
        let mut dice = Rng::with_seed(0xB20_7E11);
        let mut bases = vec![frozen(&golden::every_row())];
        bases.extend((0..40).map(|_| frozen(&random::automaton(&mut dice).sketch())));
        let requests = Requests::new();
        let mut opened = 0;
        for number in 0..MUTANTS {
            // Half of them are of the table with every kind of row.
            let base = if number % 2 == 0 { &bases[0] } else { &bases[dice.usize(1..bases.len())] };
            let changed = mutant(&mut dice, base);
            if let Ok(table) = open(&changed) {
                requests.decide(&table);
                opened += 1;
            }
        }
        assert!(opened > MUTANTS / 20, "opened: {opened}");
    });
}

/// A file of which some words behind the header are other ones. Rows are made of words but for texts and runs.
fn mutant(dice: &mut Rng, base: &[u8]) -> Vec<u8> {
    let mut changed = base.to_vec();
    let words = (base.len() - HEADER_BYTES) / 4;
    for _ in 0..1 + dice.usize(0..3) * dice.usize(0..2) {
        let place = |dice: &mut Rng| HEADER_BYTES + 4 * dice.usize(0..words);
        let at = place(dice);
        if dice.u8(0..4) == 0 {
            changed[at + dice.usize(0..4)] = dice.u8(..);
            continue;
        }
        let old = u32::from_le_bytes(*changed[at..].first_chunk().unwrap());
        let from = place(dice);
        let elsewhere = u32::from_le_bytes(*base[from..].first_chunk().unwrap());
        let small = dice.u32(0..20);
        let new = match dice.u8(0..10) {
            0 => small,
            1 => old.wrapping_add(1),
            2 => old.wrapping_sub(1),
            3 => elsewhere,
            // A class to end with, a rule, no edge, a number at an edge.
            4 => 1 << 31 | small,
            5 => dice.u32(8..12) << 28 | small,
            6 => u32::MAX - small,
            7 => 1 << dice.u32(0..32),
            8 => old ^ 1 << dice.u32(0..32),
            _ => old & !255 | dice.u32(0..256),
        };
        changed[at..at + 4].copy_from_slice(&new.to_le_bytes());
    }
    changed
}

/// Requests for every operation of a table, however little they fit it.
struct Requests {
    foreign: Vec<RoleId>,
}

impl Requests {
    fn new() -> Self {
        let bytes = frozen(&Sketch { roles: vec!["a", "b", "c", "d", "e"], ..Sketch::default() });
        Self { foreign: open(&bytes).unwrap().roles().collect() }
    }

    fn decide(&self, table: &Table<'_>) {
        let own: Vec<RoleId> = table.roles().collect();
        let numbers: [Option<u64>; 3] = [Some(4097), None, Some(u64::MAX)];
        for operation in table.operations() {
            for (string, roles, flags) in [
                (&b""[..], &[][..], 0),
                (b"src/.env/x", &own, 1),
                (b"notes/-/.e/main", &own, u64::MAX),
                (b"/a.b/x\0\x7F\x80\xFF//a.b/x\0\x7F\x80\xFFcargo", own.get(..1).unwrap_or_default(), 2),
                (b"src/a.rs", &self.foreign, 0),
            ] {
                let strings = [Some(string), None, Some(string)];
                look_at(&decide(table, &Facts { operation, roles, strings: &strings, numbers: &numbers, flags }));
            }
            look_at(&decide(table, &Facts { operation, roles: &own, strings: &[], numbers: &[], flags: 0 }));
        }
    }
}

/// Everything that a decision can be asked.
fn look_at(decision: &Decision<'_, '_>) {
    let texts = [decision.rule_name(), decision.code().as_str(), decision.because().unwrap_or_default()];
    let lists = [decision.limits().count(), decision.requirements().count(), decision.budgets().count()];
    let is_denied = decision.verdict() == enforce_core::Verdict::Deny;
    assert!(!is_denied || lists == [0, 0, 0], "{texts:?}: a denial binds to nothing");
    assert!(decision.exceeded().is_none() || is_denied);
}

/// Runs a test apart, so that one that never ends fails.
fn ends(test: impl FnOnce() + Send + 'static) {
    let (done, waits) = channel();
    let worker = thread::spawn(move || {
        test();
        done.send(()).unwrap();
    });
    match waits.recv_timeout(TIME_MAX) {
        Ok(()) => worker.join().unwrap(),
        Err(RecvTimeoutError::Disconnected) => {
            panic!("{:?}", worker.join().err().map(|error| *error.downcast::<String>().unwrap_or_default()))
        }
        Err(RecvTimeoutError::Timeout) => panic!("did not end in {TIME_MAX:?}"),
    }
}

const MUTANTS: usize = 200_000;
/// Far more than it takes, even unoptimised on a machine with other things to do.
const TIME_MAX: Duration = Duration::from_secs(900);
