//! A request and the table's answer -> why: the rules that match, in order of strength, and what came closest.

use policy_judge::{Answer, Reading};
use policy_model::{Decision, Failure, Miss, Model, Request, Rule, applies, evaluate, exceeded, miss, nearest_miss};
use policy_syntax::{Effect, quote};

/// Why a policy says what it says of a request.
pub(super) struct Explanation<'a> {
    pub(super) model: &'a Model,
    pub(super) request: Request,
    /// The table's answer.
    pub(super) answer: Answer,
    pub(super) reading: Reading,
    /// The rule that decides; none when it is `default-deny`.
    pub(super) rule: Option<&'a Rule>,
    /// Every rule that matches, the strongest first, with why it decides or not.
    pub(super) matched: Vec<Matched<'a>>,
    /// The answer of the rules to allow and ask, when a rule to deny decides.
    pub(super) otherwise: Option<Decision>,
    pub(super) nearest: Nearest<'a>,
}

/// A rule that speaks of the request.
pub(super) struct Matched<'a> {
    pub(super) rule: &'a Rule,
    pub(super) decides: bool,
    /// Why it does not, or what makes a permission a denial.
    pub(super) why: Option<String>,
}

/// The rule that would have permitted a request that is denied.
pub(super) enum Nearest<'a> {
    /// Nothing has to be looked for.
    NotNeeded,
    /// This rule, if it were not for its failures.
    Miss(Miss<'a>),
    /// No rule permits the operation to anyone; it is this tool's, and these of the tool have such rules.
    NoRule { tool: String, others: Vec<String> },
}

impl<'a> Explanation<'a> {
    pub(super) fn of(model: &'a Model, request: Request, answer: Answer, reading: Reading) -> Self {
        let rule = model.rule(&answer.rule);
        let matched = matched(model, &request);
        let is_denial = rule.is_some_and(|rule| rule.effect == Effect::Deny);
        let otherwise = is_denial.then(|| without_denials(model, &request));
        let is_denied = otherwise.as_ref().map_or(answer.verdict, |otherwise| otherwise.verdict) == Effect::Deny;
        let nearest = if is_denied { nearest(model, &request, otherwise.as_ref()) } else { Nearest::NotNeeded };
        Self { model, request, answer, reading, rule, matched, otherwise, nearest }
    }
}

/// Every rule that speaks of the request, in the order in which rules have the word.
fn matched<'a>(model: &'a Model, request: &Request) -> Vec<Matched<'a>> {
    let mut rules: Vec<&Rule> = model.rules.iter().filter(|rule| applies(model, rule, request)).collect();
    let is_exceeded = |rule: &Rule| rule.effect != Effect::Deny && exceeded(rule, request).is_some();
    let effect = |rule: &Rule| super::strength(rule.effect);
    rules.sort_by_key(|rule| (effect(rule), is_exceeded(rule), rule.place));
    let Some(first) = rules.first().copied() else {
        return Vec::new();
    };
    let why = |rule: &Rule| {
        if let Some(limit) = exceeded(rule, request).filter(|_| is_exceeded(rule)) {
            return Some(Failure::Exceeded(limit).sentence(model, request));
        }
        match (rule.place == first.place, first.effect == rule.effect) {
            (true, _) => None,
            (false, true) => Some(format!("{} stands before it", quote(&first.name))),
            (false, false) if is_exceeded(first) => {
                Some("what is too much to be asked for is not allowed either".to_owned())
            }
            (false, false) => Some(format!("{} is stronger", a(first.effect))),
        }
    };
    rules.iter().map(|rule| Matched { rule, decides: rule.place == first.place, why: why(rule) }).collect()
}

fn a(effect: Effect) -> &'static str {
    match effect {
        Effect::Deny => "a deny",
        Effect::Ask => "an ask",
        Effect::Allow => "an allow",
    }
}

/// Evaluates the policy without its rules to deny.
fn without_denials(model: &Model, request: &Request) -> Decision {
    let permits = |rule: &&Rule| rule.effect != Effect::Deny && rule.operations.contains(&request.operation);
    let rules = model.rules.iter().filter(permits).cloned().collect();
    evaluate(&Model { rules, tests: Vec::new(), ..model.clone() }, request)
}

/// Returns the rule that came closest. Where a limit denies, it is the rule with that limit.
fn nearest<'a>(model: &'a Model, request: &Request, otherwise: Option<&Decision>) -> Nearest<'a> {
    let decision = otherwise.cloned().unwrap_or_else(|| evaluate(model, request));
    if decision.exceeded.is_some()
        && let Some(rule) = model.rule(&decision.rule)
    {
        return Nearest::Miss(miss(model, rule, request));
    }
    match nearest_miss(model, request) {
        Some(miss) => Nearest::Miss(miss),
        None => {
            let tool = model.operations.get(request.operation.0).map(|operation| operation.tool.clone());
            let tool = tool.unwrap_or_default();
            Nearest::NoRule { others: permitted(model, &tool), tool }
        }
    }
}

/// The operations of a tool that some rule permits to someone.
fn permitted(model: &Model, tool: &str) -> Vec<String> {
    let has_rule = |id: usize| {
        let is_about = |rule: &Rule| rule.operations.contains(&policy_model::OperationId(id));
        model.rules.iter().any(|rule| rule.effect != Effect::Deny && is_about(rule))
    };
    let of_tool = model.operations.iter().enumerate().filter(|(_, operation)| operation.tool == tool);
    of_tool.filter(|(id, _)| has_rule(*id)).map(|(_, operation)| operation.name.clone()).collect()
}
