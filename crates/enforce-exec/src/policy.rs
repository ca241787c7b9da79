//! The bytes of a frozen table -> a policy that sessions are judged by.

use std::collections::BTreeSet;
use std::sync::Arc;

use enforce_core::{BindError, Decision, Facts, Operation, Policy, Verdict, decide, is_matched};
use self_cell::self_cell;
use table_format::{Child, Digest, Direction, Effect, Jump, OpenError, OperationId, Pin, Position, RoleId, Table};
use thiserror::Error;

/// A policy that is loaded. Clones share it, and the last one frees it.
#[derive(Debug, Clone)]
pub struct LoadedPolicy {
    bound: Arc<BoundTable>,
    allows_commands: bool,
}

/// Why a table is not loaded.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum LoadError {
    /// The bytes are not a whole table, or not the expected one.
    #[error("{0}")]
    Table(OpenError),
    /// The table judges an operation by other attributes than this program.
    #[error("the table judges `{}` by other attributes than this program", .0.operation.name())]
    Attributes(BindError),
}

self_cell! {
    struct TableBytes {
        owner: Vec<u8>,
        #[covariant]
        dependent: Table,
    }
    impl {Debug}
}

self_cell! {
    struct BoundTable {
        owner: TableBytes,
        #[covariant]
        dependent: Policy,
    }
    impl {Debug}
}

impl LoadedPolicy {
    /// Opens a table.
    ///
    /// # Errors
    /// When the table cannot be opened, or requests cannot be judged by it.
    pub fn new(bytes: Vec<u8>, pin: Pin) -> Result<Self, LoadError> {
        let table =
            TableBytes::try_new(bytes, |bytes| Table::open(bytes, pin, blake3_digest).map_err(LoadError::Table))?;
        let bound =
            BoundTable::try_new(table, |table| Policy::new(table.borrow_dependent())).map_err(LoadError::Attributes)?;
        let table = bound.borrow_dependent().table();
        let everyone: Vec<RoleId> = std::iter::once(RoleId::NONE).chain(table.roles()).collect();
        let allows_commands = grants(table, table.find_operation(Operation::ShellExec.name()), &everyone);
        Ok(Self { bound: Arc::new(bound), allows_commands })
    }

    /// The policy.
    #[must_use]
    pub fn policy(&self) -> &Policy<'_> {
        self.bound.borrow_dependent()
    }

    /// True if some rule lets a command run, whoever asks and under whatever conditions.
    pub(crate) fn allows_commands(&self) -> bool {
        self.allows_commands
    }

    /// The digest that names the table.
    #[must_use]
    pub fn digest(&self) -> Digest {
        self.table().digest()
    }

    /// True if the table has a role of this name.
    #[must_use]
    pub fn has_role(&self, role: &str) -> bool {
        self.table().find_role(role).is_some()
    }

    /// The name that the policy gives itself.
    #[must_use]
    pub fn name(&self) -> &str {
        self.table().name()
    }

    /// The names of the policy's roles, sorted.
    pub fn role_names(&self) -> impl Iterator<Item = &str> {
        let table = self.table();
        table.roles().filter_map(|role| Some(table.text(table.role(role)?.name)))
    }

    /// True if a session with these roles can be granted anything at all.
    #[must_use]
    pub fn grants(&self, names: &[String]) -> bool {
        let (table, roles) = (self.table(), self.roles(names));
        grants(table, table.operations(), if roles.is_empty() { &[RoleId::NONE] } else { &roles })
    }

    /// The roles of these names. A name that the table does not have grants nothing.
    #[must_use]
    pub fn roles(&self, names: &[String]) -> Vec<RoleId> {
        names.iter().filter_map(|name| self.table().find_role(name)).collect()
    }

    fn table(&self) -> &Table<'_> {
        self.policy().table()
    }
}

/// True if a rule that allows or asks is reachable in the diagrams of these operations for one of these roles.
fn grants(table: &Table<'_>, operations: impl IntoIterator<Item = OperationId>, roles: &[RoleId]) -> bool {
    let mut edges = Vec::new();
    for operation in operations.into_iter().filter_map(|id| table.operation(id)) {
        let asked_once = table.asked_once(&operation).into_iter().flatten();
        for ask in asked_once.chain(table.asked_for_finds(&operation).into_iter().flatten()) {
            edges.extend(roles.iter().filter_map(|role| table.root(ask.row.first, *role)));
        }
    }
    let mut seen = BTreeSet::new();
    while let Some(edge) = edges.pop() {
        match edge.child() {
            (Child::Node(node), _) if seen.insert(node) => table.each_edge(node, &mut |edge| edges.push(edge)),
            (Child::Rule(_) | Child::Within(_), Some(Effect::Allow | Effect::Ask)) => return true,
            (Child::Node(_) | Child::Nothing | Child::Rule(_) | Child::Within(_) | Child::Exceeded(_), _) => {}
        }
    }
    false
}

/// True if some rule is about commands of the denied command's name: it lets that command run with other flags, with numbers
/// left open, or with other words after its name. For the sentence of a denial (SEC-ALLOW-MISS); nothing is decided by it.
pub(crate) fn is_listed(decision: &Decision<'_, '_>) -> bool {
    let (table, facts) = (decision.table(), decision.facts());
    let Some(operation) = table.operation(facts.operation) else {
        return false;
    };
    if table.text(operation.name) != Operation::ShellExec.name() {
        return false;
    }
    let attributes = Operation::ShellExec.attributes();
    let flags = 1_u64.checked_shl(u32::try_from(attributes.flags.len()).unwrap_or(u32::MAX)).unwrap_or(1);
    let lets_run = |flags| decide(table, &Facts { flags, numbers: &[], ..*facts }).verdict() != Verdict::Deny;
    if (0..flags).any(lets_run) {
        return true;
    }
    let walks = || table.walks(&operation).into_iter().flatten();
    if walks().any(|walk| walk.string() != COMMAND) && is_matched(table, facts, COMMAND) {
        return true;
    }
    let Some(name) = facts.strings.get(usize::from(COMMAND)).copied().flatten() else {
        return false;
    };
    // A pattern that is matched from a line's end says nothing about how lines begin.
    let mut starts = walks().filter(|walk| walk.string() == LINE && walk.direction() == Direction::Forward);
    starts.any(|walk| distinguishes(table, walk.start(), name))
}

/// True if an automaton for lines tells lines that begin with this name from lines that begin with a name nobody has: for the
/// name alone, or for something that follows it.
fn distinguishes(table: &Table<'_>, start: Jump, name: &[u8]) -> bool {
    let [own, other] = [name, NO_PROGRAM].map(|name| Position::start(start).after(table, name));
    // Most names leave every pattern within their first bytes.
    if own == other {
        return false;
    }
    let end = |at: Option<Position>| at.and_then(|at| at.class_at_end(table));
    let with_words = |at: Option<Position>| at.and_then(|at| at.after(table, b" "));
    end(own) != end(other) || with_words(own) != with_words(other)
}

fn blake3_digest(parts: &[&[u8]]) -> Digest {
    let mut hasher = blake3::Hasher::new();
    for part in parts {
        hasher.update(part);
    }
    Digest(*hasher.finalize().as_bytes())
}

/// The slots of a command's name and of its line among the strings of `shell.exec`.
const COMMAND: u16 = 0;
const LINE: u16 = 2;
/// No program has this name.
const NO_PROGRAM: &[u8] = b"\x7f";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_slots_are_those_of_the_names() {
        let strings = Operation::ShellExec.attributes().strings;
        assert_eq!([COMMAND, LINE].map(|slot| strings[usize::from(slot)].name), ["command", "line"]);
    }
}
