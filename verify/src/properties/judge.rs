//! The judge: a permit is for what is valid, of a session, in its lease, and allowed by all that was decided.

mod case;
mod tables;

pub use case::{ANY, Called, FLAWED, Judges, KNOWN, KNOWN_ALONE, UNKNOWN};

use enforce_core::judge::{Outcome, Refusal};
use enforce_core::validate::validate;
use enforce_core::wire::Request;
use enforce_core::{DEFAULT_DENY, Verdict};

use crate::cases::{Premise, is_same};

/// Bytes that are no request, and requests that break a rule, are refused for that, before anybody looks for a session.
pub fn nothing_invalid_is_permitted<const N: usize, const TOOL: usize>(case: &Judges<N, TOOL>) -> Premise {
    case.judged(|bytes, seen| {
        let read = Request::read(bytes);
        let is_valid = read.as_ref().is_ok_and(|request| {
            let mut is_valid = true;
            validate(request, &mut |_| is_valid = false);
            is_valid
        });
        match seen.outcome {
            Outcome::Permit(_) => assert!(is_valid, "what is permitted is valid"),
            Outcome::Refuse(refused) => {
                let is_malformed = matches!(refused.refusal, Refusal::SenderMalformed(_));
                let is_invalid = matches!(refused.refusal, Refusal::SenderInvalid { .. });
                assert!(is_malformed == read.is_err(), "what is no request is refused as that, and nothing else is");
                assert!((is_malformed || is_invalid) != is_valid, "what is invalid is refused as that");
            }
        }
        assert!(is_valid || !seen.is_looked_for, "nobody looks for the session of what is invalid");
        Premise::of(!is_valid)
    })
}

/// A permit has a session that is known, a lease that covers it, and decisions of which none denies.
pub fn what_is_permitted_was_allowed<const N: usize, const TOOL: usize>(case: &Judges<N, TOOL>) -> Premise {
    case.judged(|_, seen| {
        let Outcome::Permit(offer) = seen.outcome else {
            return Premise::Missed;
        };
        let (_, permit) = offer.accept();
        assert!(case.is_known && seen.is_looked_for, "the session is known");
        assert!(case.is_covered(), "the lease covers it");
        assert!(!permit.session().layers.is_empty(), "the session has policies");
        assert!(seen.decisions >= permit.session().layers.len(), "every policy has decided");
        assert!(seen.denials == 0, "no decision denies");
        assert!(seen.questions == 0 || case.is_approved, "what is asked for has been agreed to");
        Premise::Met
    })
}

/// A permit is bound to each rule that permitted something, once, and to no other.
pub fn a_permit_is_bound_to_every_rule_that_permits<const N: usize, const TOOL: usize>(
    case: &Judges<N, TOOL>,
) -> Premise {
    case.judged(|_, seen| {
        let Outcome::Permit(offer) = seen.outcome else {
            return Premise::Missed;
        };
        let (obligations, _) = offer.accept();
        let count = |wanted| obligations.rules().filter(|pair| (pair.layer, pair.rule) == wanted).count();
        for pair in seen.permitting.iter().flatten() {
            assert!(count(*pair) == 1, "each rule that permits is there once");
        }
        for pair in obligations.rules() {
            assert!(seen.permitting.contains(&Some((pair.layer, pair.rule))), "every other one is not");
        }
        Premise::Met
    })
}

/// What policies refuse names the rule that does, or the default; and what others refuse names the default.
pub fn refusals_name_a_rule_or_the_default<const N: usize, const TOOL: usize>(case: &Judges<N, TOOL>) -> Premise {
    case.judged(|_, seen| {
        let Outcome::Refuse(refused) = &seen.outcome else {
            return Premise::Missed;
        };
        let is_default = is_same(refused.refusal.rule_id().as_bytes(), DEFAULT_DENY.as_bytes());
        assert!(!refused.refusal.code().is_empty(), "a refusal has a code");
        let (denial, verdict) = match refused.refusal {
            Refusal::PolicyDenies(denial) => (denial, Verdict::Deny),
            Refusal::PolicyAsks(denial) => (denial, Verdict::Ask),
            _ => {
                assert!(is_default, "what no policy refuses is refused by default");
                return Premise::Missed;
            }
        };
        assert!(denial.rule().is_none() == is_default, "a rule is named exactly when one decided");
        assert!(!refused.refusal.rule_id().is_empty(), "a rule has a name");
        assert!(
            seen.strictest == Some((verdict, denial.rule())),
            "it is the strictest that was decided, and the first"
        );
        assert!(verdict == Verdict::Deny || !case.is_approved, "what was agreed to is not asked for again");
        Premise::Met
    })
}

/// What a policy does not know is refused, and so is everything without a policy.
pub fn what_a_policy_does_not_know_is_refused<const N: usize, const TOOL: usize>(case: &Judges<N, TOOL>) -> Premise {
    if case.is_known_to_all() {
        return Premise::Missed;
    }
    case.judged(|_, seen| {
        let is_refused = match &seen.outcome {
            Outcome::Permit(_) => false,
            Outcome::Refuse(_) => true,
        };
        assert!(is_refused, "it is refused");
    });
    Premise::Met
}

/// The same bytes in the same session come to the same.
pub fn judging_again_is_judging_alike<const N: usize, const TOOL: usize>(case: &Judges<N, TOOL>) -> Premise {
    Premise::of(are_judged_alike(case, case))
}

/// Two calls come to the same. Whether a policy has decided.
fn are_judged_alike<const N: usize, const TOOL: usize>(one: &Judges<N, TOOL>, other: &Judges<N, TOOL>) -> bool {
    one.judged(|_, first| {
        other.judged(|_, second| {
            assert!(first.decisions == second.decisions, "there are as many decisions");
            assert!(first.strictest == second.strictest, "the same rule has the word");
            match (&first.outcome, &second.outcome) {
                (Outcome::Permit(_), Outcome::Permit(_)) => {}
                (Outcome::Refuse(first), Outcome::Refuse(second)) => {
                    let (one, other) = (first.refusal, second.refusal);
                    assert!(is_same(one.code().as_bytes(), other.code().as_bytes()), "the code is the same");
                    assert!(is_same(one.rule_id().as_bytes(), other.rule_id().as_bytes()), "the rule is the same");
                }
                (Outcome::Permit(_), Outcome::Refuse(_)) | (Outcome::Refuse(_), Outcome::Permit(_)) => {
                    unreachable!("the outcome is the same")
                }
            }
        });
        first.decisions > 0
    })
}
