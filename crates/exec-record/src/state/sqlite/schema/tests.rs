//! Databases of every version: ours is made and opened, older ones are brought up, others are refused by name.

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
fn an_empty_file_becomes_a_database_of_the_newest_version() {
    let (_folder, path) = database();
    let connection = open(&path).unwrap();
    assert_eq!(pragma(&connection, "user_version").unwrap(), newest());
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

/// From each version that there was, by way of every later one.
#[test]
fn every_older_version_is_brought_up_to_the_newest() {
    let (_folder, path) = database();
    let newest_schema = schema(&open(&path).unwrap());
    for version in 0..newest() {
        let (_folder, path) = database();
        let older = Connection::open(&path).unwrap();
        for (number, sql) in (1_i64..).zip(MIGRATIONS).filter(|(number, _)| *number <= version) {
            older.execute_batch(sql).unwrap();
            older.pragma_update(None, "application_id", APPLICATION).unwrap();
            older.pragma_update(None, "user_version", number).unwrap();
        }
        drop(older);
        let opened = open(&path).unwrap();
        assert_eq!(pragma(&opened, "user_version").unwrap(), newest());
        assert_eq!(schema(&opened), newest_schema, "from version {version}");
    }
}

#[test]
fn a_newer_version_is_refused_and_left_as_it_is() {
    let (_folder, path) = database();
    let connection = open(&path).unwrap();
    connection.pragma_update(None, "user_version", newest() + 1).unwrap();
    drop(connection);
    let error = open(&path).unwrap_err();
    assert!(matches!(error, OpenError::Newer { version, known } if version == newest() + 1 && known == newest()));
    let other = Connection::open(&path).unwrap();
    assert_eq!(pragma(&other, "user_version").unwrap(), newest() + 1);
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
