//! A result, along with its answer or in the content store.

use crate::ledger::Digest;

/// Where a result is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Placed {
    /// Here.
    Inline(Inline),
    /// In the content store, under this hash.
    Stored(Digest),
}

/// A result of at most [`INLINE_RESULT_MAX`] bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Inline {
    bytes: Vec<u8>,
    hash: Digest,
}

impl Inline {
    /// A result that is small enough.
    ///
    /// # Errors
    /// With the result, when it is not.
    pub fn new(bytes: Vec<u8>) -> Result<Self, Vec<u8>> {
        if bytes.len() > INLINE_RESULT_MAX {
            return Err(bytes);
        }
        let hash = Digest::of(&bytes);
        Ok(Self { bytes, hash })
    }

    /// Its bytes.
    #[must_use]
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }
}

impl Placed {
    /// What names the result.
    #[must_use]
    pub fn hash(&self) -> Digest {
        match self {
            Self::Inline(inline) => inline.hash,
            Self::Stored(hash) => *hash,
        }
    }

    /// The result itself, if it is here.
    #[must_use]
    pub fn inline(&self) -> Option<&[u8]> {
        match self {
            Self::Inline(inline) => Some(&inline.bytes),
            Self::Stored(_) => None,
        }
    }

    /// A result that was kept, if it still is what it was.
    pub(crate) fn kept(bytes: Vec<u8>, hash: Digest) -> Option<Self> {
        Inline::new(bytes).ok().filter(|inline| inline.hash == hash).map(Self::Inline)
    }
}

/// Bytes of a result that is sent along (CTR-0024): 1 MB, which is binary.
pub const INLINE_RESULT_MAX: usize = 1_048_576;
