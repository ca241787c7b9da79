//! An explanation -> one JSON object, with the same facts as the text for people.

use enforce_core::DEFAULT_DENY;
use policy_judge::{Answer, Bound, Reading};
use policy_model::{Failure, Miss, Rule};
use policy_syntax::{Effect, Location, Position, Sources};
use policy_table::hex;
use serde::Serialize;
use table_format::Digest;

use super::explanation::{Explanation, Nearest};
use crate::exit::RunError;

/// One object on one line, with a line break at its end.
pub(super) fn render(explanation: &Explanation<'_>, sources: &Sources, table: &Digest) -> Result<String, RunError> {
    let said = &explanation.answer;
    let (nearest, others) = match &explanation.nearest {
        Nearest::NotNeeded => (None, None),
        Nearest::Miss(miss) => (Some(nearest(explanation, miss, sources)), None),
        Nearest::NoRule { others, .. } => (None, Some(others.as_slice())),
    };
    let matched = explanation.matched.iter().map(|one| Matched {
        rule: RuleEntry::of(one.rule, sources),
        decides: one.decides,
        why: one.why.as_deref(),
    });
    let object = Object {
        verdict: said.verdict.as_str(),
        rule: &said.rule,
        code: &said.code,
        because: explanation.rule.and_then(|rule| rule.because.as_deref()),
        target: Some(said.target.as_str()).filter(|target| !target.is_empty()),
        facts_alone: explanation.reading == Reading::FactsAlone,
        place: explanation.rule.map(|rule| Place::of(rule.name_at, sources)),
        limit: said.exceeded.as_ref().map(Limit::of),
        requirements: &said.obligations.requirements,
        limits: said.obligations.limits.iter().map(Limit::of).collect(),
        budgets: &said.obligations.budgets,
        matched: matched.collect(),
        without_denials: explanation
            .otherwise
            .as_ref()
            .map(|otherwise| Otherwise { verdict: otherwise.verdict.as_str(), rule: &otherwise.rule }),
        nearest,
        permitted_operations_of_tool: others,
        blake3: hex(table),
    };
    printed(&object)
}

/// A denial that no rule is asked about.
pub(super) fn refused(answer: &Answer, table: &Digest) -> Result<String, RunError> {
    printed(&serde_json::json!({
        "verdict": Effect::Deny.as_str(),
        "rule": DEFAULT_DENY,
        "code": answer.code,
        "because": answer.because,
        "target": answer.target,
        "matched": [],
        "blake3": hex(table),
    }))
}

fn printed(object: &impl Serialize) -> Result<String, RunError> {
    let mut text = serde_json::to_string(object).map_err(|error| RunError::Format(error.to_string()))?;
    text.push('\n');
    Ok(text)
}

#[derive(Serialize)]
struct Object<'a> {
    verdict: &'static str,
    rule: &'a str,
    code: &'a str,
    because: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    target: Option<&'a str>,
    /// True when no request can be built with these facts, so that they are judged alone.
    facts_alone: bool,
    place: Option<Place<'a>>,
    limit: Option<Limit<'a>>,
    requirements: &'a [String],
    limits: Vec<Limit<'a>>,
    budgets: &'a [String],
    matched: Vec<Matched<'a>>,
    without_denials: Option<Otherwise<'a>>,
    nearest: Option<NearestEntry<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    permitted_operations_of_tool: Option<&'a [String]>,
    blake3: String,
}

#[derive(Serialize)]
struct Limit<'a> {
    attribute: &'a str,
    most: u64,
}

impl<'a> Limit<'a> {
    fn of(bound: &'a Bound) -> Self {
        Self { attribute: &bound.attribute, most: bound.most }
    }
}

#[derive(Serialize)]
struct RuleEntry<'a> {
    rule: &'a str,
    effect: &'static str,
    #[serde(flatten)]
    place: Place<'a>,
}

impl<'a> RuleEntry<'a> {
    fn of(rule: &'a Rule, sources: &'a Sources) -> Self {
        Self { rule: &rule.name, effect: rule.effect.as_str(), place: Place::of(rule.name_at, sources) }
    }
}

#[derive(Serialize)]
struct Matched<'a> {
    #[serde(flatten)]
    rule: RuleEntry<'a>,
    decides: bool,
    why: Option<&'a str>,
}

#[derive(Serialize)]
struct Otherwise<'a> {
    verdict: &'static str,
    rule: &'a str,
}

#[derive(Serialize)]
struct NearestEntry<'a> {
    #[serde(flatten)]
    rule: RuleEntry<'a>,
    failures: Vec<FailureEntry<'a>>,
}

#[derive(Serialize)]
struct FailureEntry<'a> {
    kind: &'static str,
    #[serde(flatten)]
    place: Place<'a>,
    text: &'a str,
    sentence: String,
}

#[derive(Serialize)]
struct Place<'a> {
    file: &'a str,
    line: usize,
    column: usize,
    end_line: usize,
    end_column: usize,
}

impl<'a> Place<'a> {
    fn of(at: Location, sources: &'a Sources) -> Self {
        let source = sources.get(at.file);
        let position = |offset| source.map_or(Position { line: 1, column: 1 }, |source| source.position(offset));
        let (start, end) = (position(at.span.start), position(at.span.end));
        Self {
            file: source.map_or("", |source| source.name()),
            line: start.line,
            column: start.column,
            end_line: end.line,
            end_column: end.column,
        }
    }
}

fn nearest<'a>(explanation: &Explanation<'_>, miss: &Miss<'a>, sources: &'a Sources) -> NearestEntry<'a> {
    let failure = |failure: &Failure<'_>| {
        let at = failure.at(miss.rule);
        FailureEntry {
            kind: match failure {
                Failure::Roles(_) => "role",
                Failure::Unasked(flag) => flag,
                Failure::Unmet(_) | Failure::Met(_) => "condition",
                Failure::Exceeded(_) => "limit",
            },
            place: Place::of(at, sources),
            text: sources.slice(at),
            sentence: failure.sentence(explanation.model, &explanation.request),
        }
    };
    NearestEntry { rule: RuleEntry::of(miss.rule, sources), failures: miss.failures.iter().map(failure).collect() }
}
