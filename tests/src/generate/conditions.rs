//! Conditions over the attributes that a rule's operations share.

use policy_model::catalogue::{AttributeKind, set_kind};
use policy_syntax::{Operator, SetKind};

use super::patterns::{literal, pattern};
use super::regexes::regex;
use super::scope::{Attribute, Scope};
use super::vocabulary::{quoted, quoted_regex};
use crate::dice::Dice;

/// A condition; none when there is nothing to ask, and at times when there is.
pub(super) fn condition(dice: &mut Dice, scope: &Scope, attributes: &[Attribute]) -> Option<String> {
    if dice.chance(12) {
        return None;
    }
    let depth = dice.weighted([(40, 0), (35, 1), (20, 2), (5, 4)]);
    tree(dice, scope, attributes, depth).map(|tree| tree.text)
}

/// A condition as text, and the word between its parts.
struct Tree {
    text: String,
    joined_by: &'static str,
}

impl Tree {
    fn leaf(text: String) -> Self {
        Self { text, joined_by: "" }
    }

    /// `and` binds tighter than `or`, so an `and` inside an `or` is the one that needs no parentheses.
    fn inside(&self, word: &str) -> String {
        let is_bare = self.joined_by.is_empty() || (self.joined_by == " and " && word == " or ");
        if is_bare { self.text.clone() } else { format!("({})", self.text) }
    }
}

fn tree(dice: &mut Dice, scope: &Scope, attributes: &[Attribute], depth: u32) -> Option<Tree> {
    let Some(below) = depth.checked_sub(1) else {
        return leaf(dice, scope, attributes);
    };
    // Deep or wide, but not both: hundreds of comparisons in one rule say nothing that a few do not.
    let parts = |dice: &mut Dice, word: &'static str| {
        let count = if depth > 1 { 2 } else { dice.weighted([(70, 2), (22, 3), (8, 5)]) };
        let parts: Option<Vec<String>> =
            (0..count).map(|_| tree(dice, scope, attributes, below).map(|part| part.inside(word))).collect();
        Some(Tree { text: parts?.join(word), joined_by: word })
    };
    match dice.weighted([(15, 3), (40, 0), (25, 1), (20, 2)]) {
        0 => parts(dice, " and "),
        1 => parts(dice, " or "),
        2 => tree(dice, scope, attributes, below).map(|part| Tree::leaf(format!("not {}", part.inside(" not ")))),
        _ => leaf(dice, scope, attributes),
    }
}

fn leaf(dice: &mut Dice, scope: &Scope, attributes: &[Attribute]) -> Option<Tree> {
    // Mostly what the operation is about, its first attribute: rules that ask about different things seldom meet.
    let attribute = if dice.chance(35) { attributes.first() } else { dice.pick(attributes) }?;
    let Attribute { name, kind, .. } = attribute;
    Some(Tree::leaf(if let Some(kind) = set_kind(*kind) {
        string(dice, scope, name, kind)
    } else if *kind == AttributeKind::Flag {
        name.clone()
    } else if dice.chance(25) {
        let numbers: Vec<String> = (0..dice.between(1, 3)).map(|_| scope.words.quantity(dice, *kind)).collect();
        format!("{name} in {}", numbers.join(", "))
    } else {
        format!("{name} {} {}", dice.one_of(Operator::ALL).as_str(), scope.words.quantity(dice, *kind))
    }))
}

fn string(dice: &mut Dice, scope: &Scope, name: &str, kind: SetKind) -> String {
    match dice.weighted([(60, 0), (12, 1), (8, 2), (20, 3)]) {
        0 => format!("{name} in {}", list(dice, scope, kind)),
        1 => format!("{name} == {}", quoted(&literal(dice, &scope.words, kind))),
        2 => format!("{name} != {}", quoted(&literal(dice, &scope.words, kind))),
        _ => format!("{name} matches {}", quoted_regex(&regex(dice, &scope.words, kind))),
    }
}

fn list(dice: &mut Dice, scope: &Scope, kind: SetKind) -> String {
    let sets: Vec<&String> = scope.sets.iter().filter(|(other, _)| *other == kind).map(|(_, name)| name).collect();
    let count = dice.weighted([(45, 1), (30, 2), (18, 3), (7, 6)]);
    let item = |_| match dice.pick(&sets) {
        Some(name) if dice.chance(50) => (*name).clone(),
        _ => quoted(&pattern(dice, &scope.words, kind)),
    };
    (0..count).map(item).collect::<Vec<_>>().join(", ")
}
