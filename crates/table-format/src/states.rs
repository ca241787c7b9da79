//! States of the automata: the steps of a walk over a string.

use crate::bytes::{Fields, Sink};
use crate::spelling::Row;

/// The set of patterns that a walk has found, by number. Zero is the empty set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Class(pub u32);

/// The direction in which a string is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// From its first byte.
    Forward,
    /// From its last byte.
    Backward,
}

/// The next step of a walk, encoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Jump(pub u32);

/// The next step of a walk, or its result when the rest of the string does not matter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Target {
    /// Continues at this choice.
    Choice(u32),
    /// Continues at this run.
    Run(u32),
    /// Continues at this state.
    State(u32),
    /// Ends with this result.
    Done(Class),
}

/// A cell of a choice. The cell for byte 0 of choice `c` is at index `c`, the one for byte 1 after it, and so
/// on; the head of the choice precedes them. The cells of several choices are interleaved, and each names
/// its owner. So a step costs one lookup, however many bytes a choice has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cell {
    /// The head of a choice.
    Head {
        /// The result if the string ends here.
        end: Class,
        /// The step for every byte without a cell of this choice.
        otherwise: Jump,
    },
    /// The step of a choice for one byte.
    Byte {
        /// The owner.
        choice: u32,
        /// The step after the byte.
        next: Jump,
    },
    /// Unused.
    Free,
}

/// Bytes that must come next; otherwise the walk ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Run {
    /// The bytes in the order of the string. A forward walk has them at the start of the array and zeros after
    /// them; a backward walk has them at the end.
    pub bytes: [u8; RUN_BYTES_MAX],
    /// Their number, at least one.
    pub len: u8,
    /// The rest of the string that is required. The walk ends here unless this is [`After::Anything`].
    pub after: After,
    /// The step after them.
    pub next: Jump,
    /// The result if the string differs or ends too early; below 2^22.
    pub miss: Class,
}

/// The rest of the string that is required after a run. A literal that ends with a segment or the string needs no
/// choice after its run, which would cost one more lookup in a large table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum After {
    /// Anything, including the end.
    Anything,
    /// The end, or a slash.
    SlashOrNothing,
    /// The end.
    Nothing,
}

impl After {
    /// Returns true if this may be the next byte.
    #[inline(always)]
    #[must_use]
    pub fn allows(self, next: Option<u8>) -> bool {
        match (self, next) {
            (Self::Anything, _) | (_, None) => true,
            (Self::SlashOrNothing, Some(byte)) => byte == b'/',
            (Self::Nothing, Some(_)) => false,
        }
    }

    /// Reads the upper two bits.
    #[inline(always)]
    fn read(last: u32) -> Self {
        if last < SLASH_OR_NOTHING {
            Self::Anything
        } else if last < NOTHING {
            Self::SlashOrNothing
        } else {
            Self::Nothing
        }
    }

    fn bits(self) -> u32 {
        match self {
            Self::Anything => 0,
            Self::SlashOrNothing => SLASH_OR_NOTHING,
            Self::Nothing => NOTHING,
        }
    }
}

/// A state that is neither a choice nor a run. All but [`State::Emit`] take at least one byte or end the walk,
/// as choices and runs do, so a walk is no longer than its string.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// Skips to the next byte of this value.
    Skip {
        /// The byte.
        stop: u8,
        /// The step after it.
        next: Jump,
        /// The result if the string ends before.
        end: Class,
    },
    /// At the start of a segment: follows the cell of its first byte, or skips a segment without one and
    /// starts again at the next.
    Hop {
        /// The byte that ends a segment.
        stop: u8,
        /// The choice, whose head has the result for the end of the string. Its `otherwise` is not read and
        /// finds nothing; there are cells for all bytes, its own or not.
        choice: u32,
    },
    /// Reports a find, whatever follows.
    Emit {
        /// The find.
        class: Class,
        /// The next step; never another `Emit`.
        next: Jump,
    },
}

impl Jump {
    /// Returns the choice it leads to, if any.
    #[inline(always)]
    #[must_use]
    pub fn choice(self) -> Option<u32> {
        (self.0 < RUN).then_some(self.0)
    }

    /// Returns the run it leads to, if any.
    #[inline(always)]
    #[must_use]
    pub fn run(self) -> Option<u32> {
        (self.0 >= RUN && self.0 < STATE).then_some(self.0 & NUMBER_MAX)
    }

    /// Returns the result, if it leads nowhere.
    #[inline(always)]
    #[must_use]
    pub fn class(self) -> Class {
        Class(self.0 & NUMBER_MAX)
    }

    /// Decodes the target.
    #[inline(always)]
    #[must_use]
    pub fn target(self) -> Target {
        let number = self.0 & NUMBER_MAX;
        match self.0 & !NUMBER_MAX {
            RUN => Target::Run(number),
            STATE => Target::State(number),
            DONE => Target::Done(Class(number)),
            _ => Target::Choice(number),
        }
    }
}

impl From<Target> for Jump {
    fn from(target: Target) -> Self {
        let (kind, number) = match target {
            Target::Choice(head) => (0, head),
            Target::Run(run) => (RUN, run),
            Target::State(state) => (STATE, state),
            Target::Done(class) => (DONE, class.0),
        };
        Self(kind | (number & NUMBER_MAX))
    }
}

impl Cell {
    pub(crate) const BYTES: usize = 8;

    /// Returns the step of the cell, if the choice owns it.
    #[inline(always)]
    pub(crate) fn next_of(cell: [u8; Self::BYTES], choice: u32) -> Option<Jump> {
        let (owner, next) = halves(cell);
        (owner == choice).then_some(Jump(next))
    }
}

impl Row for Cell {
    #[inline(always)]
    fn read_row(bytes: &[u8]) -> Option<Self> {
        let (owner, next) = halves(*bytes.first_chunk()?);
        if owner & HEAD != 0 {
            Some(Self::Head { end: Class(owner & !HEAD), otherwise: Jump(next) })
        } else if owner < FREE {
            Some(Self::Byte { choice: owner, next: Jump(next) })
        } else {
            (owner == FREE && next == 0).then_some(Self::Free)
        }
    }

    fn write_row(&self, sink: &mut Sink<'_>) {
        let (owner, next) = match *self {
            Self::Head { end, otherwise } => (end.0 | HEAD, otherwise.0),
            Self::Byte { choice, next } => (choice, next.0),
            Self::Free => (FREE, 0),
        };
        sink.u32(owner).u32(next);
    }
}

/// Splits a cell into its two words.
#[inline(always)]
fn halves(cell: [u8; Cell::BYTES]) -> (u32, u32) {
    let both = u64::from_le_bytes(cell);
    let (low, high) = (both & u64::from(u32::MAX), both >> u32::BITS);
    (u32::try_from(low).unwrap_or_default(), u32::try_from(high).unwrap_or_default())
}

impl Row for Run {
    #[inline(always)]
    fn read_row(bytes: &[u8]) -> Option<Self> {
        let (bytes, rest) = bytes.split_first_chunk()?;
        let mut fields = Fields::of(rest);
        let (next, last) = (Jump(fields.u32()?), fields.u32()?);
        let [len, ..] = (last & LEN_MAX).to_le_bytes();
        Some(Self { bytes: *bytes, len, after: After::read(last), next, miss: Class(last >> MISS_SHIFT & MISS_MAX) })
    }

    fn write_row(&self, sink: &mut Sink<'_>) {
        let miss = self.miss.0.wrapping_shl(MISS_SHIFT);
        sink.bytes(&self.bytes).u32(self.next.0).u32(u32::from(self.len) | miss | self.after.bits());
    }
}

impl Row for State {
    #[inline(always)]
    fn read_row(bytes: &[u8]) -> Option<Self> {
        let mut fields = Fields::of(bytes);
        let (how, number, class) = (fields.u32()?, fields.u32()?, Class(fields.u32()?));
        let stop = u8::try_from(how >> STOP_SHIFT & KIND_MAX).unwrap_or_default();
        match how & KIND_MAX {
            HOP => Some(Self::Hop { stop, choice: number }),
            SKIP => Some(Self::Skip { stop, next: Jump(number), end: class }),
            EMIT => Some(Self::Emit { class, next: Jump(number) }),
            _ => None,
        }
    }

    fn write_row(&self, sink: &mut Sink<'_>) {
        let (kind, stop, number, class) = match *self {
            Self::Skip { stop, next, end } => (SKIP, stop, next.0, end),
            Self::Hop { stop, choice } => (HOP, stop, choice, Class(0)),
            Self::Emit { class, next } => (EMIT, 0, next.0, class),
        };
        sink.u32(kind | u32::from(stop) << STOP_SHIFT).u32(number).u32(class.0);
    }
}

/// Bytes of a [`Run`].
pub const RUN_BYTES_MAX: usize = 8;
/// Cells, runs or states of a table; also one more than the largest class in a jump.
pub const JUMPS_MAX: u32 = RUN;

/// The two upper bits of a jump are the kind of its target.
const RUN: u32 = 1 << 30;
const STATE: u32 = 2 << 30;
const DONE: u32 = 3 << 30;
const NUMBER_MAX: u32 = RUN - 1;

/// In a run the class is above the number of bytes, and what must follow is above the class.
const LEN_MAX: u32 = 15;
const MISS_SHIFT: u32 = 8;
const MISS_MAX: u32 = (1 << 22) - 1;
const SLASH_OR_NOTHING: u32 = 1 << 30;
const NOTHING: u32 = 2 << 30;

/// In a cell, in place of its owner.
const HEAD: u32 = 1 << 31;
const FREE: u32 = 1 << 30;

const SKIP: u32 = 0;
const HOP: u32 = 1;
const EMIT: u32 = 2;
const STOP_SHIFT: u32 = 8;
const KIND_MAX: u32 = (1 << STOP_SHIFT) - 1;
