//! Text -> where its secrets are, and the same text without them.
//!
//! gitleaks' rules find keys that have a form of their own; ours find secrets by their surroundings: `--password X`,
//! `TOKEN=X`, `Authorization: X`, `https://user:X@host`, `mysql -pX`. A rule runs only if the text has one of its
//! keywords. Every search takes linear time; callers bound the text.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::{LazyLock, OnceLock};

use aho_corasick::{AhoCorasick, AhoCorasickKind, StartKind};
use regex_automata::meta::{self, Regex};
use regex_automata::util::syntax;

/// Replaces each secret by [`REDACTED`].
pub(crate) fn redact(text: &str) -> Cow<'_, str> {
    replace(text, &find_secrets(text))
}

/// Redacts a text that is one word of a command, without its quotes: a value goes to its end.
pub(crate) fn redact_word(word: &str) -> Cow<'_, str> {
    replace(word, &find(word, |_| true, |word| std::iter::once(0..word.len()).collect()))
}

/// Finds every secret, in the order of the text and without overlaps.
pub(crate) fn find_secrets(text: &str) -> Vec<Range<usize>> {
    find(text, |_| true, shell_words)
}

/// Finds keys that have a form of their own, and nothing that only its surroundings show.
pub(crate) fn find_keys(text: &str) -> Vec<Range<usize>> {
    find(text, |rule| rule.surroundings == Surroundings::None, shell_words)
}

/// True if the value looks made up by a machine: no file, command or revision is called so.
pub(crate) fn is_generated(value: &str) -> bool {
    let has = |is_like: fn(&u8) -> bool| value.bytes().any(|byte| is_like(&byte));
    let least = if value.contains('/') { 2 * MIXED_BYTES_MIN } else { MIXED_BYTES_MIN };
    value.len() >= least && has(u8::is_ascii_uppercase) && has(u8::is_ascii_lowercase) && is_mixed(value, 4)
}

pub(crate) fn replace<'t>(text: &'t str, secrets: &[Range<usize>]) -> Cow<'t, str> {
    if secrets.is_empty() {
        return text.into();
    }
    let (mut kept, mut done) = (String::with_capacity(text.len()), 0);
    for secret in secrets {
        kept.push_str(text.get(done..secret.start).unwrap_or_default());
        kept.push_str(REDACTED);
        done = secret.end;
    }
    (kept + text.get(done..).unwrap_or_default()).into()
}

fn find(text: &str, is_wanted: impl Fn(&Rule) -> bool, words_of: fn(&str) -> Vec<Range<usize>>) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let words = OnceLock::new();
    for rule in RULES.with_keyword_in(text).filter(|rule| is_wanted(rule)) {
        let Some(regex) = rule.regex() else { continue };
        for captures in regex.captures_iter(text) {
            let group = captures.iter().skip(1).flatten().next().or_else(|| captures.get_match().map(|all| all.span()));
            let Some(group) = group else { continue };
            let mut secret = text.floor_char_boundary(group.start)..text.ceil_char_boundary(group.end);
            if rule.surroundings == Surroundings::Value {
                secret = to_end_of_word(text, words.get_or_init(|| words_of(text)), secret);
            }
            let value = text.get(secret.clone()).unwrap_or_default();
            if rule.check.accepts(value) && !is_placeholder_value(value) {
                found.push(secret);
            }
        }
    }
    found.sort_unstable_by_key(|secret| (secret.start, secret.end));
    found.dedup_by(|next, last| {
        let overlaps = next.start <= last.end;
        if overlaps {
            last.end = last.end.max(next.end);
        }
        overlaps
    });
    found
}

/// Finds the words of a shell command, if all quotes are closed.
fn shell_words(text: &str) -> Vec<Range<usize>> {
    let words = WORD.as_ref().map(|word| word.find_iter(text).map(|word| word.range()).collect());
    words.unwrap_or_default()
}

/// Extends a value to the end of its shell word, however that is quoted: `password=a\ b'c d'`.
fn to_end_of_word(text: &str, words: &[Range<usize>], secret: Range<usize>) -> Range<usize> {
    let is_quote = |character: char| matches!(character, '"' | '\'');
    let place = words.partition_point(|word| word.end <= secret.start);
    let Some(word) = words.get(place).filter(|word| word.start <= secret.start && word.end > secret.end) else {
        return secret;
    };
    let before = text.get(word.start..secret.start).unwrap_or_default();
    let rest = text.get(secret.end..word.end).unwrap_or_default();
    // In a word that is one value, only names, signs and quotes precede it; in a quoted text, anything may.
    let is_named = |(place, byte): (usize, u8)| {
        let last = place.checked_sub(1).and_then(|last| before.as_bytes().get(last).copied());
        is_word(byte) || b"=:.'\"\\$".contains(&byte) || byte == b' ' && matches!(last, Some(b'=' | b':'))
    };
    if rest.trim_matches(|end| is_quote(end) || b",}])".contains(&u8::try_from(end).unwrap_or_default())).is_empty()
        || before.len() > NAME_BYTES_MAX
        || is_script(text, words, place)
        || !before.bytes().enumerate().all(is_named)
    {
        return secret;
    }
    let last = rest.chars().next_back().filter(|end| is_quote(*end));
    match last.filter(|last| before.matches(*last).count() % 2 == 1) {
        Some(_) => secret.start..word.end.saturating_sub(1),
        None => word.start.saturating_add(before.trim_end_matches(is_quote).len())..word.end,
    }
}

/// True if a shell is to run the word: `sudo bash -l -c '…'`.
fn is_script(text: &str, words: &[Range<usize>], place: usize) -> bool {
    let before = words.get(place.saturating_sub(4)..place).unwrap_or_default();
    let mut before = before.iter().rev().filter_map(|word| text.get(word.clone()));
    before.next().is_some_and(|option| option.starts_with('-') && option.ends_with('c'))
        && before.any(|word| SHELLS.contains(&word.rsplit('/').next().unwrap_or_default()))
}

/// True for a variable, a word such as `none`, a mask and [`REDACTED`].
fn is_placeholder_value(value: &str) -> bool {
    let value = value.trim_matches(['"', '\'', '[', ']']);
    let is_variable = value.strip_prefix('$').is_some_and(|name| {
        name.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || b"_{}".contains(&byte))
    });
    let is_masked = value.bytes().all(|byte| b"*.,\\".contains(&byte));
    is_variable || is_masked || PLACEHOLDERS.iter().any(|word| value.eq_ignore_ascii_case(word))
}

/// True if a value is long enough, has letters and digits, and changes often between small letters, capitals and digits:
/// at so many of ten characters. In words, and in names made of words, most follow one of their own kind.
fn is_mixed(value: &str, tenths: usize) -> bool {
    let kind = |byte: &u8| match byte {
        b'a'..=b'z' => Some(0),
        b'A'..=b'Z' => Some(1),
        b'0'..=b'9' => Some(2),
        _ => None,
    };
    let bytes = value.as_bytes();
    let pairs = bytes.iter().zip(bytes.iter().skip(1));
    let changes = pairs.filter(|(one, next)| kind(one).zip(kind(next)).is_some_and(|(one, next)| one != next)).count();
    bytes.len() >= MIXED_BYTES_MIN
        && bytes.iter().any(u8::is_ascii_digit)
        && bytes.iter().any(u8::is_ascii_alphabetic)
        && bytes.iter().all(|byte| is_word(*byte) || b"+/=.~@%:,^".contains(byte))
        && changes.saturating_mul(10) >= bytes.len().saturating_mul(tenths)
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}

/// Shannon's, in bits per byte.
fn entropy(value: &str) -> f64 {
    let mut counts = [0_u32; 256];
    value.bytes().filter_map(|byte| counts.get_mut(usize::from(byte)).map(|count| *count += 1)).for_each(drop);
    let length = f64::from(u32::try_from(value.len()).unwrap_or(u32::MAX));
    let bits = |count: &u32| {
        let share = f64::from(*count) / length;
        -share * share.log2()
    };
    counts.iter().filter(|count| **count > 0).map(bits).sum()
}

struct Rule {
    pattern: String,
    check: Check,
    surroundings: Surroundings,
    regex: OnceLock<Option<Regex>>,
}

/// A condition on a value, beside the pattern.
#[derive(Debug, Clone, Copy)]
enum Check {
    Any,
    /// More bits per byte than this.
    Entropy(f64),
    Mixed,
    NotNumber,
    NotOption,
    Has(char),
}

/// The surroundings that show a secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Surroundings {
    None,
    Text,
    /// A name, option or program that takes it as a value.
    Value,
}

impl Check {
    fn of(word: &str) -> Self {
        match word {
            "any" => Self::Any,
            "mixed" => Self::Mixed,
            "not-number" => Self::NotNumber,
            "not-option" => Self::NotOption,
            _ => match word.strip_prefix("has").and_then(|sign| sign.chars().next()) {
                Some(sign) => Self::Has(sign),
                None => Self::Entropy(word.parse().unwrap_or_default()),
            },
        }
    }

    fn accepts(self, value: &str) -> bool {
        match self {
            Self::Any => !value.is_empty(),
            Self::Entropy(least) => entropy(value) > least,
            Self::Mixed => is_mixed(value.trim_start_matches("base64:"), 3),
            Self::NotNumber => value.bytes().any(|byte| !byte.is_ascii_digit()),
            Self::NotOption => !value.is_empty() && !value.starts_with('-'),
            Self::Has(sign) => value.contains(sign),
        }
    }
}

impl Rule {
    fn regex(&self) -> Option<&Regex> {
        self.regex.get_or_init(|| compile(&self.pattern)).as_ref()
    }
}

/// Matches bytes instead of characters, because secrets are ASCII.
fn compile(pattern: &str) -> Option<Regex> {
    let bytes = syntax::Config::new().unicode(false).utf8(false);
    Regex::builder().syntax(bytes).configure(meta::Config::new().utf8_empty(false)).build(pattern).ok()
}

struct Rules {
    rules: Vec<Rule>,
    keywords: Option<AhoCorasick>,
    /// The rule of each keyword.
    owners: Vec<usize>,
}

impl Rules {
    fn new() -> Self {
        let (mut rules, mut keywords, mut owners, mut parts) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for line in GITLEAKS.lines().chain(OWN.lines()).filter(|line| !line.starts_with('#')) {
            let mut fields = line.splitn(4, '\t').map(str::trim_end);
            let (Some(name), Some(check), Some(words), Some(pattern)) =
                (fields.next(), fields.next(), fields.next(), fields.next())
            else {
                continue;
            };
            let surroundings = match name {
                "part" => {
                    parts.push((words, pattern));
                    continue;
                }
                "text" => Surroundings::Text,
                "value" => Surroundings::Value,
                _ => Surroundings::None,
            };
            let pattern = parts.iter().fold(pattern.to_owned(), |pattern, (name, part)| pattern.replace(name, part));
            keywords.extend(words.split(' '));
            owners.resize(keywords.len(), rules.len());
            rules.push(Rule { pattern, check: Check::of(check), surroundings, regex: OnceLock::new() });
        }
        let keywords = AhoCorasick::builder()
            .ascii_case_insensitive(true)
            .kind(Some(AhoCorasickKind::DFA))
            .start_kind(StartKind::Unanchored)
            .build(keywords)
            .ok();
        Self { rules, keywords, owners }
    }

    fn with_keyword_in(&self, text: &str) -> impl Iterator<Item = &Rule> {
        // Most texts have none, and every record has texts.
        let wanted = match &self.keywords {
            Some(keywords) => BTreeSet::from_iter(
                keywords
                    .find_overlapping_iter(text)
                    .filter_map(|hit| self.owners.get(hit.pattern().as_usize()).copied()),
            ),
            None => (0..self.rules.len()).collect(),
        };
        wanted.into_iter().filter_map(|rule| self.rules.get(rule))
    }
}

static RULES: LazyLock<Rules> = LazyLock::new(Rules::new);
static WORD: LazyLock<Option<Regex>> =
    LazyLock::new(|| compile(r#"(?s)(?:\$'(?:[^'\\]|\\.)*'|'[^']*'|\$?"(?:[^"\\]|\\.)*"|\\.|[^\s;&|<>()`])+"#));
const GITLEAKS: &str = include_str!("redact/gitleaks.tsv");
const OWN: &str = include_str!("redact/own.tsv");

const SHELLS: &[&str] = &["sh", "bash", "dash", "ash", "zsh", "ksh", "fish", "su"];
/// Stands for a secret.
pub const REDACTED: &str = "[redacted]";
const PLACEHOLDERS: &[&str] = &["null", "none", "nil", "true", "false", "undefined", "redacted"];
/// Bytes of a shell word before its value; longer than any name.
const NAME_BYTES_MAX: usize = 256;
const MIXED_BYTES_MIN: usize = 16;

#[cfg(test)]
mod tests;
