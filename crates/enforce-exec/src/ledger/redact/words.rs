//! A command line, or the words of one -> the same without its secrets.
//!
//! What a shell takes for one word is one value, whatever quotes and blanks it has. Lines are read as any shell might
//! read them, and never refused: what is looked for is where words end, not what they do.

use super::find::{self, USER_OPTIONS};
use super::marks::Name;
use super::{REDACTED, Remember, redacted};

/// A line as it is written, if it holds a secret. Words that hold none stay as they are.
pub(super) fn redacted_line(text: &str, remember: Remember<'_>) -> Option<String> {
    // Most lines have nothing like one, and only where there is something it matters how far it goes.
    if !find::has_marks(text) {
        return None;
    }
    let (line, body) = text.split_at_checked(body_start(text)).unwrap_or((text, ""));
    let kept = line_within(line, SCRIPTS_MAX, remember) + body;
    // What is no secret in any word may be one over several: `password: hunter2`.
    let kept = redacted(&kept, remember).unwrap_or(kept);
    (kept != text).then_some(kept)
}

/// The words that a program was started with, a NUL between them, if they hold a secret: a blank instead.
pub(super) fn redacted_words(words: &str, remember: Remember<'_>) -> Option<String> {
    if !find::has_marks(&words.replace('\0', " ")) {
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
    /// It is a name and a secret, if there is a colon in it: `-u`.
    User,
    /// It is a line of its own, if a shell is to run it: `sh -c`.
    Script,
}

impl Before {
    fn of(word: &str) -> Self {
        let Some(letters) = word.strip_prefix('-') else { return Self::Nothing };
        if USER_OPTIONS.contains(&word) {
            Self::User
        } else if !letters.bytes().all(find::is_word) {
            Self::Nothing
        } else if Name::of(word.as_bytes()) == Name::Secret {
            Self::Secret
        } else if letters.ends_with('c') && letters.bytes().all(|byte| byte.is_ascii_lowercase()) {
            Self::Script
        } else {
            Self::Nothing
        }
    }
}

impl Command {
    fn new(scripts_left: usize) -> Self {
        Self { before: Before::Nothing, has_shell: false, scripts_left }
    }

    /// The next word without its secrets; nothing, if it holds none.
    fn redacted(&mut self, word: &str, remember: Remember<'_>) -> Option<String> {
        let before = std::mem::replace(&mut self.before, Before::of(word));
        self.has_shell |= SHELLS.contains(&word.rsplit('/').next().unwrap_or_default());
        let is_secret = match before {
            Before::Secret => !word.is_empty(),
            Before::User => word.contains(':'),
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
        redacted_word(word, remember)
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
    byte.is_ascii_whitespace() || matches!(byte, b';' | b'&' | b'|' | b'<' | b'>' | b'(' | b')')
}

/// Programs whose `-c` takes a line.
const SHELLS: &[&str] = &["sh", "bash", "dash", "ash", "zsh", "ksh", "fish"];
/// How many lines are read that are words of one another.
const SCRIPTS_MAX: usize = 3;
