//! The fixed beginning of a table: what it is, its digests, and how many rows follow.

use crate::bytes::{Fields, Sink};
use crate::error::{OpenError, Section};
use crate::rows::{self, TextRef};

/// The output of the hash function.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest(pub [u8; 32]);

/// The table that the caller expects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pin {
    /// Only the table with this digest.
    Exactly(Digest),
    /// Any intact table: for tools that inspect tables. Enforcement always pins.
    Unpinned,
}

/// The header of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Header {
    /// The digest of the whole file with these bytes zero.
    pub digest: Digest,
    /// The digest of the policy's source files.
    pub sources: Digest,
    /// The policy's name.
    pub name: TextRef,
    /// Row counts in the order of [`Section::ALL`].
    pub counts: [u32; Section::ALL.len()],
}

impl Header {
    /// Reads a header and checks everything that does not depend on the rest.
    pub(crate) fn read(bytes: &[u8]) -> Result<Self, OpenError> {
        let truncated = OpenError::Truncated { bytes: bytes.len() };
        let head = bytes.first_chunk::<HEADER_BYTES>().ok_or(truncated)?;
        let mut fields = Fields::of(head);
        let magic = fields.u64().ok_or(truncated)?;
        if magic.to_le_bytes() != MAGIC {
            return Err(OpenError::NotATable);
        }
        let format = fields.u32().ok_or(truncated)?;
        if format != FORMAT_VERSION {
            return Err(OpenError::FormatVersion { found: format });
        }
        let language = fields.u32().ok_or(truncated)?;
        if language != LANGUAGE_VERSION {
            return Err(OpenError::LanguageVersion { found: language });
        }
        let digest = Digest(fields.digest().ok_or(truncated)?);
        let sources = Digest(fields.digest().ok_or(truncated)?);
        let name = TextRef(fields.u32().ok_or(truncated)?);
        let mut counts = [0; Section::ALL.len()];
        for count in &mut counts {
            *count = fields.u32().ok_or(truncated)?;
        }
        Ok(Self { digest, sources, name, counts })
    }

    pub(crate) fn write(&self, sink: &mut Sink<'_>) {
        sink.bytes(&MAGIC).u32(FORMAT_VERSION).u32(LANGUAGE_VERSION);
        sink.bytes(&self.digest.0).bytes(&self.sources.0).u32(self.name.0);
        for count in self.counts {
            sink.u32(count);
        }
    }

    /// Returns the length of the file that this header describes.
    pub(crate) fn file_bytes(&self) -> u64 {
        let rows = Section::ALL.into_iter().zip(self.counts);
        let sizes = rows.map(|(section, count)| u64::from(rows::row_bytes(section)).saturating_mul(u64::from(count)));
        sizes.fold(u64::try_from(HEADER_BYTES).unwrap_or(u64::MAX), u64::saturating_add)
    }
}

/// Hashes a file, with the bytes of the digest itself taken as zero.
pub(crate) fn digest_of(bytes: &[u8], hash: impl FnOnce(&[&[u8]]) -> Digest) -> Option<Digest> {
    let (before, rest) = bytes.split_at_checked(DIGEST_AT)?;
    let (_, after) = rest.split_at_checked(DIGEST_BYTES)?;
    Some(hash(&[before, &[0; DIGEST_BYTES], after]))
}

/// Length of a header in bytes.
pub const HEADER_BYTES: usize = 144;
/// The supported version of the format.
pub const FORMAT_VERSION: u32 = 1;
/// The supported version of the language.
pub const LANGUAGE_VERSION: u32 = 1;

pub(crate) const DIGEST_AT: usize = 16;
pub(crate) const DIGEST_BYTES: usize = 32;
const MAGIC: [u8; 8] = *b"INTRDCT\0";
