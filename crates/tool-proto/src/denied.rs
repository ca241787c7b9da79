//! A refusal of the core -> the response to its sender.
//!
//! The sentence quotes the request, and ends up in logs and terminals. So quoted text cannot end its quotes or its line, and
//! its length is limited.

use std::fmt::Write as _;

use enforce_core::judge::{Piece, Refusal, Refused};

use crate::escaped::{Escaped, Plain, is_printable, unescaped};
use crate::proto::{ToolDenied, ToolResponse, ValidationError, tool_response};
use crate::validate::first_of;

impl From<&Refusal<'_>> for ToolDenied {
    fn from(refusal: &Refusal<'_>) -> Self {
        Self {
            rule_id: refusal.rule_id().to_owned(),
            rationale_code: refusal.code().to_owned(),
            message: sentence(refusal),
        }
    }
}

impl From<&Refused<'_>> for ToolResponse {
    fn from(refused: &Refused<'_>) -> Self {
        let denied = ToolDenied::from(&refused.refusal);
        Self { request_id: refused.request_id.as_str().to_owned(), result: Some(tool_response::Result::Denied(denied)) }
    }
}

/// Returns the sentence of a refusal: one line of at most [`MESSAGE_BYTES_MAX`] bytes.
fn sentence(refusal: &Refusal<'_>) -> String {
    // The core names the rule. The limit and the value are added here: words and numbers alone.
    if let Refusal::SenderInvalid { first, count } = refusal {
        return first_of(ValidationError::from(*first).message, *count);
    }
    let mut sentence = Sentence { text: String::with_capacity(MESSAGE_BYTES_USUAL), is_over: false };
    refusal.say(&mut |piece| sentence.put(piece));
    sentence.text
}

struct Sentence {
    text: String,
    /// True after the sentence was cut.
    is_over: bool,
}

impl Sentence {
    fn put(&mut self, piece: Piece<'_>) {
        if self.is_over {
            return;
        }
        match piece {
            Piece::Words(words) => self.words(words),
            Piece::Number(number) => self.words(&number.to_string()),
            Piece::Quoted(bytes) => self.quoted(bytes),
        }
    }

    fn words(&mut self, words: &str) {
        let room = MESSAGE_KEPT_MAX.saturating_sub(self.text.len());
        // Nearly all words fit and need no escape.
        if words.len() <= room && is_printable(words) {
            self.text.push_str(words);
            return;
        }
        let characters = words.chars().map(|character| Plain(character.encode_utf8(&mut [0; 4])).to_string());
        self.is_over = !cut(&mut self.text, characters, room);
    }

    /// Adds quoted text; the quotes are closed even where the text is cut.
    fn quoted(&mut self, bytes: &[u8]) {
        let room = MESSAGE_KEPT_MAX.saturating_sub(self.text.len());
        let Some(most) = room.checked_sub(QUOTES_BYTES + ELLIPSIS.len()) else {
            self.text.push_str(ELLIPSIS);
            self.is_over = true;
            return;
        };
        let most = most.min(QUOTED_BYTES_MAX - ELLIPSIS.len());
        self.text.push('`');
        match unescaped(bytes).filter(|text| text.len() <= most) {
            Some(text) => self.text.push_str(text),
            None => {
                cut(&mut self.text, shown(bytes), most);
            }
        }
        self.text.push('`');
    }
}

/// Adds characters up to a length, and an ellipsis when some are left. Returns true when none are.
fn cut(text: &mut String, characters: impl Iterator<Item = String>, most: usize) -> bool {
    let end = text.len() + most;
    for character in characters {
        if text.len() + character.len() > end {
            text.push_str(ELLIPSIS);
            return false;
        }
        text.push_str(&character);
    }
    true
}

/// Escapes each character, and each byte that is not part of one.
fn shown(bytes: &[u8]) -> impl Iterator<Item = String> {
    bytes.utf8_chunks().flat_map(|chunk| {
        let valid = chunk.valid().chars().map(|character| Escaped(character.encode_utf8(&mut [0; 4])).to_string());
        let invalid = chunk.invalid().iter().map(|byte| {
            let mut number = String::new();
            // Writing to a `String` cannot fail.
            let _ = write!(number, "\\x{byte:02x}");
            number
        });
        valid.chain(invalid)
    })
}

const MESSAGE_BYTES_USUAL: usize = 256;
/// The size limit of a message to the sender.
pub const MESSAGE_BYTES_MAX: usize = 2_048;
/// The size limit of one quotation in a message, with the ellipsis of one that is cut.
pub const QUOTED_BYTES_MAX: usize = 256;
/// Leaves room for an ellipsis.
const MESSAGE_KEPT_MAX: usize = MESSAGE_BYTES_MAX - ELLIPSIS.len();
const QUOTES_BYTES: usize = 2;
const ELLIPSIS: &str = "…";

#[cfg(test)]
mod tests;
