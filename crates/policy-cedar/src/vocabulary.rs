//! Model -> what a request shows to Cedar: names of entities, facts of each operation, segments, atoms.
//! Policies, schema and requests are all made from this one description.

use std::collections::{BTreeMap, BTreeSet};

use policy_model::catalogue::AttributeKind;
use policy_model::{Attribute, Condition, Model, Operation, OperationId, Pattern, Regex, Rule, SegmentGlob};

use crate::glob::GlobForm;

/// What requests of a policy are made of.
#[derive(Debug)]
pub(crate) struct Vocabulary {
    /// What is shown of a path or reference.
    pub(crate) segments: Segments,
    /// By [`OperationId`].
    pub(crate) operations: Vec<Facts>,
}

/// Which parts of a path the globs of a policy ask for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Segments {
    /// How many from the front.
    pub(crate) from_front: usize,
    /// How many from the back.
    pub(crate) from_back: usize,
    /// Whether the wrapped path is.
    pub(crate) wrapped: bool,
}

/// What a request for one operation can show.
#[derive(Debug, Default)]
pub(crate) struct Facts {
    /// The operation's name.
    pub(crate) action: String,
    /// Its tool's name.
    pub(crate) tool: String,
    /// Strings, absent or there.
    pub(crate) strings: BTreeMap<String, Form>,
    /// Numbers, open or there.
    pub(crate) numbers: BTreeSet<String>,
    /// Flags, said or not.
    pub(crate) flags: BTreeSet<String>,
    /// Questions that Cedar cannot ask, by name. The name says all: `line matches ^ls$`.
    pub(crate) atoms: BTreeMap<String, Atom>,
}

/// How a string is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// As it is.
    Text,
    /// As a record of its segments.
    Segments,
}

/// A question about a string. It is answered no when there is no string.
#[derive(Debug, Clone)]
pub(crate) struct Atom {
    /// Of which string.
    pub(crate) attribute: String,
    /// What is asked.
    pub(crate) question: Question,
}

/// What Cedar cannot ask of a string.
#[derive(Debug, Clone)]
pub(crate) enum Question {
    Glob(SegmentGlob),
    Regex(Regex),
}

impl Vocabulary {
    pub(crate) fn of(model: &Model) -> Self {
        let mut vocabulary =
            Self { segments: Segments::default(), operations: model.operations.iter().map(Facts::of).collect() };
        for rule in &model.rules {
            vocabulary.add(rule);
        }
        vocabulary
    }

    pub(crate) fn facts(&self, operation: OperationId) -> Option<&Facts> {
        self.operations.get(operation.0)
    }

    fn add(&mut self, rule: &Rule) {
        let mut atoms = Vec::new();
        if let Some(condition) = &rule.condition {
            self.segments.add(condition, &mut atoms);
        }
        for operation in &rule.operations {
            let Some(facts) = self.operations.get_mut(operation.0) else {
                continue;
            };
            // A rule may limit what only some of its operations have. It is exceeded wherever a request
            // states the number, so each of them can.
            facts.numbers.extend(rule.limits.iter().map(|limit| limit.attribute.name.to_string()));
            facts.atoms.extend(atoms.iter().map(|atom| (atom.name(), atom.clone())));
        }
    }
}

impl Segments {
    fn add(&mut self, condition: &Condition, atoms: &mut Vec<Atom>) {
        match condition {
            Condition::All(parts) | Condition::Any(parts) => parts.iter().for_each(|part| self.add(part, atoms)),
            Condition::Not(part) => self.add(part, atoms),
            Condition::In { attribute, sets, at: _ } => {
                for located in sets.iter().flat_map(|set| set.patterns()) {
                    if let Pattern::Segments(glob) = &located.pattern {
                        self.add_glob(attribute, glob, atoms);
                    }
                }
            }
            Condition::Matches { attribute, regex, at: _ } => {
                atoms.push(Atom::new(attribute, Question::Regex(regex.clone())));
            }
            Condition::Flag { .. } | Condition::Equals { .. } | Condition::Number { .. } => {}
        }
    }

    fn add_glob(&mut self, attribute: &Attribute, glob: &SegmentGlob, atoms: &mut Vec<Atom>) {
        match GlobForm::of(glob) {
            GlobForm::Never | GlobForm::Every | GlobForm::Literal(_) => {}
            GlobForm::Fixed(words) => self.from_front = self.from_front.max(words.len()),
            GlobForm::Around { before, after } => {
                self.from_front = self.from_front.max(before.len());
                self.from_back = self.from_back.max(after.len());
            }
            GlobForm::Wrapped(_) => self.wrapped = true,
            GlobForm::Atom => atoms.push(Atom::new(attribute, Question::Glob(glob.clone()))),
        }
    }
}

impl Facts {
    fn of(operation: &Operation) -> Self {
        let mut facts = Self { action: operation.name.clone(), tool: operation.tool.clone(), ..Self::default() };
        for attribute in &operation.attributes {
            let name = attribute.name.to_string();
            match Form::of(attribute.kind) {
                Some(form) => {
                    facts.strings.insert(name, form);
                }
                None if attribute.kind == AttributeKind::Flag => {
                    facts.flags.insert(name);
                }
                None => {
                    facts.numbers.insert(name);
                }
            }
        }
        facts
    }
}

impl Form {
    /// None of what is no string.
    pub(crate) fn of(kind: AttributeKind) -> Option<Self> {
        match kind {
            AttributeKind::Path | AttributeKind::Ref => Some(Self::Segments),
            AttributeKind::Host | AttributeKind::Command | AttributeKind::Model | AttributeKind::Word => {
                Some(Self::Text)
            }
            AttributeKind::Flag
            | AttributeKind::Count
            | AttributeKind::Size
            | AttributeKind::Duration
            | AttributeKind::Hundredths => None,
        }
    }
}

impl Atom {
    fn new(attribute: &Attribute, question: Question) -> Self {
        Self { attribute: attribute.name.to_string(), question }
    }

    pub(crate) fn name(&self) -> String {
        match &self.question {
            Question::Glob(glob) => glob_atom(&self.attribute, glob),
            Question::Regex(regex) => regex_atom(&self.attribute, regex),
        }
    }

    /// The answer for a request with this string, or without it.
    pub(crate) fn holds(&self, value: Option<&str>) -> bool {
        value.is_some_and(|value| match &self.question {
            Question::Glob(glob) => glob.matches(value),
            Question::Regex(regex) => regex.is_match(value),
        })
    }
}

/// Attributes have no blanks, so no two questions share a name.
pub(crate) fn glob_atom(attribute: &str, glob: &SegmentGlob) -> String {
    format!("{attribute} in {glob}")
}

pub(crate) fn regex_atom(attribute: &str, regex: &Regex) -> String {
    format!("{attribute} matches {}", regex.pattern())
}

/// `s0`, the first segment.
pub(crate) fn from_front(index: usize) -> String {
    format!("s{index}")
}

/// `r0`, the last segment.
pub(crate) fn from_back(index: usize) -> String {
    format!("r{index}")
}

/// Entity types.
pub(crate) const ROLE: &str = "Role";
pub(crate) const SESSION: &str = "Session";
pub(crate) const TOOL: &str = "Tool";
pub(crate) const ACTION: &str = "Action";

/// The common type of a path's record.
pub(crate) const SEGMENTS: &str = "Segments";

/// Parts of the context.
pub(crate) const APPROVED: &str = "approved";
pub(crate) const STRINGS: &str = "strings";
pub(crate) const NUMBERS: &str = "numbers";
pub(crate) const FLAGS: &str = "flags";
pub(crate) const ATOMS: &str = "atoms";

/// Parts of a path's record.
pub(crate) const TEXT: &str = "text";
pub(crate) const DEPTH: &str = "depth";
pub(crate) const WRAPPED: &str = "wrapped";
