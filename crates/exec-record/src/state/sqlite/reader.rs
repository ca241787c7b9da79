//! The directory of a state -> its records, read while another process may write. It changes nothing.

use std::path::Path;

use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags, OptionalExtension as _};
use thiserror::Error;

use crate::ledger::{Created, DecodeError, Digest, End, Reader, Record, Row, Stored, StoredSession, Verdict, verify};
use crate::state::{DATABASE, NewSession};

/// A ledger opened for reading.
#[derive(Debug)]
pub struct Ledger {
    pub(crate) connection: Connection,
}

/// Why a ledger cannot be read at all.
#[derive(Debug, Error)]
pub enum LedgerError {
    #[error("cannot read the ledger: {0}")]
    Database(#[from] rusqlite::Error),
    #[error("cannot read record {number}: {error}")]
    Record {
        number: i64,
        #[source]
        error: DecodeError,
    },
}

impl Ledger {
    /// Opens the ledger of a state.
    pub fn open(folder: &Path) -> Result<Self, LedgerError> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(folder.join(DATABASE), flags)?;
        connection.busy_timeout(BUSY)?;
        Ok(Self { connection })
    }

    /// Verifies every record, as [`verify()`] does.
    pub fn verify(&self, expect: Option<&Digest>) -> Result<Verdict, LedgerError> {
        verify(self, expect)
    }

    /// Calls `see` with every record, in the order of the ledger.
    pub fn each(&self, mut see: impl FnMut(Record, Digest)) -> Result<(), LedgerError> {
        self.rows(ROWS, [], |row| {
            let record = decoded(row)?;
            see(record, Record::hash(&row.bytes));
            Ok(())
        })
    }

    /// Returns the records of one chain, in order.
    pub fn chain(&self, chain: u64) -> Result<Vec<Record>, LedgerError> {
        let mut records = Vec::new();
        let query = "SELECT number, chain, sequence, hash, record FROM ledger WHERE chain = ?1 ORDER BY sequence";
        self.rows(query, [chain], |row| {
            records.push(decoded(row)?);
            Ok(())
        })?;
        Ok(records)
    }

    pub(crate) fn rows(
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

impl Stored for Ledger {
    type Error = LedgerError;

    fn show(&self, reader: &mut dyn Reader) -> Result<(), LedgerError> {
        let snapshot = self.connection.unchecked_transaction()?;
        self.rows(ROWS, [], |row| {
            reader.row(row);
            Ok(())
        })?;
        let mut statement =
            self.connection.prepare("SELECT id, granted, expires_at_ms, is_over FROM sessions ORDER BY id")?;
        let mut sessions = statement.query([])?;
        while let Some(session) = sessions.next()? {
            reader.session(&StoredSession {
                id: integer(session.get_ref(0)?),
                created: session.get_ref(1)?.as_str().ok().and_then(created),
                expires_at_ms: integer(session.get_ref(2)?),
                is_over: integer(session.get_ref(3)?),
            });
        }
        let mut statement = self.connection.prepare("SELECT session, sequence, act FROM running ORDER BY act")?;
        let mut running = statement.query([])?;
        while let Some(act) = running.next()? {
            reader.act((integer(act.get_ref(0)?), integer(act.get_ref(1)?), integer(act.get_ref(2)?)).into());
        }
        let end = |row: &rusqlite::Row<'_>| {
            let hash = Digest::try_from(bytes(row.get_ref(1)?).as_slice()).ok();
            Ok(End { number: integer(row.get_ref(0)?), hash })
        };
        let end = self.connection.query_row("SELECT number, hash FROM ending", [], end).optional()?;
        reader.end(&end.unwrap_or(End { number: 0, hash: None }));
        drop(snapshot);
        Ok(())
    }
}

fn decoded(row: &Row) -> Result<Record, LedgerError> {
    Record::decode(&row.bytes).map_err(|error| LedgerError::Record { number: row.number, error })
}

fn created(granted: &str) -> Option<Created> {
    serde_json::from_str::<NewSession>(granted).ok().map(|granted| granted.record())
}

/// Tampering may change column types too; no record has the number -1.
fn integer(value: ValueRef<'_>) -> i64 {
    value.as_i64().unwrap_or(-1)
}

fn bytes(value: ValueRef<'_>) -> Vec<u8> {
    value.as_bytes().unwrap_or_default().to_vec()
}

const ROWS: &str = "SELECT number, chain, sequence, hash, record FROM ledger ORDER BY number";
const BUSY: std::time::Duration = std::time::Duration::from_secs(5);
