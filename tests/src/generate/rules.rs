//! Rules, budgets and assertions over what a policy has declared.

use policy_model::Period;
use policy_model::catalogue::{AttributeKind, CALLS, REQUIREMENTS};
use policy_syntax::Effect;

use super::conditions::condition;
use super::scope::{Operation, Scope, limitable, shared};
use super::vocabulary::quoted;
use crate::dice::Dice;

/// The rule at that place of the policy.
pub(super) fn rule(dice: &mut Dice, scope: &Scope, place: usize) -> String {
    let effect = dice.weighted([(48, Effect::Allow), (32, Effect::Ask), (20, Effect::Deny)]);
    let (written, meant) = operations(dice, scope);
    let mut clauses = vec![format!("rule r{place}: {} {} to {written}", effect.as_str(), subjects(dice, scope))];
    clauses.extend(condition(dice, scope, &shared(&meant)).map(|condition| format!("where {condition}")));
    let limits = if effect != Effect::Deny && dice.chance(35) { limits(dice, scope, &meant) } else { Vec::new() };
    if !limits.is_empty() {
        clauses.push(format!("limit {}", limits.join(", ")));
    }
    if effect != Effect::Deny && dice.chance(25) {
        let mut all: Vec<&str> = REQUIREMENTS.iter().map(|(name, _)| *name).collect();
        dice.shuffle(&mut all);
        all.truncate(dice.between(1, 3));
        clauses.push(format!("require {}", all.join(", ")));
    }
    if effect == Effect::Deny && dice.chance(50) {
        clauses.push(format!("code {}", dice.one_of(["SECRET_PATH", "NO", "X_1"])));
    }
    if dice.chance(8) {
        clauses.push(format!("because {}", quoted(dice.one_of(["so it is", "\"no\" \\ é"]))));
    }
    clauses.join("\n  ")
}

/// Up to three budgets.
pub(super) fn budgets(dice: &mut Dice, scope: &Scope) -> Vec<String> {
    let count = dice.weighted([(70, 0), (20, 1), (7, 2), (3, 3)]);
    let budget = |place| {
        let (written, meant) = operations(dice, scope);
        let numbers: Vec<_> = limitable(&meant)
            .into_iter()
            .filter(|number| meant.iter().all(|operation| operation.attributes.contains(number)))
            .collect();
        let (attribute, kind) = match dice.pick(&numbers) {
            Some(number) if dice.chance(60) => (number.name.clone(), number.kind),
            _ => (CALLS.to_owned(), AttributeKind::Count),
        };
        let (who, most) = (subjects(dice, scope), scope.words.quantity(dice, kind));
        let period = dice.one_of(Period::ALL).as_str();
        format!("budget b{place}: {who} {written} {attribute} <= {most} per {period}")
    };
    (0..count).map(budget).collect()
}

/// At times an assertion, which changes no answer.
pub(super) fn assertion(dice: &mut Dice, scope: &Scope) -> Option<String> {
    if !dice.chance(5) {
        return None;
    }
    let (written, meant) = operations(dice, scope);
    let condition = condition(dice, scope, &shared(&meant)).map(|condition| format!(" where {condition}"));
    Some(format!("assert a0: never {} to {written}{}", subjects(dice, scope), condition.unwrap_or_default()))
}

/// Operations as written, and those that they stand for.
fn operations(dice: &mut Dice, scope: &Scope) -> (String, Vec<Operation>) {
    let first = dice.pick(&scope.focus).or(scope.operations.first());
    let mut meant: Vec<Operation> = first.cloned().into_iter().collect();
    let tool = first.map(|operation| operation.tool.clone()).unwrap_or_default();
    let is_whole = first.is_some_and(|operation| operation.name == operation.tool);
    match dice.weighted([(55, 0), (22, 1), (13, 2), (10, 3)]) {
        1 => meant.extend((0..dice.between(1, 2)).filter_map(|_| dice.pick(&scope.focus).cloned())),
        2 if !is_whole => {
            let meant = scope.operations.iter().filter(|operation| operation.tool == tool).cloned().collect();
            return (format!("{tool}.*"), meant);
        }
        3 => meant.extend(dice.pick(&scope.operations).cloned()),
        _ => {}
    }
    let mut seen: Vec<Operation> = Vec::new();
    for operation in meant {
        if !seen.contains(&operation) {
            seen.push(operation);
        }
    }
    (seen.iter().map(|operation| operation.name.as_str()).collect::<Vec<_>>().join(", "), seen)
}

fn subjects(dice: &mut Dice, scope: &Scope) -> String {
    if dice.chance(30) {
        return "anyone".to_owned();
    }
    let count = dice.weighted([(75, 1), (20, 2), (5, 3)]);
    let mut roles = scope.roles.clone();
    dice.shuffle(&mut roles);
    roles.truncate(count);
    roles.join(", ")
}

fn limits(dice: &mut Dice, scope: &Scope, operations: &[Operation]) -> Vec<String> {
    let mut numbers = limitable(operations);
    dice.shuffle(&mut numbers);
    numbers.truncate(dice.between(1, 3));
    numbers.iter().map(|number| format!("{} <= {}", number.name, scope.words.quantity(dice, number.kind))).collect()
}
