//! Steps that change the policy and the request alike: a character that both have becomes a plainer
//! one in both, or goes from both.

use std::collections::BTreeSet;

use super::Case;
use super::text::PLAIN;
use crate::policy::{Condition, Item, Policy, Statement};

/// With one character less, or a plainer one, in both.
pub(super) fn changed(case: &Case) -> Vec<Case> {
    let chars: BTreeSet<char> = case.facts.strings.values().flat_map(|value| value.chars()).collect();
    let mut all = Vec::new();
    for c in chars {
        all.push(with_strings(case, &|text| text.replace(c, "")));
        all.push(with_strings(case, &|text| text.replacen(c, "", 1)));
        if !PLAIN.contains(c) {
            all.push(with_strings(case, &|text| text.replace(c, "a")));
        }
    }
    all
}

fn with_strings(case: &Case, change: &dyn Fn(&str) -> String) -> Case {
    let mut changed = case.clone();
    changed.facts.strings.values_mut().for_each(|value| *value = change(value));
    each_string(&mut changed.policy, |text| *text = change(text));
    changed
}

/// Regexes stay: a letter in one may be no letter of the value.
fn each_string(policy: &mut Policy, change: impl Fn(&mut String)) {
    for statement in &mut policy.statements {
        match statement {
            Statement::Set { items, .. } => items.iter_mut().for_each(|item| in_item(item, &change)),
            Statement::Rule(rule) => rule.condition.iter_mut().for_each(|condition| in_condition(condition, &change)),
            Statement::Use(_)
            | Statement::WithoutProtection
            | Statement::Role { .. }
            | Statement::Tool { .. }
            | Statement::Budget(_)
            | Statement::Assert(_) => {}
        }
    }
}

fn in_condition(condition: &mut Condition, change: &impl Fn(&mut String)) {
    match condition {
        Condition::All(parts) | Condition::Any(parts) => parts.iter_mut().for_each(|part| in_condition(part, change)),
        Condition::Not(part) => in_condition(part, change),
        Condition::In(_, items) => items.iter_mut().for_each(|item| in_item(item, change)),
        Condition::Text(_, _, text) => change(text),
        Condition::Flag(_) | Condition::Number(..) | Condition::Matches(..) => {}
    }
}

fn in_item(item: &mut Item, change: &impl Fn(&mut String)) {
    if let Item::Text(text) = item {
        change(text);
    }
}
