//! what was asked and done -> sessions, budgets, keys, results and a ledger that cannot be changed unseen
//!
//! The `ledger` is a format: records, their bytes, their verification; it knows no database. The `state` keeps it in SQLite
//! beside sessions, budgets and keys; the `store` keeps what is large by its hash. None of them knows a policy, a message, a
//! file tool or a command.
#![cfg(target_os = "linux")]

mod ledger;
mod state;
mod store;

pub use ledger::{
    Charged, Created, DecodeError, Digest, DigestError, Draft, End, Ended, Ending, Environment, Event, Fault, Fixed,
    Head, Intent, Interrupted, Judged, LINE_BYTES_MAX, Leased, Metrics, NAME_BYTES_MAX, Outcome, Place, RECORD_CONTEXT,
    REDACTED, Reached, Reader, Record, Refused, Repeated, Row, SECRETS_MAX, Secrets, Setting, Step, Stored,
    StoredSession, TABLES_MAX, TARGETS_MAX, TEXT_BYTES_MAX, Text, TurnedAway, VARIABLES_MAX, Verdict, Verified, Why,
    Written, metrics, timeline, verify,
};
pub use state::{
    ACTS_RUNNING_MAX, Act, Answer, Answered, Begin, Begun, Charge, Claim, DATABASE, DirectoryError, Enough, Finish,
    Granted, KEYS_PER_SESSION_MAX, LOCK, LeaseBudget, Ledger, LedgerError, NewSession, OpenError, QUEUE_MAX, Reaches,
    Recovered, SESSIONS_MAX, Scope, Session, SessionId, Settings, Settled, Spent, SqliteState, State, StateError, Tidy,
    Token,
};
pub use store::{
    Artifact, ContentStore, INLINE_RESULT_MAX, Inline, METADATA_BYTES_MAX, OBJECT_BYTES_MAX, Placed, Present,
    SESSION_BYTES_MAX, StoreError,
};
