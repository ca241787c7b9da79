//! The caller's buffer, handed out piece by piece.

use super::outcome::Refusal;
use crate::path::{BufferTooSmall, Contained};
use crate::shell::{Command, Word};

/// What is left of the buffer.
pub(super) struct Scratch<'s> {
    rest: &'s mut [u8],
    /// How much of it is handed out.
    used: usize,
}

impl<'s> Scratch<'s> {
    pub(super) fn new(buffer: &'s mut [u8]) -> Self {
        Self { rest: buffer, used: 0 }
    }

    /// A path as rules see it, in its own place if it is written like that.
    pub(super) fn path<'p: 's, 'e>(&mut self, path: &Contained<'p>) -> Result<&'s [u8], Refusal<'e>> {
        if let Some(plain) = path.plain() {
            return Ok(plain);
        }
        let mut needed = 0;
        let written = self.write(|buffer| match path.write(buffer) {
            Ok(written) => Some(written.len()),
            Err(BufferTooSmall { needed: more }) => {
                needed = more;
                None
            }
        });
        written.ok_or(self.too_small(needed))
    }

    /// What a word says.
    pub(super) fn word<'w: 's, 'e>(&mut self, word: &Word<'w>) -> Result<&'s [u8], Refusal<'e>> {
        if let Some(plain) = word.plain() {
            return Ok(plain);
        }
        let needed = word.len();
        self.write(|buffer| word.write(buffer).map(<[u8]>::len)).ok_or(self.too_small(needed))
    }

    /// A command in its one form.
    pub(super) fn command<'e>(&mut self, command: &Command<'_>) -> Result<&'s [u8], Refusal<'e>> {
        let needed = command.written_max();
        self.write(|buffer| command.write(buffer).map(<[u8]>::len)).ok_or(self.too_small(needed))
    }

    /// Text in lower case.
    pub(super) fn folded<'t: 's, 'e>(&mut self, text: &'t [u8]) -> Result<&'s [u8], Refusal<'e>> {
        if !text.iter().any(u8::is_ascii_uppercase) {
            return Ok(text);
        }
        let needed = text.len();
        self.write(|buffer| crate::net::fold(text, buffer).map(<[u8]>::len)).ok_or(self.too_small(needed))
    }

    /// Texts, one after the other.
    pub(super) fn joined<'e>(&mut self, texts: [&str; 3]) -> Result<&'s [u8], Refusal<'e>> {
        let needed = texts.iter().map(|text| text.len()).fold(0, usize::saturating_add);
        let join = |buffer: &mut [u8]| {
            let mut rest = buffer;
            for text in texts {
                let (place, after) = rest.split_at_mut_checked(text.len())?;
                place.iter_mut().zip(text.bytes()).for_each(|(place, byte)| *place = byte);
                rest = after;
            }
            Some(needed)
        };
        self.write(join).ok_or(self.too_small(needed))
    }

    /// What is left.
    pub(super) fn rest(self) -> &'s mut [u8] {
        self.rest
    }

    fn too_small<'e>(&self, needed: usize) -> Refusal<'e> {
        Refusal::HostBufferTooSmall { needed: self.used.saturating_add(needed) }
    }

    /// Hands out what was written, and keeps the rest.
    fn write(&mut self, write: impl FnOnce(&mut [u8]) -> Option<usize>) -> Option<&'s [u8]> {
        let len = write(self.rest)?;
        let (written, rest) = core::mem::take(&mut self.rest).split_at_mut_checked(len)?;
        self.rest = rest;
        self.used = self.used.saturating_add(len);
        Some(written)
    }
}
