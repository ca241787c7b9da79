//! What a request says -> what may be stored of it: bounded, and without what looks like a secret.
//!
//! Found are secrets that say what they are: keys of a known form, private keys, what stands behind a name such as
//! `password`, in an authorization header or before the host of an address. A secret without any mark is not found,
//! unless another command of the same request has it with one and it looks like nothing else. In a command it goes as far
//! as the word that it is in.

mod ends;
mod find;
mod marks;
mod options;
mod secrets;
mod value;
mod words;

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use ends::Ends;
use enforce_core::limits::MAX_COMMAND_LEN;

pub use secrets::{Draft, Fixed, SECRETS_MAX, Secrets, Written};

use super::codec::{DecodeError, Field};

/// A text of a record, redacted: at most [`TEXT_BYTES_MAX`] bytes, or [`NAME_BYTES_MAX`] of what was acted on, or
/// [`LINE_BYTES_MAX`] of a line that is there as a whole.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Text(String);

impl Text {
    /// What may be stored of a text. Bytes that are not UTF-8 are written as `\x` and their digits.
    #[must_use]
    pub fn new(bytes: impl AsRef<[u8]>) -> Self {
        let (text, unread) = beginning(bytes.as_ref());
        let kept = redacted(&text, &mut |_| {}).unwrap_or_else(|| text.into_owned());
        Self(cut(if unread == 0 { kept } else { kept + ELLIPSIS }))
    }

    /// The same of a name: what the record is about, so that only keys of a known form are taken out, and nothing is
    /// left out of what a request can name.
    pub fn of_name(bytes: &[u8]) -> Self {
        let (name, unread) = beginning(bytes);
        let kept = redacted_keys(&name, &mut |_| {}).unwrap_or_else(|| name.into_owned());
        Self(Ends::of(and_unread(kept, unread)).within(NAME_BYTES_MAX).joined())
    }

    /// The same of the words that a program was started with, a NUL between them: a blank instead.
    pub fn of_words(words: &[u8]) -> Self {
        let (words, unread) = beginning(words);
        let kept = words::redacted_words(&words, &mut |_| {}).unwrap_or_else(|| words.replace('\0', " "));
        Self(cut(if unread == 0 { kept } else { kept + ELLIPSIS }))
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
/// Tells where each secret of a text is.
type Find<'f> = &'f mut dyn FnMut(&mut dyn FnMut(Range<usize>));

/// The text with [`REDACTED`] in the place of each secret; nothing, if there is none.
fn redacted(text: &str, remember: Remember<'_>) -> Option<String> {
    without_found(text, &mut |found| find::secrets(text, found), remember)
}

/// The same of what is a secret by its own form alone.
fn redacted_keys(text: &str, remember: Remember<'_>) -> Option<String> {
    without_found(text, &mut |found| find::keys(text, found), remember)
}

/// The same of all that looks as if a machine had made it up.
fn redacted_generated(text: &str) -> Option<String> {
    without_found(text, &mut |found| find::generated(text, found), &mut |_| {})
}

fn without_found(text: &str, find: Find<'_>, remember: Remember<'_>) -> Option<String> {
    let mut kept = String::new();
    let mut done = 0;
    find(&mut |secret| {
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

/// As much of a text as is looked at, and how many bytes are not.
fn beginning(bytes: &[u8]) -> (Cow<'_, str>, usize) {
    let read = bytes.get(..READ_BYTES_MAX).unwrap_or(bytes);
    let mut text = readable(read);
    let mut unread = bytes.len().saturating_sub(read.len());
    if unread > 0 {
        let whole = text.to_mut();
        // What the cut left of a secret may not look like one any more.
        let end = whole.rfind(|character: char| character.is_whitespace() || character == '\0').unwrap_or_default();
        unread = unread.saturating_add(whole.len().saturating_sub(end));
        whole.truncate(end);
    }
    (text, unread)
}

/// A text that was looked at, and what was not.
fn and_unread(text: String, unread: usize) -> String {
    if unread == 0 { text } else { text + &ends::said(unread) }
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
/// Bytes of a text that says what was acted on, or by: more than a path of a request has, however it is escaped.
pub const NAME_BYTES_MAX: usize = 64 << 10;
/// Bytes of a line that is on the record as a whole. Without its secrets a line can be longer than it was.
pub const LINE_BYTES_MAX: usize = 4 * MAX_COMMAND_LEN;
/// Bytes of a text that are looked at, where it is not on the record as a whole.
const READ_BYTES_MAX: usize = 16 << 10;
const ELLIPSIS: &str = "\u{2026}";

#[cfg(test)]
mod tests;
