//! Eight bytes at once against one byte at a time. Whole walks are compared in `tests/walks.rs`.

use std::vec::Vec;

use super::*;

#[test]
fn every_zero_byte_is_marked_and_no_other() {
    for bytes in eights() {
        let naive =
            |marks: u64, (place, byte): (u32, &u8)| if *byte == 0 { marks | 0x80 << (8 * place) } else { marks };
        let expected = (0..).zip(&bytes).fold(0, naive);
        assert_eq!(zero_bytes(u64::from_le_bytes(bytes)), expected, "{bytes:?}");
    }
}

#[test]
fn the_first_zero_byte_is_the_lowest() {
    for bytes in eights() {
        let first = (0..).zip(&bytes).find(|(_, byte)| **byte == 0).map(|(place, _)| 8 * place + 7);
        assert_eq!(first_zero_byte(u64::from_le_bytes(bytes)), first.unwrap_or(u64::BITS), "{bytes:?}");
    }
}

#[test]
fn zero_bytes_and_those_with_the_high_bit_alone_are_nearly_zero() {
    for bytes in eights() {
        let naive =
            |marks: u64, (place, byte): (u32, &u8)| if *byte & 0x7F == 0 { marks | 0x80 << (8 * place) } else { marks };
        let expected = (0..).zip(&bytes).fold(0, naive);
        assert_eq!(nearly_zero_bytes(u64::from_le_bytes(bytes)), expected, "{bytes:?}");
    }
}

#[test]
fn a_run_is_equal_when_each_of_its_bytes_is_and_the_others_do_not_matter() {
    for len in 1..=8 {
        let bytes: [u8; 8] = core::array::from_fn(|place| b'a' + u8::try_from(place).unwrap());
        for string_len in 0..=10 {
            let string: Vec<u8> = (0..string_len).map(|place| b'a' + place).collect();
            let (mut first, mut last) = ([0; 8], [0; 8]);
            first[..len].copy_from_slice(&bytes[..len]);
            let len_byte = u8::try_from(len).unwrap();
            let run = |bytes| Run { bytes, len: len_byte, after: After::Anything, next: Jump(0), miss: Class(0) };
            let mut rest = &string[..];
            assert_eq!(Forward::strip(&mut rest, &run(first)), string.len() >= len);
            if string.len() >= len {
                assert_eq!(rest, &string[len..]);
                last[8 - len..].copy_from_slice(&string[string.len() - len..]);
                let mut rest = &string[..];
                assert!(Backward::strip(&mut rest, &run(last)));
                assert_eq!(rest, &string[..string.len() - len]);
            }
            for (place, bit) in (0..len).flat_map(|place| (0..8).map(move |bit| (place, bit))) {
                let (mut front, mut back) = (first, last);
                front[place] ^= 1 << bit;
                back[7 - place] ^= 1 << bit;
                assert!(!Forward::strip(&mut &string[..], &run(front)), "{len} of {string_len}, byte {place}");
                assert!(!Backward::strip(&mut &string[..], &run(back)), "{len} of {string_len}, byte {place}");
            }
        }
    }
}

/// Any two bytes next to each other, at every place, with the same around them or zeros; and everything that
/// eight bytes of a few values can be.
fn eights() -> impl Iterator<Item = [u8; 8]> {
    let pairs = (0..=255).flat_map(|one| (0..=255).map(move |other| (one, other)));
    let placed = pairs.flat_map(|(one, other)| {
        [1, 0].into_iter().flat_map(move |around| {
            (0..7).map(move |place| {
                let mut bytes = [around; 8];
                (bytes[place], bytes[place + 1]) = (one, other);
                bytes
            })
        })
    });
    let few = (0..4_u32.pow(8)).map(|number| {
        let digit = |place: usize| number >> (2 * place) & 3;
        core::array::from_fn(|place| [0, 1, 0x80, 0xFF][usize::try_from(digit(place)).unwrap()])
    });
    placed.chain(few)
}
