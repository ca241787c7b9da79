//! Bytes -> Permit or refusal: the whole way of a request through the core, in the order in which it is checked
//! (TRUST-FLOW).

mod declared;
mod outcome;
mod permit;
mod scratch;
mod session;
mod targets;

pub use outcome::{ArgumentError, Denial, Outcome, Piece, Refusal, RefusalClass, Refused};
pub use permit::{Obligation, Obligations, Offer, Permit, RequestAttributes};
pub use session::{Approval, Layer, Scope, Session};

use table_format::{OperationId, RoleId};

use crate::decide::decide;
use crate::decision::{Decision, Verdict};
use crate::facts::Facts;
use crate::limits::MAX_ID_LEN;
use crate::operation::{Asked, NUMBERS_MAX, STRINGS_MAX};
use crate::text::numbered;
use crate::validate::{Violation, validate};
use crate::wire::{Call, Fact, Request, Text};
use targets::Targets;

/// One decision of several: of one policy about one target.
#[derive(Debug, Clone, Copy)]
pub struct Judged<'t, 'f> {
    /// Which of the session's policies.
    pub layer: usize,
    /// What was judged, as the request writes it.
    pub target: &'f [u8],
    /// What it came to.
    pub decision: Decision<'t, 'f>,
}

/// Judges the bytes of a request.
///
/// The caller finds the session of a request that is well-formed and valid; an unknown session, or one that is over, is
/// `None`. `buffer` is for what has to be written to be judged: a path that is not in its shortest form, a command
/// that is quoted in another way than ours. Six times the length of the request and 64 KiB suffice, and for a call of a
/// declared tool the length of the working directory once more for each argument.
/// `obligations` takes each rule that permits the act: at least one place for each policy, and no more than one for each
/// policy and target. `watch` sees every decision, for a record of them or an explanation; nothing depends on it.
pub fn judge<'a, 'b>(
    bytes: &'a [u8],
    find_session: impl FnOnce(&Request<'a>) -> Option<Session<'a>>,
    buffer: &mut [u8],
    obligations: &'b mut [Option<Obligation>],
    watch: &mut dyn FnMut(&Judged<'a, '_>),
) -> Outcome<'a, 'b> {
    let mut request = Request::default();
    match request.fill(bytes) {
        Ok(()) => judge_request(&request, find_session, buffer, obligations, watch),
        Err(error) => {
            Outcome::Refuse(Refused { request_id: Text::default(), refusal: Refusal::SenderMalformed(error) })
        }
    }
}

/// Judges a request that was read from its bytes, as [`judge`] does.
pub fn judge_request<'a, 'b>(
    request: &Request<'a>,
    find_session: impl FnOnce(&Request<'a>) -> Option<Session<'a>>,
    buffer: &mut [u8],
    obligations: &'b mut [Option<Obligation>],
    watch: &mut dyn FnMut(&Judged<'a, '_>),
) -> Outcome<'a, 'b> {
    let refuse = |request_id, refusal| Outcome::Refuse(Refused { request_id, refusal });

    if let Some((first, count)) = violations(request) {
        // A name that is not valid itself is not repeated.
        let id = request.request_id.as_bytes();
        let is_fine = id.len() <= MAX_ID_LEN && !id.iter().any(|byte| *byte < b' ');
        let request_id = if is_fine { request.request_id } else { Text::default() };
        return refuse(request_id, Refusal::SenderInvalid { first, count });
    }
    let Some(session) = find_session(request) else {
        return refuse(request.request_id, Refusal::SenderUnknownSession);
    };
    match decide_request(request, &session, buffer, obligations, watch) {
        Ok(pairs) => Outcome::Permit(Offer::new(*request, session, pairs)),
        Err(refusal) => refuse(request.request_id, refusal),
    }
}

/// The first violation, and how many there are.
fn violations(request: &Request<'_>) -> Option<(Violation, usize)> {
    let (mut first, mut count) = (None, 0_usize);
    validate(request, &mut |violation| {
        first = first.or(Some(violation));
        count = count.saturating_add(1);
    });
    first.map(|first| (first, count))
}

/// Lease, then every target by every policy. All have to agree, and the strictest has the word.
#[inline(never)]
fn decide_request<'a, 'b>(
    request: &Request<'a>,
    session: &Session<'a>,
    buffer: &mut [u8],
    obligations: &'b mut [Option<Obligation>],
    watch: &mut dyn FnMut(&Judged<'a, '_>),
) -> Result<&'b [Option<Obligation>], Refusal<'a>> {
    let Some((asked, call)) = Asked::of(request).zip(request.call()) else {
        // A valid request asks for something.
        return Err(Refusal::HostWithoutPolicy);
    };
    if !session.scope.covers(&asked) {
        return Err(Refusal::SenderOutsideLease(asked));
    }
    if session.layers.is_empty() {
        return Err(Refusal::HostWithoutPolicy);
    }
    let mut ruling = Ruling::new(obligations);
    match asked {
        Asked::BuiltIn(operation) => {
            let mut targets = Targets { session, buffer };
            targets.each(call, &mut |target| {
                for (place, layer) in numbered(session.layers.iter()) {
                    let Some(id) = layer.policy.operation(operation) else {
                        return Err(Refusal::PolicyUnknownOperation(asked));
                    };
                    ruling.add(place, layer, target.shown, &target.facts(id, layer.roles), watch)?;
                }
                Ok(())
            })?;
        }
        Asked::Declared { .. } => {
            for (place, layer) in numbered(session.layers.iter()) {
                declared::facts(&asked, call, session, layer, buffer, &mut |facts| {
                    ruling.add(place, layer, &[], facts, watch)
                })?;
            }
        }
    }
    ruling.finish(session, asked)
}

/// The decisions so far.
struct Ruling<'a, 'b> {
    /// The rules that permit.
    obligations: &'b mut [Option<Obligation>],
    count: usize,
    /// The first decision that a person has to agree to.
    first_ask: Option<Denial<'a>>,
}

impl<'a, 'b> Ruling<'a, 'b> {
    fn new(obligations: &'b mut [Option<Obligation>]) -> Self {
        Self { obligations, count: 0, first_ask: None }
    }

    /// Adds a decision. A denial is the last word.
    fn add(
        &mut self,
        layer: usize,
        of: &Layer<'a>,
        shown: &'a [u8],
        facts: &Facts<'_>,
        watch: &mut dyn FnMut(&Judged<'a, '_>),
    ) -> Result<(), Refusal<'a>> {
        let decision = decide(of.policy.table(), facts);
        watch(&Judged { layer, target: shown, decision });
        match (decision.verdict(), decision.rule()) {
            (Verdict::Deny, _) | (_, None) => return Err(Refusal::PolicyDenies(Denial::new(&decision, shown))),
            (Verdict::Ask, Some(_)) if self.first_ask.is_none() => {
                self.first_ask = Some(Denial::new(&decision, shown));
            }
            (Verdict::Ask | Verdict::Allow, Some(_)) => {}
        }
        let obligation = decision.rule().map(|rule| Obligation::new(layer, facts.operation, rule));
        let (known, free) = self.obligations.split_at_mut_checked(self.count).unwrap_or_default();
        if !known.contains(&obligation) {
            let needed = self.count.saturating_add(1);
            *free.first_mut().ok_or(Refusal::HostObligationsTooSmall { needed })? = obligation;
            self.count = needed;
        }
        Ok(())
    }

    /// The rules that permit all of it.
    fn finish(self, session: &Session<'a>, asked: Asked<'a>) -> Result<&'b [Option<Obligation>], Refusal<'a>> {
        match self.first_ask {
            Some(denial) if session.approval == Approval::Missing => Err(Refusal::PolicyAsks(denial)),
            // Nothing that was judged permits nothing.
            _ if self.count == 0 => Err(Refusal::PolicyUnknownOperation(asked)),
            _ => Ok(self.obligations.get(..self.count).unwrap_or_default()),
        }
    }
}

/// What is said about one target of a built-in operation, in the order of its attributes.
#[derive(Clone, Copy)]
struct Target<'a, 't> {
    /// As the request writes it.
    shown: &'a [u8],
    strings: [Option<&'t [u8]>; STRINGS_MAX],
    numbers: [Option<u64>; NUMBERS_MAX],
    flags: u64,
}

impl<'a> Target<'a, 'a> {
    /// The attributes that the fields of a call give each of its targets.
    fn from_fields(call: &Call<'a>) -> Self {
        let mut said = Self::NOTHING;
        for (field, value) in call.each() {
            match field.fact {
                Fact::Unsaid => {}
                Fact::Text(slot) => put(&mut said.strings, slot, Some(value.bytes()).filter(|text| !text.is_empty())),
                Fact::Number(slot) => put(&mut said.numbers, slot, Some(value.number())),
                Fact::Open(slot) => put(&mut said.numbers, slot, Some(value.number()).filter(|number| *number != 0)),
                Fact::Length(slot) => put(&mut said.numbers, slot, u64::try_from(value.bytes().len()).ok()),
                Fact::Flag(bit) => said.flags |= value.number().wrapping_shl(u32::from(bit)),
            }
        }
        said
    }
}

/// The bit of a flag among those of its operation.
#[expect(clippy::as_conversions, reason = "`From` is not const")]
const fn bit(slot: u8) -> u64 {
    1_u64.wrapping_shl(slot as u32)
}

fn put<T>(values: &mut [Option<T>], slot: u8, value: Option<T>) {
    if let Some(place) = values.get_mut(usize::from(slot)) {
        *place = value;
    }
}

impl<'t> Target<'_, 't> {
    const NOTHING: Self = Self { shown: &[], strings: [None; STRINGS_MAX], numbers: [None; NUMBERS_MAX], flags: 0 };

    fn facts<'f>(&'f self, operation: OperationId, roles: &'f [RoleId]) -> Facts<'f> {
        Facts { operation, roles, strings: &self.strings, numbers: &self.numbers, flags: self.flags }
    }
}

#[cfg(test)]
mod tests;
