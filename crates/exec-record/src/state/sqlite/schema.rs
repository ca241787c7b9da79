//! A file -> a database of the newest version, or the refusal of one that is not ours to write.

use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, OpenFlags};

use crate::state::error::OpenError;

/// Opens the database, and brings an older one up to date.
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
    migrate(&connection)?;
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
    let (version, known) = (pragma(connection, "user_version")?, newest());
    if version > known {
        return Err(OpenError::Newer { version, known });
    }
    Ok(())
}

/// Each version in a transaction of its own, so that a crash leaves one of them.
fn migrate(connection: &Connection) -> Result<(), OpenError> {
    let version: i64 = pragma(connection, "user_version")?;
    for (number, sql) in (1_i64..).zip(MIGRATIONS).filter(|(number, _)| *number > version) {
        let transaction = connection.unchecked_transaction()?;
        transaction.execute_batch(sql)?;
        transaction.pragma_update(None, "application_id", APPLICATION)?;
        transaction.pragma_update(None, "user_version", number)?;
        transaction.commit()?;
    }
    Ok(())
}

fn pragma(connection: &Connection, name: &str) -> Result<i64, rusqlite::Error> {
    connection.pragma_query_value(None, name, |row| row.get(0))
}

fn newest() -> i64 {
    i64::try_from(MIGRATIONS.len()).unwrap_or(i64::MAX)
}

/// What leads from each version to the next. One that was released is never changed.
const MIGRATIONS: &[&str] = &[
    include_str!("../migrations/0001.sql"),
    include_str!("../migrations/0002.sql"),
    include_str!("../migrations/0003.sql"),
];
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
