//! A file -> a database of today's version, or the refusal of one that is not ours to write.

use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, OpenFlags};

use crate::state::error::OpenError;

/// Opens the database, or makes the tables of a new one.
pub(super) fn open(path: &Path) -> Result<Connection, OpenError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_NOFOLLOW;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(BUSY)?;
    check(&connection)?;
    connection.execute_batch(PRAGMAS)?;
    let mode: String = connection.query_row("PRAGMA journal_mode = WAL", [], |row| row.get(0))?;
    if mode != "wal" {
        return Err(OpenError::Stored { what: format!("the file system allows no write-ahead log, but `{mode}`") });
    }
    create(&connection)?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS_MAX);
    Ok(connection)
}

/// Before anything is written.
fn check(connection: &Connection) -> Result<(), OpenError> {
    let application: i64 = pragma(connection, "application_id")?;
    let tables: i64 = connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    if application != APPLICATION && (application != 0 || tables != 0) {
        return Err(OpenError::Foreign { application });
    }
    let found = pragma(connection, "user_version")?;
    if application == APPLICATION && found != VERSION {
        return Err(OpenError::Version { found, known: VERSION });
    }
    Ok(())
}

/// In one transaction, so that a crash leaves all tables or none.
fn create(connection: &Connection) -> Result<(), OpenError> {
    if pragma(connection, "user_version")? == VERSION {
        return Ok(());
    }
    let transaction = connection.unchecked_transaction()?;
    transaction.execute_batch(include_str!("schema.sql"))?;
    transaction.pragma_update(None, "application_id", APPLICATION)?;
    transaction.pragma_update(None, "user_version", VERSION)?;
    Ok(transaction.commit()?)
}

fn pragma(connection: &Connection, name: &str) -> Result<i64, rusqlite::Error> {
    connection.pragma_query_value(None, name, |row| row.get(0))
}

const VERSION: i64 = 1;
/// `INTD`.
const APPLICATION: i64 = 0x494e_5444;
/// A commit is on the disk when it returns; the log is folded into the database every 16 MiB.
const PRAGMAS: &str = "
    PRAGMA synchronous = FULL;
    PRAGMA foreign_keys = ON;
    PRAGMA trusted_schema = OFF;
    PRAGMA wal_autocheckpoint = 4096;
    PRAGMA journal_size_limit = 67108864;
";
/// Readers of the ledger may hold it for moments.
const BUSY: Duration = Duration::from_secs(5);
const STATEMENTS_MAX: usize = 64;

#[cfg(test)]
mod tests;
