//! Why counting with few bytes says something of all 256: to a reader, each byte is like one of its alphabet.
//!
//! Two bytes are alike when one in the place of the other changes nothing but itself: the same answer, the same places,
//! the same lengths. What cases leave out is therefore told by what they count.

use enforce_core::net::{Url, UrlError};
use enforce_core::path::{Contained, Root};
use enforce_core::shell::{Complex, Line, ShellError};

use super::{net, path, shell};
use crate::cases::{Bytes, Case, Premise, Source, part};

/// A text of up to `N` bytes of an alphabet, and any byte for a place in it.
#[derive(Debug, Clone, Copy)]
pub struct Swapped<const N: usize> {
    /// The text.
    pub text: Bytes<N>,
    /// The place.
    pub place: usize,
    /// The byte.
    pub byte: u8,
}

/// The same for paths.
#[derive(Debug, Clone, Copy)]
pub struct InPath<const N: usize>(pub Swapped<N>);
/// The same for command lines.
#[derive(Debug, Clone, Copy)]
pub struct InLine<const N: usize>(pub Swapped<N>);
/// The same for URLs, after their scheme.
#[derive(Debug, Clone, Copy)]
pub struct InUrl<const N: usize>(pub Swapped<N>);

impl<const N: usize> Swapped<N> {
    fn draw<S: Source>(source: &mut S, alphabet: &'static [u8]) -> Self {
        let text: Bytes<N> = Bytes::draw(source, alphabet);
        // A place past the end is the end: the byte is added there.
        let place = source.below(text.as_slice().len().saturating_add(1));
        Self::draw_byte(source, text, place)
    }

    /// The same, but how long the text is and where the byte comes is settled.
    fn draw_settled<S: Source>(source: &mut S, alphabet: &'static [u8]) -> Self {
        let text: Bytes<N> = Bytes::draw_settled(source, alphabet);
        let place = source.settled(text.as_slice().len().saturating_add(1));
        Self::draw_byte(source, text, place)
    }

    fn draw_byte<S: Source>(source: &mut S, text: Bytes<N>, place: usize) -> Self {
        const { assert!(TEXT_BYTES_MAX > SCHEME.len() + N, "a text with one more byte fits") };
        Self { text, place, byte: u8::try_from(source.below(BYTES)).unwrap_or_default() }
    }

    /// The text with this byte at the place.
    fn with(&self, byte: u8, start: &[u8]) -> Text {
        let mut text = Text { bytes: [0; TEXT_BYTES_MAX], len: 0 };
        for before in start {
            text.push(*before);
        }
        for (place, other) in (0..usize::MAX).zip(self.text.as_slice()) {
            text.push(if place == self.place { byte } else { *other });
        }
        if self.place >= self.text.as_slice().len() {
            text.push(byte);
        }
        text
    }
}

macro_rules! swapped {
    ($($case:ident of $alphabet:expr, $draw:ident;)+) => {
        $(impl<const N: usize> Case for $case<N> {
            fn draw<S: Source>(source: &mut S) -> Self {
                Self(Swapped::$draw(source, $alphabet))
            }
        })+
    };
}

swapped! {
    InPath of path::ALPHABET, draw;
    InLine of shell::ALPHABET, draw;
    InUrl of net::ALPHABET, draw_settled;
}

/// Each byte is to containment like one that paths are counted with.
pub fn every_byte_of_a_path_is_like_one_of_the_alphabet<const N: usize>(case: &InPath<N>) -> Premise {
    let like = like_in_path(case.0.byte);
    let (one, other) = (case.0.with(case.0.byte, b""), case.0.with(like, b""));
    assert!(shape_of_path(one.as_slice()) == shape_of_path(other.as_slice()), "a byte is like its kind in a path");
    Premise::of(like != case.0.byte)
}

/// Each byte is to the reader of lines like one that lines are counted with. Letters can spell a word of the shell's own,
/// and others in their place do not: those words are tried by themselves.
pub fn every_byte_of_a_line_is_like_one_of_the_alphabet<const N: usize>(case: &InLine<N>) -> Premise {
    let like = like_in_line(case.0.byte);
    let (one, other) = (case.0.with(case.0.byte, b""), case.0.with(like, b""));
    let (one, other) = (shape_of_line(one.as_slice()), shape_of_line(other.as_slice()));
    let is_reserved = |(answer, _): Shape| answer == RESERVED;
    if is_reserved(one) != is_reserved(other) {
        return Premise::Missed;
    }
    assert!(one == other, "a byte is like its kind in a line");
    Premise::of(like != case.0.byte)
}

/// Each byte is to the reader of URLs like one that URLs are counted with. What percent signs stand for is left out: all
/// pairs of digits are tried by themselves.
pub fn every_byte_of_a_url_is_like_one_of_the_alphabet<const N: usize>(case: &InUrl<N>) -> Premise {
    let like = like_in_url(case.0.byte);
    if has_percent_sign(case.0.text.as_slice()) || case.0.byte == b'%' {
        return Premise::Missed;
    }
    let (one, other) = (case.0.with(case.0.byte, SCHEME), case.0.with(like, SCHEME));
    assert!(shape_of_url(one.as_slice()) == shape_of_url(other.as_slice()), "a byte is like its kind in a URL");
    Premise::of(like != case.0.byte)
}

/// Byte by byte: what the standard library does for long texts, a model checker follows for short ones too.
fn has_percent_sign(text: &[u8]) -> bool {
    let mut is_there = false;
    for byte in text {
        is_there |= *byte == b'%';
    }
    is_there
}

/// What separates components, what they may not be, what roots are made of, and everything else.
fn like_in_path(byte: u8) -> u8 {
    match byte {
        b'/' | b'.' | b'a' | 0 => byte,
        0x80..=0xff => 0xff,
        _ => b'c',
    }
}

/// What shells know, letters and digits for names, what needs no quotes, control characters, and everything else.
fn like_in_line(byte: u8) -> u8 {
    match byte {
        b'a'..=b'z' | b'A'..=b'Z' => b'a',
        b'0'..=b'9' => b'1',
        b'%' | b'@' | b'/' => b'/',
        b'^' | b']' => b'^',
        0 | b'\t' | b'\n' | 0x7f => byte,
        0x01..=0x1f => 0x01,
        0x80..=0xff => 0xff,
        _ => byte,
    }
}

/// What URLs know, hexadecimal letters and others, zero and other digits, and everything else.
fn like_in_url(byte: u8) -> u8 {
    match byte {
        b'a'..=b'f' | b'A'..=b'F' => b'a',
        b'x' | b'X' => b'x',
        b'g'..=b'z' | b'G'..=b'Z' => b'g',
        b'1'..=b'9' => b'1',
        b'"' | b'<' | b'>' | b'^' | b'`' | b'{' | b'|' | b'}' => b'^',
        b'!' | b'$' | b'&' | b'\'' | b'(' | b')' | b'*' | b'+' | b',' | b';' | b'=' | b'[' | b']' | b'~' => b'+',
        b'\\' | b'#' | 0..=b' ' | 0x7f..=0xff => 0x01,
        _ => byte,
    }
}

/// An answer and its places, one behind the other: what alike bytes may not change. One number, because a model checker
/// compares lists byte by byte.
type Shape = (u8, u128);

fn shape_of_path(text: &[u8]) -> Shape {
    let Ok(root) = Root::new(b"/a") else {
        return (0, 0);
    };
    match Contained::new(root, b"", text) {
        Err(error) => {
            use enforce_core::path::PathError::{Empty, Nul, Outside, Parent, TooLong};
            match error {
                Empty => shape(1, []),
                TooLong { characters } => shape(2, [characters]),
                Nul { at } => shape(3, [at]),
                Parent { at } => shape(4, [at]),
                Outside => shape(5, []),
            }
        }
        Ok(contained) => shape(6, contained.components().map(<[u8]>::len)),
    }
}

fn shape_of_line(text: &[u8]) -> Shape {
    let line = match Line::new(text) {
        Err(ShellError::Invalid { at, .. }) => return shape(1, [at]),
        Err(ShellError::Complex { reason: Complex::Reserved, at }) => return shape(RESERVED, [at]),
        Err(ShellError::Complex { at, .. }) => return shape(2, [at]),
        Ok(line) => line,
    };
    // How much each command is, and how much each word says. Loop by loop: chained and flattened, each would be there
    // for a model checker more than once.
    let mut places = 0;
    for command in line.commands() {
        places = with_place(places, command.text().len());
        for word in command.words() {
            places = with_place(places, word.bytes().count());
        }
    }
    (3, places)
}

fn shape_of_url(text: &[u8]) -> Shape {
    match Url::new(text) {
        Err(UrlError::Byte { at, .. }) => shape(1, [at]),
        Err(UrlError::NoScheme) => shape(2, []),
        Err(UrlError::Scheme) => shape(3, []),
        Err(UrlError::UserInfo) => shape(4, []),
        Err(UrlError::Port) => shape(5, []),
        Err(UrlError::Path) => shape(6, []),
        Err(UrlError::Host) => shape(7, []),
        Err(UrlError::Address) => shape(8, []),
        Ok(url) => shape(9, [url.scheme.len(), url.host.text().len(), url.path.len()]),
    }
}

/// As many places as there is room for, of which none is as large as 255 in a short text.
fn shape(answer: u8, parts: impl IntoIterator<Item = usize>) -> Shape {
    let mut places = 0;
    for part in parts {
        places = with_place(places, part);
    }
    (answer, places)
}

fn with_place(places: u128, place: usize) -> u128 {
    places << 8 | u128::from(u8::try_from(place).unwrap_or(u8::MAX)).saturating_add(1)
}

struct Text {
    bytes: [u8; TEXT_BYTES_MAX],
    len: usize,
}

impl Text {
    fn push(&mut self, byte: u8) {
        if let Some(place) = self.bytes.get_mut(self.len) {
            *place = byte;
            self.len = self.len.saturating_add(1);
        }
    }

    fn as_slice(&self) -> &[u8] {
        part(&self.bytes, 0, self.len)
    }
}

/// The answer for a line with a word of the shell's own.
const RESERVED: u8 = 4;
const SCHEME: &[u8] = b"a://";
/// What a model checker does not know the place of may be any byte of these: it gets as few as its cases need.
const TEXT_BYTES_MAX: usize = if cfg!(any(kani, test)) { 8 } else { 32 };
/// As many as there are.
const BYTES: usize = 256;

#[cfg(test)]
mod tests {
    use super::*;

    type Like = fn(u8) -> u8;

    #[test]
    fn every_byte_is_like_one_that_is_counted_with() {
        let kinds: [(&[u8], Like); 3] =
            [(path::ALPHABET, like_in_path), (shell::ALPHABET, like_in_line), (net::ALPHABET, like_in_url)];
        for (alphabet, like) in kinds {
            for byte in 0..=u8::MAX {
                assert!(alphabet.contains(&like(byte)), "{byte}");
            }
            for byte in alphabet {
                assert_eq!(like(*byte), *byte);
            }
        }
    }
}
