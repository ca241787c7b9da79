//! Model -> rules as plain conjunctions: the common ground from which the other engines are built.
//! It takes what the generated policies use and refuses everything else, so that nothing is left out in silence.

use policy_model::{Condition, Model, Pattern, PatternSet, Rule, Subjects};
use serde::{Deserialize, Serialize};

use crate::verdict::Verdict;

/// A rule that matches when all its tests do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlainRule {
    /// Its name.
    pub name: String,
    /// What it does.
    pub effect: Verdict,
    /// The roles it is about, with those that include them; everyone when there is none.
    pub roles: Option<Vec<String>>,
    /// The operations it is about.
    pub operations: Vec<String>,
    /// Tests of strings.
    pub strings: Vec<StringTest>,
    /// Flags that must not be said.
    pub unset: Vec<String>,
    /// Numbers and the most they may be.
    pub limits: Vec<(String, u64)>,
}

/// Whether a string is one of those that patterns stand for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StringTest {
    /// Which string.
    pub attribute: String,
    /// How patterns are read.
    pub kind: PatternKind,
    /// The patterns, as a policy writes them.
    pub patterns: Vec<String>,
    /// Whether it has to be one of them, or must not be.
    pub wanted: bool,
}

/// How patterns are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum PatternKind {
    /// `*` within a segment, `**` over whole segments.
    Segments,
    /// `*.` before a name.
    Host,
    /// No star at all.
    Literal,
}

impl PlainRule {
    /// The place of the test that an index over patterns can answer.
    #[must_use]
    pub fn driver(&self) -> Option<usize> {
        self.strings.iter().position(|test| test.wanted)
    }

    /// Whether nothing but its first patterns has to hold.
    #[must_use]
    pub fn is_pattern_alone(&self) -> bool {
        self.roles.is_none() && self.unset.is_empty() && self.limits.is_empty() && self.strings.len() == 1
    }
}

/// Every rule of the policy, in source order.
#[must_use]
pub fn plain_rules(model: &Model) -> Vec<PlainRule> {
    model.rules.iter().map(|rule| plain(model, rule)).collect()
}

fn plain(model: &Model, rule: &Rule) -> PlainRule {
    let mut plain = PlainRule {
        name: rule.name.clone(),
        effect: rule.effect.into(),
        roles: roles(model, &rule.subjects),
        operations: rule.operations.iter().map(|id| model.operations[id.0].name.clone()).collect(),
        strings: Vec::new(),
        unset: Vec::new(),
        limits: rule.limits.iter().map(|limit| (limit.attribute.name.to_string(), limit.most)).collect(),
    };
    // An exceeded question denies; among the plain rules it would let an allow speak.
    assert!(plain.effect != Verdict::Ask || plain.limits.is_empty(), "{}: a question with a limit", rule.name);
    if let Some(condition) = &rule.condition {
        add(&mut plain, condition, true);
    }
    plain
}

fn roles(model: &Model, subjects: &Subjects) -> Option<Vec<String>> {
    match subjects {
        Subjects::Anyone => None,
        Subjects::Roles(wanted) => {
            let held = model.roles.iter().filter(|role| role.can_be_held && !role.implies.is_disjoint(wanted));
            Some(held.map(|role| role.name.clone()).collect())
        }
    }
}

fn add(plain: &mut PlainRule, condition: &Condition, wanted: bool) {
    match condition {
        Condition::All(parts) if wanted => parts.iter().for_each(|part| add(plain, part, true)),
        Condition::Not(part) if wanted => add(plain, part, false),
        Condition::In { attribute, sets, .. } => {
            plain.strings.push(string_test(attribute.name.to_string(), sets.iter().map(|set| &**set), wanted));
        }
        Condition::Equals { attribute, text, .. } => plain.strings.push(StringTest {
            attribute: attribute.name.to_string(),
            kind: PatternKind::Literal,
            patterns: vec![text.clone()],
            wanted,
        }),
        Condition::Flag { attribute, .. } if !wanted => plain.unset.push(attribute.name.to_string()),
        other => panic!("{}: the engines are not built for {other:?}", plain.name),
    }
}

fn string_test<'a>(attribute: String, sets: impl Iterator<Item = &'a PatternSet>, wanted: bool) -> StringTest {
    let patterns: Vec<&Pattern> = sets.flat_map(|set| set.patterns().map(|located| &located.pattern)).collect();
    let kind = match patterns.first() {
        Some(Pattern::Segments(_)) => PatternKind::Segments,
        Some(Pattern::Host(_)) => PatternKind::Host,
        Some(Pattern::Word(_)) | None => PatternKind::Literal,
    };
    let is_literal = |pattern: &&Pattern| matches!(pattern, Pattern::Word(word) if word.literal().is_some());
    assert!(kind != PatternKind::Literal || patterns.iter().all(is_literal), "{attribute}: a star in a word");
    StringTest { attribute, kind, patterns: patterns.iter().map(ToString::to_string).collect(), wanted }
}
