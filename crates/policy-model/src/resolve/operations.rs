//! Operations: the built-in ones, those of declared tools, and the patterns that name them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use policy_syntax::{
    Diagnostic, Name, Operation as WrittenOperation, Parameter, StatementKind, ToolBody, did_you_mean, quote,
};

use super::names::Names;
use super::{Place, Resolver};
use crate::catalogue::{self, Access, CALLS, GUARDED_FLAGS, PARAMETER_TYPES, denial_code};
use crate::codes;
use crate::model::{Attribute, Operation, OperationId};

/// All operations, by name and by tool.
#[derive(Debug)]
pub(super) struct Catalogue {
    operations: Vec<Operation>,
    by_name: BTreeMap<String, OperationId>,
    /// A tool gated as a whole has one operation of its own name.
    by_tool: BTreeMap<String, Vec<OperationId>>,
}

/// The operations that a statement names. The known ones determine the attributes of its conditions, even if another
/// is unknown.
#[derive(Debug)]
pub(super) struct Operations {
    pub(super) known: BTreeSet<OperationId>,
    pub(super) are_all_known: bool,
}

impl Operations {
    /// Returns the operations if all of them are known.
    pub(super) fn complete(self) -> Option<BTreeSet<OperationId>> {
        self.are_all_known.then_some(self.known)
    }
}

impl Catalogue {
    pub(super) fn builtin() -> Self {
        let mut catalogue = Self { operations: Vec::new(), by_name: BTreeMap::new(), by_tool: BTreeMap::new() };
        for operation in enforce_core::Operation::ALL.iter().copied() {
            let attributes = catalogue::attributes(operation).map(|builtin| Attribute {
                name: Arc::from(builtin.name),
                kind: builtin.kind,
                known_after_act: builtin.known_after_act,
                is_builtin: true,
            });
            let tool = catalogue::tool(operation);
            let is_guarded = |flag: &&str| catalogue::attributes(operation).any(|a| a.is_guarded && a.name == *flag);
            let guarded = GUARDED_FLAGS.into_iter().filter(is_guarded).collect();
            let access = catalogue::access(operation);
            catalogue.add(tool, operation.name(), access, attributes.collect(), guarded);
        }
        catalogue
    }

    pub(super) fn get(&self, id: OperationId) -> Option<&Operation> {
        self.operations.get(id.0)
    }

    pub(super) fn into_model(self) -> Vec<Operation> {
        self.operations
    }

    fn add_declared(&mut self, tool: &str, name: &str, attributes: Vec<Attribute>) {
        // The effect of a foreign tool is unknown, so it counts among those that act.
        self.add(tool, name, Access::Execute, attributes, Vec::new());
    }

    fn add(
        &mut self,
        tool: &str,
        name: &str,
        access: Access,
        attributes: Vec<Attribute>,
        guarded_flags: Vec<&'static str>,
    ) {
        let id = OperationId(self.operations.len());
        self.operations.push(Operation {
            name: name.to_owned(),
            tool: tool.to_owned(),
            access,
            attributes,
            guarded_flags,
            denial_code: denial_code(name),
        });
        self.by_name.insert(name.to_owned(), id);
        self.by_tool.entry(tool.to_owned()).or_default().push(id);
    }
}

impl<'a> Resolver<'a, '_> {
    pub(super) fn declare_tools(&mut self) {
        let mut names = Names::new("tool");
        for place in self.places() {
            let StatementKind::Tool(tool) = &place.statement.kind else {
                continue;
            };
            let name = &tool.name;
            if catalogue::operations_of(&name.text).next().is_some() {
                let written = quote(&name.text);
                let message = format!("the tool {written} is built in");
                let help = format!("choose another name, for example `my-{}`", name.text);
                self.found.error(codes::RESERVED_NAME, place.at(name.span), message, help);
                continue;
            }
            if names.declare(place.file(), name, self.found).is_none() {
                continue;
            }
            let declared = match &tool.body {
                ToolBody::Operations(operations) => operations.len().max(1),
                ToolBody::Whole(_) => 1,
            };
            if self.catalogue.operations.len().saturating_add(declared) > OPERATIONS_MAX {
                let message = format!("a policy may have at most {OPERATIONS_MAX} operations, including built-in ones");
                let help = "declare only those that rules name";
                self.found.error(codes::TOO_MANY_NAMES, place.at(name.span), message, help);
                continue;
            }
            match &tool.body {
                ToolBody::Operations(operations) if !operations.is_empty() => {
                    self.declare_operations(place, name, operations);
                }
                ToolBody::Operations(_) => self.catalogue.add_declared(&name.text, &name.text, Vec::new()),
                ToolBody::Whole(parameters) => {
                    let attributes = self.parameters(place, parameters);
                    self.catalogue.add_declared(&name.text, &name.text, attributes);
                }
            }
        }
    }

    fn declare_operations(&mut self, place: Place<'a>, tool: &Name, operations: &'a [WrittenOperation]) {
        let mut names = Names::new("operation");
        for operation in operations {
            if names.declare(place.file(), &operation.name, self.found).is_some() {
                let attributes = self.parameters(place, &operation.parameters);
                let full = format!("{}.{}", tool.text, operation.name.text);
                self.catalogue.add_declared(&tool.text, &full, attributes);
            }
        }
    }

    fn parameters(&mut self, place: Place<'a>, parameters: &[Parameter]) -> Vec<Attribute> {
        let mut attributes: Vec<Attribute> = Vec::new();
        if let Some(first_beyond) = parameters.get(PARAMETERS_MAX) {
            let at = place.at(first_beyond.name.span);
            let message = format!("an operation may have at most {PARAMETERS_MAX} parameters");
            self.found.error(codes::TOO_MANY_NAMES, at, message, "declare only those that rules ask for");
        }
        for Parameter { name, type_name } in parameters.iter().take(PARAMETERS_MAX) {
            if attributes.iter().any(|attribute| *attribute.name == name.text) {
                let written = quote(&name.text);
                let message = format!("the parameter {written} is declared twice");
                self.found.error(codes::REPEATED, place.at(name.span), message, "remove one of them");
                continue;
            }
            if name.text == CALLS {
                let message = format!("`{CALLS}` is reserved for budgets");
                let help = "choose another name for the parameter";
                self.found.error(codes::RESERVED_NAME, place.at(name.span), message, help);
                continue;
            }
            let Some((_, kind)) = PARAMETER_TYPES.iter().find(|(known, _)| *known == type_name.text) else {
                self.found.push(|| {
                    let message = format!("unknown type {}", quote(&type_name.text));
                    let help = match type_name.text.as_str() {
                        "bool" | "boolean" => "did you mean `flag`?".to_owned(),
                        "number" | "integer" | "uint" => "did you mean `int`?".to_owned(),
                        "text" | "str" => "did you mean `string`?".to_owned(),
                        "duration" => "did you mean `time`?".to_owned(),
                        other => did_you_mean(other, "types", PARAMETER_TYPES.iter().map(|(known, _)| *known)),
                    };
                    Diagnostic::new(codes::UNKNOWN_TYPE, place.at(type_name.span), message).help(help)
                });
                continue;
            };
            attributes.push(Attribute {
                name: Arc::from(name.text.as_str()),
                kind: *kind,
                known_after_act: false,
                is_builtin: false,
            });
        }
        attributes
    }

    /// Resolves the operations that a statement names, with wildcards expanded.
    pub(super) fn operations(&mut self, place: Place<'a>, written: &[Name]) -> Operations {
        let mut operations = Operations { known: BTreeSet::new(), are_all_known: true };
        for name in written {
            match self.operation_pattern(place, name) {
                Some(ids) => operations.known.extend(ids),
                None => operations.are_all_known = false,
            }
        }
        operations
    }

    fn operation_pattern(&mut self, place: Place<'a>, name: &Name) -> Option<Vec<OperationId>> {
        let at = place.at(name.span);
        let (tool, operation) = name.text.split_once('.').unwrap_or((&name.text, ""));
        if tool == "*" {
            let message = format!("`*` cannot stand for the tool in {}", quote(&name.text));
            self.found.error(codes::WILDCARD_TOOL, at, message, "write `file.*`, `fs.*` and so on");
            return None;
        }
        if let Some(id) = self.catalogue.by_name.get(&name.text) {
            return Some(vec![*id]);
        }
        let Some(of_tool) = self.catalogue.by_tool.get(tool) else {
            if !self.broken.contains(tool) {
                let tools = self.catalogue.by_tool.keys();
                self.found.push(|| {
                    Diagnostic::new(codes::UNKNOWN_TOOL, at, format!("unknown tool {}", quote(tool)))
                        .help(did_you_mean(tool, "tools", tools))
                });
            }
            return None;
        };
        if operation == "*" {
            return Some(of_tool.clone());
        }
        let known: Vec<&str> = of_tool
            .iter()
            .filter_map(|id| self.catalogue.operations.get(id.0))
            .map(|known| known.name.as_str())
            .collect();
        self.found.push(|| {
            let (message, help) = match operation.is_empty() {
                true => (
                    format!("{} is a tool, not an operation", quote(tool)),
                    format!("write `{tool}.*` for all of them, or one of {}", known.join(", ")),
                ),
                false => (
                    format!("the tool {} has no operation {}", quote(tool), quote(operation)),
                    did_you_mean(&name.text, "operations", known),
                ),
            };
            Diagnostic::new(codes::UNKNOWN_OPERATION, at, message).help(help)
        });
        None
    }
}

/// Attributes are looked up one after another.
const PARAMETERS_MAX: usize = 256;

/// A rule for all operations of its tools names each of them.
const OPERATIONS_MAX: usize = 1_024;
