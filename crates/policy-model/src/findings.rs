//! A bounded list of findings: past the bound a finding is not even put into words.

use policy_syntax::limits::FINDINGS_MAX;
use policy_syntax::{Diagnostic, Severity, codes};

/// What was found so far.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    list: Vec<Diagnostic>,
    dropped: bool,
}

impl Findings {
    pub(crate) fn push(&mut self, finding: impl FnOnce() -> Diagnostic) {
        if self.list.len() < FINDINGS_MAX {
            self.list.push(finding());
        } else {
            self.dropped = true;
        }
    }

    pub(crate) fn has_errors(&self) -> bool {
        self.dropped || self.list.iter().any(|finding| finding.code.severity == Severity::Error)
    }

    /// All of them, with a last one that says when some were left out.
    pub(crate) fn into_vec(mut self) -> Vec<Diagnostic> {
        if self.dropped
            && let Some(at) = self.list.last().map(|finding| finding.primary.at)
        {
            let message = format!("there are more than {FINDINGS_MAX} findings; the rest is not shown");
            let help = "fix the first ones and check again";
            self.list.push(Diagnostic::new(codes::TOO_MANY_FINDINGS, at, message).help(help));
        }
        self.list
    }
}
