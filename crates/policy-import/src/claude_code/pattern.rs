//! The pattern in the parentheses of an entry -> lines and paths of the language.
//!
//! Claude Code compares a pattern with the text of a command. Here it is compared with the words, which are quoted in one way
//! only. So a star may stand beside a quote: to deny or ask, the quote is optional; to allow, a star in quotes is part of one word.

use policy_syntax::{Effect, Span, quote};

use crate::codes;
use crate::command::{Lines, simple_line, word_of, words_of};
use crate::draft::Piece;
use crate::findings::Findings;

/// Adds the lines that a pattern matches, and returns one of them; `None` when it matches no simple command.
pub(super) fn add(
    lines: &mut Lines,
    effect: Effect,
    at: Span,
    pattern: &str,
    findings: &mut Findings,
) -> Option<String> {
    // `a:*` is another spelling of `a *`.
    let spelt = pattern.strip_suffix(":*").map_or_else(|| pattern.to_owned(), |text| format!("{text} *"));
    if let Some(prefix) = spelt.strip_suffix(" *").filter(|prefix| !prefix.contains('*')) {
        let line = simple_line(prefix)?;
        lines.starting_with(at, &line, findings);
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
        lines.pattern(at, &words.join(" "), findings);
    } else {
        let word = |(word, is_first): (&String, bool)| match has_star(word) {
            true => Some(starred(word, effect)),
            false => word_of(word, is_first).map(|word| regex_syntax::escape(&word)),
        };
        let words: Vec<String> = words.iter().zip(firsts()).map(word).collect::<Option<_>>()?;
        lines.regex(at, &format!("^{}$", words.join(" ")), findings);
    }
    simple_line(&shown)
}

/// Replaces stars with placeholder words; `None` if the text already contains one.
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

/// Returns a regex for a word with stars.
fn starred(word: &str, effect: Effect) -> String {
    if effect == Effect::Allow && !word.contains(OPEN_STAR) {
        // The star stays inside this word.
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
    // The text of the star decides whether the word is quoted. Only the certain case is allowed.
    let quotes = match effect {
        Effect::Allow if word.split(OPEN_STAR).all(is_plain_text) => "",
        Effect::Allow => "'",
        Effect::Ask | Effect::Deny => "'?",
    };
    format!("{quotes}{}{}", parts.join("(?s:.*)"), if word.ends_with(OPEN_STAR) { "" } else { quotes })
}

/// Returns true for a text that needs no quotes in a line.
fn is_plain_text(text: &str) -> bool {
    text.chars().all(|c| c.is_ascii_alphanumeric() || PLAIN.contains(c))
}

/// Returns a regex for a text inside the quotes of a line.
fn inside_quotes(text: &str) -> String {
    regex_syntax::escape(&text.replace('\'', "'\\''"))
}

/// Translates a pattern of `.gitignore` to patterns of paths.
///
/// A pattern without a slash matches at any depth, one with a slash from the workspace root; a directory matches everything in
/// it. To deny or ask, a pattern matches at any depth unless it starts with a slash.
pub(super) fn paths(effect: Effect, at: Span, pattern: Option<&str>, findings: &mut Findings) -> Vec<Piece> {
    let Some(pattern) = pattern else {
        return vec![Piece::new(at, "\"**\"")];
    };
    if pattern.contains(['?', '[', ']', '\\', '!', '{', '}']) {
        let message = format!("{} has an unsupported wildcard or escape", quote(pattern));
        findings.add(codes::NOT_EXPRESSIBLE, at, message, "`*` and `**` are the only wildcards: list the paths");
        return Vec::new();
    }
    let is_absolute = pattern.starts_with("//") || pattern.starts_with('~');
    let segments: Vec<&str> = pattern.split('/').filter(|segment| !matches!(*segment, "" | "." | "~")).collect();
    if segments.contains(&"..") || is_absolute && effect == Effect::Allow {
        let code = if effect == Effect::Deny { codes::NOT_A_RULE } else { codes::LEFT_OUT };
        let message = format!("{} is outside the workspace, where every request is denied", quote(pattern));
        findings.add(code, at, message, "choose a root that contains it, and write the path relative to that root");
        return Vec::new();
    }
    let from_here = segments.join("/");
    let is_located = pattern.starts_with('/') || segments.first() == Some(&"**");
    let is_anchored = is_located || effect == Effect::Allow && (segments.len() > 1 || pattern.starts_with("./"));
    let bases = if segments.is_empty() {
        vec!["**".to_owned()]
    } else if is_absolute {
        in_any_workspace(at, pattern, &segments, findings)
    } else if is_anchored {
        vec![from_here]
    } else {
        vec![format!("**/{from_here}")]
    };
    let below = |base: &String| (!base.ends_with("**")).then(|| format!("{base}/**"));
    let patterns: Vec<String> =
        bases.iter().flat_map(|base| std::iter::once(base.clone()).chain(below(base))).collect();
    patterns.iter().filter_map(|pattern| Some(Piece::new(at, findings.literal(at, pattern)?))).collect()
}

/// Returns patterns for an absolute path, for every place that the workspace could have on it.
fn in_any_workspace(at: Span, pattern: &str, segments: &[&str], findings: &mut Findings) -> Vec<String> {
    if segments.iter().any(|segment| *segment != "**") {
        let message = format!("{} is enforced at any depth of the workspace", quote(pattern));
        findings.add(
            codes::STRICTER,
            at,
            message,
            "the place of the workspace is unknown; write the path relative to the workspace",
        );
    }
    let rest = |from: usize| segments.iter().skip(from).copied().collect::<Vec<_>>().join("/");
    let is_whole = segments.iter().all(|segment| *segment == "**");
    // Only a pattern that consists of `**` alone covers the whole workspace.
    let tails = (0..segments.len()).map(rest).filter(|tail| is_whole || tail != "**");
    let mut patterns: Vec<String> = tails.collect();
    if let Some(first) = patterns.first_mut().filter(|first| !first.starts_with("**")) {
        *first = format!("**/{first}");
    }
    patterns
}

/// Characters that need no quotes, besides letters and digits.
const PLAIN: &str = "_@%+=:,./-";
const ANY_PLAIN: &str = "[A-Za-z0-9_@%+=:,./-]*";
/// A quote inside quotes closes them, is escaped, and opens them again.
const ANY_QUOTED: &str = "([^']|'\\\\'')*";

/// Placeholders for stars while the words around them are parsed.
const OPEN_STAR: &str = "zxStarxz";
const QUOTED_STAR: &str = "zxQuotedStarxz";
