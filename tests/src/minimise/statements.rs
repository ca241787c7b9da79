//! Steps that make the policy smaller: fewer statements, then less in each.

use super::Case;
use super::text::{fewer, shorter, with_each, without_some};
use crate::policy::{Bound, Budget, Item, Operation, Rule, Statement, ToolBody};

/// With fewer statements.
pub(super) fn dropped(case: &Case) -> Vec<Case> {
    without_some(&case.policy.statements).into_iter().map(|statements| case.with_statements(statements)).collect()
}

/// With one statement made smaller, its condition aside.
pub(super) fn shortened(case: &Case) -> Vec<Case> {
    let asked = case.facts.operation.as_str();
    let smaller = |statement: &Statement| smaller(statement, asked);
    with_each(&case.policy.statements, smaller).into_iter().map(|all| case.with_statements(all)).collect()
}

fn smaller(statement: &Statement, asked: &str) -> Vec<Statement> {
    match statement {
        Statement::Use(_) | Statement::WithoutProtection | Statement::Assert(_) => Vec::new(),
        Statement::Role { name, includes } => without_some(includes)
            .into_iter()
            .map(|includes| Statement::Role { name: name.clone(), includes })
            .collect(),
        Statement::Set { kind, name, items } => {
            let lists = without_some(items).into_iter().chain(with_each(items, shorter_item));
            lists.map(|items| Statement::Set { kind: *kind, name: name.clone(), items }).collect()
        }
        Statement::Tool { name, body } => {
            smaller_body(body).into_iter().map(|body| Statement::Tool { name: name.clone(), body }).collect()
        }
        Statement::Rule(rule) => smaller_rule(rule, asked).into_iter().map(Statement::Rule).collect(),
        Statement::Budget(budget) => smaller_budget(budget, asked).into_iter().map(Statement::Budget).collect(),
    }
}

/// A shorter pattern; a set and a number stay.
pub(super) fn shorter_item(item: &Item) -> Vec<Item> {
    match item {
        Item::Text(text) => shorter(text).into_iter().map(Item::Text).collect(),
        Item::Quantity(quantity) => fewer(quantity).into_iter().map(Item::Quantity).collect(),
        Item::Set(_) => Vec::new(),
    }
}

fn smaller_body(body: &ToolBody) -> Vec<ToolBody> {
    match body {
        ToolBody::Whole(parameters) => without_some(parameters).into_iter().map(ToolBody::Whole).collect(),
        ToolBody::Operations(operations) => {
            let smaller = |operation: &Operation| {
                let with = |parameters| Operation { name: operation.name.clone(), parameters };
                without_some(&operation.parameters).into_iter().map(with).collect()
            };
            let lists = without_some(operations).into_iter().chain(with_each(operations, smaller));
            lists.map(ToolBody::Operations).collect()
        }
    }
}

fn smaller_rule(rule: &Rule, asked: &str) -> Vec<Rule> {
    let mut rules = vec![
        Rule { condition: None, ..rule.clone() },
        Rule { because: None, ..rule.clone() },
        Rule { code: None, ..rule.clone() },
    ];
    rules.extend(fewer_operations(&rule.operations, asked).map(|operations| Rule { operations, ..rule.clone() }));
    rules.extend(fewer_subjects(&rule.subjects).map(|subjects| Rule { subjects, ..rule.clone() }));
    rules.extend(without_some(&rule.limits).into_iter().map(|limits| Rule { limits, ..rule.clone() }));
    rules.extend(with_each(&rule.limits, lower).into_iter().map(|limits| Rule { limits, ..rule.clone() }));
    let requirements = without_some(&rule.requirements).into_iter();
    rules.extend(requirements.map(|requirements| Rule { requirements, ..rule.clone() }));
    rules
}

fn smaller_budget(budget: &Budget, asked: &str) -> Vec<Budget> {
    let mut budgets: Vec<Budget> = Vec::new();
    budgets
        .extend(fewer_operations(&budget.operations, asked).map(|operations| Budget { operations, ..budget.clone() }));
    budgets.extend(fewer_subjects(&budget.subjects).map(|subjects| Budget { subjects, ..budget.clone() }));
    budgets.extend(lower(&budget.bound).into_iter().map(|bound| Budget { bound, ..budget.clone() }));
    budgets
}

/// The one asked for, if it can be, or else one less.
fn fewer_operations(operations: &[String], asked: &str) -> impl Iterator<Item = Vec<String>> {
    let some = without_some(operations).into_iter().filter(|operations| !operations.is_empty());
    std::iter::once(vec![asked.to_owned()]).chain(some)
}

/// None is `anyone`, which is the shortest to read.
fn fewer_subjects(subjects: &[String]) -> impl Iterator<Item = Vec<String>> {
    without_some(subjects).into_iter()
}

fn lower(bound: &Bound) -> Vec<Bound> {
    fewer(&bound.most).into_iter().map(|most| Bound { attribute: bound.attribute.clone(), most }).collect()
}
