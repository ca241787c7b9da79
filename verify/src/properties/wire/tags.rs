//! A tag put into a request that is one: what it says has a place there, or it is refused by its name.

use enforce_core::wire::{Malformed, Request};

use super::encoder::Encoder;
use crate::cases::{Bytes, Case, Premise, Source};

/// A tag of a number below `NUMBERS` and any wire type, and `N` bytes behind it, at each of the first `SPOTS` spots.
#[derive(Debug, Clone, Copy)]
pub struct Tagged<const N: usize, const NUMBERS: usize, const SPOTS: usize> {
    /// The number of a field.
    pub number: u32,
    /// How it says that it is written.
    pub wire_type: u32,
    /// What follows.
    pub after: Bytes<N>,
}

impl<const N: usize, const NUMBERS: usize, const SPOTS: usize> Case for Tagged<N, NUMBERS, SPOTS> {
    fn draw<S: Source>(source: &mut S) -> Self {
        let number = u32::try_from(source.below(NUMBERS)).unwrap_or_default();
        let wire_type = u32::try_from(source.below(8)).unwrap_or_default();
        Self { number, wire_type, after: Bytes::draw_at_least(source, N, super::any::ALPHABET) }
    }
}

/// A zero, a group, a field that is not known, is written in another way than it has to be, or has been there: each has
/// its name.
pub fn tags_out_of_place_are_refused<const N: usize, const NUMBERS: usize, const SPOTS: usize>(
    case: &Tagged<N, NUMBERS, SPOTS>,
) -> Premise {
    let mut is_any = false;
    for spot in SPOTS_ALL.iter().take(SPOTS) {
        let Some(expected) = specified(spot, case.number, case.wire_type) else {
            continue;
        };
        is_any = true;
        let mut extra = Encoder::<EXTRA_ROOM>::new();
        // One byte is written as one, so that a model checker knows where the next one stands.
        if NUMBERS <= 16 {
            extra.byte(u8::try_from(case.number << 3 | case.wire_type).unwrap_or_default());
        } else {
            extra.tag(case.number, case.wire_type);
        }
        extra.raw(case.after.as_slice());
        let bytes = with(spot, extra.as_slice());
        let read = Request::read(bytes.as_slice());
        assert!(matches!(read, Err(error) if error.reason == expected), "it is refused by its name");
    }
    Premise::of(is_any)
}

/// The request, with something in one spot.
fn with(spot: &Spot, extra: &[u8]) -> Encoder<ROOM> {
    let mut message = Encoder::<ROOM>::new();
    message.raw(spot.message.0);
    if spot.is_inside {
        message.raw(extra);
    }
    message.raw(spot.message.1);
    let mut bytes = Encoder::<ROOM>::new();
    bytes.raw(spot.before);
    if !spot.is_inside && !spot.is_last {
        bytes.raw(extra);
    }
    bytes.run(10, message.as_slice());
    if spot.is_last {
        bytes.raw(extra);
    }
    bytes
}

/// What is wrong with a tag there; nothing when it depends on what follows.
fn specified(spot: &Spot, number: u32, wire_type: u32) -> Option<Malformed> {
    let is_seen = spot.has(number);
    match (number, wire_type) {
        (0, _) => Some(Malformed::TrailingBytes),
        (_, 3 | 4) => Some(Malformed::Group { number }),
        (_, 6 | 7) => Some(Malformed::WireType { number }),
        // A file that is read has a path and two numbers.
        (1..=3, _) if spot.is_inside && is_seen => Some(Malformed::RepeatedField { number }),
        (1, 2) | (2 | 3, 0) if spot.is_inside => None,
        (1..=3, _) if spot.is_inside => Some(Malformed::WireType { number }),
        _ if spot.is_inside => Some(Malformed::UnknownField { number }),
        // A request has three texts and a tool.
        (1..=3 | 10..=36, 0 | 1 | 5) => Some(Malformed::WireType { number }),
        (1..=3, _) if is_seen => Some(Malformed::RepeatedField { number }),
        (10..=36, _) if spot.is_last => Some(Malformed::SecondTool),
        (1..=3 | 10..=36, _) => None,
        _ => Some(Malformed::UnknownField { number }),
    }
}

/// A place in a request: what stands before it.
struct Spot {
    /// The fields of the request before its tool.
    before: &'static [u8],
    /// The message, up to the spot and from there on.
    message: (&'static [u8], &'static [u8]),
    /// Whether it is in the message.
    is_inside: bool,
    /// Whether it is behind the message.
    is_last: bool,
}

impl Spot {
    /// Whether a field of that number stands before the spot, in the same message. Their tags are told by hand.
    fn has(&self, number: u32) -> bool {
        let before = if self.is_inside { self.message.0 } else { self.before };
        match before.len() {
            0 => false,
            3 => number == 1,
            5 => number == 1 || number == 3,
            _ => number == 1 || number == 2,
        }
    }
}

const NAME: &[u8] = b"\x0a\x01r";
const NAMES: &[u8] = b"\x0a\x01r\x12\x01t";
const PATH: &[u8] = b"\x0a\x01a";
const PATH_AND_LIMIT: &[u8] = b"\x0a\x01a\x18\x05";
const SPOTS_ALL: &[Spot] = &[
    Spot { before: NAME, message: (PATH, b""), is_inside: false, is_last: true },
    Spot { before: b"", message: (PATH, b""), is_inside: true, is_last: false },
    Spot { before: NAMES, message: (PATH_AND_LIMIT, b""), is_inside: false, is_last: true },
    Spot { before: NAMES, message: (PATH_AND_LIMIT, b""), is_inside: true, is_last: false },
    Spot { before: NAMES, message: (PATH, b"\x18\x05"), is_inside: true, is_last: false },
    Spot { before: NAMES, message: (b"", PATH_AND_LIMIT), is_inside: true, is_last: false },
    Spot { before: NAMES, message: (PATH, b""), is_inside: false, is_last: false },
    Spot { before: NAME, message: (b"", b""), is_inside: false, is_last: false },
    Spot { before: b"", message: (PATH, b""), is_inside: false, is_last: false },
];
/// No longer than cases are. What a model checker does not know the place of may be any byte of these.
const EXTRA_ROOM: usize = if cfg!(any(kani, test)) { 1 } else { 16 };
const ROOM: usize = if cfg!(any(kani, test)) { 9 } else { 48 };
