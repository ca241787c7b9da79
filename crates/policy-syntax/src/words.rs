//! Text -> words: splits a file without fail, so that every byte is understood or reported.
//!
//! The grammar reads the same words; this pass finds where statements start, what is no word at
//! all, and the comments, at a fraction of a parser's cost.

use crate::ast::Comment;
use crate::source::Span;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Word {
    pub(crate) kind: WordKind,
    pub(crate) span: Span,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WordKind {
    String,
    /// A string without its closing quote.
    Unclosed,
    /// Digits and underscores, perhaps with a fraction.
    Number,
    /// A keyword, a name, or names joined by dots; `*` may stand for one of them.
    Word,
    Sign,
    /// Anything else. Operators of other languages are kept whole, so that one mistake is one finding.
    Stray,
}

#[derive(Debug, Default)]
pub(crate) struct Words {
    pub(crate) words: Vec<Word>,
    pub(crate) comments: Vec<Comment>,
}

/// Splits a text into words. No word crosses a line break.
pub(crate) fn split(text: &str) -> Words {
    let mut all = Words::default();
    let mut line_start = 0;
    for line in text.split_inclusive('\n') {
        let mut rest = line.strip_suffix("\r\n").or_else(|| line.strip_suffix('\n')).unwrap_or(line);
        let mut start = line_start;
        let words_before = all.words.len();
        while let Some((bytes, kind)) = first(rest) {
            let (word, after) = rest.split_at_checked(bytes).unwrap_or((rest, ""));
            let span = Span::new(start, start + word.len());
            match kind {
                First::Blank => {}
                First::Word(kind) => all.words.push(Word { kind, span }),
                First::Comment => all.comments.push(Comment {
                    text: word.trim_end().to_owned(),
                    span,
                    own_line: all.words.len() == words_before,
                }),
            }
            start = start.saturating_add(word.len());
            rest = after;
        }
        line_start = line_start.saturating_add(line.len());
    }
    all
}

enum First {
    Blank,
    Comment,
    Word(WordKind),
}

/// Returns the kind and length in bytes of what a line starts with; `None` at its end.
fn first(line: &str) -> Option<(usize, First)> {
    let c = line.chars().next()?;
    Some(match c {
        ' ' | '\t' => (run(line, |byte| matches!(byte, b' ' | b'\t')), First::Blank),
        '#' => (line.len(), First::Comment),
        '"' => match string_end(line) {
            Some(end) => (end, First::Word(WordKind::String)),
            None => (line.len(), First::Word(WordKind::Unclosed)),
        },
        '0'..='9' => (number_end(line), First::Word(WordKind::Number)),
        'a'..='z' | 'A'..='Z' | '*' => (word_end(line), First::Word(WordKind::Word)),
        _ => match SIGNS.iter().find(|sign| line.starts_with(**sign)) {
            Some(sign) => (sign.len(), First::Word(WordKind::Sign)),
            None => {
                let foreign = FOREIGN_SIGNS.iter().find(|sign| line.starts_with(**sign)).map(|sign| sign.len());
                let word = line
                    .chars()
                    .take_while(|c| c.is_alphanumeric() && !c.is_ascii())
                    .map(char::len_utf8)
                    .sum::<usize>();
                let bytes = foreign.or_else(|| foreign_string_end(line)).unwrap_or(c.len_utf8().max(word));
                (bytes, First::Word(WordKind::Stray))
            }
        },
    })
}

/// Returns the end of a string, including its closing quote. A backslash escapes the next character.
fn string_end(line: &str) -> Option<usize> {
    let mut bytes = line.bytes().enumerate().skip(1);
    while let Some((at, byte)) = bytes.next() {
        match byte {
            b'"' => return Some(at.saturating_add(1)),
            b'\\' => {
                bytes.next();
            }
            _ => {}
        }
    }
    None
}

/// Returns the end of a string in another language's quotes.
fn foreign_string_end(line: &str) -> Option<usize> {
    let quote = line.chars().next().filter(|c| matches!(c, '\'' | '`'))?;
    line.char_indices().skip(1).find(|(_, c)| *c == quote).map(|(at, quote)| at.saturating_add(quote.len_utf8()))
}

fn number_end(line: &str) -> usize {
    let whole = run(line, |byte| byte.is_ascii_digit() || byte == b'_');
    let fraction = line.get(whole..).and_then(|rest| rest.strip_prefix('.'));
    match fraction.map(|fraction| run(fraction, |byte| byte.is_ascii_digit())) {
        None | Some(0) => whole,
        Some(digits) => whole.saturating_add(1).saturating_add(digits),
    }
}

/// Returns the end of `name`, `name.name`, `name.*` and so on.
fn word_end(line: &str) -> usize {
    let mut end = part_end(line);
    while let Some(next) = line.get(end..).and_then(|rest| rest.strip_prefix('.')) {
        match part_end(next) {
            0 => break,
            part => end = end.saturating_add(1).saturating_add(part),
        }
    }
    end
}

/// Returns the end of a star, or of letters, digits and underscores with single hyphens inside.
fn part_end(text: &str) -> usize {
    if text.starts_with('*') {
        return 1;
    }
    if !text.starts_with(|c: char| c.is_ascii_alphabetic()) {
        return 0;
    }
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let mut end = run(text, is_word);
    while let Some(next) = text.get(end..).and_then(|rest| rest.strip_prefix('-')) {
        match run(next, is_word) {
            0 => break,
            part => end = end.saturating_add(1).saturating_add(part),
        }
    }
    end
}

fn run(text: &str, belongs: impl Fn(u8) -> bool) -> usize {
    text.bytes().take_while(|byte| belongs(*byte)).count()
}

/// Longer signs come first.
const SIGNS: [&str; 14] = ["=>", "==", "!=", "<=", ">=", "<", ">", "=", ",", ":", "(", ")", "{", "}"];

const FOREIGN_SIGNS: [&str; 3] = ["&&", "||", "->"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_is_a_word_a_comment_or_blank() {
        let text = "rule a-b: \"x \\\" y\" 1_0.5 file.* *.x <= => # c ü \r\n ; && a--b 1. \"open\\";
        let split = split(text);
        let seen: Vec<_> =
            split.words.iter().map(|word| (word.kind, text.get(word.span.range()).unwrap_or_default())).collect();
        assert_eq!(
            seen,
            [
                (WordKind::Word, "rule"),
                (WordKind::Word, "a-b"),
                (WordKind::Sign, ":"),
                (WordKind::String, "\"x \\\" y\""),
                (WordKind::Number, "1_0.5"),
                (WordKind::Word, "file.*"),
                (WordKind::Word, "*.x"),
                (WordKind::Sign, "<="),
                (WordKind::Sign, "=>"),
                (WordKind::Stray, ";"),
                (WordKind::Stray, "&&"),
                (WordKind::Word, "a"),
                (WordKind::Stray, "-"),
                (WordKind::Stray, "-"),
                (WordKind::Word, "b"),
                (WordKind::Number, "1"),
                (WordKind::Stray, "."),
                (WordKind::Unclosed, "\"open\\"),
            ]
        );
        assert_eq!(split.comments[0].text, "# c ü");
        assert!(!split.comments[0].own_line);
    }

    #[test]
    fn words_and_comments_cover_all_but_blanks() {
        let text = "a\u{301}b \"ü\\\u{fc}\" 7_ x.*.y \u{feff}# z\n\t\"\\";
        let split = split(text);
        let covered = split.words.iter().map(|word| word.span).chain(split.comments.iter().map(|c| c.span));
        let mut left = text.to_owned();
        for span in covered {
            left.replace_range(span.range(), &" ".repeat(span.range().len()));
        }
        assert_eq!(left.trim(), "");
    }

    /// The formatter prints the words of this file, and the parser reads those of the grammar.
    #[test]
    fn the_grammar_reads_the_same_words() {
        use pest::Parser;
        let texts = [
            include_str!("../../../policies/examples/coding-agent.policy"),
            include_str!("../../../policies/examples/mcp-gateway.policy"),
            include_str!("../../../policies/std/secrets.policy"),
            include_str!("../../../policies/starter.policy"),
        ];
        for text in texts {
            let words = split(text).words;
            let pairs = crate::build::Grammar::parse(crate::build::Rule::statements, text).unwrap();
            let mut leaves = 0;
            for pair in pairs.flatten().filter(|pair| pair.clone().into_inner().next().is_none()) {
                let span = Span::new(pair.as_span().start(), pair.as_span().end());
                if span.start == span.end {
                    continue;
                }
                leaves += 1;
                assert!(words.iter().any(|word| word.span == span), "{:?} is no word", pair.as_str());
            }
            assert_eq!(leaves, words.len());
        }
    }
}
