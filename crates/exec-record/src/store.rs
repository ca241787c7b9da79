//! Bytes <-> the BLAKE3 hash that names them, kept as objects (CTR-0018, CTR-0024).
//!
//! An object's place is its hash, `ab/cdef…`, and its bytes are compared with it whenever they are read. It knows nothing
//! of what the bytes mean.

mod artifact;
mod placed;

pub use artifact::{Artifact, METADATA_BYTES_MAX, Present};
pub use placed::{INLINE_RESULT_MAX, Inline, Placed};

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use exec_base::{DirectoryError, private_directory};
use object_store::local::LocalFileSystem;
use object_store::path::Path as Place;
use object_store::{ObjectStore, ObjectStoreExt as _, PutPayload};
use thiserror::Error;

use crate::ledger::Digest;

/// A content store.
#[derive(Debug, Clone)]
pub struct ContentStore {
    objects: Arc<dyn ObjectStore>,
    session_bytes_max: u64,
}

/// Why content is not stored or not returned.
#[derive(Debug, Error)]
pub enum StoreError {
    #[error(transparent)]
    Place(DirectoryError),
    #[error("cannot store objects in `{}`: {error}", path.display())]
    Folder {
        path: PathBuf,
        #[source]
        error: io::Error,
    },
    #[error("an object of {bytes} bytes exceeds the limit of {OBJECT_BYTES_MAX} bytes")]
    TooLarge { bytes: u64 },
    #[error("{bytes} more bytes exceed the limit of {most} bytes for the results of a session")]
    OverQuota { bytes: u64, most: u64 },
    #[error("missing object {hash}")]
    Missing { hash: Digest },
    #[error("object {hash} was changed: its bytes hash to {found}")]
    Changed { hash: Digest, found: Digest },
    #[error("cannot access object {hash}: {error}")]
    Failed {
        hash: Digest,
        #[source]
        error: object_store::Error,
    },
}

impl ContentStore {
    /// Keeps objects in a folder below that of a state, durably: an object is on the disk, with its name and the folders
    /// above it, before it is said to be stored.
    ///
    /// # Errors
    /// When the folder cannot be made or used, or others can get at it.
    pub fn local(state: &Path) -> Result<Self, StoreError> {
        let path = state.join(OBJECTS);
        private_directory(&path).map_err(StoreError::Place)?;
        let unusable = |error: io::Error| StoreError::Folder { path: path.clone(), error };
        let objects = LocalFileSystem::new_with_prefix(&path).map_err(|error| unusable(io::Error::other(error)))?;
        // Off by default, and without it a result on the record could name an object that a loss of power took.
        Ok(Self::new(Arc::new(objects.with_fsync(true))))
    }

    /// Keeps objects wherever this keeps them, as durably as it does.
    #[must_use]
    pub fn new(objects: Arc<dyn ObjectStore>) -> Self {
        Self { objects, session_bytes_max: SESSION_BYTES_MAX }
    }

    /// The same for sessions whose results may take so many bytes.
    #[must_use]
    pub fn with_session_bytes(self, most: u64) -> Self {
        Self { session_bytes_max: most, ..self }
    }

    /// Stores bytes. To store the same again changes nothing.
    ///
    /// They are written even if the object is there: it may be in a cache only, left by a program that was stopped, and
    /// what is there may have been changed.
    ///
    /// # Errors
    /// When there are too many, or the store fails.
    pub async fn put(&self, bytes: Vec<u8>) -> Result<Digest, StoreError> {
        let length = length(&bytes);
        if length > OBJECT_BYTES_MAX {
            return Err(StoreError::TooLarge { bytes: length });
        }
        let hash = Digest::of(&bytes);
        let stored = self.objects.put(&place(&hash), PutPayload::from(bytes)).await;
        stored.map(|_| hash).map_err(|error| StoreError::Failed { hash, error })
    }

    /// The bytes of a hash, and no others.
    ///
    /// # Errors
    /// When there are none, too many or others, or the store fails.
    pub async fn get(&self, hash: &Digest) -> Result<Vec<u8>, StoreError> {
        let hash = *hash;
        let failed = |error| match error {
            object_store::Error::NotFound { .. } => StoreError::Missing { hash },
            error => StoreError::Failed { hash, error },
        };
        let object = self.objects.get(&place(&hash)).await.map_err(failed)?;
        if object.meta.size > OBJECT_BYTES_MAX {
            return Err(StoreError::TooLarge { bytes: object.meta.size });
        }
        let bytes = object.bytes().await.map_err(failed)?;
        let found = Digest::of(&bytes);
        if found == hash { Ok(bytes.into()) } else { Err(StoreError::Changed { hash, found }) }
    }

    /// Whether the bytes of a hash are there, and are its own (CTR-0020).
    ///
    /// # Errors
    /// When they are not, or the store fails.
    pub async fn find(&self, hash: &Digest) -> Result<Present, StoreError> {
        self.measure(hash).await.map(|(present, _)| present)
    }

    /// The same, and how many bytes.
    ///
    /// # Errors
    /// When they are not there, or the store fails.
    pub async fn measure(&self, hash: &Digest) -> Result<(Present, u64), StoreError> {
        let bytes = self.get(hash).await?;
        Ok((Present::found(*hash), length(&bytes)))
    }

    /// Stores a result that is too large to be sent along (CTR-0024, CTR-0025).
    ///
    /// # Errors
    /// When it is larger than an object may be, or the store fails.
    pub async fn place(&self, result: Vec<u8>) -> Result<Placed, StoreError> {
        match Inline::new(result) {
            Ok(inline) => Ok(Placed::Inline(inline)),
            Err(result) => self.put(result).await.map(Placed::Stored),
        }
    }

    /// The same for a session that has kept so many bytes so far. What is there already takes no more room; a small result
    /// takes some where it `is_kept` beside the records.
    pub async fn place_within(&self, result: Vec<u8>, is_kept: bool, used: &AtomicU64) -> Result<Placed, StoreError> {
        let (is_small, bytes) = (result.len() <= INLINE_RESULT_MAX, length(&result));
        let is_free = if is_small { !is_kept } else { self.has(&Digest::of(&result)).await };
        if is_free {
            return self.place(result).await;
        }
        let most = self.session_bytes_max;
        let more = |used: u64| used.checked_add(bytes).filter(|used| *used <= most);
        if used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more).is_err() {
            return Err(StoreError::OverQuota { bytes, most });
        }
        self.place(result).await
    }

    async fn has(&self, hash: &Digest) -> bool {
        self.objects.head(&place(hash)).await.is_ok()
    }

    /// A result, wherever it was placed.
    ///
    /// # Errors
    /// When it was stored and cannot be read.
    pub async fn fetch(&self, placed: Placed) -> Result<Vec<u8>, StoreError> {
        match placed {
            Placed::Inline(inline) => Ok(inline.into_bytes()),
            Placed::Stored(hash) => self.get(&hash).await,
        }
    }
}

fn length(bytes: &[u8]) -> u64 {
    u64::try_from(bytes.len()).unwrap_or(u64::MAX)
}

/// `ab/cdef…`: no folder has more than its share.
fn place(hash: &Digest) -> Place {
    let digits = hash.to_string();
    let (folder, name) = digits.split_at_checked(2).unwrap_or_default();
    Place::from_iter([folder, name])
}

/// Bytes of one object: as much as the largest request can bring.
pub const OBJECT_BYTES_MAX: u64 = 134_217_728;
/// Bytes that the results of one session may take, unless it is said otherwise: 1 GiB. An agent gets no disk full.
pub const SESSION_BYTES_MAX: u64 = 1 << 30;
const OBJECTS: &str = "objects";

#[cfg(test)]
mod tests;
