//! Sessions (roles, lease, directories, expiry) and the tokens that identify them.

use std::fmt;
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};
use subtle::ConstantTimeEq as _;

use super::error::StateError;
use crate::ledger::{Created, Digest, Leased, TABLES_MAX};
use crate::text::Text;
use enforce_core::limits::{MAX_ID_LEN, MAX_PATH_LEN};

/// The parameters of a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewSession {
    pub roles: Vec<String>,
    /// Operations that the lease covers, whatever policies say (TRUST-LEASE).
    pub scope: Scope,
    /// Start of relative paths, below the root; empty for the root itself.
    pub working_directory: String,
    /// Directory that contains everything the session may touch.
    pub root: String,
    /// In milliseconds since 1970.
    pub expires_at_ms: u64,
    /// Granted in addition to the budgets of policies.
    pub budgets: Vec<LeaseBudget>,
    /// Policies, all of which must permit a request.
    pub tables: Vec<Digest>,
}

/// The operations of a lease.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Scope {
    Everything,
    /// `file.read`, or `git.*` for every operation of a tool.
    Only(Vec<String>),
}

/// A budget that a lease grants.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeaseBudget {
    pub name: String,
    /// `inference.call`, or `git.*`.
    pub operation: String,
    /// Attribute to sum; without one, requests are counted.
    pub attribute: Option<String>,
    pub most: u64,
}

/// The number of a session and of its chain of records.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SessionId(pub(super) u64);

/// An active session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    pub id: SessionId,
    pub granted: NewSession,
}

impl SessionId {
    #[must_use]
    pub fn get(self) -> u64 {
        self.0
    }

    #[must_use]
    pub const fn new(id: u64) -> Self {
        Self(id)
    }
}

impl fmt::Display for SessionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl NewSession {
    /// Fails when a field exceeds its limit.
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

/// 256 random bits that identify a session to their holder.
pub struct Token([u8; TOKEN_BYTES]);

/// The stored hash of a token.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct TokenHash([u8; TOKEN_BYTES]);

impl Token {
    pub(super) fn random() -> Result<Self, StateError> {
        let mut token = [0; TOKEN_BYTES];
        getrandom::fill(&mut token).map_err(|_| StateError::NoRandomness)?;
        Ok(Self(token))
    }

    /// Returns 64 hexadecimal digits for the session, and for nobody else.
    #[must_use]
    pub fn reveal(&self) -> String {
        Digest::from(self.0).to_string()
    }

    pub(super) fn hash(&self) -> TokenHash {
        TokenHash::of(&self.reveal())
    }
}

impl TokenHash {
    pub(super) fn of(token: &str) -> Self {
        Self(KEYED.clone().update(token.as_bytes()).finalize().into())
    }

    pub(super) fn as_bytes(&self) -> &[u8; TOKEN_BYTES] {
        &self.0
    }

    /// Compares in constant time.
    pub(super) fn is(&self, other: &Self) -> bool {
        self.0.ct_eq(&other.0).into()
    }
}

impl From<[u8; TOKEN_BYTES]> for TokenHash {
    fn from(bytes: [u8; TOKEN_BYTES]) -> Self {
        Self(bytes)
    }
}

/// Tokens must not end up in logs.
impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(..)")
    }
}

/// Roles, operations or budgets of one session.
const NAMES_MAX: usize = 256;
const TOKEN_BYTES: usize = 32;
const TOKEN_CONTEXT: &str = "interdict 2025 session token version 1";
/// RunContext up the context costs more than hashing a token.
static KEYED: LazyLock<blake3::Hasher> = LazyLock::new(|| blake3::Hasher::new_derive_key(TOKEN_CONTEXT));
