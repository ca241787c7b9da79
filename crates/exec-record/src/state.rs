//! Sessions, budgets, keys and the ledger: what is asked of whatever keeps them, and what it answers.
//!
//! Every call is one transaction, and is answered when it is durable. Whatever cannot be written down does not happen:
//! a state that failed once to write refuses everything from then on.

mod act;
mod error;
mod session;
mod sqlite;
mod token;

pub use act::{Act, Answered, Begin, Begun, Charge, Claim, Enough, Finish, Granted, Reaches, Settled, Spent};
pub use error::{OpenError, StateError};
pub use exec_base::DirectoryError;
pub use session::{LeaseBudget, NewSession, Scope, Session, SessionId};
pub use sqlite::{
    ACTS_RUNNING_MAX, KEYS_PER_SESSION_MAX, Ledger, LedgerError, QUEUE_MAX, Recovered, SESSIONS_MAX, Settings,
    SqliteState, Tidy,
};
pub use token::Token;

use std::pin::Pin;
use std::sync::Arc;

use crate::ledger::{Digest, Refused};
use crate::store::Artifact;

/// What a call is answered with, when it is durable.
///
/// A call is made when the function is called, not when its answer is waited for: who does not wait does not undo it.
pub type Answer<T> = Pin<Box<dyn Future<Output = Result<T, StateError>> + Send>>;

/// Whatever keeps sessions, budgets, keys and the ledger.
pub trait State: Send + Sync {
    /// Begins a session. The token is shown here and never again.
    fn create_session(&self, session: NewSession) -> Answer<(SessionId, Token)>;

    /// The session of a token (TRUST-SESSION). A token that is unknown, one that is over and one that was ended are
    /// answered alike, in the same time.
    fn session(&self, token: &str) -> Answer<Option<Arc<Session>>>;

    /// Ends a session. Acts that are running may still be finished.
    fn end_session(&self, session: SessionId) -> Answer<()>;

    /// Claims the key, charges the budgets and records the intent, or does nothing of it (CTR-0003).
    ///
    /// What is repeated is recorded as such. What is neither begun nor repeated is not: whoever asked refuses it.
    fn begin(&self, begin: Begin) -> Answer<Begun>;

    /// Records a refusal; one without a session in the ledger's own chain.
    fn refuse(&self, session: Option<SessionId>, refused: Refused) -> Answer<()>;

    /// Records that requests were answered without a record of their own.
    fn turned_away(&self, requests: u64) -> Answer<()>;

    /// Publishes an artifact for good (CTR-0021). To publish the same again is nothing new.
    fn publish(&self, artifact: Artifact) -> Answer<()>;

    /// A published artifact.
    fn artifact(&self, id: &str) -> Answer<Option<Artifact>>;

    /// Binds all chains of the ledger together. The digest stands for every record before it; keep it elsewhere.
    fn checkpoint(&self) -> Answer<Digest>;

    /// Makes a last checkpoint and lets go of everything. Acts without a result are found at the next start.
    fn close(&self) -> Answer<Digest>;
}

/// The database's name in the directory of a state.
pub const DATABASE: &str = "state.db";
/// The name of the file that is locked.
pub const LOCK: &str = "lock";

#[cfg(test)]
pub(crate) use tests::support as testing;

#[cfg(test)]
mod tests;
