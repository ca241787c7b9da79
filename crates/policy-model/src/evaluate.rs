//! (Model, Request) -> Decision, rule by rule in the plainest code there is.
//!
//! This is the oracle: faster judges are compared with it, so it may be slow and must be obvious.

use std::collections::{BTreeMap, BTreeSet};

use policy_syntax::{Effect, Operator};

use crate::catalogue::{COMPLEX, DEFAULT_DENY, SHELL_EXEC};
use crate::model::{Budget, Condition, Limit, Model, OperationId, RoleId, Rule, Subjects};

/// One operation on one target, and what is known of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// The roles held.
    pub roles: BTreeSet<RoleId>,
    /// What is asked for.
    pub operation: OperationId,
    /// The strings that are there.
    pub strings: BTreeMap<String, String>,
    /// The numbers that are not left open.
    pub numbers: BTreeMap<String, u64>,
    /// The flags that are said.
    pub flags: BTreeSet<String>,
}

/// What the policy says of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    /// The verdict.
    pub verdict: Effect,
    /// The rule that decided, or `default-deny`.
    pub rule: String,
    /// The rationale code.
    pub code: String,
    /// The limit that was exceeded, when the code is LIMIT_EXCEEDED.
    pub exceeded: Option<Limit>,
    /// What the executor owes before, during and after the act.
    pub obligations: Obligations,
}

/// What a permitted act is bound to.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Obligations {
    /// Checks to make before the act.
    pub requirements: Vec<String>,
    /// Limits on numbers that the request leaves open or that only the act shows.
    pub limits: Vec<Limit>,
    /// Budgets the act is charged to.
    pub budgets: Vec<String>,
}

/// Judges a request.
///
/// The strongest effect decides, and among its rules the first in source order, wherever the
/// model keeps it. A rule to allow or ask whose condition holds but whose limit is exceeded does not match. When no other rule of its
/// effect does, it denies: what is too much to be asked for is not allowed by a weaker rule either.
#[must_use]
pub fn evaluate(model: &Model, request: &Request) -> Decision {
    let mut applying: Vec<&Rule> = model.rules.iter().filter(|rule| applies(model, rule, request)).collect();
    applying.sort_by_key(|rule| rule.place);
    let matching = |effect: Effect| applying.iter().filter(move |rule| rule.effect == effect);
    if let Some(rule) = matching(Effect::Deny).next() {
        let code = rule.code.clone().unwrap_or_else(|| denial_code(model, request));
        return denial(rule.name.clone(), code);
    }
    for effect in [Effect::Ask, Effect::Allow] {
        if let Some(rule) = matching(effect).find(|rule| exceeded(rule, request).is_none()) {
            return permission(model, rule, request);
        }
        if let Some(rule) = matching(effect).next() {
            let denial = denial(rule.name.clone(), "LIMIT_EXCEEDED".to_owned());
            return Decision { exceeded: exceeded(rule, request).cloned(), ..denial };
        }
    }
    let code = if is_complex(model, request) { "SHELL_COMPLEX".to_owned() } else { denial_code(model, request) };
    denial(DEFAULT_DENY.to_owned(), code)
}

/// Whether a rule speaks of the request, its limits aside.
#[must_use]
pub fn applies(model: &Model, rule: &Rule, request: &Request) -> bool {
    addresses(model, rule, request) && rule.condition.as_ref().is_none_or(|condition| holds(condition, request))
}

/// Whether a rule looks at the request at all: its operation, its roles, and nothing guarded that it does not ask for.
#[must_use]
pub fn addresses(model: &Model, rule: &Rule, request: &Request) -> bool {
    rule.operations.contains(&request.operation)
        && concerns(model, &rule.subjects, request)
        && unasked(model, rule, request).next().is_none()
}

/// The guarded flags of the request that a rule to allow or ask does not ask for.
pub(crate) fn unasked(model: &Model, rule: &Rule, request: &Request) -> impl Iterator<Item = &'static str> {
    let operation = model.operations.get(request.operation.0).filter(|_| rule.effect != Effect::Deny);
    let guarded = operation.map_or(&[][..], |operation| &operation.guarded_flags);
    guarded.iter().copied().filter(|flag| request.flags.contains(*flag) && !rule.asks_for.contains(flag))
}

/// The first limit of the rule that the request exceeds. An open number exceeds none.
#[must_use]
pub fn exceeded<'a>(rule: &'a Rule, request: &Request) -> Option<&'a Limit> {
    rule.limits.iter().find(|limit| number(request, limit).is_some_and(|number| number > limit.most))
}

/// Whether a condition holds for the request.
#[must_use]
pub fn holds(condition: &Condition, request: &Request) -> bool {
    match condition {
        Condition::All(parts) => parts.iter().all(|part| holds(part, request)),
        Condition::Any(parts) => parts.iter().any(|part| holds(part, request)),
        Condition::Not(part) => !holds(part, request),
        Condition::Flag { attribute, at: _ } => request.flags.contains(&*attribute.name),
        Condition::In { attribute, sets, at: _ } => {
            request.strings.get(&*attribute.name).is_some_and(|value| sets.iter().any(|set| set.matches(value)))
        }
        Condition::Equals { attribute, text, at: _ } => request.strings.get(&*attribute.name) == Some(text),
        Condition::Matches { attribute, regex, at: _ } => {
            request.strings.get(&*attribute.name).is_some_and(|value| regex.is_match(value))
        }
        Condition::Number { attribute, operator, value, at: _ } => {
            let number = request.numbers.get(&*attribute.name).copied().unwrap_or(OPEN_NUMBER);
            match operator {
                Operator::Equal => number == *value,
                Operator::NotEqual => number != *value,
                Operator::AtMost => number <= *value,
                Operator::AtLeast => number >= *value,
                Operator::Below => number < *value,
                Operator::Above => number > *value,
            }
        }
    }
}

/// An open number in a condition: as large as can be, so that `bytes <= 1 MiB` never lets one pass.
pub const OPEN_NUMBER: u64 = u64::MAX;

/// Whether the request is for a shell line that could not be understood in full.
fn is_complex(model: &Model, request: &Request) -> bool {
    let operation = model.operations.get(request.operation.0);
    operation.is_some_and(|operation| operation.name == SHELL_EXEC) && request.flags.contains(COMPLEX)
}

/// Whether the request holds one of the roles, or one that includes one.
pub(crate) fn concerns(model: &Model, subjects: &Subjects, request: &Request) -> bool {
    match subjects {
        Subjects::Anyone => true,
        Subjects::Roles(wanted) => {
            let held = request.roles.iter().filter_map(|role| model.roles.get(role.0));
            held.flat_map(|role| &role.implies).any(|role| wanted.contains(role))
        }
    }
}

fn permission(model: &Model, rule: &Rule, request: &Request) -> Decision {
    let operation = model.operations.get(request.operation.0);
    let concerned = |limit: &&Limit| operation.is_some_and(|op| op.attribute(&limit.attribute.name).is_some());
    let open = |limit: &&Limit| concerned(limit) && number(request, limit).is_none();
    let charged =
        |budget: &&Budget| budget.operations.contains(&request.operation) && concerns(model, &budget.subjects, request);
    let code = if rule.effect == Effect::Ask { "APPROVAL_REQUIRED" } else { "ALLOWED" };
    Decision {
        verdict: rule.effect,
        rule: rule.name.clone(),
        code: code.to_owned(),
        exceeded: None,
        obligations: Obligations {
            requirements: rule.requirements.clone(),
            limits: rule.limits.iter().filter(open).cloned().collect(),
            budgets: model.budgets.iter().filter(charged).map(|budget| budget.name.clone()).collect(),
        },
    }
}

fn denial(rule: String, code: String) -> Decision {
    Decision { verdict: Effect::Deny, rule, code, exceeded: None, obligations: Obligations::default() }
}

fn denial_code(model: &Model, request: &Request) -> String {
    let operation = model.operations.get(request.operation.0);
    operation.map_or_else(|| "OPERATION_NOT_ALLOWED".to_owned(), |operation| operation.denial_code.clone())
}

fn number(request: &Request, limit: &Limit) -> Option<u64> {
    request.numbers.get(&*limit.attribute.name).copied()
}
