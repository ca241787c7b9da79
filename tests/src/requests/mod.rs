//! A policy -> requests that it has something to say about: most are aimed at one of its rules, many of
//! these miss by a little, and some have nothing to do with it.

mod aim;
mod strings;

use std::collections::{BTreeMap, BTreeSet};

use policy_model::catalogue::{AttributeKind, GUARDED_FLAGS};
use policy_model::{Attribute, Condition, Model, OperationId, Pattern, Request, RoleId, Rule, Subjects};
use policy_syntax::Effect;
use regex_syntax::hir::Hir;

use crate::dice::Dice;

/// Makes requests for one policy.
#[derive(Debug)]
pub struct Requests<'m> {
    model: &'m Model,
    /// What sessions can hold.
    roles: Vec<RoleId>,
    /// Rules by effect: an effect is chosen first, so that the rare one is asked for as well.
    rules: [Vec<&'m Rule>; 3],
    /// What the rules say of an attribute, wherever they say it.
    strings: BTreeMap<&'m str, Vec<Hint<'m>>>,
    numbers: BTreeMap<&'m str, Vec<u64>>,
    flags: BTreeSet<&'m str>,
    /// Regexes are read once; the policy keeps them as text.
    regexes: BTreeMap<&'m str, Hir>,
}

/// Where a string can be taken from.
#[derive(Debug)]
enum Hint<'m> {
    Pattern(&'m Pattern),
    Text(&'m str),
    Regex(&'m str),
}

impl<'m> Requests<'m> {
    /// For this policy.
    #[must_use]
    pub fn new(model: &'m Model) -> Self {
        let of = |effect: Effect| model.rules.iter().filter(|rule| rule.effect == effect).collect();
        let held = model.roles.iter().enumerate().filter(|(_, role)| role.can_be_held);
        let mut requests = Self {
            model,
            roles: held.map(|(place, _)| RoleId(place)).collect(),
            rules: [of(Effect::Allow), of(Effect::Ask), of(Effect::Deny)],
            strings: BTreeMap::new(),
            numbers: BTreeMap::new(),
            flags: BTreeSet::new(),
            regexes: BTreeMap::new(),
        };
        for rule in &model.rules {
            if let Some(condition) = &rule.condition {
                requests.learn(condition);
            }
            for limit in &rule.limits {
                requests.numbers.entry(&limit.attribute.name).or_default().push(limit.most);
            }
        }
        requests
    }

    fn learn(&mut self, condition: &'m Condition) {
        match condition {
            Condition::All(parts) | Condition::Any(parts) => parts.iter().for_each(|part| self.learn(part)),
            Condition::Not(part) => self.learn(part),
            Condition::Flag { attribute, .. } => {
                self.flags.insert(&attribute.name);
            }
            Condition::In { attribute, sets, .. } => {
                let patterns = sets.iter().flat_map(|set| set.patterns()).map(|located| &located.pattern);
                self.strings.entry(&attribute.name).or_default().extend(patterns.map(Hint::Pattern));
            }
            Condition::Equals { attribute, text, .. } => {
                self.strings.entry(&attribute.name).or_default().push(Hint::Text(text));
            }
            Condition::Matches { attribute, regex, .. } => {
                if let Ok(hir) = regex.hir() {
                    self.regexes.insert(regex.pattern(), hir);
                    self.strings.entry(&attribute.name).or_default().push(Hint::Regex(regex.pattern()));
                }
            }
            Condition::Number { attribute, value, .. } => {
                self.numbers.entry(&attribute.name).or_default().push(*value);
            }
        }
    }

    /// One more request.
    #[must_use]
    pub fn next(&self, dice: &mut Dice) -> Request {
        let [allow, ask, deny] = &self.rules;
        let rules = dice.weighted([(48, allow), (36, ask), (16, deny)]);
        let rules = if rules.is_empty() { dice.one_of([allow, ask, deny]) } else { rules };
        match dice.pick(rules).copied() {
            Some(rule) if dice.chance(82) => self.aimed(dice, rule),
            other => {
                let known = other.filter(|_| dice.chance(60)).and_then(|rule| any_of(dice, &rule.operations));
                let any = OperationId(dice.below(self.model.operations.len()));
                let mut request = self.loose(dice, known.unwrap_or(any));
                request.roles = self.some_roles(dice);
                request
            }
        }
    }

    /// A request the rule speaks of, or one that misses it by a little.
    fn aimed(&self, dice: &mut Dice, rule: &'m Rule) -> Request {
        let operation = any_of(dice, &rule.operations).unwrap_or(OperationId(0));
        let mut request = self.loose(dice, operation);
        request.roles = self.roles_for(dice, &rule.subjects);
        for flag in GUARDED_FLAGS.into_iter().filter(|flag| !rule.asks_for.contains(flag)) {
            if dice.chance(85) {
                request.flags.remove(flag);
            }
        }
        if let Some(condition) = &rule.condition {
            let wanted = dice.chance(90);
            self.aim(dice, condition, wanted, &mut request);
        }
        let is_over = dice.chance(20);
        for limit in &rule.limits {
            let attribute = &limit.attribute;
            if !attribute.known_after_act && self.has(operation, &attribute.name) {
                let value = if is_over && dice.chance(60) {
                    Some(over(dice, limit.most))
                } else {
                    dice.one_of([None, Some(limit.most), Some(limit.most.saturating_sub(1)), Some(0)])
                };
                set_number(&mut request, &attribute.name, value);
            }
        }
        if dice.chance(22) {
            self.change(dice, &mut request);
        }
        request
    }

    /// Facts in which any attribute may have any value that some rule speaks of.
    fn loose(&self, dice: &mut Dice, operation: OperationId) -> Request {
        let mut request = Request {
            roles: BTreeSet::new(),
            operation,
            strings: BTreeMap::new(),
            numbers: BTreeMap::new(),
            flags: BTreeSet::new(),
        };
        for attribute in self.attributes(operation) {
            let name = &*attribute.name;
            let is_asked =
                self.strings.contains_key(name) || self.numbers.contains_key(name) || self.flags.contains(name);
            if dice.chance(if is_asked { 65 } else { 12 }) {
                self.state(dice, attribute, &mut request);
            }
        }
        self.derive(dice, &mut request);
        request
    }

    /// Gives an attribute a value.
    fn state(&self, dice: &mut Dice, attribute: &Attribute, request: &mut Request) {
        let name = attribute.name.to_string();
        if attribute.kind == AttributeKind::Flag {
            if dice.chance(45) {
                request.flags.insert(name);
            }
        } else if attribute.kind.is_number() {
            let known = self.numbers.get(&*name).and_then(|numbers| dice.pick(numbers)).copied();
            request.numbers.insert(name, near(dice, known));
        } else {
            let hint = self.strings.get(&*name).and_then(|hints| dice.pick(hints));
            let value = match hint {
                Some(hint) if dice.chance(85) => self.of_hint(dice, hint),
                _ => strings::odd(dice),
            };
            request.strings.insert(name, value);
        }
    }

    fn of_hint(&self, dice: &mut Dice, hint: &Hint<'m>) -> String {
        match hint {
            Hint::Pattern(pattern) => strings::of_pattern(dice, pattern),
            Hint::Text(text) => (*text).to_owned(),
            Hint::Regex(regex) => self.of_regex(dice, regex),
        }
    }

    fn of_regex(&self, dice: &mut Dice, regex: &str) -> String {
        self.regexes.get(regex).map(|hir| strings::of_regex(dice, hir)).unwrap_or_default()
    }

    /// In a file operation the path mostly says name and extension, as a real request's does.
    fn derive(&self, dice: &mut Dice, request: &mut Request) {
        let is_file = self.model.operations.get(request.operation.0).is_some_and(|operation| operation.tool == "file");
        if !is_file || dice.chance(40) {
            return;
        }
        let Some(name) = request.strings.get("path").map(|path| path.rsplit('/').next().unwrap_or_default().to_owned())
        else {
            return;
        };
        if let Some((_, extension)) = name.rsplit_once('.').filter(|(stem, _)| !stem.is_empty()) {
            request.strings.insert("extension".to_owned(), extension.to_owned());
        }
        request.strings.insert("name".to_owned(), name);
    }

    /// Changes one fact of the request.
    fn change(&self, dice: &mut Dice, request: &mut Request) {
        let attributes: Vec<&Attribute> = self.attributes(request.operation).collect();
        let Some(attribute) = dice.pick(&attributes).copied() else {
            request.roles = self.some_roles(dice);
            return;
        };
        let name = &*attribute.name;
        match dice.weighted([(55, 0), (15, 1), (15, 2), (15, 3)]) {
            // A string that is there is the likeliest to have been aimed.
            0 => {
                let there: Vec<&String> = request.strings.keys().collect();
                if let Some(name) = dice.pick(&there).map(|name| (*name).clone()) {
                    let value = request.strings.get(&name).cloned().unwrap_or_default();
                    request.strings.insert(name, strings::beside(dice, &value));
                }
            }
            1 => {
                request.strings.remove(name);
                request.numbers.remove(name);
                request.flags.remove(name);
            }
            2 => self.state(dice, attribute, request),
            _ => request.roles = self.some_roles(dice),
        }
    }

    fn some_roles(&self, dice: &mut Dice) -> BTreeSet<RoleId> {
        let count = dice.weighted([(20, 0), (45, 1), (20, 2), (15, usize::MAX)]);
        let count = count.min(self.roles.len());
        (0..count).filter_map(|_| dice.pick(&self.roles).copied()).collect()
    }

    /// A role the rule speaks of, as far as there is one that can be held; others beside it at times.
    fn roles_for(&self, dice: &mut Dice, subjects: &Subjects) -> BTreeSet<RoleId> {
        let Subjects::Roles(wanted) = subjects else {
            return self.some_roles(dice);
        };
        let concerned = |id: &&RoleId| {
            self.model.roles.get(id.0).is_some_and(|role| role.implies.iter().any(|implied| wanted.contains(implied)))
        };
        let concerned: Vec<&RoleId> = self.roles.iter().filter(concerned).collect();
        let mut roles: BTreeSet<RoleId> = dice.pick(&concerned).map(|id| **id).into_iter().collect();
        if dice.chance(15) {
            roles.extend(self.some_roles(dice));
        }
        roles
    }

    /// What a request can say of an operation. What only the act shows is no part of a request.
    fn attributes(&self, operation: OperationId) -> impl Iterator<Item = &'m Attribute> {
        let attributes = self.model.operations.get(operation.0).map(|operation| operation.attributes.as_slice());
        attributes.unwrap_or_default().iter().filter(|attribute| !attribute.known_after_act)
    }

    fn has(&self, operation: OperationId, name: &str) -> bool {
        self.attributes(operation).any(|attribute| &*attribute.name == name)
    }
}

fn any_of(dice: &mut Dice, operations: &BTreeSet<OperationId>) -> Option<OperationId> {
    operations.iter().nth(dice.below(operations.len())).copied()
}

fn set_number(request: &mut Request, name: &str, value: Option<u64>) {
    match value {
        Some(value) => request.numbers.insert(name.to_owned(), value),
        None => request.numbers.remove(name),
    };
}

/// A number beside a known one, or at an end of its range.
fn near(dice: &mut Dice, known: Option<u64>) -> u64 {
    let extreme = dice.one_of([0, 1, 2, u64::MAX, u64::MAX - 1, i64::MAX as u64, i64::MAX as u64 + 1]);
    match known {
        Some(known) if dice.chance(88) => {
            dice.one_of([known, known, known.saturating_sub(1), known.saturating_add(1), known / 2])
        }
        _ if dice.chance(70) => extreme,
        _ => dice.number() >> dice.below(64),
    }
}

fn over(dice: &mut Dice, most: u64) -> u64 {
    let next = most.saturating_add(1);
    dice.one_of([next, next, next.saturating_add(1), u64::MAX])
}
