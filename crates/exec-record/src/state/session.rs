//! What a session is: who it acts for, under which lease, where, and until when.

use serde::{Deserialize, Serialize};

use super::error::StateError;
use crate::ledger::{Created, Digest, Leased, TABLES_MAX};
use crate::text::Text;
use enforce_core::limits::{MAX_ID_LEN, MAX_PATH_LEN};

/// What a session is asked for with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewSession {
    /// Names of roles.
    pub roles: Vec<String>,
    /// What the lease covers, whatever policies say (TRUST-LEASE).
    pub scope: Scope,
    /// Where relative paths start: in the root, which it is itself when empty.
    pub working_directory: String,
    /// The folder that everything has to lie in.
    pub root: String,
    /// When it is over, in milliseconds since the beginning of 1970.
    pub expires_at_ms: u64,
    /// What the lease grants of something, beside the budgets of policies.
    pub budgets: Vec<LeaseBudget>,
    /// The policies, all of which have to agree.
    pub tables: Vec<Digest>,
}

/// The operations of a lease.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Scope {
    /// All.
    Everything,
    /// These: `file.read`, or `git.*` for every operation of a tool.
    Only(Vec<String>),
}

/// How much of something a lease grants.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeaseBudget {
    /// Its name.
    pub name: String,
    /// The operation that is charged: `inference.call`, or `git.*`.
    pub operation: String,
    /// The attribute that is summed; without one, requests are counted.
    pub attribute: Option<String>,
    /// The most of it in the whole session.
    pub most: u64,
}

/// Names a session, and its chain of the ledger.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SessionId(pub(super) u64);

/// A session that is active.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    /// Names it.
    pub id: SessionId,
    /// What it was asked for with.
    pub granted: NewSession,
}

impl SessionId {
    /// As a number: the chain of its records.
    #[must_use]
    pub fn get(self) -> u64 {
        self.0
    }

    /// The session with this number. A state knows only the numbers that it gave itself.
    #[must_use]
    pub const fn new(id: u64) -> Self {
        Self(id)
    }
}

impl std::fmt::Display for SessionId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

impl NewSession {
    /// Whether it may be stored.
    pub(super) fn check(&self) -> Result<(), StateError> {
        let scope: &[String] = match &self.scope {
            Scope::Everything => &[],
            Scope::Only(operations) => operations,
        };
        let names = self.roles.iter().chain(scope);
        let budgets = self.budgets.iter();
        let budgets =
            budgets.flat_map(|budget| [Some(&budget.name), Some(&budget.operation), budget.attribute.as_ref()]);
        let longest = names.chain(budgets.flatten()).map(String::len).max().unwrap_or_default();
        let checks = [
            ("roles", self.roles.len(), NAMES_MAX),
            ("operations of a lease", scope.len(), NAMES_MAX),
            ("budgets of a lease", self.budgets.len(), NAMES_MAX),
            ("tables of a session", self.tables.len(), TABLES_MAX),
            ("bytes of a name", longest, MAX_ID_LEN),
            ("bytes of a working directory", self.working_directory.len(), MAX_PATH_LEN),
            ("bytes of a root", self.root.len(), MAX_PATH_LEN),
        ];
        match checks.into_iter().find(|(_, size, most)| size > most) {
            Some((what, _, most)) => Err(StateError::TooLarge { what, most }),
            None => Ok(()),
        }
    }

    /// What is on the record of it.
    pub(crate) fn record(&self) -> Created {
        let scope = match &self.scope {
            Scope::Everything => vec![Text::new("*")],
            Scope::Only(operations) => operations.iter().map(Text::new).collect(),
        };
        Created {
            roles: self.roles.iter().map(Text::new).collect(),
            scope,
            working_directory: Text::new(&self.working_directory),
            root: Text::new(&self.root),
            expires_at_ms: self.expires_at_ms,
            tables: self.tables.clone(),
            budgets: self.budgets.iter().map(LeaseBudget::record).collect(),
        }
    }
}

impl LeaseBudget {
    fn record(&self) -> Leased {
        Leased {
            name: Text::new(&self.name),
            operation: Text::new(&self.operation),
            attribute: Text::new(self.attribute.as_deref().unwrap_or_default()),
            most: self.most,
        }
    }
}

/// Roles, operations or budgets of one session.
const NAMES_MAX: usize = 256;
