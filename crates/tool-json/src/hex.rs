//! 64 hexadecimal digits <-> 32 bytes. Lower case only, so that one hash has one text.

use std::fmt::Write as _;

use enforce_core::limits::HASH_SIZE;

/// The bytes of digits; nothing when they are not exactly as many, or are none.
pub(crate) fn read(digits: &str) -> Option<[u8; HASH_SIZE]> {
    let mut hash = [0; HASH_SIZE];
    let (pairs, rest) = digits.as_bytes().as_chunks::<2>();
    if pairs.len() != HASH_SIZE || !rest.is_empty() {
        return None;
    }
    for (byte, [high, low]) in hash.iter_mut().zip(pairs) {
        *byte = digit(*high)? << 4 | digit(*low)?;
    }
    Some(hash)
}

/// The digits of bytes.
pub(crate) fn write(hash: &[u8; HASH_SIZE]) -> String {
    hash.iter().fold(String::with_capacity(2 * HASH_SIZE), |mut digits, byte| {
        // Text takes whatever is written to it.
        let _ = write!(digits, "{byte:02x}");
        digits
    })
}

fn digit(digit: u8) -> Option<u8> {
    match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_is_written_and_read_again() {
        for byte in 0..=u8::MAX {
            let mut hash = [byte; HASH_SIZE];
            hash[31] = !byte;
            assert_eq!(read(&write(&hash)), Some(hash));
        }
    }

    #[test]
    fn only_64_digits_in_lower_case_are_read() {
        let digits = "0123456789abcdef".repeat(4);
        assert!(read(&digits).is_some());
        for other in
            ["", &digits.repeat(2), &digits.replacen('0', "", 1), &digits.replacen("01", "", 1), &format!("{digits}0")]
        {
            assert_eq!(read(other), None, "{other}");
        }
        for odd in ["A", "F", "g", "/", ":", "`", " ", "\0"] {
            assert_eq!(read(&digits.replacen('5', odd, 1)), None, "{odd}");
        }
        assert_eq!(read(&"\u{e9}".repeat(32)), None);
    }
}
