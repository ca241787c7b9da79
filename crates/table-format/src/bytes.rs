//! Little-endian numbers in rows of bytes, read and written field by field without indexing.

/// The unread fields of a row.
pub(crate) struct Fields<'a>(&'a [u8]);

impl<'a> Fields<'a> {
    pub(crate) fn of(row: &'a [u8]) -> Self {
        Self(row)
    }

    #[inline(always)]
    pub(crate) fn u8(&mut self) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*first)
    }

    #[inline(always)]
    pub(crate) fn u16(&mut self) -> Option<u16> {
        let (first, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(u16::from_le_bytes(*first))
    }

    #[inline(always)]
    pub(crate) fn u32(&mut self) -> Option<u32> {
        let (first, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(u32::from_le_bytes(*first))
    }

    pub(crate) fn u64(&mut self) -> Option<u64> {
        let (first, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(u64::from_le_bytes(*first))
    }

    pub(crate) fn digest(&mut self) -> Option<[u8; 32]> {
        let (first, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*first)
    }

    /// Requires unused bytes to be zero, so that a row has one spelling.
    pub(crate) fn zeros(&mut self, count: usize) -> Option<()> {
        let (zeros, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        zeros.iter().all(|byte| *byte == 0).then_some(())
    }
}

/// A writer into a buffer. Bytes beyond its end are dropped, and `is_short` is set.
pub(crate) struct Sink<'a> {
    rest: &'a mut [u8],
    pub(crate) is_short: bool,
}

impl<'a> Sink<'a> {
    pub(crate) fn into(buffer: &'a mut [u8]) -> Self {
        Self { rest: buffer, is_short: false }
    }

    pub(crate) fn bytes(&mut self, bytes: &[u8]) -> &mut Self {
        match core::mem::take(&mut self.rest).split_at_mut_checked(bytes.len()) {
            Some((head, tail)) => {
                // Not `copy_from_slice`: its panic is only removed when optimizing for speed.
                head.iter_mut().zip(bytes).for_each(|(to, from)| *to = *from);
                self.rest = tail;
            }
            None => self.is_short = true,
        }
        self
    }

    pub(crate) fn u8(&mut self, value: u8) -> &mut Self {
        self.bytes(&[value])
    }

    pub(crate) fn u16(&mut self, value: u16) -> &mut Self {
        self.bytes(&value.to_le_bytes())
    }

    pub(crate) fn u32(&mut self, value: u32) -> &mut Self {
        self.bytes(&value.to_le_bytes())
    }

    pub(crate) fn u64(&mut self, value: u64) -> &mut Self {
        self.bytes(&value.to_le_bytes())
    }
}

/// Converts a row number to an index; one that does not fit a `usize` is out of range anyway.
#[inline(always)]
pub(crate) fn index(number: u32) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}
