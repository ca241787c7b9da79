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

/// Where a walk goes on, as it stands in the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Jump(pub u32);

/// Where a walk goes on, or what it found when the rest of the string cannot matter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Target {
    /// On at this choice.
    Choice(u32),
    /// On at this run.
    Run(u32),
    /// On at this state.
    State(u32),
    /// Nothing left to look at.
    Done(Class),
}

/// A cell of a choice. The cell for byte 0 of choice `c` stands at place `c`, the one for byte 1 after it,
/// and so on; the choice's head stands before them. The cells of choices lie between each other, and each
/// says whose it is. So the next byte of a string takes one look, however many bytes a choice knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cell {
    /// The head of a choice.
    Head {
        /// When the string ends here.
        end: Class,
        /// For every byte without a cell of this choice.
        otherwise: Jump,
    },
    /// What a choice does with one byte.
    Byte {
        /// The choice.
        choice: u32,
        /// After the byte.
        next: Jump,
    },
    /// Nobody's.
    Free,
}

/// The next bytes are these, or the walk ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Run {
    /// The bytes in the order of the string: for a walk from the first byte on they come first and zeros
    /// after them, for one from the last byte on it is the other way round.
    pub bytes: [u8; RUN_BYTES_MAX],
    /// How many they are, at least one.
    pub len: u8,
    /// What has to stand after them, as the walk sees it. A walk ends there when that is not [`After::Anything`].
    pub after: After,
    /// After them.
    pub next: Jump,
    /// What was found when the string is another or ends before; below 2^22.
    pub miss: Class,
}

/// What stands after the bytes of a run. That a literal ends where a segment or the string does is said by
/// the run itself, because a choice after it would be one more look into a large table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum After {
    /// Anything, also nothing.
    Anything,
    /// Nothing, or a slash.
    SlashOrNothing,
    /// Nothing.
    Nothing,
}

impl After {
    /// Whether this may be the next byte.
    #[inline(always)]
    #[must_use]
    pub fn allows(self, next: Option<u8>) -> bool {
        match (self, next) {
            (Self::Anything, _) | (_, None) => true,
            (Self::SlashOrNothing, Some(byte)) => byte == b'/',
            (Self::Nothing, Some(_)) => false,
        }
    }

    /// From the upper two bits.
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

/// A state that is neither a choice nor a run. All but [`State::Emit`] take a byte at least or end the
/// walk, as choices and runs do, so a walk is no longer than its string.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// Nothing matters before the next byte of this value.
    Skip {
        /// The byte.
        stop: u8,
        /// After it.
        next: Jump,
        /// When the string ends before.
        end: Class,
    },
    /// At the start of a segment: its first byte has a cell, or the whole segment says nothing and the
    /// next one starts here again.
    Hop {
        /// The byte that ends a segment.
        stop: u8,
        /// The choice, whose head also knows what the end of the string means. Its `otherwise` is
        /// not read and says that nothing is found; there are cells for all bytes, its own or not.
        choice: u32,
    },
    /// Something has been found, whatever follows.
    Emit {
        /// What.
        class: Class,
        /// On from here; never to another of its kind.
        next: Jump,
    },
}

impl Jump {
    /// The choice it leads to, if it leads to one.
    #[inline(always)]
    #[must_use]
    pub fn choice(self) -> Option<u32> {
        (self.0 < RUN).then_some(self.0)
    }

    /// The run it leads to, if it leads to one.
    #[inline(always)]
    #[must_use]
    pub fn run(self) -> Option<u32> {
        (self.0 >= RUN && self.0 < STATE).then_some(self.0 & NUMBER_MAX)
    }

    /// What has been found, when it leads nowhere.
    #[inline(always)]
    #[must_use]
    pub fn class(self) -> Class {
        Class(self.0 & NUMBER_MAX)
    }

    /// Where it leads.
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

    /// Where to go on after the byte whose cell this is, if it is one of that choice.
    #[inline(always)]
    pub(crate) fn next_of(cell: [u8; Self::BYTES], choice: u32) -> Option<Jump> {
        let (owner, next) = halves(cell);
        (owner == choice).then_some(Jump(next))
    }

    #[inline(always)]
    pub(crate) fn read(cell: [u8; Self::BYTES]) -> Option<Self> {
        let (owner, next) = halves(cell);
        if owner & HEAD != 0 {
            Some(Self::Head { end: Class(owner & !HEAD), otherwise: Jump(next) })
        } else if owner < FREE {
            Some(Self::Byte { choice: owner, next: Jump(next) })
        } else {
            (owner == FREE && next == 0).then_some(Self::Free)
        }
    }

    pub(crate) fn write(&self, sink: &mut Sink<'_>) {
        let (owner, next) = match *self {
            Self::Head { end, otherwise } => (end.0 | HEAD, otherwise.0),
            Self::Byte { choice, next } => (choice, next.0),
            Self::Free => (FREE, 0),
        };
        sink.u32(owner).u32(next);
    }
}

/// The two words of a cell.
#[inline(always)]
fn halves(cell: [u8; Cell::BYTES]) -> (u32, u32) {
    let both = u64::from_le_bytes(cell);
    let (low, high) = (both & u64::from(u32::MAX), both >> u32::BITS);
    (u32::try_from(low).unwrap_or_default(), u32::try_from(high).unwrap_or_default())
}

impl Run {
    #[inline(always)]
    pub(crate) fn read(row: &[u8; Self::BYTES]) -> Option<Self> {
        let (bytes, rest) = row.split_first_chunk()?;
        let mut fields = Fields::of(rest);
        let (next, last) = (Jump(fields.u32()?), fields.u32()?);
        let [len, ..] = (last & LEN_MAX).to_le_bytes();
        Some(Self { bytes: *bytes, len, after: After::read(last), next, miss: Class(last >> MISS_SHIFT & MISS_MAX) })
    }

    pub(crate) const BYTES: usize = 16;

    pub(crate) fn write(&self, sink: &mut Sink<'_>) {
        let miss = self.miss.0.wrapping_shl(MISS_SHIFT);
        sink.bytes(&self.bytes).u32(self.next.0).u32(u32::from(self.len) | miss | self.after.bits());
    }
}

impl State {
    #[inline(always)]
    pub(crate) fn read(row: &[u8]) -> Option<Self> {
        let mut fields = Fields::of(row);
        let (how, number, class) = (fields.u32()?, fields.u32()?, Class(fields.u32()?));
        let stop = u8::try_from(how >> STOP_SHIFT & KIND_MAX).unwrap_or_default();
        match how & KIND_MAX {
            HOP => Some(Self::Hop { stop, choice: number }),
            SKIP => Some(Self::Skip { stop, next: Jump(number), end: class }),
            EMIT => Some(Self::Emit { class, next: Jump(number) }),
            _ => None,
        }
    }

    pub(crate) fn write(&self, sink: &mut Sink<'_>) {
        let (kind, stop, number, class) = match *self {
            Self::Skip { stop, next, end } => (SKIP, stop, next.0, end),
            Self::Hop { stop, choice } => (HOP, stop, choice, Class(0)),
            Self::Emit { class, next } => (EMIT, 0, next.0, class),
        };
        sink.u32(kind | u32::from(stop) << STOP_SHIFT).u32(number).u32(class.0);
    }
}

/// The most bytes of a [`Run`].
pub const RUN_BYTES_MAX: usize = 8;
/// The most cells, runs or states a table may have, and one more than the largest class that a jump can say.
pub const JUMPS_MAX: u32 = RUN;

/// What a jump leads to stands in its two upper bits.
const RUN: u32 = 1 << 30;
const STATE: u32 = 2 << 30;
const DONE: u32 = 3 << 30;
const NUMBER_MAX: u32 = RUN - 1;

/// In a run the class stands above the number of bytes, and what has to stand after them above the class.
const LEN_MAX: u32 = 15;
const MISS_SHIFT: u32 = 8;
const MISS_MAX: u32 = (1 << 22) - 1;
const SLASH_OR_NOTHING: u32 = 1 << 30;
const NOTHING: u32 = 2 << 30;

/// In a cell, in place of the choice it belongs to.
const HEAD: u32 = 1 << 31;
const FREE: u32 = 1 << 30;

const SKIP: u32 = 0;
const HOP: u32 = 1;
const EMIT: u32 = 2;
const STOP_SHIFT: u32 = 8;
const KIND_MAX: u32 = (1 << STOP_SHIFT) - 1;
