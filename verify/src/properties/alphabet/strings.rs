//! Strings of requests: a table tells apart the bytes that its rules name, and no others.

use core::mem::{Discriminant, discriminant};

use enforce_core::{Code, Facts, Verdict, decide};
use table_format::{RuleId, Table};

use super::{Swapped, places};
use crate::cases::{Case, Premise, Source, max, rounds};
use crate::properties::decide::STRING_BYTES;
use crate::world::{A, B, OTHER, SLASH, World};

/// A table, and a string of up to `N` bytes with any byte for a place in it.
#[derive(Debug, Clone, Copy)]
pub struct InString<W, const N: usize> {
    /// The rules.
    pub world: W,
    /// The string, and the byte.
    pub swapped: Swapped<N>,
}

impl<W: World, const N: usize> Case for InString<W, N> {
    const ABOUT: &'static str = "a table of the rules W, and a string of up to N bytes with any byte in any place of it; `Rules` and `Kept` are as for decisions";
    // Over the table; over the string with one more byte; over the lengths of a string and the places in each.
    const LOOPS: usize = max(max(W::LOOPS, N + 1), rounds(places(N)));

    fn draw<S: Source>(source: &mut S) -> Self {
        Self { world: W::draw(source), swapped: Swapped::draw_settled(source, STRING_BYTES) }
    }
}

/// Each byte of a string is to a decision like one that strings are counted with: the same verdict for the same reason.
pub fn every_byte_of_a_string_is_decided_like_one<W: World, const N: usize>(case: &InString<W, N>) -> Premise {
    let like = like_in_string(case.swapped.byte);
    let (one, other) = (case.swapped.with(case.swapped.byte, b""), case.swapped.with(like, b""));
    case.world.with_table(|table| {
        let is_same = decided(table, one.as_slice()) == decided(table, other.as_slice());
        assert!(is_same, "a byte is like its kind in a string");
    });
    Premise::of(like != case.swapped.byte)
}

/// What rules name, and everything else.
pub(super) fn like_in_string(byte: u8) -> u8 {
    match byte {
        A | B | SLASH => byte,
        _ => OTHER,
    }
}

fn decided<'t>(table: &'t Table<'t>, string: &[u8]) -> (Verdict, Option<RuleId>, Discriminant<Code<'t>>) {
    let Some(operation) = table.operations().next() else {
        unreachable!("a world has an operation");
    };
    let facts = Facts { operation, roles: &[], strings: &[Some(string)], numbers: &[None], flags: 0 };
    let decision = decide(table, &facts);
    (decision.verdict(), decision.rule(), discriminant(&decision.code()))
}
