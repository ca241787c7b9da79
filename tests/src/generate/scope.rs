//! What a policy has declared, so that its rules can name it: roles, sets, operations with their
//! attributes.

use policy_model::catalogue::{self, AttributeKind, PARAMETER_TYPES};
use policy_syntax::SetKind;

use super::vocabulary::Vocabulary;
use crate::dice::Dice;

/// The names of a policy.
#[derive(Debug)]
pub(super) struct Scope {
    pub(super) words: Vocabulary,
    pub(super) roles: Vec<String>,
    pub(super) sets: Vec<(SetKind, String)>,
    pub(super) operations: Vec<Operation>,
    /// What most rules speak of, so that they meet each other.
    pub(super) focus: Vec<Operation>,
}

/// An operation and what a rule can ask of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Operation {
    pub(super) name: String,
    pub(super) tool: String,
    pub(super) attributes: Vec<Attribute>,
}

/// An attribute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Attribute {
    pub(super) name: String,
    pub(super) kind: AttributeKind,
    pub(super) known_after_act: bool,
}

impl Scope {
    /// The built-in operations and these.
    pub(super) fn new(dice: &mut Dice, words: Vocabulary, declared: Vec<Operation>) -> Self {
        let mut operations = builtin();
        operations.extend(declared);
        let mut scope = Self { words, roles: Vec::new(), sets: Vec::new(), operations, focus: Vec::new() };
        scope.choose_focus(dice);
        scope
    }

    /// One to three operations, most of them of one tool; a tool of the policy's own as often as
    /// any built-in one, or it would hardly be asked for among so many of git.
    fn choose_focus(&mut self, dice: &mut Dice) {
        let mut tools: Vec<&str> = self.operations.iter().map(|operation| operation.tool.as_str()).collect();
        tools.dedup();
        let tool = dice.pick(&tools).copied().unwrap_or_default();
        let of_tool: Vec<Operation> =
            self.operations.iter().filter(|operation| operation.tool == tool).cloned().collect();
        for _ in 0..dice.between(1, 3) {
            let from = if dice.chance(80) { &of_tool } else { &self.operations };
            self.focus.extend(dice.pick(from).cloned());
        }
    }
}

/// What every one of the operations has and a condition can ask for.
pub(super) fn shared(operations: &[Operation]) -> Vec<Attribute> {
    let Some((first, others)) = operations.split_first() else {
        return Vec::new();
    };
    let in_all = |attribute: &&Attribute| others.iter().all(|other| other.attributes.contains(attribute));
    first.attributes.iter().filter(|attribute| !attribute.known_after_act).filter(in_all).cloned().collect()
}

/// The numbers that a limit can bound: those of some of the operations, of one kind wherever they are.
pub(super) fn limitable(operations: &[Operation]) -> Vec<Attribute> {
    let all: Vec<&Attribute> = operations.iter().flat_map(|operation| &operation.attributes).collect();
    let is_clear = |one: &&Attribute| all.iter().all(|other| other.name != one.name || other.kind == one.kind);
    let numbers = all.iter().copied().filter(|one| one.kind.is_number()).filter(is_clear);
    let mut numbers: Vec<Attribute> = numbers.cloned().collect();
    numbers.sort_by(|one, other| one.name.cmp(&other.name));
    numbers.dedup_by(|one, other| one.name == other.name);
    numbers
}

/// Up to two tools of the policy's own, and their operations.
pub(super) fn tools(dice: &mut Dice) -> (Vec<String>, Vec<Operation>) {
    let count = dice.weighted([(60, 0), (30, 1), (10, 2)]);
    let (mut tools, mut operations) = (Vec::new(), Vec::new());
    for tool in ["jira", "weather"].into_iter().take(count) {
        let mut add = |name: String, attributes| operations.push(Operation { name, tool: tool.to_owned(), attributes });
        if dice.below(3) == 0 {
            let (text, attributes) = parameters(dice);
            tools.push(format!("tool {tool}{text}"));
            add(tool.to_owned(), attributes);
            continue;
        }
        let count = dice.weighted([(30, 1), (40, 2), (20, 3), (10, 0)]);
        let mut lines = Vec::new();
        for name in ["search", "create_it", "rule"].into_iter().take(count) {
            let (text, attributes) = parameters(dice);
            lines.push(format!("  op {name}{text}\n"));
            add(format!("{tool}.{name}"), attributes);
        }
        if lines.is_empty() {
            add(tool.to_owned(), Vec::new());
        }
        tools.push(format!("tool {tool} {{\n{}}}", lines.concat()));
    }
    (tools, operations)
}

/// Some of them are called like attributes of built-in operations, with types of their own.
fn parameters(dice: &mut Dice) -> (String, Vec<Attribute>) {
    let mut names = ["q", "path", "bytes", "max", "min", "to", "code", "complex", "network", "host", "on_it", "rule"];
    dice.shuffle(&mut names);
    let count = dice.between(0, 5);
    let (mut written, mut attributes) = (Vec::new(), Vec::new());
    for name in names.into_iter().take(count) {
        let usable: Vec<_> = PARAMETER_TYPES
            .iter()
            // A flag stands alone in a condition, where a keyword would not be read as one.
            .filter(|(type_name, _)| *type_name != "flag" || !["to", "code", "rule"].contains(&name))
            .collect();
        let Some((type_name, kind)) = dice.pick(&usable) else { continue };
        written.push(format!("{name}: {type_name}"));
        attributes.push(Attribute { name: name.to_owned(), kind: *kind, known_after_act: false });
    }
    (if written.is_empty() { String::new() } else { format!("({})", written.join(", ")) }, attributes)
}

fn builtin() -> Vec<Operation> {
    let operation = |operation: &enforce_core::Operation| Operation {
        name: operation.name().to_owned(),
        tool: catalogue::tool(*operation).to_owned(),
        attributes: catalogue::attributes(*operation)
            .map(|one| Attribute { name: one.name.to_owned(), kind: one.kind, known_after_act: one.known_after_act })
            .collect(),
    };
    enforce_core::Operation::ALL.iter().map(operation).collect()
}
