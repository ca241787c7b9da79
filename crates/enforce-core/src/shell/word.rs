//! A word of a line: as it is written, and what it says.

/// A word, as it is written. Two words are equal when they say the same.
#[derive(Debug, Clone, Copy)]
pub struct Word<'a> {
    raw: &'a [u8],
}

impl<'a> Word<'a> {
    /// Only a lexer knows where words end.
    pub(super) fn new(raw: &'a [u8]) -> Self {
        Self { raw }
    }

    /// The same without quotes, when it has none: most words can be used where they are.
    #[must_use]
    pub fn plain(&self) -> Option<&'a [u8]> {
        let is_quote = |byte: &u8| matches!(byte, b'\\' | b'\'' | b'"');
        (!self.raw.iter().any(is_quote)).then_some(self.raw)
    }

    /// How many bytes it has, with its quotes.
    pub(crate) fn len(&self) -> usize {
        self.raw.len()
    }

    /// What it says, byte by byte.
    pub fn bytes(&self) -> impl Iterator<Item = u8> + use<'a> {
        // Who goes through all of them at once, goes through one loop.
        Steps { rest: self.raw, quote: None }.filter_map(|step| match step {
            Step::Says(byte) => Some(byte),
            Step::SaysNothing => None,
        })
    }

    /// Writes what it says. `None` when the buffer is too small; as many bytes as the word has always suffice.
    #[must_use]
    pub fn write<'b>(&self, buffer: &'b mut [u8]) -> Option<&'b [u8]> {
        let mut len: usize = 0;
        self.bytes().try_for_each(|byte| {
            *buffer.get_mut(len)? = byte;
            len = len.checked_add(1)?;
            Some(())
        })?;
        buffer.get(..len)
    }

    /// Says it as one shell would have to write it, in one way only.
    pub(super) fn quoted(&self, put: &mut impl FnMut(u8) -> Option<()>) -> Option<()> {
        let is_plain = |byte: u8| {
            byte.is_ascii_alphanumeric()
                || matches!(byte, b'_' | b'@' | b'%' | b'+' | b'=' | b':' | b',' | b'.' | b'/' | b'-')
        };
        let (mut is_empty, mut is_all_plain) = (true, true);
        self.bytes().for_each(|byte| {
            is_empty = false;
            is_all_plain &= is_plain(byte);
        });
        let has_quotes = is_empty || !is_all_plain;
        if has_quotes {
            put(b'\'')?;
        }
        // A quote is not plain, so that it stands between others.
        self.bytes().try_for_each(|byte| match byte {
            b'\'' => b"'\\''".iter().try_for_each(|byte| put(*byte)),
            _ => put(byte),
        })?;
        if has_quotes { put(b'\'') } else { Some(()) }
    }
}

impl PartialEq for Word<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.bytes().eq(other.bytes())
    }
}

impl Eq for Word<'_> {}

impl PartialEq<[u8]> for Word<'_> {
    fn eq(&self, other: &[u8]) -> bool {
        self.bytes().eq(other.iter().copied())
    }
}

/// Takes quotes away, in steps of a byte or two.
struct Steps<'a> {
    rest: &'a [u8],
    quote: Option<Quote>,
}

enum Step {
    Says(u8),
    /// A quote, or a line that goes on.
    SaysNothing,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Quote {
    Single,
    Double,
}

impl Iterator for Steps<'_> {
    type Item = Step;

    fn next(&mut self) -> Option<Step> {
        let (first, after) = self.rest.split_first()?;
        self.rest = after;
        match (self.quote, *first) {
            (None, b'\'') => self.quote = Some(Quote::Single),
            (None, b'"') => self.quote = Some(Quote::Double),
            (Some(Quote::Single), b'\'') | (Some(Quote::Double), b'"') => self.quote = None,
            (None | Some(Quote::Double), b'\\') => {
                let (escaped, after) = after.split_first()?;
                match (self.quote, *escaped) {
                    (_, b'\n') => self.rest = after,
                    (None, byte) | (Some(Quote::Double), byte @ (b'$' | b'`' | b'"' | b'\\')) => {
                        self.rest = after;
                        return Some(Step::Says(byte));
                    }
                    // Before other bytes a backslash between double quotes is one.
                    (Some(_), _) => return Some(Step::Says(b'\\')),
                }
            }
            (_, byte) => return Some(Step::Says(byte)),
        }
        Some(Step::SaysNothing)
    }
}

#[cfg(test)]
mod tests {
    use std::vec;

    use super::*;

    #[test]
    fn a_word_without_quotes_is_used_where_it_is_and_what_others_say_is_written() {
        for (raw, said) in
            [("abc", "abc"), ("a\\ b", "a b"), ("'a b'", "a b"), ("\"a\"b", "ab"), ("\"\\x\"", "\\x"), ("''", "")]
        {
            let (word, raw, said) = (Word::new(raw.as_bytes()), raw.as_bytes(), said.as_bytes());
            assert_eq!(word.plain(), (raw == said).then_some(raw));
            let mut buffer = vec![b'x'; word.len()];
            assert_eq!((word.len(), word.write(&mut buffer)), (raw.len(), Some(said)));
            if let Some(short) = said.len().checked_sub(1) {
                assert_eq!(word.write(&mut buffer[..short]), None);
            }
        }
    }

    #[test]
    fn words_are_equal_when_they_say_the_same() {
        let word = Word::new(b"a'b'");
        assert_eq!(word, Word::new(b"\"ab\""));
        assert!(word == b"ab"[..] && word != b"a'b'"[..] && word != b"a"[..]);
        for other in [&b"a"[..], b"b", b"'a''c'", b"abc", b"'a\"b\"'"] {
            assert_ne!(word, Word::new(other));
        }
    }
}
