//! Texts at the limits: of one character so many times, paths, and lists. The large ones are made once, and borrowed.

use crate::cases::{Bytes, Source, part};

/// One character, so many times.
#[derive(Debug, Clone, Copy)]
pub struct Run {
    /// `a`, or a character of four bytes.
    pub character: char,
    /// How often.
    pub count: usize,
}

impl Run {
    /// One of these.
    pub(super) fn draw<S: Source>(source: &mut S, choices: &[(char, usize)]) -> Self {
        let (character, count) = source.one_of(choices);
        Self { character, count }
    }

    /// As text.
    pub(super) fn as_str(self) -> &'static str {
        let (text, count) = match self.character {
            LETTER => (large::letters(), self.count),
            _ => (large::crabs(), self.count.saturating_mul(4)),
        };
        let text = text.get(..count);
        assert!(text.is_some(), "there are texts of every length in cases");
        text.unwrap_or_default()
    }
}

/// Zeros.
pub(super) fn zeros(count: usize) -> &'static [u8] {
    part(large::zeros(), 0, count)
}

/// Up to `N` bytes, and after them a character so often that the path has as many characters as may be, or one more.
/// All of it has `ROOM` bytes; with as many as the start may have, the start has all of them.
#[derive(Debug, Clone, Copy)]
pub struct Path<const N: usize, const ROOM: usize> {
    /// How it starts.
    pub start: Bytes<N>,
    /// What comes then.
    pub rest: Run,
}

impl<const N: usize, const ROOM: usize> Path<N, ROOM> {
    pub(super) fn draw<S: Source>(source: &mut S) -> Self {
        if ROOM == N {
            return Self { start: Bytes::draw_at_least(source, N, PATH), rest: Run { character: LETTER, count: 0 } };
        }
        let start = Bytes::draw(source, PATH);
        let left = PATH_CHARACTERS_MAX.saturating_sub(start.as_slice().len());
        let longer = left.saturating_add(1);
        let rest = [(LETTER, 0), (LETTER, left), (LETTER, longer), (CRAB, left), (CRAB, longer)];
        Self { start, rest: Run::draw(source, &rest) }
    }

    /// The path, if it is text.
    pub(super) fn text<'b>(&'b self, buffer: &'b mut [u8; ROOM]) -> Option<&'b str> {
        if ROOM == N {
            return core::str::from_utf8(self.start.as_slice()).ok();
        }
        let (start, rest) = (self.start.as_slice(), self.rest.as_str().as_bytes());
        let (first, after) = buffer.split_at_mut_checked(start.len())?;
        first.copy_from_slice(start);
        after.get_mut(..rest.len())?.copy_from_slice(rest);
        core::str::from_utf8(buffer.get(..start.len().saturating_add(rest.len()))?).ok()
    }
}

/// An entry of a list.
#[derive(Debug, Clone, Copy)]
pub struct Entry<const N: usize> {
    /// What it is, when it is short.
    pub short: Bytes<N>,
    /// How many bytes it has when it is not; zero when it is.
    pub long: usize,
}

/// Up to `COUNT` entries, and before them plain ones, so that it is `total` in all, if that is more. There is room for
/// `ROOM`; with room for `COUNT`, there are as many, and all are short.
#[derive(Debug, Clone, Copy)]
pub struct List<const N: usize, const COUNT: usize, const ROOM: usize> {
    /// The last entries.
    pub entries: [Entry<N>; COUNT],
    /// How many of them there are.
    pub count: usize,
    /// How many there are in all.
    pub total: usize,
}

impl<const N: usize, const COUNT: usize, const ROOM: usize> List<N, COUNT, ROOM> {
    /// No entries.
    fn none() -> Self {
        Self { entries: [Entry { short: Bytes::of(b""), long: 0 }; COUNT], count: 0, total: 0 }
    }

    /// A list beside a path: where that is long there is none, so that not every long one meets every other.
    pub(super) fn draw_beside<S: Source, const M: usize, const BYTES: usize>(
        source: &mut S,
        path: &Path<M, BYTES>,
    ) -> Self {
        if path.rest.count == 0 { Self::draw(source) } else { Self::none() }
    }

    pub(super) fn draw<S: Source>(source: &mut S) -> Self {
        let mut list = Self { count: COUNT, ..Self::none() };
        let is_small = ROOM == COUNT;
        if !is_small {
            list.count = source.below(COUNT.saturating_add(1));
            list.total = source.one_of(&[0, LIST_ENTRIES_MAX, LIST_ENTRIES_MAX.saturating_add(1)]);
        }
        let count = list.count;
        for entry in list.entries.iter_mut().take(count) {
            if is_small {
                entry.short = Bytes::draw_at_least(source, N, ENTRY);
            } else {
                entry.long = source.one_of(&[0, ENTRY_BYTES_MAX, ENTRY_BYTES_MAX.saturating_add(1)]);
                if entry.long == 0 {
                    entry.short = Bytes::draw(source, ENTRY);
                }
            }
        }
        list
    }

    /// The entries, and whether they are all text. Those that are none are empty, so that there are as many in any case:
    /// a model checker then knows how many.
    pub(super) fn texts<'b>(&'b self, buffer: &'b mut [&'b str; ROOM]) -> (&'b [&'b str], bool) {
        let total = self.count.max(self.total);
        let places = buffer.get_mut(total.saturating_sub(self.count)..total).unwrap_or_default();
        let mut are_text = true;
        for (place, entry) in places.iter_mut().zip(&self.entries) {
            let text = match entry.long {
                0 => core::str::from_utf8(entry.short.as_slice()).ok(),
                long => large::pair().get(..long),
            };
            are_text &= text.is_some();
            *place = text.unwrap_or_default();
        }
        let entries = buffer.get(..total);
        assert!(entries.is_some(), "there is room for every list");
        (entries.unwrap_or_default(), are_text)
    }
}

/// What an entry is that nothing is said about.
pub(super) const PLAIN_ENTRY: &str = "A=1";
pub(super) const LETTER: char = 'a';
pub(super) const CRAB: char = '\u{1f980}';
/// What paths are looked at for.
const PATH: &[u8] = b"./a\0";
/// What entries are looked at for.
const ENTRY: &[u8] = b"=a\0";
const PATH_CHARACTERS_MAX: usize = 4_096;
const LIST_ENTRIES_MAX: usize = 1_000;
const ENTRY_BYTES_MAX: usize = 32_768;

/// Texts that only machines with memory have.
#[cfg(not(any(kani, test)))]
mod large {
    use std::string::String;
    use std::sync::OnceLock;
    use std::vec;
    use std::vec::Vec;

    /// More than the longest text may have.
    pub(super) fn letters() -> &'static str {
        static LETTERS: OnceLock<String> = OnceLock::new();
        LETTERS.get_or_init(|| "a".repeat(10_485_761))
    }

    pub(super) fn crabs() -> &'static str {
        static CRABS: OnceLock<String> = OnceLock::new();
        CRABS.get_or_init(|| "\u{1f980}".repeat(2_621_441))
    }

    /// Key and value of more than an entry may have.
    pub(super) fn pair() -> &'static str {
        static PAIR: OnceLock<String> = OnceLock::new();
        PAIR.get_or_init(|| String::from("A=") + letters().get(..32_767).unwrap_or_default())
    }

    /// More than a file may be written with.
    pub(super) fn zeros() -> &'static [u8] {
        static ZEROS: OnceLock<Vec<u8>> = OnceLock::new();
        ZEROS.get_or_init(|| vec![0; 104_857_601])
    }
}

/// Those that a model checker can afford.
#[cfg(any(kani, test))]
mod large {
    /// More than a name may have.
    const LETTERS: &str = match core::str::from_utf8(&[b'a'; 257]) {
        Ok(text) => text,
        Err(_) => "",
    };
    const ZEROS: &[u8] = &[0; 40];

    pub(super) fn letters() -> &'static str {
        LETTERS
    }

    pub(super) fn crabs() -> &'static str {
        ""
    }

    pub(super) fn pair() -> &'static str {
        ""
    }

    pub(super) fn zeros() -> &'static [u8] {
        ZEROS
    }
}
