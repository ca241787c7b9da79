//! Warnings about rules that allow a command which can run any other.

use std::collections::{BTreeMap, BTreeSet};

use policy_syntax::{Diagnostic, Effect, quote};

use super::run_others::RUN_OTHERS;
use crate::catalogue::SHELL_EXEC;
use crate::codes;
use crate::evaluate::{Request, holds};
use crate::findings::Findings;
use crate::model::{Condition, Model, OperationId};
use crate::pattern::Pattern;

pub(super) fn lint(model: &Model, found: &mut Findings<'_>) {
    let Some(exec) = model.operation(SHELL_EXEC) else {
        return;
    };
    let samples: Vec<Request> = RUN_OTHERS.iter().map(|(command, _)| request_for_command(exec, command)).collect();
    let mut steps_left = STEPS_MAX;
    for rule in &model.rules {
        if rule.effect == Effect::Deny || !rule.operations.contains(&exec) {
            continue;
        }
        let lines = rule.condition.as_ref().map_or_else(Lines::default, Lines::of);
        let samples_each = if lines.are_asked_for { LINE_STARTS.len().saturating_add(lines.starred.len()) } else { 1 };
        let steps = rule.condition.as_ref().map_or(0, comparisons).saturating_mul(samples_each);
        steps_left = steps_left.saturating_sub(steps.saturating_mul(RUN_OTHERS.len()));
        if steps_left == 0 {
            let message =
                format!("the rule {} has too many patterns to check which commands it allows", quote(&rule.name));
            found.warning(codes::RUNS_OTHERS, rule.name_at, message, "name fewer commands or lines in the rule");
            continue;
        }
        let allows = |command: &str, any_line: &Request| match &rule.condition {
            None => true,
            Some(condition) if lines.are_asked_for => lines.some_are_possible(condition, any_line.clone(), command),
            Some(condition) => possible(condition, any_line).yes,
        };
        let allowed: Vec<&(&str, &str)> = RUN_OTHERS
            .iter()
            .zip(&samples)
            .filter(|((command, _), any_line)| allows(command, any_line))
            .map(|(entry, _)| entry)
            .collect();
        let Some((command, reason)) = allowed.first() else {
            continue;
        };
        found.warn(|| {
            let message = match allowed.len() {
                all if all == RUN_OTHERS.len() => format!("the rule {} allows every command", quote(&rule.name)),
                1 => format!("the rule {} allows {}, which can run other commands", quote(&rule.name), quote(command)),
                more => format!(
                    "the rule {} allows {} and {} more commands that can run others",
                    quote(&rule.name),
                    quote(command),
                    more - 1
                ),
            };
            let reasons: Vec<String> =
                allowed.iter().take(REASONS_MAX).map(|(command, reason)| format!("{command}: {reason}")).collect();
            let help = match allowed.len() {
                all if all == RUN_OTHERS.len() => {
                    "add `command in …`, or allow exact lines: `line == \"make test\"`".to_owned()
                }
                1 => format!("{reason}; allow exact lines (`line == \"…\"`), or write `# expect W0807: REASON`"),
                _ => format!("{}; allow exact lines, or write `# expect W0807: REASON`", reasons.join("; ")),
            };
            Diagnostic::new(codes::RUNS_OTHERS, rule.name_at, message).help(help)
        });
    }
}

/// Counts the patterns that a condition compares a value with; a regex counts by its size.
fn comparisons(condition: &Condition) -> usize {
    match condition {
        Condition::All(parts) | Condition::Any(parts) => parts.iter().map(comparisons).fold(0, usize::saturating_add),
        Condition::Not(part) => comparisons(part),
        Condition::In { sets, .. } => {
            sets.iter().flat_map(|set| &set.lists).map(|list| list.len()).fold(0, usize::saturating_add)
        }
        Condition::Matches { regex, .. } => regex.compiled_bytes() / REGEX_BYTES_PER_STEP,
        Condition::Equals { .. } | Condition::Flag { .. } | Condition::Number { .. } => 1,
    }
}

/// The patterns for whole lines in a condition.
#[derive(Default)]
struct Lines {
    are_asked_for: bool,
    /// Lines with a star, or that a regex may start with, completed by an unlikely argument.
    starred: Vec<String>,
}

impl Lines {
    fn of(condition: &Condition) -> Self {
        let mut lines = Self::default();
        lines.add(condition);
        lines
    }

    fn add(&mut self, condition: &Condition) {
        match condition {
            Condition::All(parts) | Condition::Any(parts) => parts.iter().for_each(|part| self.add(part)),
            Condition::Not(part) => self.add(part),
            Condition::In { attribute, sets, .. } if &*attribute.name == "line" => {
                self.are_asked_for = true;
                for located in sets.iter().flat_map(|set| set.patterns()) {
                    if let Pattern::Word(glob) = &located.pattern
                        && glob.literal().is_none()
                    {
                        self.starred.push(glob.parts().join(UNLIKELY));
                    }
                }
            }
            Condition::Matches { attribute, regex, .. } if &*attribute.name == "line" => {
                self.are_asked_for = true;
                for prefix in regex.prefixes() {
                    self.starred.push(format!("{prefix}{UNLIKELY}"));
                    self.starred.push(format!("{prefix} {UNLIKELY}"));
                }
            }
            Condition::Equals { attribute, .. } => self.are_asked_for |= &*attribute.name == "line",
            Condition::In { .. } | Condition::Matches { .. } | Condition::Flag { .. } | Condition::Number { .. } => {}
        }
    }

    /// Returns true if the condition can hold for a line of the command with an unlikely argument, after one of the
    /// usual starts of such lines. A rule for exact lines allows none of them.
    fn some_are_possible(&self, condition: &Condition, mut sample: Request, command: &str) -> bool {
        let mut is_possible = |line: &str| {
            sample.strings.entry("line".to_owned()).or_default().replace_range(.., line);
            possible(condition, &sample).yes
        };
        let of_command = |line: &&String| line.strip_prefix(command).is_some_and(|rest| rest.starts_with(' '));
        let mut line = String::new();
        LINE_STARTS.iter().any(|start| {
            line.clear();
            let gap = if start.is_empty() { "" } else { " " };
            line.extend([command, gap, start, " ", UNLIKELY]);
            is_possible(&line)
        }) || self.starred.iter().filter(of_command).any(|line| is_possible(line))
    }
}

fn request_for_command(operation: OperationId, command: &str) -> Request {
    let strings = ["command", "line"].map(|name| (name.to_owned(), command.to_owned()));
    let strings = BTreeMap::from(strings);
    Request { roles: BTreeSet::new(), operation, strings, numbers: BTreeMap::new(), flags: BTreeSet::new() }
}

/// The possible values of a condition for requests with this command and line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Possible {
    yes: bool,
    no: bool,
}

fn possible(condition: &Condition, sample: &Request) -> Possible {
    match condition {
        Condition::All(parts) => {
            let parts = parts.iter().map(|part| possible(part, sample));
            parts.fold(Possible { yes: true, no: false }, |all, part| Possible {
                yes: all.yes && part.yes,
                no: all.no || part.no,
            })
        }
        Condition::Any(parts) => {
            let parts = parts.iter().map(|part| possible(part, sample));
            parts.fold(Possible { yes: false, no: true }, |any, part| Possible {
                yes: any.yes || part.yes,
                no: any.no && part.no,
            })
        }
        Condition::Not(part) => {
            let part = possible(part, sample);
            Possible { yes: part.no, no: part.yes }
        }
        Condition::In { attribute, .. }
        | Condition::Equals { attribute, .. }
        | Condition::Matches { attribute, .. }
            if sample.strings.contains_key(&*attribute.name) =>
        {
            let yes = holds(condition, sample);
            Possible { yes, no: !yes }
        }
        Condition::In { .. }
        | Condition::Equals { .. }
        | Condition::Matches { .. }
        | Condition::Flag { .. }
        | Condition::Number { .. } => Possible { yes: true, no: true },
    }
}

/// Comparisons for all rules; a rule that would need more is assumed to allow every command.
const STEPS_MAX: usize = 4_000_000;

/// So much of an automaton costs about as much as comparing with one pattern.
const REGEX_BYTES_PER_STEP: usize = 64;

/// An argument that nobody lists by chance.
const UNLIKELY: &str = "--Some=Argument/Nobody:Lists";

/// Text between a command and its arguments.
const LINE_STARTS: [&str; 18] = [
    "", "--option", "-c", "-e", "-m", "add", "build", "check", "ci", "diff", "exec", "install", "log", "run", "show",
    "start", "status", "test",
];

/// Commands explained in a help text.
const REASONS_MAX: usize = 3;
