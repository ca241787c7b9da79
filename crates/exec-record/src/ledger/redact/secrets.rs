//! The texts of one request -> the same without the secrets of any of them.
//!
//! What is a secret in one text can stand in another without anything that says so: behind `--password` in a command
//! line, and alone as the first word that is no option. What was acted on has to stay on the record all the same: a name
//! that somebody also gives as a password is still the name of what was deleted.

use std::borrow::Cow;
use std::collections::BTreeSet;

use super::ends::Ends;
use super::find::{GENERATED_BYTES_MIN, is_generated, is_of_generated};
use super::{
    LINE_BYTES_MAX, NAME_BYTES_MAX, REDACTED, TEXT_BYTES_MAX, Text, and_unread, beginning, readable, redacted,
    redacted_generated, redacted_keys, words,
};

/// What was taken out of the texts of a request so far.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Secrets {
    /// Of any command: those that are no names of anything, by the look of them. The longest first: one may be a part of
    /// another.
    found: Vec<String>,
    /// Whether there were more than are kept.
    has_more: bool,
    /// All that the last target shows.
    here: BTreeSet<String>,
    /// That target without them, if it is a command.
    line: Option<String>,
}

/// How a text is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Written {
    Text,
    /// One value, with whatever is in it.
    Word,
    /// A line for a shell.
    Command,
    /// What was acted on, or by: a path, a program. Only keys of a known form are taken out of it, since it is what the
    /// record is for.
    Name,
}

/// A text whose own secrets were taken out, until those of all others are known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Draft {
    ends: Ends,
    fixed: Fixed,
    /// Bytes of it that are stored.
    most: usize,
}

/// How much of a text stays, whatever others show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fixed {
    All,
    /// So many bytes of its beginning.
    First(usize),
}

impl Secrets {
    /// What is judged, without the secrets that it shows itself, which are known from now on.
    pub fn target(&mut self, bytes: &[u8], written: Written) -> Draft {
        (self.here, self.line) = (BTreeSet::new(), None);
        let kept = self.taken_out(bytes, written).into_owned();
        let is_command = written == Written::Command;
        let fixed = if is_command { Fixed::First(0) } else { Fixed::All };
        self.line = is_command.then(|| kept.clone());
        Draft::new(kept, fixed, written)
    }

    /// All of what is run, when all targets were taken out; nothing, if that is too much to be stored.
    pub fn whole(&mut self, bytes: &[u8], written: Written) -> Option<Text> {
        let text = self.without_own(readable(bytes), written);
        let kept = if written == Written::Command { self.without_others(&text) } else { text };
        (kept.len() <= LINE_BYTES_MAX).then(|| Text(kept.into_owned()))
    }

    /// A fact of the last target. What is a secret there stands in a fact without its mark.
    pub fn fact<'t>(&mut self, bytes: &'t [u8], written: Written) -> Cow<'t, str> {
        let kept = self.taken_out(bytes, written);
        match &self.line {
            _ if written != Written::Word => kept,
            // A word that also stands by itself is what the command is about.
            Some(line) if self.here.contains(&*kept) && !words::has_word(line, &kept) => REDACTED.into(),
            Some(_) if kept.contains(char::is_whitespace) => self.script(kept),
            Some(_) => kept,
            None => {
                let long = self.here.iter().filter(|secret| secret.len() >= GENERATED_BYTES_MIN);
                long.fold(kept, |kept, secret| without(kept, secret))
            }
        }
    }

    /// A word of the last target with blanks in it: a line of its own, for all that is known. The target has it too,
    /// so that nothing is lost where it is left out.
    fn script<'t>(&mut self, word: Cow<'t, str>) -> Cow<'t, str> {
        if self.here.len() > SECRETS_MAX {
            return REDACTED.into();
        }
        let kept = self.without_own(word, Written::Command);
        let mut parts: Vec<&String> = self.here.iter().filter(|secret| secret.len() >= PART_BYTES_MIN).collect();
        // One may be a part of another.
        parts.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
        parts.into_iter().fold(kept, |kept, secret| without(kept, secret))
    }

    /// What may be stored of a text, when all others were taken out: nothing that is a secret in any of them, unless it
    /// may be the name of what the text is about.
    pub fn stored(&self, draft: &Draft) -> Text {
        let Draft { ends, fixed, most } = draft;
        let ends = match fixed {
            Fixed::All => ends.clone(),
            Fixed::First(bytes) => {
                let (fixed, rest) = ends.head.split_at_checked(*bytes).unwrap_or((&ends.head, ""));
                let (rest, tail) = (self.without_others(rest), self.without_others(&ends.tail));
                ends.with(fixed.to_owned() + &rest, tail.into_owned())
            }
        };
        Text(ends.within(*most).joined())
    }

    fn without_others<'t>(&self, text: &'t str) -> Cow<'t, str> {
        match self.has_more {
            true => redacted_generated(text).map_or(Cow::Borrowed(text), Cow::Owned),
            false => self.found.iter().fold(Cow::Borrowed(text), |text, secret| without(text, secret)),
        }
    }

    /// Whether there are more than can be looked for. Of such a request nothing is stored that could be a secret, so
    /// that the record may not say what it is about.
    pub fn has_more(&self) -> bool {
        self.has_more
    }

    fn taken_out<'t>(&mut self, bytes: &'t [u8], written: Written) -> Cow<'t, str> {
        let (text, unread) = beginning(bytes);
        let kept = self.without_own(text, written);
        if unread == 0 { kept } else { and_unread(kept.into_owned(), unread).into() }
    }

    fn without_own<'t>(&mut self, text: Cow<'t, str>, written: Written) -> Cow<'t, str> {
        let is_command = written == Written::Command;
        let mut remember = |secret: &str| self.add(secret, is_command);
        let kept = match written {
            Written::Text => redacted(&text, &mut remember),
            Written::Word => words::redacted_word(&text, &mut remember),
            Written::Command => words::redacted_line(&text, &mut remember),
            Written::Name => redacted_keys(&text, &mut remember),
        };
        kept.map_or(text, Cow::Owned)
    }

    fn add(&mut self, secret: &str, is_of_command: bool) {
        if REDACTED.contains(secret) {
            return;
        }
        self.here.insert(secret.to_owned());
        if !is_of_command || !is_generated(secret.as_bytes()) || self.found.iter().any(|known| known == secret) {
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

impl Draft {
    /// As much of a text as can be stored when secrets are still to be taken out of it. What stands where it was cut may
    /// be a part of one.
    pub fn new(text: String, fixed: Fixed, written: Written) -> Self {
        let most = if written == Written::Name { NAME_BYTES_MAX } else { TEXT_BYTES_MAX };
        let ends = Ends::of(text).within(most.saturating_mul(DRAFT_PER_BYTE));
        let ends = match fixed {
            Fixed::All => ends,
            Fixed::First(_) => ends.without_parts(|part| u8::try_from(part).is_ok_and(is_of_generated)),
        };
        Self { ends, fixed, most }
    }

    /// Whether something is left out of what is stored of it.
    pub fn is_cut(&self) -> bool {
        // What stands for a secret of others is shorter than any of them.
        self.ends.is_cut() || self.ends.is_longer_than(self.most)
    }
}

fn without<'t>(text: Cow<'t, str>, secret: &str) -> Cow<'t, str> {
    if text.contains(secret) { text.replace(secret, REDACTED).into() } else { text }
}

/// Bytes of a secret that is looked for inside of words: what is shorter is a part of too many others.
const PART_BYTES_MIN: usize = 4;
/// Different secrets of a request that are looked for in all of its texts.
pub const SECRETS_MAX: usize = 256;
/// Bytes of a text that are kept until all secrets are known, for each that is stored: some more, because what is taken
/// out is often longer than what stands for it.
const DRAFT_PER_BYTE: usize = 2;
