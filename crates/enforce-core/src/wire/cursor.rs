//! Bytes -> tags, numbers and runs of bytes, each in its one shortest form.

use super::error::{Malformed, WireError};

/// A place in a message.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cursor<'a> {
    bytes: &'a [u8],
    /// The next byte.
    at: usize,
    /// Where the message starts in the request, so that errors name a place there.
    base: usize,
}

/// What starts a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Tag {
    pub(super) number: u32,
    pub(super) shape: Shape,
    /// The place of its first byte in the request.
    pub(super) at: usize,
}

/// How a field is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    Varint,
    Delimited,
    /// Four or eight bytes, as no field here is.
    Fixed,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(bytes: &'a [u8], base: usize) -> Self {
        Self { bytes, at: 0, base }
    }

    /// The place of the next byte in the request.
    pub(super) fn place(&self) -> usize {
        self.base.saturating_add(self.at)
    }

    /// The next tag; nothing at the end.
    #[inline]
    pub(super) fn tag(&mut self) -> Result<Option<Tag>, WireError> {
        let at = self.place();
        if self.at >= self.bytes.len() {
            return Ok(None);
        }
        let refuse = |reason| Err(WireError { reason, at });
        let Ok(tag) = u32::try_from(self.varint()?) else {
            return refuse(Malformed::FieldNumber);
        };
        let number = tag >> WIRE_TYPE_BITS;
        if number == 0 {
            return refuse(Malformed::TrailingBytes);
        }
        let shape = match tag & WIRE_TYPE {
            0 => Shape::Varint,
            1 | 5 => Shape::Fixed,
            2 => Shape::Delimited,
            3 | 4 => return refuse(Malformed::Group { number }),
            _ => return refuse(Malformed::WireType { number }),
        };
        Ok(Some(Tag { number, shape, at }))
    }

    /// A number of up to 64 bits.
    #[inline]
    pub(super) fn varint(&mut self) -> Result<u64, WireError> {
        match self.bytes.get(self.at) {
            Some(byte) if *byte < MORE => {
                self.at = self.at.saturating_add(1);
                Ok(u64::from(*byte))
            }
            _ => self.long_varint(),
        }
    }

    #[inline(never)]
    fn long_varint(&mut self) -> Result<u64, WireError> {
        let at = self.place();
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let mut number = 0_u64;
        let mut shift = 0_u32;
        for byte in rest.iter().take(VARINT_BYTES_MAX) {
            let bits = u64::from(*byte & !MORE);
            // The tenth byte has room for one bit.
            if shift == 63 && bits > 1 {
                return Err(WireError { reason: Malformed::Overlong, at });
            }
            number |= bits.wrapping_shl(shift);
            self.at = self.at.saturating_add(1);
            if *byte < MORE {
                // A last byte of nothing could have been left out.
                let is_shortest = bits != 0 || shift == 0;
                return if is_shortest { Ok(number) } else { Err(WireError { reason: Malformed::Overlong, at }) };
            }
            shift = shift.wrapping_add(7);
        }
        let reason = if rest.len() < VARINT_BYTES_MAX { Malformed::Truncated } else { Malformed::Overlong };
        Err(WireError { reason, at })
    }

    /// As many bytes as the number before them says.
    #[inline]
    pub(super) fn delimited(&mut self) -> Result<&'a [u8], WireError> {
        let at = self.place();
        let len = self.varint()?;
        let end = usize::try_from(len).ok().and_then(|len| self.at.checked_add(len));
        match end.and_then(|end| Some((self.bytes.get(self.at..end)?, end))) {
            Some((run, end)) => {
                self.at = end;
                Ok(run)
            }
            None => Err(WireError { reason: Malformed::Truncated, at }),
        }
    }
}

const WIRE_TYPE_BITS: u32 = 3;
const WIRE_TYPE: u32 = (1 << WIRE_TYPE_BITS) - 1;
/// Set in every byte of a number but its last.
const MORE: u8 = 0x80;
const VARINT_BYTES_MAX: usize = 10;
