//! Regexes: every construct of the language's regexes, small enough that each can be compiled.

use policy_syntax::SetKind;

use super::patterns::literal;
use super::vocabulary::Vocabulary;
use crate::dice::Dice;

/// A regex for values of that kind.
pub(super) fn regex(dice: &mut Dice, words: &Vocabulary, kind: SetKind) -> String {
    let body = alternatives(dice, words, kind, 2);
    let anchored = match dice.weighted([(45, 0), (12, 1), (12, 2), (15, 3), (8, 4), (4, 5), (4, 6)]) {
        0 => format!("^{body}$"),
        1 => format!("^{body}"),
        2 => format!("{body}$"),
        3 => body,
        4 => format!("(?m)^{body}$"),
        5 => format!(r"\A{body}\z"),
        _ => format!("(?mR)^{body}$"),
    };
    let flags = dice.weighted([(78, ""), (12, "(?i)"), (4, "(?s)"), (2, "(?U)"), (2, "(?x)"), (2, "(?is)")]);
    format!("{flags}{anchored}")
}

/// Without parentheses an alternation takes the anchors with it, which is what people get wrong.
fn alternatives(dice: &mut Dice, words: &Vocabulary, kind: SetKind, depth: u32) -> String {
    match dice.weighted([(65, 0), (25, 1), (10, 2)]) {
        0 => sequence(dice, words, kind, depth),
        1 => format!("({}|{})", sequence(dice, words, kind, depth), sequence(dice, words, kind, depth)),
        _ => format!("{}|{}", sequence(dice, words, kind, depth), sequence(dice, words, kind, depth)),
    }
}

fn sequence(dice: &mut Dice, words: &Vocabulary, kind: SetKind, depth: u32) -> String {
    (0..dice.weighted([(40, 1), (30, 2), (20, 3), (10, 0)])).map(|_| repeated(dice, words, kind, depth)).collect()
}

fn repeated(dice: &mut Dice, words: &Vocabulary, kind: SetKind, depth: u32) -> String {
    let repeat = dice.weighted([
        (65, ""),
        (8, "*"),
        (6, "+"),
        (8, "?"),
        (3, "{2}"),
        (4, "{1,3}"),
        (2, "{2,}"),
        (1, "{0}"),
        (2, "*?"),
        (1, "+?"),
    ]);
    let piece = piece(dice, words, kind, depth);
    if repeat.is_empty() { piece } else { format!("(?:{piece}){repeat}") }
}

fn piece(dice: &mut Dice, words: &Vocabulary, kind: SetKind, depth: u32) -> String {
    match dice.weighted([(50, 0), (18, 1), (8, 2), (12, 3), (5, 4), (7, 5)]) {
        0 => regex_syntax::escape(&literal(dice, words, kind)),
        1 => dice
            .one_of([r"\d", r"\w", r"\s", r"\W", "[ab]", "[^a]", "[a-c]", "[^/]", r"[\w.-]", "[[:alpha:]]"])
            .to_owned(),
        2 => dice.one_of([".", ".*", "(?s:.)", "(?s:.*)", "[^/]*"]).to_owned(),
        3 if depth > 0 => format!("({})", alternatives(dice, words, kind, depth - 1)),
        3 => "a".to_owned(),
        4 => dice.one_of([r"\b", r"\B", r"\b{start}", r"\b{end}"]).to_owned(),
        _ => dice
            .one_of(["ü", "(?u:.)", r"(?u:\pL)", "(?u:[é-ü])", r"\xC3", r"[\x80-\xFF]", "(?i:k)", r"\/", r"\."])
            .to_owned(),
    }
}
