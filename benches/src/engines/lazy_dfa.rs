//! An index of `regex-automata`'s lazy DFA: all patterns in one automaton, whose states are made when
//! they are first needed and then kept. It has room for every state and has seen every request before
//! it is timed, which is the best case for it.

use regex_automata::hybrid::dfa::{Cache, Config, DFA, OverlappingState};
use regex_automata::nfa::thompson;
use regex_automata::util::syntax;
use regex_automata::{Anchored, Input, MatchKind};

use super::split::{Index, Wants};
use crate::plain::PatternKind;

pub(super) struct LazyDfa {
    dfa: DFA,
    cache: Cache,
}

impl Index for LazyDfa {
    fn new(kind: PatternKind, patterns: &[&str], wants: Wants) -> Self {
        let regexes: Vec<String> = patterns.iter().map(|pattern| regex(kind, pattern)).collect();
        // One alternation is factored by the regex parser, so it is used where it need not say which.
        let (regexes, match_kind) = match wants {
            Wants::Any => (vec![regexes.join("|")], MatchKind::LeftmostFirst),
            Wants::Which => (regexes, MatchKind::All),
        };
        let config = Config::new().match_kind(match_kind).cache_capacity(CACHE_BYTES_MAX);
        let dfa = DFA::builder()
            .configure(config)
            .syntax(syntax::Config::new().unicode(false).utf8(false))
            .thompson(thompson::Config::new().utf8(false))
            .build_many(&regexes)
            .expect("a lazy DFA");
        Self { cache: dfa.create_cache(), dfa }
    }

    #[inline]
    fn any(&mut self, value: &str) -> bool {
        let input = Input::new(value).anchored(Anchored::Yes).earliest(true);
        self.dfa.try_search_fwd(&mut self.cache, &input).expect("never gives up").is_some()
    }

    #[inline]
    fn find(&mut self, value: &str, found: &mut Vec<usize>) {
        let input = Input::new(value).anchored(Anchored::Yes);
        let mut state = OverlappingState::start();
        loop {
            self.dfa.try_search_overlapping_fwd(&mut self.cache, &input, &mut state).expect("never gives up");
            match state.get_match() {
                Some(pattern) => found.push(pattern.pattern().as_usize()),
                None => return,
            }
        }
    }
}

/// The regex that means what the pattern means for whole, normalised values.
pub(super) fn regex(kind: PatternKind, pattern: &str) -> String {
    let body = match kind {
        PatternKind::Literal => escaped(pattern),
        PatternKind::Host => match pattern.strip_prefix('*') {
            Some(below) => format!(".+{}", escaped(below)),
            None => escaped(pattern),
        },
        PatternKind::Segments => segments(pattern),
    };
    format!("(?:{body}\\z)")
}

fn segments(pattern: &str) -> String {
    let (middle, tail) = match pattern.strip_suffix("/**") {
        Some(folder) => (folder, "(?:/.*)?"),
        None => (pattern, ""),
    };
    let (head, middle) = match middle.strip_prefix("**/") {
        Some(rest) => ("(?:[^/]+/)*", rest),
        None => ("", middle),
    };
    let parts: Vec<String> =
        middle.split("/**/").map(|part| part.split('*').map(escaped).collect::<Vec<_>>().join("[^/]*")).collect();
    format!("{head}{}{tail}", parts.join("/(?:[^/]+/)*"))
}

fn escaped(text: &str) -> String {
    text.chars().flat_map(|c| (!c.is_ascii_alphanumeric()).then_some('\\').into_iter().chain([c])).collect()
}

/// More than any of the workloads needs.
const CACHE_BYTES_MAX: usize = 1 << 30;
