//! Rules, budgets and assertions over what a policy has declared.

use policy_model::Period;
use policy_model::catalogue::{AttributeKind, CALLS, REQUIREMENTS};
use policy_syntax::Effect;

use super::conditions::condition;
use super::scope::{Operation, Scope, limitable, shared};
use crate::dice::Dice;
use crate::policy::{Assert, Bound, Budget, Rule, Statement};

/// The rule at that place of the policy.
pub(super) fn rule(dice: &mut Dice, scope: &Scope, place: usize) -> Rule {
    let effect = dice.weighted([(48, Effect::Allow), (32, Effect::Ask), (20, Effect::Deny)]);
    let named = operations(dice, scope);
    let condition = condition(dice, scope, &shared(&named.meant));
    let permits = effect != Effect::Deny;
    Rule {
        name: format!("r{place}"),
        effect,
        subjects: subjects(dice, scope),
        operations: named.written,
        condition,
        limits: if permits && dice.chance(35) { limits(dice, scope, &named.meant) } else { Vec::new() },
        requirements: if permits && dice.chance(25) { requirements(dice) } else { Vec::new() },
        code: (!permits && dice.chance(50)).then(|| dice.one_of(["SECRET_PATH", "NO", "X_1"]).to_owned()),
        because: dice.chance(8).then(|| dice.one_of(["so it is", "\"no\" \\ é"]).to_owned()),
    }
}

/// Up to three budgets.
pub(super) fn budgets(dice: &mut Dice, scope: &Scope) -> Vec<Statement> {
    (0..dice.weighted([(70, 0), (20, 1), (7, 2), (3, 3)]))
        .map(|place| {
            let named = operations(dice, scope);
            let numbers: Vec<_> = limitable(&named.meant)
                .into_iter()
                .filter(|number| named.meant.iter().all(|operation| operation.attributes.contains(number)))
                .collect();
            let (attribute, kind) = match dice.pick(&numbers) {
                Some(number) if dice.chance(60) => (number.name.clone(), number.kind),
                _ => (CALLS.to_owned(), AttributeKind::Count),
            };
            Statement::Budget(Budget {
                name: format!("b{place}"),
                subjects: subjects(dice, scope),
                operations: named.written,
                bound: Bound { attribute, most: scope.words.quantity(dice, kind) },
                period: dice.one_of(Period::ALL).as_str().to_owned(),
            })
        })
        .collect()
}

/// At times an assertion, which changes no answer.
pub(super) fn asserts(dice: &mut Dice, scope: &Scope) -> Vec<Statement> {
    if !dice.chance(5) {
        return Vec::new();
    }
    let named = operations(dice, scope);
    let condition = condition(dice, scope, &shared(&named.meant));
    let subjects = subjects(dice, scope);
    vec![Statement::Assert(Assert { name: "a0".to_owned(), subjects, operations: named.written, condition })]
}

/// Operations as written and what they stand for.
struct Named {
    written: Vec<String>,
    meant: Vec<Operation>,
}

fn operations(dice: &mut Dice, scope: &Scope) -> Named {
    let first = dice.pick(&scope.focus).or(scope.operations.first());
    let mut meant: Vec<Operation> = first.cloned().into_iter().collect();
    let tool = first.map(|operation| operation.tool.clone()).unwrap_or_default();
    let is_whole = first.is_some_and(|operation| operation.name == operation.tool);
    match dice.weighted([(55, 0), (22, 1), (13, 2), (10, 3)]) {
        1 => meant.extend((0..dice.between(1, 2)).filter_map(|_| dice.pick(&scope.focus).cloned())),
        2 if !is_whole => {
            let meant = scope.operations.iter().filter(|operation| operation.tool == tool).cloned().collect();
            return Named { written: vec![format!("{tool}.*")], meant };
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
    Named { written: seen.iter().map(|operation| operation.name.clone()).collect(), meant: seen }
}

fn subjects(dice: &mut Dice, scope: &Scope) -> Vec<String> {
    if dice.chance(30) {
        return Vec::new();
    }
    let count = dice.weighted([(75, 1), (20, 2), (5, 3)]);
    let mut roles = scope.roles.clone();
    dice.shuffle(&mut roles);
    roles.truncate(count);
    roles
}

fn limits(dice: &mut Dice, scope: &Scope, operations: &[Operation]) -> Vec<Bound> {
    let mut numbers = limitable(operations);
    dice.shuffle(&mut numbers);
    numbers.truncate(dice.between(1, 3));
    numbers
        .iter()
        .map(|number| Bound { attribute: number.name.clone(), most: scope.words.quantity(dice, number.kind) })
        .collect()
}

fn requirements(dice: &mut Dice) -> Vec<String> {
    let mut all: Vec<String> = REQUIREMENTS.iter().map(|(name, _)| (*name).to_owned()).collect();
    dice.shuffle(&mut all);
    all.truncate(dice.between(1, 3));
    all
}
