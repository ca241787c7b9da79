//! The words of one policy. A few words used again and again make patterns overlap and requests hit;
//! a few strange ones reach what nobody thought of.

use policy_model::NUMBER_MAX;
use policy_model::catalogue::AttributeKind;

use crate::dice::Dice;

/// What a policy's strings and numbers are made of.
#[derive(Debug)]
pub(super) struct Vocabulary {
    segments: Vec<String>,
    labels: Vec<String>,
    words: Vec<String>,
    numbers: Vec<u64>,
}

impl Vocabulary {
    pub(super) fn new(dice: &mut Dice) -> Self {
        let of = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
        match dice.weighted([(55, 0), (30, 1), (15, 2)]) {
            0 => Self {
                segments: of(&["a", "b"]),
                labels: of(&["a", "b"]),
                words: of(&["a", "b", "ab"]),
                numbers: vec![0, 1, 2, 3],
            },
            1 => Self {
                segments: of(&[
                    "src",
                    "tests",
                    "main.rs",
                    "a.rs",
                    ".env",
                    ".env.local",
                    "docs",
                    ".git",
                    "a.pem",
                    "...",
                ]),
                labels: of(&["docs", "rs", "example", "com", "api", "xn--bcher-kva", "a_b"]),
                words: of(&["GET", "cargo", "git", "build", "https", "/api/v1", "ls -l", "claude-4", "main", "rs"]),
                numbers: vec![0, 1, 10, 80, 443, 500, 1_024, 60_000],
            },
            _ => Self {
                segments: (0..5).map(|_| strange(dice)).collect(),
                labels: of(&["a", "a-b", "0", "A", "xn--a"]),
                words: (0..5).map(|_| strange(dice)).collect(),
                numbers: vec![0, 1, NUMBER_MAX, NUMBER_MAX - 1, dice.number() % NUMBER_MAX, dice.number() >> 40],
            },
        }
    }

    pub(super) fn segment(&self, dice: &mut Dice) -> String {
        dice.pick(&self.segments).cloned().unwrap_or_default()
    }

    pub(super) fn word(&self, dice: &mut Dice) -> String {
        dice.pick(&self.words).cloned().unwrap_or_default()
    }

    /// One to three labels, the case of some changed.
    pub(super) fn host(&self, dice: &mut Dice) -> String {
        let labels: Vec<String> =
            (0..dice.between(1, 3)).map(|_| dice.pick(&self.labels).cloned().unwrap_or_default()).collect();
        let host = labels.join(".");
        if dice.chance(10) { host.to_ascii_uppercase() } else { host }
    }

    /// A number of that kind, as written.
    pub(super) fn quantity(&self, dice: &mut Dice, kind: AttributeKind) -> String {
        let number = dice.pick(&self.numbers).copied().unwrap_or_default();
        let (unit, factor) = match kind {
            AttributeKind::Size => {
                dice.weighted([(70, ("B", 1)), (15, ("KiB", 1 << 10)), (10, ("MiB", 1 << 20)), (5, ("GiB", 1 << 30))])
            }
            AttributeKind::Duration => {
                dice.weighted([(70, ("ms", 1)), (15, ("s", 1_000)), (10, ("min", 60_000)), (5, ("h", 3_600_000))])
            }
            AttributeKind::Hundredths => return hundredths(dice, number),
            _ => return number.to_string(),
        };
        // As many of the unit as fit, so that large numbers stay large.
        format!("{} {unit}", number.min(NUMBER_MAX / factor))
    }
}

fn hundredths(dice: &mut Dice, number: u64) -> String {
    match dice.below(3) {
        0 => (number / 100).to_string(),
        1 => format!("{}.{}", number / 100, number / 10 % 10),
        _ => format!("{}.{:02}", number / 100, number % 100),
    }
}

/// A string of the language.
pub(super) fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

/// Only `\"` and `\\` are escapes here, so `\d` stays as people write it.
pub(super) fn quoted_regex(regex: &str) -> String {
    let mut text = String::from("\"");
    let mut rest = regex.chars().peekable();
    while let Some(c) = rest.next() {
        match (c, rest.peek()) {
            ('"', _) => text.push_str("\\\""),
            ('\\', None | Some('\\' | '"')) => text.push_str("\\\\"),
            (other, _) => text.push(other),
        }
    }
    text.push('"');
    text
}

/// A few characters of many kinds, none of them `*` or `/`, and none that a policy may not have.
fn strange(dice: &mut Dice) -> String {
    (0..dice.between(1, 4)).filter_map(|_| STRANGE.chars().nth(dice.below(STRANGE.chars().count()))).collect()
}

const STRANGE: &str = "abAZ09.-_ \"\\#$?[]{}()^|+,!~'%&éüßÄжΩ日本\u{301}😀\u{10FFFD}";
