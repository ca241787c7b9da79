//! What whoever keeps a ledger has stored -> whoever reads it. Neither says how it is kept: SQLite here, something else for
//! several machines.

use super::digest::Digest;
use super::record::Created;
use super::verify::Place;

/// Whoever keeps a ledger.
pub trait Stored {
    /// Why it cannot be read at all.
    type Error;

    /// Shows everything as it is at one moment, whoever is writing: the rows in the order of their numbers, then the
    /// sessions, the acts that are under way, and the end.
    ///
    /// # Errors
    /// When it cannot be read at all.
    fn show(&self, reader: &mut dyn Reader) -> Result<(), Self::Error>;
}

/// Whoever reads it. Nothing of what it is shown is right because it is stored.
pub trait Reader {
    /// A record.
    fn row(&mut self, row: &Row);

    /// A session, as it is stored beside its records.
    fn session(&mut self, session: &StoredSession);

    /// An act that is under way, by its intent.
    fn act(&mut self, at: Place);

    /// Where the ledger ends. It is not shown by who does not store it.
    fn end(&mut self, end: &End);
}

/// A record as it is stored: the bytes, and what stands beside them to find it by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// Where it stands.
    pub number: i64,
    /// The chain that it is filed under.
    pub chain: i64,
    /// The place in that chain that it is filed under.
    pub sequence: i64,
    /// The hash that is stored beside it.
    pub hash: Vec<u8>,
    /// The record.
    pub bytes: Vec<u8>,
}

/// A session as it is stored beside its records.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredSession {
    /// Its number, which is its chain's.
    pub id: i64,
    /// What it may do, where that can be read.
    pub created: Option<Created>,
    /// Until when.
    pub expires_at_ms: i64,
    /// 1 when it is over, 0 when it is not.
    pub is_over: i64,
}

/// The last record, as it is stored beside the ledger.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct End {
    /// 0 where there is none.
    pub number: i64,
    /// Its hash, if there is one.
    pub hash: Option<Digest>,
}
