//! A disk that is full, a folder that cannot be written, a ledger that is not as it was: nothing is done any more.

use std::path::Path;

use rusqlite::Connection;
use tempfile::TempDir;

use super::support::{House, finish, fresh, granted, keyed, keyless, refused, whole};
use crate::state::{Begun, DATABASE, OpenError, QUEUE_MAX, SqliteState, State as _, StateError};

/// A file system of a few blocks, for as long as it is held.
struct SmallDisk(TempDir);

impl SmallDisk {
    fn mount(bytes: usize) -> Option<Self> {
        let folder = TempDir::new().unwrap();
        let size = std::ffi::CString::new(format!("size={bytes}")).unwrap();
        match rustix::mount::mount("tmpfs", folder.path(), "tmpfs", rustix::mount::MountFlags::empty(), size.as_c_str())
        {
            Ok(()) => Some(Self(folder)),
            Err(error) => {
                eprintln!("NOT TESTED: a small disk cannot be mounted here ({error}); run this as root");
                None
            }
        }
    }

    fn path(&self) -> std::path::PathBuf {
        self.0.path().join("state")
    }

    /// A process that another test starts has its descriptors for a moment, and a disk that is written to stays as it is.
    fn remount(&self, flags: rustix::mount::MountFlags) {
        let start = std::time::Instant::now();
        loop {
            match rustix::mount::mount_remount(self.0.path(), flags, c"") {
                Err(rustix::io::Errno::BUSY) if start.elapsed().as_secs() < 10 => std::thread::yield_now(),
                done => return done.unwrap(),
            }
        }
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = rustix::mount::unmount(self.0.path(), rustix::mount::UnmountFlags::DETACH);
    }
}

/// After it, every call fails alike.
async fn is_broken(state: &SqliteState, id: crate::state::SessionId, token: &str) {
    let expected = state.checkpoint().await.unwrap_err();
    assert!(matches!(expected, StateError::Broken { .. }), "{expected}");
    assert_eq!(state.begin(keyless(id, "x")).await.unwrap_err(), expected);
    assert_eq!(state.refuse(None, refused("x")).await.unwrap_err(), expected);
    assert_eq!(state.session(token).await.unwrap_err(), expected);
    assert_eq!(state.create_session(granted()).await.unwrap_err(), expected);
    assert_eq!(state.end_session(id).await.unwrap_err(), expected);
    assert_eq!(state.close().await.unwrap_err(), expected);
}

#[tokio::test]
async fn trust_audit_a_full_disk_stops_everything_and_loses_nothing() {
    let Some(disk) = SmallDisk::mount(512 << 10) else { return };
    let (state, _) = SqliteState::open(&disk.path()).unwrap();
    let mut session = granted();
    session.expires_at_ms = u64::MAX;
    let (id, token) = state.create_session(session).await.unwrap();
    let mut acknowledged = Vec::new();
    let mut pending = None;
    for round in 0.. {
        assert!(round < 10_000, "the disk is never full");
        let Ok(begun) = state.begin(keyed(id, &round.to_string(), "write")).await else { break };
        let act = fresh(begun);
        let number = act.number();
        match act.finish(finish(&"x".repeat(1_000))).await {
            Ok(()) => acknowledged.push(number),
            Err(_) => {
                pending = Some(number);
                break;
            }
        }
    }
    assert!(!acknowledged.is_empty());
    is_broken(&state, id, &token.reveal()).await;
    drop(state);

    // With room again, all that was acknowledged is there, and what was not is not known.
    disk.remount_size(8 << 20);
    let (state, recovered) = SqliteState::open(&disk.path()).unwrap();
    whole(&disk.path());
    let mut records = Vec::new();
    crate::Ledger::open(&disk.path()).unwrap().each(|record, _| records.push(record)).unwrap();
    let finished = super::support::finished(&records);
    assert!(acknowledged.iter().all(|number| finished.contains(number)));
    assert!(recovered.interrupted <= 1, "{recovered:?} {pending:?}");
    assert!(matches!(state.begin(keyed(id, "0", "write")).await.unwrap(), Begun::Repeat(_)));
    println!("{} results until the disk was full are there, {} interrupted", acknowledged.len(), recovered.interrupted);
    state.close().await.unwrap();
}

impl SmallDisk {
    fn remount_size(&self, bytes: usize) {
        let size = std::ffi::CString::new(format!("size={bytes}")).unwrap();
        rustix::mount::mount_remount(self.0.path(), rustix::mount::MountFlags::empty(), size.as_c_str()).unwrap();
    }
}

#[tokio::test]
async fn trust_audit_a_state_that_cannot_be_written_is_not_opened() {
    let Some(disk) = SmallDisk::mount(1 << 20) else { return };
    let (state, _) = SqliteState::open(&disk.path()).unwrap();
    state.close().await.unwrap();
    disk.remount(rustix::mount::MountFlags::RDONLY);
    assert!(matches!(SqliteState::open(&disk.path()).map(drop), Err(OpenError::Folder(_) | OpenError::Database(_))));
    disk.remount(rustix::mount::MountFlags::empty());
    SqliteState::open(&disk.path()).unwrap().0.close().await.unwrap();
}

/// Somebody else writes where the next record goes: it cannot be written, and nothing after it.
fn take_the_next_number(path: &Path) {
    let other = Connection::open(path.join(DATABASE)).unwrap();
    let sql = "INSERT INTO ledger SELECT max(number) + 1, 99, 1, zeroblob(32), zeroblob(1) FROM ledger";
    assert_eq!(other.execute(sql, []).unwrap(), 1);
}

#[tokio::test]
async fn trust_audit_without_a_ledger_nothing_is_begun_and_everything_fails_alike() {
    let house = House::new();
    let (id, token) = house.state.create_session(granted()).await.unwrap();
    let running = fresh(house.begin(keyed(id, "k", "write")).await);
    let Begun::Running(waiting) = house.begin(keyed(id, "k", "write")).await else { panic!() };
    take_the_next_number(&house.path());
    let error = house.state.begin(keyless(id, "x")).await.unwrap_err();
    assert!(error.to_string().starts_with("nothing can be recorded, so nothing is done: "), "{error}");
    is_broken(&house.state, id, &token.reveal()).await;
    assert_eq!(running.finish(finish("done")).await, Err(error.clone()));
    assert_eq!(waiting.await, Err(error));
}

#[tokio::test]
async fn trust_audit_nothing_is_added_to_a_chain_whose_end_was_changed() {
    let house = House::new();
    let id = house.session().await;
    house.state.close().await.unwrap();
    let other = Connection::open(house.path().join(DATABASE)).unwrap();
    other.execute_batch("DROP TRIGGER ledger_is_not_changed").unwrap();
    other.execute("UPDATE ledger SET record = CAST(record || x'00' AS BLOB) WHERE chain = ?1", [id.get()]).unwrap();
    drop(other);
    let (state, _) = SqliteState::open_with(&house.path(), settings(&house)).unwrap();
    let error = state.refuse(Some(id), refused("x")).await.unwrap_err();
    assert!(error.to_string().contains("record 1 of chain 1 was changed since it was written"), "{error}");
}

#[tokio::test]
async fn trust_audit_no_act_is_ended_that_the_records_do_not_have_under_way() {
    let house = House::new();
    let id = house.session().await;
    fresh(house.begin(keyless(id, "x")).await).finish(finish("done")).await.unwrap();
    house.state.close().await.unwrap();
    let before = house.kinds(id.get());
    let other = Connection::open(house.path().join(DATABASE)).unwrap();
    // One that is over, a record that is no act, and nothing at all.
    for (act, sequence) in [(3, 2), (4, 3), (2, 2), (3, 7)] {
        other.execute("INSERT INTO running VALUES (?1, ?2, ?3)", [act, id.get(), sequence]).unwrap();
        let tidy = std::sync::Arc::new(|_: &_| panic!("nothing is done before"));
        let settings = crate::state::Settings { tidy, ..settings(&house) };
        let error = SqliteState::open_with(&house.path(), settings).unwrap_err();
        let said = format!("act {act}, which is not running by the records, was changed since it was written");
        assert!(error.to_string().contains(&said), "{error}");
        other.execute("DELETE FROM running", []).unwrap();
        assert_eq!(house.kinds(id.get()), before);
    }
    SqliteState::open_with(&house.path(), settings(&house)).unwrap();
}

fn settings(house: &House) -> crate::state::Settings {
    let now = house.now_ms.load(std::sync::atomic::Ordering::SeqCst);
    crate::state::Settings { clock: std::sync::Arc::new(move || now), ..Default::default() }
}

#[tokio::test]
async fn trust_audit_the_database_itself_refuses_to_change_or_cut_the_ledger() {
    let house = House::new();
    house.session().await;
    let other = Connection::open(house.path().join(DATABASE)).unwrap();
    for sql in ["UPDATE ledger SET chain = 2", "DELETE FROM ledger", "DELETE FROM ledger WHERE number = 1"] {
        let error = other.execute(sql, []).unwrap_err();
        assert!(error.to_string().contains("only added to"), "{error}");
    }
}

/// A writer that is held up, here by another's lock, does not make callers wait without end.
#[tokio::test]
async fn a_queue_that_is_full_refuses_and_says_when_to_try_again() {
    let house = House::new();
    let id = house.session().await;
    let act = fresh(house.begin(keyless(id, "x")).await);
    let other = Connection::open(house.path().join(DATABASE)).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let mut answers = Vec::new();
    // One may be in the writer's hands, and one place is the act's.
    for _ in 0..QUEUE_MAX {
        answers.push(house.state.refuse(Some(id), refused("x")));
    }
    let error = house.state.refuse(Some(id), refused("x")).await.unwrap_err();
    assert!(error.retry_after_ms().is_some_and(|ms| ms > 0), "{error}");
    assert!(house.state.begin(keyless(id, "x")).await.unwrap_err().retry_after_ms().is_some());
    // What was begun can be finished whatever else waits.
    let finished = act.finish(finish("done"));
    other.execute_batch("COMMIT").unwrap();
    finished.await.unwrap();
    let mut refused = 0;
    for answer in answers {
        refused += usize::from(answer.await.is_ok());
    }
    assert!(refused >= QUEUE_MAX - 2, "{refused}");
}

#[tokio::test]
async fn a_closed_state_refuses_everything() {
    let house = House::new();
    let id = house.session().await;
    let digest = house.state.close().await.unwrap();
    assert_eq!(whole(&house.path()).checkpoint, Some(digest));
    assert_eq!(house.state.begin(keyless(id, "x")).await.unwrap_err(), StateError::Closed);
    assert_eq!(house.state.close().await, Err(StateError::Closed));
}

#[tokio::test]
async fn trust_audit_nothing_is_added_to_a_ledger_whose_end_was_cut_off_or_changed() {
    let changes = [
        "DROP TRIGGER ledger_is_not_cut; DELETE FROM ledger WHERE number = (SELECT max(number) FROM ledger)",
        "UPDATE ending SET number = number + 1",
        "UPDATE ending SET hash = zeroblob(32)",
        "DELETE FROM ending",
    ];
    for change in changes {
        let house = House::new();
        house.session().await;
        house.state.close().await.unwrap();
        let connection = Connection::open(house.path().join(DATABASE)).unwrap();
        connection.execute_batch(change).unwrap();
        drop(connection);
        let error = SqliteState::open_with(&house.path(), settings(&house)).map(drop).unwrap_err();
        assert!(error.to_string().contains("the end of the ledger"), "{change}: {error}");
    }
}
