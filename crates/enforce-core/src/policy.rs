//! Table -> Policy: a table whose operations are judged by exactly the facts that requests are read into.

use table_format::{OperationId, Slot, Table};

use crate::operation::{AttributeDef, Operation};

/// A table that requests can be judged by. Made once for a table, so that no name is looked up for a request.
#[derive(Debug, Clone, Copy)]
pub struct Policy<'a> {
    table: &'a Table<'a>,
    operations: [Option<OperationId>; Operation::ALL.len()],
}

/// An operation of a table that is judged by other facts than this core reads. Rules about what it does not read would
/// never hold, those that deny included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BindError {
    /// Which operation.
    pub operation: Operation,
}

impl<'a> Policy<'a> {
    /// Takes a table.
    ///
    /// # Errors
    /// When an operation has other attributes there than here, of other kinds, or in another order.
    #[inline(never)]
    pub fn new(table: &'a Table<'a>) -> Result<Self, BindError> {
        let mut operations = [None; Operation::ALL.len()];
        for operation in Operation::ALL {
            let id = table.find_operation(operation.name());
            if id.is_some_and(|id| !has_same_attributes(table, id, *operation)) {
                return Err(BindError { operation: *operation });
            }
            if let Some(place) = operations.get_mut(operation.place()) {
                *place = id;
            }
        }
        Ok(Self { table, operations })
    }

    /// The table.
    #[must_use]
    pub fn table(&self) -> &'a Table<'a> {
        self.table
    }

    /// The table's number of an operation, if it knows it.
    #[inline]
    #[must_use]
    pub fn operation(&self, operation: Operation) -> Option<OperationId> {
        self.operations.get(operation.place()).copied().flatten()
    }

    /// Whether an operation of the table is a built-in one.
    pub(crate) fn is_built_in(&self, operation: OperationId) -> bool {
        self.operations.contains(&Some(operation))
    }
}

fn has_same_attributes(table: &Table<'_>, id: OperationId, operation: Operation) -> bool {
    let attributes = operation.attributes();
    let known = [attributes.strings, attributes.numbers, attributes.flags];
    let mut counts = [0_usize; 3];
    let is_same = table.slots(id).all(|(slot, attribute)| {
        let (kind, place) = match slot {
            Slot::String(place) => (0, place),
            Slot::Number(place) => (1, place),
            Slot::Flag(place) => (2, place),
        };
        if let Some(count) = counts.get_mut(kind) {
            *count = count.wrapping_add(1);
        }
        known.get(kind).and_then(|list| list.get(place)).is_some_and(|known| {
            known.name == table.text(attribute.name)
                && known.kind == attribute.kind
                && known.known_after_act == attribute.known_later
        })
    });
    is_same && known.map(<[AttributeDef]>::len) == counts
}
