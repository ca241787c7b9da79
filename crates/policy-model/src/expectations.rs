//! `# expect CODE: REASON` — a warning the author knows of, with a reason a reviewer can judge.
//!
//! It silences that warning at one statement, and becomes a warning itself when there is none.

use std::collections::HashMap;

use policy_syntax::{Code, Comment, Diagnostic, FileId, Location, Severity, quote};

use crate::codes;
use crate::link::{Linked, Origin, Unit};

/// Removes the warnings that are expected, and those of packs, which their authors have dealt with.
pub(crate) fn apply(linked: &Linked, found: Vec<Diagnostic>, report_unmet: bool) -> Vec<Diagnostic> {
    let units: HashMap<FileId, &Unit> = linked.units.iter().map(|unit| (unit.file, unit)).collect();
    let own = linked.units.iter().filter(|unit| unit.origin != Origin::Pack);
    let mut expectations: Vec<Expectation<'_>> =
        own.flat_map(|unit| unit.ast.comments.iter().filter_map(|comment| Expectation::read(unit, comment))).collect();
    let mut by_statement: HashMap<(FileId, usize), Vec<usize>> = HashMap::new();
    for (index, expectation) in expectations.iter().enumerate() {
        by_statement.entry((expectation.at.file, expectation.statement)).or_default().push(index);
    }
    let mut kept = Vec::with_capacity(found.len());
    for finding in found {
        let at = finding.primary.at;
        let is_error = finding.code.severity == Severity::Error;
        let unit = units.get(&at.file);
        if !is_error && unit.is_some_and(|unit| unit.origin == Origin::Pack) {
            continue;
        }
        let statement = unit.and_then(|unit| statement_at(unit, at.span.start));
        let here = statement.and_then(|statement| by_statement.get(&(at.file, statement)));
        let mut is_expected = false;
        for index in here.into_iter().flatten() {
            if let Some(expectation) = expectations.get_mut(*index)
                && expectation.code == finding.code.id
                && expectation.has_reason
                && !is_error
            {
                expectation.is_met = true;
                is_expected = true;
            }
        }
        if !is_expected {
            kept.push(finding);
        }
    }
    if report_unmet {
        let unmet = expectations.iter().filter(|expectation| !expectation.is_met);
        // What an import leaves unused is only reported when it is checked itself.
        let known = |expectation: &&Expectation<'_>| {
            expectation.at.file == linked.root || !ROOT_ONLY.iter().any(|code| code.id == expectation.code)
        };
        kept.extend(unmet.filter(known).map(Expectation::finding));
    }
    kept
}

struct Expectation<'a> {
    code: &'a str,
    has_reason: bool,
    is_met: bool,
    statement: usize,
    at: Location,
}

impl<'a> Expectation<'a> {
    fn read(unit: &Unit, comment: &'a Comment) -> Option<Self> {
        let rest = comment.text.strip_prefix('#')?.trim_start().strip_prefix("expect ")?;
        let (code, reason) = rest.split_once(':').unwrap_or((rest, ""));
        let code = code.trim();
        let is_code =
            code.len() == 5 && code.starts_with(['E', 'W', 'N']) && code.chars().skip(1).all(|c| c.is_ascii_digit());
        if !is_code {
            return None;
        }
        let start = comment.span.start;
        let statements = &unit.ast.statements;
        let after = statements.partition_point(|statement| statement.span.end <= start);
        let statement =
            if comment.own_line { after } else { after.saturating_sub(usize::from(!inside(unit, after, start))) };
        Some(Self {
            code,
            has_reason: !reason.trim().is_empty(),
            is_met: false,
            statement,
            at: Location { file: unit.file, span: comment.span },
        })
    }

    fn finding(&self) -> Diagnostic {
        let (message, help) = match (self.has_reason, self.code.starts_with('W')) {
            (_, false) => (format!("{} is no warning and cannot be expected", quote(self.code)), "correct it instead"),
            (false, true) => {
                (format!("the expectation of {} has no reason", self.code), "write `# expect CODE: REASON`")
            }
            (true, true) => (format!("there is no {} at this statement", self.code), "remove the comment"),
        };
        Diagnostic::new(codes::UNMET_EXPECTATION, self.at, message).help(help)
    }
}

fn inside(unit: &Unit, statement: usize, offset: u32) -> bool {
    unit.ast.statements.get(statement).is_some_and(|statement| statement.span.contains(offset))
}

fn statement_at(unit: &Unit, offset: u32) -> Option<usize> {
    let statement = unit.ast.statements.partition_point(|statement| statement.span.end <= offset);
    inside(unit, statement, offset).then_some(statement)
}

/// Warnings that only the policy's own file can have.
const ROOT_ONLY: [&Code; 2] = [codes::UNUSED_SET, codes::UNUSED_ROLE];
