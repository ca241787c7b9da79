//! `policyc explain`: a policy and one request -> the verdict, the rules behind it, and what came closest.

mod explanation;
mod json;
mod text;
mod words;

use std::path::Path;

use enforce_core::Policy;
use policy_judge::{
    Answer, CheckOptions, Judge, JudgeError, JudgedFacts, Reading, SourceError, judge_facts, judge_policy,
    judge_request, open_table,
};
use policy_model::{Checked, Disk, Model, Request, RoleId, read_request};
use policy_syntax::{Effect, closest};
use policy_table::Frozen;

use self::explanation::Explanation;
use super::eval::read_line;
use crate::cli::{Color, ExplainArgs, ExplainFormat};
use crate::exit::{Outcome, RunError};
use crate::{output, render};

pub(crate) fn run(args: &ExplainArgs, color: Color) -> Result<Outcome, RunError> {
    if args.policy == Path::new("-") {
        return Err(SourceError::StandardInput.into());
    }
    let options = CheckOptions { allow_outside: args.allow_outside };
    // A failing test is what one explains.
    let judged = judge_policy(&Disk, &args.policy, options, |_| false).map_err(SourceError::from)?;
    let Some((model, frozen)) = judged.usable() else {
        return Err(SourceError::PolicyHasErrors(args.policy.clone(), Box::new(judged.checked)).into());
    };
    let checked = &judged.checked;
    let table = open_table(&args.policy, &frozen.bytes)?;
    let policy = Policy::new(&table).map_err(|error| SourceError::from(JudgeError::Foreign(error)))?;
    let mut judge = Judge::new(&policy, &args.root).map_err(|_| RunError::Root(args.root.clone()))?;
    let explained = explained(args, model, &mut judge, color)?;
    print(&explained, checked, frozen, args, color)?;
    let is_denied = explained.answer().verdict == Effect::Deny;
    Ok(if is_denied && args.fail_on_deny { Outcome::Findings } else { Outcome::Fine })
}

enum Explained<'a> {
    /// The policy's answer, about the target that decides.
    Policy(Box<Explanation<'a>>),
    /// A denial that no rule is asked about.
    Refused(Answer),
}

impl Explained<'_> {
    fn answer(&self) -> &Answer {
        match self {
            Self::Policy(explanation) => &explanation.answer,
            Self::Refused(answer) => answer,
        }
    }
}

fn explained<'a>(
    args: &ExplainArgs,
    model: &'a Model,
    judge: &mut Judge<'_>,
    color: Color,
) -> Result<Explained<'a>, RunError> {
    let judged = match (&args.request, &args.test) {
        (Some(line), _) => by_line(line, model, judge)?,
        (None, Some(name)) => by_facts(&tested(model, name)?, model, judge)?,
        (None, None) => by_facts(&worded(args, model, color)?, model, judge)?,
    };
    let JudgedFacts { answer, facts, reading } = judged;
    Ok(match facts {
        Some(facts) => Explained::Policy(Box::new(Explanation::of(model, facts, answer, reading))),
        None => Explained::Refused(answer),
    })
}

/// Judges a line as `eval` does.
fn by_line(line: &str, model: &Model, judge: &mut Judge<'_>) -> Result<JudgedFacts, RunError> {
    let asked = read_line(line, judge.table()).map_err(|error| RunError::BadRequest(error.to_string()))?;
    let (answer, targets) = judge_request(judge, &asked.roles, &asked.request);
    let table = judge.table();
    let role = |role| -> Option<RoleId> { model.role(table.text(table.role(role)?.name)) };
    let roles = asked.roles.iter().copied().filter_map(role).collect();
    let decided = targets.into_iter().next().filter(|_| answer.is_by_policy).zip(model.operation(&asked.operation));
    let facts = decided.map(|(facts, operation)| facts.into_request(roles, operation));
    let is_named = asked.names(&answer.target) && answer.is_by_policy;
    Ok(without_target(JudgedFacts { answer, facts, reading: Reading::Request }, is_named))
}

/// Nobody needs to be told the target that they named themselves.
fn without_target(mut judged: JudgedFacts, is_named: bool) -> JudgedFacts {
    if is_named {
        judged.answer.target.clear();
    }
    judged
}

fn by_facts(facts: &Request, model: &Model, judge: &mut Judge<'_>) -> Result<JudgedFacts, RunError> {
    let judged = judge_facts(judge, model, facts).map_err(|error| RunError::Internal(error.to_string()))?;
    match judged.reading {
        Reading::Contradiction(found) => Err(RunError::BadRequest(found.to_string())),
        Reading::Request | Reading::FactsAlone => {
            // Facts are about one target, apart from a line of several commands.
            let is_named = facts.strings.get("line").is_none_or(|line| *line == judged.answer.target);
            Ok(without_target(judged, is_named))
        }
    }
}

/// The request of a test.
fn tested(model: &Model, name: &str) -> Result<Request, RunError> {
    let test = model.tests.iter().find(|test| test.name == name);
    test.map(|test| test.request.clone()).ok_or_else(|| RunError::UnknownTest {
        written: name.to_owned(),
        meant: closest(name, model.tests.iter().map(|test| test.name.as_str())).map(str::to_owned),
    })
}

/// The request in words, read as the policy's own tests are.
fn worded(args: &ExplainArgs, model: &Model, color: Color) -> Result<Request, RunError> {
    let options = CheckOptions { allow_outside: args.allow_outside };
    read_request(&Disk, &args.policy, options, &words::as_test(&args.words, model)).map_err(|error| {
        render::show_errors(&error.diagnostics, &error.sources, color);
        RunError::BadRequest("the words are no request".to_owned())
    })
}

/// The strongest first.
fn strength(effect: Effect) -> u8 {
    match effect {
        Effect::Deny => 0,
        Effect::Ask => 1,
        Effect::Allow => 2,
    }
}

fn print(
    explained: &Explained<'_>,
    checked: &Checked,
    frozen: &Frozen,
    args: &ExplainArgs,
    color: Color,
) -> Result<(), RunError> {
    match (args.format, explained) {
        (ExplainFormat::Human, Explained::Policy(explanation)) => {
            output::print_styled(&text::render(explanation, &checked.sources), color)
        }
        (ExplainFormat::Human, Explained::Refused(answer)) => output::print_styled(&text::refused(answer), color),
        (ExplainFormat::Json, Explained::Policy(explanation)) => {
            output::print(json::render(explanation, &checked.sources, &frozen.digest)?.as_bytes())
        }
        (ExplainFormat::Json, Explained::Refused(answer)) => {
            output::print(json::refused(answer, &frozen.digest)?.as_bytes())
        }
    }
}
