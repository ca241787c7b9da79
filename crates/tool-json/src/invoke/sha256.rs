//! A SHA-256 as results show it: in full.

use std::fmt;

use enforce_core::limits::HASH_SIZE;
use serde::{Deserialize, Serialize};

use crate::hex;

/// A SHA-256. Its text is 64 hexadecimal digits in lower case, and no other text is one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Sha256([u8; HASH_SIZE]);

impl Sha256 {
    /// From the bytes of the hash.
    #[must_use]
    pub fn new(hash: [u8; HASH_SIZE]) -> Self {
        Self(hash)
    }

    /// From its text.
    #[must_use]
    pub fn read(digits: &str) -> Option<Self> {
        hex::read(digits).map(Self)
    }

    /// The bytes of the hash.
    #[must_use]
    pub fn bytes(&self) -> &[u8; HASH_SIZE] {
        &self.0
    }
}

impl fmt::Display for Sha256 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex::write(&self.0))
    }
}

impl TryFrom<String> for Sha256 {
    type Error = &'static str;

    fn try_from(digits: String) -> Result<Self, Self::Error> {
        Self::read(&digits).ok_or("not 64 hexadecimal digits in lower case")
    }
}

impl From<Sha256> for String {
    fn from(hash: Sha256) -> Self {
        hash.to_string()
    }
}
