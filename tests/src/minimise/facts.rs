//! Steps that make the request smaller: fewer facts, then shorter ones.

use std::collections::BTreeSet;

use super::Case;
use super::text::{less, shorter};
use crate::facts::Facts;

/// With one fact less.
pub(super) fn dropped(case: &Case) -> Vec<Case> {
    let facts = &case.facts;
    let mut all: Vec<Facts> = Vec::new();
    for name in &facts.roles {
        all.push(Facts { roles: without(&facts.roles, name), ..facts.clone() });
    }
    for name in &facts.flags {
        all.push(Facts { flags: without(&facts.flags, name), ..facts.clone() });
    }
    for name in facts.strings.keys().chain(facts.numbers.keys()) {
        let mut fewer = facts.clone();
        fewer.strings.remove(name);
        fewer.numbers.remove(name);
        all.push(fewer);
    }
    all.into_iter().map(|facts| Case { policy: case.policy.clone(), facts }).collect()
}

fn without(names: &BTreeSet<String>, name: &String) -> BTreeSet<String> {
    names.iter().filter(|other| *other != name).cloned().collect()
}

/// With a shorter string or a smaller number.
pub(super) fn shortened(case: &Case) -> Vec<Case> {
    let mut all = Vec::new();
    for (name, value) in &case.facts.strings {
        for text in shorter(value) {
            all.push(Case { policy: case.policy.clone(), facts: case.facts.clone().string(name, &text) });
        }
    }
    for (name, value) in &case.facts.numbers {
        for number in less(*value) {
            all.push(Case { policy: case.policy.clone(), facts: case.facts.clone().number(name, number) });
        }
    }
    all
}
