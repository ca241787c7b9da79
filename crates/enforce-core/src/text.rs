//! Text as bytes.

/// How many characters a text has. Bytes that are no UTF-8 have as many as it would take to hold them.
pub(crate) fn characters(text: &[u8]) -> usize {
    let is_start = |byte: &u8| *byte & 0b1100_0000 != 0b1000_0000;
    // Never more than there are bytes, so it cannot wrap.
    let starts = text.iter().fold(0_usize, |starts, byte| starts.wrapping_add(usize::from(is_start(byte))));
    starts.max(text.len().div_ceil(CHARACTER_BYTES_MAX))
}

/// What stands before and after the first such byte, which is ASCII.
pub(crate) fn split_once(text: &str, mark: u8) -> Option<(&str, &str)> {
    let at = text.as_bytes().iter().position(|byte| *byte == mark)?;
    Some((text.get(..at)?, text.get(at.checked_add(1)?..)?))
}

/// What stands after the last of such bytes, which are ASCII.
pub(crate) fn after_last(text: &str, is_mark: impl Fn(u8) -> bool) -> &str {
    let at = text.as_bytes().iter().rposition(|byte| is_mark(*byte));
    at.and_then(|at| text.get(at.checked_add(1)?..)).unwrap_or(text)
}

/// Whether a text has these bytes somewhere.
pub(crate) fn has(text: &str, part: &[u8]) -> bool {
    text.as_bytes().windows(part.len()).any(|window| window == part)
}

/// Whether a text starts with this byte.
pub(crate) fn starts_with(text: &str, byte: u8) -> bool {
    text.as_bytes().first() == Some(&byte)
}

/// Each with its place. The standard library's own counts with a panic, for lists that no memory holds.
pub(crate) fn numbered<T>(items: impl Iterator<Item = T>) -> impl Iterator<Item = (usize, T)> {
    let mut next = 0_usize;
    items.map(move |item| {
        let place = next;
        next = next.wrapping_add(1);
        (place, item)
    })
}

const CHARACTER_BYTES_MAX: usize = 4;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_taken_apart_at_marks() {
        assert_eq!(split_once("a=b=c", b'='), Some(("a", "b=c")));
        assert_eq!(split_once("\u{e9}:", b':'), Some(("\u{e9}", "")));
        assert_eq!(split_once("a", b'='), None);
        assert_eq!(after_last("a/b:c", |byte| matches!(byte, b'/' | b':')), "c");
        assert_eq!(after_last("abc", |byte| byte == b'/'), "abc");
        assert!(has("a..b", b"..") && !has("a.b", b"..") && !has(".", b".."));
        assert!(starts_with("-a", b'-') && !starts_with("", b'-') && !starts_with("a-", b'-'));
        assert!(numbered(["a", "b"].into_iter()).eq([(0, "a"), (1, "b")]));
    }

    #[test]
    fn characters_are_counted_and_bytes_that_are_none_are_not_hidden() {
        for (text, expected) in [(&b""[..], 0), (b"abc", 3), ("\u{e9}\u{20ac}\u{1f980}".as_bytes(), 3), (&[0x80; 9], 3)]
        {
            assert_eq!(characters(text), expected, "{text:?}");
        }
    }
}
