//! What an entry says in its parentheses -> lines and paths of the language.
//!
//! Entries are compared with the text of a command there, and with its words here, which are quoted in one way only. So beside
//! a star there may be a quote, which is looked through to deny or to ask; and to allow, a star in quotes is a part of one word.

use policy_syntax::{Effect, Span, quote};

use crate::codes;
use crate::command::{Lines, simple_line, word_of, words_of};
use crate::draft::Piece;
use crate::findings::Findings;

/// Adds the lines that a pattern stands for, and gives one of them; none when it stands for no simple command.
pub(super) fn add(lines: &mut Lines, effect: Effect, at: Span, pattern: &str, found: &mut Findings) -> Option<String> {
    // `a:*` is another spelling of `a *`.
    let spelt = pattern.strip_suffix(":*").map_or_else(|| pattern.to_owned(), |text| format!("{text} *"));
    if let Some(prefix) = spelt.strip_suffix(" *").filter(|prefix| !prefix.contains('*')) {
        let line = simple_line(prefix)?;
        lines.starting_with(at, &line, found);
        return Some(line);
    }
    let marked = marked(&spelt)?;
    let words = words_of(&simple_line(&marked)?)?;
    let shown = marked.replace(OPEN_STAR, "a").replace(QUOTED_STAR, "a");
    let is_plain = |word: &String| word == OPEN_STAR || !has_star(word) && !word.contains('*');
    let firsts = || std::iter::once(true).chain(std::iter::repeat(false));
    if words.iter().all(is_plain) {
        let word = |(word, is_first): (&String, bool)| match word.as_str() {
            OPEN_STAR => Some("*".to_owned()),
            word => word_of(word, is_first),
        };
        let words: Vec<String> = words.iter().zip(firsts()).map(word).collect::<Option<_>>()?;
        lines.pattern(at, &words.join(" "), found);
    } else {
        let word = |(word, is_first): (&String, bool)| match has_star(word) {
            true => Some(starred(word, effect)),
            false => word_of(word, is_first).map(|word| regex_syntax::escape(&word)),
        };
        let words: Vec<String> = words.iter().zip(firsts()).map(word).collect::<Option<_>>()?;
        lines.regex(at, &format!("^{}$", words.join(" ")), found);
    }
    simple_line(&shown)
}

/// The text with words in the place of its stars; none if it has such words already.
fn marked(text: &str) -> Option<String> {
    if text.contains(OPEN_STAR) || text.contains(QUOTED_STAR) {
        return None;
    }
    let mut marked = String::new();
    let mut quoted_by = None;
    let mut characters = text.chars();
    while let Some(c) = characters.next() {
        match (c, quoted_by) {
            ('*', None) => marked.push_str(OPEN_STAR),
            ('*', Some(_)) => marked.push_str(QUOTED_STAR),
            ('\\', None | Some('"')) => {
                marked.push(c);
                marked.extend(characters.next());
            }
            ('\'' | '"', None) => {
                quoted_by = Some(c);
                marked.push(c);
            }
            (c, Some(quote)) if c == quote => {
                quoted_by = None;
                marked.push(c);
            }
            (c, _) => marked.push(c),
        }
    }
    Some(marked)
}

fn has_star(word: &str) -> bool {
    word.contains(OPEN_STAR) || word.contains(QUOTED_STAR)
}

/// A regex for a word with stars in it.
fn starred(word: &str, effect: Effect) -> String {
    if effect == Effect::Allow && !word.contains(OPEN_STAR) {
        // One word, whatever is in it.
        let parts: Vec<&str> = word.split(QUOTED_STAR).collect();
        let quoted: Vec<String> = parts.iter().map(|part| inside_quotes(part)).collect();
        let quoted = format!("'{}'", quoted.join(ANY_QUOTED));
        let plain: Vec<String> = parts.iter().map(|part| regex_syntax::escape(part)).collect();
        return match parts.iter().all(|part| is_plain_text(part)) {
            true => format!("({}|{quoted})", plain.join(ANY_PLAIN)),
            false => quoted,
        };
    }
    let word = word.replace(QUOTED_STAR, OPEN_STAR);
    let parts: Vec<String> = word.split(OPEN_STAR).map(inside_quotes).collect();
    // Whether the word is quoted depends on what the star stands for. Only what is certain is allowed.
    let quotes = match effect {
        Effect::Allow if word.split(OPEN_STAR).all(is_plain_text) => "",
        Effect::Allow => "'",
        Effect::Ask | Effect::Deny => "'?",
    };
    format!("{quotes}{}{}", parts.join("(?s:.*)"), if word.ends_with(OPEN_STAR) { "" } else { quotes })
}

/// Whether a text needs no quotes in a line.
fn is_plain_text(text: &str) -> bool {
    text.chars().all(|c| c.is_ascii_alphanumeric() || PLAIN.contains(c))
}

/// A text as it stands in the quotes of a line.
fn inside_quotes(text: &str) -> String {
    regex_syntax::escape(&text.replace('\'', "'\\''"))
}

/// A pattern of `.gitignore` -> patterns of paths. Without a slash it is at any depth, with one from the workspace on, and with
/// a folder everything in it. To deny or to ask it is at any depth unless it starts with a slash.
pub(super) fn paths(effect: Effect, at: Span, pattern: Option<&str>, found: &mut Findings) -> Vec<Piece> {
    let Some(pattern) = pattern else {
        return vec![Piece::new(at, "\"**\"")];
    };
    if pattern.contains(['?', '[', ']', '\\', '!', '{', '}']) {
        let message = format!("{} has a sign that patterns do not have", quote(pattern));
        found.add(codes::NOT_SAYABLE, at, message, "`*` and `**` are the only wildcards: write the paths out");
        return Vec::new();
    }
    let is_absolute = pattern.starts_with("//") || pattern.starts_with('~');
    let segments: Vec<&str> = pattern.split('/').filter(|segment| !matches!(*segment, "" | "." | "~")).collect();
    if segments.contains(&"..") || is_absolute && effect == Effect::Allow {
        let code = if effect == Effect::Deny { codes::NO_RULE } else { codes::LEFT_OUT };
        let message = format!("{} lies outside the workspace, which no request leaves", quote(pattern));
        found.add(code, at, message, "choose a root that holds it, and name it from there");
        return Vec::new();
    }
    let from_here = segments.join("/");
    let is_told_where = pattern.starts_with('/') || segments.first() == Some(&"**");
    let is_anchored = is_told_where || effect == Effect::Allow && (segments.len() > 1 || pattern.starts_with("./"));
    let bases = if segments.is_empty() {
        vec!["**".to_owned()]
    } else if is_absolute {
        in_any_workspace(at, pattern, &segments, found)
    } else if is_anchored {
        vec![from_here]
    } else {
        vec![format!("**/{from_here}")]
    };
    let below = |base: &String| (!base.ends_with("**")).then(|| format!("{base}/**"));
    let patterns: Vec<String> =
        bases.iter().flat_map(|base| std::iter::once(base.clone()).chain(below(base))).collect();
    patterns.iter().filter_map(|pattern| Some(Piece::new(at, found.literal(at, pattern)?))).collect()
}

/// A path of the machine, wherever the workspace is on the way to it.
fn in_any_workspace(at: Span, pattern: &str, segments: &[&str], found: &mut Findings) -> Vec<String> {
    if segments.iter().any(|segment| *segment != "**") {
        let message = format!("{} is held at any depth of the workspace", quote(pattern));
        found.add(codes::STRICTER, at, message, "where the workspace lies is not known here; name it from there");
    }
    let rest = |from: usize| segments.iter().skip(from).copied().collect::<Vec<_>>().join("/");
    let is_whole = segments.iter().all(|segment| *segment == "**");
    // A workspace that lies inside what is denied is all of it; only a pattern that says nothing else means that.
    let tails = (0..segments.len()).map(rest).filter(|tail| is_whole || tail != "**");
    let mut patterns: Vec<String> = tails.collect();
    if let Some(first) = patterns.first_mut().filter(|first| !first.starts_with("**")) {
        *first = format!("**/{first}");
    }
    patterns
}

/// What a word that needs no quotes is made of, beside letters and digits.
const PLAIN: &str = "_@%+=:,./-";
const ANY_PLAIN: &str = "[A-Za-z0-9_@%+=:,./-]*";
/// A quote inside quotes ends them, stands escaped, and begins them again.
const ANY_QUOTED: &str = "([^']|'\\\\'')*";

/// These stand for stars while the words around them are read.
const OPEN_STAR: &str = "zxStarxz";
const QUOTED_STAR: &str = "zxQuotedStarxz";
