//! Seeded requests that policies have something to say about: values are made from a policy's own patterns
//! and numbers, and then now and then spoilt.

use std::collections::{BTreeMap, BTreeSet};

use fastrand::Rng;
use policy_model::catalogue::AttributeKind;
use policy_model::{Condition, HostPattern, Model, Pattern, Request, RoleId, Segment, WordGlob};

/// Values worth trying, by attribute.
pub(crate) struct Dice {
    rng: Rng,
    strings: BTreeMap<String, Vec<Sample>>,
    numbers: BTreeMap<String, Vec<u64>>,
}

enum Sample {
    Text(String),
    Pattern(Pattern),
}

impl Dice {
    pub(crate) fn new(model: &Model, seed: u64) -> Self {
        let mut dice = Self { rng: Rng::with_seed(seed), strings: BTreeMap::new(), numbers: BTreeMap::new() };
        for rule in &model.rules {
            rule.condition.iter().for_each(|condition| dice.learn(condition));
            for limit in &rule.limits {
                dice.numbers.entry(limit.attribute.name.to_string()).or_default().push(limit.most);
            }
        }
        for test in &model.tests {
            for (name, value) in &test.request.strings {
                dice.strings.entry(name.clone()).or_default().push(Sample::Text(value.clone()));
            }
        }
        dice
    }

    fn learn(&mut self, condition: &Condition) {
        match condition {
            Condition::All(parts) | Condition::Any(parts) => parts.iter().for_each(|part| self.learn(part)),
            Condition::Not(part) => self.learn(part),
            Condition::Flag { .. } | Condition::Matches { .. } => {}
            Condition::In { attribute, sets, .. } => {
                let samples = self.strings.entry(attribute.name.to_string()).or_default();
                let patterns = sets.iter().flat_map(|set| set.patterns());
                samples.extend(patterns.map(|located| Sample::Pattern(located.pattern.clone())));
            }
            Condition::Equals { attribute, text, .. } => {
                self.strings.entry(attribute.name.to_string()).or_default().push(Sample::Text(text.clone()));
            }
            Condition::Number { attribute, value, .. } => {
                self.numbers.entry(attribute.name.to_string()).or_default().push(*value);
            }
        }
    }

    /// A request about an operation that some rule is about.
    pub(crate) fn request(&mut self, model: &Model) -> Request {
        let rule = &model.rules[self.rng.usize(..model.rules.len())];
        let operations: Vec<_> = rule.operations.iter().copied().collect();
        let operation = operations[self.rng.usize(..operations.len())];
        let count = if model.roles.is_empty() { 0 } else { self.rng.usize(..3) };
        let roles: BTreeSet<RoleId> = (0..count).map(|_| RoleId(self.rng.usize(..model.roles.len()))).collect();
        let (mut strings, mut numbers, mut flags) = (BTreeMap::new(), BTreeMap::new(), BTreeSet::new());
        for attribute in &model.operations[operation.0].attributes {
            let name = attribute.name.to_string();
            if attribute.kind == AttributeKind::Flag {
                if self.rng.u8(..4) == 0 {
                    flags.insert(name);
                }
            } else if attribute.kind.is_number() {
                if self.rng.bool() {
                    let number = self.number(&name);
                    numbers.insert(name, number);
                }
            } else if self.rng.u8(..8) != 0 {
                let string = self.string(&name);
                strings.insert(name, string);
            }
        }
        if self.rng.u8(..16) == 0 {
            // A number that the operation may not have: limits bind it all the same.
            numbers.insert("bytes".to_owned(), self.number("bytes"));
        }
        Request { roles, operation, strings, numbers, flags }
    }

    /// At and around the numbers of the policy, and around the largest ones.
    fn number(&mut self, name: &str) -> u64 {
        let large = [u64::MAX, u64::MAX - 1, i64::MAX as u64, i64::MAX as u64 + 1, i64::MAX as u64 - 1];
        let known = self.numbers.get(name).map(Vec::as_slice).unwrap_or_default();
        match self.rng.u8(..8) {
            0 => large[self.rng.usize(..large.len())],
            1 => self.rng.u64(..),
            2 => self.rng.u64(..100),
            _ if known.is_empty() => 0,
            _ => known[self.rng.usize(..known.len())].saturating_add(self.rng.u64(..3)).saturating_sub(1),
        }
    }

    fn string(&mut self, name: &str) -> String {
        let rng = &mut self.rng;
        let value = match self.strings.get(name) {
            Some(samples) if rng.u8(..8) != 0 => match &samples[rng.usize(..samples.len())] {
                Sample::Text(text) => text.clone(),
                Sample::Pattern(pattern) => instance(rng, pattern),
            },
            _ => path(rng, 3),
        };
        if rng.u8(..6) == 0 { spoil(rng, &value) } else { value }
    }
}

fn instance(rng: &mut Rng, pattern: &Pattern) -> String {
    match pattern {
        Pattern::Segments(glob) => {
            let mut segments = Vec::new();
            for segment in glob.segments() {
                match segment {
                    Segment::Any => segments.extend((0..rng.usize(..3)).map(|_| word(rng))),
                    Segment::One(glob) => segments.push(filled(rng, glob)),
                }
            }
            segments.join("/")
        }
        Pattern::Host(HostPattern::Any) => word(rng),
        Pattern::Host(HostPattern::Exact(name)) => name.clone(),
        Pattern::Host(HostPattern::Below(suffix)) => format!("{}{suffix}", word(rng)),
        Pattern::Word(glob) => filled(rng, glob),
    }
}

fn filled(rng: &mut Rng, glob: &WordGlob) -> String {
    let mut parts = glob.parts().iter();
    let first = parts.next().cloned().unwrap_or_default();
    parts.fold(first, |text, part| format!("{text}{}{part}", if rng.bool() { word(rng) } else { String::new() }))
}

fn path(rng: &mut Rng, most: usize) -> String {
    let count = rng.usize(..=most);
    (0..count).map(|_| word(rng)).collect::<Vec<_>>().join("/")
}

fn word(rng: &mut Rng) -> String {
    const WORDS: &[&str] = &["a", "b", "src", "main.rs", ".git", "x.pem", ".env", "ü", "", "*", "docs", "\u{7f}\""];
    WORDS[rng.usize(..WORDS.len())].to_owned()
}

/// One character more, less or other.
fn spoil(rng: &mut Rng, value: &str) -> String {
    let mut chars: Vec<char> = value.chars().collect();
    let place = rng.usize(..=chars.len());
    let other = ['/', '.', 'a', '*', 'Z', '\n'][rng.usize(..6)];
    match rng.u8(..3) {
        0 => chars.insert(place, other),
        1 if place < chars.len() => chars[place] = other,
        _ if place < chars.len() => {
            chars.remove(place);
        }
        _ => chars.push(other),
    }
    chars.into_iter().collect()
}
