//! What is known of one request for one target, in the numbering of one table.

use table_format::{OperationId, RoleId};

/// One operation on one target. What is not said is absent: a string that is not there matches no
/// pattern, a number that is not there is open, a flag that is not there is not set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Facts<'f> {
    /// What is asked for.
    pub operation: OperationId,
    /// The roles held.
    pub roles: &'f [RoleId],
    /// The operation's strings, in the order of its attributes.
    pub strings: &'f [Option<&'f [u8]>],
    /// The operation's numbers, in the order of its attributes.
    pub numbers: &'f [Option<u64>],
    /// The operation's flags, the first in the lowest bit.
    pub flags: u64,
}

impl<'f> Facts<'f> {
    #[inline]
    pub(crate) fn string(&self, slot: u16) -> Option<&'f [u8]> {
        self.strings.get(usize::from(slot)).copied().flatten()
    }

    #[inline]
    pub(crate) fn number(&self, slot: usize) -> Option<u64> {
        self.numbers.get(slot).copied().flatten()
    }

    #[inline]
    pub(crate) fn flag(&self, slot: u32) -> bool {
        self.flags.checked_shr(slot).unwrap_or_default() & 1 == 1
    }
}
