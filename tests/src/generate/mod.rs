//! A seed -> a policy. Together the policies have every construct of the language that can change an
//! answer; each is small, and its rules speak of few things, so that they meet.

mod conditions;
mod patterns;
mod regexes;
mod rules;
mod scope;
mod vocabulary;

use policy_model::{PACKS, PROTECTED_PATHS};
use policy_syntax::SetKind;

use crate::dice::Dice;
use crate::policy::{Item, Policy, Statement};
use scope::Scope;
use vocabulary::Vocabulary;

/// A policy the checker accepts, but for one in some hundreds.
#[must_use]
pub fn policy(dice: &mut Dice) -> Policy {
    let words = Vocabulary::new(dice);
    let tools = scope::tools(dice);
    let mut scope = Scope::new(dice, words, &tools);
    let packs = packs(dice);
    let mut statements = Vec::new();
    // To use the pack and to do without it is a contradiction.
    if dice.chance(92) && !packs.contains(&Statement::Use(PROTECTED_PATHS.to_owned())) {
        statements.push(Statement::WithoutProtection);
    }
    let roles = roles(dice, &packs);
    scope.roles = roles.iter().filter_map(role_name).collect();
    let mut names = roles;
    names.extend(tools);
    names.extend(sets(dice, &mut scope));
    let mut rules = rules(dice, &scope);
    rules.extend(rules::budgets(dice, &scope));
    rules.extend(rules::asserts(dice, &scope));
    // The rules of a pack stand where it is used.
    for pack in packs {
        rules.insert(dice.below(rules.len().saturating_add(1)), pack);
    }
    statements.extend(names);
    statements.extend(rules);
    // Names may be used above their declaration.
    if dice.chance(10) {
        dice.shuffle(&mut statements);
    }
    Policy { statements }
}

fn rules(dice: &mut Dice, scope: &Scope) -> Vec<Statement> {
    let count = match dice.weighted([(72, 0), (20, 1), (8, 2)]) {
        0 => dice.between(1, 4),
        1 => dice.between(5, 10),
        _ => dice.between(11, 40),
    };
    (0..count).map(|place| Statement::Rule(rules::rule(dice, scope, place))).collect()
}

fn packs(dice: &mut Dice) -> Vec<Statement> {
    let pack = if dice.chance(4) { dice.pick(PACKS) } else { None };
    pack.map(|pack| Statement::Use(pack.name.to_owned())).into_iter().collect()
}

/// One to four roles, some of which include earlier ones and the role of a pack.
fn roles(dice: &mut Dice, packs: &[Statement]) -> Vec<Statement> {
    let names = ["reader", "coder", "lead", "guest"];
    let count = dice.weighted([(20, 1), (40, 2), (25, 3), (15, 4)]);
    let mut roles = Vec::new();
    for (place, name) in names.iter().take(count).enumerate() {
        let mut includes = Vec::new();
        for other in names.iter().take(place) {
            if dice.chance(45) {
                includes.push((*other).to_owned());
            }
        }
        if place == 0 {
            includes.extend(packs.iter().filter_map(role_of_pack));
        }
        roles.push(Statement::Role { name: (*name).to_owned(), includes });
    }
    roles
}

fn role_name(statement: &Statement) -> Option<String> {
    match statement {
        Statement::Role { name, .. } => Some(name.clone()),
        _ => None,
    }
}

/// The role a pack has for others to include, as its text says.
fn role_of_pack(statement: &Statement) -> Option<String> {
    let Statement::Use(used) = statement else {
        return None;
    };
    let pack = PACKS.iter().find(|pack| pack.name == used)?;
    pack.text.lines().find_map(|line| line.strip_prefix("role ")).map(str::to_owned)
}

/// Up to five sets of the kinds the policy can use; some hold others, one in many holds nothing.
fn sets(dice: &mut Dice, scope: &mut Scope) -> Vec<Statement> {
    let strings = scope.focus.iter().flat_map(|operation| &operation.attributes);
    let kinds: Vec<SetKind> = strings.filter_map(|attribute| attribute.kind.set_kind()).collect();
    let mut sets = Vec::new();
    for place in 0..dice.weighted([(35, 0), (25, 1), (20, 2), (12, 3), (8, 5)]) {
        let Some(kind) = dice.pick(&kinds).copied() else {
            break;
        };
        let count = dice.weighted([(4, 0), (26, 1), (35, 2), (20, 3), (10, 5), (5, 12)]);
        let mut items: Vec<Item> =
            (0..count).map(|_| Item::Text(patterns::pattern(dice, &scope.words, kind))).collect();
        let alike: Vec<&String> = scope.sets.iter().filter(|(other, _)| *other == kind).map(|(_, name)| name).collect();
        if dice.chance(40) {
            items.extend(dice.pick(&alike).map(|name| Item::Set((*name).clone())));
        }
        let name = format!("set-{place}");
        scope.sets.push((kind, name.clone()));
        sets.push(Statement::Set { kind, name, items });
    }
    sets
}
