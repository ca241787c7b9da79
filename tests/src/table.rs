//! The frozen table as a judge: what `policy-table` freezes and `enforce-core` decides by.

#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a table that lacks what its model has is a finding, and the test has to end with it"
)]

use enforce_core::{Decision, Facts, Verdict, decide};
use policy_model::{Model, Request};
use policy_syntax::{Effect, Sources};
use policy_table::{blake3, freeze};
use table_format::{Limit, Pin, Slot, Table};

use crate::judge::{Answer, Judge, Prepared, Refusal, Seat};

/// The seat of the table.
#[must_use]
pub fn table() -> Seat {
    Seat::new("table", |model| {
        let frozen = freeze(model, &Sources::default()).map_err(|error| Refusal(error.to_string()))?;
        Ok(Box::new(Frozen { model, bytes: frozen.bytes }))
    })
    .at_most(32_000)
}

struct Frozen<'m> {
    model: &'m Model,
    bytes: Vec<u8>,
}

impl Prepared for Frozen<'_> {
    fn judge(&self) -> Box<dyn Judge + '_> {
        let table = Table::open(&self.bytes, Pin::Unpinned, blake3).expect("was opened when it was written");
        Box::new(Opened { model: self.model, table })
    }
}

struct Opened<'m> {
    model: &'m Model,
    table: Table<'m>,
}

impl Judge for Opened<'_> {
    fn name(&self) -> &'static str {
        "table"
    }

    fn judge(&mut self, request: &Request) -> Answer {
        let table = &self.table;
        let operation = &self.model.operations[request.operation.0];
        let id = table.find_operation(&operation.name).expect("every operation is in the table");
        let (mut strings, mut numbers, mut flags) = (Vec::new(), Vec::new(), 0);
        for (slot, attribute) in table.slots(id) {
            let name = table.text(attribute.name);
            match slot {
                Slot::String(_) => strings.push(request.strings.get(name).map(String::as_bytes)),
                Slot::Number(_) => numbers.push(request.numbers.get(name).copied()),
                Slot::Flag(place) => flags |= u64::from(request.flags.contains(name)) << place,
            }
        }
        let roles = request.roles.iter().map(|role| {
            table.find_role(&self.model.roles[role.0].name).expect("only roles of the policy's own are held")
        });
        let roles: Vec<_> = roles.collect();
        let facts = Facts { operation: id, roles: &roles, strings: &strings, numbers: &numbers, flags };
        answer(table, &decide(table, &facts))
    }
}

fn answer(table: &Table<'_>, decision: &Decision<'_, '_>) -> Answer {
    let bound = |limit: Limit| {
        let attribute = table.attribute(limit.attribute).expect("is in the table");
        (table.text(attribute.name).to_owned(), limit.most)
    };
    Answer {
        verdict: match decision.verdict() {
            Verdict::Deny => Effect::Deny,
            Verdict::Ask => Effect::Ask,
            Verdict::Allow => Effect::Allow,
        },
        rule: decision.rule_name().to_owned(),
        code: decision.code().as_str().to_owned(),
        exceeded: decision.exceeded().map(bound),
        requirements: decision.requirements().map(str::to_owned).collect(),
        limits: decision.limits().map(bound).collect(),
        budgets: decision.budgets().map(|budget| table.text(budget.name).to_owned()).collect(),
    }
}
