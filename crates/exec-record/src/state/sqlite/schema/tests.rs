//! Databases: ours is made and opened, those of other versions and programs are refused.

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
