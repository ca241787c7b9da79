//! Decisions: what a table comes to is what its rules say in words, and nothing is permitted but by a rule.

use enforce_core::{Code, DEFAULT_DENY, Decision, Verdict, decide_all};

use crate::cases::{Premise, is_same};
pub use crate::kept::{ASK, ASK_AND_ALLOW, Kept, LIMIT, LIMIT_AND_DENY, SILENCE};
use crate::kept::{STRANGE, bytes};
use crate::sheet::open_vouched;
pub use crate::world::*;

mod cases;

pub(crate) use cases::STRING_BYTES;
use cases::own_operation;
pub use cases::{
    Added, Foreign, ForeignOperation, ForeignRole, Grown, Inserted, Judged, Layers, NothingForeign, Of, Pair, Request,
};

/// The answer is that of the six steps of the language reference.
pub fn decisions_are_what_the_rules_say<W: World, const N: usize>(case: &Judged<W, N>) -> Premise {
    let expected = expected(case.world.rules(), &case.request.said());
    case.world.with_table(|table| {
        case.request.ask(table, |decision| {
            assert!(does(decision) == expected.does, "the verdict is that of the rules");
            assert!(rule_of(decision) == expected.rule, "the rule that has the word is the first of the strongest");
        });
    });
    Premise::of(expected.rule.is_some())
}

/// A denial for a limit names it, and a limit on a number that the request leaves open is left to whoever acts.
pub fn limits_are_named_or_held<W: World, const N: usize>(case: &Judged<W, N>) -> Premise {
    let (rules, said) = (case.world.rules(), case.request.said());
    let expected = expected(rules, &said);
    let decided = expected.rule.and_then(|rule| rules.get(rule));
    let is_held = expected.does != Denies && said.number.is_none() && decided.is_some_and(Rule::is_limited);
    case.world.with_table(|table| {
        case.request.ask(table, |decision| {
            let exceeded = decision.exceeded().map(|limit| limit.most);
            assert!(exceeded == expected.is_exceeded.then_some(MOST), "the limit is named that was exceeded");
            let mut limits = decision.limits().map(|limit| limit.most);
            assert!(limits.next() == is_held.then_some(MOST), "a limit on what is open is held");
            assert!(limits.next().is_none(), "and no other");
        });
    });
    Premise::of(expected.is_exceeded || is_held)
}

/// The code says why, as the language reference lists them.
pub fn codes_say_why<W: World, const N: usize>(case: &Judged<W, N>) -> Premise {
    let (rules, said) = (case.world.rules(), case.request.said());
    let expected = expected(rules, &said);
    case.world.with_table(|table| {
        case.request.ask(table, |decision| {
            assert!(has_code(decision, &expected, rules, said.flag), "the code is that of the answer");
        });
    });
    Premise::Met
}

/// A rule to deny that applies has the word, whatever else there is.
pub fn a_deny_that_applies_wins<W: World, const N: usize>(case: &Judged<W, N>) -> Premise {
    let (rules, said) = (case.world.rules(), case.request.said());
    let is_denied = rules.iter().any(|rule| rule.does == Denies && rule.applies(&said));
    if !is_denied {
        return Premise::Missed;
    }
    case.world.with_table(|table| {
        case.request.ask(table, |decision| {
            assert!(decision.verdict() == Verdict::Deny, "it is denied");
            let rule = rule_of(decision).and_then(|rule| rules.get(rule));
            assert!(rule.is_some_and(|rule| rule.does == Denies), "a rule that denies says so");
        });
    });
    Premise::Met
}

/// What no rule speaks of is denied, and so is what is asked with numbers of another table: an operation or a role
/// that this one does not have.
pub fn silence_forbids<W: World, const N: usize>(case: &Foreign<W, N>) -> Premise {
    let is_silent = expected(case.world.rules(), &case.request.said()).rule.is_none();
    let Ok(stranger) = open_vouched(bytes(STRANGE)) else {
        unreachable!("what is kept is a table");
    };
    let foreign = (stranger.operations().last(), stranger.roles().last());
    let (Some(operation), Some(role)) = foreign else {
        unreachable!("it has operations and roles");
    };
    case.world.with_table(|table| match case.of {
        NothingForeign if !is_silent => Premise::Missed,
        NothingForeign => {
            case.request.ask(table, |decision| {
                assert!(decision.verdict() == Verdict::Deny, "nobody speaks, so it is denied");
                assert!(decision.rule().is_none(), "by no rule");
            });
            Premise::Met
        }
        ForeignOperation => {
            case.request.ask_for(table, operation, None, |decision| {
                assert!(decision.verdict() == Verdict::Deny, "an operation that is not known is denied");
                assert!(matches!(decision.code(), Code::OperationNotAllowed), "and the code says so");
                assert!(is_same(decision.rule_name().as_bytes(), DEFAULT_DENY.as_bytes()), "by the built-in rule");
            });
            Premise::Met
        }
        ForeignRole => {
            let own = own_operation(table);
            case.request.ask_for(table, own, Some(role), |decision| {
                assert!(decision.verdict() == Verdict::Deny, "who holds a role of another table is denied");
            });
            Premise::Met
        }
    })
}

/// One more rule to deny, wherever it stands, makes no verdict weaker: a denial stays a denial, and nothing becomes
/// allowed. When it applies everything is denied, and when it does not the verdict stays.
pub fn adding_a_deny_permits_nothing<P: Pair, const N: usize>(case: &Added<P, N>) -> Premise {
    let (before, after) = case.verdicts();
    assert!(after <= before, "nothing is permitted that was not");
    let applies = case.pair.added().applies(&case.request.said());
    assert!(after == if applies { Verdict::Deny } else { before }, "it denies what it is about, and nothing else");
    Premise::of(before != Verdict::Deny)
}

/// One more rule to allow, wherever it stands, makes no verdict stronger: what was allowed stays allowed, also when the
/// new rule's limit is exceeded. And it overrules no rule that denies or asks: what these say stays, a denial because
/// too much was asked for included.
///
/// Of a rule that asks neither can be said: it turns what was allowed into a question or, beyond its limit, into a
/// denial, and what nobody spoke of into a question.
pub fn adding_an_allow_forbids_nothing<P: Pair, const N: usize>(case: &Added<P, N>) -> Premise {
    let (before, after) = case.verdicts();
    assert!(after >= before, "nothing is forbidden that was not");
    let said = case.request.said();
    let is_settled = case.pair.before().iter().any(|rule| rule.does != Allows && rule.applies(&said));
    assert!(!is_settled || after == before, "it overrules no rule that denies or asks");
    let permits = case.pair.added().applies(&said) && !case.pair.added().is_exceeded(&said);
    assert!(is_settled || !permits || after == Verdict::Allow, "otherwise it permits what it is about");
    Premise::of(permits)
}

/// Several tables on one session all have to agree, so their order means nothing to the verdict; the answer is the
/// strictest of theirs.
pub fn the_order_of_layers_means_nothing<A: World, B: World, C: World, const N: usize>(
    case: &Layers<A, B, C, N>,
) -> Premise {
    case.with_decisions(|judged| {
        let [one, other, third] = judged;
        let orders = [
            [one, other, third],
            [one, third, other],
            [other, one, third],
            [other, third, one],
            [third, one, other],
            [third, other, one],
        ];
        let strictest = one.verdict().min(other.verdict()).min(third.verdict());
        for order in orders {
            let mut seen = 0_usize;
            let cases = order.iter().map(|decision| (decision.table(), decision.facts()));
            let all = decide_all(cases, |_| seen = seen.saturating_add(1));
            assert!(all.is_some_and(|all| all.verdict() == strictest), "the strictest has the word, in any order");
            assert!(seen == order.len(), "every layer is asked");
        }
        Premise::of(one.verdict() != other.verdict() || other.verdict() != third.verdict())
    })
}

/// One more layer permits nothing that the others do not, and without any layer there is no answer.
pub fn another_layer_permits_nothing<A: World, B: World, C: World, const N: usize>(
    case: &Layers<A, B, C, N>,
) -> Premise {
    case.with_decisions(|judged| {
        assert!(decide_all([], |_| {}).is_none(), "nothing to judge permits nothing");
        let mut before = None;
        let mut is_stricter = false;
        for layers in 1..=judged.len() {
            let cases = judged.iter().take(layers).map(|decision| (decision.table(), decision.facts()));
            let after = decide_all(cases, |_| {}).map(|all| all.verdict());
            assert!(after.is_some(), "where there is a layer there is an answer");
            assert!(before.is_none() || after <= before, "nothing is permitted that was not");
            is_stricter |= before.is_some() && after != before;
            before = after;
        }
        Premise::of(is_stricter)
    })
}

fn does(decision: &Decision<'_, '_>) -> Does {
    match decision.verdict() {
        Verdict::Deny => Denies,
        Verdict::Ask => Asks,
        Verdict::Allow => Allows,
    }
}

fn rule_of(decision: &Decision<'_, '_>) -> Option<usize> {
    decision.rule().map(|rule| usize::try_from(rule.0).unwrap_or(usize::MAX))
}

/// Whether the code is the one of the answer. Names are short, so that a model checker can compare them.
fn has_code(decision: &Decision<'_, '_>, expected: &Answer, rules: &[Rule], is_complex: bool) -> bool {
    let rule = expected.rule.and_then(|rule| rules.get(rule));
    match decision.code() {
        Code::Allowed => expected.does == Allows,
        Code::ApprovalRequired => expected.does == Asks,
        Code::LimitExceeded => expected.is_exceeded,
        Code::ShellComplex => rule.is_none() && is_complex,
        Code::OperationNotAllowed => false,
        Code::Named(name) => {
            let is_denied = expected.does == Denies && !expected.is_exceeded;
            let own: &[u8] = if rule.is_some_and(Rule::has_code) { b"a" } else { b"" };
            is_denied && (rule.is_some() || !is_complex) && is_same(name.as_bytes(), own)
        }
    }
}
