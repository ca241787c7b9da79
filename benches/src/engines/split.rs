//! Rules split by operation and effect, an index over the patterns of each part, and the rest of a rule
//! (roles, flags, other strings, limits) tried on the rules that the index finds.
//!
//! This is what one would build by hand around a library of globs. The stronger effect is asked first,
//! and where a pattern alone decides, the index is asked only whether any matches.

use std::collections::BTreeMap;

use globset::GlobSet;

use super::Engine;
use super::globs;
use crate::ask::Ask;
use crate::plain::{PatternKind, PlainRule};
use crate::verdict::{Says, Verdict};

/// Many patterns over one string.
pub(super) trait Index: Send {
    /// Of patterns that are all of one kind.
    fn new(kind: PatternKind, patterns: &[&str], wants: Wants) -> Self;

    /// Whether any pattern stands for the value.
    fn any(&mut self, value: &str) -> bool;

    /// Adds the places of all patterns that stand for the value.
    fn find(&mut self, value: &str, found: &mut Vec<usize>);
}

/// What an index is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wants {
    /// Whether any pattern matches.
    Any,
    /// Which ones do.
    Which,
}

pub(super) struct Split<I> {
    /// By operation, then by effect, the strongest first.
    parts: Vec<[Vec<Part<I>>; 3]>,
    rests: Vec<Rest>,
    asks: Vec<Flat>,
    found: Vec<usize>,
}

/// The rules of one operation and effect whose patterns are over the same string.
struct Part<I> {
    string: usize,
    index: I,
    wants: Wants,
    /// The rule of each pattern.
    rules: Vec<usize>,
}

/// What a rule asks besides its first patterns.
#[derive(Default)]
struct Rest {
    /// One bit for each role that it is about.
    roles: u64,
    unset: u64,
    /// String and what it must be.
    equal: Vec<(usize, Vec<String>)>,
    /// String and what it must not be.
    unlike: Vec<(usize, GlobSet)>,
    limits: Vec<(usize, u64)>,
}

/// A request by numbers instead of names.
struct Flat {
    operation: usize,
    role: u64,
    flags: u64,
    strings: Vec<Option<String>>,
    numbers: Vec<Option<u64>>,
}

impl<I: Index> Split<I> {
    pub(super) fn new(rules: &[PlainRule], asks: &[Ask]) -> Self {
        let mut names = Names::default();
        let asks: Vec<Flat> = asks.iter().map(|ask| names.flat(ask)).collect();
        let rests = rules.iter().map(|rule| names.rest(rule)).collect();
        let operations = names.operations.clone();
        let mut parts: Vec<_> = operations.iter().map(|_| [Vec::new(), Vec::new(), Vec::new()]).collect();
        for (operation, number) in &operations {
            for effect in Verdict::ALL {
                parts[*number][effect as usize] = parts_of(rules, operation, effect, &mut names);
            }
        }
        Self { parts, rests, asks, found: Vec::new() }
    }
}

impl<I: Index> Engine for Split<I> {
    fn says(&self) -> Says {
        Says::All
    }

    #[inline]
    fn judge(&mut self, place: usize) -> Verdict {
        let ask = &self.asks[place];
        for (effect, parts) in Verdict::ALL.into_iter().zip(&mut self.parts[ask.operation]) {
            for part in parts {
                let Some(value) = &ask.strings[part.string] else { continue };
                if part.wants == Wants::Any {
                    if part.index.any(value) {
                        return effect;
                    }
                    continue;
                }
                self.found.clear();
                part.index.find(value, &mut self.found);
                let rest_holds = |pattern: &usize| self.rests[part.rules[*pattern]].holds(ask);
                if self.found.iter().any(rest_holds) {
                    return effect;
                }
            }
        }
        Verdict::Deny
    }
}

fn parts_of<I: Index>(rules: &[PlainRule], operation: &str, effect: Verdict, names: &mut Names) -> Vec<Part<I>> {
    type Patterns<'r> = (PatternKind, Vec<&'r str>, Vec<usize>);
    let mut by_string: BTreeMap<(usize, bool), Patterns<'_>> = BTreeMap::new();
    let is_meant = |rule: &PlainRule| rule.effect == effect && rule.operations.iter().any(|known| known == operation);
    for (place, rule) in rules.iter().enumerate().filter(|(_, rule)| is_meant(rule)) {
        let driver = &rule.strings[rule.driver().expect("generated rules have a pattern")];
        let string = names.string(&driver.attribute);
        let entry = by_string.entry((string, rule.is_pattern_alone()));
        let (kind, patterns, of) = entry.or_insert_with(|| (driver.kind, Vec::new(), Vec::new()));
        assert_eq!(*kind, driver.kind);
        patterns.extend(driver.patterns.iter().map(String::as_str));
        of.extend(driver.patterns.iter().map(|_| place));
    }
    let part = |((string, is_alone), (kind, patterns, rules)): (_, Patterns<'_>)| {
        let wants = if is_alone { Wants::Any } else { Wants::Which };
        Part { string, index: I::new(kind, &patterns, wants), wants, rules }
    };
    by_string.into_iter().map(part).collect()
}

impl Rest {
    fn holds(&self, ask: &Flat) -> bool {
        let string = |place: &usize| ask.strings[*place].as_deref();
        self.roles & ask.role != 0
            && self.unset & ask.flags == 0
            && self.limits.iter().all(|(place, most)| ask.numbers[*place].is_none_or(|number| number <= *most))
            && self.equal.iter().all(|(place, texts)| texts.iter().any(|text| Some(text.as_str()) == string(place)))
            && self.unlike.iter().all(|(place, globs)| string(place).is_none_or(|value| !globs.is_match(value)))
    }
}

/// Names -> numbers, in the order in which they come.
#[derive(Default)]
struct Names {
    operations: BTreeMap<String, usize>,
    roles: BTreeMap<String, usize>,
    strings: BTreeMap<String, usize>,
    numbers: BTreeMap<String, usize>,
    flags: BTreeMap<String, usize>,
}

impl Names {
    fn string(&mut self, name: &str) -> usize {
        let number = number(&mut self.strings, name);
        assert!(number < STRINGS);
        number
    }

    fn flat(&mut self, ask: &Ask) -> Flat {
        let (mut strings, mut numbers) = (vec![None; STRINGS], vec![None; NUMBERS]);
        for (name, value) in &ask.strings {
            strings[self.string(name)] = Some(value.clone());
        }
        for (name, value) in &ask.numbers {
            numbers[number(&mut self.numbers, name)] = Some(*value);
        }
        let flags = ask.flags.iter().fold(0, |all, name| all | 1 << number(&mut self.flags, name));
        let role = 1 << number(&mut self.roles, &ask.role);
        Flat { operation: number(&mut self.operations, &ask.operation), role, flags, strings, numbers }
    }

    fn rest(&mut self, rule: &PlainRule) -> Rest {
        let mut rest = Rest { roles: u64::MAX, ..Rest::default() };
        if let Some(roles) = &rule.roles {
            rest.roles = roles.iter().fold(0, |all, name| all | 1 << number(&mut self.roles, name));
        }
        rest.unset = rule.unset.iter().fold(0, |all, name| all | 1 << number(&mut self.flags, name));
        rest.limits = rule.limits.iter().map(|(name, most)| (number(&mut self.numbers, name), *most)).collect();
        let driver = rule.driver();
        for (_, test) in rule.strings.iter().enumerate().filter(|(place, _)| Some(*place) != driver) {
            let string = self.string(&test.attribute);
            match (test.kind, test.wanted) {
                (PatternKind::Literal, true) => rest.equal.push((string, test.patterns.clone())),
                (PatternKind::Segments, false) => {
                    let patterns: Vec<&str> = test.patterns.iter().map(String::as_str).collect();
                    rest.unlike.push((string, globs::set(test.kind, &patterns).0));
                }
                other => panic!("{}: no test for {other:?}", rule.name),
            }
        }
        rest
    }
}

fn number(names: &mut BTreeMap<String, usize>, name: &str) -> usize {
    let next = names.len();
    *names.entry(name.to_owned()).or_insert(next)
}

/// More than the attributes that the policies and requests have.
const STRINGS: usize = 16;
const NUMBERS: usize = 16;
