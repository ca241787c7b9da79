//! `policyc fmt`: policies -> the same policies in their one layout.

use std::io;
use std::path::{Path, PathBuf};

use policy_syntax::{Diagnostic, Source, Sources, decode, format};

use crate::cli::{Color, FmtArgs};
use crate::exit::{Outcome, RunError, complain};
use crate::render::{counted, human_findings, visible};
use crate::report::Finding;
use crate::{files, output};

pub(crate) fn run(args: &FmtArgs, color: Color) -> Result<Outcome, RunError> {
    let inputs = inputs(&args.files);
    let mode = Mode::of(args, &inputs)?;
    let mut tally = Tally::default();
    let mut outcome = Outcome::Fine;
    for input in &inputs {
        let Some(Layout { before, after }) = layout(input, color, &mut outcome) else {
            continue;
        };
        let changed = before != after;
        match mode {
            Mode::Print => output::print(after.as_bytes())?,
            Mode::Check if changed => {
                output::print(difference(&input.name(), &before, &after).as_bytes())?;
                outcome = outcome.max(Outcome::Findings);
            }
            Mode::Write if changed => {
                if let Err(error) = input.replace(&after) {
                    complain(&format!("cannot write `{}`: {error}", input.name()), None);
                    outcome = Outcome::CouldNotRun;
                    continue;
                }
            }
            Mode::Check | Mode::Write => {}
        }
        tally.count(changed);
    }
    output::print(tally.summary(mode).as_bytes())?;
    Ok(outcome)
}

/// The use of the formatted text.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    Print,
    Check,
    Write,
}

impl Mode {
    fn of(args: &FmtArgs, inputs: &[Input<'_>]) -> Result<Self, RunError> {
        match (args.check, args.write) {
            (true, _) => Ok(Self::Check),
            (false, true) if inputs.iter().any(|input| matches!(input, Input::Standard)) => {
                Err(RunError::WriteToStandardInput)
            }
            (false, true) => Ok(Self::Write),
            (false, false) if inputs.len() > 1 => Err(RunError::FormatSeveralToOutput),
            (false, false) => Ok(Self::Print),
        }
    }
}

enum Input<'a> {
    Standard,
    File(&'a Path),
}

impl Input<'_> {
    fn name(&self) -> String {
        match self {
            Self::Standard => "<stdin>".to_owned(),
            Self::File(path) => path.display().to_string(),
        }
    }

    fn read(&self) -> Result<Vec<u8>, String> {
        match self {
            Self::Standard => files::read_standard_input(),
            Self::File(path) => files::read(path),
        }
    }

    fn replace(&self, text: &str) -> io::Result<()> {
        match self {
            Self::Standard => Err(io::Error::from(io::ErrorKind::Unsupported)),
            Self::File(path) => files::replace(path, text),
        }
    }
}

fn inputs(files: &[PathBuf]) -> Vec<Input<'_>> {
    if files.is_empty() {
        return vec![Input::Standard];
    }
    let of = |path| if path == Path::new("-") { Input::Standard } else { Input::File(path) };
    files.iter().map(|file| of(file.as_path())).collect()
}

struct Layout {
    before: String,
    after: String,
}

/// The text before and after, or nothing once it has been said why there is none.
fn layout(input: &Input<'_>, color: Color, outcome: &mut Outcome) -> Option<Layout> {
    let bytes = match input.read() {
        Ok(bytes) => bytes,
        Err(reason) => {
            complain(&format!("cannot read `{}`: {reason}", input.name()), None);
            *outcome = Outcome::CouldNotRun;
            return None;
        }
    };
    let mut sources = Sources::default();
    let (text, error) = match decode(bytes) {
        Ok(text) => (text, None),
        Err(error) => (String::new(), Some(error)),
    };
    let file = sources.add(Source::new(input.name(), text.as_str()));
    let after = match error {
        Some(error) => Err(vec![error.diagnostic(file)]),
        None => format(file, &text),
    };
    match after {
        Ok(after) => Some(Layout { before: text, after }),
        Err(diagnostics) => {
            show(&diagnostics, &sources, color);
            *outcome = (*outcome).max(Outcome::Findings);
            None
        }
    }
}

/// On the standard error: the standard output is for formatted text.
fn show(diagnostics: &[Diagnostic], sources: &Sources, color: Color) {
    let findings: Vec<_> = diagnostics.iter().map(|diagnostic| Finding { diagnostic, sources }).collect();
    output::complain_styled(&human_findings(&findings), color);
}

/// The lines from the first that differs to the last, at most a few of either side.
fn difference(name: &str, before: &str, after: &str) -> String {
    let before: Vec<_> = before.split_inclusive('\n').collect();
    let after: Vec<_> = after.split_inclusive('\n').collect();
    let same = before.iter().zip(&after).take_while(|(a, b)| a == b).count();
    let rest = before.len().min(after.len()).saturating_sub(same);
    let same_end = before.iter().rev().zip(after.iter().rev()).take(rest).take_while(|(a, b)| a == b).count();
    let mut text = format!("{}:{}: would be laid out differently\n", visible(name), same.saturating_add(1));
    for (sign, lines) in [('-', &before), ('+', &after)] {
        let changed = lines.len().saturating_sub(same).saturating_sub(same_end);
        for line in lines.iter().skip(same).take(changed.min(DIFFERENCE_LINES_MAX)) {
            match line.strip_suffix('\n') {
                Some(line) => text.push_str(&format!("{sign} {}\n", visible(line))),
                None => text.push_str(&format!("{sign} {} (no line break at the end)\n", visible(line))),
            }
        }
        if changed > DIFFERENCE_LINES_MAX {
            let more = counted(changed.saturating_sub(DIFFERENCE_LINES_MAX), "more line");
            text.push_str(&format!("{sign} … {more}\n"));
        }
    }
    text
}

#[derive(Default)]
struct Tally {
    changed: usize,
    unchanged: usize,
}

impl Tally {
    fn count(&mut self, changed: bool) {
        let counter = if changed { &mut self.changed } else { &mut self.unchanged };
        *counter = counter.saturating_add(1);
    }

    fn summary(&self, mode: Mode) -> String {
        let changed = counted(self.changed, "file");
        let unchanged = counted(self.unchanged, "file");
        match mode {
            Mode::Print => String::new(),
            Mode::Check => format!("{changed} would change, {unchanged} would not\n"),
            Mode::Write => format!("{changed} rewritten, {unchanged} unchanged\n"),
        }
    }
}

/// Unchanged lines shown on either side of a difference.
const DIFFERENCE_LINES_MAX: usize = 10;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_is_the_lines_between_what_is_the_same() {
        assert_eq!(difference("x", "a\nb\nc\n", "a\nB\nc\n"), "x:2: would be laid out differently\n- b\n+ B\n");
        assert_eq!(difference("x", "a\n\n\n", "a\n\n"), "x:3: would be laid out differently\n- \n");
        assert_eq!(
            difference("x", "a", "a\n"),
            "x:1: would be laid out differently\n- a (no line break at the end)\n+ a\n"
        );
        assert_eq!(difference("x", "a\r\n", "a\n"), "x:1: would be laid out differently\n- a\\u{d}\n+ a\n");
    }

    #[test]
    fn a_long_difference_is_counted() {
        let text = difference("x", &"a\n".repeat(12), "");
        assert!(text.ends_with("- a\n- … 2 more lines\n"), "{text}");
    }
}
