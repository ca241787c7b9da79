//! Conditions over the attributes that a rule's operations share.

use policy_model::catalogue::AttributeKind;
use policy_syntax::{Operator, SetKind};

use super::patterns::{literal, pattern};
use super::regexes::regex;
use super::scope::{Attribute, Scope};
use crate::dice::Dice;
use crate::policy::{Condition, Item};

/// A condition; none when there is nothing to ask, and at times when there is.
pub(super) fn condition(dice: &mut Dice, scope: &Scope, attributes: &[Attribute]) -> Option<Condition> {
    if dice.chance(12) {
        return None;
    }
    let depth = dice.weighted([(40, 0), (35, 1), (20, 2), (5, 4)]);
    tree(dice, scope, attributes, depth)
}

fn tree(dice: &mut Dice, scope: &Scope, attributes: &[Attribute], depth: u32) -> Option<Condition> {
    let Some(below) = depth.checked_sub(1) else {
        return leaf(dice, scope, attributes);
    };
    // Deep or wide, but not both: hundreds of comparisons in one rule say nothing that a few do not.
    let parts = |dice: &mut Dice| -> Option<Vec<Condition>> {
        let count = if depth > 1 { 2 } else { dice.weighted([(70, 2), (22, 3), (8, 5)]) };
        (0..count).map(|_| tree(dice, scope, attributes, below)).collect()
    };
    match dice.weighted([(40, 0), (25, 1), (20, 2), (15, 3)]) {
        0 => parts(dice).map(Condition::All),
        1 => parts(dice).map(Condition::Any),
        2 => tree(dice, scope, attributes, below).map(|part| Condition::Not(Box::new(part))),
        _ => leaf(dice, scope, attributes),
    }
}

fn leaf(dice: &mut Dice, scope: &Scope, attributes: &[Attribute]) -> Option<Condition> {
    let attribute = choose(dice, attributes)?;
    let name = attribute.name.clone();
    if let Some(kind) = attribute.kind.set_kind() {
        return Some(string(dice, scope, name, kind));
    }
    if attribute.kind == AttributeKind::Flag {
        return Some(Condition::Flag(name));
    }
    if dice.chance(25) {
        let count = dice.between(1, 3);
        let items = (0..count).map(|_| Item::Quantity(scope.words.quantity(dice, attribute.kind))).collect();
        return Some(Condition::In(name, items));
    }
    Some(Condition::Number(name, dice.one_of(Operator::ALL), scope.words.quantity(dice, attribute.kind)))
}

/// Mostly what the operation is about, its first attribute: rules that ask about different things
/// seldom meet.
fn choose<'a>(dice: &mut Dice, attributes: &'a [Attribute]) -> Option<&'a Attribute> {
    if dice.chance(35) { attributes.first() } else { dice.pick(attributes) }
}

fn string(dice: &mut Dice, scope: &Scope, name: String, kind: SetKind) -> Condition {
    match dice.weighted([(60, 0), (12, 1), (8, 2), (20, 3)]) {
        0 => Condition::In(name, list(dice, scope, kind)),
        1 => Condition::Text(name, Operator::Equal, literal(dice, &scope.words, kind)),
        2 => Condition::Text(name, Operator::NotEqual, literal(dice, &scope.words, kind)),
        _ => Condition::Matches(name, regex(dice, &scope.words, kind)),
    }
}

fn list(dice: &mut Dice, scope: &Scope, kind: SetKind) -> Vec<Item> {
    let sets: Vec<&String> = scope.sets.iter().filter(|(other, _)| *other == kind).map(|(_, name)| name).collect();
    let count = dice.weighted([(45, 1), (30, 2), (18, 3), (7, 6)]);
    (0..count)
        .map(|_| match dice.pick(&sets) {
            Some(name) if dice.chance(50) => Item::Set((*name).clone()),
            _ => Item::Text(pattern(dice, &scope.words, kind)),
        })
        .collect()
}
