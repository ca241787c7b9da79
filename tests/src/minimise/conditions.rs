//! Steps that make the condition of a rule simpler: a part instead of the whole, then shorter strings.

use super::Case;
use super::statements::shorter_item;
use super::text::{fewer, shorter, shorter_regex, with_each, without_some};
use crate::policy::{Condition, Item, Rule, Statement};

/// With a part of a rule's condition instead of the whole.
pub(super) fn simplified(case: &Case) -> Vec<Case> {
    let sets = &case.policy.statements;
    with_conditions(case, &|leaf| match leaf {
        Condition::In(name, items) => {
            let some = without_some(items).into_iter().filter(|items| !items.is_empty());
            some.chain(unfolded(items, sets)).map(|items| Condition::In(name.clone(), items)).collect()
        }
        _ => Vec::new(),
    })
}

/// With a shorter string or a smaller number in a rule's condition. There are many of these, so they
/// come when the condition has as few parts as can be.
pub(super) fn shortened(case: &Case) -> Vec<Case> {
    with_conditions(case, &|leaf| match leaf {
        Condition::In(name, items) => {
            with_each(items, shorter_item).into_iter().map(|items| Condition::In(name.clone(), items)).collect()
        }
        Condition::Text(name, operator, text) => {
            shorter(text).into_iter().map(|text| Condition::Text(name.clone(), *operator, text)).collect()
        }
        Condition::Number(name, operator, most) => {
            fewer(most).into_iter().map(|most| Condition::Number(name.clone(), *operator, most)).collect()
        }
        Condition::Matches(name, regex) => {
            shorter_regex(regex).into_iter().map(|regex| Condition::Matches(name.clone(), regex)).collect()
        }
        Condition::All(_) | Condition::Any(_) | Condition::Not(_) | Condition::Flag(_) => Vec::new(),
    })
}

type Leaves<'a> = &'a dyn Fn(&Condition) -> Vec<Condition>;

fn with_conditions(case: &Case, leaves: Leaves<'_>) -> Vec<Case> {
    let smaller = |statement: &Statement| match statement {
        Statement::Rule(rule) => {
            let with = |condition| Statement::Rule(Rule { condition: Some(condition), ..rule.clone() });
            rule.condition.iter().flat_map(|condition| simpler(condition, leaves)).map(with).collect()
        }
        _ => Vec::new(),
    };
    with_each(&case.policy.statements, smaller).into_iter().map(|all| case.with_statements(all)).collect()
}

fn simpler(condition: &Condition, leaves: Leaves<'_>) -> Vec<Condition> {
    match condition {
        Condition::All(parts) => composite(parts, leaves, Condition::All),
        Condition::Any(parts) => composite(parts, leaves, Condition::Any),
        Condition::Not(part) => {
            let below = simpler(part, leaves).into_iter().map(|part| Condition::Not(Box::new(part)));
            std::iter::once((**part).clone()).chain(below).collect()
        }
        leaf => leaves(leaf),
    }
}

fn composite(parts: &[Condition], leaves: Leaves<'_>, whole: fn(Vec<Condition>) -> Condition) -> Vec<Condition> {
    let mut all: Vec<Condition> = parts.to_vec();
    all.extend(without_some(parts).into_iter().filter(|parts| parts.len() > 1).map(whole));
    all.extend(with_each(parts, |part| simpler(part, leaves)).into_iter().map(whole));
    all
}

/// With what a set holds in place of its name, so that the set can go.
fn unfolded(items: &[Item], sets: &[Statement]) -> Vec<Vec<Item>> {
    let mut lists = Vec::new();
    for (place, item) in items.iter().enumerate() {
        let Item::Set(wanted) = item else {
            continue;
        };
        let held = sets.iter().find_map(|statement| match statement {
            Statement::Set { name, items, .. } if name == wanted => Some(items),
            _ => None,
        });
        if let Some(held) = held.filter(|held| !held.is_empty()) {
            let (before, after) = (items.iter().take(place), items.iter().skip(place.saturating_add(1)));
            lists.push(before.chain(held).chain(after).cloned().collect());
        }
    }
    lists
}
