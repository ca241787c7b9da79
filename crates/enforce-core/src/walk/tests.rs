//! Eight bytes at once against one byte at a time. Whole walks are compared in `tests/walks.rs`.

use std::vec::Vec;

use super::*;

extern crate std;

#[test]
fn a_byte_among_eight_is_found_where_it_first_stands() {
    // Every byte, among copies of every other, at every place, alone and followed by itself: what a borrow
    // could carry from one byte into the next is among these.
    for byte in 0..=255 {
        for other in 0..=255 {
            let mut bytes = [other; 8];
            assert_eq!(position(u64::from_le_bytes(bytes), byte), (byte == other).then_some(0));
            for place in (0..8).rev() {
                bytes[place] = byte;
                let expected = if byte == other { 0 } else { u32::try_from(place).unwrap() };
                assert_eq!(position(u64::from_le_bytes(bytes), byte), Some(expected), "{byte} in {bytes:?}");
                let mut alone = [other; 8];
                alone[place] = byte;
                assert_eq!(position(u64::from_le_bytes(alone), byte), Some(expected), "{byte} in {alone:?}");
            }
        }
    }
}

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
fn slices_are_equal_when_every_byte_is() {
    for len in 0..=25 {
        let left: Vec<u8> = (0..len).collect();
        assert!(equal(&left, &left.clone()));
        for place in 0..left.len() {
            for bit in 0..8 {
                let mut right = left.clone();
                right[place] ^= 1 << bit;
                assert!(!equal(&left, &right), "{len} bytes, bit {bit} of byte {place}");
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
