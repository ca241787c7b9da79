//! Automata and strings at random.

use fastrand::Rng;
use table_format::{After, Class, Direction, Target};

use super::automata::StateSketch;
use super::watch::Automaton;

/// States of all kinds, leading anywhere.
pub(crate) fn automaton(dice: &mut Rng) -> Automaton {
    let kinds: Vec<u8> = (0..dice.usize(1..9)).map(|_| dice.u8(0..6)).collect();
    let states = kinds.iter().map(|kind| state(dice, *kind, &kinds)).collect();
    let direction = if dice.bool() { Direction::Forward } else { Direction::Backward };
    Automaton { states, start: target(dice, &kinds), direction, classes: CLASSES }
}

fn state(dice: &mut Rng, kind: u8, kinds: &[u8]) -> StateSketch {
    match kind {
        EMIT => {
            let mut next = target(dice, kinds);
            while matches!(next, Target::State(state) if kinds[usize::try_from(state).unwrap()] == EMIT) {
                next = target(dice, kinds);
            }
            StateSketch::Emit { class: class(dice), next }
        }
        1 => {
            let run = (0..dice.usize(1..12)).map(|_| byte(dice)).collect();
            let after = [After::Anything, After::Anything, After::SlashOrNothing, After::Nothing][dice.usize(0..4)];
            let next = if after == After::Anything { target(dice, kinds) } else { Target::Done(class(dice)) };
            StateSketch::Run { run, after, next, miss: class(dice) }
        }
        2 => {
            let mut bytes = ALPHABET.to_vec();
            dice.shuffle(&mut bytes);
            let edges = bytes.into_iter().take(dice.usize(1..=8)).map(|byte| (byte, target(dice, kinds))).collect();
            StateSketch::Choice { edges, otherwise: target(dice, kinds), end: class(dice) }
        }
        3 => {
            let (low, count) = range(dice);
            let targets: Vec<Target> = (0..count).map(|_| target(dice, kinds)).collect();
            StateSketch::range(low, &targets, target(dice, kinds), class(dice))
        }
        4 => StateSketch::Skip { stop: byte(dice), next: target(dice, kinds), end: class(dice) },
        _ => {
            let (low, count) = range(dice);
            let bytes = (low..=u8::MAX).take(usize::from(count)).filter(|_| dice.bool()).collect::<Vec<_>>();
            let edges = bytes.into_iter().map(|byte| (byte, target(dice, kinds))).collect();
            StateSketch::Hop { edges, stop: byte(dice), end: class(dice) }
        }
    }
}

fn range(dice: &mut Rng) -> (u8, u16) {
    let low = byte(dice);
    let (room, width) = (256 - u16::from(low), 1 << dice.u8(0..9));
    (low, dice.u16(1..=room.min(width)))
}

fn target(dice: &mut Rng, kinds: &[u8]) -> Target {
    if dice.u8(0..5) == 0 {
        return Target::Done(class(dice));
    }
    Target::State(dice.u32(0..u32::try_from(kinds.len()).unwrap()))
}

fn class(dice: &mut Rng) -> Class {
    Class(dice.u32(0..=CLASSES))
}

/// A string that such automata have something to do with.
pub(crate) fn string(dice: &mut Rng) -> Vec<u8> {
    // Few different bytes make stops and finds likely; long stretches of one make the eights matter.
    let bytes: Vec<u8> = (0..dice.usize(1..4)).map(|_| byte(dice)).collect();
    let len = dice.usize(0..40);
    (0..len).map(|_| if dice.u8(0..8) == 0 { byte(dice) } else { bytes[dice.usize(0..bytes.len())] }).collect()
}

fn byte(dice: &mut Rng) -> u8 {
    ALPHABET[dice.usize(0..ALPHABET.len())]
}

const ALPHABET: [u8; 9] = *b"/ab.x\0\x7F\x80\xFF";
const EMIT: u8 = 0;
const CLASSES: u32 = 5;
