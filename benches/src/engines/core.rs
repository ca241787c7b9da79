//! The engine of this project: the frozen table and the core's own decision.

use enforce_core::{Facts, decide};
use policy_table::blake3;
use table_format::{Pin, RoleId, Slot, Table};

use super::Engine;
use crate::ask::Ask;
use crate::verdict::{Says, Verdict};

/// A table and the facts of requests. Both stay until the process ends, which keeps this type free of
/// the lifetimes of what it is made from.
#[derive(Debug, Clone, Copy)]
pub struct Core {
    table: &'static Table<'static>,
    facts: &'static [Facts<'static>],
}

impl Core {
    /// An engine for these requests.
    ///
    /// # Panics
    /// When the bytes are no table, or a request speaks of what the table does not know.
    #[must_use]
    pub fn new(bytes: &[u8], asks: &[Ask]) -> Self {
        let bytes: &'static [u8] = bytes.to_vec().leak();
        let table = Table::open(bytes, Pin::Unpinned, blake3).expect("a frozen table opens");
        let facts: Vec<_> = asks.iter().map(|ask| facts(&table, ask)).collect();
        Self { table: Box::leak(Box::new(table)), facts: facts.leak() }
    }

    /// The decision on the request at this place, as an embedder asks for it.
    #[inline]
    #[must_use]
    pub fn verdict(&self, place: usize) -> enforce_core::Verdict {
        decide(self.table, &self.facts[place]).verdict()
    }

    /// How many requests there are.
    #[must_use]
    pub fn requests(&self) -> usize {
        self.facts.len()
    }
}

impl Engine for Core {
    fn says(&self) -> Says {
        Says::All
    }

    #[inline]
    fn judge(&mut self, place: usize) -> Verdict {
        self.verdict(place).into()
    }
}

fn facts(table: &Table<'static>, ask: &Ask) -> Facts<'static> {
    let operation = table.find_operation(&ask.operation).expect("an operation of the table");
    let roles: Vec<RoleId> = vec![table.find_role(&ask.role).expect("a role of the table")];
    let (mut strings, mut numbers, mut flags) = (Vec::new(), Vec::new(), 0);
    for (slot, attribute) in table.slots(operation) {
        let name = table.text(attribute.name);
        match slot {
            Slot::String(_) => strings.push(ask.string(name).map(|value| &*value.as_bytes().to_vec().leak())),
            Slot::Number(_) => numbers.push(ask.number(name)),
            Slot::Flag(place) => flags |= u64::from(ask.flags.iter().any(|flag| flag == name)) << place,
        }
    }
    Facts { operation, roles: roles.leak(), strings: strings.leak(), numbers: numbers.leak(), flags }
}
