//! A file -> a database of today's version, or the refusal of one that is not ours to write.

use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, OpenFlags};

use crate::state::error::OpenError;

/// Opens a database, or creates the tables of a new one.
pub(super) fn open(path: &Path) -> Result<Connection, OpenError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_NOFOLLOW;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(BUSY)?;
    check(&connection)?;
    connection.execute_batch(PRAGMAS)?;
    let mode: String = connection.query_row("PRAGMA journal_mode = WAL", [], |row| row.get(0))?;
    if mode != "wal" {
        return Err(OpenError::Stored {
            what: format!("the file system does not support a write-ahead log; journal mode is `{mode}`"),
        });
    }
    create(&connection)?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS_MAX);
    Ok(connection)
}

/// Runs before anything is written.
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

/// One transaction, so that a crash leaves all tables or none.
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
/// A commit is on the disk when it returns; the log is checkpointed every 16 MiB.
const PRAGMAS: &str = "
    PRAGMA synchronous = FULL;
    PRAGMA foreign_keys = ON;
    PRAGMA trusted_schema = OFF;
    PRAGMA wal_autocheckpoint = 4096;
    PRAGMA journal_size_limit = 67108864;
";
/// Readers of the ledger may lock it for moments.
const BUSY: Duration = Duration::from_secs(5);
const STATEMENTS_MAX: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;

    fn database() -> (tempfile::TempDir, std::path::PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state.db");
        std::fs::File::create(&path).unwrap();
        (folder, path)
    }

    fn number(connection: &Connection, sql: &str) -> i64 {
        connection.query_row(sql, [], |row| row.get(0)).unwrap()
    }

    /// The schema as SQL text, in the order of its names.
    fn schema(connection: &Connection) -> Vec<String> {
        let mut statement =
            connection.prepare("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name").unwrap();
        statement.query_map([], |row| row.get(0)).unwrap().collect::<Result<_, _>>().unwrap()
    }

    #[test]
    fn an_empty_file_becomes_a_database_of_todays_version() {
        let (_folder, path) = database();
        let connection = open(&path).unwrap();
        assert_eq!(pragma(&connection, "user_version").unwrap(), VERSION);
        assert_eq!(pragma(&connection, "application_id").unwrap(), APPLICATION);
        // Opened again, it is as it was.
        let before = schema(&connection);
        drop(connection);
        assert_eq!(schema(&open(&path).unwrap()), before);
    }

    #[test]
    fn a_commit_is_on_the_disk_and_references_are_checked() {
        let (_folder, path) = database();
        let connection = open(&path).unwrap();
        let full = 2;
        assert_eq!(pragma(&connection, "synchronous").unwrap(), full);
        assert_eq!(pragma(&connection, "foreign_keys").unwrap(), 1);
        let mode: String = connection.query_row("PRAGMA journal_mode", [], |row| row.get(0)).unwrap();
        assert_eq!(mode, "wal");
        assert!(connection.execute("INSERT INTO running VALUES (1, 1, 1)", []).is_err());
    }

    #[test]
    fn another_version_is_refused_and_left_as_it_is() {
        let (_folder, path) = database();
        for found in [0, 2, 3] {
            open(&path).map(|connection| connection.pragma_update(None, "user_version", found).unwrap()).unwrap();
            let error = open(&path).unwrap_err();
            assert!(matches!(error, OpenError::Version { .. }), "{error}");
            assert_eq!(error.to_string(), format!("the state has version {found}; this program reads version 1"));
            let other = Connection::open(&path).unwrap();
            assert_eq!(pragma(&other, "user_version").unwrap(), found);
            other.pragma_update(None, "user_version", VERSION).unwrap();
        }
    }

    #[test]
    fn a_database_of_another_program_is_refused_and_left_as_it_is() {
        let (_folder, path) = database();
        let other = Connection::open(&path).unwrap();
        other.execute_batch("CREATE TABLE theirs (x); PRAGMA application_id = 7;").unwrap();
        assert!(matches!(open(&path), Err(OpenError::Foreign { application: 7 })));
        other.execute_batch("PRAGMA application_id = 0").unwrap();
        assert!(matches!(open(&path), Err(OpenError::Foreign { application: 0 })));
        assert_eq!(number(&other, "SELECT count(*) FROM sqlite_schema"), 1);
        std::fs::write(&path, "no database at all, but text that is long enough to look at".repeat(20)).unwrap();
        assert!(matches!(open(&path), Err(OpenError::Database(_))));
    }
}
