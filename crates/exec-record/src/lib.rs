//! requests and results -> sessions, budgets, keys, stored results and a ledger that cannot be changed unnoticed
//!
//! The `ledger` is a format: records, their bytes, their verification; it knows no database. The `state` keeps it in SQLite
//! beside sessions, budgets and keys; the `store` keeps what is large by its hash. None of them knows a policy, a message, a
//! file tool or a command.
#![cfg(target_os = "linux")]

mod ledger;
mod redact;
mod state;
mod store;
mod text;

pub use ledger::{
    Charged, Created, DecodeError, Digest, DigestError, End, EndReason, Ended, Ending, Environment, Event, Fault, Head,
    Intent, Interrupted, Judged, Leased, Metrics, Outcome, Place, RECORD_CONTEXT, Reached, Reader, Record, Refused,
    Repeated, Row, RunContext, Step, Stored, StoredSession, TABLES_MAX, TARGETS_MAX, TurnedAway, VARIABLES_MAX,
    Verdict, Verified, metrics, timeline, verify,
};
pub use redact::REDACTED;
pub use state::{
    ACTS_RUNNING_MAX, Act, Answer, Begin, Begun, Charge, Claim, DATABASE, DirectoryError, Finish, Granted,
    KEYS_PER_SESSION_MAX, LOCK, LeaseBudget, Ledger, LedgerError, NewSession, OpenError, QUEUE_MAX, Recovered,
    RetryHint, SESSIONS_MAX, Scope, Session, SessionId, Settings, Settled, Spent, SqliteState, State, StateError,
    StoredResponse, Tidy, Token, TouchedPaths,
};
pub use store::{
    Artifact, ContentStore, INLINE_RESULT_MAX, Inline, METADATA_BYTES_MAX, OBJECT_BYTES_MAX, Placed, Present,
    SESSION_BYTES_MAX, StoreError,
};
pub use text::{Fixed, LINE_BYTES_MAX, NAME_BYTES_MAX, PendingText, Secrets, TEXT_BYTES_MAX, Text, Written};
