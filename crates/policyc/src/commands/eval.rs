//! `policyc eval`: requests as JSON lines -> verdicts as JSON lines, judged by the core from a table.

mod lines;
mod request_text;

use std::fs::File;
use std::io::{self, BufWriter, Read, Write};
use std::path::Path;

use enforce_core::Policy;
use policy_judge::{Answer, Bound, CheckOptions, Judge, JudgeError, Obligations, SourceError, load_table, open_table};
use policy_syntax::Effect;
use serde::Serialize;
use serde_json::value::RawValue;

use self::lines::{Line, Lines};
use self::request_text::{Line as RequestLine, LineError, Vocabulary};
use crate::cli::EvalArgs;
use crate::exit::{Outcome, RunError};

pub(super) use self::request_text::read_line;

pub(crate) fn run(args: &EvalArgs) -> Result<Outcome, RunError> {
    let options = CheckOptions { allow_outside: args.allow_outside };
    let bytes = load_table(&args.policy, options)?;
    let table = open_table(&args.policy, &bytes)?;
    let policy = Policy::new(&table).map_err(|error| SourceError::from(JudgeError::Foreign(error)))?;
    let judge = Judge::new(&policy, &args.root).map_err(|_| RunError::Root(args.root.clone()))?;
    let lines = Lines::of(requests(&args.requests)?);
    let mut eval = Eval { judge, vocabulary: Vocabulary::of(&table), with_obligations: args.obligations };
    let tally = eval.all(lines, io::stdout().lock(), &args.requests)?;
    Ok(if tally.errors {
        Outcome::CouldNotRun
    } else if tally.denials && args.fail_on_deny {
        Outcome::Findings
    } else {
        Outcome::Fine
    })
}

/// Answers lines as `policyc eval` does, by the bytes of a table. `None` when they are no table, or the root is none.
#[must_use]
pub fn answer_lines(table: &[u8], root: &str, lines: &[u8]) -> Option<Vec<u8>> {
    let place = Path::new("-");
    let table = open_table(place, table).ok()?;
    let policy = Policy::new(&table).ok()?;
    let judge = Judge::new(&policy, root).ok()?;
    let mut eval = Eval { judge, vocabulary: Vocabulary::of(&table), with_obligations: true };
    let mut answers = Vec::new();
    eval.all(Lines::of(Box::new(io::Cursor::new(lines.to_vec()))), &mut answers, place).ok()?;
    Some(answers)
}

fn requests(path: &Path) -> Result<Box<dyn Read>, RunError> {
    if path == Path::new("-") {
        return Ok(Box::new(io::stdin()));
    }
    let file = File::open(path).map_err(|error| RunError::Read(path.to_owned(), error.to_string()))?;
    Ok(Box::new(file))
}

/// A table and what its requests can say.
struct Eval<'t> {
    judge: Judge<'t>,
    vocabulary: Vocabulary<'t>,
    with_obligations: bool,
}

#[derive(Debug, Default)]
struct Tally {
    errors: bool,
    denials: bool,
}

#[derive(Serialize)]
struct Reply<'a> {
    id: Option<&'a RawValue>,
    #[serde(flatten)]
    judged: Judged,
}

#[derive(Serialize)]
struct Failure<'a> {
    id: Option<&'a RawValue>,
    error: String,
    line: u64,
}

impl Eval<'_> {
    /// Answers line by line, in memory that does not grow with their number. A reader of the answers that
    /// has seen enough ends it.
    fn all(&mut self, mut lines: Lines, out: impl Write, requests: &Path) -> Result<Tally, RunError> {
        let mut out = BufWriter::with_capacity(OUTPUT_BYTES, out);
        let (mut tally, mut text) = (Tally::default(), Vec::new());
        loop {
            // Whoever waits for an answer before the next request gets it.
            let flushed = if lines.is_drained() { out.flush() } else { Ok(()) };
            let line = lines.next().map_err(|error| RunError::Read(requests.to_owned(), error.to_string()))?;
            let is_last = line.is_none();
            text.clear();
            if let Some(line) = line {
                self.answer(&line, &mut tally, &mut text)?;
            }
            match flushed.and_then(|()| out.write_all(&text)).and_then(|()| if is_last { out.flush() } else { Ok(()) })
            {
                Ok(()) if is_last => return Ok(tally),
                Ok(()) => {}
                Err(error) if error.kind() == io::ErrorKind::BrokenPipe => return Ok(tally),
                Err(error) => return Err(RunError::Output(error)),
            }
        }
    }

    fn answer(&mut self, line: &Line<'_>, tally: &mut Tally, text: &mut Vec<u8>) -> Result<(), RunError> {
        let request = match line.bytes {
            Some(bytes) if bytes.trim_ascii().is_empty() => return Ok(()),
            Some(bytes) => RequestLine::read(bytes),
            None => Err(LineError::TooLong),
        };
        let id = request.as_ref().ok().and_then(|request| request.id().ok().flatten());
        let written = match request.and_then(|request| self.judge(&request)) {
            Ok(judged) => {
                tally.denials |= judged.verdict == Effect::Deny.as_str();
                serde_json::to_writer(&mut *text, &Reply { id, judged })
            }
            Err(error) => {
                tally.errors = true;
                serde_json::to_writer(&mut *text, &Failure { id, error: error.to_string(), line: line.number })
            }
        };
        text.push(b'\n');
        written.map_err(|error| RunError::Format(error.to_string()))
    }

    fn judge(&mut self, line: &RequestLine<'_>) -> Result<Judged, LineError> {
        line.id()?;
        let asked = line.asked(&self.vocabulary)?;
        let answer = self.judge.answer(&asked.roles, &asked.request, &mut |_| {});
        let is_named = asked.names(&answer.target);
        Ok(Judged::of(answer, is_named, self.with_obligations))
    }
}

/// An answer, as it is printed.
#[derive(Serialize)]
struct Judged {
    verdict: &'static str,
    rule: String,
    code: String,
    /// The target that decided, where the request names several or the judge refused one.
    #[serde(skip_serializing_if = "Option::is_none")]
    target: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    because: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    limit: Option<Bound>,
    #[serde(flatten)]
    obligations: Option<Obligations>,
}

impl Judged {
    fn of(answer: Answer, is_named: bool, with_obligations: bool) -> Self {
        let Answer { verdict, rule, code, target, because, exceeded, obligations, is_by_policy } = answer;
        // The line says already which target a policy decided about.
        let is_hidden = target.is_empty() || is_named && is_by_policy;
        Self {
            verdict: verdict.as_str(),
            rule,
            code,
            target: Some(target).filter(|_| !is_hidden),
            because,
            limit: exceeded,
            obligations: (with_obligations && verdict != Effect::Deny).then_some(obligations),
        }
    }
}

/// Answers that are written at once.
const OUTPUT_BYTES: usize = 64 << 10;
