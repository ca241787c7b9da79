//! Nodes -> typed values, with a finding wherever one is not what its key needs.

use std::collections::BTreeMap;

use policy_syntax::limits::FINDINGS_MAX;
use policy_syntax::{Code, Diagnostic, FileId, Location, Severity, Span, did_you_mean, quote};

use crate::codes;
use crate::draft::{literal, regex_literal};
use crate::tree::{Entry, Node, Value};

/// What was found in the imported file so far.
#[derive(Debug)]
pub(crate) struct Findings {
    file: FileId,
    found: Vec<Diagnostic>,
    /// How many there were of each severity.
    counts: BTreeMap<Severity, usize>,
}

impl Findings {
    pub(crate) fn new(file: FileId) -> Self {
        Self { file, found: Vec::new(), counts: BTreeMap::new() }
    }

    /// Adds a finding; of each severity one too many is not kept.
    pub(crate) fn add(&mut self, code: &'static Code, at: Span, message: impl Into<String>, help: impl Into<String>) {
        let known = self.counts.entry(code.severity).or_default();
        *known = known.saturating_add(1);
        if *known <= FINDINGS_MAX {
            let place = Location { file: self.file, span: at };
            self.found.push(Diagnostic::new(code, place, message).help(help));
        }
    }

    pub(crate) fn has_errors(&self) -> bool {
        self.counts.contains_key(&Severity::Error)
    }

    pub(crate) fn into_vec(mut self) -> Vec<Diagnostic> {
        for (severity, count) in self.counts {
            if let (Some(more), Some(last)) = (
                count.checked_sub(FINDINGS_MAX).filter(|more| *more > 0),
                self.found.iter_mut().rfind(|finding| finding.code.severity == severity),
            ) {
                last.message.push_str(&format!(" ({more} more like it are not shown)"));
            }
        }
        self.found.sort_by_key(|finding| finding.primary.at);
        self.found
    }

    /// The entries of a table, each with a key that is known.
    pub(crate) fn map<'a>(&mut self, node: &'a Node, what: &str, known: &[&'static str]) -> &'a [Entry] {
        let Value::Map(entries) = &node.value else {
            self.wrong(node, what, "a table of keys");
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
                self.wrong(node, what, "a list");
                &[]
            }
        }
    }

    pub(crate) fn text<'a>(&mut self, node: &'a Node, what: &str) -> Option<&'a str> {
        match &node.value {
            Value::Text(text) => Some(text),
            _ => {
                self.wrong(node, what, "a text");
                None
            }
        }
    }

    pub(crate) fn flag(&mut self, node: &Node, what: &str) -> Option<bool> {
        match node.value {
            Value::Flag(flag) => Some(flag),
            _ => {
                self.wrong(node, what, "true or false");
                None
            }
        }
    }

    /// The texts of a list, with their places.
    pub(crate) fn texts<'a>(&mut self, node: &'a Node, what: &str) -> Vec<(Span, &'a str)> {
        let items = self.list(node, what);
        let each = format!("each of {what}");
        items.iter().filter_map(|item| Some((item.at, self.text(item, &each)?))).collect()
    }

    /// A string of the language.
    pub(crate) fn literal(&mut self, at: Span, text: &str) -> Option<String> {
        let literal = literal(text);
        self.seen(at, text, literal)
    }

    /// A regex as a string of the language.
    pub(crate) fn regex_literal(&mut self, at: Span, text: &str) -> Option<String> {
        let literal = regex_literal(text);
        self.seen(at, text, literal)
    }

    fn seen(&mut self, at: Span, text: &str, literal: Option<String>) -> Option<String> {
        if literal.is_none() {
            let message = format!("{} has a character that cannot be seen", quote(text));
            let help = match text.contains('\u{8}') {
                true => "in double quotes `\\b` is such a character: write regexes in single quotes",
                false => "no policy has control characters, line breaks in strings or invisible characters",
            };
            self.add(codes::NOT_SAYABLE, at, message, help);
        }
        literal
    }

    pub(crate) fn wrong(&mut self, node: &Node, what: &str, wanted: &str) {
        let message = format!("{what} is {wanted}, and this is {}", node.value.noun());
        self.add(codes::WRONG_VALUE, node.at, message, format!("write {wanted}"));
    }
}
