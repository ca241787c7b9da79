//! States of the automata: what a walk over a string does next.

use crate::bytes::{Fields, Sink};

/// What a walk has found: a set of patterns, by number. Zero is the empty set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Class(pub u32);

/// From which end a string is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// From its first byte.
    Forward,
    /// From its last byte.
    Backward,
}

/// Where a walk goes on, or what it found when the rest of the string cannot matter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// On at this state.
    State(u32),
    /// Nothing left to look at.
    Done(Class),
}

/// A state. All but [`State::Emit`] take a byte at least or end the walk, so a walk is no longer than
/// its string.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// The next bytes are these, or the walk ends with `miss`.
    Run {
        /// Where the bytes stand in `runs`, in the order of the string.
        at: u32,
        /// How many.
        len: u16,
        /// After them.
        next: Target,
        /// When the string is another or ends before.
        miss: Class,
    },
    /// The next byte is one of up to eight, or another.
    Sparse {
        /// How many.
        count: u8,
        /// In `words`: two words with the bytes (unused ones repeat the first), then a target for each.
        first: u32,
        /// For every other byte.
        otherwise: Target,
        /// When the string ends.
        end: Class,
    },
    /// The next byte is in a range, or outside.
    Range {
        /// The lowest byte of the range.
        low: u8,
        /// How many bytes it has.
        count: u16,
        /// In `words`: a target for each.
        first: u32,
        /// For every other byte.
        otherwise: Target,
        /// When the string ends.
        end: Class,
    },
    /// Nothing matters before the next byte of this value.
    Skip {
        /// The byte.
        stop: u8,
        /// After it.
        next: Target,
        /// When the string ends before.
        end: Class,
    },
    /// At the start of a segment: its first byte is in a range, or the whole segment says nothing and
    /// the next one starts here again.
    Hop {
        /// The lowest byte of the range.
        low: u8,
        /// How many bytes it has.
        count: u16,
        /// In `words`: a target for each, or [`State::HOP_ON`] when the segment says nothing.
        first: u32,
        /// The byte that ends a segment.
        stop: u8,
        /// When the string ends.
        end: Class,
    },
    /// Something has been found, whatever follows.
    Emit {
        /// What.
        class: Class,
        /// On from here; never to another of its kind.
        next: Target,
    },
}

impl Target {
    /// A word of the table.
    #[inline(always)]
    #[must_use]
    pub fn of(word: u32) -> Self {
        if word & DONE == 0 { Self::State(word) } else { Self::Done(Class(word & !DONE)) }
    }

    /// As a word of the table.
    #[must_use]
    pub fn word(self) -> u32 {
        match self {
            Self::State(state) => state & !DONE,
            Self::Done(class) => class.0 | DONE,
        }
    }
}

impl State {
    pub(crate) const BYTES: usize = 16;

    /// Instead of a target of a [`State::Hop`].
    pub const HOP_ON: u32 = u32::MAX;

    #[inline(always)]
    pub(crate) fn read(row: &[u8; Self::BYTES]) -> Option<Self> {
        let mut fields = Fields::of(row);
        let (kind, a, b) = (fields.u8()?, fields.u8()?, fields.u16()?);
        let (x, y, z) = (fields.u32()?, fields.u32()?, fields.u32()?);
        let (target, class) = (Target::of(y), Class(z));
        match kind {
            RUN => Some(Self::Run { at: x, len: b, next: target, miss: class }),
            SPARSE => Some(Self::Sparse { count: a, first: x, otherwise: target, end: class }),
            RANGE => Some(Self::Range { low: a, count: b, first: x, otherwise: target, end: class }),
            SKIP => Some(Self::Skip { stop: a, next: target, end: class }),
            EMIT => Some(Self::Emit { class, next: target }),
            HOP => Some(Self::Hop { low: a, count: b, first: x, stop: u8::try_from(y).ok()?, end: class }),
            _ => None,
        }
    }

    pub(crate) fn write(&self, sink: &mut Sink<'_>) {
        let (kind, a, b, x, y, class) = match *self {
            Self::Run { at, len, next, miss } => (RUN, 0, len, at, next.word(), miss),
            Self::Sparse { count, first, otherwise, end } => (SPARSE, count, 0, first, otherwise.word(), end),
            Self::Range { low, count, first, otherwise, end } => (RANGE, low, count, first, otherwise.word(), end),
            Self::Skip { stop, next, end } => (SKIP, stop, 0, 0, next.word(), end),
            Self::Hop { low, count, first, stop, end } => (HOP, low, count, first, u32::from(stop), end),
            Self::Emit { class, next } => (EMIT, 0, 0, 0, next.word(), class),
        };
        sink.u8(kind).u8(a).u16(b).u32(x).u32(y).u32(class.0);
    }

    /// How many words belong to it.
    pub(crate) fn words(&self) -> u32 {
        match self {
            Self::Run { .. } | Self::Skip { .. } | Self::Emit { .. } => 0,
            Self::Sparse { count, .. } => u32::from(*count).saturating_add(SPARSE_BYTE_WORDS),
            Self::Range { count, .. } | Self::Hop { count, .. } => u32::from(*count),
        }
    }
}

/// The most edges of a [`State::Sparse`].
pub const SPARSE_EDGES_MAX: u8 = 8;
/// The most bytes of a [`State::Run`].
pub const RUN_BYTES_MAX: u16 = u16::MAX;
/// The words of a [`State::Sparse`] that hold its bytes.
pub(crate) const SPARSE_BYTE_WORDS: u32 = 2;

const DONE: u32 = 1 << 31;
const RUN: u8 = 0;
const SPARSE: u8 = 1;
const RANGE: u8 = 2;
const SKIP: u8 = 3;
const EMIT: u8 = 4;
const HOP: u8 = 5;
