//! Facts by name -> facts in the numbering of a table.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use enforce_core::Facts;
use table_format::{OperationId, RoleId, Slot, Table};

/// One operation on one target, as people and files name things.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Named {
    /// What is asked for.
    pub(crate) operation: String,
    /// The roles held.
    pub(crate) roles: BTreeSet<String>,
    /// The strings that are there.
    pub(crate) strings: BTreeMap<String, String>,
    /// The numbers that are not left open.
    pub(crate) numbers: BTreeMap<String, u64>,
    /// The flags that are said.
    pub(crate) flags: BTreeSet<String>,
}

/// A name that the table does not know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum NameError {
    /// No such operation.
    Operation(String),
    /// No such role.
    Role(String),
    /// The operation has no such string, number or flag.
    Attribute { operation: String, attribute: String },
}

impl fmt::Display for NameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Operation(name) => write!(f, "unknown operation `{name}`"),
            Self::Role(name) => write!(f, "unknown role `{name}`"),
            Self::Attribute { operation, attribute } => {
                write!(f, "`{operation}` has no attribute `{attribute}` of this type")
            }
        }
    }
}

impl std::error::Error for NameError {}

impl Named {
    /// The same facts as the table numbers them.
    pub(crate) fn numbered(&self, table: &Table<'_>) -> Result<Numbered<'_>, NameError> {
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
pub(crate) struct Numbered<'a> {
    operation: OperationId,
    roles: Vec<RoleId>,
    strings: Vec<Option<&'a [u8]>>,
    numbers: Vec<Option<u64>>,
    flags: u64,
}

impl Numbered<'_> {
    /// As the core takes them.
    pub(crate) fn facts(&self) -> Facts<'_> {
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
