//! A request -> what the table says of it, and what the reference evaluator says: the two must never differ.

use enforce_core::{Decision, Verdict, decide};
use policy_model::{Answer, Model, Request, evaluate};
use policy_syntax::{Effect, quote};
use table_format::{Limit, Table};

use crate::named::{NameError, Named};

/// What a judge says of a request, in words that two judges can be compared by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Said {
    pub(crate) verdict: Effect,
    /// The rule that decided, or `default-deny`.
    pub(crate) rule: String,
    pub(crate) code: String,
    /// The limit that was exceeded.
    pub(crate) exceeded: Option<Bound>,
    /// Checks before the act.
    pub(crate) requirements: Vec<String>,
    /// Limits that the executor holds.
    pub(crate) limits: Vec<Bound>,
    /// Budgets that the act is charged to.
    pub(crate) budgets: Vec<String>,
}

/// The most a number may be, in the attribute's own unit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Bound {
    pub(crate) attribute: String,
    pub(crate) most: u64,
}

impl Said {
    /// What the table says of a request in the names of a model.
    pub(crate) fn by_table(table: &Table<'_>, model: &Model, request: &Request) -> Result<Self, NameError> {
        let named = named(model, request);
        let numbered = named.numbered(table)?;
        Ok(Self::of(&decide(table, &numbered.facts())))
    }

    /// What the reference evaluator says.
    pub(crate) fn by_reference(model: &Model, request: &Request) -> Self {
        let decision = evaluate(model, request);
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

    /// The part of it that a test can expect.
    pub(crate) fn answer(&self) -> Answer<'_> {
        Answer { verdict: self.verdict, rule: &self.rule, code: &self.code }
    }

    /// On one line.
    pub(crate) fn in_words(&self) -> String {
        format!("{} by {} ({})", self.verdict.as_str(), quote(&self.rule), self.code)
    }

    /// Everything there is, for whoever has to find out why two judges differ.
    pub(crate) fn in_full(&self) -> String {
        let bound = |bound: &Bound| format!("{} <= {}", bound.attribute, bound.most);
        let limits: Vec<String> = self.limits.iter().map(bound).collect();
        let parts = [
            ("exceeded", self.exceeded.as_ref().map(bound).unwrap_or_default()),
            ("requirements", self.requirements.join(", ")),
            ("limits", limits.join(", ")),
            ("budgets", self.budgets.join(", ")),
        ];
        let said = parts.iter().filter(|(_, said)| !said.is_empty());
        said.fold(self.in_words(), |text, (name, said)| format!("{text}, {name} {said}"))
    }
}

fn bound(table: &Table<'_>, limit: Limit) -> Bound {
    let attribute = table.attribute(limit.attribute).map_or("", |attribute| table.text(attribute.name));
    Bound { attribute: attribute.to_owned(), most: limit.most }
}

/// The same request by names, as a table takes it.
pub(crate) fn named(model: &Model, request: &Request) -> Named {
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
