//! What a request says -> what may be stored of it: bounded, and without what looks like a secret.
//!
//! Found are secrets that say what they are: keys of a known form, private keys, what stands behind a name such as
//! `password`, in an authorization header or before the host of an address. A secret without any mark is not found,
//! unless another text of the same request has it with one. In a command it goes as far as the word that it is in.

mod find;
mod marks;
mod secrets;
mod value;
mod words;

use std::borrow::Cow;
use std::fmt;

pub(crate) use secrets::{Secrets, Written, storable};

use super::codec::{DecodeError, Field};

/// A text of a record: at most [`TEXT_BYTES_MAX`] bytes, and redacted.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Text(String);

impl Text {
    /// What may be stored of a text. Bytes that are not UTF-8 are written as `\x` and their digits.
    #[must_use]
    pub fn new(bytes: impl AsRef<[u8]>) -> Self {
        let text = beginning(bytes.as_ref());
        let kept = redacted(&text, &mut |_| {});
        Self(cut(kept.unwrap_or_else(|| text.into_owned())))
    }

    /// The same of the words that a program was started with, a NUL between them: a blank instead.
    pub(crate) fn of_words(words: &[u8]) -> Self {
        let words = beginning(words);
        Self(cut(words::redacted_words(&words, &mut |_| {}).unwrap_or_else(|| words.replace('\0', " "))))
    }

    /// As text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<&str> for Text {
    fn from(text: &str) -> Self {
        Self::new(text)
    }
}

impl fmt::Debug for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// What a record says was redacted when it was written.
impl Field for Text {
    fn write(&self, bytes: &mut Vec<u8>) {
        self.0.write(bytes);
    }

    fn read(bytes: &mut &[u8]) -> Result<Self, DecodeError> {
        String::read(bytes).map(Self)
    }
}

/// Is told every secret.
type Remember<'r> = &'r mut dyn FnMut(&str);

/// The text with [`REDACTED`] in the place of each secret; nothing, if there is none.
fn redacted(text: &str, remember: Remember<'_>) -> Option<String> {
    let mut kept = String::new();
    let mut done = 0;
    find::secrets(text, &mut |secret| {
        kept.push_str(text.get(done..secret.start).unwrap_or_default());
        kept.push_str(REDACTED);
        done = secret.end;
        remember(text.get(secret).unwrap_or_default());
    });
    if done == 0 {
        return None;
    }
    kept.push_str(text.get(done..).unwrap_or_default());
    Some(kept)
}

/// As much of a text as is looked at.
fn beginning(bytes: &[u8]) -> Cow<'_, str> {
    let read = bytes.get(..READ_BYTES_MAX).unwrap_or(bytes);
    let mut text = readable(read);
    if read.len() < bytes.len() {
        let whole = text.to_mut();
        // What the cut left of a secret may not look like one any more.
        let end = whole.rfind(|character: char| character.is_whitespace() || character == '\0').unwrap_or_default();
        whole.truncate(end);
        whole.push_str(ELLIPSIS);
    }
    text
}

fn readable(bytes: &[u8]) -> Cow<'_, str> {
    if let Ok(text) = str::from_utf8(bytes) {
        return text.into();
    }
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        for byte in chunk.invalid() {
            text.push_str(&format!("\\x{byte:02x}"));
        }
    }
    text.into()
}

fn cut(mut text: String) -> String {
    if text.len() > TEXT_BYTES_MAX {
        text.truncate(text.floor_char_boundary(TEXT_BYTES_MAX - ELLIPSIS.len()));
        text.push_str(ELLIPSIS);
    }
    text
}

/// What stands for a secret.
pub const REDACTED: &str = "[redacted]";
/// Bytes of a text of a record.
pub const TEXT_BYTES_MAX: usize = 1_024;
/// Bytes of a text that are looked at, of which the first are stored.
const READ_BYTES_MAX: usize = 16 << 10;
const ELLIPSIS: &str = "\u{2026}";

#[cfg(test)]
mod tests;
