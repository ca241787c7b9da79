//! The start of a lane -> how many states a walk from there can reach.

use std::collections::BTreeSet;

use table_format::{Jump, State, Table, Target};

pub(super) fn states_reached(table: &Table<'_>, start: Jump) -> usize {
    let mut reached = BTreeSet::new();
    let mut to_visit: Vec<Jump> = vec![start];
    while let Some(jump) = to_visit.pop() {
        let target = jump.target();
        if !matches!(target, Target::Done(_)) && reached.insert(target) {
            to_visit.extend(nexts(table, target));
        }
    }
    reached.len()
}

fn nexts(table: &Table<'_>, target: Target) -> Vec<Jump> {
    let choice = |choice| (0..=u8::MAX).filter_map(move |byte| table.step(choice, byte));
    match target {
        Target::Choice(number) => choice(number).chain(table.head(number).map(|(_, otherwise)| otherwise)).collect(),
        Target::Run(number) => table.run(number).map(|run| run.next).into_iter().collect(),
        Target::State(number) => match table.state(number) {
            Some(State::Skip { next, .. } | State::Emit { next, .. }) => vec![next],
            Some(State::Hop { choice: number, .. }) => choice(number).collect(),
            None => Vec::new(),
        },
        Target::Done(_) => Vec::new(),
    }
}
