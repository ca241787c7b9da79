//! (Judge, facts of a test) -> the answer to the request that has them, or to the facts alone where there is none.

use enforce_core::Facts;
use policy_model::{Model, Request};
use policy_syntax::Effect;
use table_format::{OperationId, RoleId, Slot, Table};
use thiserror::Error;
use tool_proto::{ToolRequest, Validator};

use crate::answer::{Answer, Judge, NamedFacts};
use crate::facts::{Contradiction, contradiction, fields};
use crate::request::request;

/// The answer to the facts of a test.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JudgedFacts {
    pub answer: Answer,
    /// The facts of the target that decided, as the judge read them; `None` when it asked no policy.
    pub facts: Option<Request>,
    pub reading: Reading,
}

/// The way in which facts were judged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reading {
    /// As the bytes of a request.
    Request,
    /// As they are, because no request has them.
    FactsAlone,
    /// They are not those of one request.
    Contradiction(Contradiction),
}

/// A name that the table lacks.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum NameError {
    /// An operation.
    #[error("unknown operation `{0}`")]
    Operation(String),
    /// A role.
    #[error("unknown role `{0}`")]
    Role(String),
}

/// Judges facts in the names of a model.
///
/// # Errors
/// When the table lacks one of the names.
pub fn judge_facts(judge: &mut Judge<'_>, model: &Model, given: &Request) -> Result<JudgedFacts, NameError> {
    let name = model.operations.get(given.operation.0).map_or("", |operation| operation.name.as_str());
    let table = judge.table();
    let operation = table.find_operation(name).ok_or_else(|| NameError::Operation(name.to_owned()))?;
    let roles = role_ids(table, given.roles.iter().filter_map(|role| Some(model.roles.get(role.0)?.name.as_str())))?;
    let alone = |reading| {
        let answer = answer_alone(table, operation, &roles, given);
        JudgedFacts { answer, facts: Some(given.clone()), reading }
    };
    if let Some(found) = contradiction(name, given) {
        return Ok(alone(Reading::Contradiction(found)));
    }
    let Some(request) = fields(name, given).and_then(|fields| request(name, fields).ok()).filter(is_within_limits)
    else {
        return Ok(alone(Reading::FactsAlone));
    };
    let (answer, targets) = judge_request(judge, &roles, &request);
    // What is written from the facts alone, and refused, is no request.
    let is_written = name.starts_with("git.") || name == "http.request" && !given.strings.contains_key("url");
    if !answer.is_by_policy && is_written
        || answer.is_by_policy && !targets.iter().any(|read| has(name, read, given, answer.verdict))
    {
        return Ok(alone(Reading::FactsAlone));
    }
    let decided = targets.into_iter().next();
    let facts = decided.map(|facts| facts.into_request(given.roles.clone(), given.operation));
    Ok(JudgedFacts { answer, facts, reading: Reading::Request })
}

/// Judges a request, with the facts of its targets: first those of the one that decided.
pub fn judge_request(judge: &mut Judge<'_>, roles: &[RoleId], request: &ToolRequest) -> (Answer, Vec<NamedFacts>) {
    let (mut strictest, mut targets) = (None, Vec::new());
    let answer = judge.answer(roles, request, &mut |decision| {
        let is_strictest = strictest.is_none_or(|verdict| decision.verdict() < verdict);
        let place = if is_strictest { 0 } else { targets.len() };
        strictest = if is_strictest { Some(decision.verdict()) } else { strictest };
        targets.insert(place, NamedFacts::of(decision));
    });
    (answer, targets)
}

fn role_ids<'n>(table: &Table<'_>, names: impl Iterator<Item = &'n str>) -> Result<Vec<RoleId>, NameError> {
    names.map(|name| table.find_role(name).ok_or_else(|| NameError::Role(name.to_owned()))).collect()
}

/// Numbers and content that the protocol has no room for are in no request.
fn is_within_limits(request: &ToolRequest) -> bool {
    let errors = request.validate().err().unwrap_or_default();
    !errors.iter().any(|error| matches!(error.rule.as_str(), "max_value" | "max_size"))
}

/// True when a target has the facts that were given, apart from those that the judge reads further ones from.
fn has(operation: &str, read: &NamedFacts, given: &Request, verdict: Effect) -> bool {
    let is_field = |name: &str| {
        matches!((operation, name), ("shell.exec", "line") | ("http.request", "url") | ("fs.move" | "fs.copy", "dst"))
    };
    // The first denial ends it, and a later target may have what that one lacks.
    let is_denied = verdict == Effect::Deny;
    let is_read = |name: &str, text: &String| match read.strings.get(name) {
        Some(read) => read == text,
        None => is_denied,
    };
    given.strings.iter().all(|(name, text)| is_field(name) || is_read(name, text))
        && given.numbers.iter().all(|(name, number)| read.numbers.get(name) == Some(number))
        && given.flags.is_subset(&read.flags)
}

fn answer_alone(table: &Table<'_>, operation: OperationId, roles: &[RoleId], given: &Request) -> Answer {
    let (mut strings, mut numbers, mut flags) = (Vec::new(), Vec::new(), 0_u64);
    for (slot, attribute) in table.slots(operation) {
        let name = table.text(attribute.name);
        match slot {
            Slot::String(_) => strings.push(given.strings.get(name).map(String::as_bytes)),
            Slot::Number(_) => numbers.push(given.numbers.get(name).copied()),
            Slot::Flag(place) => flags |= u64::from(given.flags.contains(name)) << place,
        }
    }
    Answer::to_facts(table, &Facts { operation, roles, strings: &strings, numbers: &numbers, flags })
}
