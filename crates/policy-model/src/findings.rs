//! A bounded list of findings.

use policy_syntax::limits::FINDINGS_MAX;
use policy_syntax::{Code, Diagnostic, FileId, Location, Severity, codes as text_codes};

use crate::codes;
use crate::expectations::Expectations;

/// Errors and other findings, each up to a limit, so that neither hides the other.
#[derive(Debug, Default)]
pub(crate) struct Findings<'a> {
    expectations: Expectations<'a>,
    errors: Vec<Diagnostic>,
    others: Vec<Diagnostic>,
    dropped_errors: bool,
    dropped_others: bool,
}

impl<'a> Findings<'a> {
    /// Creates an empty list. Expected warnings are not added to it, so that they cannot fill it.
    pub(crate) fn new(expectations: Expectations<'a>) -> Self {
        Self { expectations, ..Self::default() }
    }

    pub(crate) fn push(&mut self, finding: impl FnOnce() -> Diagnostic) {
        if self.errors.len() < FINDINGS_MAX {
            let finding = finding();
            debug_assert_eq!(finding.code.severity, Severity::Error, "{}", finding.code.id);
            self.errors.push(finding);
        } else {
            self.dropped_errors = true;
        }
    }

    pub(crate) fn error(
        &mut self,
        code: &'static Code,
        at: Location,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        self.push(|| Diagnostic::new(code, at, message).help(help));
    }

    pub(crate) fn warning(
        &mut self,
        code: &'static Code,
        at: Location,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        self.warn(|| Diagnostic::new(code, at, message).help(help));
    }

    pub(crate) fn warn(&mut self, finding: impl FnOnce() -> Diagnostic) {
        if self.dropped_others {
            return;
        }
        let finding = finding();
        debug_assert_ne!(finding.code.severity, Severity::Error, "{}", finding.code.id);
        if self.expectations.silence(&finding) {
            return;
        }
        self.dropped_others = self.others.len() >= FINDINGS_MAX;
        if !self.dropped_others {
            self.others.push(finding);
        }
    }

    /// Adds the findings of an earlier stage.
    pub(crate) fn extend(&mut self, found: Vec<Diagnostic>) {
        for finding in found {
            match finding.code.severity {
                Severity::Error => self.errors.push(finding),
                Severity::Warning | Severity::Note => self.warn(|| finding),
            }
        }
    }

    /// Adds a warning for each unmet expectation, unless warnings were left out: then none is certain.
    pub(crate) fn report_unmet(&mut self, root: FileId) {
        if !self.dropped_others {
            let room = FINDINGS_MAX.saturating_sub(self.others.len());
            let mut unmet: Vec<Diagnostic> = self.expectations.unmet(root).take(room.saturating_add(1)).collect();
            self.dropped_others = unmet.len() > room;
            unmet.truncate(room);
            self.others.extend(unmet);
        }
    }

    pub(crate) fn has_errors(&self) -> bool {
        !self.errors.is_empty()
    }

    /// Returns all findings, with one more if some were left out.
    pub(crate) fn into_vec(self) -> Vec<Diagnostic> {
        let left_out = |code, list: &[Diagnostic], kind| {
            let at = list.last()?.primary.at;
            let message = format!("more than {FINDINGS_MAX} {kind}; the rest is not shown");
            Some(Diagnostic::new(code, at, message).help("fix the first ones and check again"))
        };
        let errors =
            self.dropped_errors.then(|| left_out(text_codes::TOO_MANY_FINDINGS, &self.errors, "errors")).flatten();
        let others = self.dropped_others.then(|| left_out(codes::MORE_WARNINGS, &self.others, "warnings")).flatten();
        self.errors.into_iter().chain(self.others).chain(errors).chain(others).collect()
    }
}
