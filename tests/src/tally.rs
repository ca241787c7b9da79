//! Answers -> how often each kind of answer and each node of a condition was seen, so that a run that
//! reaches nothing cannot pass.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use policy_model::catalogue::{DEFAULT_DENY, set_kind};
use policy_model::{Condition, Model, Request, Rule, holds};
use policy_syntax::{Effect, Operator, SetKind};

use crate::judge::Answer;

/// Counts of a run.
#[derive(Debug, Clone, Default)]
pub struct Tally {
    /// How many answers were counted.
    pub answers: u64,
    verdicts: BTreeMap<Effect, u64>,
    kinds: BTreeMap<&'static str, u64>,
    rules: BTreeSet<String>,
    /// A node, what it was about, and how often it did not hold and did.
    nodes: BTreeMap<(&'static str, &'static str), [u64; 2]>,
}

impl Tally {
    /// Counts an answer.
    pub fn count(&mut self, model: &Model, request: &Request, answer: &Answer) {
        self.answers += 1;
        *self.verdicts.entry(answer.verdict).or_default() += 1;
        if !self.rules.contains(&answer.rule) {
            self.rules.insert(answer.rule.clone());
        }
        let decided = model.rule(&answer.rule);
        *self.kinds.entry(kind(decided, answer)).or_default() += 1;
        for (is_there, name) in [
            (!answer.requirements.is_empty(), "with requirements"),
            (!answer.budgets.is_empty(), "with budgets"),
            (holds_limit(decided, answer, false), "with a limit on an open number"),
            (holds_limit(decided, answer, true), "with a limit on what the act shows"),
        ] {
            if is_there {
                *self.kinds.entry(name).or_default() += 1;
            }
        }
        // The nodes of one in some answers are enough, and looking at them costs more than the answer.
        if self.answers.is_multiple_of(8) {
            for rule in model.rules.iter().filter(|rule| rule.operations.contains(&request.operation)) {
                if let Some(condition) = &rule.condition {
                    self.visit(condition, request);
                }
            }
        }
    }

    fn visit(&mut self, condition: &Condition, request: &Request) {
        let key = match condition {
            Condition::All(parts) | Condition::Any(parts) => {
                parts.iter().for_each(|part| self.visit(part, request));
                (if matches!(condition, Condition::All(_)) { "and" } else { "or" }, "")
            }
            Condition::Not(part) => {
                self.visit(part, request);
                ("not", "")
            }
            Condition::Flag { .. } => ("flag", ""),
            Condition::In { attribute, .. } => ("in", set_name(set_kind(attribute.kind))),
            Condition::Equals { attribute, .. } => ("==", set_name(set_kind(attribute.kind))),
            Condition::Matches { attribute, .. } => ("matches", set_name(set_kind(attribute.kind))),
            Condition::Number { attribute, operator, value, .. } => {
                let number = request.numbers.get(&*attribute.name);
                let place = number.map_or("open", |number| match number.cmp(value) {
                    std::cmp::Ordering::Less => "a number below",
                    std::cmp::Ordering::Equal => "the number itself",
                    std::cmp::Ordering::Greater => "a number above",
                });
                (number_name(*operator), place)
            }
        };
        let [not, held] = self.nodes.entry(key).or_default();
        *(if holds(condition, request) { held } else { not }) += 1;
    }

    /// Whether a rule of that name decided an answer.
    #[must_use]
    pub fn has_decided(&self, rule: &str) -> bool {
        self.rules.contains(rule)
    }

    /// How many of a hundred answers had this verdict.
    #[must_use]
    pub fn percent(&self, verdict: Effect) -> f64 {
        let count = self.verdicts.get(&verdict).copied().unwrap_or(0);
        count as f64 * 100.0 / self.answers.max(1) as f64
    }

    /// What a run over all kinds of policies must have seen, and has not.
    #[must_use]
    pub fn missing(&self) -> Vec<String> {
        let mut missing: Vec<String> =
            KINDS.iter().filter(|kind| !self.kinds.contains_key(*kind)).map(|kind| (*kind).to_owned()).collect();
        for (node, about) in both_ways() {
            let [not, held] = self.nodes.get(&(node, about)).copied().unwrap_or_default();
            if not == 0 || held == 0 {
                missing.push(format!("`{node}` {about}, false {not} and true {held} times"));
            }
        }
        for operator in Operator::ALL {
            for place in ["a number below", "the number itself", "a number above", "open"] {
                if !self.nodes.contains_key(&(number_name(operator), place)) {
                    missing.push(format!("`{}` with {place}", number_name(operator)));
                }
            }
        }
        missing
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [allow, ask, deny] = [Effect::Allow, Effect::Ask, Effect::Deny].map(|effect| self.percent(effect));
        writeln!(f, "{} answers: allow {allow:.1} %, ask {ask:.1} %, deny {deny:.1} %", self.answers)?;
        for (kind, count) in &self.kinds {
            writeln!(f, "  {kind}: {count}")?;
        }
        for ((node, about), [not, held]) in &self.nodes {
            writeln!(f, "  `{node}` {about}: false {not}, true {held}")?;
        }
        Ok(())
    }
}

/// Nodes that must have been seen to hold and not to hold.
fn both_ways() -> Vec<(&'static str, &'static str)> {
    let mut nodes = vec![("and", ""), ("or", ""), ("not", ""), ("flag", "")];
    for node in ["in", "==", "matches"] {
        nodes.extend(SetKind::ALL.map(|kind| (node, kind.keyword())));
    }
    nodes
}

fn kind(decided: Option<&Rule>, answer: &Answer) -> &'static str {
    match (answer.code.as_str(), decided) {
        ("ALLOWED", _) => ALLOWED,
        ("APPROVAL_REQUIRED", _) => APPROVAL,
        ("LIMIT_EXCEEDED", Some(rule)) if rule.effect == Effect::Ask => ASK_LIMIT,
        ("LIMIT_EXCEEDED", _) => ALLOW_LIMIT,
        ("SHELL_COMPLEX", _) => COMPLEX,
        (_, None) if answer.rule == DEFAULT_DENY => DEFAULT,
        (_, Some(rule)) if rule.code.is_some() => OWN_CODE,
        _ => OPERATION_CODE,
    }
}

fn holds_limit(decided: Option<&Rule>, answer: &Answer, known_after_act: bool) -> bool {
    let limits = decided.map(|rule| rule.limits.as_slice()).unwrap_or_default();
    let mut limits = limits.iter().filter(|limit| limit.attribute.known_after_act == known_after_act);
    limits.any(|limit| answer.limits.iter().any(|(name, _)| *name == *limit.attribute.name))
}

fn set_name(kind: Option<SetKind>) -> &'static str {
    kind.map_or("", SetKind::keyword)
}

/// Apart from `==` of strings.
fn number_name(operator: Operator) -> &'static str {
    match operator {
        Operator::Equal => "number ==",
        Operator::NotEqual => "number !=",
        Operator::AtMost => "number <=",
        Operator::AtLeast => "number >=",
        Operator::Below => "number <",
        Operator::Above => "number >",
    }
}

const ALLOWED: &str = "ALLOWED";
const APPROVAL: &str = "APPROVAL_REQUIRED";
const ASK_LIMIT: &str = "LIMIT_EXCEEDED by a rule to ask";
const ALLOW_LIMIT: &str = "LIMIT_EXCEEDED by a rule to allow";
const COMPLEX: &str = "SHELL_COMPLEX";
const DEFAULT: &str = "the operation's code by default";
const OWN_CODE: &str = "a rule's own code";
const OPERATION_CODE: &str = "the operation's code by a rule";

const KINDS: &[&str] = &[
    ALLOWED,
    APPROVAL,
    ASK_LIMIT,
    ALLOW_LIMIT,
    COMPLEX,
    DEFAULT,
    OWN_CODE,
    OPERATION_CODE,
    "with requirements",
    "with budgets",
    "with a limit on an open number",
    "with a limit on what the act shows",
];
