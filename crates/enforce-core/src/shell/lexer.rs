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

    /// Goes to the end of a word.
    fn word(&mut self) -> Result<(), ShellError> {
        // Without quotes; a line end behind a backslash is not there for any shell.
        let mut last: Option<u8> = None;
        let mut has_brace = false;
        while let Some(byte) = self.peek(0) {
            let complex = |reason| Err(ShellError::Complex { reason, at: self.at });
            match (byte, self.peek(1)) {
                (b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b'<' | b'>' | b'(' | b')', _) => break,
                (b'\\', Some(b'\n')) => {
                    self.skip(2);
                    continue;
                }
                (b'\\', None) => {
                    return Err(ShellError::Invalid { reason: Invalid::LoneBackslash, at: self.at });
                }
                (b'$', _) => return complex(Complex::Expansion),
                (b'`', _) => return complex(Complex::Substitution),
                (b'*' | b'?' | b'[', _) => return complex(Complex::Glob),
                // Bash looks for a home folder there.
                (b'~', _) if matches!(last, None | Some(b'=' | b':')) => return complex(Complex::Tilde),
                (b',', _) if has_brace => return complex(Complex::Braces),
                (b'.', _) if has_brace && last == Some(b'.') => return complex(Complex::Braces),
                (b'\'', _) => self.single_quotes()?,
                (b'"', _) => self.double_quotes()?,
                (b'\\', Some(_)) => self.skip(2),
                (b'{', _) => {
                    has_brace = true;
                    self.skip(1);
                }
                _ => self.skip(1),
            }
            last = Some(byte);
        }
        Ok(())
    }

    fn single_quotes(&mut self) -> Result<(), ShellError> {
        let open = self.at;
        self.skip(1);
        while let Some(byte) = self.peek(0) {
            self.skip(1);
            if byte == b'\'' {
                return Ok(());
            }
        }
        Err(ShellError::Invalid { reason: Invalid::OpenQuote, at: open })
    }

    fn double_quotes(&mut self) -> Result<(), ShellError> {
        let open = self.at;
        self.skip(1);
        while let Some(byte) = self.peek(0) {
            match (byte, self.peek(1)) {
                (b'"', _) => {
                    self.skip(1);
                    return Ok(());
                }
                (b'$', _) => return Err(ShellError::Complex { reason: Complex::Expansion, at: self.at }),
                (b'`', _) => return Err(ShellError::Complex { reason: Complex::Substitution, at: self.at }),
                (b'\\', Some(_)) => self.skip(2),
                _ => self.skip(1),
            }
        }
        Err(ShellError::Invalid { reason: Invalid::OpenQuote, at: open })
    }

    fn peek(&self, ahead: usize) -> Option<u8> {
        self.text.get(self.at.checked_add(ahead)?).copied()
    }

    fn skip(&mut self, bytes: usize) {
        self.at = self.at.saturating_add(bytes);
    }
}
