//! Text as bytes.

/// How many characters a text has. Bytes that are no UTF-8 have as many as it would take to hold them.
pub(crate) fn characters(text: &[u8]) -> usize {
    let is_start = |byte: &u8| *byte & 0b1100_0000 != 0b1000_0000;
    // Never more than there are bytes, so it cannot wrap.
    let starts = text.iter().fold(0_usize, |starts, byte| starts.wrapping_add(usize::from(is_start(byte))));
    starts.max(text.len().div_ceil(CHARACTER_BYTES_MAX))
}

const CHARACTER_BYTES_MAX: usize = 4;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_are_counted_and_bytes_that_are_none_are_not_hidden() {
        for (text, expected) in [(&b""[..], 0), (b"abc", 3), ("\u{e9}\u{20ac}\u{1f980}".as_bytes(), 3), (&[0x80; 9], 3)]
        {
            assert_eq!(characters(text), expected, "{text:?}");
        }
    }
}
