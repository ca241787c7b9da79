//! (Model, Request) -> the rule closest to permitting the request, and sentences about what it would have taken.

use std::collections::BTreeSet;

use policy_syntax::{Effect, Location, Operator, quote};

use crate::catalogue::COMPLEX;
use crate::evaluate::{Request, concerns, holds, unasked};
use crate::model::{Attribute, Condition, Limit, LocatedPattern, Model, PatternSet, RoleId, Rule, Subjects};
use crate::units::written;

/// A rule and everything that keeps it from permitting a request.
#[derive(Debug, Clone)]
pub struct Miss<'a> {
    pub rule: &'a Rule,
    /// Roles, then comparisons in the order written, then limits; empty if the rule permits the request.
    pub failures: Vec<Failure<'a>>,
}

/// One thing that keeps a rule from permitting a request.
#[derive(Debug, Clone, Copy)]
pub enum Failure<'a> {
    /// The request holds none of these roles, nor one that includes one.
    Roles(&'a BTreeSet<RoleId>),
    /// The request has a guarded flag that the rule does not ask for.
    Unasked(&'static str),
    /// The comparison should hold and does not.
    Unmet(&'a Condition),
    /// The comparison should not hold and does.
    Met(&'a Condition),
    Exceeded(&'a Limit),
}

/// Returns the rule to allow or ask with the fewest failures, the first in source order; `None` if no such rule is
/// about the operation.
#[must_use]
pub fn nearest_miss<'a>(model: &'a Model, request: &Request) -> Option<Miss<'a>> {
    let can_permit = |rule: &&Rule| rule.effect != Effect::Deny && rule.operations.contains(&request.operation);
    let mut rules: Vec<&Rule> = model.rules.iter().filter(can_permit).collect();
    rules.sort_by_key(|rule| rule.place);
    rules.into_iter().map(|rule| miss(model, rule, request)).min_by_key(|miss| miss.failures.len())
}

/// Lists what keeps a rule from matching or permitting the request.
#[must_use]
pub fn miss<'a>(model: &Model, rule: &'a Rule, request: &Request) -> Miss<'a> {
    let mut failures = Vec::new();
    match &rule.subjects {
        Subjects::Roles(roles) if !concerns(model, &rule.subjects, request) => failures.push(Failure::Roles(roles)),
        Subjects::Roles(_) | Subjects::Anyone => {}
    }
    failures.extend(unasked(model, rule, request).map(Failure::Unasked));
    failures.extend(rule.condition.iter().flat_map(|condition| failing(condition, Wanted::True, request)));
    let number = |limit: &Limit| request.numbers.get(&*limit.attribute.name);
    let exceeded = rule.limits.iter().filter(|limit| number(limit).is_some_and(|number| *number > limit.most));
    failures.extend(exceeded.map(Failure::Exceeded));
    Miss { rule, failures }
}

impl Failure<'_> {
    /// Returns the place of what failed. Roles have none of their own; the rule's name stands for them.
    #[must_use]
    pub fn at(&self, rule: &Rule) -> Location {
        match self {
            Self::Roles(_) | Self::Unasked(_) => rule.name_at,
            Self::Unmet(condition) | Self::Met(condition) => condition.at(),
            Self::Exceeded(limit) => limit.at,
        }
    }

    /// Describes the failure and what was needed, on one line without a full stop.
    #[must_use]
    pub fn sentence(&self, model: &Model, request: &Request) -> String {
        match self {
            Self::Roles(roles) => {
                let names = roles.iter().filter_map(|role| model.roles.get(role.0)).map(|role| quote(&role.name));
                match names.collect::<Vec<_>>().as_slice() {
                    [only] => format!("needs the role {only} or one that includes it"),
                    several => format!("needs one of the roles {}, or a role that includes one", listed(several)),
                }
            }
            Self::Unasked(COMPLEX) => {
                "the line was not understood in full, and the rule does not ask for `complex`".to_owned()
            }
            Self::Unasked(flag) => {
                format!("the request has the flag {}, which the rule does not ask for", quote(flag))
            }
            Self::Unmet(condition) => unmet(condition, request),
            Self::Met(condition) => met(condition, request),
            Self::Exceeded(Limit { attribute, most, .. }) => {
                format!("{}, the limit is {}", number(attribute, request), written(*most, attribute.kind))
            }
        }
    }
}

/// The value that a condition should have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wanted {
    True,
    False,
}

/// Returns the fewest comparisons that would have to change, in the order written.
fn failing<'a>(condition: &'a Condition, wanted: Wanted, request: &Request) -> Vec<Failure<'a>> {
    let of_part = |part: &'a Condition| failing(part, wanted, request);
    match (condition, wanted) {
        (Condition::Not(part), Wanted::True) => failing(part, Wanted::False, request),
        (Condition::Not(part), Wanted::False) => failing(part, Wanted::True, request),
        (list, _) if list.is_number_list() => comparison(list, wanted, request),
        (Condition::All(parts), Wanted::True) | (Condition::Any(parts), Wanted::False) => {
            parts.iter().flat_map(of_part).collect()
        }
        (Condition::Any(parts), Wanted::True) | (Condition::All(parts), Wanted::False) => {
            parts.iter().map(of_part).min_by_key(Vec::len).unwrap_or_default()
        }
        (
            Condition::Flag { .. }
            | Condition::In { .. }
            | Condition::Equals { .. }
            | Condition::Matches { .. }
            | Condition::Number { .. },
            _,
        ) => comparison(condition, wanted, request),
    }
}

fn comparison<'a>(condition: &'a Condition, wanted: Wanted, request: &Request) -> Vec<Failure<'a>> {
    match (holds(condition, request), wanted) {
        (true, Wanted::True) | (false, Wanted::False) => Vec::new(),
        (false, Wanted::True) => vec![Failure::Unmet(condition)],
        (true, Wanted::False) => vec![Failure::Met(condition)],
    }
}

/// Explains why a comparison does not hold.
fn unmet(condition: &Condition, request: &Request) -> String {
    match condition {
        Condition::Flag { attribute, .. } => format!("{} is not set", quote(&attribute.name)),
        Condition::In { attribute, sets, .. } => {
            let patterns: Vec<String> = patterns(sets).map(shown).collect();
            match request.strings.get(&*attribute.name) {
                Some(value) => format!("{} is {}, which is not in {}", attribute.name, quote(value), listed(&patterns)),
                None => format!("{} is missing; it must be in {}", attribute.name, listed(&patterns)),
            }
        }
        Condition::Equals { attribute, text, .. } => match request.strings.get(&*attribute.name) {
            Some(value) => format!("{} is {}, not {}", attribute.name, quote(value), quote(text)),
            None => format!("{} is missing; it must be {}", attribute.name, quote(text)),
        },
        Condition::Matches { attribute, regex, .. } => {
            let regex = quote(regex.pattern());
            match request.strings.get(&*attribute.name) {
                Some(value) => format!("{} is {}, which does not match {regex}", attribute.name, quote(value)),
                None => format!("{} is missing; it must match {regex}", attribute.name),
            }
        }
        Condition::Number { attribute, operator, value, .. } => {
            let wanted = written(*value, attribute.kind);
            format!("{}; it must be {} {wanted}", number(attribute, request), in_words(*operator))
        }
        Condition::Any(parts) => numbers(parts, request, "which is not in"),
        Condition::All(_) | Condition::Not(_) => "the condition does not hold".to_owned(),
    }
}

/// Explains why a comparison holds.
fn met(condition: &Condition, request: &Request) -> String {
    let value = |attribute: &Attribute| {
        let value = request.strings.get(&*attribute.name).map(String::as_str).unwrap_or_default();
        format!("{} is {}", attribute.name, quote(value))
    };
    match condition {
        Condition::Flag { attribute, .. } => format!("{} is set", quote(&attribute.name)),
        Condition::In { attribute, sets, .. } => {
            let text = request.strings.get(&*attribute.name).map(String::as_str).unwrap_or_default();
            let matching = patterns(sets).filter(|located| located.pattern.matches(text)).map(shown);
            format!("{}, which is in {}", value(attribute), listed(&matching.collect::<Vec<_>>()))
        }
        Condition::Equals { attribute, .. } => value(attribute),
        Condition::Matches { attribute, regex, .. } => {
            format!("{}, which matches {}", value(attribute), quote(regex.pattern()))
        }
        Condition::Number { attribute, operator, value, .. } => {
            let unwanted = written(*value, attribute.kind);
            format!("{}; it must not be {} {unwanted}", number(attribute, request), in_words(*operator))
        }
        Condition::Any(parts) => numbers(parts, request, "which is in"),
        Condition::All(_) | Condition::Not(_) => "the condition holds".to_owned(),
    }
}

/// Explains a list of numbers.
fn numbers(parts: &[Condition], request: &Request, verb: &str) -> String {
    let mut values = Vec::new();
    let mut compared = None;
    for part in parts {
        if let Condition::Number { attribute, value, .. } = part {
            compared = Some(attribute);
            values.push(written(*value, attribute.kind));
        }
    }
    let values = listed(&values);
    match compared.filter(|attribute| request.numbers.contains_key(&*attribute.name)) {
        Some(attribute) => format!("{}, {verb} {values}", number(attribute, request)),
        None => {
            format!("{} is missing; it must be one of {values}", compared.map_or("", |attribute| &attribute.name))
        }
    }
}

fn number(attribute: &Attribute, request: &Request) -> String {
    match request.numbers.get(&*attribute.name) {
        Some(value) => format!("{} is {}", attribute.name, written(*value, attribute.kind)),
        None => format!("{} is missing, which counts as more than any number", attribute.name),
    }
}

fn in_words(operator: Operator) -> &'static str {
    match operator {
        Operator::Equal => "exactly",
        Operator::NotEqual => "other than",
        Operator::AtMost => "at most",
        Operator::AtLeast => "at least",
        Operator::Below => "below",
        Operator::Above => "above",
    }
}

fn patterns(sets: &[std::sync::Arc<PatternSet>]) -> impl Iterator<Item = &LocatedPattern> {
    sets.iter().flat_map(|set| set.patterns())
}

fn shown(located: &LocatedPattern) -> String {
    quote(&located.pattern.to_string())
}

/// Lists the first few items and counts the rest.
fn listed(items: &[String]) -> String {
    let mut text = items.iter().take(LISTED_MAX).map(String::as_str).collect::<Vec<_>>().join(", ");
    if let Some(more) = items.len().checked_sub(LISTED_MAX).filter(|more| *more > 0) {
        text.push_str(&format!(" and {more} more"));
    }
    text
}

/// More would hide the sentence.
const LISTED_MAX: usize = 5;

#[cfg(test)]
mod tests;
