//! Globs -> one nondeterministic automaton over bytes, regexes -> one deterministic automaton each.
//!
//! Patterns that may start anywhere share the state that waits for their start, so that hundreds of them
//! do not each keep a state alive.

use policy_model::Regex;
use regex_automata::dfa::{Automaton, StartKind, dense};
use regex_automata::nfa::thompson;
use regex_automata::util::primitives::StateID;
use regex_automata::util::start;
use regex_automata::{Anchored, MatchKind};

use crate::needle::{ScanPattern, SegmentForm};

/// All patterns of one lane.
#[derive(Debug, Default)]
pub(crate) struct Nfa {
    pub(crate) states: Vec<NfaState>,
    pub(crate) starts: Vec<u32>,
    pub(crate) regexes: Vec<RegexDfa>,
    /// The state that waits for the start of a segment, for patterns that start with `**`.
    any_segment: Option<u32>,
    /// The state that waits for any byte, for words that start with a star.
    any_byte: Option<u32>,
}

#[derive(Debug, Default)]
pub(crate) struct NfaState {
    /// Inclusive byte range and next state.
    pub(crate) edges: Vec<(u8, u8, u32)>,
    /// States reached without a byte.
    pub(crate) jumps: Vec<u32>,
    /// The pattern that matches whatever follows.
    pub(crate) accepts: Option<u32>,
    /// The pattern that matches if the string ends here.
    pub(crate) accepts_end: Option<(u32, AtEnd)>,
}

/// When the end of the string counts as a match.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AtEnd {
    /// At the end of a segment; the empty path has none.
    OfSegment,
    OfString,
}

#[derive(Debug)]
pub(crate) struct RegexDfa {
    pub(crate) dfa: dense::DFA<Vec<u32>>,
    pub(crate) start: StateID,
    pub(crate) pattern: u32,
}

impl Nfa {
    /// Builds the automaton of patterns, which are numbered by their place; `None` if a regex is too large.
    pub(crate) fn new(patterns: &[&ScanPattern]) -> Option<Self> {
        let mut nfa = Self::default();
        for (number, pattern) in (0..).zip(patterns) {
            match pattern {
                ScanPattern::Segments(forms) => nfa.segments(forms, number),
                ScanPattern::Word(parts) => nfa.word(parts, number),
                ScanPattern::Regex(text) => {
                    nfa.regexes.push(regex_dfa(text, number)?);
                }
            }
        }
        Some(nfa)
    }

    /// The edges of some states, in their order.
    pub(crate) fn edges_of(&self, states: &[u32]) -> impl Iterator<Item = (u8, u8, u32)> {
        states.iter().filter_map(|state| self.states.get(*state as usize)).flat_map(|state| state.edges.iter().copied())
    }

    fn segments(&mut self, forms: &[SegmentForm], pattern: u32) {
        // What follows a segment, from the last to the first.
        let mut next: Option<u32> = None;
        let mut rest_is_any = true;
        for (place, form) in forms.iter().enumerate().rev() {
            let is_last = place + 1 == forms.len();
            let is_first = place == 0;
            next = match form {
                SegmentForm::Any if is_last => {
                    Some(self.add(NfaState { accepts: Some(pattern), ..NfaState::default() }))
                }
                SegmentForm::Any if is_first => {
                    if let Some(next) = next {
                        self.after_any_segment(next);
                    }
                    return;
                }
                SegmentForm::Any => next.map(|next| {
                    let start = self.segment_loop();
                    self.jump(start, next);
                    start
                }),
                SegmentForm::One(parts) => {
                    let end = rest_is_any.then_some((pattern, AtEnd::OfSegment));
                    Some(self.segment(parts, next, end))
                }
            };
            rest_is_any &= *form == SegmentForm::Any;
        }
        self.starts.extend(next);
    }

    /// Adds one segment, followed by a slash and `next`.
    fn segment(&mut self, parts: &[Vec<u8>], next: Option<u32>, end: Option<(u32, AtEnd)>) -> u32 {
        let slash = next.map(|next| (b'/', b'/', next));
        let last = NfaState { edges: slash.into_iter().collect(), accepts_end: end, ..NfaState::default() };
        let last = self.add(last);
        self.chain(parts, last, NOT_SLASH)
    }

    fn word(&mut self, parts: &[Vec<u8>], pattern: u32) {
        let [first, inner @ ..] = parts else {
            return;
        };
        let ends_with_star = !inner.is_empty() && inner.last().is_some_and(Vec::is_empty);
        let last = if ends_with_star {
            NfaState { accepts: Some(pattern), ..NfaState::default() }
        } else {
            NfaState { accepts_end: Some((pattern, AtEnd::OfString)), ..NfaState::default() }
        };
        let last = self.add(last);
        let parts = if ends_with_star { parts.get(..parts.len() - 1).unwrap_or_default() } else { parts };
        if first.is_empty() && parts.len() > 1 {
            let [_, rest @ ..] = parts else {
                return;
            };
            let start = self.chain(rest, last, ANY_BYTE);
            self.after_any_byte(start);
        } else {
            let start = self.chain(parts, last, ANY_BYTE);
            self.starts.push(start);
        }
    }

    /// Adds texts with stars between them that take the given bytes; builds from the last to the first.
    fn chain(&mut self, parts: &[Vec<u8>], last: u32, star: &[(u8, u8)]) -> u32 {
        let mut next = last;
        for (place, part) in parts.iter().enumerate().rev() {
            for byte in part.iter().rev() {
                next = self.add(NfaState { edges: vec![(*byte, *byte, next)], ..NfaState::default() });
            }
            if place > 0 {
                let here = self.add(NfaState { jumps: vec![next], ..NfaState::default() });
                self.loop_on(here, star, here);
                next = here;
            }
        }
        next
    }

    /// Adds a state that takes any number of segments, each with its slash.
    fn segment_loop(&mut self) -> u32 {
        let inside = self.add(NfaState::default());
        let start = self.add(NfaState { jumps: vec![inside], ..NfaState::default() });
        self.loop_on(inside, NOT_SLASH, inside);
        self.loop_on(inside, &[(b'/', b'/')], start);
        start
    }

    fn after_any_segment(&mut self, next: u32) {
        let start = self.any_segment.unwrap_or_else(|| {
            let start = self.segment_loop();
            self.starts.push(start);
            start
        });
        self.any_segment = Some(start);
        self.jump(start, next);
    }

    fn after_any_byte(&mut self, next: u32) {
        let start = self.any_byte.unwrap_or_else(|| {
            let start = self.add(NfaState::default());
            self.loop_on(start, ANY_BYTE, start);
            self.starts.push(start);
            start
        });
        self.any_byte = Some(start);
        self.jump(start, next);
    }

    fn jump(&mut self, from: u32, to: u32) {
        if let Some(state) = self.states.get_mut(from as usize) {
            state.jumps.push(to);
        }
    }

    fn loop_on(&mut self, from: u32, bytes: &[(u8, u8)], to: u32) {
        if let Some(state) = self.states.get_mut(from as usize) {
            state.edges.extend(bytes.iter().map(|(low, high)| (*low, *high, to)));
        }
    }

    fn add(&mut self, state: NfaState) -> u32 {
        self.states.push(state);
        crate::automaton::number(self.states.len() - 1)
    }
}

/// Compiles a regex as the reference evaluator reads it, including the ends of the string.
fn regex_dfa(text: &str, pattern: u32) -> Option<RegexDfa> {
    let hir = Regex::new(text).ok()?.hir().ok()?;
    let nfa_config = thompson::Config::new().utf8(false).which_captures(thompson::WhichCaptures::None);
    let nfa = thompson::Compiler::new().configure(nfa_config).build_from_hir(&hir).ok()?;
    let config = dense::Config::new()
        .start_kind(StartKind::Unanchored)
        .match_kind(MatchKind::LeftmostFirst)
        .accelerate(false)
        .minimize(false)
        .dfa_size_limit(Some(REGEX_BYTES_MAX))
        .determinize_size_limit(Some(REGEX_BYTES_MAX));
    let dfa = dense::Builder::new().configure(config).build_from_nfa(&nfa).ok()?;
    let start = dfa.start_state(&start::Config::new().anchored(Anchored::No)).ok()?;
    Some(RegexDfa { dfa, start, pattern })
}

const NOT_SLASH: &[(u8, u8)] = &[(0, b'/' - 1), (b'/' + 1, u8::MAX)];
const ANY_BYTE: &[(u8, u8)] = &[(0, u8::MAX)];
/// Memory for building the automaton of one regex.
const REGEX_BYTES_MAX: usize = 16 << 20;
