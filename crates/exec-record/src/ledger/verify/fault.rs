//! What is wrong with a ledger, and where.

use std::fmt;

use crate::ledger::{DecodeError, Digest};

/// One thing that is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// A record's bytes are not those that its hash was made of.
    Changed {
        /// Which.
        at: Place,
    },
    /// What stands there is no record.
    Unreadable {
        /// Which.
        at: Place,
        /// Why.
        error: DecodeError,
    },
    /// A record is filed under something else than it says of itself.
    Misfiled {
        /// Which.
        at: Place,
        /// Under what.
        column: &'static str,
        /// What stands there.
        stored: i64,
        /// What the record says.
        written: u64,
    },
    /// A record was written behind another record than the one that stands before it: that one, or both, are not as
    /// they were.
    Unlinked {
        /// Which.
        at: Place,
    },
    /// A record stands in the place of another: it was put in, moved or doubled.
    OutOfPlace {
        /// Which.
        at: Place,
        /// The sequence that is due.
        expected: i64,
    },
    /// A chain does not begin with its session, or a session begins within a chain.
    NoBeginning {
        /// Which.
        at: Place,
    },
    /// Records of a chain are gone.
    Removed {
        /// The chain.
        chain: i64,
        /// The first that is missing.
        first: i64,
        /// The last.
        last: i64,
    },
    /// Records are gone, by their numbers in the ledger.
    NumbersRemoved {
        /// The first that is missing.
        first: i64,
        /// The last.
        last: i64,
    },
    /// A session is gone as a whole.
    ChainRemoved {
        /// The session.
        chain: i64,
        /// Its last record that is known of.
        last: i64,
    },
    /// The last record of a chain is not the one that a checkpoint was made of.
    HeadChanged {
        /// The chain.
        chain: i64,
        /// Its record.
        sequence: i64,
        /// The checkpoint's sequence.
        checkpoint: i64,
    },
    /// A chain has records that a checkpoint should name and does not.
    NotInCheckpoint {
        /// The chain.
        chain: i64,
        /// The checkpoint's sequence.
        checkpoint: i64,
    },
    /// What a session may do, until when, or whether it is over is stored otherwise than its records say.
    SessionChanged {
        /// The session.
        chain: i64,
    },
    /// A session has records, and nothing else is stored of it.
    SessionRemoved {
        /// The session.
        chain: i64,
    },
    /// A record is about an act that was not under way: it was never begun, or is over.
    NotUnderWay {
        /// Which.
        at: Place,
        /// The sequence of the intent that it names.
        intent: u64,
    },
    /// An act is stored as under way that the records have no intent of, or the end.
    ActForged {
        /// Where its intent would be.
        at: Place,
    },
    /// An act has no end, and is not stored as under way: nobody would say that it was interrupted.
    ActForgotten {
        /// Its intent.
        at: Place,
    },
    /// The last record is not the one that is stored as the ledger's end: it was changed, or records were put in behind it.
    OtherEnd {
        /// Its number; 0 where there is none.
        number: i64,
        /// The number that is stored.
        stored: i64,
    },
    /// The checkpoint that was expected is not there.
    CheckpointMissing {
        /// Its digest.
        digest: Digest,
    },
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

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Changed { at } => write!(f, "{at}: its bytes or its hash were changed"),
            Self::Unreadable { at, error } => write!(f, "{at}: it cannot be read: {error}"),
            Self::Misfiled { at, column, stored, written } => {
                write!(f, "{at}: its {column} is stored as {stored}, and the record says {written}")
            }
            Self::Unlinked { at } => write!(f, "{at}: the record before it is not the one that it was written behind"),
            Self::OutOfPlace { at, expected } => write!(f, "{at}: it stands where record {expected} is due"),
            Self::NoBeginning { at } => write!(f, "{at}: a session begins elsewhere than at the start of its chain"),
            Self::Removed { chain, first, last } => {
                write!(f, "{}: records {first} to {last} are missing", Chain(*chain))
            }
            Self::NumbersRemoved { first, last } => write!(f, "the ledger: numbers {first} to {last} are missing"),
            Self::ChainRemoved { chain, last } => {
                write!(f, "{}: all its records are missing, {last} at least", Chain(*chain))
            }
            Self::HeadChanged { chain, sequence, checkpoint } => {
                write!(f, "{}, record {sequence}: it is not the one of checkpoint {checkpoint}", Chain(*chain))
            }
            Self::NotInCheckpoint { chain, checkpoint } => {
                write!(f, "{}: checkpoint {checkpoint} does not name its records", Chain(*chain))
            }
            Self::SessionChanged { chain } => {
                write!(f, "{}: what is stored of it is not what its records say", Chain(*chain))
            }
            Self::SessionRemoved { chain } => write!(f, "{}: all that is left of it are its records", Chain(*chain)),
            Self::NotUnderWay { at, intent } => {
                write!(f, "{at}: it is about the act of record {intent}, which was not under way")
            }
            Self::ActForged { at } => write!(f, "{at}: it is stored as an act under way, and is none"),
            Self::ActForgotten { at } => write!(f, "{at}: its act has no end, and is not stored as under way"),
            Self::OtherEnd { number, stored } => {
                write!(
                    f,
                    "the ledger: it ends with number {number}, which is not the number {stored} that was written last"
                )
            }
            Self::CheckpointMissing { digest } => write!(f, "the ledger: there is no checkpoint {digest}"),
        }
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
