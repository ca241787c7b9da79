//! Choices -> files: kept tables with other bytes, and headers with noise behind them.

use core::fmt;

use table_format::{Digest, Section};

use crate::cases::{Case, Source};
use crate::kept::{WIDE, bytes};
use crate::sheet::{DIGEST_AT, DIGEST_BYTES, VOUCHED};

/// Up to `64 * ROOM` bytes.
///
/// They lie in words of words, because a model checker that chooses one byte of a long array knows nothing of the others
/// any more, and in short arrays it does.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Filed<const ROOM: usize> {
    blocks: [[[u8; 4]; 16]; ROOM],
    len: usize,
}

impl<const ROOM: usize> Filed<ROOM> {
    /// How many bytes there is room for.
    pub const BYTES: usize = ROOM * 64;

    /// These bytes, and no more than there is room for.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        let mut blocks = [[[0; 4]; 16]; ROOM];
        for (block, bytes) in blocks.iter_mut().zip(bytes.chunks(64)) {
            for (word, bytes) in block.iter_mut().zip(bytes.chunks(4)) {
                for (to, from) in word.iter_mut().zip(bytes) {
                    *to = *from;
                }
            }
        }
        Self { blocks, len: bytes.len().min(Self::BYTES) }
    }

    /// The bytes.
    #[must_use]
    pub fn as_slice(&self) -> &[u8] {
        self.blocks.as_flattened().as_flattened().get(..self.len).unwrap_or_default()
    }

    /// Where the writer may write.
    pub(crate) fn room(&mut self) -> &mut [u8] {
        self.blocks.as_flattened_mut().as_flattened_mut()
    }

    /// Changes bits of a byte that lies between two places: `TO` is the end when it is zero. Each byte by itself, so
    /// that a model checker that does not know the place knows the bytes elsewhere.
    pub(crate) fn change<const FROM: usize, const TO: usize>(&mut self, place: usize, by: u8) {
        let to = if TO == 0 { self.len } else { TO };
        for at in FROM..to {
            if at == place
                && let Some(byte) = self.room().get_mut(at)
            {
                *byte ^= by;
            }
        }
    }

    /// Puts the digest that belongs to it into its place.
    pub(crate) fn sign(&mut self, hash: impl Fn(&[&[u8]]) -> Digest) -> Digest {
        let zeros = [0; DIGEST_BYTES];
        let (before, rest) = self.as_slice().split_at_checked(DIGEST_AT).unwrap_or_default();
        let digest = hash(&[before, &zeros, rest.get(DIGEST_BYTES..).unwrap_or_default()]);
        for (to, from) in self.room().iter_mut().skip(DIGEST_AT).zip(digest.0) {
            *to = from;
        }
        digest
    }

    fn push(&mut self, byte: u8) {
        let place = self.len;
        if let Some(to) = self.room().get_mut(place) {
            *to = byte;
            self.len = place.saturating_add(1);
        }
    }

    fn push_all(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.push(*byte);
        }
    }
}

impl<const ROOM: usize> fmt::Debug for Filed<ROOM> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Filed::of(b\"{}\")", self.as_slice().escape_ascii())
    }
}

/// A kept table of which something may be another.
pub trait Forged: Case {
    /// How many roles it had.
    const ROLES: usize;

    /// The table before.
    fn base() -> &'static [u8];

    /// The file.
    fn bytes(&self) -> &[u8];
}

/// The kept table of number `BASE` with up to `CHANGES` other bytes between two places, or cut off, or longer.
#[derive(Debug, Clone, Copy)]
pub struct File<const BASE: usize, const ROOM: usize, const FROM: usize, const TO: usize, const CHANGES: usize> {
    /// The file.
    pub bytes: Filed<ROOM>,
}

impl<const BASE: usize, const ROOM: usize, const FROM: usize, const TO: usize, const CHANGES: usize> Case
    for File<BASE, ROOM, FROM, TO, CHANGES>
{
    fn draw<S: Source>(source: &mut S) -> Self {
        let base = bytes(BASE);
        let mut bytes = Filed::of(base);
        // When only a part of it may be another, nothing is cut off.
        let kind = if FROM == 0 && TO == 0 && CHANGES > 0 { source.below(3) } else { 0 };
        match kind {
            0 => {
                let to = if TO == 0 { base.len() } else { TO };
                for _ in 0..CHANGES {
                    let place = FROM.saturating_add(source.below(to.saturating_sub(FROM)));
                    bytes.change::<FROM, TO>(place, source.byte(OTHERS));
                }
            }
            1 => bytes.len = source.below(base.len()),
            _ => {
                for _ in 0..=source.below(2) {
                    bytes.push(source.byte(OTHERS));
                }
            }
        }
        Self { bytes }
    }
}

impl<const BASE: usize, const ROOM: usize, const FROM: usize, const TO: usize, const CHANGES: usize> Forged
    for File<BASE, ROOM, FROM, TO, CHANGES>
{
    const ROLES: usize = if BASE == WIDE { 2 } else { 0 };

    fn base() -> &'static [u8] {
        bytes(BASE)
    }

    fn bytes(&self) -> &[u8] {
        self.bytes.as_slice()
    }
}

/// A header, and rows that consist of the same `N` bytes again and again.
#[derive(Debug, Clone, Copy)]
pub struct Noise<const ROOM: usize, const N: usize, const SECTIONS: usize> {
    /// Which sections have a row, the first in the lowest bit.
    pub sections: usize,
    /// What it consists of.
    pub fill: [u8; N],
}

impl<const ROOM: usize, const N: usize, const SECTIONS: usize> Case for Noise<ROOM, N, SECTIONS> {
    fn draw<S: Source>(source: &mut S) -> Self {
        let sections = if SECTIONS == 0 { source.below(1 << TEXTS) } else { SECTIONS };
        let mut fill = [0; N];
        for byte in &mut fill {
            *byte = source.byte(OTHERS);
        }
        Self { sections, fill }
    }
}

impl<const ROOM: usize, const N: usize, const SECTIONS: usize> Noise<ROOM, N, SECTIONS> {
    /// The file. Its texts are the name, which is empty.
    pub(crate) fn file(&self) -> Filed<ROOM> {
        let mut file = Filed::of(&[]);
        file.push_all(b"INTRDCT\0\x01\0\0\0\x01\0\0\0");
        file.push_all(&VOUCHED.0);
        file.push_all(&[0; DIGEST_BYTES + 4]);
        let has = |place: usize| self.sections >> place & 1 == 1;
        for place in 0..TEXTS {
            file.push_all(&[u8::from(has(place)), 0, 0, 0]);
        }
        file.push_all(&[2, 0, 0, 0]);
        let mut fill = self.fill.iter().cycle();
        for (_, bytes) in ROW_BYTES.iter().enumerate().filter(|(place, _)| has(*place)) {
            for byte in fill.by_ref().take(*bytes) {
                file.push(*byte);
            }
        }
        file.push_all(&[0, 0]);
        file
    }
}

/// The section of cells alone.
pub const CELLS: usize = 2;
/// The place of the section of texts, which is the last.
const TEXTS: usize = Section::ALL.len() - 1;
/// The bytes of a row of each section before the texts.
const ROW_BYTES: [usize; TEXTS] = [16, 8, 4, 8, 36, 8, 28, 12, 28, 20, 8, 12, 20, 4];
/// Bits that make counts, kinds, edges and jumps others.
const OTHERS: &[u8] = &[0, 1, 2, 3, 4, 8, 16, 32, 64, 128, 0xc0, 0xf0, 0xff];
