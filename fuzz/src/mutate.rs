//! Choices, seeds -> other bytes like the seeds. Without a fuzzer that sees where bytes lead, bytes thrown at a reader
//! of policies are never a policy; a policy with a few changes mostly is.

use verify::cases::Source;
use verify::engines::Raw;

/// A seed with up to [`CHANGES_MAX`] changes; one in eight times the choices themselves.
pub(crate) fn mutated(choices: &[u8], seeds: &[Vec<u8>]) -> Vec<u8> {
    let mut source = Raw::new(choices);
    if seeds.is_empty() || source.below(8) == 0 {
        return choices.get(1..).unwrap_or_default().to_vec();
    }
    let mut bytes = one_of(&mut source, seeds).to_vec();
    for _ in 0..source.below(CHANGES_MAX + 1) {
        change(&mut source, &mut bytes, seeds);
    }
    bytes
}

fn change(source: &mut Raw<'_>, bytes: &mut Vec<u8>, seeds: &[Vec<u8>]) {
    let place = source.below(bytes.len() + 1);
    let end = (place + source.below(16)).min(bytes.len());
    match source.below(9) {
        0 => set(bytes, place, |_, new| new, source.byte(&[])),
        1 => set(bytes, place, |old, bit| old ^ 1 << (bit % 8), source.byte(&[])),
        2 => set(bytes, place, |old, _| old.wrapping_add(1), 0),
        3 => set(bytes, place, |old, _| old.wrapping_sub(1), 0),
        4 => bytes.insert(place, source.byte(&[])),
        5 => drop(bytes.drain(place..end)),
        6 => {
            let again: Vec<u8> = bytes.get(place..end).unwrap_or_default().to_vec();
            bytes.splice(place..place, again);
        }
        7 => {
            let other = one_of(source, seeds);
            let from = source.below(other.len() + 1);
            let piece: Vec<u8> = other.iter().skip(from).take(source.below(64)).copied().collect();
            bytes.splice(place..end, piece);
        }
        _ => bytes.truncate(place),
    }
}

fn set(bytes: &mut [u8], place: usize, new: impl Fn(u8, u8) -> u8, with: u8) {
    if let Some(byte) = bytes.get_mut(place) {
        *byte = new(*byte, with);
    }
}

fn one_of<'a>(source: &mut Raw<'_>, seeds: &'a [Vec<u8>]) -> &'a [u8] {
    seeds.get(source.below(seeds.len())).map(Vec::as_slice).unwrap_or_default()
}

const CHANGES_MAX: usize = 4;
