//! `# expect CODE: REASON` — a warning the author knows of, with a reason a reviewer can judge.
//!
//! It silences that warning at one statement, and becomes a warning itself when there is none.

use std::collections::HashMap;

use policy_syntax::{Code, Comment, Diagnostic, FileId, Location, Severity, quote};

use crate::codes;
use crate::link::{Linked, Origin, Unit};

/// The expectations of a policy's files.
#[derive(Debug, Default)]
pub(crate) struct Expectations<'a> {
    units: HashMap<FileId, &'a Unit>,
    list: Vec<Expectation<'a>>,
    by_statement: HashMap<(FileId, usize), Vec<usize>>,
}

impl<'a> Expectations<'a> {
    pub(crate) fn of(linked: &'a Linked) -> Self {
        let units = linked.units.iter().map(|unit| (unit.file, unit)).collect();
        let own = linked.units.iter().filter(|unit| unit.origin != Origin::Pack);
        let of_unit = |unit: &'a Unit| unit.ast.comments.iter().filter_map(|comment| Expectation::read(unit, comment));
        let list: Vec<Expectation<'a>> = own.flat_map(of_unit).collect();
        let mut by_statement: HashMap<(FileId, usize), Vec<usize>> = HashMap::new();
        for (index, expectation) in list.iter().enumerate() {
            by_statement.entry((expectation.at.file, expectation.statement)).or_default().push(index);
        }
        Self { units, list, by_statement }
    }

    /// Whether nobody needs to see a warning or note: it is expected, or it is about a pack, whose
    /// authors have dealt with it.
    pub(crate) fn silence(&mut self, finding: &Diagnostic) -> bool {
        let at = finding.primary.at;
        let Some(unit) = self.units.get(&at.file) else {
            return false;
        };
        if unit.origin == Origin::Pack {
            return true;
        }
        let here = statement_at(unit, at.span.start).and_then(|statement| self.by_statement.get(&(at.file, statement)));
        let mut is_expected = false;
        for index in here.into_iter().flatten() {
            if let Some(expectation) = self.list.get_mut(*index)
                && expectation.code == finding.code.id
                && expectation.has_reason
                && finding.code.severity == Severity::Warning
            {
                expectation.is_met = true;
                is_expected = true;
            }
        }
        is_expected
    }

    /// A finding for each expectation that nothing met.
    pub(crate) fn unmet(&self, root: FileId) -> impl Iterator<Item = Diagnostic> {
        // What an import leaves unused is only reported when it is checked itself.
        let known = move |expectation: &&Expectation<'_>| {
            expectation.at.file == root || !ROOT_ONLY.iter().any(|code| code.id == expectation.code)
        };
        self.list.iter().filter(|expectation| !expectation.is_met).filter(known).map(Expectation::finding)
    }
}

#[derive(Debug)]
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
