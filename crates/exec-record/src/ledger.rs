//! What was asked, what it came to and what was done -> records that cannot be changed unseen (TRUST-AUDIT).
//!
//! Each session has a chain of records; a chain of the ledger itself has the requests of no session, and the checkpoints.
//! A record is its bytes, and everything that is shown of it is read from them:
//!
//! ```text
//!   offset  bytes  field
//!        0      1  version    1; a record of another version is refused
//!        1      1  kind       1 created, 2 refused, 3 intent, 4 result, 5 interrupted, 6 repeated, 7 checkpoint, 8 ended,
//!                          9 reached, 10 turned away
//!        2      8  chain      the session, or 0 for the ledger's own
//!       10      8  sequence   place in the chain, from 1 on
//!       18      8  number     place in the ledger, from 1 on
//!       26      8  at_ms      milliseconds since the beginning of 1970, as the executor's clock says
//!       34     32  previous   hash of the record before it in the chain; zeros for the first
//!       66         what the kind says, field by field
//! ```
//!
//! Numbers are little-endian. A text is its length (4 bytes) and its UTF-8; a list is its length (4 bytes) and its
//! entries; a choice is one byte, and what may be missing is a choice, 0 or 1, and itself. No two byte strings of one version are read as the same record. A record's hash is BLAKE3 in its mode
//! for deriving keys, with the context [`RECORD_CONTEXT`], of these bytes.
//!
//! # What verifying finds, and what it cannot
//!
//! Sessions, acts that are under way and the end of the ledger are stored beside the records, and have to be what the records
//! say.
//!
//! A checkpoint names the head of every chain that grew since the checkpoint before, which its own chain binds it to. So
//! one digest stands for everything before it, and who keeps the digest of a checkpoint elsewhere finds every change
//! before it. Without such a digest:
//!
//! - a record changed, removed, moved or put between others is found, unless every later record of its chain, every
//!   later checkpoint and the numbers of all later records were made anew, which needs nothing but patience;
//! - records cut off at the end are found, unless what is stored of that end, of sessions and of acts is changed alike:
//!   such a ledger looks like one that ended earlier.

mod codec;
mod digest;
mod metrics;
mod record;
mod stored;
mod timeline;
mod verify;

pub use codec::DecodeError;
pub(crate) use codec::Field;
pub use digest::{Digest, DigestError};
pub use metrics::{Metrics, metrics};
pub use record::{
    Charged, Created, Ended, Ending, Environment, Event, Head, Intent, Interrupted, Judged, Leased, Outcome,
    RECORD_CONTEXT, Reached, Record, Refused, Repeated, Setting, TABLES_MAX, TARGETS_MAX, TurnedAway, VARIABLES_MAX,
    Why,
};
pub use stored::{End, Reader, Row, Stored, StoredSession};
pub use timeline::{Step, timeline};
pub use verify::{Fault, Place, Verdict, Verified, verify};
