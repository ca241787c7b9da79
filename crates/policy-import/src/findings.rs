//! Nodes -> typed values, with a finding where a value has the wrong type.

use std::collections::BTreeMap;

use policy_syntax::limits::FINDINGS_MAX;
use policy_syntax::{Code, Diagnostic, FileId, Location, Severity, Span, did_you_mean, quote};

use crate::codes;
use crate::draft::{literal, regex_literal};
use crate::tree::{Entry, Node, Value};

/// The findings in the imported file so far.
#[derive(Debug)]
pub(crate) struct Findings {
    file: FileId,
    findings: Vec<Diagnostic>,
    /// Also counts findings beyond the limit, which are not kept.
    counts: BTreeMap<Severity, usize>,
}

impl Findings {
    pub(crate) fn new(file: FileId) -> Self {
        Self { file, findings: Vec::new(), counts: BTreeMap::new() }
    }

    /// Adds a finding; only the first [`FINDINGS_MAX`] of each severity are kept.
    pub(crate) fn add(&mut self, code: &'static Code, at: Span, message: impl Into<String>, help: impl Into<String>) {
        let known = self.counts.entry(code.severity).or_default();
        *known = known.saturating_add(1);
        if *known <= FINDINGS_MAX {
            let place = Location { file: self.file, span: at };
            self.findings.push(Diagnostic::new(code, place, message).help(help));
        }
    }

    pub(crate) fn has_errors(&self) -> bool {
        self.counts.contains_key(&Severity::Error)
    }

    pub(crate) fn into_vec(mut self) -> Vec<Diagnostic> {
        for (severity, count) in self.counts {
            if let (Some(more), Some(last)) = (
                count.checked_sub(FINDINGS_MAX).filter(|more| *more > 0),
                self.findings.iter_mut().rfind(|finding| finding.code.severity == severity),
            ) {
                last.message.push_str(&format!(" ({more} more like it are not shown)"));
            }
        }
        self.findings.sort_by_key(|finding| finding.primary.at);
        self.findings
    }

    /// Returns the entries of a table and reports unknown keys.
    pub(crate) fn map<'a>(&mut self, node: &'a Node, what: &str, known: &[&'static str]) -> &'a [Entry] {
        let Value::Map(entries) = &node.value else {
            self.wrong_type(node, what, "a table of keys");
            return &[];
        };
        for entry in entries.iter().filter(|entry| !known.contains(&entry.key.as_str())) {
            let message = format!("{what} has no key {}", quote(&entry.key));
            self.add(
                codes::UNKNOWN_KEY,
                entry.key_at,
                message,
                did_you_mean(&entry.key, "keys", known.iter().copied()),
            );
        }
        entries
    }

    pub(crate) fn list<'a>(&mut self, node: &'a Node, what: &str) -> &'a [Node] {
        match &node.value {
            Value::List(items) => items,
            _ => {
                self.wrong_type(node, what, "a list");
                &[]
            }
        }
    }

    pub(crate) fn text<'a>(&mut self, node: &'a Node, what: &str) -> Option<&'a str> {
        match &node.value {
            Value::Text(text) => Some(text),
            _ => {
                self.wrong_type(node, what, "a text");
                None
            }
        }
    }

    pub(crate) fn flag(&mut self, node: &Node, what: &str) -> Option<bool> {
        match node.value {
            Value::Flag(flag) => Some(flag),
            _ => {
                self.wrong_type(node, what, "true or false");
                None
            }
        }
    }

    /// Returns the texts of a list with their places.
    pub(crate) fn texts<'a>(&mut self, node: &'a Node, what: &str) -> Vec<(Span, &'a str)> {
        let items = self.list(node, what);
        let each = format!("each of {what}");
        items.iter().filter_map(|item| Some((item.at, self.text(item, &each)?))).collect()
    }

    /// Returns a text as a string literal of the language.
    pub(crate) fn literal(&mut self, at: Span, text: &str) -> Option<String> {
        let literal = literal(text);
        self.require_visible(at, text, literal)
    }

    /// Returns a regex as a string literal of the language.
    pub(crate) fn regex_literal(&mut self, at: Span, text: &str) -> Option<String> {
        let literal = regex_literal(text);
        self.require_visible(at, text, literal)
    }

    fn require_visible(&mut self, at: Span, text: &str, literal: Option<String>) -> Option<String> {
        if literal.is_none() {
            let message = format!("{} contains an invisible character", quote(text));
            let help = match text.contains('\u{8}') {
                true => "in double quotes `\\b` is a backspace: write regexes in single quotes",
                false => "a policy cannot contain control characters, invisible characters or line breaks in strings",
            };
            self.add(codes::NOT_EXPRESSIBLE, at, message, help);
        }
        literal
    }

    pub(crate) fn wrong_type(&mut self, node: &Node, what: &str, wanted: &str) {
        let message = format!("{what} must be {wanted}, not {}", node.value.noun());
        self.add(codes::WRONG_VALUE, node.at, message, format!("write {wanted}"));
    }
}
