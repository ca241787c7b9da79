//! 32 bytes of BLAKE3 <-> 64 hexadecimal digits. Lower case only, so that one digest has one text.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// The BLAKE3 hash that names a request, response, table, record or object.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Digest([u8; DIGEST_BYTES]);

#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("a digest has {} lowercase hexadecimal digits", 2 * DIGEST_BYTES)]
pub struct DigestError;

impl Digest {
    /// Stands before the first record of a chain.
    pub const ZERO: Self = Self([0; DIGEST_BYTES]);

    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        blake3::hash(bytes).into()
    }

    #[must_use]
    pub fn as_bytes(&self) -> &[u8; DIGEST_BYTES] {
        &self.0
    }
}

impl From<[u8; DIGEST_BYTES]> for Digest {
    fn from(bytes: [u8; DIGEST_BYTES]) -> Self {
        Self(bytes)
    }
}

impl From<blake3::Hash> for Digest {
    fn from(hash: blake3::Hash) -> Self {
        Self(hash.into())
    }
}

impl From<table_format::Digest> for Digest {
    fn from(digest: table_format::Digest) -> Self {
        Self(digest.0)
    }
}

impl TryFrom<&[u8]> for Digest {
    type Error = DigestError;

    fn try_from(bytes: &[u8]) -> Result<Self, DigestError> {
        bytes.try_into().map(Self).map_err(|_| DigestError)
    }
}

impl FromStr for Digest {
    type Err = DigestError;

    fn from_str(digits: &str) -> Result<Self, DigestError> {
        let mut digest = [0; DIGEST_BYTES];
        let (pairs, rest) = digits.as_bytes().as_chunks::<2>();
        if pairs.len() != DIGEST_BYTES || !rest.is_empty() {
            return Err(DigestError);
        }
        for (byte, [high, low]) in digest.iter_mut().zip(pairs) {
            *byte = digit(*high)? << 4 | digit(*low)?;
        }
        Ok(Self(digest))
    }
}

impl TryFrom<String> for Digest {
    type Error = DigestError;

    fn try_from(digits: String) -> Result<Self, DigestError> {
        digits.parse()
    }
}

impl From<Digest> for String {
    fn from(digest: Digest) -> Self {
        digest.to_string()
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Digest({self})")
    }
}

fn digit(digit: u8) -> Result<u8, DigestError> {
    match digit {
        b'0'..=b'9' => Ok(digit - b'0'),
        b'a'..=b'f' => Ok(digit - b'a' + 10),
        _ => Err(DigestError),
    }
}

const DIGEST_BYTES: usize = 32;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_digest_is_written_and_read_again() {
        for bytes in [&b""[..], b"a", b"interdict"] {
            let digest = Digest::of(bytes);
            assert_eq!(digest.to_string().parse(), Ok(digest));
        }
    }

    #[test]
    fn only_64_digits_in_lower_case_are_a_digest() {
        let digits = Digest::of(b"").to_string();
        for other in ["", &digits.to_uppercase(), &format!("{digits}00"), &digits.replacen('a', "g", 1)] {
            assert_eq!(other.parse::<Digest>(), Err(DigestError), "{other}");
        }
    }
}
