//! Why a state cannot be opened, and why it refuses a call.

use std::fmt;
use std::sync::Arc;

use exec_base::DirectoryError;

/// Why a state cannot be opened.
#[derive(Debug)]
pub enum OpenError {
    /// Not in this folder.
    Folder(DirectoryError),
    /// The database cannot be opened or read.
    Database(rusqlite::Error),
    /// The database is of another program.
    Foreign {
        /// What it says it is.
        application: i64,
    },
    /// The database was written by a newer program.
    Newer {
        /// Its version.
        version: i64,
        /// The newest that is known here.
        known: i64,
    },
    /// What is stored there cannot be read.
    Stored {
        /// What.
        what: String,
    },
    /// There is no thread to write from.
    Thread(std::io::Error),
}

/// Why a call is refused, in the order of the checks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StateError {
    /// Nothing can be written down any more, so nothing is done any more.
    Broken {
        /// What went wrong first.
        why: Arc<str>,
    },
    /// The state was closed.
    Closed,
    /// More is waiting to be written than may. Try again.
    Busy {
        /// When.
        retry_after_ms: u64,
    },
    /// More than may be stored.
    TooLarge {
        /// Of what.
        what: &'static str,
        /// How much may be.
        most: usize,
    },
    /// The session is unknown or over.
    UnknownSession,
    /// There are as many sessions as there may be.
    TooManySessions {
        /// How many.
        most: usize,
    },
    /// The session has used as many keys as it may.
    TooManyKeys {
        /// How many.
        most: u64,
    },
    /// An artifact of this name is published, and is another.
    ArtifactPublished {
        /// Its name.
        id: String,
    },
    /// The system gives no random numbers.
    NoRandomness,
}

impl StateError {
    /// Whether the same call may work later.
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

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Folder(error) => error.fmt(f),
            Self::Database(error) => write!(f, "the state cannot be opened: {error}"),
            Self::Foreign { application } => {
                write!(f, "the database is of another program, with the application id {application}")
            }
            Self::Newer { version, known } => {
                write!(f, "the state is of version {version}, and this program knows versions up to {known}")
            }
            Self::Stored { what } => write!(f, "the state cannot be read: {what}"),
            Self::Thread(error) => write!(f, "no thread can be started: {error}"),
        }
    }
}

impl std::error::Error for OpenError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Folder(error) => Some(error),
            Self::Database(error) => Some(error),
            Self::Thread(error) => Some(error),
            Self::Foreign { .. } | Self::Newer { .. } | Self::Stored { .. } => None,
        }
    }
}

impl From<DirectoryError> for OpenError {
    fn from(error: DirectoryError) -> Self {
        Self::Folder(error)
    }
}

impl From<rusqlite::Error> for OpenError {
    fn from(error: rusqlite::Error) -> Self {
        Self::Database(error)
    }
}

impl fmt::Display for StateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Broken { why } => {
                write!(f, "nothing is done because nothing can be recorded: {why}; restart when it can")
            }
            Self::Closed => f.write_str("the state is closed"),
            Self::Busy { retry_after_ms } => {
                write!(f, "too much is waiting to be recorded, try again in {retry_after_ms} ms")
            }
            Self::TooLarge { what, most } => write!(f, "more {what} than the {most} that may be stored"),
            Self::UnknownSession => f.write_str("the session is unknown or over"),
            Self::TooManySessions { most } => write!(f, "there are {most} sessions, which is the most"),
            Self::TooManyKeys { most } => write!(f, "the session has used {most} keys, which is the most"),
            Self::ArtifactPublished { id } => {
                write!(f, "another artifact is published as {id:?}")
            }
            Self::NoRandomness => f.write_str("the system gives no random numbers"),
        }
    }
}

impl std::error::Error for StateError {}
