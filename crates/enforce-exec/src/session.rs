//! A session of the state and the loaded tables -> the session as the core judges requests in it.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{SystemTime, UNIX_EPOCH};

use enforce_core::Operation;
use enforce_core::judge::{Approval, Layer, Scope, Session};
use enforce_core::path::Root;
use exec_record::{Digest, LeaseBudget, NewSession, SessionId};
use table_format::{RoleId, Slot};
use thiserror::Error;
use tokio::sync::Semaphore;

use crate::policy::LoadedPolicy;

/// A session with its policies.
#[derive(Debug)]
pub(crate) struct LoadedSession {
    pub(crate) session: Arc<exec_record::Session>,
    /// One permit for each act that may run.
    pub(crate) acts: Semaphore,
    /// Bytes of results stored for the session since the program started.
    pub(crate) kept_bytes: AtomicU64,
    policies: Vec<(LoadedPolicy, Vec<RoleId>)>,
}

/// The lists that a [`Session`] borrows.
pub(crate) struct SessionBuffers<'h> {
    layers: Vec<Layer<'h>>,
    scope: Option<Vec<&'h str>>,
}

/// Why a session cannot be created with these roles, tables and budgets.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum SessionError {
    /// No table of the session has the role.
    #[error("unknown role `{}`: no policy of the session declares it", .role.escape_debug())]
    UnknownRole {
        /// The role's name.
        role: String,
    },
    /// A table of the session is not loaded.
    #[error("the session's table {digest} is not loaded")]
    UnknownTable {
        /// The table's digest.
        digest: Digest,
    },
    /// The lease names an unknown operation, and so covers less than it seems to.
    #[error("unknown operation `{}` in the lease; known are {}", .name.escape_debug(), .known.join(", "))]
    UnknownOperation {
        /// The name in the lease.
        name: String,
        /// The operations of the same tool, or every tool.
        known: Vec<String>,
    },
    /// A budget of the lease is for an unknown operation, and so bounds nothing.
    #[error(
        "unknown operation `{}` in the lease's budget `{}`; known are {}",
        .name.escape_debug(), .budget.escape_debug(), .known.join(", ")
    )]
    BudgetOperation {
        /// The budget's name.
        budget: String,
        /// The operation's name.
        name: String,
        /// The operations of the same tool, or every tool.
        known: Vec<String>,
    },
    /// A budget of the lease sums an attribute that its operation does not have, and so bounds nothing.
    #[error(
        "the lease's budget `{}` sums `{}`, which `{operation}` does not have; it can sum {}",
        .budget.escape_debug(), .attribute.escape_debug(),
        if known.is_empty() { "nothing, only count calls".to_owned() } else { known.join(", ") }
    )]
    BudgetAttribute {
        /// The budget's name.
        budget: String,
        /// The operation.
        operation: String,
        /// The unknown attribute.
        attribute: String,
        /// The numbers of the operation.
        known: Vec<String>,
    },
    /// Two budgets of the lease have the same name, so that each would count the other's use.
    #[error("the lease has two budgets named `{}`", .budget.escape_debug())]
    BudgetTwice {
        /// The name.
        budget: String,
    },
    /// The working directory does not exist in the root.
    #[error("the working directory `{}` cannot be used: {why}", .path.escape_debug())]
    WorkingDirectory {
        /// The directory, as the session names it.
        path: String,
        /// The reason.
        why: String,
    },
}

/// Operations by name, each with its numbers.
type Operations = BTreeMap<String, BTreeSet<String>>;

/// The sessions with recent requests.
#[derive(Debug)]
pub(crate) struct LoadedSessions {
    held: RwLock<HashMap<SessionId, Arc<LoadedSession>>>,
    sessions_max: usize,
    acts_max: usize,
}

/// Why a session cannot be loaded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum LoadSessionError {
    /// Its policies are not loaded, or do not have its roles.
    Session(SessionError),
    /// Too many sessions have running acts or stored results.
    Full,
}

impl LoadedSessions {
    pub(crate) fn new(sessions_max: usize, acts_max: usize) -> Self {
        Self { held: RwLock::default(), sessions_max, acts_max }
    }

    /// Returns the session with its policies, which are looked up once for each session.
    pub(crate) fn load(
        &self,
        session: Arc<exec_record::Session>,
        tables: &[LoadedPolicy],
    ) -> Result<Arc<LoadedSession>, LoadSessionError> {
        let known = self.held.read().unwrap_or_else(PoisonError::into_inner).get(&session.id).cloned();
        if let Some(known) = known {
            return Ok(known);
        }
        let fresh = Arc::new(LoadedSession::new(session, tables, self.acts_max).map_err(LoadSessionError::Session)?);
        let mut held = self.held.write().unwrap_or_else(PoisonError::into_inner);
        if held.len() >= self.sessions_max {
            let now_ms = now_ms();
            held.retain(|_, held| held.is_needed(now_ms));
        }
        if held.len() >= self.sessions_max && !held.contains_key(&fresh.session.id) {
            return Err(LoadSessionError::Full);
        }
        Ok(held.entry(fresh.session.id).or_insert(fresh).clone())
    }

    /// Forgets a session that has ended. Its running acts keep it until they end.
    pub(crate) fn release(&self, session: SessionId) {
        self.held.write().unwrap_or_else(PoisonError::into_inner).remove(&session);
    }
}

impl LoadedSession {
    /// Fails when a session cannot be created like this.
    pub(crate) fn check(granted: &NewSession, tables: &[LoadedPolicy]) -> Result<(), SessionError> {
        let policies = policies(granted, tables)?;
        let known = operations(policies.iter().map(|(loaded, _)| loaded));
        check_budgets(&granted.budgets, &known)?;
        let exec_record::Scope::Only(names) = &granted.scope else {
            return Ok(());
        };
        match names.iter().find(|name| named(name, &known).next().is_none()) {
            Some(name) => Err(SessionError::UnknownOperation { name: name.clone(), known: near(name, &known) }),
            None => Ok(()),
        }
    }

    fn new(session: Arc<exec_record::Session>, tables: &[LoadedPolicy], acts_max: usize) -> Result<Self, SessionError> {
        let policies = policies(&session.granted, tables)?;
        // The policies may have changed since the session was created; its lease still has to bound something.
        if !session.granted.budgets.is_empty() {
            check_budgets(&session.granted.budgets, &operations(policies.iter().map(|(loaded, _)| loaded)))?;
        }
        Ok(Self {
            session,
            acts: Semaphore::new(acts_max.min(Semaphore::MAX_PERMITS)),
            kept_bytes: AtomicU64::new(0),
            policies,
        })
    }

    /// True if the session has running acts or stored results, which must not be counted from zero again. An act holds its
    /// session, so there is a second reference while one runs.
    fn is_needed(self: &Arc<Self>, now_ms: u64) -> bool {
        let is_over = self.session.granted.expires_at_ms <= now_ms;
        Arc::strong_count(self) > 1 || !is_over && self.kept_bytes.load(Ordering::SeqCst) > 0
    }

    pub(crate) fn buffers(&self) -> SessionBuffers<'_> {
        let layers = self.policies.iter().map(|(loaded, roles)| Layer { policy: loaded.policy(), roles }).collect();
        let scope = match &self.session.granted.scope {
            exec_record::Scope::Everything => None,
            exec_record::Scope::Only(names) => Some(names.iter().map(String::as_str).collect()),
        };
        SessionBuffers { layers, scope }
    }

    /// True if the session's policy of this digest lets some command run, for anyone.
    pub(crate) fn allows_commands(&self, digest: Digest) -> bool {
        let mut denying = self.policies.iter().filter(|(loaded, _)| Digest::from(loaded.digest()) == digest);
        denying.any(|(loaded, _)| loaded.allows_commands())
    }

    /// The session as the core judges in it; `None` if its root is not an absolute path.
    pub(crate) fn core_session<'h>(&'h self, buffers: &'h SessionBuffers<'h>) -> Option<Session<'h>> {
        let granted = &self.session.granted;
        Some(Session {
            root: Root::new(granted.root.as_bytes()).ok()?,
            working_directory: granted.working_directory.as_bytes(),
            scope: buffers.scope.as_deref().map_or(Scope::Everything, Scope::Only),
            layers: &buffers.layers,
            approval: Approval::Missing,
        })
    }
}

/// Every operation with its numbers: the built-in ones, and those that policies declare.
fn operations<'l>(policies: impl Iterator<Item = &'l LoadedPolicy>) -> Operations {
    let mut operations = Operations::new();
    for operation in Operation::ALL {
        let numbers = operation.attributes().numbers.iter().map(|number| number.name.to_owned());
        operations.insert(operation.name().to_owned(), numbers.collect());
    }
    for loaded in policies {
        let table = loaded.policy().table();
        for id in table.operations() {
            let Some(operation) = table.operation(id) else { continue };
            let numbers = table.slots(id).filter(|(slot, _)| matches!(slot, Slot::Number(_)));
            let numbers = numbers.map(|(_, attribute)| table.text(attribute.name).to_owned());
            operations.entry(table.text(operation.name).to_owned()).or_default().extend(numbers);
        }
    }
    operations
}

/// The operations that a lease names: `file.read`, or `file.*` for every operation of a tool.
fn named<'k>(name: &str, known: &'k Operations) -> impl Iterator<Item = (&'k String, &'k BTreeSet<String>)> {
    known.iter().filter(move |(operation, _)| match name.strip_suffix(".*") {
        Some(tool) => tool_of(operation) == tool,
        None => *operation == name,
    })
}

/// Fails when a budget of a lease bounds nothing.
fn check_budgets(budgets: &[LeaseBudget], known: &Operations) -> Result<(), SessionError> {
    for (place, LeaseBudget { name, operation, attribute, .. }) in budgets.iter().enumerate() {
        if budgets.iter().take(place).any(|other| other.name == *name) {
            return Err(SessionError::BudgetTwice { budget: name.clone() });
        }
        if named(operation, known).next().is_none() {
            let (budget, known) = (name.clone(), near(operation, known));
            return Err(SessionError::BudgetOperation { budget, name: operation.clone(), known });
        }
        let Some(attribute) = attribute else { continue };
        if let Some((operation, numbers)) = named(operation, known).find(|(_, numbers)| !numbers.contains(attribute)) {
            return Err(SessionError::BudgetAttribute {
                budget: name.clone(),
                operation: operation.clone(),
                attribute: attribute.clone(),
                known: numbers.iter().cloned().collect(),
            });
        }
    }
    Ok(())
}

/// The operations of the same tool; where there is no such tool, every tool.
fn near(name: &str, known: &Operations) -> Vec<String> {
    let of_tool: Vec<String> = known.keys().filter(|known| tool_of(known) == tool_of(name)).cloned().collect();
    if !of_tool.is_empty() {
        return of_tool;
    }
    let tools: BTreeSet<String> = known.keys().map(|known| format!("{}.*", tool_of(known))).collect();
    tools.into_iter().collect()
}

fn now_ms() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(now.as_millis()).unwrap_or(u64::MAX)
}

fn tool_of(name: &str) -> &str {
    name.split('.').next().unwrap_or(name)
}

/// The policies of a session, each with the roles that the session has in it.
fn policies(granted: &NewSession, tables: &[LoadedPolicy]) -> Result<Vec<(LoadedPolicy, Vec<RoleId>)>, SessionError> {
    let loaded = |digest: &Digest| {
        let loaded = tables.iter().find(|loaded| Digest::from(loaded.digest()) == *digest);
        loaded.cloned().ok_or(SessionError::UnknownTable { digest: *digest })
    };
    let tables: Vec<LoadedPolicy> = granted.tables.iter().map(loaded).collect::<Result<_, _>>()?;
    let is_known = |role: &String| tables.iter().any(|loaded| loaded.has_role(role));
    match granted.roles.iter().find(|role| !is_known(role)) {
        Some(role) => Err(SessionError::UnknownRole { role: role.clone() }),
        None => {
            let with_roles = |loaded: LoadedPolicy| {
                let roles = loaded.roles(&granted.roles);
                (loaded, roles)
            };
            Ok(tables.into_iter().map(with_roles).collect())
        }
    }
}

/// Running acts of one session; further ones are told to come back.
pub const ACTS_PER_SESSION_MAX: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;
    use exec_record::State as _;
    use exec_record::{Settings, SqliteState};
    use tempfile::TempDir;

    /// A state whose clock stands still, long ago.
    fn state() -> (TempDir, SqliteState) {
        let folder = TempDir::new().unwrap();
        let settings = Settings { clock: Arc::new(|| START_MS), ..Settings::default() };
        let state = SqliteState::open_with(&folder.path().join("state"), settings).unwrap().0;
        (folder, state)
    }

    /// So many sessions without a role, which need no policy.
    async fn sessions(state: &SqliteState, count: usize, expires_at_ms: u64) -> Vec<Arc<exec_record::Session>> {
        let mut sessions = Vec::new();
        for _ in 0..count {
            let new = NewSession {
                roles: Vec::new(),
                scope: exec_record::Scope::Everything,
                working_directory: String::new(),
                root: "/srv/project".to_owned(),
                expires_at_ms,
                budgets: Vec::new(),
                tables: Vec::new(),
            };
            let token = state.create_session(new).await.unwrap().1.reveal();
            sessions.push(state.session(&token).await.unwrap().unwrap());
        }
        sessions
    }

    const START_MS: u64 = 1_760_000_000_000;

    #[tokio::test]
    async fn what_is_counted_of_a_session_is_not_forgotten_for_want_of_room() {
        let (_folder, state) = state();
        let own = sessions(&state, 6, u64::MAX).await;
        let held = LoadedSessions::new(3, 1);
        let hold = |place: usize| held.load(Arc::clone(&own[place]), &[]);
        let acting = hold(0).unwrap();
        let _turn = acting.acts.try_acquire().unwrap();
        let kept = hold(1).unwrap();
        kept.kept_bytes.fetch_add(1, Ordering::SeqCst);
        let kept = Arc::downgrade(&kept);
        hold(2).unwrap();
        // One after the other takes the place of who has nothing to be remembered.
        for place in [3, 4, 5, 2] {
            hold(place).unwrap();
        }
        assert!(hold(0).unwrap().acts.try_acquire().is_err(), "its act is still under way");
        assert_eq!(hold(1).unwrap().kept_bytes.load(Ordering::SeqCst), 1);
        assert!(Arc::ptr_eq(&hold(1).unwrap(), &kept.upgrade().unwrap()));
    }

    #[tokio::test]
    async fn where_everything_is_counted_a_further_session_has_to_wait() {
        let (_folder, state) = state();
        let own = sessions(&state, 3, u64::MAX).await;
        let held = LoadedSessions::new(2, 1);
        let hold = |place: usize| held.load(Arc::clone(&own[place]), &[]);
        let acting = hold(0).unwrap();
        hold(1).unwrap().kept_bytes.fetch_add(1, Ordering::SeqCst);
        assert_eq!(hold(2).err(), Some(LoadSessionError::Full));
        assert!(hold(0).is_ok() && hold(1).is_ok(), "who is there has its place");
        drop(acting);
        assert!(hold(2).is_ok());
        // One that is ended gives up its place, whatever was counted.
        assert_eq!(hold(0).err(), None);
        held.release(own[1].id);
        assert!(hold(1).is_ok());
    }

    #[tokio::test]
    async fn a_session_whose_time_is_up_is_let_go_of() {
        let (_folder, state) = state();
        // Over by the clock on the wall, though not by that of the state.
        let mut own = sessions(&state, 1, START_MS + 1).await;
        own.extend(sessions(&state, 1, u64::MAX).await);
        let held = LoadedSessions::new(1, 1);
        held.load(Arc::clone(&own[0]), &[]).unwrap().kept_bytes.fetch_add(1, Ordering::SeqCst);
        assert!(held.load(Arc::clone(&own[1]), &[]).is_ok());
    }
}
