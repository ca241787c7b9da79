//! Paths of whole calls: what the reader, who checks, containment and policies make of them together.

use super::{Swapped, Text};
use crate::cases::{Bytes, Case, Premise, Source, max, rounds};
use crate::properties::judge::{
    ANY, Called, FILES_LEASED, Judges, LETTERS_ALONE, NARROW_ALONE, NARROW_AND_WIDE, ROLES, TEXT_BYTES,
    are_judged_alike,
};

/// A call with a path of `LEAST` to `N` bytes, and any character of one byte or two in it. When `TOOL` is not [`ANY`], a
/// call to write a file, and what is written.
#[derive(Debug, Clone, Copy)]
pub struct InJudged<const LEAST: usize, const N: usize, const TOOL: usize> {
    /// What is asked for.
    pub called: Called,
    /// The path, and the number of the character.
    pub swapped: Swapped<N>,
    /// Whether the character has two bytes, as it has from 128 on.
    pub is_long: bool,
    /// Which policies the session has.
    pub policies: usize,
    /// Which role it has; none from the number of roles on.
    pub role: usize,
}

impl<const LEAST: usize, const N: usize, const TOOL: usize> Case for InJudged<LEAST, N, TOOL> {
    const ABOUT: &'static str = "a call of one of four tools with a path of LEAST to N bytes and any of the first 256 characters in any place of it, one of two sets of policies, and a role or none; in a proof, what is written to a file has the character";
    // Over what is judged; over the places of a character, twice.
    const LOOPS: usize = max(<Judges<TEXT, TOOL> as Case>::LOOPS, rounds(2 * (N + 1)));

    fn draw<S: Source>(source: &mut S) -> Self {
        let (swapped, is_long) = Swapped::draw_character(source, LEAST, TEXT_BYTES);
        if TOOL != ANY {
            return Self { called: Called::FileWrite, swapped, is_long, policies: LETTERS_ALONE, role: ROLES.len() };
        }
        Self {
            called: source.one_of(&[Called::FileRead, Called::FileWrite, Called::FsList, Called::FsMove]),
            swapped,
            is_long,
            policies: source.one_of(&[NARROW_ALONE, NARROW_AND_WIDE]),
            role: source.below(ROLES.len().saturating_add(1)),
        }
    }
}

/// Each character of a path is to the judge like one that calls are counted with: the same refusal by the same rule, or
/// none.
pub fn every_character_of_a_path_is_judged_like_one<const LEAST: usize, const N: usize, const TOOL: usize>(
    case: &InJudged<LEAST, N, TOOL>,
) -> Premise {
    let like = like_in_judged_path(case.swapped.byte);
    let (one, other) = (case.swapped.with_character(case.is_long), case.swapped.with(like, b""));
    are_judged_alike(&case.call(&one), &case.call(&other));
    Premise::of(like != case.swapped.byte)
}

impl<const LEAST: usize, const N: usize, const TOOL: usize> InJudged<LEAST, N, TOOL> {
    /// The call with this path.
    fn call(&self, path: &Text) -> Judges<TEXT, TOOL> {
        Judges {
            called: self.called,
            one: Bytes::of(path.as_slice()),
            other: Bytes::of(b"b"),
            number: WITHIN_LIMITS,
            is_named: true,
            is_longer: false,
            is_known: true,
            lease: if TOOL == ANY { 0 } else { FILES_LEASED },
            policies: self.policies,
            role: self.role,
            is_approved: false,
        }
    }
}

/// Names of the policies, a slash, a dot, what is no path, and everything else.
pub(super) fn like_in_judged_path(character: u8) -> u8 {
    match character {
        b'a' | b'b' | b'/' | b'.' | 0 => character,
        _ => b'$',
    }
}

/// Bytes to read, and no appending.
const WITHIN_LIMITS: u64 = 4;
/// The longest path. What a model checker does not know the place of may be any byte of these.
const TEXT: usize = if cfg!(kani) { 2 } else { 16 };
