//! What holds for every message, over requests of every variant.

use enforce_core::wire::Request;
use prost::Message as _;

use crate::testing::{VARIANTS, request, request_of, valid_request};
use crate::{Borrowed, ToolRequest, Validator as _};

fn each_request(seed: u64, check: impl Fn(&ToolRequest)) {
    let mut rng = fastrand::Rng::with_seed(seed);
    for case in 0..CASES {
        check(&request_of(&mut rng, case));
    }
}

#[test]
fn ctr_0001_one_request_is_one_byte_string() {
    each_request(11, |message| {
        let bytes = message.encode_to_vec();
        assert_eq!(bytes, message.encode_to_vec());
        assert_eq!(bytes, message.clone().encode_to_vec());
        let mut appended = Vec::new();
        message.encode(&mut appended).unwrap();
        assert_eq!(bytes, appended);
        assert_eq!(bytes.len(), message.encoded_len());
    });
}

#[test]
fn ctr_0002_decode_then_encode_preserves_every_field_and_byte() {
    each_request(12, |message| {
        let bytes = message.encode_to_vec();
        let decoded = ToolRequest::decode(bytes.as_slice()).unwrap();
        assert_eq!(decoded, *message);
        assert_eq!(decoded.encode_to_vec(), bytes);
    });
}

#[test]
fn ctr_0002_the_core_reads_from_bytes_what_the_message_says() {
    each_request(13, |message| {
        let bytes = message.encode_to_vec();
        assert_eq!(Request::read(&bytes).unwrap(), Borrowed::of(message).request());
    });
}

#[test]
fn requests_are_made_of_every_variant_and_both_kinds() {
    let mut rng = fastrand::Rng::with_seed(14);
    let (mut valid, mut invalid) = ([0; VARIANTS], [0; VARIANTS]);
    for _ in 0..CASES {
        let message = request(&mut rng);
        let Some(tool) = &message.tool else { continue };
        let variant = variant(tool);
        match message.validate() {
            Ok(()) => valid[variant] += 1,
            Err(_) => invalid[variant] += 1,
        }
    }
    assert!(valid.iter().chain(&invalid).all(|count| *count > 50), "{valid:?} {invalid:?}");
}

#[test]
fn requests_that_are_made_to_be_valid_are() {
    let mut rng = fastrand::Rng::with_seed(15);
    for _ in 0..CASES {
        let message = valid_request(&mut rng);
        assert_eq!(message.validate(), Ok(()), "{message:?}");
    }
}

/// The number of a tool's field, counted from the first.
fn variant(tool: &crate::proto::tool_request::Tool) -> usize {
    let mut bytes = Vec::new();
    tool.encode(&mut bytes);
    let tag = prost::encoding::decode_varint(&mut bytes.as_slice()).unwrap();
    usize::try_from(tag >> 3).unwrap() - 10
}

const CASES: usize = 27_000;
