//! Bytes -> words and operators, one after another.

use super::word::Word;
use super::{Complex, Invalid, Join, ShellError};

/// Where a line has been read to. It goes on by a byte at least with every token.
#[derive(Debug, Clone)]
pub(super) struct Lexer<'a> {
    text: &'a [u8],
    at: usize,
}

/// A piece of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Token<'a> {
    Word(Word<'a>),
    Join(Join),
    LineEnd,
}

impl<'a> Lexer<'a> {
    pub(super) fn new(text: &'a [u8]) -> Self {
        Self { text, at: 0 }
    }

    pub(super) fn text(&self) -> &'a [u8] {
        self.text
    }

    pub(super) fn at(&self) -> usize {
        self.at
    }

    /// The next token and where it starts; none at the end.
    pub(super) fn next(&mut self) -> Result<Option<(Token<'a>, usize)>, ShellError> {
        loop {
            match (self.peek(0), self.peek(1)) {
                (Some(b' ' | b'\t'), _) => self.skip(1),
                (Some(b'\\'), Some(b'\n')) => self.skip(2),
                _ => break,
            }
        }
        let at = self.at;
        let complex = |reason| Err(ShellError::Complex { reason, at });
        let (token, len) = match (self.peek(0), self.peek(1)) {
            (None, _) => return Ok(None),
            (Some(b'\n'), _) => (Token::LineEnd, 1),
            (Some(b';'), _) => (Token::Join(Join::Then), 1),
            (Some(b'&'), Some(b'&')) => (Token::Join(Join::And), 2),
            (Some(b'&'), _) => return complex(Complex::Background),
            (Some(b'|'), Some(b'|')) => (Token::Join(Join::Or), 2),
            // A pipe is fine; what follows it is not.
            (Some(b'|'), Some(b'&')) => {
                return Err(ShellError::Complex { reason: Complex::PipeOfBoth, at: at.saturating_add(1) });
            }
            (Some(b'|'), _) => (Token::Join(Join::Pipe), 1),
            (Some(b'<' | b'>'), _) => return complex(Complex::Redirection),
            (Some(b'(' | b')'), _) => return complex(Complex::Subshell),
            (Some(b'#'), _) => return complex(Complex::Comment),
            (Some(_), _) => {
                self.word()?;
                let raw = self.text.get(at..self.at).unwrap_or_default();
                return Ok(Some((Token::Word(Word::new(raw)), at)));
            }
        };
        self.skip(len);
        Ok(Some((token, at)))
    }

    /// Goes to the end of a word. Quotes are a state and not loops of their own, each of which a model checker would
    /// follow from every byte.
    fn word(&mut self) -> Result<(), ShellError> {
        // Without quotes; a line end behind a backslash is not there for any shell.
        let mut last: Option<u8> = None;
        let mut has_brace = false;
        // Which quote is open, and since where.
        let mut open: Option<(u8, usize)> = None;
        while let Some(byte) = self.peek(0) {
            let complex = |reason| Err(ShellError::Complex { reason, at: self.at });
            let len = match (open, byte, self.peek(1)) {
                (Some((quote, _)), _, _) if byte == quote => {
                    open = None;
                    1
                }
                (Some((b'\'', _)), _, _) => 1,
                (_, b'$', _) => return complex(Complex::Expansion),
                (_, b'`', _) => return complex(Complex::Substitution),
                (Some(_), b'\\', Some(_)) => 2,
                (Some(_), _, _) => 1,
                (None, b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b'<' | b'>' | b'(' | b')', _) => break,
                (None, b'\\', Some(b'\n')) => {
                    self.skip(2);
                    continue;
                }
                (None, b'\\', None) => {
                    return Err(ShellError::Invalid { reason: Invalid::LoneBackslash, at: self.at });
                }
                (None, b'*' | b'?' | b'[', _) => return complex(Complex::Glob),
                // Bash looks for a home folder there.
                (None, b'~', _) if matches!(last, None | Some(b'=' | b':')) => return complex(Complex::Tilde),
                (None, b',', _) if has_brace => return complex(Complex::Braces),
                (None, b'.', _) if has_brace && last == Some(b'.') => return complex(Complex::Braces),
                (None, b'\'' | b'"', _) => {
                    open = Some((byte, self.at));
                    1
                }
                (None, b'\\', Some(_)) => 2,
                (None, b'{', _) => {
                    has_brace = true;
                    1
                }
                (None, _, _) => 1,
            };
            self.skip(len);
            last = Some(byte);
        }
        match open {
            Some((_, at)) => Err(ShellError::Invalid { reason: Invalid::OpenQuote, at }),
            None => Ok(()),
        }
    }

    fn peek(&self, ahead: usize) -> Option<u8> {
        self.text.get(self.at.checked_add(ahead)?).copied()
    }

    fn skip(&mut self, bytes: usize) {
        self.at = self.at.saturating_add(bytes);
    }
}
