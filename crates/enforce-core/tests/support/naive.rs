//! States as the document describes them, one byte at a time: what a walk is compared with.

use table_format::{After, Class, Direction, Target};

use super::automata::StateSketch;

/// Every class that a walk says, in the order in which it says them.
pub(crate) fn finds(states: &[StateSketch], start: Target, direction: Direction, string: &[u8]) -> Vec<u32> {
    let mut bytes: Vec<u8> = string.to_vec();
    // The next byte is the last of the vector.
    if direction == Direction::Forward {
        bytes.reverse();
    }
    let mut found = Vec::new();
    let mut target = start;
    loop {
        let state = match target {
            Target::State(state) => &states[usize::try_from(state).unwrap()],
            Target::Done(class) => return said(found, class),
            Target::Choice(_) | Target::Run(_) => panic!("sketches lead to sketches"),
        };
        let next = match state {
            StateSketch::Run { run, after, next, miss } => {
                let in_order = match direction {
                    Direction::Forward => run.clone(),
                    Direction::Backward => run.iter().rev().copied().collect(),
                };
                let is_next = in_order.iter().all(|byte| bytes.pop() == Some(*byte));
                let is_after = match after {
                    After::Anything => true,
                    After::SlashOrNothing => bytes.last().is_none_or(|byte| *byte == b'/'),
                    After::Nothing => bytes.is_empty(),
                };
                if is_next && is_after { Ok(*next) } else { Err(*miss) }
            }
            StateSketch::Choice { edges, otherwise, end } => bytes.pop().ok_or(*end).map(|byte| {
                let edge = edges.iter().find(|(other, _)| *other == byte);
                edge.map_or(*otherwise, |(_, target)| *target)
            }),
            StateSketch::Skip { stop, next, end } => {
                skip(&mut bytes, *stop);
                if bytes.pop().is_some() { Ok(*next) } else { Err(*end) }
            }
            StateSketch::Hop { edges, stop, end } => hop(&mut bytes, edges, *stop).ok_or(*end),
            StateSketch::Emit { class, next } => {
                found = said(found, *class);
                Ok(*next)
            }
        };
        match next {
            Ok(next) => target = next,
            Err(class) => return said(found, class),
        }
    }
}

fn said(mut found: Vec<u32>, class: Class) -> Vec<u32> {
    if class != Class(0) {
        found.push(class.0);
    }
    found
}

/// Leaves the byte itself to be the next.
fn skip(bytes: &mut Vec<u8>, stop: u8) {
    while bytes.last().is_some_and(|byte| *byte != stop) {
        bytes.pop();
    }
}

fn hop(bytes: &mut Vec<u8>, edges: &[(u8, Target)], stop: u8) -> Option<Target> {
    while let Some(first) = bytes.last().copied() {
        if let Some((_, target)) = edges.iter().find(|(byte, _)| *byte == first) {
            bytes.pop();
            return Some(*target);
        }
        skip(bytes, stop);
        bytes.pop();
    }
    None
}
