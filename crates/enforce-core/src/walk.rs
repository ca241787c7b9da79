//! A string through an automaton: each state takes a byte at least, so a walk ends with its string.

use table_format::{Class, Direction, State, Table, Target, Walk};

/// The one class of a string.
#[inline]
pub(crate) fn classify(table: &Table<'_>, how: &Walk, string: &[u8]) -> Option<Class> {
    let mut class = Class(0);
    let found = |found| {
        class = found;
        Some(())
    };
    match how.direction {
        Direction::Forward => walk::<Forward>(table, how.start, string, found)?,
        Direction::Backward => walk::<Backward>(table, how.start, string, found)?,
    }
    Some(class)
}

/// Says each class that is found in a string. `None` when `found` says so.
#[inline]
pub(crate) fn scan(table: &Table<'_>, how: &Walk, string: &[u8], found: impl FnMut(Class) -> Option<()>) -> Option<()> {
    match how.direction {
        Direction::Forward => walk::<Forward>(table, how.start, string, found),
        Direction::Backward => walk::<Backward>(table, how.start, string, found),
    }
}

/// `None` also for a table that is not what it was checked to be.
#[inline(always)]
fn walk<S: Side>(
    table: &Table<'_>,
    start: Target,
    string: &[u8],
    mut found: impl FnMut(Class) -> Option<()>,
) -> Option<()> {
    let mut rest = string;
    let mut target = start;
    loop {
        let state = match target {
            Target::State(state) => table.state(state)?,
            Target::Done(class) => return say(class, &mut found),
        };
        let next = match state {
            State::Range { low, count, first, otherwise, end } => match S::take(&mut rest) {
                Some(byte) => {
                    let place = u32::from(byte.wrapping_sub(low));
                    if place < u32::from(count) { Ok(table.target(first.wrapping_add(place))?) } else { Ok(otherwise) }
                }
                None => Err(end),
            },
            State::Hop { low, count, first, stop, end } => {
                let hops = Hops { targets: table.targets(first, count)?, low, stop };
                S::hop(&mut rest, &hops)?.ok_or(end)
            }
            State::Skip { stop, next, end } => {
                if S::skip(&mut rest, stop) {
                    Ok(next)
                } else {
                    Err(end)
                }
            }
            State::Run { at, len, next, miss } => {
                if S::strip(&mut rest, table.run(at, len)?) {
                    Ok(next)
                } else {
                    Err(miss)
                }
            }
            State::Sparse { first, otherwise, end, .. } => match S::take(&mut rest) {
                Some(byte) => match position(table.long(first)?, byte) {
                    Some(place) => Ok(table.target(first.wrapping_add(EDGE_WORDS).wrapping_add(place))?),
                    None => Ok(otherwise),
                },
                None => Err(end),
            },
            State::Emit { class, next } => {
                say(class, &mut found)?;
                Ok(next)
            }
        };
        match next {
            Ok(next) => target = next,
            Err(end) => return say(end, &mut found),
        }
    }
}

#[inline(always)]
fn say(class: Class, found: &mut impl FnMut(Class) -> Option<()>) -> Option<()> {
    if class == Class(0) { Some(()) } else { found(class) }
}

/// Which of eight bytes is this one, the first if there are several: all compared at once.
#[inline(always)]
fn position(bytes: u64, byte: u8) -> Option<u32> {
    let zero_where_equal = bytes ^ u64::from(byte).wrapping_mul(LOW_BITS);
    match first_zero_byte(zero_where_equal) {
        u64::BITS => None,
        bit => Some(bit >> 3),
    }
}

/// The lowest bit of eight that is set above the lowest zero byte; all 64 when there is none.
#[inline(always)]
fn first_zero_byte(bytes: u64) -> u32 {
    (bytes.wrapping_sub(LOW_BITS) & !bytes & HIGH_BITS).trailing_zeros()
}

/// The high bit of every byte that is zero, and no other bit.
#[inline(always)]
fn zero_bytes(bytes: u64) -> u64 {
    !((bytes & !HIGH_BITS).wrapping_add(!HIGH_BITS) | bytes | !HIGH_BITS)
}

/// The end of a string that a walk reads from.
trait Side {
    /// Takes the next byte.
    fn take(rest: &mut &[u8]) -> Option<u8>;
    /// Takes these bytes if they are the next.
    fn strip(rest: &mut &[u8], run: &[u8]) -> bool;
    /// Takes everything up to and with the next byte of this value, or says that there is none.
    fn skip(rest: &mut &[u8], stop: u8) -> bool;
    /// Takes segments up to and with the first byte of one that has a target. No target when the string
    /// ends before.
    fn hop(rest: &mut &[u8], hops: &Hops<'_>) -> Option<Option<Target>>;
}

struct Forward;
struct Backward;

impl Side for Forward {
    #[inline(always)]
    fn take(rest: &mut &[u8]) -> Option<u8> {
        let (first, others) = rest.split_first()?;
        *rest = others;
        Some(*first)
    }

    #[inline(always)]
    fn strip(rest: &mut &[u8], run: &[u8]) -> bool {
        let Some((head, tail)) = rest.split_at_checked(run.len()) else {
            return false;
        };
        *rest = tail;
        equal(head, run)
    }

    #[inline(always)]
    fn skip(rest: &mut &[u8], stop: u8) -> bool {
        while let Some((eight, others)) = rest.split_first_chunk::<8>() {
            let bit = first_zero_byte(u64::from_le_bytes(*eight) ^ u64::from(stop).wrapping_mul(LOW_BITS));
            if bit < u64::BITS {
                let (_, tail) = rest.split_at(usize::try_from((bit >> 3).wrapping_add(1)).unwrap_or_default().min(8));
                *rest = tail;
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

    #[inline(always)]
    fn hop(rest: &mut &[u8], hops: &Hops<'_>) -> Option<Option<Target>> {
        match hops.first(rest)? {
            Some((place, target)) => {
                *rest = rest.get(place.wrapping_add(1)..)?;
                Some(Some(target))
            }
            None => Some(None),
        }
    }
}

/// A [`State::Hop`] and its targets.
struct Hops<'a> {
    /// A target for each byte from `low` on.
    targets: &'a [[u8; 4]],
    low: u8,
    stop: u8,
}

impl Hops<'_> {
    /// The first segment whose first byte has a target: the place of the byte, and the target.
    ///
    /// Looks at eight bytes at once for the ends of segments, and then only at the bytes after them. Kept
    /// apart from the walk, so that the loop has registers enough.
    #[inline(never)]
    fn first(&self, string: &[u8]) -> Option<Option<(usize, Target)>> {
        let Some(first) = string.first() else {
            return Some(None);
        };
        if let Some(target) = self.target(*first) {
            return Some(Some((0, target)));
        }
        let (eights, last) = string.as_chunks::<8>();
        let stops = u64::from(self.stop).wrapping_mul(LOW_BITS);
        let mut at = 0_usize;
        for eight in eights {
            let mut ends = zero_bytes(u64::from_le_bytes(*eight) ^ stops);
            while ends != 0 {
                let place = usize::try_from(ends.trailing_zeros() >> 3).unwrap_or_default();
                let place = at.wrapping_add(place).wrapping_add(1);
                let Some(byte) = string.get(place) else {
                    return Some(None);
                };
                if let Some(target) = self.target(*byte) {
                    return Some(Some((place, target)));
                }
                ends &= ends.wrapping_sub(1);
            }
            at = at.wrapping_add(8);
        }
        for pair in last.windows(2) {
            at = at.wrapping_add(1);
            match pair {
                [end, byte] if *end == self.stop => {
                    if let Some(target) = self.target(*byte) {
                        return Some(Some((at, target)));
                    }
                }
                _ => {}
            }
        }
        Some(None)
    }

    #[inline(always)]
    fn target(&self, byte: u8) -> Option<Target> {
        let word = u32::from_le_bytes(*self.targets.get(usize::from(byte.wrapping_sub(self.low)))?);
        (word != State::HOP_ON).then(|| Target::of(word))
    }
}

impl Side for Backward {
    #[inline(always)]
    fn take(rest: &mut &[u8]) -> Option<u8> {
        let (last, others) = rest.split_last()?;
        *rest = others;
        Some(*last)
    }

    #[inline(always)]
    fn strip(rest: &mut &[u8], run: &[u8]) -> bool {
        let Some((head, tail)) = rest.len().checked_sub(run.len()).and_then(|at| rest.split_at_checked(at)) else {
            return false;
        };
        *rest = head;
        equal(tail, run)
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
    fn hop(rest: &mut &[u8], hops: &Hops<'_>) -> Option<Option<Target>> {
        while let Some(byte) = Self::take(rest) {
            if let Some(target) = hops.target(byte) {
                return Some(Some(target));
            }
            if byte != hops.stop && !Self::skip(rest, hops.stop) {
                break;
            }
        }
        Some(None)
    }
}

/// Whether two slices of one length are equal: eight bytes at once, then one by one. Runs are short, and a
/// call would cost more.
#[inline(always)]
fn equal(left: &[u8], right: &[u8]) -> bool {
    let ((lefts, left), (rights, right)) = (left.as_chunks::<8>(), right.as_chunks::<8>());
    let eights = lefts.iter().zip(rights).all(|(left, right)| u64::from_le_bytes(*left) == u64::from_le_bytes(*right));
    eights && left.iter().zip(right).all(|(left, right)| left == right)
}

/// The words of a sparse state before its targets.
const EDGE_WORDS: u32 = 2;
const LOW_BITS: u64 = 0x0101_0101_0101_0101;
const HIGH_BITS: u64 = 0x8080_8080_8080_8080;

#[cfg(test)]
mod tests;
