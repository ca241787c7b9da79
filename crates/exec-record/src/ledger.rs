//! Requests, decisions and results -> records that cannot be changed unnoticed (TRUST-AUDIT).
//!
//! Each session has a chain of records; the ledger's own chain has checkpoints and requests without a session. A record
//! is its bytes, and everything shown of it is read from them:
//!
//! ```text
//!   offset  bytes  field
//!        0      1  version    1; a record of another version is refused
//!        1      1  kind       1 created, 2 refused, 3 intent, 4 result, 5 interrupted, 6 repeated, 7 checkpoint, 8 ended,
//!                          9 reached, 10 turned away
//!        2      8  chain      the session, or 0 for the ledger's own
//!       10      8  sequence   position in the chain, from 1
//!       18      8  number     position in the ledger, from 1
//!       26      8  at_ms      milliseconds since 1970, by the executor's clock
//!       34     32  previous   hash of the previous record of the chain; zeros for the first
//!       66         the fields of the kind
//! ```
//!
//! Numbers are little-endian. A text is its length (4 bytes) and its UTF-8; a list is its length (4 bytes) and its
//! entries; a choice is one byte; an optional field is 0, or 1 and the field. Different bytes are different records. A
//! record's hash is BLAKE3 of its bytes, in key derivation mode with the context [`RECORD_CONTEXT`].
//!
//! # Limits of verification
//!
//! Sessions, running acts and the end of the ledger are stored beside the records and must agree with them.
//!
//! A checkpoint names the head of every chain that grew since the previous checkpoint, so its digest covers every earlier
//! record. If you store the digest of a checkpoint elsewhere, every change before it is found. Without such a digest:
//!
//! - a record that was changed, removed, moved or inserted is found, unless somebody also rewrote every later record of
//!   its chain, every later checkpoint and the numbers of all later records;
//! - records cut off at the end are found, unless the stored end, sessions and acts were changed as well: such a ledger
//!   looks like one that ended earlier.

mod codec;
mod digest;
mod record;
mod stored;
mod summary;
mod verify;

pub use codec::DecodeError;
pub(crate) use codec::Field;
pub use digest::{Digest, DigestError};
pub use record::{
    Charged, Created, EndReason, Ended, Ending, Environment, Event, Head, Intent, Interrupted, Judged, Leased, Outcome,
    RECORD_CONTEXT, Reached, Record, Refused, Repeated, RunContext, TABLES_MAX, TARGETS_MAX, TurnedAway, VARIABLES_MAX,
};
pub use stored::{End, Reader, Row, Stored, StoredSession};
pub use summary::{Metrics, Step, metrics, timeline};
pub use verify::{Fault, Place, Verdict, Verified, verify};
