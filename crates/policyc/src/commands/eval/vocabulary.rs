//! Table -> what a request can say, by name.

use std::collections::{BTreeMap, BTreeSet};

use policy_syntax::closest;
use table_format::{AttributeKind, Table};

use super::values::LineError;

/// The operations and roles of a table.
pub(super) struct Vocabulary<'t> {
    operations: BTreeMap<&'t str, Vec<Known<'t>>>,
    roles: BTreeSet<&'t str>,
}

/// An attribute of an operation.
#[derive(Debug, Clone, Copy)]
pub(super) struct Known<'t> {
    pub(super) name: &'t str,
    pub(super) kind: AttributeKind,
    /// Whether only the act shows it.
    pub(super) later: bool,
}

impl<'t> Vocabulary<'t> {
    pub(super) fn of(table: &'t Table<'t>) -> Self {
        let mut operations = BTreeMap::new();
        for id in table.operations() {
            let known = table.slots(id).map(|(_, attribute)| Known {
                name: table.text(attribute.name),
                kind: attribute.kind,
                later: attribute.known_later,
            });
            let name = table.operation(id).map_or("", |operation| table.text(operation.name));
            operations.insert(name, known.collect());
        }
        let roles = table.roles().filter_map(|role| table.role(role)).map(|role| table.text(role.name)).collect();
        Self { operations, roles }
    }

    /// The attributes of an operation.
    pub(super) fn operation(&self, name: &str) -> Result<&[Known<'t>], LineError> {
        self.operations.get(name).map(Vec::as_slice).ok_or_else(|| LineError::UnknownOperation {
            name: name.to_owned(),
            meant: closest(name, self.operations.keys().copied()).map(str::to_owned),
        })
    }

    /// Nothing, if sessions can hold the role.
    pub(super) fn role(&self, name: &str) -> Result<(), LineError> {
        if self.roles.contains(name) {
            return Ok(());
        }
        let meant = closest(name, self.roles.iter().copied()).map(str::to_owned);
        Err(LineError::UnknownRole { name: name.to_owned(), meant })
    }
}
