//! Bytes -> text: UTF-8, looked at once.

use core::fmt;

/// Text of a request, in its place.
///
/// That it is UTF-8 has been checked. A `str` would say so too, but cannot be had from bytes without checking all of them
/// in the way of the standard library, and what judges a request needs the bytes alone.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub struct Text<'a> {
    bytes: &'a [u8],
}

impl<'a> Text<'a> {
    /// Nothing for bytes that are no UTF-8.
    pub(super) fn read(bytes: &'a [u8]) -> Option<Self> {
        (bytes.is_ascii() || core::str::from_utf8(bytes).is_ok()).then_some(Self { bytes })
    }

    /// The bytes.
    #[must_use]
    pub fn as_bytes(self) -> &'a [u8] {
        self.bytes
    }

    /// The same as a `str`.
    #[must_use]
    pub fn as_str(self) -> &'a str {
        core::str::from_utf8(self.bytes).unwrap_or_default()
    }
}

impl<'a> From<&'a str> for Text<'a> {
    fn from(text: &'a str) -> Self {
        Self { bytes: text.as_bytes() }
    }
}

impl PartialEq<str> for Text<'_> {
    fn eq(&self, other: &str) -> bool {
        self.bytes == other.as_bytes()
    }
}

impl fmt::Debug for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_str().fmt(f)
    }
}
