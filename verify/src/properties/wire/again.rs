//! A whole field that comes again, before or behind the one that is there: a lenient reader would take one of them.

use enforce_core::wire::{Malformed, Request};

use super::encoder::Encoder;
use crate::cases::{Bytes, Case, Premise, Source};

/// A text of `N` bytes and a number for each of the first `FIELDS` fields of a request that come again.
#[derive(Debug, Clone, Copy)]
pub struct Again<const N: usize, const FIELDS: usize> {
    /// What the second one says where it is text.
    pub text: Bytes<N>,
    /// What the second one says where it is a small number.
    pub number: u8,
}

impl<const N: usize, const FIELDS: usize> Case for Again<N, FIELDS> {
    fn draw<S: Source>(source: &mut S) -> Self {
        Self { text: Bytes::draw_at_least(source, N, TEXT), number: source.byte(NUMBERS) & 0x7f }
    }
}

/// It is refused, whatever it says and wherever it comes; and each of the two alone is not.
pub fn what_comes_again_is_refused<const N: usize, const FIELDS: usize>(case: &Again<N, FIELDS>) -> Premise {
    if !case.text.as_slice().is_ascii() {
        return Premise::Missed;
    }
    for field in FIELDS_ALL.iter().take(FIELDS) {
        let (mut first, mut second) = (Encoder::<ROOM>::new(), Encoder::<ROOM>::new());
        let (number, expected) = match field {
            Field::Text(number) => {
                first.run(*number, b"r");
                second.run(*number, case.text.as_slice());
                (None, Malformed::RepeatedField { number: *number })
            }
            Field::Tool(number) => {
                let mut message = Encoder::<ROOM>::new();
                message.run(1, case.text.as_slice());
                first.run(10, b"\x0a\x01a");
                second.run(*number, message.as_slice());
                (None, Malformed::SecondTool)
            }
            Field::TextIn { message, number } => {
                first.run(*number, b"a");
                second.run(*number, case.text.as_slice());
                (Some(*message), Malformed::RepeatedField { number: *number })
            }
            Field::NumberIn { message, number } => {
                first.number(*number, 1);
                second.tag(*number, 0);
                second.byte(case.number);
                (Some(*message), Malformed::RepeatedField { number: *number })
            }
        };
        for pair in [[&first, &second], [&second, &first]] {
            let mut both = Encoder::<ROOM>::new();
            for part in pair {
                both.raw(part.as_slice());
                assert!(read(number, part.as_slice()).is_none(), "each alone is read");
            }
            assert!(read(number, both.as_slice()) == Some(expected), "both together are refused");
        }
    }
    Premise::Met
}

/// What is wrong with fields, of a request or of a message of it.
fn read(message: Option<u32>, fields: &[u8]) -> Option<Malformed> {
    let mut bytes = Encoder::<ROOM>::new();
    match message {
        Some(message) => bytes.run(message, fields),
        None => bytes.raw(fields),
    }
    Request::read(bytes.as_slice()).err().map(|error| error.reason)
}

/// A field that can be there once.
enum Field {
    /// Of the request.
    Text(u32),
    /// A tool of this number, beside one to read a file.
    Tool(u32),
    TextIn {
        message: u32,
        number: u32,
    },
    NumberIn {
        message: u32,
        number: u32,
    },
}

const FIELDS_ALL: &[Field] = &[
    Field::Text(1),
    Field::Tool(12),
    Field::TextIn { message: 10, number: 1 },
    Field::NumberIn { message: 10, number: 2 },
    Field::Tool(10),
    Field::Text(2),
    Field::Text(3),
    Field::Tool(34),
    Field::TextIn { message: 11, number: 2 },
    Field::TextIn { message: 13, number: 2 },
    Field::TextIn { message: 34, number: 2 },
    Field::NumberIn { message: 15, number: 5 },
];
const TEXT: &[u8] = b"ra/\0\n";
const NUMBERS: &[u8] = &[0, 1, 2, 0x7f];
/// No longer than cases are. What a model checker does not know the place of may be any byte of these.
const ROOM: usize = if cfg!(any(kani, test)) { 11 } else { 64 };
