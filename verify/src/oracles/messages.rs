//! Encoded requests, by prost.

use enforce_core::wire::Request;
use prost::Message as _;
use tool_wire::{Borrowed, ToolRequest};

use crate::cases::Premise;

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
