//! Any bytes at all, where a request stands and where a message stands in one.

use enforce_core::wire::Request;

use super::encoder::Encoder;
use crate::cases::{Bytes, Case, Premise, Source};

/// Between `LEAST` and `N` bytes where a request is expected, behind one of the first `STARTS` starts of one.
#[derive(Debug, Clone, Copy)]
pub struct Envelope<const LEAST: usize, const N: usize, const STARTS: usize> {
    /// What comes before.
    pub start: &'static str,
    /// What is there then.
    pub bytes: Bytes<N>,
}

impl<const LEAST: usize, const N: usize, const STARTS: usize> Case for Envelope<LEAST, N, STARTS> {
    fn draw<S: Source>(source: &mut S) -> Self {
        let start = if STARTS == 1 { START } else { source.one_of(STARTS_ALL.get(..STARTS).unwrap_or(STARTS_ALL)) };
        Self { start, bytes: Bytes::draw_at_least(source, LEAST, ALPHABET) }
    }
}

/// Between `LEAST` and `N` bytes where one of the first `MESSAGES` messages is expected.
#[derive(Debug, Clone, Copy)]
pub struct Inside<const LEAST: usize, const N: usize, const MESSAGES: usize> {
    /// The number of the message, and in it of a message in a list, if it has one.
    pub message: (u32, Option<u32>),
    /// What is there.
    pub bytes: Bytes<N>,
}

impl<const LEAST: usize, const N: usize, const MESSAGES: usize> Case for Inside<LEAST, N, MESSAGES> {
    fn draw<S: Source>(source: &mut S) -> Self {
        let all = MESSAGES_ALL.get(..MESSAGES).unwrap_or(MESSAGES_ALL);
        let message = if MESSAGES == 1 { FILE_READ } else { source.one_of(all) };
        Self { message, bytes: Bytes::draw_at_least(source, LEAST, ALPHABET) }
    }
}

/// Bytes are a request or they are refused, at a place that they have.
pub fn reading_an_envelope_is_total<const LEAST: usize, const N: usize, const STARTS: usize>(
    case: &Envelope<LEAST, N, STARTS>,
) -> Premise {
    is_total(case.encoded().as_slice())
}

/// The same where a message stands.
pub fn reading_a_message_is_total<const LEAST: usize, const N: usize, const MESSAGES: usize>(
    case: &Inside<LEAST, N, MESSAGES>,
) -> Premise {
    is_total(case.encoded().as_slice())
}

impl<const LEAST: usize, const N: usize, const STARTS: usize> Envelope<LEAST, N, STARTS> {
    /// All of it.
    pub(crate) fn encoded(&self) -> Encoder<ROOM> {
        let mut bytes = Encoder::new();
        bytes.raw(self.start.as_bytes());
        bytes.raw(self.bytes.as_slice());
        bytes
    }
}

impl<const LEAST: usize, const N: usize, const MESSAGES: usize> Inside<LEAST, N, MESSAGES> {
    /// The request that has it.
    pub(crate) fn encoded(&self) -> Encoder<ROOM> {
        let mut bytes = Encoder::new();
        match self.message {
            (message, None) => bytes.run(message, self.bytes.as_slice()),
            (message, Some(list)) => {
                let mut entry = Encoder::<ROOM>::new();
                entry.run(list, self.bytes.as_slice());
                bytes.run(message, entry.as_slice());
            }
        }
        bytes
    }
}

fn is_total(bytes: &[u8]) -> Premise {
    match Request::read(bytes) {
        Ok(_) => Premise::Missed,
        Err(error) => {
            assert!(error.at <= bytes.len(), "what is wrong shows inside the bytes, or at their end");
            Premise::Met
        }
    }
}

const FILE_READ: (u32, Option<u32>) = (10, None);
/// Between them, these have fields of every kind: the arguments of a call are messages in a list.
const MESSAGES_ALL: &[(u32, Option<u32>)] = &[FILE_READ, (34, Some(3)), (34, None), (13, None), (15, None), (11, None)];
/// An empty tool: what comes after it cannot be another, so that only the envelope itself is read.
const START: &str = "\x52\x00";
const STARTS_ALL: &[&str] = &[START, "", "\x0a\x01r", "\x0a\x00\x12\x00\x1a"];
/// What tags, lengths, numbers and texts differ in: tags of fields that are there, of others, of every wire type and of
/// more than one byte; lengths that fit and such that do not; the end of a number, and what may not be its end; a
/// letter and a byte that is no text.
pub(super) const ALPHABET: &[u8] =
    &[0x00, 0x01, 0x02, 0x03, 0x08, 0x0a, 0x0d, 0x10, 0x12, 0x18, 0x1a, 0x22, 0x52, 0x61, 0x7a, 0x80, 0x82, 0xff];
/// No longer than cases are. What a model checker does not know the place of may be any byte of these.
const ROOM: usize = if cfg!(any(kani, test)) { 6 } else { 40 };
