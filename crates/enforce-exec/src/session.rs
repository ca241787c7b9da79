//! A session of the state and the tables that are loaded -> what the core judges its requests with.

use std::collections::{BTreeSet, HashMap};
use std::fmt;
use std::sync::{Arc, PoisonError, RwLock};

use enforce_core::Operation;
use enforce_core::judge::{Approval, Layer, Scope, Session};
use enforce_core::path::Root;
use table_format::RoleId;
use tokio::sync::Semaphore;

use crate::ledger::Digest;
use crate::state::{self, NewSession, SessionId};
use crate::tables::Loaded;

/// A session with its policies, as requests are judged in it.
#[derive(Debug)]
pub(crate) struct Held {
    pub(crate) session: Arc<state::Session>,
    /// How many acts it may have under way.
    pub(crate) acts: Semaphore,
    policies: Vec<(Loaded, Vec<RoleId>)>,
}

/// The lists that a [`Session`] borrows.
pub(crate) struct Lists<'h> {
    layers: Vec<Layer<'h>>,
    scope: Option<Vec<&'h str>>,
}

/// Why a session cannot be had with these roles and tables.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SessionError {
    /// No table knows the role.
    UnknownRole {
        /// Its name.
        role: String,
    },
    /// A table of the session is not loaded.
    UnknownTable {
        /// What names it.
        digest: Digest,
    },
    /// The lease names an operation that nobody knows, and so covers less than it seems to.
    UnknownOperation {
        /// As the lease has it.
        name: String,
        /// What it may be instead: of the same tool, or of every tool.
        known: Vec<String>,
    },
    /// There is no folder for relative paths to start in.
    WorkingDirectory {
        /// As the session has it.
        path: String,
        /// Why.
        why: String,
    },
}

/// The sessions that requests came in, by number.
#[derive(Debug, Default)]
pub(crate) struct HeldSessions {
    held: RwLock<HashMap<SessionId, Arc<Held>>>,
}

impl HeldSessions {
    /// The session with its policies. Made once for each session.
    pub(crate) fn hold(&self, session: Arc<state::Session>, tables: &[Loaded]) -> Result<Arc<Held>, SessionError> {
        let known = self.held.read().unwrap_or_else(PoisonError::into_inner).get(&session.id).cloned();
        if let Some(known) = known {
            return Ok(known);
        }
        let fresh = Arc::new(Held::new(session, tables)?);
        let mut held = self.held.write().unwrap_or_else(PoisonError::into_inner);
        if held.len() >= HELD_MAX {
            // Whoever is still active comes back; what is forgotten is only how many acts are under way.
            held.clear();
        }
        Ok(held.entry(fresh.session.id).or_insert(fresh).clone())
    }
}

impl Held {
    /// Whether a session can be had.
    pub(crate) fn check(granted: &NewSession, tables: &[Loaded]) -> Result<(), SessionError> {
        let policies = policies(granted, tables)?;
        let state::Scope::Only(names) = &granted.scope else {
            return Ok(());
        };
        let known = operations(policies.iter().map(|(loaded, _)| loaded));
        let is_known = |name: &String| match name.strip_suffix(".*") {
            Some(tool) => known.iter().any(|known| tool_of(known) == tool),
            None => known.contains(name),
        };
        match names.iter().find(|name| !is_known(name)) {
            Some(name) => Err(SessionError::UnknownOperation { name: name.clone(), known: near(name, &known) }),
            None => Ok(()),
        }
    }

    fn new(session: Arc<state::Session>, tables: &[Loaded]) -> Result<Self, SessionError> {
        let policies = policies(&session.granted, tables)?;
        Ok(Self { session, acts: Semaphore::new(ACTS_PER_SESSION_MAX), policies })
    }

    pub(crate) fn lists(&self) -> Lists<'_> {
        let layers = self.policies.iter().map(|(loaded, roles)| Layer { policy: loaded.policy(), roles }).collect();
        let scope = match &self.session.granted.scope {
            state::Scope::Everything => None,
            state::Scope::Only(names) => Some(names.iter().map(String::as_str).collect()),
        };
        Lists { layers, scope }
    }

    /// What the core judges with. A root that is none leaves no session.
    pub(crate) fn judged_by<'h>(&'h self, lists: &'h Lists<'h>) -> Option<Session<'h>> {
        let granted = &self.session.granted;
        Some(Session {
            root: Root::new(granted.root.as_bytes()).ok()?,
            working_directory: granted.working_directory.as_bytes(),
            scope: lists.scope.as_deref().map_or(Scope::Everything, Scope::Only),
            layers: &lists.layers,
            approval: Approval::Missing,
        })
    }
}

/// Every operation that can be asked for: the built-in ones, and those that policies declare.
fn operations<'l>(policies: impl Iterator<Item = &'l Loaded>) -> BTreeSet<String> {
    let built_in = Operation::ALL.iter().map(|operation| operation.name().to_owned());
    let declared = policies.flat_map(|loaded| {
        let table = loaded.policy().table();
        table.operations().filter_map(|id| table.operation(id)).map(|operation| table.text(operation.name).to_owned())
    });
    built_in.chain(declared).collect()
}

/// What could be meant: the operations of the same tool, and where there is no such tool, every tool.
fn near(name: &str, known: &BTreeSet<String>) -> Vec<String> {
    let of_tool: Vec<String> = known.iter().filter(|known| tool_of(known) == tool_of(name)).cloned().collect();
    if !of_tool.is_empty() {
        return of_tool;
    }
    let tools: BTreeSet<String> = known.iter().map(|known| format!("{}.*", tool_of(known))).collect();
    tools.into_iter().collect()
}

fn tool_of(name: &str) -> &str {
    name.split('.').next().unwrap_or(name)
}

/// The policies of a session, each with the roles that the session has in it.
fn policies(granted: &NewSession, tables: &[Loaded]) -> Result<Vec<(Loaded, Vec<RoleId>)>, SessionError> {
    let loaded = |digest: &Digest| {
        let loaded = tables.iter().find(|loaded| Digest::from(loaded.digest()) == *digest);
        loaded.copied().ok_or(SessionError::UnknownTable { digest: *digest })
    };
    let tables: Vec<Loaded> = granted.tables.iter().map(loaded).collect::<Result<_, _>>()?;
    let is_known = |role: &String| tables.iter().any(|loaded| loaded.knows(role));
    match granted.roles.iter().find(|role| !is_known(role)) {
        Some(role) => Err(SessionError::UnknownRole { role: role.clone() }),
        None => Ok(tables.into_iter().map(|loaded| (loaded, loaded.roles(&granted.roles))).collect()),
    }
}

impl fmt::Display for SessionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownRole { role } => {
                write!(f, "no policy of the session knows the role `{}`", role.escape_debug())
            }
            Self::UnknownOperation { name, known } => {
                let known = known.join(", ");
                write!(
                    f,
                    "the lease names an operation `{}`, which there is not: there are {known}",
                    name.escape_debug()
                )
            }
            Self::WorkingDirectory { path, why } => {
                write!(f, "`{}` is no folder of the root to work in: {why}", path.escape_debug())
            }
            Self::UnknownTable { digest } => write!(f, "the table {digest} of the session is not loaded"),
        }
    }
}

impl std::error::Error for SessionError {}

/// Acts of one session that may be under way; more are told to come back.
pub const ACTS_PER_SESSION_MAX: usize = 64;
/// Sessions whose policies are kept at hand.
const HELD_MAX: usize = 4_096;
