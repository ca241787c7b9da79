//! States of all automata as rows, each in the smallest form that says it.

use rustc_hash::FxHashMap;
use table_format::{Class, RUN_BYTES_MAX, SPARSE_EDGES_MAX, State, Target};

/// The rows under construction. Words are counted from the first word of the first state.
#[derive(Debug, Default)]
pub(crate) struct States {
    pub(crate) rows: Vec<State>,
    pub(crate) words: Vec<u32>,
    pub(crate) runs: Vec<u8>,
    known_runs: FxHashMap<Vec<u8>, u32>,
}

impl States {
    /// The number of the next state.
    pub(crate) fn next(&self) -> u32 {
        number(self.rows.len())
    }

    pub(crate) fn push(&mut self, state: State) -> Target {
        let target = Target::State(self.next());
        self.rows.push(state);
        target
    }

    /// A state that compares bytes in the order of the string. Long texts take several.
    pub(crate) fn run(&mut self, bytes: &[u8], next: Target, miss: Class, order: Order) -> Target {
        let most = usize::from(RUN_BYTES_MAX);
        let chunks: Vec<&[u8]> = match order {
            Order::FirstByteFirst => bytes.chunks(most).rev().collect(),
            Order::LastByteFirst => bytes.rchunks(most).rev().collect(),
        };
        chunks.into_iter().fold(next, |next, chunk| {
            let at = self.bytes(chunk);
            let len = u16::try_from(chunk.len()).unwrap_or(RUN_BYTES_MAX);
            self.push(State::Run { at, len, next, miss })
        })
    }

    /// A state that chooses by the next byte; edges are sorted by it, each once.
    pub(crate) fn choice(&mut self, edges: &[(u8, Target)], otherwise: Target, end: Class) -> Target {
        // A state without edges still has to tell the end of the string from another byte.
        let one = [(0, otherwise)];
        let edges = if edges.is_empty() { &one } else { edges };
        let (Some((low, _)), Some((high, _))) = (edges.first(), edges.last()) else {
            return otherwise;
        };
        let width = u16::from(high - low) + 1;
        let first = number(self.words.len());
        let count = u8::try_from(edges.len()).unwrap_or(u8::MAX);
        if count <= SPARSE_EDGES_MAX && usize::from(width) > edges.len() + 2 {
            let mut bytes = [edges.first().map_or(0, |(byte, _)| *byte); 8];
            for (place, (byte, _)) in bytes.iter_mut().zip(edges) {
                *place = *byte;
            }
            let packed = u64::from_le_bytes(bytes);
            let (lower, upper) = (packed & u64::from(u32::MAX), packed >> u32::BITS);
            self.words.extend([lower, upper].map(|half| u32::try_from(half).unwrap_or_default()));
            self.words.extend(edges.iter().map(|(_, target)| target.word()));
            return self.push(State::Sparse { count, first, otherwise, end });
        }
        let mut targets = vec![otherwise.word(); usize::from(width)];
        for (byte, target) in edges {
            if let Some(place) = targets.get_mut(usize::from(byte - low)) {
                *place = target.word();
            }
        }
        self.words.extend(targets);
        self.push(State::Range { low: *low, count: width, first, otherwise, end })
    }

    /// A state at the start of segments that end with `stop`: edges by the first byte, and every other
    /// segment says nothing. `false` when there are no edges.
    pub(crate) fn hop(&mut self, edges: &[(u8, Target)], stop: u8, end: Class) -> bool {
        let (Some((low, _)), Some((high, _))) = (edges.first(), edges.last()) else {
            return false;
        };
        let own = Target::State(self.next());
        let first = number(self.words.len());
        let count = u16::from(high - low) + 1;
        let targets = (*low..=*high).map(|byte| {
            let edge = edges.iter().find(|(other, _)| *other == byte);
            let otherwise = if byte == stop { own.word() } else { State::HOP_ON };
            edge.map_or(otherwise, |(_, target)| target.word())
        });
        self.words.extend(targets);
        self.push(State::Hop { low: *low, count, first, stop, end });
        true
    }

    fn bytes(&mut self, bytes: &[u8]) -> u32 {
        if let Some(at) = self.known_runs.get(bytes) {
            return *at;
        }
        let at = number(self.runs.len());
        self.runs.extend_from_slice(bytes);
        self.known_runs.insert(bytes.to_vec(), at);
        at
    }
}

/// Which byte of a run a walk comes to first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order {
    FirstByteFirst,
    LastByteFirst,
}

/// A count as a number of the table. What is too large is refused when the table is written.
pub(crate) fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
