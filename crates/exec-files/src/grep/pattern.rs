//! A pattern -> its matches in a line, in steps short enough to stop between them.
//!
//! In the worst case a search takes the length of the text times the size of the pattern, and the engine cannot be interrupted.
//! So it gets only as much text at a time as it searches in a moment, in whole lines. A longer line is searched here, byte by
//! byte, with a lazy automaton.

use std::cell::{Cell, RefCell};

use enforce_core::limits::MAX_ARG_LEN;
use grep_matcher::{ByteSet, LineMatchKind, LineTerminator, Match, Matcher, NoCaptures, NoError};
use grep_regex::{ErrorKind, RegexMatcher, RegexMatcherBuilder};
use regex_automata::hybrid::{LazyStateID, dfa, regex};
use regex_automata::nfa::thompson;
use regex_automata::util::syntax;
use regex_automata::{Anchored, Input};

use crate::FileError;
use exec_base::pattern_error;
use exec_base::{Stop, Stopped};

/// A compiled pattern, shared by all threads.
#[derive(Debug)]
pub(super) struct Pattern {
    engine: RegexMatcher,
    /// For long lines.
    stepped: regex::Regex,
    /// Bytes between two checks of the stop request.
    step_bytes: usize,
}

impl Pattern {
    pub(super) fn new(pattern: &str, case_sensitive: bool) -> Result<Self, FileError> {
        if pattern.len() > MAX_ARG_LEN {
            return Err(FileError::Pattern(format!("it has more than {MAX_ARG_LEN} bytes")));
        }
        let engine = RegexMatcherBuilder::new()
            .case_insensitive(!case_sensitive)
            .line_terminator(Some(b'\n'))
            .size_limit(PATTERN_BYTES_MAX)
            .dfa_size_limit(PATTERN_BYTES_MAX)
            .nest_limit(PATTERN_DEPTH_MAX)
            .build(pattern)
            .map_err(|error| {
                FileError::Pattern(match error.kind() {
                    ErrorKind::NotAllowed(_) => {
                        "it matches a line end, but a match must lie within one line".to_owned()
                    }
                    _ => pattern_error(pattern, &error.to_string()),
                })
            })?;
        let stepped = regex::Builder::new()
            .syntax(syntax::Config::new().case_insensitive(!case_sensitive).utf8(false).nest_limit(PATTERN_DEPTH_MAX))
            .thompson(thompson::Config::new().utf8(false).nfa_size_limit(Some(PATTERN_BYTES_MAX)))
            .dfa(dfa::Config::new().unicode_word_boundary(true).skip_cache_capacity_check(true))
            // The engine groups the pattern, too.
            .build(&format!("(?:{pattern})"))
            .map_err(|error| FileError::Pattern(error.to_string()))?;
        let states = stepped.forward().get_nfa().states().len().max(1);
        Ok(Self { engine, stepped, step_bytes: (STEP_WORK_MAX / states).max(1) })
    }

    /// Makes the matcher of one thread.
    pub(super) fn matcher<'p>(&'p self, stop: &'p Stop) -> StoppableMatcher<'p> {
        let (searched_bytes, cache) = (Cell::new(0), RefCell::new(None));
        StoppableMatcher { engine: self.engine.clone(), pattern: self, stop, searched_bytes, cache }
    }
}

/// The reason why a line was not searched to its end.
#[derive(Debug, thiserror::Error)]
pub(super) enum NotSearched {
    #[error(transparent)]
    Stopped(#[from] Stopped),
    /// The pattern has word boundaries, and the line is not ASCII.
    #[error("the line is too long for the pattern")]
    TooLong,
}

/// The matcher of one thread. It can be stopped in time, whatever the pattern and the line.
#[derive(Debug)]
pub(super) struct StoppableMatcher<'p> {
    engine: RegexMatcher,
    pattern: &'p Pattern,
    stop: &'p Stop,
    /// Since the last check of the stop request.
    searched_bytes: Cell<usize>,
    /// Created at the first long line; most threads never see one.
    cache: RefCell<Option<regex::Cache>>,
}

impl Matcher for StoppableMatcher<'_> {
    type Captures = NoCaptures;
    type Error = NotSearched;

    fn find_at(&self, line: &[u8], at: usize) -> Result<Option<Match>, NotSearched> {
        if self.is_short(line) {
            self.count(line.len())?;
            return self.engine.find_at(line, at).map_err(never);
        }
        let Some(end) = self.end(line, at, MatchKind::Preferred)? else { return Ok(None) };
        Ok(self.start(line, at, end)?.map(|start| Match::new(start, end)))
    }

    fn shortest_match_at(&self, line: &[u8], at: usize) -> Result<Option<usize>, NotSearched> {
        if self.is_short(line) {
            self.count(line.len())?;
            return self.engine.shortest_match_at(line, at).map_err(never);
        }
        self.end(line, at, MatchKind::Shortest)
    }

    /// Unlike the others, this gets more than one line.
    fn find_candidate_line(&self, lines: &[u8]) -> Result<Option<LineMatchKind>, NotSearched> {
        let mut from = 0;
        while let Some(rest) = lines.get(from..) {
            let (part, length) = match self.whole_lines(rest) {
                Some(part) => {
                    let found = self.engine.find_candidate_line(part).map_err(never)?;
                    let searched = match found {
                        Some(LineMatchKind::Confirmed(at) | LineMatchKind::Candidate(at)) => at,
                        None => part.len(),
                    };
                    self.count(searched)?;
                    (found, part.len())
                }
                None => {
                    let length = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
                    let line = rest.get(..length).unwrap_or(rest);
                    (self.end(line, 0, MatchKind::Shortest)?.map(LineMatchKind::Confirmed), length)
                }
            };
            match part {
                Some(LineMatchKind::Confirmed(at)) => return Ok(Some(LineMatchKind::Confirmed(from + at))),
                Some(LineMatchKind::Candidate(at)) => return Ok(Some(LineMatchKind::Candidate(from + at))),
                None => from += length + 1,
            }
        }
        Ok(None)
    }

    fn new_captures(&self) -> Result<NoCaptures, NotSearched> {
        Ok(NoCaptures::new())
    }

    fn line_terminator(&self) -> Option<LineTerminator> {
        self.engine.line_terminator()
    }

    fn non_matching_bytes(&self) -> Option<&ByteSet> {
        self.engine.non_matching_bytes()
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum MatchKind {
    /// The match that ends first.
    Shortest,
    /// The leftmost match, as long as the pattern prefers.
    Preferred,
}

impl StoppableMatcher<'_> {
    fn is_short(&self, text: &[u8]) -> bool {
        text.len() <= self.pattern.step_bytes
    }

    /// Returns as many whole lines as the engine may get at a time, without the last newline; none if the first line is too
    /// long.
    fn whole_lines<'t>(&self, text: &'t [u8]) -> Option<&'t [u8]> {
        if self.is_short(text) {
            return Some(text);
        }
        let part = text.get(..self.pattern.step_bytes)?;
        text.get(..memchr::memrchr(b'\n', part)?)
    }

    /// Counts searched bytes, and checks the stop request from time to time.
    fn count(&self, bytes: usize) -> Result<(), NotSearched> {
        let searched = self.searched_bytes.get() + bytes;
        let is_time = searched >= self.pattern.step_bytes;
        self.searched_bytes.set(if is_time { 0 } else { searched });
        if is_time { Ok(self.stop.check()?) } else { Ok(()) }
    }

    /// Finds the end of a match in a long line.
    fn end(&self, line: &[u8], at: usize, which: MatchKind) -> Result<Option<usize>, NotSearched> {
        let automaton = self.pattern.stepped.forward();
        let mut cache = self.cache.borrow_mut();
        let cache = cache.get_or_insert_with(|| self.pattern.stepped.create_cache()).as_parts_mut().0;
        let input = Input::new(line).range(at..);
        let mut state = automaton.start_state_forward(cache, &input).map_err(|_| NotSearched::TooLong)?;
        let mut end = None;
        for (place, byte) in line.iter().enumerate().skip(at) {
            self.count(1)?;
            state = automaton.next_state(cache, state, *byte).map_err(|_| NotSearched::TooLong)?;
            match StateKind::of(state)? {
                StateKind::Nothing => {}
                StateKind::Dead => return Ok(end),
                // The automaton reports a match one byte late.
                StateKind::Match => end = Some(place),
            }
            if end.is_some() && which == MatchKind::Shortest {
                return Ok(end);
            }
        }
        state = automaton.next_eoi_state(cache, state).map_err(|_| NotSearched::TooLong)?;
        Ok(if StateKind::of(state)? == StateKind::Match { Some(line.len()) } else { end })
    }

    /// Finds the start of the match that ends at `end`.
    fn start(&self, line: &[u8], at: usize, end: usize) -> Result<Option<usize>, NotSearched> {
        let automaton = self.pattern.stepped.reverse();
        let mut cache = self.cache.borrow_mut();
        let cache = cache.get_or_insert_with(|| self.pattern.stepped.create_cache()).as_parts_mut().1;
        let input = Input::new(line).range(at..end).anchored(Anchored::Yes);
        let mut state = automaton.start_state_reverse(cache, &input).map_err(|_| NotSearched::TooLong)?;
        let mut start = None;
        for (place, byte) in line.iter().enumerate().take(end).skip(at).rev() {
            self.count(1)?;
            state = automaton.next_state(cache, state, *byte).map_err(|_| NotSearched::TooLong)?;
            match StateKind::of(state)? {
                StateKind::Nothing => {}
                StateKind::Dead => return Ok(start),
                StateKind::Match => start = Some(place + 1),
            }
        }
        state = automaton.next_eoi_state(cache, state).map_err(|_| NotSearched::TooLong)?;
        Ok(if StateKind::of(state)? == StateKind::Match { Some(at) } else { start })
    }
}

/// The meaning of an automaton's state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum StateKind {
    Nothing,
    Match,
    /// No further match is possible.
    Dead,
}

impl StateKind {
    fn of(state: LazyStateID) -> Result<Self, NotSearched> {
        if !state.is_tagged() || state.is_start() {
            Ok(Self::Nothing)
        } else if state.is_match() {
            Ok(Self::Match)
        } else if state.is_dead() {
            Ok(Self::Dead)
        } else {
            Err(NotSearched::TooLong)
        }
    }
}

/// The engine never fails.
fn never(_: NoError) -> NotSearched {
    NotSearched::TooLong
}

/// Bytes of a compiled pattern, and of the engine's cache.
const PATTERN_BYTES_MAX: usize = 4 << 20;
const PATTERN_DEPTH_MAX: u32 = 100;
/// States of the pattern times bytes between two checks of the stop request. Each takes 20 to 70 ns with the slowest patterns
/// and texts.
const STEP_WORK_MAX: usize = 2 << 20;

#[cfg(test)]
mod tests;
