//! States of all automata, first as drafts that refer to each other by number and then packed into rows
//! and cells.

use table_format::{After, Cell, Class, Direction, Jump, RUN_BYTES_MAX, Run, Sieve, State, Target};

/// The drafts of states, in the order they were made.
#[derive(Debug, Default)]
pub(crate) struct States {
    drafts: Vec<Draft>,
}

/// The next step of a walk: a draft, or the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Next {
    Draft(u32),
    Done(Class),
}

/// A state before its place is known. Edges are sorted by byte, without repeats.
#[derive(Debug)]
pub(crate) enum Draft {
    Choice {
        edges: Vec<(u8, Next)>,
        otherwise: Next,
        end: Class,
    },
    Run {
        bytes: [u8; RUN_BYTES_MAX],
        len: u8,
        after: After,
        next: Next,
        miss: Class,
    },
    /// Skips everything up to and including the next `stop`.
    Skip {
        stop: u8,
        next: Next,
        end: Class,
    },
    /// Chooses by the first byte of a segment; every other segment is skipped.
    Hop {
        edges: Vec<(u8, Next)>,
        stop: u8,
        end: Class,
    },
    /// Reports a find.
    Emit {
        class: Class,
        next: Next,
    },
}

impl States {
    pub(crate) fn next(&self) -> u32 {
        number(self.drafts.len())
    }

    pub(crate) fn push(&mut self, draft: Draft) -> Next {
        let next = Next::Draft(self.next());
        self.drafts.push(draft);
        next
    }

    /// Adds states that compare bytes, given in the order of the walk, and check what follows the last one.
    pub(crate) fn run(&mut self, bytes: &[u8], after: After, next: Next, miss: Class, direction: Direction) -> Next {
        let mut after = after;
        bytes.chunks(RUN_BYTES_MAX).rev().fold(next, |next, chunk| {
            let after = std::mem::replace(&mut after, After::Anything);
            // A choice is smaller and faster than a run of one byte.
            if let ([byte], After::Anything) = (chunk, after) {
                let edges = vec![(*byte, next)];
                return self.push(Draft::Choice { edges, otherwise: Next::Done(miss), end: miss });
            }
            let mut bytes = [0; RUN_BYTES_MAX];
            for (place, byte) in bytes.iter_mut().zip(chunk) {
                *place = *byte;
            }
            if direction == Direction::Backward {
                bytes.reverse();
            }
            let len = u8::try_from(chunk.len()).unwrap_or_default();
            self.push(Draft::Run { bytes, len, after, next, miss })
        })
    }

    /// Assigns every state its place.
    pub(crate) fn pack(self) -> Packed {
        let mut choices = Choices::default();
        let (mut runs, mut states) = (0, 0);
        let mut place = |draft: &Draft| {
            let choice = match draft {
                Draft::Choice { edges, .. } => choices.place(edges),
                Draft::Hop { edges, .. } => {
                    // A hop looks up every byte, so there must be cells for all of them, owned or not.
                    let choice = choices.place(edges);
                    choices.taken.resize(choices.len().max(choice as usize + usize::from(u8::MAX) + 1), false);
                    choice
                }
                Draft::Run { .. } | Draft::Skip { .. } | Draft::Emit { .. } => 1,
            };
            let target = match draft {
                Draft::Choice { .. } => Target::Choice(choice),
                Draft::Run { .. } => {
                    runs += 1;
                    Target::Run(runs - 1)
                }
                Draft::Skip { .. } | Draft::Hop { .. } | Draft::Emit { .. } => {
                    states += 1;
                    Target::State(states - 1)
                }
            };
            DraftPlace { target, choice }
        };
        let places: Vec<DraftPlace> = self.drafts.iter().map(&mut place).collect();
        let cells = vec![Cell::Free; choices.len()];
        let mut packed = Packed { places, states: Vec::new(), runs: Vec::new(), cells };
        for (number, draft) in self.drafts.into_iter().enumerate() {
            let choice = packed.places.get(number).map_or(1, |place| place.choice);
            packed.add(choice, draft);
        }
        packed
    }
}

/// States as a table stores them.
#[derive(Debug)]
pub(crate) struct Packed {
    pub(crate) states: Vec<State>,
    pub(crate) runs: Vec<Run>,
    pub(crate) cells: Vec<Cell>,
    /// The place of each draft, by number.
    places: Vec<DraftPlace>,
}

/// The place of a draft: what leads to it, and the choice that owns its cells if it has any.
#[derive(Debug, Clone, Copy)]
struct DraftPlace {
    target: Target,
    choice: u32,
}

impl Packed {
    /// Converts to a jump of the table.
    pub(crate) fn jump(&self, next: Next) -> Jump {
        let nowhere = Target::Done(Class(0));
        Jump::from(match next {
            Next::Draft(draft) => self.places.get(draft as usize).map_or(nowhere, |place| place.target),
            Next::Done(class) => Target::Done(class),
        })
    }

    /// Returns the sieve of a walk from `start`, if it has one: it recognizes most strings in which the walk finds
    /// nothing.
    pub(crate) fn sieve(&self, start: Next) -> Option<Sieve> {
        let Target::State(state) = self.jump(start).target() else {
            return None;
        };
        let Some(State::Hop { stop, choice }) = self.states.get(state as usize).copied() else {
            return None;
        };
        let head = self.cells.get(choice as usize - 1);
        matches!(head, Some(Cell::Head { end: Class(0), .. })).then_some(Sieve { stop, choice })
    }

    fn add(&mut self, choice: u32, draft: Draft) {
        match draft {
            Draft::Choice { edges, otherwise, end } => self.fill(choice, &edges, otherwise, end),
            Draft::Hop { edges, stop, end } => {
                self.fill(choice, &edges, Next::Done(Class(0)), end);
                self.states.push(State::Hop { stop, choice });
            }
            Draft::Run { bytes, len, after, next, miss } => {
                self.runs.push(Run { bytes, len, after, next: self.jump(next), miss });
            }
            Draft::Skip { stop, next, end } => self.states.push(State::Skip { stop, next: self.jump(next), end }),
            Draft::Emit { class, next } => self.states.push(State::Emit { class, next: self.jump(next) }),
        }
    }

    fn fill(&mut self, choice: u32, edges: &[(u8, Next)], otherwise: Next, end: Class) {
        self.set(choice - 1, Cell::Head { end, otherwise: self.jump(otherwise) });
        for (byte, next) in edges {
            self.set(choice + u32::from(*byte), Cell::Byte { choice, next: self.jump(*next) });
        }
    }

    fn set(&mut self, place: u32, cell: Cell) {
        if let Some(free) = self.cells.get_mut(place as usize) {
            *free = cell;
        }
    }
}

/// The cells already taken.
#[derive(Debug, Default)]
struct Choices {
    taken: Vec<bool>,
    /// Few cells before this one are free.
    first: usize,
}

impl Choices {
    fn len(&self) -> usize {
        self.taken.len()
    }

    /// Places a head and its edges at the first position where they fit between those already placed.
    fn place(&mut self, edges: &[(u8, Next)]) -> u32 {
        let offsets = || edges.iter().map(|(byte, _)| usize::from(*byte) + 1);
        let is_free = |place: usize| !self.taken.get(place).copied().unwrap_or_default();
        let fits = |head: &usize| is_free(*head) && offsets().all(|offset| is_free(head + offset));
        // Most choices have few edges, so new ones fill the gaps of those already placed.
        let free_from = |start: usize| (start..).filter(|head| is_free(*head)).take(CANDIDATES_MAX);
        let recent = self.len().saturating_sub(RECENT).max(self.first);
        let head = free_from(self.first).chain(free_from(recent)).find(fits).unwrap_or(self.len());
        if head - self.first > CANDIDATES_MAX {
            self.first += 1;
        }
        let last = offsets().next_back().unwrap_or_default();
        if self.taken.len() <= head + last {
            self.taken.resize(head + last + 1, false);
        }
        for place in std::iter::once(head).chain(offsets().map(|offset| head + offset)) {
            if let Some(taken) = self.taken.get_mut(place) {
                *taken = true;
            }
        }
        while self.taken.get(self.first).copied().unwrap_or_default() {
            self.first += 1;
        }
        number(head + 1)
    }
}

/// Converts a count to a number of the table. Numbers that are too large are refused when the table is written.
pub(crate) fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// Free cells tried for a head, from the first one on and again among the last ones, where few are taken.
const CANDIDATES_MAX: usize = 256;
/// Cells that count as the last ones.
const RECENT: usize = 1_024;
