//! The start of a lane -> how many states a walk from there can reach.

use std::collections::BTreeSet;

use table_format::{SPARSE_EDGES_MAX, Span, State, Table, Target};

pub(super) fn states_reached(table: &Table<'_>, start: Target) -> usize {
    let mut reached = BTreeSet::new();
    let mut to_visit: Vec<Target> = vec![start];
    while let Some(target) = to_visit.pop() {
        let Target::State(number) = target else {
            continue;
        };
        if reached.insert(number)
            && let Some(state) = table.state(number)
        {
            to_visit.extend(nexts(table, state));
        }
    }
    reached.len()
}

fn nexts(table: &Table<'_>, state: State) -> Vec<Target> {
    let targets = |first: u32, count: u32| {
        table.list(Span { first, count }).filter(|word| *word != State::HOP_ON).map(Target::of)
    };
    match state {
        State::Run { next, .. } | State::Skip { next, .. } | State::Emit { next, .. } => vec![next],
        State::Sparse { count, first, otherwise, .. } => {
            let first = first.saturating_add(BYTE_WORDS);
            targets(first, u32::from(count)).chain([otherwise]).collect()
        }
        State::Range { count, first, otherwise, .. } => targets(first, u32::from(count)).chain([otherwise]).collect(),
        State::Hop { count, first, .. } => targets(first, u32::from(count)).collect(),
    }
}

/// The words before the targets of a sparse state: its bytes, four in each.
const BYTE_WORDS: u32 = SPARSE_EDGES_MAX as u32 / 4;
