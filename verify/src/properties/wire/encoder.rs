//! Fields -> bytes, in the plainest way: each field after its tag, numbers in their shortest form.

use crate::cases::{Bytes, part};

/// What has been written so far, into `ROOM` bytes. Small ones are cheap for a model checker.
#[derive(Clone, Copy)]
pub(crate) struct Encoder<const ROOM: usize> {
    bytes: [u8; ROOM],
    len: usize,
}

impl<const ROOM: usize> Encoder<ROOM> {
    pub(crate) fn new() -> Self {
        Self { bytes: [0; ROOM], len: 0 }
    }

    pub(crate) fn as_slice(&self) -> &[u8] {
        assert!(self.len <= ROOM, "there is room for every case");
        part(&self.bytes, 0, self.len)
    }

    /// What is known of its length, to find out where fields end.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    pub(crate) fn byte(&mut self, byte: u8) {
        if let Some(place) = self.bytes.get_mut(self.len) {
            *place = byte;
        }
        self.len = self.len.saturating_add(1);
    }

    /// Bytes as they are. In pieces, because one long loop would have a model checker go round all others as often.
    pub(crate) fn raw(&mut self, bytes: &[u8]) {
        for piece in bytes.chunks(PIECE) {
            for byte in piece {
                self.byte(*byte);
            }
        }
    }

    /// Seven bits in each byte, the lowest first; all but the last have the high bit set.
    pub(crate) fn varint(&mut self, number: u64) {
        let mut rest = number;
        while rest > 0x7f {
            self.byte(low_byte(rest) | 0x80);
            rest >>= 7;
        }
        self.byte(low_byte(rest));
    }

    pub(crate) fn tag(&mut self, number: u32, wire_type: u32) {
        self.varint(u64::from(number << 3 | wire_type));
    }

    /// A field that is a number.
    pub(crate) fn number(&mut self, number: u32, value: u64) {
        self.tag(number, 0);
        self.varint(value);
    }

    /// A field that is text, bytes or a message.
    pub(crate) fn run(&mut self, number: u32, bytes: &[u8]) {
        self.tag(number, 2);
        self.varint(u64::try_from(bytes.len()).unwrap_or(u64::MAX));
        self.raw(bytes);
    }
}

/// The text of bytes that are UTF-8.
pub(super) fn text<const N: usize>(bytes: &Bytes<N>) -> Option<&str> {
    core::str::from_utf8(bytes.as_slice()).ok()
}

fn low_byte(number: u64) -> u8 {
    let [low, ..] = number.to_le_bytes();
    low
}

/// How many bytes are written in one go.
const PIECE: usize = 3;
