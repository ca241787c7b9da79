//! What is published: a name for content that is in the store, for good.

use crate::ledger::Digest;
use crate::state::StateError;
use enforce_core::limits::MAX_ID_LEN;

/// An artifact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Artifact {
    /// Its name.
    pub id: String,
    /// What kind of thing it is.
    pub category: String,
    /// What it consists of.
    pub content: Present,
    /// What else is said of it.
    pub metadata: String,
}

/// The hash of content that was in the store when it was looked for (CTR-0020).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Present(Digest);

impl Present {
    /// Which content.
    #[must_use]
    pub fn hash(&self) -> Digest {
        self.0
    }

    pub(super) fn found(hash: Digest) -> Self {
        Self(hash)
    }

    /// What is published was found before.
    pub(crate) fn published(hash: Digest) -> Self {
        Self(hash)
    }
}

impl Artifact {
    /// Whether it may be stored.
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

/// An identifier is at most so many characters, of up to four bytes.
const NAME_BYTES_MAX: usize = 4 * MAX_ID_LEN;
/// Bytes of what is said of an artifact.
pub const METADATA_BYTES_MAX: usize = 65_536;
