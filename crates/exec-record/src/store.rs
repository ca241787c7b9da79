//! Bytes <-> the BLAKE3 hash that names them, stored as objects (CTR-0018, CTR-0024).
//!
//! The path of an object is its hash, `ab/cdef…`, and its bytes are compared with it on every read. This module does not
//! know what the bytes mean.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use enforce_core::limits::MAX_ID_LEN;
use exec_base::{DirectoryError, private_directory};
use object_store::local::LocalFileSystem;
use object_store::path::Path as ObjectPath;
use object_store::{ObjectStore, ObjectStoreExt as _, PutPayload};
use thiserror::Error;

use crate::ledger::Digest;
use crate::state::StateError;

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
    Directory(DirectoryError),
    #[error("cannot store objects in `{}`: {error}", path.display())]
    Unusable {
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
    /// Stores objects in a directory below that of a state. An object, its name and its directories are on the disk
    /// before it counts as stored.
    pub fn local(state: &Path) -> Result<Self, StoreError> {
        let path = state.join(OBJECTS);
        private_directory(&path).map_err(StoreError::Directory)?;
        let unusable = |error: io::Error| StoreError::Unusable { path: path.clone(), error };
        let objects = LocalFileSystem::new_with_prefix(&path).map_err(|error| unusable(io::Error::other(error)))?;
        // Off by default, and without it a result on the record could name an object that a loss of power took.
        Ok(Self::new(Arc::new(objects.with_fsync(true))))
    }

    /// Stores objects in any object store, as durably as that does.
    #[must_use]
    pub fn new(objects: Arc<dyn ObjectStore>) -> Self {
        Self { objects, session_bytes_max: SESSION_BYTES_MAX }
    }

    /// Sets the limit of the results of one session.
    #[must_use]
    pub fn with_session_bytes(self, most: u64) -> Self {
        Self { session_bytes_max: most, ..self }
    }

    /// Stores bytes; storing the same bytes again changes nothing. An existing object is written anyway: it may be in a
    /// cache only, left by a program that was stopped, or changed.
    pub async fn put(&self, bytes: Vec<u8>) -> Result<Digest, StoreError> {
        let length = length(&bytes);
        if length > OBJECT_BYTES_MAX {
            return Err(StoreError::TooLarge { bytes: length });
        }
        let hash = Digest::of(&bytes);
        let stored = self.objects.put(&place(&hash), PutPayload::from(bytes)).await;
        stored.map(|_| hash).map_err(|error| StoreError::Failed { hash, error })
    }

    /// Returns the bytes of a hash, after comparing them with it.
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

    /// Checks that the bytes of a hash are stored (CTR-0020).
    pub async fn find(&self, hash: &Digest) -> Result<Present, StoreError> {
        self.measure(hash).await.map(|(present, _)| present)
    }

    /// Checks that the bytes of a hash are stored, and returns their number.
    pub async fn measure(&self, hash: &Digest) -> Result<(Present, u64), StoreError> {
        let bytes = self.get(hash).await?;
        Ok((Present(*hash), length(&bytes)))
    }

    /// Stores a result that is too large to send along (CTR-0024, CTR-0025).
    pub async fn place(&self, result: Vec<u8>) -> Result<Placed, StoreError> {
        match Inline::new(result) {
            Ok(inline) => Ok(Placed::Inline(inline)),
            Err(result) => self.put(result).await.map(Placed::Stored),
        }
    }

    /// Stores a result within the limit of a session. An object that exists takes no more room; a small result takes
    /// room only if it `is_kept` beside the records.
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

    /// Returns a result, wherever it is stored.
    pub async fn fetch(&self, placed: Placed) -> Result<Vec<u8>, StoreError> {
        match placed {
            Placed::Inline(inline) => Ok(inline.into_bytes()),
            Placed::Stored(hash) => self.get(&hash).await,
        }
    }
}

/// A result: here, or in the content store under its hash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Placed {
    Inline(Inline),
    Stored(Digest),
}

/// A result of at most [`INLINE_RESULT_MAX`] bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Inline {
    bytes: Vec<u8>,
    hash: Digest,
}

impl Inline {
    /// Returns the result as an error if it is too large.
    pub fn new(bytes: Vec<u8>) -> Result<Self, Vec<u8>> {
        if bytes.len() > INLINE_RESULT_MAX {
            return Err(bytes);
        }
        let hash = Digest::of(&bytes);
        Ok(Self { bytes, hash })
    }

    #[must_use]
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }
}

impl Placed {
    #[must_use]
    pub fn hash(&self) -> Digest {
        match self {
            Self::Inline(inline) => inline.hash,
            Self::Stored(hash) => *hash,
        }
    }

    #[must_use]
    pub fn inline(&self) -> Option<&[u8]> {
        match self {
            Self::Inline(inline) => Some(&inline.bytes),
            Self::Stored(_) => None,
        }
    }

    /// Restores a stored result; `None` if it was changed.
    pub(crate) fn kept(bytes: Vec<u8>, hash: Digest) -> Option<Self> {
        Inline::new(bytes).ok().filter(|inline| inline.hash == hash).map(Self::Inline)
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Artifact {
    pub id: String,
    pub category: String,
    pub content: Present,
    pub metadata: String,
}

/// The hash of content that was in the store when it was checked (CTR-0020).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Present(Digest);

impl Present {
    #[must_use]
    pub fn hash(&self) -> Digest {
        self.0
    }

    /// Published content was checked before.
    pub(crate) fn published(hash: Digest) -> Self {
        Self(hash)
    }
}

impl Artifact {
    /// Fails when a field exceeds its limit.
    pub(crate) fn check(&self) -> Result<(), StateError> {
        for (what, size, most) in [
            ("bytes of an artifact's name", self.id.len(), NAME_BYTES_MAX),
            ("bytes of an artifact's category", self.category.len(), NAME_BYTES_MAX),
            ("bytes of an artifact's metadata", self.metadata.len(), METADATA_BYTES_MAX),
        ] {
            if size > most {
                return Err(StateError::TooLarge { what, most });
            }
        }
        Ok(())
    }
}

fn length(bytes: &[u8]) -> u64 {
    u64::try_from(bytes.len()).unwrap_or(u64::MAX)
}

/// `ab/cdef…`, so that no directory gets too large.
fn place(hash: &Digest) -> ObjectPath {
    let digits = hash.to_string();
    let (folder, name) = digits.split_at_checked(2).unwrap_or_default();
    ObjectPath::from_iter([folder, name])
}

/// Bytes of one object: as much as the largest request can bring.
pub const OBJECT_BYTES_MAX: u64 = 134_217_728;
/// Default limit of the results of one session, so that one agent cannot fill the disk.
pub const SESSION_BYTES_MAX: u64 = 1 << 30;
/// Bytes of a result that is sent along (CTR-0024): 1 MB, which is binary.
pub const INLINE_RESULT_MAX: usize = 1_048_576;
/// An identifier has at most so many characters, of up to four bytes.
const NAME_BYTES_MAX: usize = 4 * MAX_ID_LEN;
pub const METADATA_BYTES_MAX: usize = 65_536;
const OBJECTS: &str = "objects";

#[cfg(test)]
mod tests;
