//! Names of one kind: their declarations, and suggestions for unknown ones.

use std::collections::HashMap;

use policy_syntax::{Code, Diagnostic, FileId, Location, Name, did_you_mean, quote};

use crate::codes;
use crate::findings::Findings;

/// The declared names of one kind, in source order.
#[derive(Debug)]
pub(crate) struct Names<'a> {
    noun: &'static str,
    declared: Vec<(&'a str, Location)>,
    index: HashMap<&'a str, usize>,
}

impl<'a> Names<'a> {
    pub(crate) fn new(noun: &'static str) -> Self {
        Self { noun, declared: Vec::new(), index: HashMap::new() }
    }

    /// Declares a name and returns its number; reports a second declaration.
    pub(crate) fn declare(&mut self, file: FileId, name: &'a Name, found: &mut Findings<'_>) -> Option<usize> {
        let at = Location { file, span: name.span };
        if let Some(first) = self.index.get(name.text.as_str()).and_then(|index| self.declared.get(*index)) {
            found.push(|| self.declared_twice(name, at, first.1));
            return None;
        }
        let number = self.declared.len();
        self.index.insert(&name.text, number);
        self.declared.push((&name.text, at));
        Some(number)
    }

    pub(crate) fn find(&self, name: &str) -> Option<usize> {
        self.index.get(name).copied()
    }

    pub(crate) fn len(&self) -> usize {
        self.declared.len()
    }

    pub(crate) fn unknown(&self, code: &'static Code, name: &str, at: Location) -> Diagnostic {
        let message = format!("unknown {} {}", self.noun, quote(name));
        let candidates = self.declared.iter().map(|(name, _)| *name);
        Diagnostic::new(code, at, message).help(did_you_mean(name, &format!("{}s", self.noun), candidates))
    }

    fn declared_twice(&self, name: &Name, at: Location, first: Location) -> Diagnostic {
        let written = quote(&name.text);
        let noun = self.noun;
        if at.file == first.file {
            Diagnostic::new(codes::DUPLICATE_NAME, at, format!("the {noun} {written} is declared twice"))
                .also(first, "first declared here")
                .help("rename one of them")
        } else {
            Diagnostic::new(codes::NAME_CLASH, at, format!("the {noun} {written} is also declared in another file"))
                .also(first, "declared here")
                .help("rename one of them; the files of a policy share their names")
        }
    }
}
