//! A command line -> the words of its simple commands, or why it is not understood.
//!
//! A conservative reader of what POSIX shells and bash read alike: words, quotes, and commands with `&&`, `||`, `;`,
//! `|` or a line end between them. Whatever a shell would compute (expansions, substitutions, globs), open
//! (redirections), nest (subshells, groups, reserved words) or forget (comments, assignments) makes a line
//! *complex*. What no shell would run at all is invalid.
//!
//! A [`Line`] has been read to its end, so that everything taken from it is sure.

mod lexer;
mod word;

use crate::limits::MAX_COMMAND_LEN;
use lexer::{Lexer, Token};
pub use word::Word;

/// A command line that is understood in full.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Line<'a> {
    text: &'a [u8],
}

/// A simple command of a line. It has one word at least.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Command<'a> {
    /// From its first word to its last.
    text: &'a [u8],
    /// What joins it to the command before it; nothing for the first.
    pub joined_by: Option<Join>,
}

/// What stands between two commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Join {
    /// `;`, or the end of a line.
    Then,
    /// `&&`
    And,
    /// `||`
    Or,
    /// `|`
    Pipe,
}

/// Why a line is not understood, and at which byte that shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShellError {
    /// No shell would run it.
    Invalid {
        /// Why.
        reason: Invalid,
        /// The place of the byte.
        at: usize,
    },
    /// A shell would do more than run commands with these words.
    Complex {
        /// What.
        reason: Complex,
        /// The place of the byte.
        at: usize,
    },
}

/// What makes a line one that no shell would run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Invalid {
    /// There is no command in it.
    Empty,
    /// More than [`MAX_COMMAND_LEN`] bytes.
    TooLong,
    /// A NUL, where the system would end the line.
    Nul,
    /// A quote that is never closed.
    OpenQuote,
    /// A backslash with nothing after it.
    LoneBackslash,
    /// An operator without a command before it.
    OperatorFirst,
    /// An operator without a command after it.
    OperatorLast,
}

/// What makes a line complex.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Complex {
    /// A control character other than a tab and a line end. Bash uses some of them for itself.
    Control,
    /// `$`
    Expansion,
    /// A backtick.
    Substitution,
    /// `<` or `>`
    Redirection,
    /// `&`
    Background,
    /// `(` or `)`
    Subshell,
    /// `|&`
    PipeOfBoth,
    /// `#` at the start of a word.
    Comment,
    /// `*`, `?` or `[`
    Glob,
    /// `~` where a home folder can stand.
    Tilde,
    /// `{` with a `,` or a `..` after it.
    Braces,
    /// `NAME=` before a command.
    Assignment,
    /// A first word that is the shell's own, `!` and `{` among them.
    Reserved,
}

impl<'a> Line<'a> {
    /// Reads a line to its end.
    ///
    /// # Errors
    /// When it is complex or invalid; the first thing that makes it so is named.
    pub fn new(text: &'a [u8]) -> Result<Self, ShellError> {
        check_bytes(text)?;
        let mut lexer = Lexer::new(text);
        let mut expected = Expected::Command;
        let mut is_empty = true;
        while let Some((token, at)) = lexer.next()? {
            expected = match (expected, token) {
                (Expected::Command | Expected::CommandAfterOperator, Token::Word(word)) => {
                    check_first(word).map_err(|reason| ShellError::Complex { reason, at })?;
                    is_empty = false;
                    Expected::Anything
                }
                (Expected::Anything, Token::Word(_)) => Expected::Anything,
                (Expected::Anything, Token::LineEnd | Token::Join(Join::Then)) => Expected::Command,
                (Expected::Anything, Token::Join(_)) => Expected::CommandAfterOperator,
                (waiting @ (Expected::Command | Expected::CommandAfterOperator), Token::LineEnd) => waiting,
                (Expected::Command | Expected::CommandAfterOperator, Token::Join(_)) => {
                    return Err(ShellError::Invalid { reason: Invalid::OperatorFirst, at });
                }
            };
        }
        match expected {
            Expected::CommandAfterOperator => invalid(Invalid::OperatorLast, text.len()),
            Expected::Command | Expected::Anything if is_empty => invalid(Invalid::Empty, text.len()),
            Expected::Command | Expected::Anything => Ok(Self { text }),
        }
    }

    /// Its simple commands, in the order in which they are written.
    pub fn commands(&self) -> impl Iterator<Item = Command<'a>> + use<'a> {
        Commands { lexer: Lexer::new(self.text), joined_by: None }
    }
}

impl<'a> Command<'a> {
    /// As it is written, from its first word to its last.
    #[must_use]
    pub fn text(&self) -> &'a [u8] {
        self.text
    }

    /// Its words; the first one is what is run.
    pub fn words(&self) -> impl Iterator<Item = Word<'a>> + use<'a> {
        let mut lexer = Lexer::new(self.text);
        core::iter::from_fn(move || match lexer.next().ok()?? {
            (Token::Word(word), _) => Some(word),
            (Token::Join(_) | Token::LineEnd, _) => None,
        })
    }

    /// The first word after what is run that is no option.
    #[must_use]
    pub fn subcommand(&self) -> Option<Word<'a>> {
        self.words().skip(1).find(|word| word.bytes().next() != Some(b'-'))
    }

    /// As many bytes as [`Command::write`] may need: every byte can become four, and every word gets quotes.
    #[must_use]
    pub fn written_max(&self) -> usize {
        self.text.len().saturating_mul(4).saturating_add(2)
    }

    /// Writes its words with one blank between them, quoted where they have to be and in one way only: read
    /// again, they are the same words. `None` when the buffer is too small; [`Command::written_max`] bytes always
    /// suffice.
    #[must_use]
    pub fn write<'b>(&self, buffer: &'b mut [u8]) -> Option<&'b [u8]> {
        let mut at: usize = 0;
        let mut put = |byte: u8| {
            *buffer.get_mut(at)? = byte;
            at = at.checked_add(1)?;
            Some(())
        };
        let mut is_first = true;
        for word in self.words() {
            if !is_first {
                put(b' ')?;
            }
            is_first = false;
            word.quoted(&mut put)?;
        }
        buffer.get(..at)
    }
}

/// What may come next.
#[derive(Clone, Copy)]
enum Expected {
    Command,
    /// A line cannot end here.
    CommandAfterOperator,
    Anything,
}

struct Commands<'a> {
    lexer: Lexer<'a>,
    joined_by: Option<Join>,
}

impl<'a> Iterator for Commands<'a> {
    type Item = Command<'a>;

    fn next(&mut self) -> Option<Command<'a>> {
        let joined_by = self.joined_by;
        let mut first: Option<usize> = None;
        let mut end = 0;
        // An operator may be followed by line ends, a line end by none that count.
        loop {
            match self.lexer.next().ok().flatten() {
                Some((Token::Word(_), at)) => {
                    first = first.or(Some(at));
                    end = self.lexer.at();
                }
                // No operator comes first in a line that has been read.
                Some((Token::Join(join), _)) => {
                    self.joined_by = Some(join);
                    break;
                }
                Some((Token::LineEnd, _)) if first.is_some() => {
                    self.joined_by = Some(Join::Then);
                    break;
                }
                Some((Token::LineEnd, _)) => {}
                None => break,
            }
        }
        Some(Command { text: self.lexer.text().get(first?..end)?, joined_by })
    }
}

fn check_bytes(text: &[u8]) -> Result<(), ShellError> {
    if text.len() > MAX_COMMAND_LEN {
        return invalid(Invalid::TooLong, MAX_COMMAND_LEN);
    }
    // Whatever else there is: the system would end the line there.
    if let Some(at) = text.iter().position(|byte| *byte == 0) {
        return invalid(Invalid::Nul, at);
    }
    let is_odd = |byte: &u8| byte.is_ascii_control() && !matches!(byte, b'\t' | b'\n');
    match text.iter().position(is_odd) {
        Some(at) => Err(ShellError::Complex { reason: Complex::Control, at }),
        None => Ok(()),
    }
}

fn invalid<T>(reason: Invalid, at: usize) -> Result<T, ShellError> {
    Err(ShellError::Invalid { reason, at })
}

/// A first word can be more than the name of a command. Quotes make it less, but nobody needs that.
fn check_first(word: Word<'_>) -> Result<(), Complex> {
    let mut start = [0; RESERVED_BYTES_MAX];
    if word.write(&mut start).is_some() && is_reserved(start) {
        return Err(Complex::Reserved);
    }
    let (mut bytes, mut name) = (word.bytes(), 0_usize);
    let behind = bytes.find(|byte| {
        let is_behind = !is_name(name, *byte);
        name = name.saturating_add(usize::from(!is_behind));
        is_behind
    });
    let is_assignment = match (name, behind) {
        (0, _) | (_, None) => false,
        (_, Some(b'=')) => true,
        (_, Some(b'+')) => bytes.next() == Some(b'='),
        (_, Some(_)) => false,
    };
    if is_assignment { Err(Complex::Assignment) } else { Ok(()) }
}

fn is_name(place: usize, byte: u8) -> bool {
    byte == b'_' || byte.is_ascii_alphabetic() || place > 0 && byte.is_ascii_digit()
}

/// Words that change what the words after them are, in POSIX shells or in bash.
fn is_reserved(word: [u8; RESERVED_BYTES_MAX]) -> bool {
    // NULs fill what is left, and no word has one in it. As numbers, because bytes that are compared one by one take
    // twice the code.
    macro_rules! is_one_of {
        ($($reserved:literal)+) => { false $(|| u64::from_le_bytes(word) == u64::from_le_bytes(*$reserved))+ };
    }
    is_one_of!(
        b"!\0\0\0\0\0\0\0" b"{\0\0\0\0\0\0\0" b"}\0\0\0\0\0\0\0" b"case\0\0\0\0" b"coproc\0\0"
        b"do\0\0\0\0\0\0" b"done\0\0\0\0" b"elif\0\0\0\0" b"else\0\0\0\0" b"esac\0\0\0\0"
        b"fi\0\0\0\0\0\0" b"for\0\0\0\0\0" b"function" b"if\0\0\0\0\0\0" b"in\0\0\0\0\0\0"
        b"select\0\0" b"then\0\0\0\0" b"time\0\0\0\0" b"until\0\0\0" b"while\0\0\0"
    )
}

/// The longest of them is `function`.
const RESERVED_BYTES_MAX: usize = 8;

#[cfg(test)]
mod tests;
