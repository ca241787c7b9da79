//! Choices -> cases: what an engine has to produce, and the parts that cases are made of.

use core::fmt;

/// An engine, as a case sees it: it chooses. Counting engines go through every choice, random ones roll dice, fuzzers
/// read bytes, and a model checker chooses everything at once.
pub trait Source {
    /// One of so many, from zero on. There is one at least.
    fn below(&mut self, count: usize) -> usize;

    /// A byte. A counting engine chooses among those that `alphabet` names; every other engine may choose any. The
    /// comment of an alphabet says why these are enough.
    fn byte(&mut self, alphabet: &'static [u8]) -> u8;

    /// A number. A counting engine chooses among these; every other engine may choose any.
    fn number(&mut self, boundaries: &'static [u64]) -> u64;

    /// One of so many, of which a model checker takes one after the other: what depends on it is then known, and not
    /// everything that it could be. Every other engine chooses as always.
    fn settled(&mut self, count: usize) -> usize {
        self.below(count)
    }

    /// One of these.
    fn one_of<T: Copy>(&mut self, choices: &[T]) -> T {
        let chosen = self.below(choices.len());
        choices.get(chosen).copied().unwrap_or_else(|| unreachable!("an engine chooses below the count"))
    }

    /// Yes or no.
    fn flag(&mut self) -> bool {
        self.below(2) == 1
    }
}

/// What a property is asked about. It prints as an expression that makes it, so that a case that was found can be put
/// into a test.
pub trait Case: fmt::Debug + Sized {
    /// Makes one of the choices of a source.
    fn draw<S: Source>(source: &mut S) -> Self;
}

/// Whether a property had something to say about a case. A driver that never hears so has shown nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub enum Premise {
    /// It had.
    Met,
    /// It had not.
    Missed,
}

impl Premise {
    /// Met when this holds.
    pub fn of(holds: bool) -> Self {
        if holds { Self::Met } else { Self::Missed }
    }
}

/// Up to `N` bytes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Bytes<const N: usize> {
    len: usize,
    bytes: [u8; N],
}

impl<const N: usize> Bytes<N> {
    /// These bytes, and no more than there is room for.
    #[must_use]
    pub fn of(text: &[u8]) -> Self {
        let mut bytes = [0; N];
        let len = bytes.iter_mut().zip(text).map(|(to, from)| *to = *from).count();
        Self { len, bytes }
    }

    /// Chooses how many, then each.
    pub fn draw<S: Source>(source: &mut S, alphabet: &'static [u8]) -> Self {
        Self::draw_at_least(source, 0, alphabet)
    }

    /// The same, but not fewer than so many. Where that is all there is room for, there is nothing to choose: a model
    /// checker then knows where everything stands.
    pub fn draw_at_least<S: Source>(source: &mut S, least: usize, alphabet: &'static [u8]) -> Self {
        let more = match N.saturating_sub(least) {
            0 => 0,
            most => source.below(most.saturating_add(1)),
        };
        Self::draw_exactly(source, least.min(N).saturating_add(more), alphabet)
    }

    /// The same, but how many is settled: a model checker then knows where everything stands, in one case after the other.
    pub fn draw_settled<S: Source>(source: &mut S, alphabet: &'static [u8]) -> Self {
        let len = source.settled(N.saturating_add(1));
        Self::draw_exactly(source, len, alphabet)
    }

    fn draw_exactly<S: Source>(source: &mut S, len: usize, alphabet: &'static [u8]) -> Self {
        let mut drawn = Self { len, bytes: [0; N] };
        let mut place = 0;
        while place < N {
            if place < drawn.len
                && let Some(byte) = drawn.bytes.get_mut(place)
            {
                *byte = source.byte(alphabet);
            }
            place = place.saturating_add(1);
        }
        drawn
    }

    /// The bytes.
    #[must_use]
    pub fn as_slice(&self) -> &[u8] {
        part(&self.bytes, 0, self.len)
    }
}

impl<const N: usize> fmt::Debug for Bytes<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Bytes::of(b\"{}\")", self.as_slice().escape_ascii())
    }
}

/// The bytes from one place to another.
///
/// By their places and not by `get`, which may have nothing to answer: a model checker that does not know the places looks
/// for that nothing behind every byte that it reads from then on. What is out of place ends here instead.
#[expect(clippy::indexing_slicing, reason = "a case that has no such part is made wrong, and no case")]
pub(crate) fn part(bytes: &[u8], from: usize, to: usize) -> &[u8] {
    &bytes[from..to]
}

/// Byte by byte, because comparing whole slices is dear for a model checker.
pub(crate) fn is_same(one: &[u8], other: &[u8]) -> bool {
    if one.len() != other.len() {
        return false;
    }
    for (one, other) in one.iter().zip(other) {
        if one != other {
            return false;
        }
    }
    true
}
