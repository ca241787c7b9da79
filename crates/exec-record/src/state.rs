//! The interface of a store for sessions, budgets, keys and the ledger.
//!
//! Every call is one transaction and is answered when it is durable. A call that cannot be written does not happen: after
//! one failed write, the state refuses every call.

mod act;
mod error;
mod session;
mod sqlite;

pub use act::{
    Act, Begin, Begun, Charge, Claim, Finish, Granted, RetryHint, Settled, Spent, StoredResponse, TouchedPaths,
};
pub use error::{OpenError, StateError};
pub use exec_base::DirectoryError;
pub use session::{LeaseBudget, NewSession, Scope, Session, SessionId, Token};
pub use sqlite::{
    ACTS_RUNNING_MAX, KEYS_PER_SESSION_MAX, Ledger, LedgerError, QUEUE_MAX, Recovered, SESSIONS_MAX, Settings,
    SqliteState, Tidy,
};

use std::pin::Pin;
use std::sync::Arc;

use crate::ledger::{Digest, Refused};
use crate::store::Artifact;

/// The result of a call, available once it is durable. The call is made when the function is called; dropping the
/// future does not undo it.
pub type Answer<T> = Pin<Box<dyn Future<Output = Result<T, StateError>> + Send>>;

/// Storage for sessions, budgets, keys and the ledger.
pub trait State: Send + Sync {
    /// Begins a session. The token is returned here and never again.
    fn create_session(&self, session: NewSession) -> Answer<(SessionId, Token)>;

    /// Returns the session of a token (TRUST-SESSION). Unknown, expired and ended tokens get the same answer, in the
    /// same time.
    fn session(&self, token: &str) -> Answer<Option<Arc<Session>>>;

    /// Ends a session. Running acts may still be finished.
    fn end_session(&self, session: SessionId) -> Answer<()>;

    /// Claims the key, charges the budgets and records the intent, or does none of it (CTR-0003). A repeat is recorded
    /// as such; any other refusal is for the caller to record.
    fn begin(&self, begin: Begin) -> Answer<Begun>;

    /// Records a refusal; one without a session goes to the chain of the ledger itself.
    fn refuse(&self, session: Option<SessionId>, refused: Refused) -> Answer<()>;

    /// Records how many requests were rejected without a record of their own.
    fn turned_away(&self, requests: u64) -> Answer<()>;

    /// Publishes an artifact permanently (CTR-0021). Publishing the same one again changes nothing.
    fn publish(&self, artifact: Artifact) -> Answer<()>;

    /// Returns a published artifact.
    fn artifact(&self, id: &str) -> Answer<Option<Artifact>>;

    /// Binds all chains of the ledger together. The digest covers every earlier record; store it elsewhere.
    fn checkpoint(&self) -> Answer<Digest>;

    /// Writes a last checkpoint and releases the state. Acts without a result are found at the next startup.
    fn close(&self) -> Answer<Digest>;
}

/// The database in the directory of a state.
pub const DATABASE: &str = "state.db";
/// The lock file in the directory of a state.
pub const LOCK: &str = "lock";

#[cfg(test)]
pub(crate) use tests::support as testing;

#[cfg(test)]
mod tests;
