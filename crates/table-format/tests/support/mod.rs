//! Tables made by hand for tests, and the document that says how they look.
#![allow(dead_code, clippy::allow_attributes, reason = "each test binary uses its own part of this module")]

pub(crate) mod automata;
pub(crate) mod document;
pub(crate) mod draft;
pub(crate) mod files;
pub(crate) mod golden;
pub(crate) mod sketch;
pub(crate) mod spelled;

use table_format::{Digest, OpenError, Pin, Table};

/// The hash function that tables are named by.
pub(crate) fn blake3(parts: &[&[u8]]) -> Digest {
    let mut hasher = blake3::Hasher::new();
    for part in parts {
        hasher.update(part);
    }
    Digest(*hasher.finalize().as_bytes())
}

/// Opens bytes by the digest they carry, right or wrong: every check but that of the digest is made.
pub(crate) fn open_vouched(bytes: &[u8]) -> Result<Table<'_>, OpenError> {
    Table::open(bytes, Pin::Unpinned, |_| carried_digest(bytes))
}

/// The digest that a file says it has.
pub(crate) fn carried_digest(bytes: &[u8]) -> Digest {
    let place = document::header("digest");
    let field = bytes.get(place.at..).and_then(|rest| rest.first_chunk());
    Digest(field.copied().unwrap_or_default())
}

/// The bytes with the digest that belongs to them.
pub(crate) fn signed(mut bytes: Vec<u8>) -> Vec<u8> {
    let place = document::header("digest");
    let end = place.at + place.bytes;
    if bytes.len() >= end {
        bytes[place.at..end].fill(0);
        let digest = blake3(&[&bytes]);
        bytes[place.at..end].copy_from_slice(&digest.0);
    }
    bytes
}
