//! Untrusted text -> printable text, which cannot move the cursor, start a line or reorder its
//! neighbours. It is used for file names too.

use std::borrow::Cow;

use policy_syntax::is_unseen;

/// Escapes line breaks and invisible characters, as in `\u{1b}`.
pub(crate) fn visible(text: &str) -> Cow<'_, str> {
    replaced(text, is_unseen, |c, shown| shown.extend(c.escape_unicode()))
}

/// Like [`visible`], but keeps line breaks.
pub(crate) fn visible_lines(text: &str) -> Cow<'_, str> {
    replaced(text, |c| c != '\n' && is_unseen(c), |c, shown| shown.extend(c.escape_unicode()))
}

/// Replaces each invisible character by one mark, so that columns stay the same. ASCII control characters are left
/// to the renderer, which shows them itself.
pub(crate) fn visible_source(text: &str) -> Cow<'_, str> {
    replaced(text, |c| !c.is_ascii() && is_unseen(c), |_, shown| shown.push(char::REPLACEMENT_CHARACTER))
}

fn replaced(text: &str, is_replaced: impl Fn(char) -> bool, replace: impl Fn(char, &mut String)) -> Cow<'_, str> {
    if !text.chars().any(&is_replaced) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        if is_replaced(c) {
            replace(c, &mut shown);
        } else {
            shown.push(c);
        }
    }
    Cow::Owned(shown)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_seen_is_escaped_and_the_rest_is_not_copied() {
        assert!(matches!(visible("plain ü ☃"), Cow::Borrowed("plain ü ☃")));
        assert_eq!(visible("a\u{1b}[31m\nb"), "a\\u{1b}[31m\\u{a}b");
        assert_eq!(visible_lines("a\nb\r"), "a\nb\\u{d}");
    }

    #[test]
    fn source_keeps_its_columns() {
        let source = "a\u{202E}b\u{85}c\td\u{7}";
        assert_eq!(visible_source(source), "a\u{FFFD}b\u{FFFD}c\td\u{7}");
        assert_eq!(visible_source(source).chars().count(), source.chars().count());
    }
}
