//! A string through an automaton: each state takes a byte at least, so a walk ends with its string.

use table_format::{After, Cells, Class, Direction, Jump, LaneMode, Run, Sieve, State, Table, Target, Walk};

use crate::facts::Facts;

/// The class of a string, or for a lane that scans whether it finds nothing or [`MAYBE`] something;
/// [`BROKEN`] for a table that is not what it was checked to be. Apart from the decision, as is everything
/// below, so that each loop has registers enough.
#[inline(never)]
pub(crate) fn look(table: &Table<'_>, facts: &Facts<'_>, walk: Walk<'_>) -> u32 {
    let Some(string) = facts.string(walk.string()) else {
        return 0;
    };
    match (walk.mode(), walk.direction()) {
        (LaneMode::Classify, Direction::Forward) => classify_forward(table, walk.start(), string),
        (LaneMode::Classify, Direction::Backward) => classify_backward(table, walk.start(), string),
        (LaneMode::Scan, _) => match walk.sieve() {
            Some(sieve) => sift(table, sieve, string),
            None => MAYBE,
        },
    }
}

#[inline(never)]
fn classify_forward(table: &Table<'_>, start: Jump, string: &[u8]) -> u32 {
    last_found::<Forward>(table, start, string).unwrap_or(BROKEN)
}

#[inline(never)]
fn classify_backward(table: &Table<'_>, start: Jump, string: &[u8]) -> u32 {
    last_found::<Backward>(table, start, string).unwrap_or(BROKEN)
}

/// Nothing for most strings in which nothing is found. This costs less than the walk, which has the word on
/// all others.
#[inline(never)]
fn sift(table: &Table<'_>, sieve: Sieve, string: &[u8]) -> u32 {
    let Some(cells) = table.cells_of(sieve.choice) else {
        return BROKEN;
    };
    if next_known(string, cells, sieve.stop, nearly_zero_bytes).is_none() { 0 } else { MAYBE }
}

/// Says each class that is found in a string. `None` when `found` says so.
#[inline(always)]
pub(crate) fn scan(
    table: &Table<'_>,
    how: Walk<'_>,
    string: &[u8],
    found: impl FnMut(Class) -> Option<()>,
) -> Option<()> {
    match how.direction() {
        Direction::Forward => walk::<Forward>(table, how.start(), string, found),
        Direction::Backward => walk::<Backward>(table, how.start(), string, found),
    }
}

#[inline(always)]
fn last_found<S: Side>(table: &Table<'_>, start: Jump, string: &[u8]) -> Option<u32> {
    let (mut jump, mut rest) = (start, string);
    match along_literals::<S>(table, &mut jump, &mut rest)? {
        Stop::End(class) => Some(class.0),
        Stop::State(_) => last_found_beyond::<S>(table, jump, rest),
    }
}

/// The same for automata that are more than literals.
#[cold]
#[inline(never)]
fn last_found_beyond<S: Side>(table: &Table<'_>, start: Jump, string: &[u8]) -> Option<u32> {
    let mut class = Class(0);
    walk::<S>(table, start, string, |found| {
        class = found;
        Some(())
    })?;
    Some(class.0)
}

/// Where a walk along choices and runs stops.
enum Stop {
    /// At its end, with what was found.
    End(Class),
    /// At a state of another kind.
    State(u32),
}

/// `None` for a table that is not what it was checked to be.
#[inline(always)]
fn along_literals<S: Side>(table: &Table<'_>, jump: &mut Jump, rest: &mut &[u8]) -> Option<Stop> {
    loop {
        if let Some(choice) = jump.choice() {
            let Some(byte) = S::take(rest) else {
                return Some(Stop::End(table.head(choice)?.0));
            };
            *jump = match table.step(choice, byte) {
                Some(next) => next,
                None => table.head(choice)?.1,
            };
        } else if let Some(run) = jump.run() {
            let run = table.run(run)?;
            if !S::strip(rest, &run) {
                return Some(Stop::End(run.miss));
            }
            *jump = run.next;
            if run.after != After::Anything {
                let is_it = run.after.allows(S::next(rest));
                return Some(Stop::End(if is_it { jump.class() } else { run.miss }));
            }
        } else {
            return match jump.target() {
                Target::Done(class) => Some(Stop::End(class)),
                Target::State(state) => Some(Stop::State(state)),
                Target::Run(_) | Target::Choice(_) => None,
            };
        }
    }
}

/// `None` when `found` says so, and for a table that is not what it was checked to be.
#[inline(always)]
fn walk<S: Side>(
    table: &Table<'_>,
    start: Jump,
    string: &[u8],
    mut found: impl FnMut(Class) -> Option<()>,
) -> Option<()> {
    let (mut jump, mut rest) = (start, string);
    let end = loop {
        let state = match along_literals::<S>(table, &mut jump, &mut rest)? {
            Stop::End(class) => break class,
            Stop::State(state) => state,
        };
        match table.state(state)? {
            State::Hop { stop, choice } => match S::hop(&mut rest, table, choice, stop) {
                Some(next) => jump = next,
                None => break table.head(choice)?.0,
            },
            State::Skip { stop, next, end } => {
                if !S::skip(&mut rest, stop) {
                    break end;
                }
                jump = next;
            }
            State::Emit { class, next } => {
                say(class, &mut found)?;
                jump = next;
            }
        }
    };
    say(end, &mut found)
}

#[inline(always)]
fn say(class: Class, found: &mut impl FnMut(Class) -> Option<()>) -> Option<()> {
    if class == Class(0) { Some(()) } else { found(class) }
}

/// The lowest bit of eight that is set above the lowest zero byte; all 64 when there is none.
#[inline(always)]
fn first_zero_byte(bytes: u64) -> u32 {
    (bytes.wrapping_sub(LOW_BITS) & !bytes & HIGH_BITS).trailing_zeros()
}

/// The end of a string that a walk reads from.
trait Side {
    /// The next byte.
    fn next(rest: &[u8]) -> Option<u8>;
    /// Takes the next byte.
    fn take(rest: &mut &[u8]) -> Option<u8>;
    /// Takes these bytes if they are the next.
    fn strip(rest: &mut &[u8], run: &Run) -> bool;
    /// Takes everything up to and with the next byte of this value, or says that there is none.
    fn skip(rest: &mut &[u8], stop: u8) -> bool;
    /// Takes segments up to and with the first byte of one for which the choice has a cell. Nothing when the
    /// string ends before.
    fn hop(rest: &mut &[u8], table: &Table<'_>, choice: u32, stop: u8) -> Option<Jump>;
}

struct Forward;
struct Backward;

impl Side for Forward {
    #[inline(always)]
    fn next(rest: &[u8]) -> Option<u8> {
        rest.first().copied()
    }

    #[inline(always)]
    fn take(rest: &mut &[u8]) -> Option<u8> {
        let (first, others) = rest.split_first()?;
        *rest = others;
        Some(*first)
    }

    #[inline(always)]
    fn strip(rest: &mut &[u8], run: &Run) -> bool {
        let len = usize::from(run.len);
        let Some((head, tail)) = rest.split_at_checked(len) else {
            return false;
        };
        let is_it = match rest.first_chunk() {
            Some(eight) => differing(*eight, run.bytes) & first_bytes(run.len) == 0,
            None => head.iter().zip(run.bytes).all(|(one, other)| *one == other),
        };
        *rest = tail;
        is_it
    }

    #[inline(always)]
    fn skip(rest: &mut &[u8], stop: u8) -> bool {
        while let Some((eight, others)) = rest.split_first_chunk::<8>() {
            let bit = first_zero_byte(u64::from_le_bytes(*eight) ^ u64::from(stop).wrapping_mul(LOW_BITS));
            if bit < u64::BITS {
                let taken = usize::try_from((bit >> 3).wrapping_add(1)).unwrap_or(usize::MAX);
                *rest = rest.get(taken..).unwrap_or_default();
                return true;
            }
            *rest = others;
        }
        while let Some((first, others)) = rest.split_first() {
            *rest = others;
            if *first == stop {
                return true;
            }
        }
        false
    }

    fn hop(rest: &mut &[u8], table: &Table<'_>, choice: u32, stop: u8) -> Option<Jump> {
        let place = next_known(rest, table.cells_of(choice)?, stop, zero_bytes)?;
        let (byte, others) = rest.get(place..)?.split_first()?;
        *rest = others;
        table.step(choice, *byte)
    }
}

/// The place of the first byte that starts a segment and for which the choice has a cell.
///
/// Looks at eight bytes at once for the ends of segments, and then only at the bytes after them. `zeros`
/// sets the high bit of every byte that is zero; what else it sets may be found too.
#[inline(always)]
fn next_known(string: &[u8], cells: Cells<'_>, stop: u8, zeros: impl Fn(u64) -> u64) -> Option<usize> {
    if cells.has(*string.first()?) {
        return Some(0);
    }
    let mut rest = string;
    while let Some((nine, others)) = nine_and_rest(rest) {
        if let Some(place) = known_after_stop(nine, cells, stop, &zeros) {
            return string.len().checked_sub(rest.len())?.checked_add(place);
        }
        rest = others;
    }
    // To see some bytes again costs less than to see the last ones alone.
    if let Some(nine) = last_chunk(string) {
        let place = known_after_stop(nine, cells, stop, &zeros)?;
        return string.len().checked_sub(nine.len())?.checked_add(place);
    }
    let mut pairs = string.iter().zip(string.get(1..)?);
    pairs.position(|(end, byte)| *end == stop && cells.has(*byte))?.checked_add(1)
}

/// As the standard library has it, but without the panic that it only loses when optimised for speed.
#[inline(always)]
fn last_chunk<const N: usize>(string: &[u8]) -> Option<&[u8; N]> {
    string.split_at_checked(string.len().checked_sub(N)?)?.1.try_into().ok()
}

/// Nine bytes, and everything from the ninth on.
#[inline(always)]
fn nine_and_rest(string: &[u8]) -> Option<(&[u8; 9], &[u8])> {
    Some((string.first_chunk()?, string.get(8..)?))
}

/// Which of the last eight bytes follows a `stop` and has a cell, by its place among the nine.
#[inline(always)]
fn known_after_stop(nine: &[u8; 9], cells: Cells<'_>, stop: u8, zeros: impl Fn(u64) -> u64) -> Option<usize> {
    let first = u64::from_le_bytes(*nine.first_chunk()?);
    let mut ends = zeros(first ^ u64::from(stop).wrapping_mul(LOW_BITS));
    while ends != 0 {
        let place = usize::try_from(ends.trailing_zeros() >> 3).unwrap_or_default().wrapping_add(1);
        if nine.get(place).is_some_and(|byte| cells.has(*byte)) {
            return Some(place);
        }
        ends &= ends.wrapping_sub(1);
    }
    None
}

/// The high bit of every byte that is zero or has no other bit than that one.
#[inline(always)]
fn nearly_zero_bytes(bytes: u64) -> u64 {
    HIGH_BITS.wrapping_sub(bytes & !HIGH_BITS) & HIGH_BITS
}

/// The high bit of every byte that is zero, and no other bit.
#[inline(always)]
fn zero_bytes(bytes: u64) -> u64 {
    !((bytes & !HIGH_BITS).wrapping_add(!HIGH_BITS) | bytes | !HIGH_BITS)
}

impl Side for Backward {
    #[inline(always)]
    fn next(rest: &[u8]) -> Option<u8> {
        rest.last().copied()
    }

    #[inline(always)]
    fn take(rest: &mut &[u8]) -> Option<u8> {
        let (last, others) = rest.split_last()?;
        *rest = others;
        Some(*last)
    }

    #[inline(always)]
    fn strip(rest: &mut &[u8], run: &Run) -> bool {
        let len = usize::from(run.len);
        let Some((head, tail)) = rest.len().checked_sub(len).and_then(|at| rest.split_at_checked(at)) else {
            return false;
        };
        let is_it = match rest.last_chunk() {
            Some(eight) => differing(*eight, run.bytes) & first_bytes(run.len).swap_bytes() == 0,
            None => tail.iter().rev().zip(run.bytes.iter().rev()).all(|(one, other)| one == other),
        };
        *rest = head;
        is_it
    }

    #[inline(always)]
    fn skip(rest: &mut &[u8], stop: u8) -> bool {
        while let Some((last, others)) = rest.split_last() {
            *rest = others;
            if *last == stop {
                return true;
            }
        }
        false
    }

    #[inline(always)]
    fn hop(rest: &mut &[u8], table: &Table<'_>, choice: u32, stop: u8) -> Option<Jump> {
        loop {
            let byte = Self::take(rest)?;
            if let Some(next) = table.step(choice, byte) {
                return Some(next);
            }
            if byte != stop && !Self::skip(rest, stop) {
                return None;
            }
        }
    }
}

/// Zero bits where both are equal, the first byte in the lowest ones.
#[inline(always)]
fn differing(one: [u8; 8], other: [u8; 8]) -> u64 {
    u64::from_le_bytes(one) ^ u64::from_le_bytes(other)
}

/// The bits of the first bytes, up to eight of them.
#[inline(always)]
fn first_bytes(len: u8) -> u64 {
    FIRST_BYTES.get(usize::from(len & 15)).copied().unwrap_or(u64::MAX)
}

/// By the number of bytes; all from eight on.
const FIRST_BYTES: [u64; 16] = [
    0,
    0xff,
    0xffff,
    0x00ff_ffff,
    0xffff_ffff,
    0x00ff_ffff_ffff,
    0xffff_ffff_ffff,
    0x00ff_ffff_ffff_ffff,
    u64::MAX,
    u64::MAX,
    u64::MAX,
    u64::MAX,
    u64::MAX,
    u64::MAX,
    u64::MAX,
    u64::MAX,
];

/// In place of a class: a lane that scans has to be walked along.
pub(crate) const MAYBE: u32 = 1 << 31;
/// In place of a class: there is none, and nothing is permitted. Classes are below, because jumps hold them.
pub(crate) const BROKEN: u32 = 1 << 30;
const _: () = assert!(table_format::JUMPS_MAX <= BROKEN);
const LOW_BITS: u64 = 0x0101_0101_0101_0101;
const HIGH_BITS: u64 = 0x8080_8080_8080_8080;

#[cfg(test)]
mod tests;
