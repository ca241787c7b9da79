//! Model -> the vocabulary of requests to Cedar: names of entities, facts of each operation, segments, atoms. Policies, schema
//! and requests are all made from this description.

use std::collections::{BTreeMap, BTreeSet};

use policy_model::catalogue::AttributeKind;
use policy_model::{Attribute, Condition, Model, Operation, OperationId, Pattern, Regex, Rule, SegmentGlob};

use crate::glob::GlobForm;

#[derive(Debug)]
pub(crate) struct Vocabulary {
    pub(crate) segments: Segments,
    /// By [`OperationId`].
    pub(crate) operations: Vec<Facts>,
}

/// The parts of a path that the globs of a policy ask for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Segments {
    pub(crate) from_front: usize,
    pub(crate) from_back: usize,
    pub(crate) wrapped: bool,
}

/// The facts that a request for one operation can have.
#[derive(Debug, Default)]
pub(crate) struct Facts {
    /// The name of the operation.
    pub(crate) action: String,
    pub(crate) tool: String,
    pub(crate) strings: BTreeMap<String, Form>,
    pub(crate) numbers: BTreeSet<String>,
    pub(crate) flags: BTreeSet<String>,
    /// Questions that Cedar cannot ask, by name, such as `line matches ^ls$`.
    pub(crate) atoms: BTreeMap<String, Atom>,
}

/// The form of a string in a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    Text,
    /// A record of its segments.
    Segments,
}

/// A question about a string that the request answers itself; without the string the answer is no.
#[derive(Debug, Clone)]
pub(crate) struct Atom {
    pub(crate) attribute: String,
    pub(crate) question: AtomQuestion,
}

#[derive(Debug, Clone)]
pub(crate) enum AtomQuestion {
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
            // A rule may limit a number that only some of its operations have. The limit applies wherever a request
            // states the number, so every operation of the rule may state it.
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
                atoms.push(Atom::new(attribute, AtomQuestion::Regex(regex.clone())));
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
            GlobForm::Atom => atoms.push(Atom::new(attribute, AtomQuestion::Glob(glob.clone()))),
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
    /// Returns `None` for a number or flag.
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
    fn new(attribute: &Attribute, question: AtomQuestion) -> Self {
        Self { attribute: attribute.name.to_string(), question }
    }

    pub(crate) fn name(&self) -> String {
        match &self.question {
            AtomQuestion::Glob(glob) => glob_atom(&self.attribute, glob),
            AtomQuestion::Regex(regex) => regex_atom(&self.attribute, regex),
        }
    }

    /// Answers the question for a request with this string, or without one.
    pub(crate) fn holds(&self, value: Option<&str>) -> bool {
        value.is_some_and(|value| match &self.question {
            AtomQuestion::Glob(glob) => glob.matches(value),
            AtomQuestion::Regex(regex) => regex.is_match(value),
        })
    }
}

/// Attributes contain no blanks, so names are unique.
pub(crate) fn glob_atom(attribute: &str, glob: &SegmentGlob) -> String {
    format!("{attribute} in {glob}")
}

pub(crate) fn regex_atom(attribute: &str, regex: &Regex) -> String {
    format!("{attribute} matches {}", regex.pattern())
}

/// Returns `s0` for the first segment.
pub(crate) fn from_front(index: usize) -> String {
    format!("s{index}")
}

/// Returns `r0` for the last segment.
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
