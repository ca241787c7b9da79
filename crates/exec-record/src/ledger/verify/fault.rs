//! What is wrong with a ledger, and where.

use std::fmt;

use thiserror::Error;

use crate::ledger::{DecodeError, Digest};

/// One thing that is wrong. Of records as they are stored, only the bytes are believed.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Fault {
    #[error("{at}: its bytes or its hash were changed")]
    Changed { at: Place },
    #[error("{at}: unreadable: {error}")]
    Unreadable {
        at: Place,
        #[source]
        error: DecodeError,
    },
    #[error("{at}: its {column} is stored as {stored}, but the record says {written}")]
    Misfiled { at: Place, column: &'static str, stored: i64, written: u64 },
    /// The record, the one before it, or both are not as they were written.
    #[error("{at}: it does not follow the record before it")]
    Unlinked { at: Place },
    /// The record was inserted, moved or doubled.
    #[error("{at}: record {expected} is expected in its place")]
    OutOfPlace { at: Place, expected: i64 },
    #[error("{at}: a session must begin at the start of its chain, and only there")]
    NoBeginning { at: Place },
    #[error("{}: records {first} to {last} are missing", Chain(*chain))]
    Removed { chain: i64, first: i64, last: i64 },
    #[error("the ledger: numbers {first} to {last} are missing")]
    NumbersRemoved { first: i64, last: i64 },
    #[error("{}: all its records are missing, at least {last}", Chain(*chain))]
    ChainRemoved { chain: i64, last: i64 },
    #[error("{}, record {sequence}: checkpoint {checkpoint} names another record", Chain(*chain))]
    HeadChanged { chain: i64, sequence: i64, checkpoint: i64 },
    #[error("{}: checkpoint {checkpoint} does not name its records", Chain(*chain))]
    NotInCheckpoint { chain: i64, checkpoint: i64 },
    #[error("{}: the stored session differs from its records", Chain(*chain))]
    SessionChanged { chain: i64 },
    #[error("{}: the stored session is missing, but its records exist", Chain(*chain))]
    SessionRemoved { chain: i64 },
    #[error("{at}: the act of record {intent} was not running")]
    NotUnderWay { at: Place, intent: u64 },
    #[error("{at}: stored as a running act, but the records say otherwise")]
    ActForged { at: Place },
    /// Nobody would record that the act was interrupted.
    #[error("{at}: its act has no end and is not stored as running")]
    ActForgotten { at: Place },
    /// The last record was changed, or records were added after it.
    #[error("the ledger: it ends with number {number}, but its stored end is number {stored}")]
    OtherEnd { number: i64, stored: i64 },
    #[error("the ledger: missing checkpoint {digest}")]
    CheckpointMissing { digest: Digest },
}

/// Where a record stands, by what it is filed under.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// The session, or 0 for the ledger's own chain.
    pub chain: i64,
    /// Place in the chain.
    pub sequence: i64,
    /// Place in the ledger.
    pub number: i64,
}

impl Fault {
    /// How many are listed.
    pub const MOST: usize = 1_000;
}

impl From<(i64, i64, i64)> for Place {
    fn from((chain, sequence, number): (i64, i64, i64)) -> Self {
        Self { chain, sequence, number }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, record {} (number {})", Chain(self.chain), self.sequence, self.number)
    }
}

struct Chain(i64);

impl fmt::Display for Chain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            0 => f.write_str("the ledger's own chain"),
            session => write!(f, "session {session}"),
        }
    }
}
