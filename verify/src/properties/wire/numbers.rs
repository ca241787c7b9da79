//! Numbers: each has one form, wherever a number stands.

use enforce_core::wire::{Malformed, Request, Tool};

use super::encoder::Encoder;
use crate::cases::{Bytes, Case, Premise, Source};

/// Between `LEAST` and `N` bytes, of which all but the last say that the number goes on.
#[derive(Debug, Clone, Copy)]
pub struct Spelled<const LEAST: usize, const N: usize, const PLACES: usize> {
    /// The bytes before the last, of which the high bit does not count.
    pub before: Bytes<N>,
    /// The last.
    pub last: u8,
}

impl<const LEAST: usize, const N: usize, const PLACES: usize> Case for Spelled<LEAST, N, PLACES> {
    fn draw<S: Source>(source: &mut S) -> Self {
        Self { before: Bytes::draw_at_least(source, LEAST, BEFORE), last: source.byte(LAST) }
    }
}

/// A number is read exactly when it is in its shortest form and has 64 bits at most; and then it is the one that its
/// bytes say.
pub fn numbers_have_one_form<const LEAST: usize, const N: usize, const PLACES: usize>(
    case: &Spelled<LEAST, N, PLACES>,
) -> Premise {
    let mut number = Encoder::<NUMBER_ROOM>::new();
    for byte in case.before.as_slice() {
        number.byte(*byte | 0x80);
    }
    number.byte(case.last);
    let expected = specified(number.as_slice());
    for place in PLACES_ALL.iter().take(PLACES) {
        let mut bytes = Encoder::<ROOM>::new();
        match place {
            // The limit of a file that is read.
            Place::Value => {
                let mut message = Encoder::<NUMBER_ROOM>::new();
                message.tag(3, 0);
                message.raw(number.as_slice());
                bytes.run(10, message.as_slice());
            }
            Place::Length => {
                bytes.tag(1, 2);
                bytes.raw(number.as_slice());
            }
            Place::Tag => bytes.raw(number.as_slice()),
        }
        let read = Request::read(bytes.as_slice());
        let reason = read.as_ref().err().map(|error| error.reason);
        match expected {
            Form::Overlong => assert!(reason == Some(Malformed::Overlong), "a number that is too long is refused"),
            Form::Unended => assert!(reason == Some(Malformed::Truncated), "a number without an end is refused"),
            Form::Shortest(expected) => match place {
                Place::Value => match read.as_ref().ok().and_then(Request::tool) {
                    Some(Tool::FileRead(message)) => assert!(message.limit == expected, "it is what its bytes say"),
                    _ => unreachable!("a number in its shortest form is read"),
                },
                // Nothing comes after it.
                Place::Length if expected == 0 => assert!(reason.is_none(), "a text of no bytes is read"),
                Place::Length => assert!(reason == Some(Malformed::Truncated), "so many bytes are not there"),
                Place::Tag => assert!(reason != Some(Malformed::Overlong), "a tag in its shortest form is one"),
            },
        }
    }
    Premise::of(expected != Form::Unended)
}

/// What bytes are, of which all but the last go on.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Shortest(u64),
    Overlong,
    Unended,
}

fn specified(bytes: &[u8]) -> Form {
    let mut number = 0_u128;
    let mut weight = 0;
    let mut last = 0;
    for byte in bytes {
        number |= u128::from(*byte & 0x7f).wrapping_shl(weight);
        weight = weight.saturating_add(7);
        last = *byte;
    }
    match u64::try_from(number) {
        // The number that it says would take fewer bytes.
        Ok(_) if last == 0 && bytes.len() > 1 => Form::Overlong,
        Ok(number) if last < 0x80 && bytes.len() <= NUMBER_BYTES_MAX => Form::Shortest(number),
        Ok(_) if bytes.len() < NUMBER_BYTES_MAX => Form::Unended,
        Ok(_) | Err(_) => Form::Overlong,
    }
}

/// Where a number stands.
enum Place {
    Value,
    Length,
    Tag,
}

/// Of a length alone it is enough to ask what is wrong; where it is a value, a model checker has to follow what is read.
const PLACES_ALL: &[Place] = &[Place::Length, Place::Tag, Place::Value];
/// Nothing, everything, and one bit.
const BEFORE: &[u8] = &[0x80, 0xff, 0x81];
/// Each of what the last byte can be: nothing, what has room in the tenth byte and what has not, and no end.
const LAST: &[u8] = &[0, 1, 2, 0x7f, 0x80, 0x81, 0xff];
/// What 64 bits take.
const NUMBER_BYTES_MAX: usize = 10;
/// No longer than cases are. What a model checker does not know the place of may be any byte of these.
const NUMBER_ROOM: usize = if cfg!(any(kani, test)) { 4 } else { 16 };
const ROOM: usize = if cfg!(any(kani, test)) { 6 } else { 20 };
