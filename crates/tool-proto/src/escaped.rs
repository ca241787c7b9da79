//! Text of others -> text that can be shown on one line, in quotes, left to right.

use std::fmt;

/// Text that is shown between backticks.
///
/// It escapes control characters (a line break would start a record of a log, an escape would move a terminal's cursor), marks
/// that reorder or hide their neighbours, and the backtick and the backslash, so that no text can end the quotes and no two
/// texts look the same. Text after [`ESCAPED_CHARACTERS_MAX`] is left out.
#[derive(Debug, Clone, Copy)]
pub struct Escaped<'a>(pub &'a str);

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Most texts need no look at each character.
        if self.0.len() <= ESCAPED_CHARACTERS_MAX && unescaped(self.0.as_bytes()).is_some() {
            return f.write_str(self.0);
        }
        let mut characters = self.0.chars();
        characters
            .by_ref()
            .take(ESCAPED_CHARACTERS_MAX)
            .try_for_each(|character| put(f, character, is_escaped(character)))?;
        if characters.next().is_some() { f.write_str("\u{2026}") } else { Ok(()) }
    }
}

/// Text that is shown outside quotes, without characters that would break or reorder the line.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Plain<'a>(pub(crate) &'a str);

impl fmt::Display for Plain<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if is_printable(self.0) {
            return f.write_str(self.0);
        }
        self.0.chars().try_for_each(|character| put(f, character, is_hidden(character)))
    }
}

/// True for visible ASCII and blanks.
pub(crate) fn is_printable(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b' '..=b'~'))
}

/// Returns the text if it is printable ASCII and nothing in it has to be escaped.
pub(crate) fn unescaped(bytes: &[u8]) -> Option<&str> {
    let text = str::from_utf8(bytes).ok()?;
    (is_printable(text) && !bytes.iter().any(|byte| matches!(byte, b'`' | b'\\'))).then_some(text)
}

fn put(f: &mut fmt::Formatter<'_>, character: char, is_escaped: bool) -> fmt::Result {
    use fmt::Write as _;
    match character {
        _ if !is_escaped => f.write_char(character),
        '\n' => f.write_str("\\n"),
        '\r' => f.write_str("\\r"),
        '\t' => f.write_str("\\t"),
        '\\' => f.write_str("\\\\"),
        _ => write!(f, "\\u{{{:x}}}", u32::from(character)),
    }
}

fn is_escaped(character: char) -> bool {
    matches!(character, '`' | '\\') || is_hidden(character)
}

/// True for control characters, line and paragraph ends, and invisible characters that change how their neighbours look.
fn is_hidden(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            '\u{ad}'
                | '\u{34f}'
                | '\u{61c}'
                | '\u{115f}'..='\u{1160}'
                | '\u{17b4}'..='\u{17b5}'
                | '\u{180b}'..='\u{180f}'
                | '\u{200b}'..='\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{3164}'
                | '\u{fe00}'..='\u{fe0f}'
                | '\u{feff}'
                | '\u{ffa0}'
                | '\u{fff0}'..='\u{fffb}'
                | '\u{1bca0}'..='\u{1bca3}'
                | '\u{1d173}'..='\u{1d17a}'
                | '\u{e0000}'..='\u{e0fff}'
        )
}

/// Escaping makes a text up to ten times as long, so that only its beginning is shown.
pub const ESCAPED_CHARACTERS_MAX: usize = 1_024;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_is_cut() {
        let most = "a".repeat(ESCAPED_CHARACTERS_MAX);
        assert_eq!(Escaped(&most).to_string(), most);
        assert_eq!(Escaped(&(most.clone() + "b")).to_string(), most + "\u{2026}");
    }

    #[test]
    fn characters_that_break_the_line_or_the_quotes_or_reorder_text_are_escaped() {
        for (text, expected) in [
            ("a\nb\r\t", "a\\nb\\r\\t"),
            ("\u{1b}[31m", "\\u{1b}[31m"),
            ("\u{9b}31m\u{85}\u{7f}\0", "\\u{9b}31m\\u{85}\\u{7f}\\u{0}"),
            ("a\u{202e}b\u{2066}c\u{200f}", "a\\u{202e}b\\u{2066}c\\u{200f}"),
            ("\u{2028}\u{2029}\u{feff}\u{e0041}", "\\u{2028}\\u{2029}\\u{feff}\\u{e0041}"),
            ("` is allowed", "\\u{60} is allowed"),
            ("\\n", "\\\\n"),
            ("\u{e9}\u{4e2d}\u{1f980} ~", "\u{e9}\u{4e2d}\u{1f980} ~"),
        ] {
            assert_eq!(Escaped(text).to_string(), expected);
        }
    }

    #[test]
    fn words_keep_their_backticks_and_not_their_new_lines() {
        assert_eq!(Plain("has a `..`\n\u{202e}\\").to_string(), "has a `..`\\n\\u{202e}\\");
    }

    #[test]
    fn text_counts_as_plain_exactly_when_no_character_is_escaped() {
        for byte in 0..=u8::MAX {
            let is_plain = byte.is_ascii() && !is_escaped(char::from(byte));
            assert_eq!(unescaped(&[b'a', byte]).is_some(), is_plain, "{byte}");
            let text = char::from(byte).to_string();
            assert_eq!(is_printable(&text), byte.is_ascii() && !is_hidden(char::from(byte)), "{byte}");
        }
    }

    #[test]
    fn no_two_characters_are_shown_alike() {
        let mut seen = std::collections::HashSet::new();
        for character in '\0'..=char::MAX {
            let shown = Escaped(&character.to_string()).to_string();
            assert!(!shown.contains(['\n', '\r', '`', '\u{1b}', '\u{202e}']), "{character:?}");
            assert!(seen.insert(shown), "{character:?}");
        }
    }
}
