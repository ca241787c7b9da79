//! Text -> words: splits a file without fail, so that every byte is understood or reported.

use pest::Parser;

use crate::ast::Comment;
use crate::grammar::{Grammar, Rule};
use crate::source::Span;

/// A word, sign or literal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Word {
    pub(crate) kind: WordKind,
    pub(crate) span: Span,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WordKind {
    String,
    Unclosed,
    Number,
    Word,
    Sign,
    Stray,
}

/// A file split into its words and its comments.
#[derive(Debug, Default)]
pub(crate) struct Words {
    pub(crate) words: Vec<Word>,
    pub(crate) comments: Vec<Comment>,
}

/// Splits a text. No word crosses a line break, so the lines are split one by one and a large
/// file needs no large stack of tokens.
pub(crate) fn split(text: &str) -> Words {
    let mut all = Words::default();
    let mut line_start = 0;
    for line in text.split_inclusive('\n') {
        let words_before = all.words.len();
        let pairs = Grammar::parse(Rule::words, line).into_iter().flatten();
        for pair in pairs.flat_map(pest::iterators::Pair::into_inner) {
            let within = pair.as_span();
            let span = Span::new(line_start + within.start(), line_start + within.end());
            let kind = match pair.as_rule() {
                Rule::string => WordKind::String,
                Rule::unclosed => WordKind::Unclosed,
                Rule::number => WordKind::Number,
                Rule::word => WordKind::Word,
                Rule::sign => WordKind::Sign,
                Rule::stray => WordKind::Stray,
                Rule::comment => {
                    all.comments.push(Comment {
                        text: pair.as_str().trim_end().to_owned(),
                        span,
                        own_line: all.words.len() == words_before,
                    });
                    continue;
                }
                _ => continue,
            };
            all.words.push(Word { kind, span });
        }
        line_start += line.len();
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_is_a_word_a_comment_or_blank() {
        let text = "rule a-b: \"x \\\" y\" 1_0.5 file.* *.x <= => # c ü\n ; && \"open";
        let split = split(text);
        let seen: Vec<_> = split.words.iter().map(|word| (word.kind, &text[word.span.range()])).collect();
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
                (WordKind::Unclosed, "\"open"),
            ]
        );
        assert_eq!(split.comments[0].text, "# c ü");
        assert!(!split.comments[0].own_line);
    }
}
