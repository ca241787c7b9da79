//! Objects: named by their hash, verified when read, and published for good.

use std::os::unix::fs::MetadataExt as _;
use std::sync::Arc;

use object_store::memory::InMemory;

use super::*;
use crate::state::testing::House;
use crate::state::{State as _, StateError};

fn store() -> (tempfile::TempDir, ContentStore) {
    let folder = tempfile::tempdir().unwrap();
    let store = ContentStore::local(folder.path()).unwrap();
    (folder, store)
}

fn file(folder: &Path, hash: &Digest) -> PathBuf {
    let digits = hash.to_string();
    let (first, rest) = digits.split_at(2);
    folder.join(OBJECTS).join(first).join(rest)
}

#[tokio::test]
async fn ctr_0018_a_prompt_is_stored_and_named_by_its_hash() {
    let (folder, store) = store();
    let hash = store.put(b"You are a careful engineer.".to_vec()).await.unwrap();
    assert_eq!(hash, Digest::of(b"You are a careful engineer."));
    assert_eq!(store.get(&hash).await.unwrap(), b"You are a careful engineer.");
    assert_eq!(std::fs::read(file(folder.path(), &hash)).unwrap(), b"You are a careful engineer.");
    assert_eq!(folder.path().join(OBJECTS).metadata().unwrap().mode() & 0o777, 0o700);
    // Opened again, it is there; stored again, it is the same.
    let again = ContentStore::local(folder.path()).unwrap();
    assert_eq!(again.put(b"You are a careful engineer.".to_vec()).await.unwrap(), hash);
    assert_eq!(again.get(&hash).await.unwrap(), b"You are a careful engineer.");
}

#[test]
fn trust_audit_objects_are_kept_in_a_folder_that_is_their_owners_alone() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    let (folder, _) = store();
    let objects = folder.path().join(OBJECTS);
    std::fs::set_permissions(&objects, std::fs::Permissions::from_mode(0o777)).unwrap();
    let error = ContentStore::local(folder.path()).unwrap_err();
    assert!(
        matches!(&error, StoreError::Directory(DirectoryError::Exposed { path, mode: 0o777 }) if *path == objects),
        "{error}"
    );
    std::fs::remove_dir(&objects).unwrap();
    let elsewhere = tempfile::tempdir().unwrap();
    symlink(elsewhere.path(), &objects).unwrap();
    let error = ContentStore::local(folder.path()).unwrap_err();
    assert!(matches!(&error, StoreError::Directory(DirectoryError::WrongKind { path }) if *path == objects), "{error}");
}

#[tokio::test]
async fn any_object_store_will_do() {
    let store = ContentStore::new(Arc::new(InMemory::new()));
    let hash = store.put(Vec::new()).await.unwrap();
    assert_eq!(store.get(&hash).await.unwrap(), b"");
    assert!(matches!(store.get(&Digest::ZERO).await, Err(StoreError::Missing { hash: Digest::ZERO })));
}

#[tokio::test]
async fn ctr_0018_a_changed_object_is_never_given() {
    let (folder, store) = store();
    let hash = store.put(b"prompt".to_vec()).await.unwrap();
    let path = file(folder.path(), &hash);
    for changed in [&b"promp"[..], b"prompt ", b"", b"Prompt"] {
        std::fs::write(&path, changed).unwrap();
        let error = store.get(&hash).await.unwrap_err();
        assert!(
            matches!(error, StoreError::Changed { hash: named, found } if named == hash && found == Digest::of(changed))
        );
        assert!(matches!(store.find(&hash).await, Err(StoreError::Changed { .. })));
    }
    // Whoever stores it again has it as it should be.
    store.put(b"prompt".to_vec()).await.unwrap();
    assert_eq!(store.get(&hash).await.unwrap(), b"prompt");
    std::fs::remove_file(path).unwrap();
    assert!(matches!(store.get(&hash).await, Err(StoreError::Missing { .. })));
}

#[tokio::test]
async fn ctr_0024_a_result_over_1_mb_goes_to_the_store_and_ctr_0025_a_smaller_one_stays() {
    let (folder, store) = store();
    let most = vec![7; INLINE_RESULT_MAX];
    let placed = store.place(most.clone()).await.unwrap();
    assert_eq!((placed.inline(), placed.hash()), (Some(most.as_slice()), Digest::of(&most)));
    assert!(!file(folder.path(), &placed.hash()).exists());
    assert_eq!(store.fetch(placed).await.unwrap(), most);

    let more = vec![7; INLINE_RESULT_MAX + 1];
    let placed = store.place(more.clone()).await.unwrap();
    assert_eq!(placed, Placed::Stored(Digest::of(&more)));
    assert_eq!(placed.inline(), None);
    assert!(file(folder.path(), &placed.hash()).exists());
    assert_eq!(store.fetch(placed).await.unwrap(), more);
}

#[tokio::test]
async fn ctr_0024_the_results_of_a_session_have_a_size() {
    let (_folder, store) = store();
    let store = store.with_session_bytes(4 << 20);
    let used = AtomicU64::new(0);
    let large = |byte: u8| vec![byte; (1 << 20) + 1];
    for byte in [1, 2, 1, 3, 2] {
        assert!(matches!(store.place_within(large(byte), false, &used).await, Ok(Placed::Stored(_))));
    }
    let error = store.place_within(large(4), false, &used).await.unwrap_err();
    assert!(matches!(error, StoreError::OverQuota { bytes: 1_048_577, most: 4_194_304 }), "{error}");
    assert!(matches!(store.get(&Digest::of(&large(4))).await, Err(StoreError::Missing { .. })));
    // A small one takes room where it is kept beside the records, and nowhere else.
    let small = vec![5; INLINE_RESULT_MAX - 3];
    for is_kept in [false, true, false] {
        assert!(store.place_within(small.clone(), is_kept, &used).await.is_ok());
    }
    assert_eq!(used.load(Ordering::Relaxed), 4 << 20);
    assert!(matches!(store.place_within(vec![5], true, &used).await, Err(StoreError::OverQuota { .. })));
    // Another session has its own.
    assert!(store.place_within(large(4), false, &AtomicU64::new(0)).await.is_ok());
}

#[tokio::test]
async fn an_object_has_a_size() {
    let (folder, store) = store();
    let hash = store.put(b"x".to_vec()).await.unwrap();
    // Without the bytes: a file may say that it is longer than what is on the disk.
    let object = std::fs::OpenOptions::new().write(true).open(file(folder.path(), &hash)).unwrap();
    object.set_len(OBJECT_BYTES_MAX + 1).unwrap();
    assert!(matches!(store.get(&hash).await, Err(StoreError::TooLarge { bytes }) if bytes == OBJECT_BYTES_MAX + 1));
    let large = vec![0; usize::try_from(OBJECT_BYTES_MAX).unwrap() + 1];
    assert!(matches!(store.put(large).await, Err(StoreError::TooLarge { .. })));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn the_same_bytes_are_stored_by_many_at_once() {
    let (folder, store) = store();
    let tasks: Vec<_> = (0..32)
        .map(|task: u8| {
            let store = store.clone();
            tokio::spawn(async move { store.put(vec![task % 2; 10_000]).await.unwrap() })
        })
        .collect();
    let mut hashes = std::collections::BTreeSet::new();
    for task in tasks {
        let hash = task.await.unwrap();
        assert_eq!(store.get(&hash).await.unwrap().len(), 10_000);
        hashes.insert(hash);
    }
    assert_eq!(hashes.len(), 2);
    // And nothing is left over.
    let entries = |path: PathBuf| std::fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path());
    let objects = entries(folder.path().join(OBJECTS)).flat_map(entries).count();
    assert_eq!(objects, 2);
}

#[tokio::test]
async fn ctr_0020_only_content_in_the_store_can_be_published() {
    let (_folder, store) = store();
    assert!(matches!(store.find(&Digest::of(b"report")).await, Err(StoreError::Missing { .. })));
    let hash = store.put(b"report".to_vec()).await.unwrap();
    assert_eq!(store.find(&hash).await.unwrap().hash(), hash);
}

#[tokio::test]
async fn ctr_0021_a_published_artifact_never_changes() {
    let (_folder, store) = store();
    let house = House::new();
    let content = store.find(&store.put(b"report".to_vec()).await.unwrap()).await.unwrap();
    let other = store.find(&store.put(b"other".to_vec()).await.unwrap()).await.unwrap();
    let artifact = Artifact { id: "r-1".to_owned(), category: "report".to_owned(), content, metadata: "{}".to_owned() };
    house.state.publish(artifact.clone()).await.unwrap();
    house.state.publish(artifact.clone()).await.unwrap();
    let refused = StateError::ArtifactPublished { id: "r-1".to_owned() };
    for changed in [
        Artifact { content: other, ..artifact.clone() },
        Artifact { category: "log".to_owned(), ..artifact.clone() },
        Artifact { metadata: "{\"a\":1}".to_owned(), ..artifact.clone() },
    ] {
        assert_eq!(house.state.publish(changed).await, Err(refused.clone()));
    }
    let house = house.again().await;
    assert_eq!(house.state.artifact("r-1").await, Ok(Some(artifact.clone())));
    assert_eq!(house.state.artifact("r-2").await, Ok(None));
    let database = rusqlite::Connection::open(house.path().join(crate::state::DATABASE)).unwrap();
    for sql in ["UPDATE artifacts SET category = 'x'", "DELETE FROM artifacts"] {
        assert!(database.execute(sql, []).unwrap_err().to_string().contains("stays as it is"));
    }
    let long = Artifact { metadata: "x".repeat(METADATA_BYTES_MAX + 1), ..artifact };
    assert!(matches!(house.state.publish(long).await, Err(StateError::TooLarge { .. })));
}

/// No test can take the power away; this one says that it was asked for.
#[test]
fn objects_are_on_the_disk_before_they_are_said_to_be_stored() {
    let (_folder, store) = store();
    assert!(format!("{store:?}").contains("fsync: true"), "{store:?}");
}
