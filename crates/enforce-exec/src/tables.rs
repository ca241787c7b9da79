//! The bytes of a frozen table -> a policy that sessions are judged by, for as long as the program runs.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};

use enforce_core::{BindError, Operation, Policy};
use table_format::{Child, Digest, Edge, Effect, Node, OpenError, OperationId, Pin, RoleId, Span, Table};

/// A policy that is loaded.
///
/// Sessions, and whatever is judged in them, refer to it from many threads, so that it stays until the program ends. An
/// operator names a handful of tables when a program starts; [`TABLES_MAX`] bounds what mistakes could add to them.
#[derive(Debug, Clone, Copy)]
pub struct Loaded {
    policy: &'static Policy<'static>,
    lists_commands: bool,
}

/// Why a table is not loaded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LoadError {
    /// It is no table, not a whole one, or not the one that was expected.
    Table(OpenError),
    /// It judges an operation by other facts than this program has.
    Facts(BindError),
    /// There are [`TABLES_MAX`] already.
    TooMany,
}

impl Loaded {
    /// Opens a table and keeps it.
    ///
    /// # Errors
    /// When the table cannot be opened or judged by, or when there are too many.
    pub fn new(bytes: Vec<u8>, pin: Pin) -> Result<Self, LoadError> {
        // Checked before anything is kept for good.
        let table = Table::open(&bytes, pin, blake3_digest).map_err(LoadError::Table)?;
        Policy::new(&table).map_err(LoadError::Facts)?;
        if LOADED.fetch_add(1, Ordering::Relaxed) >= TABLES_MAX {
            LOADED.fetch_sub(1, Ordering::Relaxed);
            return Err(LoadError::TooMany);
        }
        let bytes: &'static [u8] = Vec::leak(bytes);
        let table: &'static Table<'static> =
            Box::leak(Box::new(Table::open(bytes, pin, blake3_digest).map_err(LoadError::Table)?));
        let policy = Box::leak(Box::new(Policy::new(table).map_err(LoadError::Facts)?));
        Ok(Self { policy, lists_commands: lists_commands(table) })
    }

    /// The policy.
    #[must_use]
    pub fn policy(&self) -> &'static Policy<'static> {
        self.policy
    }

    /// Whether a rule lets some command run, whoever asks and under whatever conditions. It is looked for once: a denial is
    /// no place to look through all rules.
    pub(crate) fn lists_commands(&self) -> bool {
        self.lists_commands
    }

    /// What names the table.
    #[must_use]
    pub fn digest(&self) -> Digest {
        self.policy.table().digest()
    }

    /// Whether the table has a role of this name.
    #[must_use]
    pub fn knows(&self, role: &str) -> bool {
        self.policy.table().find_role(role).is_some()
    }

    /// As the policy calls itself.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.policy.table().name()
    }

    /// The names of its roles, in the order of the alphabet.
    pub fn role_names(&self) -> impl Iterator<Item = &'static str> {
        let table = self.policy.table();
        table.roles().filter_map(|role| Some(table.text(table.role(role)?.name)))
    }

    /// Whether a session with these roles can be granted anything at all, whatever it asks for.
    #[must_use]
    pub fn grants(&self, names: &[String]) -> bool {
        let (table, roles) = (self.policy.table(), self.roles(names));
        grants(table, table.operations(), if roles.is_empty() { &[RoleId::NONE] } else { &roles })
    }

    /// The roles of these names. What the table does not know, it grants nothing for.
    #[must_use]
    pub fn roles(&self, names: &[String]) -> Vec<RoleId> {
        names.iter().filter_map(|name| self.policy.table().find_role(name)).collect()
    }
}

/// Whether a command may run for anybody.
fn lists_commands(table: &Table<'_>) -> bool {
    let anybody: Vec<RoleId> = std::iter::once(RoleId::NONE).chain(table.roles()).collect();
    grants(table, table.find_operation(Operation::ShellExec.name()), &anybody)
}

/// Whether a rule that allows or asks stands somewhere in the diagrams of these operations for one of these roles.
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
            (Child::Node(node), _) if seen.insert(node) => edges.extend(children(table, node)),
            (Child::Rule(_) | Child::Within(_), Some(Effect::Allow | Effect::Ask)) => return true,
            (Child::Node(_) | Child::Nothing | Child::Rule(_) | Child::Within(_) | Child::Exceeded(_), _) => {}
        }
    }
    false
}

/// Where a node leads, whatever is asked.
fn children(table: &Table<'_>, node: u32) -> Vec<Edge> {
    let edges = |span: Span| table.list(span).map(Edge);
    match table.node(node) {
        Some(Node::Flag { unset, set, .. } | Node::Bit { unset, set, .. }) => vec![unset, set],
        Some(Node::Range { children, otherwise, .. }) => edges(children).chain([otherwise]).collect(),
        // A class stands before each.
        Some(Node::Sorted { pairs, otherwise, .. }) => edges(pairs).skip(1).step_by(2).chain([otherwise]).collect(),
        Some(Node::Number { first, bounds, open, .. }) => {
            // Each bound has two words, and there is one edge more than bounds.
            let bounds = u32::from(bounds);
            let first = first.saturating_add(bounds.saturating_mul(2));
            edges(Span { first, count: bounds.saturating_add(1) }).chain([open]).collect()
        }
        None => Vec::new(),
    }
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Table(error) => write!(f, "{error}"),
            Self::Facts(error) => {
                write!(f, "the table judges `{}` by facts that this program does not have", error.operation.name())
            }
            Self::TooMany => write!(f, "there are {TABLES_MAX} tables already"),
        }
    }
}

impl std::error::Error for LoadError {}

/// What tables are named by.
fn blake3_digest(parts: &[&[u8]]) -> Digest {
    let mut hasher = blake3::Hasher::new();
    for part in parts {
        hasher.update(part);
    }
    Digest(*hasher.finalize().as_bytes())
}

static LOADED: AtomicUsize = AtomicUsize::new(0);

/// Tables that one program holds at the most.
pub const TABLES_MAX: usize = 1_024;
