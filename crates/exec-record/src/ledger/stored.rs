//! The interface between storage and verification of a ledger. It does not know SQLite.

use super::digest::Digest;
use super::record::Created;
use super::verify::Place;

/// Storage of a ledger.
pub trait Stored {
    type Error;

    /// Shows one consistent snapshot to the reader: rows in the order of their numbers, then sessions, running acts and
    /// the end.
    fn show(&self, reader: &mut dyn Reader) -> Result<(), Self::Error>;
}

/// A visitor of stored data, none of which is trusted.
pub trait Reader {
    fn row(&mut self, row: &Row);

    fn session(&mut self, session: &StoredSession);

    /// Visits a running act by its intent.
    fn act(&mut self, at: Place);

    fn end(&mut self, end: &End);
}

/// A record as stored: its bytes and the columns that locate it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    pub number: i64,
    pub chain: i64,
    pub sequence: i64,
    pub hash: Vec<u8>,
    pub bytes: Vec<u8>,
}

/// A session as it is stored beside its records.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredSession {
    /// Also the number of its chain.
    pub id: i64,
    /// `None` if unreadable.
    pub created: Option<Created>,
    pub expires_at_ms: i64,
    /// 0 or 1, if nobody tampered.
    pub is_over: i64,
}

/// The last record, as stored beside the ledger.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct End {
    /// 0 in an empty ledger.
    pub number: i64,
    pub hash: Option<Digest>,
}
