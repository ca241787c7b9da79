//! `policyc explain`: a policy and one request -> the verdict, the rules behind it, and what came closest.

mod explanation;
mod json;
mod text;
mod words;

use std::path::Path;

use policy_judge::{Answer, CheckOptions, NameError, Named, SourceError, judge_policy, open_table};
use policy_model::{Checked, Disk, Model, Request, read_request};
use policy_syntax::{Effect, closest};
use policy_table::Frozen;
use table_format::Table;

use self::explanation::Explanation;
use super::eval::{self, Fact, targets};
use crate::cli::{Color, ExplainArgs, ExplainFormat};
use crate::exit::{Outcome, RunError};
use crate::reading::Refused;
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
    let asked = asked(args, model, &table, color)?;
    let explained = explained(asked, model, &table)?;
    print(&explained, checked, frozen, args, color)?;
    let is_denied = explained.verdict() == Effect::Deny;
    Ok(if is_denied && args.fail_on_deny { Outcome::Findings } else { Outcome::Fine })
}

/// What is asked: a request for each target, or something no rule is asked about.
enum Asked {
    Requests(Vec<Target>),
    Refused(Refused),
}

/// A request for one target.
struct Target {
    request: Request,
    /// Which of several it is.
    name: String,
}

/// What is explained.
enum Explained<'a> {
    /// What the policy says, of the target that decides.
    Policy(Box<Explanation<'a>>),
    /// A denial that no rule is asked about.
    Refused(Refused),
}

impl Explained<'_> {
    fn verdict(&self) -> Effect {
        match self {
            Self::Policy(explanation) => explanation.said.verdict,
            Self::Refused(_) => Effect::Deny,
        }
    }
}

fn asked(args: &ExplainArgs, model: &Model, table: &Table<'_>, color: Color) -> Result<Asked, RunError> {
    let one = |request: Request| Asked::Requests(vec![Target { request, name: String::new() }]);
    match (&args.request, &args.test) {
        (Some(line), _) => match targets(line, table, &args.root)? {
            eval::Asked::Facts(facts) => {
                let of = |Fact { named, target: name }| Some(Target { request: request(model, named)?, name });
                Ok(Asked::Requests(facts.into_iter().filter_map(of).collect()))
            }
            eval::Asked::Refused(refused) => Ok(Asked::Refused(refused)),
        },
        (None, Some(name)) => tested(model, name).map(one),
        (None, None) => worded(args, model, color).map(one),
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

/// The same request in the numbering of a model.
fn request(model: &Model, named: Named) -> Option<Request> {
    Some(Request {
        roles: named.roles.iter().map(|role| model.role(role)).collect::<Option<_>>()?,
        operation: model.operation(&named.operation)?,
        strings: named.strings,
        numbers: named.numbers,
        flags: named.flags,
    })
}

/// Judges each target by the table and explains the strictest answer, the first if there are several.
fn explained<'a>(asked: Asked, model: &'a Model, table: &Table<'_>) -> Result<Explained<'a>, RunError> {
    let targets = match asked {
        Asked::Requests(targets) => targets,
        Asked::Refused(refused) => return Ok(Explained::Refused(refused)),
    };
    let count = targets.len();
    let judged = targets.into_iter().map(|target| Ok((Answer::by_table(table, model, &target.request)?, target)));
    let judged: Vec<(Answer, Target)> =
        judged.collect::<Result<_, NameError>>().map_err(|error| RunError::Internal(error.to_string()))?;
    let strictest = judged.into_iter().min_by_key(|(said, _)| strength(said.verdict));
    let (said, target) = strictest.ok_or_else(|| RunError::BadRequest("it names no target".to_owned()))?;
    let name = (count > 1).then_some((target.name, count));
    Ok(Explained::Policy(Box::new(Explanation::of(model, target.request, said, name))))
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
        (ExplainFormat::Human, Explained::Refused(refused)) => output::print_styled(&text::refused(refused), color),
        (ExplainFormat::Json, Explained::Policy(explanation)) => {
            output::print(json::render(explanation, &checked.sources, &frozen.digest)?.as_bytes())
        }
        (ExplainFormat::Json, Explained::Refused(refused)) => {
            output::print(json::refused(refused, &frozen.digest)?.as_bytes())
        }
    }
}
