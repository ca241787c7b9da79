//! (Model, Request) -> the rule that came closest to permitting the request, and what it would have taken.

mod sentence;

use std::collections::BTreeSet;

use policy_syntax::{Effect, Location};

use crate::evaluate::{Request, concerns, holds, unasked};
use crate::model::{Condition, Limit, Model, RoleId, Rule, Subjects};

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
    let mut rules: Vec<&Rule> = model.rules.iter().filter(|rule| can_permit(rule, request)).collect();
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
}

fn can_permit(rule: &Rule, request: &Request) -> bool {
    match rule.effect {
        Effect::Allow | Effect::Ask => rule.operations.contains(&request.operation),
        Effect::Deny => false,
    }
}

/// The value that a condition should have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wanted {
    True,
    False,
}

impl Wanted {
    fn opposite(self) -> Self {
        match self {
            Self::True => Self::False,
            Self::False => Self::True,
        }
    }
}

/// Returns the fewest comparisons that would have to change, in the order written.
fn failing<'a>(condition: &'a Condition, wanted: Wanted, request: &Request) -> Vec<Failure<'a>> {
    let of_part = |part: &'a Condition| failing(part, wanted, request);
    match (condition, wanted) {
        (Condition::Not(part), _) => failing(part, wanted.opposite(), request),
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

#[cfg(test)]
mod tests;
