//! The texts of one request -> the same without the secrets of any of them.
//!
//! What is a secret in one text can stand in another without anything that says so: behind `--password` in a command
//! line, and alone as the first word that is no option.

use std::borrow::Cow;

use super::{ELLIPSIS, REDACTED, TEXT_BYTES_MAX, Text, beginning, cut, redacted, words};

/// What was taken out of the texts of a request so far.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Secrets {
    /// The longest first: one may be a part of another.
    found: Vec<String>,
    /// Whether there were more than are kept.
    has_more: bool,
}

/// How a text is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Written {
    Text,
    /// One value, with whatever is in it.
    Word,
    /// A line for a shell.
    Command,
}

impl Secrets {
    /// A text without the secrets that it shows itself, which are known from now on. One that is a known secret is no
    /// text at all.
    pub(crate) fn taken_out<'t>(&mut self, bytes: &'t [u8], written: Written) -> Cow<'t, str> {
        let text = beginning(bytes);
        if self.found.iter().any(|secret| secret.as_str() == text) {
            return REDACTED.into();
        }
        let kept = match written {
            Written::Text => redacted(&text, &mut |secret| self.add(secret)),
            Written::Word => words::redacted_word(&text, &mut |secret| self.add(secret)),
            Written::Command => words::redacted_line(&text, &mut |secret| self.add(secret)),
        };
        kept.map_or(text, Cow::Owned)
    }

    /// What may be stored of a text that was taken out, when all others were: nothing that is a secret in any of them.
    pub(crate) fn stored(&self, text: &str) -> Text {
        if self.has_more {
            return Text(REDACTED.to_owned());
        }
        let mut kept = Cow::Borrowed(text);
        for secret in self.found.iter().filter(|secret| secret.len() >= SECRET_BYTES_MIN) {
            // Words of a command are in quotes, and facts too.
            let word = secret.replace('\'', r"'\''");
            for form in [secret.clone(), in_quotes(secret), in_quotes(&word), word] {
                if kept.contains(&form) {
                    kept = kept.replace(&form, REDACTED).into();
                }
            }
        }
        Text(cut(kept.into_owned()))
    }

    fn add(&mut self, secret: &str) {
        if REDACTED.contains(secret) || self.found.iter().any(|known| known == secret) {
            return;
        }
        if self.found.len() == SECRETS_MAX {
            self.has_more = true;
            return;
        }
        let place = self.found.partition_point(|known| known.len() > secret.len());
        self.found.insert(place, secret.to_owned());
    }
}

/// What stands between the quotes of a fact.
fn in_quotes(text: &str) -> String {
    let quoted = format!("{text:?}");
    quoted.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(text).to_owned()
}

/// As much of a text as can be stored when secrets are still to be taken out of it. The last word may be a part of one.
pub(crate) fn storable(mut text: String) -> String {
    if text.len() > STORABLE_BYTES_MAX {
        text.truncate(text.floor_char_boundary(STORABLE_BYTES_MAX));
        text.truncate(text.rfind(char::is_whitespace).unwrap_or_default());
        text.push_str(ELLIPSIS);
    }
    text
}

/// Different secrets of a request that are looked for. Where there are more, no text of it is stored.
const SECRETS_MAX: usize = 64;
/// Bytes of a secret that is looked for inside of texts: shorter ones are in many words.
const SECRET_BYTES_MIN: usize = 4;
/// Bytes of a text that is kept until all secrets are known: some more than are stored, because what is taken out is
/// often longer than what stands for it.
const STORABLE_BYTES_MAX: usize = 2 * TEXT_BYTES_MAX;
