//! Strings: what a pattern or regex matches, what lies just beside it, and what nobody expects.

use policy_model::{HostPattern, Pattern, Segment, WordGlob};
use regex_syntax::hir::{Class, Hir, HirKind, Look};

use crate::dice::Dice;

/// A value the pattern stands for.
pub(super) fn of_pattern(dice: &mut Dice, pattern: &Pattern) -> String {
    match pattern {
        Pattern::Segments(glob) => {
            let mut segments: Vec<String> = Vec::new();
            for segment in glob.segments() {
                match segment {
                    Segment::Any => {
                        let count = dice.weighted([(40, 0), (35, 1), (20, 2), (5, 9)]);
                        segments.extend((0..count).map(|_| dice.one_of(SEGMENTS).to_owned()));
                    }
                    Segment::One(word) => segments.push(of_word(dice, word, ["", "a", "b", "x.rs", ".", "é"])),
                }
            }
            segments.join("/")
        }
        Pattern::Host(HostPattern::Any) => dice.one_of(["a", "a.b", "docs.rs", ""]).to_owned(),
        Pattern::Host(HostPattern::Exact(name)) => name.clone(),
        Pattern::Host(HostPattern::Below(suffix)) => format!("{}{suffix}", dice.one_of(["a", "b.a", "x-y", "."])),
        Pattern::Word(word) => of_word(dice, word, ["", "a", "b", "/", "x y", "\n"]),
    }
}

fn of_word(dice: &mut Dice, word: &WordGlob, fillers: [&str; 6]) -> String {
    let mut text = String::new();
    for (place, part) in word.parts().iter().enumerate() {
        if place > 0 {
            text.push_str(dice.one_of(fillers));
        }
        text.push_str(part);
    }
    text
}

/// A value in which the regex finds a match, unless one of its boundaries is where none can be.
pub(super) fn of_regex(dice: &mut Dice, hir: &Hir) -> String {
    let mut bytes = Vec::new();
    let looks = hir.properties();
    if !looks.look_set_prefix().contains(Look::Start) && dice.chance(30) {
        bytes.extend_from_slice(dice.one_of(["a", "\n", " ", "a/"]).as_bytes());
    }
    write(dice, hir, &mut bytes);
    if !looks.look_set_suffix().contains(Look::End) && dice.chance(30) {
        bytes.extend_from_slice(dice.one_of(["a", "\n", "\r\n", "/a"]).as_bytes());
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn write(dice: &mut Dice, hir: &Hir, bytes: &mut Vec<u8>) {
    if bytes.len() > REGEX_BYTES_MAX {
        return;
    }
    match hir.kind() {
        HirKind::Empty => {}
        HirKind::Literal(literal) => bytes.extend_from_slice(&literal.0),
        HirKind::Class(class) => bytes.extend_from_slice(member(dice, class).as_slice()),
        HirKind::Look(Look::StartLF | Look::EndLF | Look::StartCRLF | Look::EndCRLF) => {
            if dice.chance(15) {
                bytes.push(b'\n');
            }
        }
        HirKind::Look(_) => {}
        HirKind::Repetition(repetition) => {
            let most = repetition.max.unwrap_or(u32::MAX).min(repetition.min.saturating_add(2));
            let spread = most.saturating_sub(repetition.min);
            let extra = u32::try_from(dice.below(usize::try_from(spread).unwrap_or(0).saturating_add(1))).unwrap_or(0);
            for _ in 0..repetition.min.saturating_add(extra) {
                write(dice, &repetition.sub, bytes);
            }
        }
        HirKind::Capture(capture) => write(dice, &capture.sub, bytes),
        HirKind::Concat(parts) => parts.iter().for_each(|part| write(dice, part, bytes)),
        HirKind::Alternation(parts) => {
            if let Some(part) = dice.pick(parts) {
                write(dice, part, bytes);
            }
        }
    }
}

/// A member of a class: one of the usual letters when it has them, else an end of one of its ranges.
fn member(dice: &mut Dice, class: &Class) -> Vec<u8> {
    let usual = dice.one_of(['a', 'b', '/', '0', '.']);
    match class {
        Class::Unicode(class) => {
            let has = |c: char| class.iter().any(|range| range.start() <= c && c <= range.end());
            let range = dice.pick(class.ranges()).map(|range| (range.start(), range.end()));
            let c = match range {
                _ if has(usual) => usual,
                Some((start, end)) => dice.one_of([start, end]),
                None => return Vec::new(),
            };
            c.to_string().into_bytes()
        }
        Class::Bytes(class) => {
            let byte = u8::try_from(usual).unwrap_or(b'a');
            let has = class.iter().any(|range| range.start() <= byte && byte <= range.end());
            let range = dice.pick(class.ranges()).map(|range| (range.start(), range.end()));
            match range {
                _ if has => vec![byte],
                // The rest of a character would be missing, and no value is such a string.
                Some((_, end)) if end >= 0x80 => "é".as_bytes().to_vec(),
                Some((start, end)) => vec![dice.one_of([start, end])],
                None => Vec::new(),
            }
        }
    }
}

/// A value like the given one, changed in one place.
pub(super) fn beside(dice: &mut Dice, value: &str) -> String {
    let mut chars: Vec<char> = value.chars().collect();
    let at = dice.below(chars.len().saturating_add(1));
    let mut segments: Vec<&str> = value.split('/').collect();
    let segment_at = dice.below(segments.len().saturating_add(1));
    match dice.below(12) {
        0 | 1 if at < chars.len() => {
            chars.remove(at);
        }
        0..=2 => chars.insert(at, dice.one_of(['a', 'b', '/', '.', '*', 'é', '\n', ' ', 'A', '\0'])),
        3 => match chars.get_mut(at) {
            Some(c) if c.is_ascii_lowercase() => c.make_ascii_uppercase(),
            Some(c) => c.make_ascii_lowercase(),
            None => chars.push('/'),
        },
        4 => return format!("{value}/"),
        5 => return format!("/{value}"),
        6 => return value.replacen('/', "//", 1),
        7 if segment_at < segments.len() => {
            segments.remove(segment_at);
            return segments.join("/");
        }
        7 | 8 => {
            segments.insert(segment_at, dice.one_of(SEGMENTS));
            return segments.join("/");
        }
        9 => chars.truncate(at),
        10 => return format!("{value}{value}"),
        _ => return odd(dice),
    }
    chars.into_iter().collect()
}

/// A string that no pattern had in mind.
pub(super) fn odd(dice: &mut Dice) -> String {
    match dice.weighted([(60, 0), (36, 1), (2, 2), (2, 3)]) {
        0 => (0..dice.between(0, 6)).map(|_| dice.one_of(['a', 'b', '/', '/', '.', 'a'])).collect(),
        1 => dice
            .one_of([
                "",
                "/",
                "//",
                "a//b",
                "a/",
                "/a",
                ".",
                "..",
                "a/../b",
                "./a",
                "*",
                "**",
                "a/**",
                "é",
                "ü/日本",
                "A",
                "a\nb",
                "\n",
                "\0",
                "a b",
                "src",
                "main",
                "GET",
                "refs/heads/main",
                "\u{10FFFF}",
                "e\u{301}",
                "a\r\nb",
                ".env",
            ])
            .to_owned(),
        2 => "a/".repeat(dice.between(1, 400)),
        _ => dice.one_of(["a", "ab", "é"]).repeat(dice.between(1, 2_000)),
    }
}

const SEGMENTS: [&str; 8] = ["a", "b", "a", "b", "x", "src", ".env", "é"];

/// Enough for what the generated regexes repeat.
const REGEX_BYTES_MAX: usize = 4_096;
