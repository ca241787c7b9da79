//! Encoded requests -> other bytes, most of which are none.

use fastrand::Rng;
use prost::Message;
use tool_proto::testing;

/// Changes a byte, a bit, a length; takes bytes out, doubles them, or puts two messages together.
pub(crate) fn mutate(rng: &mut Rng, bytes: &mut Vec<u8>) {
    let place = rng.usize(0..=bytes.len());
    let end = (place + rng.usize(0..12)).min(bytes.len());
    match rng.u8(0..8) {
        0 => bytes.iter_mut().skip(place).take(1).for_each(|byte| *byte = rng.u8(..)),
        1 => bytes.iter_mut().skip(place).take(1).for_each(|byte| *byte ^= 1 << rng.u8(0..8)),
        2 => bytes.iter_mut().skip(place).take(1).for_each(|byte| *byte = byte.wrapping_add(1)),
        3 => bytes.insert(place, rng.u8(..)),
        4 => drop(bytes.drain(place..end)),
        5 => {
            let again = bytes[place..end].to_vec();
            bytes.splice(place..place, again);
        }
        6 => bytes.truncate(place),
        _ => bytes.extend(testing::request(rng).encode_to_vec().into_iter().take(64)),
    }
}
