//! What others wrote -> what may be shown of a record: on one line, left to right, and no two texts alike.

use std::fmt;

/// Text of a record as a terminal may have it.
///
/// Escaped are controls (a new line would look like another record, an escape would move the cursor), ends of lines, marks
/// that turn or hide what stands beside them, and the backslash, which escapes.
#[derive(Debug, Clone, Copy)]
pub struct Shown<'a>(pub &'a str);

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use fmt::Write as _;
        self.0.chars().try_for_each(|character| match character {
            '\n' => f.write_str("\\n"),
            '\r' => f.write_str("\\r"),
            '\t' => f.write_str("\\t"),
            '\\' => f.write_str("\\\\"),
            _ if is_hidden(character) => write!(f, "\\u{{{:x}}}", u32::from(character)),
            _ => f.write_char(character),
        })
    }
}

/// Controls, and what is not seen itself but changes how its neighbours are.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trust_audit_what_breaks_the_line_or_turns_it_is_escaped() {
        for (text, expected) in [
            ("src/main.rs", "src/main.rs"),
            ("a\nresult ok\r\t", "a\\nresult ok\\r\\t"),
            ("\u{1b}[2J\u{9b}31m", "\\u{1b}[2J\\u{9b}31m"),
            ("a\u{202e}b\u{2066}c", "a\\u{202e}b\\u{2066}c"),
            ("\u{2028}\u{2029}\u{85}\0", "\\u{2028}\\u{2029}\\u{85}\\u{0}"),
            ("\\n", "\\\\n"),
            ("\u{e9}\u{4e2d}\u{1f980}", "\u{e9}\u{4e2d}\u{1f980}"),
        ] {
            assert_eq!(Shown(text).to_string(), expected);
        }
    }

    #[test]
    fn no_two_characters_are_shown_alike() {
        let mut seen = std::collections::HashSet::new();
        for character in '\0'..=char::MAX {
            let shown = Shown(&character.to_string()).to_string();
            assert!(!shown.contains(['\n', '\r', '\u{1b}', '\u{202e}', '\u{2028}']), "{character:?}");
            assert!(seen.insert(shown), "{character:?}");
        }
    }
}
