//! (Table, facts) -> its answer, in words that people and other judges can compare.

use std::collections::{BTreeMap, BTreeSet};

use enforce_core::{Decision, Facts, Verdict, decide};
use policy_model::{Model, Request, Test};
use policy_syntax::{Effect, quote};
use table_format::{Limit, OperationId, RoleId, Slot, Table};
use thiserror::Error;

/// A judge's answer to a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    pub verdict: Effect,
    /// The rule that decided, or `default-deny`.
    pub rule: String,
    pub code: String,
    /// The limit that was exceeded.
    pub exceeded: Option<Bound>,
    /// Checks before the act.
    pub requirements: Vec<String>,
    /// Limits that the executor holds.
    pub limits: Vec<Bound>,
    /// Budgets that the act is charged to.
    pub budgets: Vec<String>,
}

/// The most a number may be, in the attribute's own unit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bound {
    pub attribute: String,
    pub most: u64,
}

impl Answer {
    /// The table's answer to a request in the names of a model.
    ///
    /// # Errors
    /// When the table lacks one of the names.
    pub fn by_table(table: &Table<'_>, model: &Model, request: &Request) -> Result<Self, NameError> {
        let named = named(model, request);
        let numbered = named.numbered(table)?;
        Ok(Self::of(&decide(table, &numbered.facts())))
    }

    /// The reference evaluator's answer.
    #[must_use]
    pub fn by_reference(model: &Model, request: &Request) -> Self {
        let decision = policy_model::evaluate(model, request);
        let bound =
            |limit: &policy_model::Limit| Bound { attribute: limit.attribute.name.to_string(), most: limit.most };
        Self {
            verdict: decision.verdict,
            rule: decision.rule,
            code: decision.code,
            exceeded: decision.exceeded.as_ref().map(bound),
            requirements: decision.obligations.requirements,
            limits: decision.obligations.limits.iter().map(bound).collect(),
            budgets: decision.obligations.budgets,
        }
    }

    fn of(decision: &Decision<'_, '_>) -> Self {
        let table = decision.table();
        Self {
            verdict: match decision.verdict() {
                Verdict::Deny => Effect::Deny,
                Verdict::Ask => Effect::Ask,
                Verdict::Allow => Effect::Allow,
            },
            rule: decision.rule_name().to_owned(),
            code: decision.code().as_str().to_owned(),
            exceeded: decision.exceeded().map(|limit| bound(table, limit)),
            requirements: decision.requirements().map(str::to_owned).collect(),
            limits: decision.limits().map(|limit| bound(table, limit)).collect(),
            budgets: decision.budgets().map(|budget| table.text(budget.name).to_owned()).collect(),
        }
    }

    /// True when it is what the test expects.
    #[must_use]
    pub fn meets(&self, test: &Test) -> bool {
        self.verdict == test.expected && test.by.as_ref().is_none_or(|rule| *rule == self.rule)
    }

    /// Writes it on one line.
    #[must_use]
    pub fn in_words(&self) -> String {
        format!("{} by {} ({})", self.verdict.as_str(), quote(&self.rule), self.code)
    }
}

fn bound(table: &Table<'_>, limit: Limit) -> Bound {
    let attribute = table.attribute(limit.attribute).map_or("", |attribute| table.text(attribute.name));
    Bound { attribute: attribute.to_owned(), most: limit.most }
}

/// The same request by names, as a table takes it.
pub fn named(model: &Model, request: &Request) -> Named {
    let role = |role: &policy_model::RoleId| model.roles.get(role.0).map(|role| role.name.clone());
    Named {
        operation: model
            .operations
            .get(request.operation.0)
            .map(|operation| operation.name.clone())
            .unwrap_or_default(),
        roles: request.roles.iter().filter_map(role).collect(),
        strings: request.strings.clone(),
        numbers: request.numbers.clone(),
        flags: request.flags.clone(),
    }
}

/// One operation on one target, as people and files name things.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Named {
    /// What is asked for.
    pub operation: String,
    /// The roles held.
    pub roles: BTreeSet<String>,
    /// The strings that are there.
    pub strings: BTreeMap<String, String>,
    /// The numbers that are not left open.
    pub numbers: BTreeMap<String, u64>,
    /// The flags that are said.
    pub flags: BTreeSet<String>,
}

/// A name that the table does not know.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum NameError {
    /// No such operation.
    #[error("unknown operation `{0}`")]
    Operation(String),
    /// No such role.
    #[error("unknown role `{0}`")]
    Role(String),
    /// The operation has no such string, number or flag.
    #[error("`{operation}` has no attribute `{attribute}` of this type")]
    Attribute { operation: String, attribute: String },
}

impl Named {
    /// The same facts as the table numbers them.
    pub fn numbered(&self, table: &Table<'_>) -> Result<Numbered<'_>, NameError> {
        let unknown = || NameError::Operation(self.operation.clone());
        let operation = table.find_operation(&self.operation).ok_or_else(unknown)?;
        let role = |name: &String| table.find_role(name).ok_or_else(|| NameError::Role(name.clone()));
        let roles = self.roles.iter().map(role).collect::<Result<_, _>>()?;
        let mut numbered = Numbered { operation, roles, strings: Vec::new(), numbers: Vec::new(), flags: 0 };
        let (mut strings, mut numbers, mut flags) = (0, 0, 0);
        for (slot, attribute) in table.slots(operation) {
            let name = table.text(attribute.name);
            match slot {
                Slot::String(_) => {
                    let value = self.strings.get(name).map(String::as_bytes);
                    strings += usize::from(value.is_some());
                    numbered.strings.push(value);
                }
                Slot::Number(_) => {
                    let value = self.numbers.get(name).copied();
                    numbers += usize::from(value.is_some());
                    numbered.numbers.push(value);
                }
                Slot::Flag(place) => {
                    let is_said = self.flags.contains(name);
                    flags += usize::from(is_said);
                    numbered.flags |= u64::from(is_said) << place;
                }
            }
        }
        // Every fact must have found its place: one that is not judged would be one that is not checked.
        if (strings, numbers, flags) != (self.strings.len(), self.numbers.len(), self.flags.len()) {
            let names: BTreeSet<(u8, &str)> =
                table.slots(operation).map(|(slot, at)| (kind(slot), table.text(at.name))).collect();
            let all = self.strings.keys().map(|name| (0, name.as_str()));
            let all = all.chain(self.numbers.keys().map(|name| (1, name.as_str())));
            let mut all = all.chain(self.flags.iter().map(|name| (2, name.as_str())));
            let attribute =
                all.find(|name| !names.contains(name)).map_or_else(String::new, |(_, name)| name.to_owned());
            return Err(NameError::Attribute { operation: self.operation.clone(), attribute });
        }
        Ok(numbered)
    }
}

/// Facts in the numbering of one table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Numbered<'a> {
    operation: OperationId,
    roles: Vec<RoleId>,
    strings: Vec<Option<&'a [u8]>>,
    numbers: Vec<Option<u64>>,
    flags: u64,
}

impl Numbered<'_> {
    /// As the core takes them.
    pub fn facts(&self) -> Facts<'_> {
        Facts {
            operation: self.operation,
            roles: &self.roles,
            strings: &self.strings,
            numbers: &self.numbers,
            flags: self.flags,
        }
    }
}

fn kind(slot: Slot) -> u8 {
    match slot {
        Slot::String(_) => 0,
        Slot::Number(_) => 1,
        Slot::Flag(_) => 2,
    }
}
