//! A list of a message, which stays where it is and is read again when it is asked for.

use core::fmt;
use core::marker::PhantomData;

use super::cursor::{Cursor, Shape};

/// The entries of a list.
#[derive(Clone, Copy)]
pub struct Repeated<'a, T> {
    source: Source<'a, T>,
}

/// A list of text.
pub type Texts<'a> = Repeated<'a, &'a str>;

#[derive(Clone, Copy)]
enum Source<'a, T> {
    /// In a message that has been read to its end.
    Message { bytes: &'a [u8], number: u32, count: u64, entries: PhantomData<T> },
    /// In memory of the caller's own.
    Listed(&'a [T]),
}

/// What can be an entry.
pub trait Entry<'a>: Copy {
    /// Reads one that has been checked.
    #[doc(hidden)]
    fn read(bytes: &'a [u8]) -> Option<Self>;
}

impl<'a> Entry<'a> for &'a str {
    fn read(bytes: &'a [u8]) -> Option<Self> {
        core::str::from_utf8(bytes).ok()
    }
}

impl<'a, T> Repeated<'a, T> {
    /// No entries.
    pub const EMPTY: Self = Self { source: Source::Listed(&[]) };

    /// These entries.
    #[must_use]
    pub fn listed(entries: &'a [T]) -> Self {
        Self { source: Source::Listed(entries) }
    }

    pub(super) fn read(bytes: &'a [u8], number: u32, count: u64) -> Self {
        Self { source: Source::Message { bytes, number, count, entries: PhantomData } }
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        match &self.source {
            Source::Message { count, .. } => usize::try_from(*count).unwrap_or(usize::MAX),
            Source::Listed(entries) => entries.len(),
        }
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl<'a, T: Entry<'a>> Repeated<'a, T> {
    /// The entries, in their order. Going through all of them costs the length of the message.
    pub fn iter(&self) -> impl Iterator<Item = T> + use<'a, T> {
        let mut source = match self.source {
            Source::Message { bytes, number, .. } => Err((Cursor::new(bytes, 0), number)),
            Source::Listed(entries) => Ok(entries.iter()),
        };
        core::iter::from_fn(move || match &mut source {
            Ok(entries) => entries.next().copied(),
            Err((cursor, number)) => next(cursor, *number).and_then(T::read),
        })
    }
}

/// The next entry. The message has been read before, so that nothing here can fail.
fn next<'a>(cursor: &mut Cursor<'a>, number: u32) -> Option<&'a [u8]> {
    while let Some(tag) = cursor.tag().ok().flatten() {
        match tag.shape {
            Shape::Varint => {
                cursor.varint().ok()?;
            }
            Shape::Delimited => {
                let bytes = cursor.delimited().ok()?;
                if tag.number == number {
                    return Some(bytes);
                }
            }
            Shape::Fixed => return None,
        }
    }
    None
}

impl<T> Default for Repeated<'_, T> {
    fn default() -> Self {
        Self::EMPTY
    }
}

impl<'a, T: Entry<'a> + PartialEq> PartialEq for Repeated<'a, T> {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

impl<'a, T: Entry<'a> + Eq> Eq for Repeated<'a, T> {}

impl<'a, T: Entry<'a> + fmt::Debug> fmt::Debug for Repeated<'a, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}
