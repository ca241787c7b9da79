//! The reader of command lines: what it accepts is words and operators that account for every byte, and whatever it
//! writes it reads again.

use enforce_core::shell::{Command, Join, Line, ShellError};

use crate::cases::{Bytes, Case, Premise, Source, is_same, part};

/// A command line of up to `N` bytes.
#[derive(Debug, Clone, Copy)]
pub struct Typed<const N: usize> {
    /// As it is typed.
    pub text: Bytes<N>,
}

impl<const N: usize> Case for Typed<N> {
    fn draw<S: Source>(source: &mut S) -> Self {
        Self { text: Bytes::draw(source, ALPHABET) }
    }
}

/// A command line of up to `N` bytes, of which up to `COMMANDS` commands are written anew, into `TEXT` bytes.
#[derive(Debug, Clone, Copy)]
pub struct Rewritten<const N: usize, const COMMANDS: usize, const TEXT: usize> {
    /// As it is typed.
    pub text: Bytes<N>,
}

impl<const N: usize, const COMMANDS: usize, const TEXT: usize> Case for Rewritten<N, COMMANDS, TEXT> {
    fn draw<S: Source>(source: &mut S) -> Self {
        const { assert!(TEXT >= 4 * N + 2, "the most that is promised fits") };
        Self { text: Bytes::draw(source, ALPHABET) }
    }
}

/// A line of `LEAST` to `N` bytes, and quotes that are put around a part of it; both fit into `TEXT` bytes.
#[derive(Debug, Clone, Copy)]
pub struct Quoted<const LEAST: usize, const N: usize, const TEXT: usize> {
    /// As it is typed.
    pub text: Bytes<N>,
    /// Which quotes.
    pub quote: &'static str,
    /// How many bytes come before the first.
    pub open: usize,
    /// How many bytes come between them.
    pub len: usize,
}

impl<const LEAST: usize, const N: usize, const TEXT: usize> Case for Quoted<LEAST, N, TEXT> {
    fn draw<S: Source>(source: &mut S) -> Self {
        const { assert!(TEXT >= N + 2, "a line with quotes fits") };
        let text: Bytes<N> = Bytes::draw_at_least(source, LEAST, ALPHABET);
        let (open, len) = if LEAST == N {
            // Where everything stands is known, so that a model checker can afford more bytes.
            (1, N.saturating_sub(2))
        } else {
            let open = source.below(text.as_slice().len().saturating_add(1));
            (open, source.below(text.as_slice().len().saturating_sub(open).saturating_add(1)))
        };
        Self { text, quote: if source.flag() { "\"" } else { "'" }, open, len }
    }
}

/// A value for every line, and a place that is in it.
pub fn reading_a_line_is_total<const N: usize>(case: &Typed<N>) -> Premise {
    let text = case.text.as_slice();
    match Line::new(text) {
        Ok(line) => assert!(line.commands().next().is_some(), "a line that is understood has a command"),
        Err(ShellError::Complex { at, .. }) => assert!(at < text.len(), "what makes a line complex is in it"),
        Err(ShellError::Invalid { at, .. }) => assert!(at <= text.len(), "what makes a line invalid is in it"),
    }
    Premise::Met
}

/// Each command is what a scan finds that knows quotes and operators and nothing else, and nothing is left over.
pub fn commands_account_for_every_byte<const N: usize>(case: &Typed<N>) -> Premise {
    let text = case.text.as_slice();
    let Ok(line) = Line::new(text) else {
        return Premise::Missed;
    };
    let mut scan = Scan::new(text);
    for command in line.commands() {
        assert!(is_command(&mut scan, &command), "each command is the next that a scan finds");
    }
    assert!(scan.next_command().is_none(), "a scan finds no more commands");
    assert!(!scan.has_seen_more, "there is nothing that a shell would compute");
    Premise::Met
}

/// What is written of a command is one command with the same words, and is written the same again.
pub fn commands_are_read_again_as_they_are_written<const N: usize, const COMMANDS: usize, const TEXT: usize>(
    case: &Rewritten<N, COMMANDS, TEXT>,
) -> Premise {
    let Ok(line) = Line::new(case.text.as_slice()) else {
        return Premise::Missed;
    };
    for command in line.commands().take(COMMANDS) {
        let (mut first, mut second) = ([0; TEXT], [0; TEXT]);
        let written = command.write(&mut first);
        assert!(written.is_some(), "the most that was promised suffices");
        let Some(written) = written else {
            return Premise::Missed;
        };
        assert!(written.len() <= command.written_max(), "no more is written than was promised");
        let again = Line::new(written);
        assert!(again.is_ok(), "what is written is understood");
        let Ok(again) = again else {
            return Premise::Missed;
        };
        let mut commands = again.commands();
        let Some(only) = commands.next().filter(|_| commands.next().is_none()) else {
            assert!(written.is_empty(), "what is written is one command");
            return Premise::Missed;
        };
        assert!(has_same_words(&only, &command), "it has the same words");
        let rewritten = only.write(&mut second);
        assert!(rewritten.is_some_and(|rewritten| is_same(rewritten, written)), "it is written the same again");
    }
    Premise::Met
}

/// What makes a line complex can be quoted away, but only into a word: quotes never make an operator of it. Quotes that cut
/// a run of operators are no case: `a&&&a` is complex, and of `'a&'&&a` two of the three are left, which are one. Nor are
/// those that part a backslash from what it quotes: `\&&a` is complex, and in `'\'&&a` the first `&` is a sign again.
pub fn quotes_never_open_an_operator<const LEAST: usize, const N: usize, const TEXT: usize>(
    case: &Quoted<LEAST, N, TEXT>,
) -> Premise {
    let text = case.text.as_slice();
    let Err(ShellError::Complex { at, .. }) = Line::new(text) else {
        return Premise::Missed;
    };
    let close = case.open.saturating_add(case.len);
    let mut run = at;
    while run > 0 && text.get(run.saturating_sub(1)).is_some_and(|byte| matches!(byte, b'&' | b'|' | b';' | b'\n')) {
        run = run.saturating_sub(1);
    }
    if run < case.open && case.open <= at || run < close && close <= at {
        return Premise::Missed;
    }
    if is_after_backslash(text, case.open) || is_after_backslash(text, close) {
        return Premise::Missed;
    }
    let mut quoted = Text { bytes: [0; TEXT], len: 0 };
    quoted.add(part(text, 0, case.open));
    quoted.add(case.quote.as_bytes());
    quoted.add(part(text, case.open, close));
    quoted.add(case.quote.as_bytes());
    quoted.add(part(text, close, text.len()));
    let quoted = quoted.as_slice();
    let moved = [case.open, close].into_iter().filter(|quote| *quote <= at).count();
    let refused_at = at.saturating_add(moved);
    if Line::new(quoted).is_err() {
        return Premise::Missed;
    }
    // The commands of a line that is accepted are those of a scan, as `commands_account_for_every_byte` says.
    let mut scan = Scan::new(quoted);
    let mut is_in_command = false;
    while let Some(found) = scan.next_command() {
        is_in_command |= found.start <= refused_at && refused_at < found.end;
    }
    assert!(is_in_command, "what was refused is now part of a command");
    Premise::Met
}

/// Whether a backslash that is not quoted by another stands right before a place.
fn is_after_backslash(text: &[u8], place: usize) -> bool {
    let mut is_after = false;
    let mut at = place;
    while at > 0 && text.get(at.saturating_sub(1)) == Some(&b'\\') {
        is_after = !is_after;
        at = at.saturating_sub(1);
    }
    is_after
}

/// Text that is put together.
struct Text<const TEXT: usize> {
    bytes: [u8; TEXT],
    len: usize,
}

impl<const TEXT: usize> Text<TEXT> {
    fn add(&mut self, part: &[u8]) {
        for byte in part {
            if let Some(place) = self.bytes.get_mut(self.len) {
                *place = *byte;
                self.len = self.len.saturating_add(1);
            }
        }
    }

    fn as_slice(&self) -> &[u8] {
        part(&self.bytes, 0, self.len)
    }
}

fn is_command(scan: &mut Scan<'_>, command: &Command<'_>) -> bool {
    let Some(found) = scan.next_command() else {
        return false;
    };
    found.joined_by == command.joined_by && is_same(part(scan.text, found.start, found.end), command.text())
}

fn has_same_words(one: &Command<'_>, other: &Command<'_>) -> bool {
    let (mut one, mut other) = (one.words(), other.words());
    loop {
        match (one.next(), other.next()) {
            (None, None) => return true,
            (Some(one), Some(other)) if one == other => {}
            (Some(_) | None, Some(_) | None) => return false,
        }
    }
}

/// A scan through a line that knows quotes, operators and blanks, and what a shell would compute.
struct Scan<'a> {
    text: &'a [u8],
    at: usize,
    joined_by: Option<Join>,
    /// Whether it came by something that is more than words and operators.
    has_seen_more: bool,
}

/// A command that a scan has found.
struct Found {
    start: usize,
    end: usize,
    joined_by: Option<Join>,
}

impl<'a> Scan<'a> {
    fn new(text: &'a [u8]) -> Self {
        Self { text, at: 0, joined_by: None, has_seen_more: false }
    }

    fn byte(&self, ahead: usize) -> u8 {
        // No line that is understood has a NUL in it.
        self.text.get(self.at.saturating_add(ahead)).copied().unwrap_or_default()
    }

    fn step(&mut self, bytes: usize) {
        self.at = self.at.saturating_add(bytes);
    }

    fn next_command(&mut self) -> Option<Found> {
        let joined_by = self.joined_by;
        let mut start = None;
        let mut end = 0;
        while self.at < self.text.len() {
            match (self.byte(0), self.byte(1)) {
                (b' ' | b'\t', _) => self.step(1),
                // Behind a word it is a part of it.
                (b'\\', b'\n') => {
                    let is_in_word = start.is_some() && end == self.at;
                    self.step(2);
                    end = if is_in_word { self.at } else { end };
                }
                (b'\n' | b';' | b'&' | b'|', _) => {
                    let (join, len) = self.operator();
                    self.step(len);
                    if start.is_some() {
                        self.joined_by = Some(join);
                        break;
                    }
                    // Line ends before a command join nothing; no other operator stands there.
                    self.has_seen_more |= join != Join::Then || len != 1;
                }
                (byte, _) => {
                    start = start.or(Some(self.at));
                    self.piece(byte);
                    end = self.at;
                }
            }
        }
        Some(Found { start: start?, end, joined_by })
    }

    fn operator(&mut self) -> (Join, usize) {
        match (self.byte(0), self.byte(1)) {
            (b'&', b'&') => (Join::And, 2),
            (b'|', b'|') => (Join::Or, 2),
            (b'|', b'&') | (b'&', _) => {
                self.has_seen_more = true;
                (Join::Then, 1)
            }
            (b'|', _) => (Join::Pipe, 1),
            (_, _) => (Join::Then, 1),
        }
    }

    /// A byte of a word, or a part of it in quotes.
    fn piece(&mut self, first: u8) {
        self.has_seen_more |= matches!(first, b'$' | b'`' | b'<' | b'>' | b'(' | b')' | b'*' | b'?' | b'[');
        match first {
            b'\\' => self.step(2),
            b'\'' | b'"' => {
                self.step(1);
                while self.at < self.text.len() && self.byte(0) != first {
                    let byte = self.byte(0);
                    self.has_seen_more |= first == b'"' && matches!(byte, b'$' | b'`');
                    self.step(if first == b'"' && byte == b'\\' { 2 } else { 1 });
                }
                self.step(1);
            }
            _ => self.step(1),
        }
    }
}

/// What lines are made of: every byte that the reader tells from others, and one of each kind that it does not.
pub const ALPHABET: &[u8] = b"a \t\n'\"\\$`;&|<>()#*?[~{},.=:+!-_/^1\x01\0\x7f\xff";
