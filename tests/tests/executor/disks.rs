//! A disk below the state that is full, or becomes read-only: nothing is done that cannot be recorded, and everybody is told.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use enforce_exec::{Executor, ExecutorConfig};
use exec_record::ContentStore;
use tempfile::TempDir;
use tool_proto::ToolResponse;

use crate::support::{ALL, append, ask, code, count, granted, kinds, loaded, message, open, read, request};

/// A file system of a megabyte or a few, unmounted when it is dropped.
struct Disk(TempDir);

impl Disk {
    /// Nothing, where nothing can be mounted.
    fn mount(mebibytes: usize) -> Option<Self> {
        let folder = TempDir::new().unwrap();
        let options = format!("size={mebibytes}m,mode=700");
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", &options, "tmpfs"]).arg(folder.path());
        mount.output().is_ok_and(|output| output.status.success()).then_some(Self(folder))
    }

    fn path(&self) -> PathBuf {
        self.0.path().to_owned()
    }

    fn remount(&self, how: &str) -> bool {
        let mut mount = Command::new("mount");
        mount.args(["-o", &format!("remount,{how}")]).arg(self.path()).output().unwrap().status.success()
    }

    /// The same after a moment, which the kernel takes to let go of a file that was closed.
    fn remount_soon(&self, how: &str) -> bool {
        (0..100).any(|_| {
            let is_mounted = self.remount(how);
            if !is_mounted {
                std::thread::sleep(std::time::Duration::from_millis(20));
            }
            is_mounted
        })
    }

    /// Leaves no more than these bytes.
    fn fill(&self, left_bytes: u64) {
        let mut file = fs::File::create(self.path().join("filler")).unwrap();
        for size in [64 << 10, 4 << 10, 1] {
            while file.write_all(&vec![0; size]).is_ok() {}
        }
        file.set_len(file.metadata().unwrap().len() - left_bytes).unwrap();
    }

    fn empty(&self) {
        fs::remove_file(self.path().join("filler")).unwrap();
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(self.path()).status();
    }
}

/// Runs a test again where its user is the administrator and may mount, or says loudly that it did not run.
fn in_a_namespace(test: &str) {
    let own_namespace = || {
        let mut command = Command::new("unshare");
        command.args(["--user", "--map-root-user", "--mount"]).env(IN_NAMESPACE, "yes");
        command
    };
    let is_possible = || own_namespace().arg("true").output().is_ok_and(|output| output.status.success());
    if std::env::var_os(IN_NAMESPACE).is_some() || !is_possible() {
        eprintln!("NOT TESTED: {test}, because nothing can be mounted here");
        return;
    }
    let name = format!("disks::{test}");
    let status = own_namespace().arg(std::env::current_exe().unwrap()).args(["--exact", "--nocapture", &name]).status();
    assert!(status.unwrap().success(), "{name} in a namespace");
}

/// A root that is on another disk than what is tested.
struct House {
    folder: TempDir,
    token: String,
    executor: Executor,
}

impl House {
    async fn new(state: &Path, change: impl FnOnce(ExecutorConfig) -> ExecutorConfig) -> Self {
        let folder = TempDir::new().unwrap();
        let executor = Executor::new(change(open(folder.path(), state, &loaded(ALL)).0));
        let session = executor.create_session(granted(folder.path(), &loaded(ALL))).await.unwrap();
        Self { folder, token: session.1.reveal(), executor }
    }

    async fn append(&self, path: &str, content: &str) -> ToolResponse {
        ask(&self.executor, &request(&self.token, "", append(path, content))).await
    }

    async fn read(&self, path: &str) -> ToolResponse {
        self.read_once(path, "").await
    }

    async fn read_once(&self, path: &str, key: &str) -> ToolResponse {
        ask(&self.executor, &request(&self.token, key, read(path))).await
    }

    fn has(&self, path: &str) -> bool {
        self.folder.path().join(path).exists()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn ctr_0022_trust_audit_a_ledger_on_a_full_disk_stops_every_act_until_a_restart() {
    let Some(disk) = Disk::mount(2) else {
        return in_a_namespace("ctr_0022_trust_audit_a_ledger_on_a_full_disk_stops_every_act_until_a_restart");
    };
    let state = disk.path().join("state");
    let house = Arc::new(House::new(&state, |parts| parts).await);
    let ask_all = |round: &'static str| {
        let house = Arc::clone(&house);
        async move {
            let asked: Vec<_> = (0..TOGETHER)
                .map(|number| {
                    let (house, name) = (Arc::clone(&house), format!("{round}-{number}"));
                    tokio::spawn(async move { (house.append(&name, "x").await, name) })
                })
                .collect();
            let mut answers = Vec::new();
            for answer in asked {
                answers.push(answer.await.unwrap());
            }
            answers
        }
    };
    let fine = ask_all("before").await;
    assert!(fine.iter().all(|(response, name)| code(response) == "DONE" && house.has(name)));

    // Its end comes while requests are under way.
    disk.fill(LEFT_BYTES);
    let during = ask_all("during").await;
    let after = ask_all("after").await;
    let mut unreported = 0;
    for (response, name) in during.iter().chain(&after) {
        match code(response) {
            "DONE" => assert!(house.has(name), "{name}"),
            "LEDGER_UNAVAILABLE" if message(response).starts_with("the operation ended, but ") => unreported += 1,
            "LEDGER_UNAVAILABLE" => {
                assert!(!house.has(name), "{name} was done without a record");
                assert!(message(response).ends_with("; restart once that is repaired"), "{response:?}");
            }
            _ => panic!("{response:?}"),
        }
    }
    assert!(after.iter().all(|(response, _)| code(response) == "LEDGER_UNAVAILABLE"), "the disk was never full");
    disk.empty();
    // It says that it needs a restart, and means it.
    let still = house.append("still", "x").await;
    assert_eq!(code(&still), "LEDGER_UNAVAILABLE");
    assert!(!house.has("still"));
    assert!(house.executor.close().await.is_err());

    let (parts, recovered) = open(house.folder.path(), &state, &loaded(ALL));
    let executor = Executor::new(parts);
    assert_eq!(code(&ask(&executor, &request(&house.token, "", append("again", "x"))).await), "DONE");
    executor.close().await.unwrap();
    let kinds = kinds(&state);
    let done = fine.iter().chain(&during).chain(&after).filter(|(response, _)| code(response) == "DONE").count();
    assert_eq!(count(&kinds, "result"), done + 1, "every result that was told of is there, and no other");
    assert!(recovered.interrupted >= unreported, "{recovered:?}");
    println!(
        "{} requests: {done} done, {unreported} ended without a record, {} refused; {} acts interrupted",
        3 * TOGETHER,
        3 * TOGETHER - done - unreported,
        recovered.interrupted
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn ctr_0022_ctr_0024_a_store_that_cannot_be_written_is_told_and_goes_on_when_it_can() {
    let Some(disk) = Disk::mount(4) else {
        return in_a_namespace("ctr_0022_ctr_0024_a_store_that_cannot_be_written_is_told_and_goes_on_when_it_can");
    };
    let state = TempDir::new().unwrap();
    let store = ContentStore::local(&disk.path()).unwrap();
    let house = House::new(&state.path().join("state"), |parts| ExecutorConfig { store, ..parts }).await;
    fs::write(house.folder.path().join("large"), vec![b'x'; (1 << 20) + 1]).unwrap();
    // Sent along with its answer, which is then too large to be kept beside the ledger for those who repeat it.
    fs::write(house.folder.path().join("inline"), vec![b'x'; 1 << 20]).unwrap();
    fs::write(house.folder.path().join("small"), "x").unwrap();
    let mut failed = 0;
    for way in ["read-only", "full"] {
        for (path, key) in [("large", ""), ("inline", "key")] {
            let key = |time: &str| if key.is_empty() { String::new() } else { format!("{key} {way} {time}") };
            if way == "full" {
                disk.fill(0);
            } else {
                assert!(disk.remount("ro"));
            }
            let response = house.read_once(path, &key("first")).await;
            assert_eq!(code(&response), "STORE_UNAVAILABLE", "{way}, {path}: {response:?}");
            assert!(
                message(&response).starts_with("the operation succeeded, but its result could not be stored: "),
                "{response:?}"
            );
            failed += 1;
            // What needs no store is done.
            assert_eq!(code(&house.read("inline").await), "DONE");
            assert_eq!(code(&house.read("small").await), "DONE");
            assert_eq!(code(&house.append(way, "x").await), "DONE");
            if way == "full" {
                disk.empty();
            } else {
                assert!(disk.remount("rw"));
            }
            assert_eq!(code(&house.read_once(path, &key("second")).await), "DONE", "{way}, {path}");
        }
    }
    house.executor.close().await.unwrap();
    let kinds = kinds(&state.path().join("state"));
    assert_eq!(["intent", "result", "interrupted"].map(|kind| count(&kinds, kind)), [5 * failed, 5 * failed, 0]);
    println!("{failed} results could not be kept; each is on record as failed, and the next was kept");
}

/// Without a disk of its own: an agent that reads large files again and again does not fill the one there is.
#[tokio::test(flavor = "multi_thread")]
async fn ctr_0024_what_the_results_of_a_session_take_is_bounded() {
    let state = TempDir::new().unwrap();
    let most = 4 << 20;
    let with_less =
        |parts: ExecutorConfig| ExecutorConfig { store: parts.store.clone().with_session_bytes(most), ..parts };
    let house = House::new(&state.path().join("state"), with_less).await;
    for (name, byte) in [("a", b'a'), ("b", b'b'), ("c", b'c'), ("d", b'd')] {
        fs::write(house.folder.path().join(name), vec![byte; (1 << 20) + (1 << 18)]).unwrap();
    }
    fs::write(house.folder.path().join("small"), "x").unwrap();
    // What is there already takes no more room.
    for name in ["a", "b", "a", "c", "a", "b", "c"] {
        assert_eq!(code(&house.read(name).await), "DONE", "{name}");
    }
    let response = house.read("d").await;
    assert_eq!(code(&response), "STORE_UNAVAILABLE", "{response:?}");
    assert!(message(&response).contains("exceed the limit of 4194304 bytes"), "{response:?}");
    assert_eq!(code(&house.read("small").await), "DONE");
    house.executor.close().await.unwrap();
    let kinds = kinds(&state.path().join("state"));
    assert_eq!(["intent", "result", "interrupted"].map(|kind| count(&kinds, kind)), [9, 9, 0]);
}

#[tokio::test(flavor = "multi_thread")]
async fn trust_audit_a_disk_with_an_open_ledger_does_not_become_read_only_unseen() {
    let Some(disk) = Disk::mount(4) else {
        return in_a_namespace("trust_audit_a_disk_with_an_open_ledger_does_not_become_read_only_unseen");
    };
    let state = disk.path().join("state");
    let house = House::new(&state, |parts| parts).await;
    let is_read_only = disk.remount("ro");
    let response = house.append("a", "x").await;
    // The kernel refuses as long as somebody writes there. If it did not, nothing would be done.
    let expected = if is_read_only { ("LEDGER_UNAVAILABLE", false) } else { ("DONE", true) };
    assert_eq!((code(&response), house.has("a")), expected);
    let closed = house.executor.close().await;
    assert_eq!(closed.is_ok(), !is_read_only);
    // Once closed it can be, and then no executor starts on it.
    assert!(disk.remount_soon("ro"));
    assert!(exec_record::SqliteState::open(&state).is_err());
    assert!(disk.remount("rw"));
    let executor = Executor::new(open(house.folder.path(), &state, &loaded(ALL)).0);
    assert_eq!(code(&ask(&executor, &request(&house.token, "", append("b", "x"))).await), "DONE");
    executor.close().await.unwrap();
}

const TOGETHER: usize = 60;
/// Enough for the records of some of them.
const LEFT_BYTES: u64 = 160 << 10;
/// Set where a test runs again.
const IN_NAMESPACE: &str = "INTERDICT_TEST_IN_NAMESPACE";
