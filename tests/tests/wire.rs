//! Encoded requests by two readers: the core's own, in place and strict, and prost (CTR-0001, CTR-0002).

#![cfg(test)]

#[path = "readers/mutations.rs"]
mod mutations;

use enforce_core::judge::{Outcome, judge};
use enforce_core::wire::Request;
use fastrand::Rng;
use mutations::mutate;
use prost::Message;
use tool_proto::{Validator, testing};
use verify::cases::Premise;
use verify::oracles::messages::{what_is_read_prost_reads_alike, what_prost_encodes_is_read_alike};
use verify::oracles::{MESSAGES, MUTATIONS, NOISE};

const SEED: u64 = 1;

#[test]
fn ctr_0002_every_message_that_prost_encodes_is_read_with_equal_fields() {
    let mut rng = Rng::with_seed(SEED);
    let mut valid = 0;
    for _ in 0..MESSAGES {
        let message = testing::request(&mut rng);
        assert_eq!(what_prost_encodes_is_read_alike(&message), Premise::Met);
        let bytes = message.encode_to_vec();
        let request = Request::read(&bytes).unwrap();
        // The owned message and the bytes are checked alike.
        let mut count = 0;
        enforce_core::validate::validate(&request, &mut |_| count += 1);
        assert_eq!(message.validate().err().map_or(0, |errors| errors.len()), count);
        valid += usize::from(count == 0);
    }
    assert!(valid > MESSAGES / 20 && valid < MESSAGES, "{valid} are valid");
}

#[test]
fn inv_0004_what_the_core_reads_of_a_mutated_message_prost_reads_alike() {
    let mut rng = Rng::with_seed(SEED + 1);
    let mut bytes = Vec::new();
    let mut read = 0;
    for round in 0..MUTATIONS {
        // A few mutations of each message, one upon another.
        if round % 4 == 0 || bytes.len() > 4_096 {
            bytes = testing::request(&mut rng).encode_to_vec();
            bytes.truncate(4_096);
        }
        mutate(&mut rng, &mut bytes);
        read += usize::from(what_is_read_prost_reads_alike(&bytes) == Premise::Met);
    }
    // Some mutations change a letter of a text, and the request is one as before.
    assert!(read > MUTATIONS / 20, "only {read} were read");
    assert!(read < MUTATIONS / 2, "{read} were read");
}

#[test]
fn random_bytes_are_a_value_and_never_a_panic() {
    let mut rng = Rng::with_seed(SEED + 2);
    let mut read = 0;
    for _ in 0..NOISE {
        let len = rng.usize(0..40);
        // Bytes that look like tags of known fields, among any.
        let byte = |rng: &mut Rng| {
            if rng.bool() { rng.u8(..) } else { rng.choice([0x0a, 0x12, 0x52, 0x01, 0x02, 0x61]).unwrap() }
        };
        let bytes: Vec<u8> = (0..len).map(|_| byte(&mut rng)).collect();
        read += usize::from(what_is_read_prost_reads_alike(&bytes) == Premise::Met);
        let outcome = judge(&bytes, |_| None, &mut [], &mut [], &mut |_| {});
        assert!(matches!(outcome, Outcome::Refuse(_)));
    }
    assert!(read > 100, "only {read} were read");
}
