//! Diff text -> its lines, one at a time with their numbers, and the names that are written in them.

use enforce_core::limits::MAX_EDIT_SIZE;

use super::PatchError;

/// What is left of a diff.
pub(super) struct Lines<'d> {
    rest: &'d [u8],
    pub(super) number: usize,
}

impl<'d> Lines<'d> {
    pub(super) fn of(diff: &'d [u8]) -> Result<Self, PatchError> {
        if diff.len() > MAX_EDIT_SIZE {
            return Err(PatchError::TooLong { bytes: diff.len() });
        }
        Ok(Self { rest: diff, number: 1 })
    }

    pub(super) fn is_over(&self) -> bool {
        self.rest.is_empty()
    }

    /// The line without its end.
    pub(super) fn whole(&self) -> &'d [u8] {
        let end = memchr::memchr(b'\n', self.rest).unwrap_or(self.rest.len());
        self.rest.get(..end).unwrap_or_default()
    }

    /// The line without its end or a carriage return, as heads are read.
    pub(super) fn peek(&self) -> &'d [u8] {
        let line = self.whole();
        line.strip_suffix(b"\r").unwrap_or(line)
    }

    pub(super) fn next(&mut self) {
        let end = memchr::memchr(b'\n', self.rest).map_or(self.rest.len(), |end| end + 1);
        self.rest = self.rest.get(end..).unwrap_or_default();
        self.number += 1;
    }

    /// Goes to the next line with something in it; whether there is one.
    pub(super) fn skip_blank(&mut self) -> bool {
        while !self.is_over() && self.peek().is_empty() {
            self.next();
        }
        !self.is_over()
    }

    pub(super) fn wrong(&self, expected: &'static str) -> PatchError {
        PatchError::Line { line: self.number, expected }
    }

    pub(super) fn unsupported(&self, what: &'static str) -> PatchError {
        PatchError::Unsupported { line: self.number, what }
    }

    /// The name of `--- ` or `+++ `, which a date may follow; nothing for `/dev/null`.
    pub(super) fn name(&self, text: &[u8]) -> Result<Option<Vec<u8>>, PatchError> {
        let text = match text.first() {
            Some(b'"') => text,
            _ => text.split(|byte| *byte == b'\t').next().unwrap_or_default(),
        };
        if text == b"/dev/null" { Ok(None) } else { self.plain_name(text).map(Some) }
    }

    /// A name, in quotes where git puts them.
    pub(super) fn plain_name(&self, text: &[u8]) -> Result<Vec<u8>, PatchError> {
        if text.first() != Some(&b'"') {
            return Ok(text.to_vec());
        }
        match unquoted(text) {
            Some((name, rest)) if matches!(rest.first(), None | Some(b'\t')) => Ok(name),
            _ => Err(PatchError::Path { line: self.number }),
        }
    }
}

/// A name in double quotes as git writes it, and what follows it.
pub(super) fn unquoted(text: &[u8]) -> Option<(Vec<u8>, &[u8])> {
    let mut rest = text.strip_prefix(b"\"")?;
    let mut name = Vec::new();
    loop {
        let (byte, after) = rest.split_first()?;
        rest = after;
        match byte {
            b'"' => return Some((name, rest)),
            b'\\' => {
                let (escaped, after) = escape(rest)?;
                name.push(escaped);
                rest = after;
            }
            byte => name.push(*byte),
        }
    }
}

fn escape(text: &[u8]) -> Option<(u8, &[u8])> {
    let (byte, rest) = text.split_first()?;
    let plain = match byte {
        b'a' => 7,
        b'b' => 8,
        b't' => b'\t',
        b'n' => b'\n',
        b'v' => 11,
        b'f' => 12,
        b'r' => b'\r',
        b'"' | b'\\' => *byte,
        b'0'..=b'3' => {
            let digits = text.get(..3)?;
            let digits = str::from_utf8(digits).ok()?;
            return Some((u8::from_str_radix(digits, 8).ok()?, text.get(3..)?));
        }
        _ => return None,
    };
    Some((plain, rest))
}
