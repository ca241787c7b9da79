//! Text -> where its secrets are, from left to right and none in another.

use std::ops::Range;

use super::REDACTED;
use super::marks::{Alphabet, HOOKS, KNOWN, Known, Name, can_start_a_key};
use super::value::value;

/// Finds every secret. Each begins and ends between characters: what is looked for is ASCII.
pub(super) fn secrets(text: &str, found: &mut dyn FnMut(Range<usize>)) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let Some(start) = next_word(bytes, at) else { return };
        let end = run(bytes, start, is_word);
        let secret = private_key(bytes, start)
            .or_else(|| known_key(bytes, start))
            .or_else(|| scheme(bytes, start, end))
            .or_else(|| hook(bytes, start))
            .or_else(|| address(bytes, start, end))
            .or_else(|| named(bytes, start, end))
            .or_else(|| known_key_inside(bytes, start, end));
        match secret {
            Some(secret) => {
                at = secret.end.max(end);
                if !is_kept(bytes.get(secret.clone()).unwrap_or_default()) {
                    at = secret.end;
                    found(secret);
                }
            }
            None => at = end,
        }
    }
}

/// Finds the keys of a known form.
pub(super) fn keys(text: &str, found: &mut dyn FnMut(Range<usize>)) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(start) = next_word(bytes, at) {
        at = run(bytes, start, is_word);
        if let Some(key) = known_key(bytes, start).or_else(|| known_key_inside(bytes, start, at)) {
            at = at.max(key.end);
            found(key);
        }
    }
}

/// Whether there is anything that could be a secret, whatever it turns out to be. Where there is not, [`secrets`] finds
/// none.
pub(super) fn has_marks(text: &str) -> bool {
    let bytes = text.as_bytes();
    let last_colon = memchr::memrchr(b':', bytes);
    let mut at = 0;
    while let Some(start) = next_word(bytes, at) {
        let end = run(bytes, start, is_word);
        let is_marked = match mark(bytes, start, end) {
            Some((_, from, Mark::User)) => last_colon.is_some_and(|colon| colon >= from),
            Some((_, _, Mark::Named(_))) => true,
            None => by_itself(bytes, start, end).is_some(),
        };
        if is_marked {
            return true;
        }
        at = end;
    }
    false
}

/// What is a secret by its own form.
fn by_itself(bytes: &[u8], start: usize, end: usize) -> Option<Range<usize>> {
    private_key(bytes, start)
        .or_else(|| known_key(bytes, start))
        .or_else(|| scheme(bytes, start, end))
        .or_else(|| hook(bytes, start))
        .or_else(|| address(bytes, start, end))
        .or_else(|| known_key_inside(bytes, start, end))
}

/// A block, to its last line or to the end of the text.
fn private_key(bytes: &[u8], start: usize) -> Option<Range<usize>> {
    let block = bytes.get(start..)?;
    block.strip_prefix(b"-----BEGIN".as_slice())?;
    let line = block.get(..block.len().min(KEY_LINE_BYTES_MAX))?;
    position(line, b"PRIVATE KEY")?;
    let Some(last) = position(block, b"-----END") else { return Some(start..bytes.len()) };
    let last = start + last;
    // The dashes behind the words that follow.
    let after = position(bytes.get(last + 8..)?, b"-----").map_or(bytes.len(), |dashes| last + 8 + dashes + 5);
    Some(start..after)
}

/// A key of a known form at the beginning of a word.
fn known_key(bytes: &[u8], start: usize) -> Option<Range<usize>> {
    let rest = bytes.get(start..)?;
    // Most words begin like no key, and every record has words.
    let first = *rest.first()?;
    if !can_start_a_key(first) {
        return None;
    }
    let begins_so =
        |known: &&Known| known.start.bytes().next() == Some(first) && rest.starts_with(known.start.as_bytes());
    let known = KNOWN.iter().find(begins_so)?;
    let from = start + known.start.len();
    let end = run(bytes, from, |byte| known.alphabet.has(byte));
    (end - from >= known.more).then_some(start..end)
}

/// A key of a known form behind a `_` or `-`, which are part of words.
fn known_key_inside(bytes: &[u8], start: usize, end: usize) -> Option<Range<usize>> {
    let inside = bytes.get(start..end)?;
    let places = inside.iter().enumerate().filter(|(_, byte)| matches!(byte, b'_' | b'-'));
    places.map(|(place, _)| start + place + 1).find_map(|from| known_key(bytes, from))
}

/// `Bearer` and what follows.
fn scheme(bytes: &[u8], start: usize, end: usize) -> Option<Range<usize>> {
    let from = run(bytes, end, is_blank);
    if from == end {
        return None;
    }
    let word = bytes.get(start..end)?;
    SCHEMES.iter().find(|scheme| word.eq_ignore_ascii_case(scheme.as_bytes()))?;
    let until = run(bytes, from, |byte| Alphabet::Base64.has(byte) || byte == b'~');
    looks_random(bytes.get(from..until)?).then_some(from..until)
}

/// What stands behind the beginning of an address that is itself a secret.
fn hook(bytes: &[u8], start: usize) -> Option<Range<usize>> {
    let rest = bytes.get(start..)?;
    let hook = HOOKS.iter().find(|hook| rest.starts_with(hook.as_bytes()))?;
    let from = start + hook.len();
    let end = run(bytes, from, |byte| Alphabet::Base64.has(byte) || byte == b':');
    (end > from).then_some(from..end)
}

/// What stands before the `@` of an address: all of it on the web, elsewhere if there is a password.
fn address(bytes: &[u8], start: usize, end: usize) -> Option<Range<usize>> {
    let from = end + bytes.get(end..)?.strip_prefix(b"://".as_slice()).map(|_| 3)?;
    let until = run(bytes, from, |byte| {
        !byte.is_ascii_whitespace() && !matches!(byte, b'/' | b'?' | b'#' | b'"' | b'\'' | b'`' | b'<' | b'>')
    });
    let authority = bytes.get(from..until)?;
    let length = authority.iter().rposition(|byte| *byte == b'@')?;
    let user = authority.get(..length)?;
    let is_web = bytes.get(start..end)?.to_ascii_lowercase().starts_with(b"http");
    (!user.is_empty() && (is_web || user.contains(&b':'))).then_some(from..from + length)
}

/// The value behind a name that says that it is a secret.
fn named(bytes: &[u8], start: usize, end: usize) -> Option<Range<usize>> {
    let (name, from, kind) = mark(bytes, start, end)?;
    let is_secret = match kind {
        Mark::User => start_of(bytes, from)?.contains(&b':'),
        Mark::Named(kind) => is_secret(kind, name, start_of(bytes, from)?),
    };
    let kind = if kind == Mark::Named(Name::Header) { Name::Header } else { Name::Secret };
    is_secret.then(|| value(bytes, from, kind))?
}

/// What says of a value that it may be a secret.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mark {
    /// An option that takes a name and a password.
    User,
    Named(Name),
}

/// A name, and where its value would start.
fn mark(bytes: &[u8], start: usize, end: usize) -> Option<(&[u8], usize, Mark)> {
    let name = bytes.get(start..end)?;
    let is_option = name.starts_with(b"-");
    if is_option && USER_OPTIONS.iter().any(|option| name == option.as_bytes()) {
        return Some((name, run(bytes, end, |byte| is_blank(byte) || byte == b'='), Mark::User));
    }
    // `"name": "value"` and `name = value`, and `--name value` for what is surely one. Where no value can be, nobody has
    // to know what the name means.
    let closed = run(bytes, end, |byte| matches!(byte, b'"' | b'\'' | b']' | b'\\'));
    let blank = run(bytes, closed, is_blank);
    let sign = run(bytes, blank, |byte| matches!(byte, b':' | b'=' | b'>'));
    let from = match bytes.get(blank..sign)? {
        b"=" | b":" | b":=" | b"=>" => run(bytes, sign, is_blank),
        b"" if is_option && blank > closed => blank,
        _ => return None,
    };
    match Name::of(name) {
        Name::Plain => None,
        Name::Header | Name::Maybe | Name::About | Name::Variable if blank == sign => None,
        Name::Variable if bytes.get(end) != Some(&b'=') => Some((name, from, Mark::Named(Name::Maybe))),
        kind => Some((name, from, Mark::Named(kind))),
    }
}

/// As much of a value as it takes to judge it: who writes a thousand names does not have a thousand values read to the end.
fn start_of(bytes: &[u8], from: usize) -> Option<&[u8]> {
    let near = bytes.get(..bytes.len().min(from + VALUE_BYTES_READ))?;
    near.get(value(near, from, Name::Secret)?)
}

/// Where the value starts of a word that gives one to a name: all that follows is the value, blanks and quotes included.
pub(super) fn assigned(word: &[u8]) -> Option<usize> {
    let mut start = 0;
    loop {
        let end = run(word, start, is_word);
        if end == start || word.get(end) != Some(&b'=') {
            return None;
        }
        let (name, value) = (word.get(start..end)?, word.get(end + 1..)?);
        let start_of_value = value.get(..VALUE_BYTES_READ).unwrap_or(value);
        if !value.is_empty() && is_secret(Name::of(name), name, start_of_value) && !is_kept(value) {
            return Some(end + 1);
        }
        start = end + 1;
    }
}

fn is_secret(kind: Name, name: &[u8], value: &[u8]) -> bool {
    match kind {
        Name::Secret => !(value.first() == Some(&b'/') && name.to_ascii_lowercase().ends_with(b"pwd")),
        Name::Header => true,
        Name::Variable => !value.iter().all(u8::is_ascii_digit),
        Name::Maybe => looks_random(value.strip_prefix(ENCODED).unwrap_or(value)),
        Name::About => is_random_word(value),
        Name::Plain => false,
    }
}

/// Whether a value is no secret after all: a reference to one, a word that stands for none, or what stands for one.
pub(super) fn is_kept(value: &[u8]) -> bool {
    let is_reference = value.strip_prefix(b"$").is_some_and(|name| {
        let name = name.strip_prefix(b"{").and_then(|name| name.strip_suffix(b"}")).unwrap_or(name);
        !name.is_empty() && name.iter().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || *byte == b'_')
    });
    let is_placeholder = value.starts_with(b"<") && value.ends_with(b">");
    let is_hidden = value.iter().all(|byte| matches!(byte, b'*' | b'.' | b','));
    let is_word = NO_SECRETS.iter().any(|word| value.eq_ignore_ascii_case(word.as_bytes()));
    is_reference || is_placeholder || is_hidden || is_word || value == REDACTED.as_bytes()
}

/// Long, of letters and digits, and without the repetitions of words.
fn looks_random(value: &[u8]) -> bool {
    if value.len() < RANDOM_BYTES_MIN
        || !value.iter().any(u8::is_ascii_digit)
        || !value.iter().any(u8::is_ascii_alphabetic)
    {
        return false;
    }
    if !value.iter().all(|byte| Alphabet::Base64.has(*byte) || *byte == b'~') {
        return false;
    }
    let mut seen = [false; 256];
    for byte in value {
        if let Some(place) = seen.get_mut(usize::from(*byte)) {
            *place = true;
        }
    }
    seen.iter().filter(|seen| **seen).count() >= RANDOM_DIFFERENT_MIN
}

/// Whether a word behind a name is what the name is for, and no other word.
pub(super) fn is_random_word(value: &[u8]) -> bool {
    let is_mixed = 10 * changes(value) >= 3 * value.len();
    is_generated(value) || (is_mixed && value.iter().all(u8::is_ascii_alphanumeric) && looks_random(value))
}

/// What a machine has made up, by the look of it: no file, command or revision is called so.
pub(super) fn is_generated(value: &[u8]) -> bool {
    let least = if value.contains(&b'/') { GENERATED_PATH_BYTES_MIN } else { GENERATED_BYTES_MIN };
    value.len() >= least && may_be_generated(value) && 5 * changes(value) >= 2 * value.len()
}

/// How often a capital, a small letter or a digit follows another kind of them. In words, and names made of words, most
/// follow one of their own.
fn changes(value: &[u8]) -> usize {
    let kind = |byte: &u8| match byte {
        b'a'..=b'z' => Some(0),
        b'A'..=b'Z' => Some(1),
        b'0'..=b'9' => Some(2),
        _ => None,
    };
    let is_change = |(one, next): &(&u8, &u8)| kind(one).zip(kind(next)).is_some_and(|(one, next)| one != next);
    value.iter().zip(value.iter().skip(1)).filter(is_change).count()
}

/// Finds all that could be one, or have one in it.
pub(super) fn generated(text: &str, found: &mut dyn FnMut(Range<usize>)) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let start = run(bytes, at, |byte| !is_of_generated(byte));
        at = run(bytes, start, is_of_generated);
        if at - start >= GENERATED_BYTES_MIN && bytes.get(start..at).is_some_and(may_be_generated) {
            found(start..at);
        }
    }
}

/// What holds for whatever has a generated value in it.
fn may_be_generated(value: &[u8]) -> bool {
    let has = |is_like: fn(&u8) -> bool| value.iter().any(is_like);
    let has_all = has(u8::is_ascii_digit) && has(u8::is_ascii_uppercase) && has(u8::is_ascii_lowercase);
    has_all && value.iter().all(|byte| is_of_generated(*byte))
}

/// None of them is written in another way in quotes.
pub(super) fn is_of_generated(byte: u8) -> bool {
    is_word(byte) || matches!(byte, b'+' | b'/' | b'=' | b'~' | b'@' | b'%' | b':' | b',' | b'^')
}

fn next_word(bytes: &[u8], from: usize) -> Option<usize> {
    bytes.get(from..)?.iter().position(|byte| is_word(*byte)).map(|place| from + place)
}

/// Where the bytes that are like this end.
pub(super) fn run(bytes: &[u8], from: usize, is_like: impl Fn(u8) -> bool) -> usize {
    let rest = bytes.get(from..).unwrap_or_default();
    from + rest.iter().position(|byte| !is_like(*byte)).unwrap_or(rest.len())
}

fn position(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    bytes.windows(wanted.len()).position(|window| window == wanted)
}

pub(super) fn is_word(byte: u8) -> bool {
    Alphabet::Word.has(byte)
}

pub(super) fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

/// Before a key that is written so, by frameworks.
const ENCODED: &[u8] = b"base64:";
const SCHEMES: &[&str] = &["bearer", "basic", "token", "negotiate", "digest"];
/// Options of clients that take a name and a password.
pub(super) const USER_OPTIONS: &[&str] = &["-u", "--user", "--proxy-user"];
const NO_SECRETS: &[&str] = &["null", "none", "nil", "true", "false", "undefined", "redacted"];
const KEY_LINE_BYTES_MAX: usize = 64;
const VALUE_BYTES_READ: usize = 128;
const RANDOM_BYTES_MIN: usize = 16;
/// Bytes of a value that looks generated, and of one that could be a path.
pub(super) const GENERATED_BYTES_MIN: usize = 16;
const GENERATED_PATH_BYTES_MIN: usize = 32;
const RANDOM_DIFFERENT_MIN: usize = 8;
