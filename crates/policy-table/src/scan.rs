//! Nondeterministic -> deterministic automaton, by following all patterns at once.
//!
//! A pattern that has matched for good is reported at once and forgotten. So a state only remembers what
//! may still match, and earlier finds do not multiply states.

use regex_automata::dfa::Automaton;
use regex_automata::util::primitives::StateID;
use rustc_hash::FxHashMap;
use table_format::Class;

use crate::automaton::{Draft, Next, States, number};
use crate::collections::{SetId, Sets};
use crate::needle::ScanPattern;
use crate::nfa::{AtEnd, Nfa, RegexDfa};

/// A deterministic automaton. State 0 is the start.
#[derive(Debug)]
pub(crate) struct Dfa {
    /// By state and byte class.
    steps: Vec<Vec<Step>>,
    /// By state, what is found if the string ends there.
    ends: Vec<SetId>,
    /// Sets of pattern numbers.
    finds: Sets,
    /// By byte.
    classes: Vec<u16>,
}

/// The finds of a byte and the next state.
type Step = (SetId, u32);

impl Dfa {
    /// Builds the automaton of these patterns, unless it would have more than `states_max` states.
    pub(crate) fn new(patterns: &[&ScanPattern], states_max: usize) -> Option<Self> {
        let nfa = Nfa::new(patterns)?;
        let classes = byte_classes(&nfa);
        let samples = samples(&classes);
        let mut found = Subsets { numbers: FxHashMap::default(), keys: Vec::new() };
        let mut closure = Closure::new(&nfa);
        let (start, at_once) = closure.of(&nfa.starts);
        let regexes = nfa.regexes.iter().map(|regex| Some(regex.start)).collect();
        // What matches every string is found by the first step or the end.
        let start = Key { is_start: true, states: start, regexes };
        found.number(start);
        let mut dfa = Self { steps: Vec::new(), ends: Vec::new(), finds: Sets::new(), classes };
        let mut place = 0;
        while let Some(key) = found.keys.get(place).cloned() {
            let also = if key.is_start { at_once.as_slice() } else { &[] };
            let edges: Vec<(u8, u8, u32)> = nfa.edges_of(&key.states).collect();
            // Most bytes lead to the same states as another byte does.
            let mut known: Vec<(Vec<u32>, Step)> = Vec::new();
            let mut steps = Vec::with_capacity(samples.len());
            for byte in &samples {
                let is_taken = |(low, high, _): &&(u8, u8, u32)| (*low..=*high).contains(byte);
                let next: Vec<u32> = edges.iter().filter(is_taken).map(|(_, _, next)| *next).collect();
                let same = known.iter().find(|(other, _)| nfa.regexes.is_empty() && *other == next);
                if let Some((_, step)) = same {
                    steps.push(*step);
                    continue;
                }
                let (states, mut finds) = closure.of(&next);
                let regexes = step_regexes(&nfa, &key, *byte, &mut finds);
                finds.extend_from_slice(also);
                let step = (dfa.finds.number(finds), found.number(Key { is_start: false, states, regexes }));
                known.push((next, step));
                steps.push(step);
            }
            dfa.steps.push(steps);
            let mut end = end(&nfa, &key);
            end.extend_from_slice(also);
            let end = dfa.finds.number(end);
            dfa.ends.push(end);
            if found.keys.len() > states_max {
                return None;
            }
            place += 1;
        }
        Some(dfa.minimised())
    }

    pub(crate) fn len(&self) -> usize {
        self.steps.len()
    }

    /// Adds the states to the table. `needles` lists what each pattern finds.
    pub(crate) fn emit(&self, needles: &[Vec<u32>], states: &mut States, sets: &mut Sets) -> Next {
        let needles_of = |patterns: &[u32]| {
            patterns.iter().filter_map(|pattern| needles.get(*pattern as usize)).flatten().copied().collect()
        };
        let class_of: Vec<SetId> = self.finds.iter().map(|patterns| sets.number(needles_of(patterns))).collect();
        let class_of = |find: SetId| Class(class_of.get(find as usize).copied().unwrap_or_default());
        let is_dead = |state: usize| self.is_dead(state);
        // Rows for all live states in order, then one for each find on the way.
        let mut rows = vec![None; self.len()];
        let mut next_row = states.next();
        for (state, row) in rows.iter_mut().enumerate() {
            if !is_dead(state) {
                *row = Some(next_row);
                next_row += 1;
            }
        }
        let target = |state: u32| match rows.get(state as usize) {
            Some(Some(row)) => Next::Draft(*row),
            _ => Next::Done(Class(Sets::EMPTY)),
        };
        // A find on the way to a live state needs a state of its own; equal ones are shared.
        let mut finds: Vec<(Class, Next)> = Vec::new();
        let mut known: FxHashMap<(Class, u32), u32> = FxHashMap::default();
        for (state, steps) in self.steps.iter().enumerate().filter(|(state, _)| !is_dead(*state)) {
            let targets: Vec<Next> = steps
                .iter()
                .map(|(find, next_state)| {
                    let class = class_of(*find);
                    match target(*next_state) {
                        next if class.0 == Sets::EMPTY => next,
                        Next::Done(_) => Next::Done(class),
                        next @ Next::Draft(_) => {
                            let row = *known.entry((class, *next_state)).or_insert_with(|| {
                                finds.push((class, next));
                                next_row + number(finds.len() - 1)
                            });
                            Next::Draft(row)
                        }
                    }
                })
                .collect();
            let end = class_of(self.ends.get(state).copied().unwrap_or_default());
            self.row(state, target(number(state)), &targets, end, states);
        }
        for (class, next) in finds {
            states.push(Draft::Emit { class, next });
        }
        target(0)
    }

    /// Returns the byte before which nothing matters in this state, if there is one: `other` is a state that takes
    /// every other byte and comes back here after that one.
    fn skips_back(&self, state: usize, other: u32) -> Option<u8> {
        if self.ends.get(state) != self.ends.get(other as usize) {
            return None;
        }
        let steps = self.steps.get(other as usize)?;
        let leaves: Vec<u8> = (0..=u8::MAX).filter(|byte| self.step(steps, *byte) != (Sets::EMPTY, other)).collect();
        match leaves.as_slice() {
            [stop] if self.step(steps, *stop) == (Sets::EMPTY, number(state)) => Some(*stop),
            _ => None,
        }
    }

    fn step(&self, steps: &[Step], byte: u8) -> Step {
        let class = self.classes.get(usize::from(byte)).copied().unwrap_or_default();
        steps.get(usize::from(class)).copied().unwrap_or_default()
    }

    /// Adds one state; its most common target is the default.
    fn row(&self, state: usize, own: Next, targets: &[Next], end: Class, states: &mut States) {
        let by_byte = |byte: u8| {
            let class = self.classes.get(usize::from(byte)).copied().unwrap_or_default();
            targets.get(usize::from(class)).copied().unwrap_or(Next::Done(Class(Sets::EMPTY)))
        };
        let mut counts: FxHashMap<Next, usize> = FxHashMap::default();
        for byte in 0..=u8::MAX {
            *counts.entry(by_byte(byte)).or_default() += 1;
        }
        let commonest = (0..=u8::MAX)
            .map(by_byte)
            .max_by_key(|target| (counts.get(target).copied().unwrap_or_default(), std::cmp::Reverse(*target)));
        let otherwise = commonest.unwrap_or(Next::Done(Class(Sets::EMPTY)));
        let mut edges: Vec<(u8, Next)> =
            (0..=u8::MAX).map(|byte| (byte, by_byte(byte))).filter(|(_, target)| *target != otherwise).collect();
        // A state that leaves a segment only at its end, without a find, can skip the rest of it at once.
        let otherwise_state = self.steps.get(state).and_then(|steps| {
            let byte = (0..=u8::MAX).find(|byte| by_byte(*byte) == otherwise)?;
            Some(self.step(steps, byte).1)
        });
        let stop = otherwise_state.and_then(|other| self.skips_back(state, other)).filter(|_| otherwise != own);
        if let Some(stop) = stop
            && by_byte(stop) == own
        {
            edges.retain(|(byte, _)| *byte != stop);
            states.push(Draft::Hop { edges, stop, end });
            return;
        }
        match edges.as_slice() {
            [(stop, next)] if otherwise == own => {
                states.push(Draft::Skip { stop: *stop, next: *next, end });
            }
            _ => {
                states.push(Draft::Choice { edges, otherwise, end });
            }
        }
    }

    /// Returns true if nothing can be found from here on.
    fn is_dead(&self, state: usize) -> bool {
        let ends = self.ends.get(state).is_some_and(|end| *end != Sets::EMPTY);
        let steps = self.steps.get(state).map_or(&[][..], Vec::as_slice);
        !ends && steps.iter().all(|(find, next)| *find == Sets::EMPTY && *next as usize == state)
    }

    /// Merges states that nothing distinguishes.
    fn minimised(self) -> Self {
        let mut blocks: Vec<u32> = renumbered(self.ends.iter());
        let mut count = blocks.iter().max().map_or(0, |most| most + 1);
        loop {
            let signature = |state: usize| {
                let steps = self.steps.get(state).map_or(&[][..], Vec::as_slice);
                let steps: Vec<Step> = steps.iter().map(|(find, next)| (*find, block_of(&blocks, *next))).collect();
                (blocks.get(state).copied(), steps)
            };
            let signatures: Vec<_> = (0..self.len()).map(signature).collect();
            let finer = renumbered(signatures.iter());
            let finer_count = finer.iter().max().map_or(0, |most| most + 1);
            blocks = finer;
            if finer_count == count {
                break;
            }
            count = finer_count;
        }
        let mut dfa = Self { steps: Vec::new(), ends: Vec::new(), finds: self.finds, classes: self.classes };
        for (state, (steps, end)) in self.steps.iter().zip(self.ends).enumerate() {
            // Blocks are numbered as their first states appear, so each comes in turn.
            if blocks.get(state).is_some_and(|block| *block as usize == dfa.steps.len()) {
                dfa.steps.push(steps.iter().map(|(find, next)| (*find, block_of(&blocks, *next))).collect());
                dfa.ends.push(end);
            }
        }
        dfa
    }
}

fn block_of(blocks: &[u32], state: u32) -> u32 {
    blocks.get(state as usize).copied().unwrap_or_default()
}

/// Numbers equal things equally, in the order of their first appearance.
fn renumbered<T: Eq + std::hash::Hash>(things: impl Iterator<Item = T>) -> Vec<u32> {
    let mut numbers: FxHashMap<T, u32> = FxHashMap::default();
    things
        .map(|thing| {
            let next = number(numbers.len());
            *numbers.entry(thing).or_insert(next)
        })
        .collect()
}

/// Everything that may still match.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Key {
    /// No byte has been read. The empty path has no segments, so nothing that ends a segment counts.
    is_start: bool,
    states: Vec<u32>,
    /// `None` for a regex that has matched or cannot match any more.
    regexes: Vec<Option<StateID>>,
}

struct Subsets {
    numbers: FxHashMap<Key, u32>,
    keys: Vec<Key>,
}

impl Subsets {
    fn number(&mut self, key: Key) -> u32 {
        if let Some(number) = self.numbers.get(&key) {
            return *number;
        }
        let number = number(self.keys.len());
        self.keys.push(key.clone());
        self.numbers.insert(key, number);
        number
    }
}

/// Steps the regexes, and adds the patterns of those that match.
fn step_regexes(nfa: &Nfa, key: &Key, byte: u8, found: &mut Vec<u32>) -> Vec<Option<StateID>> {
    let regexes = nfa.regexes.iter().zip(&key.regexes).map(|(regex, state)| {
        let next = regex.dfa.next_state((*state)?, byte);
        if regex.dfa.is_match_state(next) {
            found.push(regex.pattern);
            return None;
        }
        (!regex.dfa.is_dead_state(next)).then_some(next)
    });
    regexes.collect()
}

fn end(nfa: &Nfa, key: &Key) -> Vec<u32> {
    let states = key.states.iter().filter_map(|state| nfa.states.get(*state as usize));
    let mut found: Vec<u32> = states
        .filter_map(|state| state.accepts_end)
        .filter(|(_, at)| *at == AtEnd::OfString || !key.is_start)
        .map(|(pattern, _)| pattern)
        .collect();
    for (regex, state) in nfa.regexes.iter().zip(&key.regexes) {
        let ended = state.map(|state| regex.dfa.next_eoi_state(state));
        found.extend(ended.filter(|state| regex.dfa.is_match_state(*state)).map(|_| regex.pattern));
    }
    found
}

/// Finds the states that are reached without a byte. It is asked for every state and byte, so it keeps its memory.
struct Closure<'n> {
    nfa: &'n Nfa,
    open: Vec<u32>,
    /// By state, the last search that has seen it.
    seen: Vec<u32>,
    search: u32,
}

impl<'n> Closure<'n> {
    fn new(nfa: &'n Nfa) -> Self {
        Self { nfa, open: Vec::new(), seen: vec![0; nfa.states.len()], search: 0 }
    }

    /// Returns the states, and the patterns that have matched for good.
    fn of(&mut self, from: &[u32]) -> (Vec<u32>, Vec<u32>) {
        self.open.extend_from_slice(from);
        self.search += 1;
        let (mut states, mut found) = (Vec::new(), Vec::new());
        while let Some(number) = self.open.pop() {
            let Some((state, seen)) = self.nfa.states.get(number as usize).zip(self.seen.get_mut(number as usize))
            else {
                continue;
            };
            if std::mem::replace(seen, self.search) == self.search {
                continue;
            }
            match state.accepts {
                Some(pattern) => found.push(pattern),
                None => {
                    self.open.extend_from_slice(&state.jumps);
                    // A state that only jumps says nothing by itself.
                    if !state.edges.is_empty() || state.accepts_end.is_some() {
                        states.push(number);
                    }
                }
            }
        }
        states.sort_unstable();
        (states, found)
    }
}

/// Classifies bytes that no pattern distinguishes together. Bytes of one class are adjacent.
fn byte_classes(nfa: &Nfa) -> Vec<u16> {
    let mut starts = [false; 257];
    let edges = nfa.states.iter().flat_map(|state| &state.edges);
    let of_globs = edges.flat_map(|(low, high, _)| [usize::from(*low), usize::from(*high) + 1]);
    let is_start = |regex: &RegexDfa, byte: u8| {
        let classes = regex.dfa.byte_classes();
        byte.checked_sub(1).is_some_and(|before| classes.get(before) != classes.get(byte))
    };
    let of_regexes = nfa.regexes.iter().flat_map(|regex| (0..=u8::MAX).filter(move |byte| is_start(regex, *byte)));
    for start in of_globs.chain(of_regexes.map(usize::from)) {
        if let Some(place) = starts.get_mut(start) {
            *place = true;
        }
    }
    let mut class = 0;
    let class_of = |byte: usize| {
        if byte > 0 && starts.get(byte) == Some(&true) {
            class += 1;
        }
        class
    };
    (0..=usize::from(u8::MAX)).map(class_of).collect()
}

/// Returns one byte of each class, in the order of the classes.
fn samples(classes: &[u16]) -> Vec<u8> {
    let firsts = classes
        .iter()
        .enumerate()
        .filter(|(byte, class)| byte.checked_sub(1).is_none_or(|before| classes.get(before) != Some(class)));
    firsts.filter_map(|(byte, _)| u8::try_from(byte).ok()).collect()
}
