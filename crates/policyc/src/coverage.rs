//! Tests that ran -> which rules decided, and which branches of their conditions and limits the tests have seen.
//!
//! A comparison has two branches, true and false, counted while its rule looks at the request; a limit has two, kept
//! and exceeded, counted while its rule's condition holds and the request states the number; an effect has one.

mod shape;

use std::collections::BTreeMap;

use policy_model::{Checked, Condition, Limit, Model, Request, Rule, addresses, holds, written};
use policy_syntax::{Effect, Location, Source, Sources, Span};

use self::shape::Shape;
use crate::report::plain_path;
use policy_judge::TestRun;

/// The rules of a run's policies with the tests that have seen them. A rule that several policies import is here once.
#[derive(Debug, Default)]
pub(crate) struct Coverage<'a> {
    pub(crate) rules: Vec<RuleCoverage<'a>>,
    places: BTreeMap<(String, Span), usize>,
}

/// A rule with the tests that have seen it.
#[derive(Debug)]
pub(crate) struct RuleCoverage<'a> {
    pub(crate) rule: &'a Rule,
    pub(crate) sources: &'a Sources,
    pub(crate) is_of_pack: bool,
    /// Tests that it decided.
    pub(crate) decided: usize,
    /// Tests whose request it matched, its limits aside, whether it decided or not.
    pub(crate) matched: usize,
    /// Its effect, then its comparisons in the order written, then its limits.
    pub(crate) parts: Vec<Part<'a>>,
    shape: Shape,
}

/// A part of a rule that has branches.
#[derive(Debug)]
pub(crate) struct Part<'a> {
    pub(crate) what: PartKind<'a>,
    pub(crate) at: Location,
    /// Tests that saw it true: the effect given, the comparison true, the limit kept.
    pub(crate) yes: usize,
    /// Tests that saw it false: the comparison false, the limit exceeded.
    pub(crate) no: usize,
}

#[derive(Debug)]
pub(crate) enum PartKind<'a> {
    /// The rule's effect.
    Effect(Effect),
    /// A comparison, with a `not` right before it, and how it is written.
    Comparison { condition: &'a Condition, text: String },
    /// A limit.
    Limit(&'a Limit),
}

/// Which branch of a part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    Yes,
    No,
}

/// Counts of rules and branches, and of those seen.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Totals {
    pub(crate) rules: usize,
    pub(crate) rules_decided: usize,
    pub(crate) branches: usize,
    pub(crate) covered: usize,
}

impl<'a> Coverage<'a> {
    /// Adds what the tests of a policy have seen.
    pub(crate) fn add(&mut self, checked: &'a Checked, model: &'a Model, ran: &[TestRun]) {
        for rule in measured(checked, model, ran) {
            let source = rule.sources.get(rule.rule.at.file).map_or("", Source::name);
            let place = (plain_path(source), rule.rule.at.span);
            match self.places.get(&place).and_then(|index| self.rules.get_mut(*index)) {
                Some(same) => same.join(&rule),
                None => {
                    self.places.insert(place, self.rules.len());
                    self.rules.push(rule);
                }
            }
        }
    }

    /// Of the rules that are counted.
    pub(crate) fn totals(&self, is_counted: impl Fn(&RuleCoverage<'_>) -> bool) -> Totals {
        let mut totals = Totals::default();
        for rule in self.rules.iter().filter(|rule| is_counted(rule)) {
            let (covered, branches) = rule.branches();
            totals.rules += 1;
            totals.rules_decided += usize::from(rule.decided > 0);
            totals.branches += branches;
            totals.covered += covered;
        }
        totals
    }
}

impl RuleCoverage<'_> {
    /// Covered branches and all.
    pub(crate) fn branches(&self) -> (usize, usize) {
        let count = |is_counted: fn(usize) -> bool| {
            self.parts.iter().flat_map(Part::sides).filter(|(_, seen)| is_counted(*seen)).count()
        };
        (count(|seen| seen > 0), count(|_| true))
    }

    /// Branches no test has seen.
    pub(crate) fn uncovered(&self) -> impl Iterator<Item = (&Part<'_>, Side)> {
        self.parts
            .iter()
            .flat_map(|part| part.sides().into_iter().filter(|(_, seen)| *seen == 0).map(move |(side, _)| (part, side)))
    }

    /// Takes a test into account whose operation the rule is about.
    fn see(&mut self, model: &Model, request: &Request) {
        if !addresses(model, self.rule, request) || !self.shape.count(&mut self.parts, request) {
            return;
        }
        self.matched += 1;
        for part in &mut self.parts {
            if let PartKind::Limit(limit) = part.what
                && let Some(number) = request.numbers.get(&*limit.attribute.name)
            {
                part.see(*number <= limit.most);
            }
        }
    }

    fn decide(&mut self, verdict: Effect) {
        self.decided += 1;
        for part in &mut self.parts {
            if let PartKind::Effect(effect) = part.what
                && effect == verdict
            {
                part.yes += 1;
            }
        }
    }

    /// Adds what another policy's tests have seen of the same rule.
    fn join(&mut self, other: &RuleCoverage<'_>) {
        self.decided += other.decided;
        self.matched += other.matched;
        for (part, other) in self.parts.iter_mut().zip(&other.parts) {
            part.yes += other.yes;
            part.no += other.no;
        }
    }
}

impl Part<'_> {
    /// As it is written; of a `limit` clause its own bound.
    pub(crate) fn text(&self) -> String {
        match &self.what {
            PartKind::Effect(effect) => effect.as_str().to_owned(),
            PartKind::Comparison { text, .. } => text.clone(),
            PartKind::Limit(limit) => {
                format!("{} <= {}", limit.attribute.name, written(limit.most, limit.attribute.kind))
            }
        }
    }

    /// Its branches and how many tests saw each.
    pub(crate) fn sides(&self) -> Vec<(Side, usize)> {
        match self.what {
            PartKind::Effect(_) => vec![(Side::Yes, self.yes)],
            PartKind::Comparison { .. } | PartKind::Limit(_) => vec![(Side::Yes, self.yes), (Side::No, self.no)],
        }
    }

    fn see(&mut self, is_true: bool) {
        let counter = if is_true { &mut self.yes } else { &mut self.no };
        *counter += 1;
    }
}

impl Totals {
    /// Covered branches in tenths of a per cent, rounded down; all of them when there is none.
    pub(crate) fn per_mille(&self) -> usize {
        self.covered.saturating_mul(1_000).checked_div(self.branches).unwrap_or(1_000)
    }

    /// True when at least this percentage of the branches is covered.
    pub(crate) fn reaches(&self, per_cent: u8) -> bool {
        self.covered.saturating_mul(100) >= self.branches.saturating_mul(usize::from(per_cent))
    }
}

/// Each rule of a policy. A test meets only the rules about its operation.
fn measured<'a>(checked: &'a Checked, model: &'a Model, ran: &[TestRun]) -> Vec<RuleCoverage<'a>> {
    let mut rules: Vec<RuleCoverage<'a>> = model.rules.iter().map(|rule| unseen(checked, rule)).collect();
    let names: BTreeMap<&str, usize> =
        (0..).zip(&model.rules).map(|(index, rule)| (rule.name.as_str(), index)).collect();
    let mut by_operation: Vec<Vec<usize>> = vec![Vec::new(); model.operations.len()];
    for (index, rule) in model.rules.iter().enumerate() {
        for operation in &rule.operations {
            by_operation.get_mut(operation.0).into_iter().for_each(|list| list.push(index));
        }
    }
    for one in ran {
        let Some(request) = &one.facts else {
            continue;
        };
        for index in by_operation.get(request.operation.0).into_iter().flatten() {
            if let Some(rule) = rules.get_mut(*index) {
                rule.see(model, request);
            }
        }
        if let Some(rule) = names.get(one.answer.rule.as_str()).and_then(|index| rules.get_mut(*index)) {
            rule.decide(one.answer.verdict);
        }
    }
    rules
}

fn unseen<'a>(checked: &'a Checked, rule: &'a Rule) -> RuleCoverage<'a> {
    let mut parts = vec![Part { what: PartKind::Effect(rule.effect), at: rule.name_at, yes: 0, no: 0 }];
    let shape = Shape::of(rule.condition.as_ref(), &checked.sources, &mut parts);
    // No request states what only the act shows, so no test could see such a limit.
    let stated = rule.limits.iter().filter(|limit| !limit.attribute.known_after_act);
    parts.extend(stated.map(|limit| Part { what: PartKind::Limit(limit), at: limit.at, yes: 0, no: 0 }));
    let is_of_pack = checked.packs.contains(&rule.at.file);
    RuleCoverage { rule, sources: &checked.sources, is_of_pack, decided: 0, matched: 0, parts, shape }
}

#[cfg(test)]
mod tests;
