//! Encoded requests, by prost.

use enforce_core::wire::Request;
use prost::Message as _;
use tool_proto::{Borrowed, ToolRequest};

use crate::cases::Premise;

pub use crate::properties::wire::{Envelope, Inside, Sent, SentTool};

/// What the core reads, prost reads with equal fields.
pub fn what_is_read_prost_reads_alike(bytes: &[u8]) -> Premise {
    let Ok(request) = Request::read(bytes) else {
        return Premise::Missed;
    };
    match ToolRequest::decode(bytes) {
        Ok(decoded) => assert_eq!(Borrowed::of(&decoded).request(), request, "prost reads other fields"),
        Err(error) => unreachable!("prost refuses {bytes:02x?}: {error}"),
    }
    Premise::Met
}

/// What prost encodes, the core reads with equal fields.
pub fn what_prost_encodes_is_read_alike(message: &ToolRequest) -> Premise {
    let bytes = message.encode_to_vec();
    match Request::read(&bytes) {
        Ok(request) => assert_eq!(Borrowed::of(message).request(), request, "the core reads other fields"),
        Err(error) => unreachable!("the core refuses {bytes:02x?}: {error:?}"),
    }
    what_is_read_prost_reads_alike(&bytes)
}

/// The first of these, where any bytes stand for a request.
pub fn envelopes_are_read_alike<const LEAST: usize, const N: usize, const STARTS: usize>(
    case: &Envelope<LEAST, N, STARTS>,
) -> Premise {
    what_is_read_prost_reads_alike(case.encoded().as_slice())
}

/// The same where any bytes stand for a message of a request.
pub fn messages_are_read_alike<const LEAST: usize, const N: usize, const MESSAGES: usize>(
    case: &Inside<LEAST, N, MESSAGES>,
) -> Premise {
    what_is_read_prost_reads_alike(case.encoded().as_slice())
}

/// The same of requests that a plain encoder has written.
pub fn requests_are_read_alike<const LEAST: usize, const N: usize, const ROOM: usize, const TOOLS: usize>(
    case: &Sent<LEAST, N, ROOM, TOOLS>,
) -> Premise {
    what_is_read_prost_reads_alike(case.encoded().0.as_slice())
}
