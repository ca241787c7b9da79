//! A command line, or the words of one -> the same without its secrets.
//!
//! What a shell takes for one word is one value, whatever quotes and blanks it has. Lines are read as any shell might
//! read them, and never refused: what is looked for is where words end, not what they do.

use std::ops::Range;

use super::find::{self, USER_OPTIONS};
use super::marks::Name;
use super::options::{self, Place, Program};
use super::{REDACTED, Remember, redacted, without_found};

/// A line as it is written, if it holds a secret. Words that hold none stay as they are.
pub(super) fn redacted_line(text: &str, remember: Remember<'_>) -> Option<String> {
    // Most lines have nothing like one, and only where there is something it matters how far it goes.
    if !find::has_marks(text) && !options::has_marks(text) {
        return None;
    }
    let (line, body) = text.split_at_checked(body_start(text)).unwrap_or((text, ""));
    let kept = line_within(line, SCRIPTS_MAX, remember) + body;
    let kept = redacted_over_words(&kept, remember).unwrap_or(kept);
    (kept != text).then_some(kept)
}

/// What is no secret in any word may be one over several: `password: hunter2`.
fn redacted_over_words(line: &str, remember: Remember<'_>) -> Option<String> {
    let mut find = |found: &mut dyn FnMut(Range<usize>)| {
        find::secrets(line, &mut |secret| {
            // What was taken out of a word goes as far as the word, and an operator begins another command.
            let after = line.get(secret.clone()).and_then(|value| value.strip_prefix(REDACTED));
            if !after.is_some_and(|after| after.bytes().next().is_some_and(is_between)) {
                found(secret);
            }
        });
    };
    without_found(line, &mut find, remember)
}

/// The words that a program was started with, a NUL between them, if they hold a secret: a blank instead.
pub(super) fn redacted_words(words: &str, remember: Remember<'_>) -> Option<String> {
    if !find::has_marks(&words.replace('\0', " ")) && !options::has_marks(words) {
        return None;
    }
    let mut command = Command::new(SCRIPTS_MAX);
    let mut kept = String::with_capacity(words.len());
    for (place, word) in words.split('\0').enumerate() {
        if place > 0 {
            kept.push(' ');
        }
        kept.push_str(command.redacted(word, remember).as_deref().unwrap_or(word));
    }
    Some(redacted(&kept, remember).unwrap_or(kept))
}

/// One word by itself, if it holds a secret.
pub(super) fn redacted_word(word: &str, remember: Remember<'_>) -> Option<String> {
    let Some(from) = find::assigned(word.as_bytes()) else { return redacted(word, remember) };
    remember(word.get(from..).unwrap_or_default());
    Some(word.get(..from).unwrap_or_default().to_owned() + REDACTED)
}

/// Whether a line has this word by itself.
pub(super) fn has_word(line: &str, wanted: &str) -> bool {
    let mut at = 0;
    while at < line.len() {
        let (word, end) = said(line, find::run(line.as_bytes(), at, is_between));
        if word == wanted {
            return true;
        }
        at = end;
    }
    false
}

fn line_within(text: &str, scripts_left: usize, remember: Remember<'_>) -> String {
    let mut kept = String::with_capacity(text.len());
    let (mut command, mut at) = (Command::new(scripts_left), 0);
    while at < text.len() {
        let start = find::run(text.as_bytes(), at, is_between);
        let gap = text.get(at..start).unwrap_or_default();
        kept.push_str(gap);
        // Behind an operator, or on another line, is another command.
        if gap.bytes().any(|byte| !find::is_blank(byte)) {
            command = Command::new(scripts_left);
        }
        if text.as_bytes().get(start) == Some(&b'#') {
            // A comment, in which a quote is none.
            at = find::run(text.as_bytes(), start, |byte| byte != b'\n');
            kept.push_str(text.get(start..at).unwrap_or_default());
            continue;
        }
        let (word, end) = said(text, start);
        match command.redacted(&word, remember) {
            Some(redacted) => push_quoted(&mut kept, &redacted),
            None => kept.push_str(text.get(start..end).unwrap_or_default()),
        }
        at = end;
    }
    kept
}

/// Where text starts that a line gives to a command as it is: behind the line with `<<`.
fn body_start(text: &str) -> usize {
    let mut at = 0;
    while let Some(found) = text.get(at..).and_then(|rest| rest.find("<<")) {
        let after = at + found + 2;
        at = find::run(text.as_bytes(), after, |byte| byte == b'<');
        // `<<<` is followed by a word.
        if at == after {
            return find::run(text.as_bytes(), at, |byte| byte != b'\n');
        }
    }
    text.len()
}

/// A command of which some words have been read.
struct Command {
    program: Program,
    before: Before,
    has_shell: bool,
    scripts_left: usize,
}

/// What the word before says about a word.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Before {
    Nothing,
    /// It is a secret: `--password`.
    Secret,
    /// It is a secret, if it is no option: `vault login`.
    Operand,
    /// It is a secret, if it looks like one: `--token`, `set secret_key`.
    Random,
    /// It is a name and a secret, if this is between them: `-u`.
    Pair(char),
    /// It is a line of its own, if a shell is to run it: `sh -c`.
    Script,
}

impl Before {
    fn of(word: &str) -> Self {
        let name = Name::of(word.as_bytes());
        let Some(letters) = word.strip_prefix('-') else {
            let is_name = name == Name::Secret && word.bytes().last().is_some_and(find::is_word) && !word.contains('=');
            return if is_name { Self::Random } else { Self::Nothing };
        };
        if USER_OPTIONS.contains(&word) {
            Self::Pair(':')
        } else if !letters.bytes().all(find::is_word) {
            Self::Nothing
        } else if name == Name::Secret {
            Self::Secret
        } else if matches!(name, Name::Maybe | Name::About | Name::Variable) {
            Self::Random
        } else if letters.ends_with('c') && letters.bytes().all(|byte| byte.is_ascii_lowercase()) {
            Self::Script
        } else {
            Self::Nothing
        }
    }
}

impl Command {
    fn new(scripts_left: usize) -> Self {
        Self { program: Program::default(), before: Before::Nothing, has_shell: false, scripts_left }
    }

    /// The next word without its secrets; nothing, if it holds none.
    fn redacted(&mut self, word: &str, remember: Remember<'_>) -> Option<String> {
        let place = self.program.read(word);
        let next = match place {
            Some(Place::Next) => Before::Operand,
            Some(Place::NextWith(sign)) => Before::Pair(sign),
            Some(Place::Here(_)) | None => Before::of(word),
        };
        let before = std::mem::replace(&mut self.before, next);
        self.has_shell |= SHELLS.contains(&word.rsplit('/').next().unwrap_or_default());
        let is_secret = match before {
            Before::Secret => !word.is_empty(),
            Before::Operand => !word.is_empty() && !word.starts_with('-'),
            Before::Random => find::is_random_word(word.as_bytes()),
            Before::Pair(sign) => word.contains(sign),
            Before::Script if self.has_shell && self.scripts_left > 0 => {
                let kept = line_within(word, self.scripts_left - 1, remember);
                return (kept != word).then_some(kept);
            }
            Before::Script | Before::Nothing => false,
        };
        if is_secret && !find::is_kept(word.as_bytes()) {
            remember(word);
            return Some(REDACTED.to_owned());
        }
        match place {
            Some(Place::Here(from)) => {
                let (option, value) =
                    word.split_at_checked(from).filter(|(_, value)| !find::is_kept(value.as_bytes()))?;
                remember(value);
                Some(option.to_owned() + REDACTED)
            }
            Some(Place::Next | Place::NextWith(_)) | None => self.within(word, remember),
        }
    }

    /// What a word holds by itself. With blanks in it, whoever gets it may read it as a line: `ssh host 'mysql -px'`.
    fn within(&self, word: &str, remember: Remember<'_>) -> Option<String> {
        let redacted = redacted_word(word, remember);
        let kept = redacted.as_deref().unwrap_or(word);
        if self.scripts_left == 0 || !kept.bytes().any(|byte| byte.is_ascii_whitespace()) {
            return redacted;
        }
        let line = line_within(kept, self.scripts_left - 1, remember);
        if line == kept { redacted } else { Some(line) }
    }
}

/// What the word says that starts here, without its quotes, and where it ends.
fn said(text: &str, start: usize) -> (String, usize) {
    let mut said = String::new();
    let mut quote = None;
    let mut rest = text.get(start..).unwrap_or_default().char_indices().peekable();
    while let Some((place, character)) = rest.next() {
        let next = rest.peek().map(|(_, next)| *next);
        match (quote, character) {
            (None, between) if u8::try_from(between).is_ok_and(is_between) => return (said, start + place),
            (None, '\'' | '"') => quote = Some(Quote { end: character, escapes: character == '"' }),
            // `$'…'` is a quote in which backslashes count.
            (None, '$') if matches!(next, Some('\'' | '"')) => {
                quote = rest.next().map(|(_, end)| Quote { end, escapes: true });
            }
            (Some(Quote { end, .. }), _) if character == end => quote = None,
            (None | Some(Quote { escapes: true, .. }), '\\') => match next {
                Some('\n') => drop(rest.next()),
                Some(escaped)
                    if quote.is_none_or(|quote: Quote| quote.end == escaped || matches!(escaped, '$' | '`' | '\\')) =>
                {
                    said.push(escaped);
                    rest.next();
                }
                Some(_) | None => said.push(character),
            },
            _ => said.push(character),
        }
    }
    (said, text.len())
}

#[derive(Clone, Copy)]
struct Quote {
    end: char,
    escapes: bool,
}

/// As the one form of a command has it; what stands for a secret needs no quotes.
fn push_quoted(line: &mut String, word: &str) {
    let is_plain =
        |byte: u8| find::is_word(byte) || matches!(byte, b'@' | b'%' | b'+' | b'=' | b':' | b',' | b'.' | b'/');
    if word.split(REDACTED).all(|part| part.bytes().all(is_plain)) {
        line.push_str(word);
        return;
    }
    line.push('\'');
    line.push_str(&word.replace('\'', "'\\''"));
    line.push('\'');
}

/// What cannot be in a word without quotes.
fn is_between(byte: u8) -> bool {
    byte.is_ascii_whitespace() || matches!(byte, b';' | b'&' | b'|' | b'<' | b'>' | b'(' | b')' | b'`')
}

/// Programs whose `-c` takes a line.
const SHELLS: &[&str] = &["sh", "bash", "dash", "ash", "zsh", "ksh", "fish", "su"];
/// How many lines are read that are words of one another.
const SCRIPTS_MAX: usize = 3;
