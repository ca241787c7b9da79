//! The folder of a state -> its records, read beside whoever writes them. It changes nothing.

use std::fmt;
use std::path::Path;

use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags};

use super::codec::DecodeError;
use super::digest::Digest;
use super::record::Record;
use crate::state::DATABASE;

/// A ledger that is read.
#[derive(Debug)]
pub struct Ledger {
    pub(super) connection: Connection,
}

/// Why a ledger cannot be read at all.
#[derive(Debug)]
pub enum LedgerError {
    /// There is none, or it is no database.
    Database(rusqlite::Error),
    /// A record that cannot be read stands where one was asked for.
    Record {
        /// Its place in the ledger.
        number: i64,
        /// Why.
        error: DecodeError,
    },
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

impl Ledger {
    /// Opens the ledger of a state.
    ///
    /// # Errors
    /// When there is no state in the folder, or it cannot be read.
    pub fn open(folder: &Path) -> Result<Self, LedgerError> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(folder.join(DATABASE), flags)?;
        connection.busy_timeout(BUSY)?;
        Ok(Self { connection })
    }

    /// Every record, in the order of the ledger.
    ///
    /// # Errors
    /// When the ledger cannot be read, or a record is none.
    pub fn each(&self, mut see: impl FnMut(Record, Digest)) -> Result<(), LedgerError> {
        self.rows("SELECT number, chain, sequence, hash, record FROM ledger ORDER BY number", [], |row| {
            let record = decoded(row)?;
            see(record, Record::hash(&row.bytes));
            Ok(())
        })
    }

    /// The records of one chain, in its order.
    ///
    /// # Errors
    /// When the ledger cannot be read, or a record is none.
    pub fn chain(&self, chain: u64) -> Result<Vec<Record>, LedgerError> {
        let mut records = Vec::new();
        let query = "SELECT number, chain, sequence, hash, record FROM ledger WHERE chain = ?1 ORDER BY sequence";
        self.rows(query, [chain], |row| {
            records.push(decoded(row)?);
            Ok(())
        })?;
        Ok(records)
    }

    pub(super) fn rows(
        &self,
        query: &str,
        parameters: impl rusqlite::Params,
        mut see: impl FnMut(&Row) -> Result<(), LedgerError>,
    ) -> Result<(), LedgerError> {
        let mut statement = self.connection.prepare(query)?;
        let mut rows = statement.query(parameters)?;
        while let Some(row) = rows.next()? {
            see(&Row {
                number: integer(row.get_ref(0)?),
                chain: integer(row.get_ref(1)?),
                sequence: integer(row.get_ref(2)?),
                hash: bytes(row.get_ref(3)?),
                bytes: bytes(row.get_ref(4)?),
            })?;
        }
        Ok(())
    }
}

fn decoded(row: &Row) -> Result<Record, LedgerError> {
    Record::decode(&row.bytes).map_err(|error| LedgerError::Record { number: row.number, error })
}

/// Whoever changes a ledger may change the types too: what is no number is none that a record has.
fn integer(value: ValueRef<'_>) -> i64 {
    value.as_i64().unwrap_or(-1)
}

fn bytes(value: ValueRef<'_>) -> Vec<u8> {
    value.as_bytes().unwrap_or_default().to_vec()
}

impl From<rusqlite::Error> for LedgerError {
    fn from(error: rusqlite::Error) -> Self {
        Self::Database(error)
    }
}

impl fmt::Display for LedgerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Database(error) => write!(f, "the ledger cannot be read: {error}"),
            Self::Record { number, error } => write!(f, "record {number} cannot be read: {error}"),
        }
    }
}

impl std::error::Error for LedgerError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Database(error) => Some(error),
            Self::Record { error, .. } => Some(error),
        }
    }
}

const BUSY: std::time::Duration = std::time::Duration::from_secs(5);
