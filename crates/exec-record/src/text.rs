//! Texts of a request -> texts of a record: bounded, and without secrets.
//!
//! A secret that `--password` marks in a command line can stand in another text without any mark. Names of what was
//! acted on stay on the record all the same: a file that some command also gives as a password is still the file that
//! was deleted.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;

use aho_corasick::{AhoCorasick, MatchKind};
use enforce_core::limits::{MAX_COMMAND_LEN, MAX_PATH_LEN};

use crate::ledger::{DecodeError, Field};
use crate::redact::{REDACTED, find_keys, find_secrets, is_generated, redact, redact_word, replace};

/// A text of a record, redacted: at most [`TEXT_BYTES_MAX`] bytes, or [`NAME_BYTES_MAX`] of a name, or
/// [`LINE_BYTES_MAX`] of a command line in full.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Text(String);

/// The secrets that the commands of one request show, any of which may stand in its other texts.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Secrets {
    /// Secrets that look made up by a machine, and so name nothing.
    generated: BTreeSet<String>,
    /// The last target before and after redaction, if it shows a secret.
    target: Option<(String, String)>,
    is_command: bool,
}

/// The kind of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Written {
    Text,
    /// One value, which may contain anything.
    Word,
    /// A line for a shell.
    Command,
    /// A path or a program. Only keys with a form of their own are redacted, because names are what the record is for.
    Name,
}

/// A text without its own secrets, until those of all other texts are known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PendingText {
    text: String,
    unread_bytes: usize,
    fixed: Fixed,
    bytes_max: usize,
}

/// The part of a text that stays, whatever secrets other texts show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fixed {
    All,
    /// The first bytes.
    First(usize),
}

impl Text {
    /// Redacts a text. Bytes that are not UTF-8 are written as `\x` and two digits.
    #[must_use]
    pub fn new(bytes: impl AsRef<[u8]>) -> Self {
        let (text, unread_bytes) = scan_prefix(bytes.as_ref());
        Self(shortened(redact(&text).into_owned(), unread_bytes, TEXT_BYTES_MAX))
    }

    /// Redacts keys in the name of what a record is about. No name that a request can give is shortened.
    pub fn of_name(bytes: &[u8]) -> Self {
        let (name, unread_bytes) = scan_prefix(bytes);
        Self(shortened(replace(&name, &find_keys(&name)).into_owned(), unread_bytes, NAME_BYTES_MAX))
    }

    /// Redacts the arguments of a process, separated by NUL, and quotes them as for a shell.
    pub fn of_words(words: &[u8]) -> Self {
        let words: Vec<String> = words.split(|byte| *byte == 0).map(|word| shell_word(&readable(word))).collect();
        Self::new(words.join(" "))
    }

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

/// Texts of a record were redacted when it was written.
impl Field for Text {
    fn write(&self, bytes: &mut Vec<u8>) {
        self.0.write(bytes);
    }

    fn read(bytes: &mut &[u8]) -> Result<Self, DecodeError> {
        String::read(bytes).map(Self)
    }
}

impl Secrets {
    /// Redacts a target and remembers its secrets.
    pub fn target(&mut self, bytes: &[u8], written: Written) -> PendingText {
        self.is_command = written == Written::Command;
        self.target = None;
        let (text, unread_bytes) = scan_prefix(bytes);
        let found = match written {
            Written::Name => find_keys(&text),
            Written::Text | Written::Word | Written::Command => find_secrets(&text),
        };
        if self.is_command {
            let secrets = found.iter().filter_map(|secret| text.get(secret.clone()));
            self.generated.extend(secrets.filter(|secret| is_generated(secret)).map(str::to_owned));
        }
        let kept = replace(&text, &found).into_owned();
        if !found.is_empty() {
            self.target = Some((text.into_owned(), kept.clone()));
        }
        let fixed = if self.is_command { Fixed::First(0) } else { Fixed::All };
        PendingText { unread_bytes, ..PendingText::new(kept, fixed, written) }
    }

    /// Redacts a fact of the last target, whose secrets stand in facts without their marks.
    pub fn fact<'t>(&self, bytes: &'t [u8], written: Written) -> Cow<'t, str> {
        let (text, unread_bytes) = scan_prefix(bytes);
        let kept = match (written, &self.target) {
            (Written::Name, _) => owned(replace(&text, &find_keys(&text))),
            // A word that also stands by itself is what the target is about.
            (Written::Word, Some((whole, kept)))
                if (self.is_command || whole.contains(&*text)) && !has_word(kept, &text) =>
            {
                Some(owned(redact_word(&text)).unwrap_or_else(|| REDACTED.to_owned()))
            }
            (Written::Word, _) => owned(redact_word(&text)),
            (Written::Text | Written::Command, _) => owned(redact(&text)),
        };
        let kept = kept.map_or(text, Cow::Owned);
        if unread_bytes == 0 { kept } else { (kept.into_owned() + &left_out(unread_bytes)).into() }
    }

    /// Redacts a command line in full, after all targets; `None` if it is too long to record.
    pub fn whole(&self, bytes: &[u8], written: Written) -> Option<Text> {
        let text = readable(bytes);
        let kept = if written == Written::Command { self.without_generated(&redact(&text)) } else { text.into_owned() };
        (kept.len() <= LINE_BYTES_MAX).then_some(Text(kept))
    }

    /// Redacts the secrets of all other texts of the request and shortens the result.
    pub fn stored(&self, draft: &PendingText) -> Text {
        let text = match draft.fixed {
            Fixed::All => draft.text.clone(),
            Fixed::First(bytes) => {
                let (fixed, rest) = draft.text.split_at_checked(bytes).unwrap_or((&draft.text, ""));
                fixed.to_owned() + &self.without_generated(rest)
            }
        };
        Text(shortened(text, draft.unread_bytes, draft.bytes_max))
    }

    fn without_generated(&self, text: &str) -> String {
        if self.generated.is_empty() {
            return text.to_owned();
        }
        // One may be a part of another.
        let finder = AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(&self.generated);
        finder.map_or_else(
            |_| REDACTED.to_owned(),
            |finder| finder.replace_all(text, &vec![REDACTED; self.generated.len()]),
        )
    }
}

impl PendingText {
    pub fn new(text: String, fixed: Fixed, written: Written) -> Self {
        let bytes_max = if written == Written::Name { NAME_BYTES_MAX } else { TEXT_BYTES_MAX };
        Self { text, unread_bytes: 0, fixed, bytes_max }
    }

    /// True if the stored text is shortened.
    pub fn is_cut(&self) -> bool {
        self.unread_bytes > 0 || self.text.len() > self.bytes_max
    }
}

fn owned(text: Cow<'_, str>) -> Option<String> {
    match text {
        Cow::Borrowed(_) => None,
        Cow::Owned(text) => Some(text),
    }
}

/// True if a line contains the word by itself.
fn has_word(line: &str, word: &str) -> bool {
    let is_between = |character: char| character.is_whitespace() || "'\"`;&|<>()".contains(character);
    if word.contains(is_between) { line.contains(word) } else { line.split(is_between).any(|known| known == word) }
}

/// Returns the text that is scanned, and the number of bytes after it.
fn scan_prefix(bytes: &[u8]) -> (Cow<'_, str>, usize) {
    let read = bytes.get(..SCAN_BYTES_MAX).unwrap_or(bytes);
    let mut text = readable(read);
    let mut unread_bytes = bytes.len().saturating_sub(read.len());
    if unread_bytes > 0 {
        // The rest of a secret that is cut may not look like one.
        let end = text.rfind(char::is_whitespace).unwrap_or_default();
        unread_bytes = unread_bytes.saturating_add(text.len().saturating_sub(end));
        text.to_mut().truncate(end);
    }
    (text, unread_bytes)
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

fn shell_word(word: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_@%+=:,./[]".contains(&byte) || !byte.is_ascii();
    if word.bytes().all(is_plain) { word.to_owned() } else { format!("'{}'", word.replace('\'', r"'\''")) }
}

/// Keeps both ends of a long text and says how much is left out between them, so that no padding hides either end.
fn shortened(text: String, unread_bytes: usize, bytes_max: usize) -> String {
    if unread_bytes > 0 {
        let head =
            text.get(..text.floor_char_boundary(bytes_max.saturating_sub(LEFT_OUT_BYTES_MAX))).unwrap_or_default();
        return head.to_owned() + &left_out(unread_bytes.saturating_add(text.len().saturating_sub(head.len())));
    }
    if text.len() <= bytes_max {
        return text;
    }
    let half = bytes_max.saturating_sub(LEFT_OUT_BYTES_MAX) / 2;
    let (start, end) = (text.floor_char_boundary(half), text.ceil_char_boundary(text.len().saturating_sub(half)));
    let (head, tail) = (text.get(..start).unwrap_or_default(), text.get(end..).unwrap_or_default());
    format!("{head}{}{ELLIPSIS}{tail}", left_out(end.saturating_sub(start)))
}

fn left_out(bytes: usize) -> String {
    format!("{ELLIPSIS}({bytes} bytes left out)")
}

pub const TEXT_BYTES_MAX: usize = 1_024;
/// Longer than any escaped path of a request.
pub const NAME_BYTES_MAX: usize = 64 << 10;
/// Bytes of a command line in full. Redaction can make a line longer.
pub const LINE_BYTES_MAX: usize = 4 * MAX_COMMAND_LEN;
/// Scanned bytes of a text that is not recorded in full; no path of a request is longer.
const SCAN_BYTES_MAX: usize = 4 * MAX_PATH_LEN;
/// Longer than any text between both ends.
const LEFT_OUT_BYTES_MAX: usize = 48;
const ELLIPSIS: &str = "\u{2026}";

#[cfg(test)]
mod tests;
