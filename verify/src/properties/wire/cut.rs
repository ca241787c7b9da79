//! Requests of which the end is missing.

use enforce_core::wire::{Malformed, Request};

use super::sent::Sent;
use crate::cases::{Case, Premise, Source};

/// A request, and where it ends.
#[derive(Debug, Clone, Copy)]
pub struct Cut<const LEAST: usize, const N: usize, const ROOM: usize, const TOOLS: usize> {
    /// The whole of it.
    pub sent: Sent<LEAST, N, ROOM, TOOLS>,
    /// How many bytes of it there are, at most.
    pub kept: usize,
}

impl<const LEAST: usize, const N: usize, const ROOM: usize, const TOOLS: usize> Case for Cut<LEAST, N, ROOM, TOOLS> {
    fn draw<S: Source>(source: &mut S) -> Self {
        let sent = Sent::draw(source);
        let (bytes, _) = sent.encoded();
        Self { sent, kept: source.settled(bytes.len()) }
    }
}

/// It is refused for ending in the middle of a field; or it ends behind a field, and is a request that says less.
pub fn what_is_cut_off_is_refused_or_ends_at_a_field<
    const LEAST: usize,
    const N: usize,
    const ROOM: usize,
    const TOOLS: usize,
>(
    case: &Cut<LEAST, N, ROOM, TOOLS>,
) -> Premise {
    let (bytes, ends) = case.sent.encoded();
    let Some(kept) = bytes.as_slice().get(..case.kept) else {
        return Premise::Missed;
    };
    if !case.sent.is_text() {
        return Premise::Missed;
    }
    let mut whole = 0_usize;
    let mut is_at_end = case.kept == 0;
    for end in ends {
        whole = whole.saturating_add(usize::from(end <= case.kept));
        is_at_end |= end == case.kept;
    }
    match Request::read(kept) {
        Ok(request) => {
            assert!(is_at_end, "what ends in the middle of a field is no request");
            assert!(case.sent.is_read(&request, whole), "it says what is there");
        }
        Err(error) => {
            assert!(!is_at_end, "what ends behind a field is a request");
            assert!(error.reason == Malformed::Truncated, "it is refused for its end");
        }
    }
    Premise::Met
}
