//! Strings for conditions and sets: globs of every shape, hosts, literals, regexes.

use policy_syntax::SetKind;

use super::vocabulary::Vocabulary;
use crate::dice::Dice;

/// A pattern of a set of that kind.
pub(super) fn pattern(dice: &mut Dice, words: &Vocabulary, kind: SetKind) -> String {
    match kind {
        SetKind::Paths | SetKind::Refs => segments(dice, words),
        SetKind::Hosts => host(dice, words),
        SetKind::Commands | SetKind::Models | SetKind::Names => word(dice, words),
    }
}

/// What `==` compares with: mostly a value, at times one that looks like a pattern, or nothing.
pub(super) fn literal(dice: &mut Dice, words: &Vocabulary, kind: SetKind) -> String {
    if dice.chance(8) {
        return dice.one_of(["", "*", "**", "a/", "/", "a*"]).to_owned();
    }
    match kind {
        SetKind::Paths | SetKind::Refs => {
            let segments: Vec<String> = (0..dice.between(1, 3)).map(|_| words.segment(dice)).collect();
            segments.join("/")
        }
        SetKind::Hosts => words.host(dice),
        SetKind::Commands | SetKind::Models | SetKind::Names => words.word(dice),
    }
}

/// The shapes people write, each with words of this policy; then any mix of segments.
fn segments(dice: &mut Dice, words: &Vocabulary) -> String {
    let shape = dice.one_of([
        "s",
        "s/s",
        "s/**",
        "s/s/**",
        "**/s",
        "**/*.x",
        "**/s/**",
        "s/*/s",
        "*",
        "**",
        "s*s*s",
        "**/s*/**/s",
        "s*",
        "*s",
        "s/**/*.x",
        "s/**/s",
        "s/*",
        "**/s/*",
        "*/**",
        "**/*",
        "**/**/s",
        ".env*",
        "**/.env*",
        "s//s",
        "mix",
        "mix",
        "mix",
    ]);
    if shape == "mix" {
        let count = dice.weighted([(20, 1), (35, 2), (25, 3), (12, 4), (8, 6)]);
        let any: Vec<String> = (0..count).map(|_| segment(dice, words)).collect();
        let glob = any.join("/");
        // A segment can be empty; a pattern cannot.
        return if glob.is_empty() { "*".to_owned() } else { glob };
    }
    fill(dice, words, shape)
}

fn segment(dice: &mut Dice, words: &Vocabulary) -> String {
    let shape = dice.weighted([
        (35, "s"),
        (20, "**"),
        (12, "*"),
        (8, "s*"),
        (8, "*s"),
        (6, "*s*"),
        (5, "s*s"),
        (3, "s*s*s"),
        (2, "ss"),
        (2, ""),
    ]);
    fill(dice, words, shape)
}

/// Every `s` a segment of the policy, every `x` an extension.
fn fill(dice: &mut Dice, words: &Vocabulary, shape: &str) -> String {
    let mut text = String::new();
    for c in shape.chars() {
        match c {
            's' => text.push_str(&words.segment(dice)),
            'x' => text.push_str(dice.one_of(["a", "rs", "pem"])),
            other => text.push(other),
        }
    }
    text
}

fn host(dice: &mut Dice, words: &Vocabulary) -> String {
    match dice.weighted([(55, 0), (35, 1), (6, 2), (4, 3)]) {
        0 => words.host(dice),
        1 => format!("*.{}", words.host(dice)),
        2 => "*".to_owned(),
        _ => dice.one_of(["10.0.0.1", "[::1]", "127.1"]).to_owned(),
    }
}

fn word(dice: &mut Dice, words: &Vocabulary) -> String {
    let shape = dice.weighted([
        (30, "s"),
        (14, "s*"),
        (10, "*s"),
        (8, "*s*"),
        (6, "s*s"),
        (5, "s*s*s"),
        (4, "*s*s*"),
        (3, "ss"),
        (3, "*"),
        (2, "**"),
        (2, "s**s"),
        (3, "s s"),
        (3, "/s/*"),
    ]);
    let mut text = String::new();
    for c in shape.chars() {
        match c {
            's' => text.push_str(&words.word(dice)),
            other => text.push(other),
        }
    }
    text
}
