//! `policyc eval`: requests as JSON lines -> verdicts as JSON lines, judged by the core from a table.

mod judged;
mod lines;
mod request;
mod targets;
mod values;
mod vocabulary;

use std::fs::File;
use std::io::{self, BufWriter, Read, Write};
use std::path::Path;

use policy_judge::{CheckOptions, load_table, open_table};
use serde::Serialize;
use serde_json::value::RawValue;
use table_format::Table;

use self::judged::Judged;
use self::lines::{Line, Lines};
use self::request::{Fields, asked};
use self::values::LineError;
use self::vocabulary::Vocabulary;
use crate::cli::EvalArgs;
use crate::exit::{Outcome, RunError};
use crate::reading::Root;

pub(super) use self::request::{Asked, Fact};
pub(super) use self::targets::targets;

pub(crate) fn run(args: &EvalArgs) -> Result<Outcome, RunError> {
    let root = Root::new(&args.root).map_err(|_| RunError::Root(args.root.clone()))?;
    let options = CheckOptions { allow_outside: args.allow_outside };
    let bytes = load_table(&args.policy, options)?;
    let table = open_table(&args.policy, &bytes)?;
    let lines = Lines::of(requests(&args.requests)?);
    let judge = Judge { table: &table, vocabulary: Vocabulary::of(&table), root, with_obligations: args.obligations };
    let tally = judge.all(lines, io::stdout().lock(), &args.requests)?;
    Ok(if tally.errors {
        Outcome::CouldNotRun
    } else if tally.denials && args.fail_on_deny {
        Outcome::Findings
    } else {
        Outcome::Fine
    })
}

/// Answers lines as `policyc eval` does, by the bytes of a table. Nothing when they are none, or the root is none.
#[must_use]
pub fn answer_lines(table: &[u8], root: &str, lines: &[u8]) -> Option<Vec<u8>> {
    let place = Path::new("-");
    let table = open_table(place, table).ok()?;
    let judge = Judge {
        table: &table,
        vocabulary: Vocabulary::of(&table),
        root: Root::new(root).ok()?,
        with_obligations: true,
    };
    let mut answers = Vec::new();
    judge.all(Lines::of(Box::new(io::Cursor::new(lines.to_vec()))), &mut answers, place).ok()?;
    Some(answers)
}

fn requests(path: &Path) -> Result<Box<dyn Read>, RunError> {
    if path == Path::new("-") {
        return Ok(Box::new(io::stdin()));
    }
    let file = File::open(path).map_err(|error| RunError::Read(path.to_owned(), error.to_string()))?;
    Ok(Box::new(file))
}

/// A table and how requests are read for it.
struct Judge<'t> {
    table: &'t Table<'t>,
    vocabulary: Vocabulary<'t>,
    root: Root,
    with_obligations: bool,
}

/// What there was among the answers.
#[derive(Debug, Default)]
struct Tally {
    errors: bool,
    denials: bool,
}

#[derive(Serialize)]
struct Answer<'a> {
    id: Option<&'a RawValue>,
    #[serde(flatten)]
    judged: &'a Judged,
}

#[derive(Serialize)]
struct Failure<'a> {
    id: Option<&'a RawValue>,
    error: String,
    line: u64,
}

impl Judge<'_> {
    /// Answers line by line, in memory that does not grow with their number. A reader of the answers that
    /// has seen enough ends it.
    fn all(&self, mut lines: Lines, out: impl Write, requests: &Path) -> Result<Tally, RunError> {
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

    fn answer(&self, line: &Line<'_>, tally: &mut Tally, text: &mut Vec<u8>) -> Result<(), RunError> {
        let fields = match line.bytes {
            Some(bytes) if bytes.trim_ascii().is_empty() => return Ok(()),
            Some(bytes) => Fields::read(bytes),
            None => Err(LineError::TooLong),
        };
        let (id, judged) = match &fields {
            Ok(fields) => (fields.id().ok().flatten(), self.judge(fields)),
            Err(error) => (None, Err(error.clone())),
        };
        let written = match judged {
            Ok(judged) => {
                tally.denials |= judged.is_denied();
                serde_json::to_writer(&mut *text, &Answer { id, judged: &judged })
            }
            Err(error) => {
                tally.errors = true;
                serde_json::to_writer(&mut *text, &Failure { id, error: error.to_string(), line: line.number })
            }
        };
        text.push(b'\n');
        written.map_err(|error| RunError::Format(error.to_string()))
    }

    fn judge(&self, fields: &Fields<'_>) -> Result<Judged, LineError> {
        fields.id()?;
        match asked(fields, &self.vocabulary, &self.root)? {
            Asked::Facts(facts) => Judged::by_table(self.table, &facts, self.with_obligations),
            Asked::Refused(refused) => Ok(Judged::refused(refused)),
        }
    }
}

/// Answers that are written at once.
const OUTPUT_BYTES: usize = 64 << 10;
