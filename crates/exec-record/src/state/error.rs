//! Why a state cannot be opened, and why it refuses a call.

use std::io;
use std::sync::Arc;

use exec_base::DirectoryError;
use thiserror::Error;

/// Why a state cannot be opened.
#[derive(Debug, Error)]
pub enum OpenError {
    #[error(transparent)]
    Folder(#[from] DirectoryError),
    #[error("cannot open the state: {0}")]
    Database(#[from] rusqlite::Error),
    #[error("the database belongs to another program, with application id {application}")]
    Foreign { application: i64 },
    #[error("the state has version {found}; this program reads version {known}")]
    Version { found: i64, known: i64 },
    #[error("cannot read the state: {what}")]
    Stored { what: String },
    #[error("cannot start a thread: {0}")]
    Thread(#[source] io::Error),
}

/// Why a call is refused, in the order of the checks.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum StateError {
    /// A write failed, so every call after it fails.
    #[error("nothing can be recorded, so nothing is done: {why}; restart once that is repaired")]
    Broken { why: Arc<str> },
    #[error("the state is closed")]
    Closed,
    #[error("too many calls are waiting to be recorded; try again in {retry_after_ms} ms")]
    Busy { retry_after_ms: u64 },
    #[error("too many {what}: at most {most} can be stored")]
    TooLarge { what: &'static str, most: usize },
    #[error("the session is unknown or has ended")]
    UnknownSession,
    #[error("at most {most} sessions can be active")]
    TooManySessions { most: usize },
    #[error("a session can use at most {most} keys")]
    TooManyKeys { most: u64 },
    #[error("another artifact is published as {id:?}")]
    ArtifactPublished { id: String },
    #[error("the system returns no random numbers")]
    NoRandomness,
}

impl StateError {
    /// Returns the time after which the same call may succeed.
    #[must_use]
    pub fn retry_after_ms(&self) -> Option<u64> {
        match self {
            Self::Busy { retry_after_ms } => Some(*retry_after_ms),
            Self::Broken { .. }
            | Self::Closed
            | Self::TooLarge { .. }
            | Self::UnknownSession
            | Self::TooManySessions { .. }
            | Self::TooManyKeys { .. }
            | Self::ArtifactPublished { .. }
            | Self::NoRandomness => None,
        }
    }
}
