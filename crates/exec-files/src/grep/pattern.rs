//! A pattern -> where a line matches it, in steps that are short enough to be stopped between.
//!
//! A search takes the length of the text times the size of the pattern in the worst case, and the engine cannot be
//! interrupted. So it is given no more text at once than it searches in a moment, whole lines at a time. A line that is
//! longer than that is gone through here, byte by byte, by an automaton that is made on the way.

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

/// A pattern that is understood, for all threads.
#[derive(Debug)]
pub(super) struct Pattern {
    engine: RegexMatcher,
    /// The same pattern for long lines.
    stepped: regex::Regex,
    /// Bytes that are searched between two looks at the clock.
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
                        "a match lies within one line, and it asks for the end of one".to_owned()
                    }
                    _ => pattern_error(pattern, &error.to_string()),
                })
            })?;
        let stepped = regex::Builder::new()
            .syntax(syntax::Config::new().case_insensitive(!case_sensitive).utf8(false).nest_limit(PATTERN_DEPTH_MAX))
            .thompson(thompson::Config::new().utf8(false).nfa_size_limit(Some(PATTERN_BYTES_MAX)))
            .dfa(dfa::Config::new().unicode_word_boundary(true).skip_cache_capacity_check(true))
            // As the engine reads it.
            .build(&format!("(?:{pattern})"))
            .map_err(|error| FileError::Pattern(error.to_string()))?;
        let states = stepped.forward().get_nfa().states().len().max(1);
        Ok(Self { engine, stepped, step_bytes: (STEP_WORK_MAX / states).max(1) })
    }

    /// For one thread.
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
    /// The pattern asks for word boundaries, and the line has more than ASCII.
    #[error("the line is too long for the pattern")]
    TooLong,
}

/// What one thread searches with. It is stopped in time, whatever the pattern and the line.
#[derive(Debug)]
pub(super) struct StoppableMatcher<'p> {
    engine: RegexMatcher,
    pattern: &'p Pattern,
    stop: &'p Stop,
    /// Since it last asked whether to stop.
    searched_bytes: Cell<usize>,
    /// What it knows of its automata; most threads never see a long line.
    cache: RefCell<Option<regex::Cache>>,
}

impl Matcher for StoppableMatcher<'_> {
    type Captures = NoCaptures;
    type Error = NotSearched;

    fn find_at(&self, line: &[u8], at: usize) -> Result<Option<Match>, NotSearched> {
        if self.is_short(line) {
            self.note(line.len())?;
            return self.engine.find_at(line, at).map_err(never);
        }
        let Some(end) = self.end(line, at, Which::Preferred)? else { return Ok(None) };
        Ok(self.start(line, at, end)?.map(|start| Match::new(start, end)))
    }

    fn shortest_match_at(&self, line: &[u8], at: usize) -> Result<Option<usize>, NotSearched> {
        if self.is_short(line) {
            self.note(line.len())?;
            return self.engine.shortest_match_at(line, at).map_err(never);
        }
        self.end(line, at, Which::Shortest)
    }

    /// The only one that is given more than a line.
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
                    self.note(searched)?;
                    (found, part.len())
                }
                None => {
                    let length = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
                    let line = rest.get(..length).unwrap_or(rest);
                    (self.end(line, 0, Which::Shortest)?.map(LineMatchKind::Confirmed), length)
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

/// Which match of a line is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Which {
    /// That of which the end comes first.
    Shortest,
    /// The first one, as long as the pattern would have it.
    Preferred,
}

impl StoppableMatcher<'_> {
    fn is_short(&self, text: &[u8]) -> bool {
        text.len() <= self.pattern.step_bytes
    }

    /// As much of the text as the engine can be given at once, without the end of the last line. Nothing, if not even the
    /// first line is short enough.
    fn whole_lines<'t>(&self, text: &'t [u8]) -> Option<&'t [u8]> {
        if self.is_short(text) {
            return Some(text);
        }
        let part = text.get(..self.pattern.step_bytes)?;
        text.get(..memchr::memrchr(b'\n', part)?)
    }

    /// Takes note of what was searched, and asks from time to time whether to stop.
    fn note(&self, bytes: usize) -> Result<(), NotSearched> {
        let searched = self.searched_bytes.get() + bytes;
        let is_time = searched >= self.pattern.step_bytes;
        self.searched_bytes.set(if is_time { 0 } else { searched });
        if is_time { Ok(self.stop.check()?) } else { Ok(()) }
    }

    /// Where a match of a long line ends.
    fn end(&self, line: &[u8], at: usize, which: Which) -> Result<Option<usize>, NotSearched> {
        let automaton = self.pattern.stepped.forward();
        let mut cache = self.cache.borrow_mut();
        let cache = cache.get_or_insert_with(|| self.pattern.stepped.create_cache()).as_parts_mut().0;
        let input = Input::new(line).range(at..);
        let mut state = automaton.start_state_forward(cache, &input).map_err(|_| NotSearched::TooLong)?;
        let mut end = None;
        for (place, byte) in line.iter().enumerate().skip(at) {
            self.note(1)?;
            state = automaton.next_state(cache, state, *byte).map_err(|_| NotSearched::TooLong)?;
            match Seen::of(state)? {
                Seen::Nothing => {}
                Seen::Over => return Ok(end),
                // The automaton is one byte late.
                Seen::Match => end = Some(place),
            }
            if end.is_some() && which == Which::Shortest {
                return Ok(end);
            }
        }
        state = automaton.next_eoi_state(cache, state).map_err(|_| NotSearched::TooLong)?;
        Ok(if Seen::of(state)? == Seen::Match { Some(line.len()) } else { end })
    }

    /// Where the match starts that ends there.
    fn start(&self, line: &[u8], at: usize, end: usize) -> Result<Option<usize>, NotSearched> {
        let automaton = self.pattern.stepped.reverse();
        let mut cache = self.cache.borrow_mut();
        let cache = cache.get_or_insert_with(|| self.pattern.stepped.create_cache()).as_parts_mut().1;
        let input = Input::new(line).range(at..end).anchored(Anchored::Yes);
        let mut state = automaton.start_state_reverse(cache, &input).map_err(|_| NotSearched::TooLong)?;
        let mut start = None;
        for (place, byte) in line.iter().enumerate().take(end).skip(at).rev() {
            self.note(1)?;
            state = automaton.next_state(cache, state, *byte).map_err(|_| NotSearched::TooLong)?;
            match Seen::of(state)? {
                Seen::Nothing => {}
                Seen::Over => return Ok(start),
                Seen::Match => start = Some(place + 1),
            }
        }
        state = automaton.next_eoi_state(cache, state).map_err(|_| NotSearched::TooLong)?;
        Ok(if Seen::of(state)? == Seen::Match { Some(at) } else { start })
    }
}

/// What a state of an automaton says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Seen {
    Nothing,
    Match,
    /// Nothing better comes any more.
    Over,
}

impl Seen {
    fn of(state: LazyStateID) -> Result<Self, NotSearched> {
        if !state.is_tagged() || state.is_start() {
            Ok(Self::Nothing)
        } else if state.is_match() {
            Ok(Self::Match)
        } else if state.is_dead() {
            Ok(Self::Over)
        } else {
            Err(NotSearched::TooLong)
        }
    }
}

/// The engine has no way to fail.
fn never(_: NoError) -> NotSearched {
    NotSearched::TooLong
}

/// Bytes of a compiled pattern, and of what the engine remembers while it runs.
const PATTERN_BYTES_MAX: usize = 4 << 20;
const PATTERN_DEPTH_MAX: u32 = 100;
/// States of a pattern times bytes that are searched between two looks at the clock. Each takes some 20 to 70 ns where
/// pattern and text are made to be slow.
const STEP_WORK_MAX: usize = 2 << 20;

#[cfg(test)]
mod tests;
