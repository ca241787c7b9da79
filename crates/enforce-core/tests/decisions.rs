//! Whose word counts: roles, groups, rules, operations and tables against each other.

#![cfg(test)]

mod support;

use enforce_core::{Code, DEFAULT_DENY, Facts, Verdict, decide, decide_all};
use support::sketch::{AttributeSketch, GroupSketch, NodeSketch, OperationSketch, Sketch, TermsSketch};
use support::{frozen, open};
use table_format::{AttributeKind, Child, Effect, RoleId, RuleId, Table, When};

#[test]
fn trust_fail_closed_an_operation_of_another_table_is_denied() {
    let (small, large) = (frozen(&roles_and_groups(&[], vec![vec![Child::Rule(ALLOWS)]])), frozen(&two_operations()));
    let (small, large) = (open(&small).unwrap(), open(&large).unwrap());
    let operation = large.find_operation("second").unwrap();
    let facts = Facts { operation, roles: &[], strings: &[], numbers: &[], flags: 0 };
    let decision = decide(&small, &facts);
    assert_eq!((decision.verdict(), decision.code()), (Verdict::Deny, Code::OperationNotAllowed));
    assert_eq!((decision.rule(), decision.rule_name(), decision.because()), (None, DEFAULT_DENY, None));
    assert_eq!(decision.code().as_str(), "OPERATION_NOT_ALLOWED");
    assert_eq!(decision.exceeded(), None);
    assert_eq!((decision.limits().count(), decision.requirements().count(), decision.budgets().count()), (0, 0, 0));
    assert_eq!(decision.operation(), operation);
    assert_eq!(decision.table().digest(), small.digest());
}

#[test]
fn trust_fail_closed_a_role_of_another_table_denies_whatever_the_others_may() {
    // The words behind the roots are edges too, and would allow.
    let children = vec![Child::Rule(ALLOWS); 8];
    let behind = NodeSketch::Range { lane: 0, low: 0, children, otherwise: Child::Rule(ALLOWS) };
    let roots = vec![Child::Rule(ALLOWS); 2];
    let small = frozen(&Sketch { nodes: vec![behind], ..roles_and_groups(&["a"], vec![roots]) });
    let large = frozen(&roles_and_groups(&["a", "b", "c"], vec![vec![Child::Rule(ALLOWS); 4]]));
    let (small, large) = (open(&small).unwrap(), open(&large).unwrap());
    let own = small.find_role("a").unwrap();
    for name in ["b", "c"] {
        let foreign = large.find_role(name).unwrap();
        for roles in [&[foreign][..], &[own, foreign], &[foreign, own]] {
            assert_eq!(answer(&small, roles), (Verdict::Deny, None, Code::Named("DENIED")));
        }
    }
    assert_eq!(answer(&small, &[own]).0, Verdict::Allow);
    assert_eq!(answer(&small, &[]).0, Verdict::Allow);
}

#[test]
fn each_role_has_its_own_root_and_a_request_without_roles_has_one_too() {
    let roots = vec![Child::Rule(ASKS), Child::Rule(ALLOWS), Child::Nothing, Child::Rule(DENIES)];
    let bytes = frozen(&roles_and_groups(&["a", "b", "c"], vec![roots]));
    let table = open(&bytes).unwrap();
    let [a, b, c] = ["a", "b", "c"].map(|name| table.find_role(name).unwrap());
    assert_eq!(answer(&table, &[]), (Verdict::Ask, Some(ASKS), Code::ApprovalRequired));
    assert_eq!(answer(&table, &[a]), (Verdict::Allow, Some(ALLOWS), Code::Allowed));
    assert_eq!(answer(&table, &[b]), (Verdict::Deny, None, Code::Named("DENIED")));
    assert_eq!(answer(&table, &[c]), (Verdict::Deny, Some(DENIES), Code::Named("FORBIDDEN")));
    // What is asked of someone without roles is not asked of someone with one.
    for roles in [&[a, b][..], &[b, a], &[a, a], &[a, b, b]] {
        assert_eq!(answer(&table, roles).1, Some(ALLOWS));
    }
    for roles in [&[a, c][..], &[c, a], &[b, c], &[a, b, c], &[c, b, a]] {
        assert_eq!(answer(&table, roles).1, Some(DENIES));
    }
}

#[test]
fn the_strongest_rule_has_the_word_whichever_group_says_it() {
    // By strength; equals by their place in the source.
    let order = [
        (Child::Within(DENIES), Verdict::Deny, Code::Named("FORBIDDEN"), DENIES),
        (Child::Rule(DENIES + 1), Verdict::Deny, Code::Named("FORBIDDEN"), DENIES + 1),
        // A denial has no limits to be exceeded.
        (Child::Exceeded(DENIES + 2), Verdict::Deny, Code::Named("FORBIDDEN"), DENIES + 2),
        (Child::Rule(ASKS), Verdict::Ask, Code::ApprovalRequired, ASKS),
        (Child::Within(ASKS + 1), Verdict::Ask, Code::ApprovalRequired, ASKS + 1),
        (Child::Exceeded(ASKS), Verdict::Deny, Code::LimitExceeded, ASKS),
        (Child::Exceeded(ASKS + 1), Verdict::Deny, Code::LimitExceeded, ASKS + 1),
        (Child::Within(ALLOWS), Verdict::Allow, Code::Allowed, ALLOWS),
        (Child::Rule(ALLOWS + 1), Verdict::Allow, Code::Allowed, ALLOWS + 1),
        (Child::Exceeded(ALLOWS), Verdict::Deny, Code::LimitExceeded, ALLOWS),
        (Child::Exceeded(ALLOWS + 2), Verdict::Deny, Code::LimitExceeded, ALLOWS + 2),
    ];
    for (place, (stronger, verdict, code, rule)) in order.into_iter().enumerate() {
        for (weaker, ..) in &order[place..] {
            for roots in [[stronger, *weaker], [*weaker, stronger]] {
                let with_silence = [Child::Nothing, roots[0], Child::Nothing, roots[1]];
                let bytes = frozen(&roles_and_groups(&[], with_silence.map(|root| vec![root]).to_vec()));
                let table = open(&bytes).unwrap();
                assert_eq!(answer(&table, &[]), (verdict, Some(rule), code), "{roots:?}");
            }
        }
    }
}

#[test]
fn trust_default_deny_no_group_and_no_rule_is_a_denial_with_the_operations_own_code() {
    for groups in [vec![], vec![vec![Child::Nothing]], vec![vec![Child::Nothing]; 3]] {
        let bytes = frozen(&roles_and_groups(&[], groups));
        let table = open(&bytes).unwrap();
        assert_eq!(answer(&table, &[]), (Verdict::Deny, None, Code::Named("DENIED")));
        let decision_name = |facts: &Facts<'_>| decide(&table, facts).rule_name().to_owned();
        let operation = table.find_operation("op").unwrap();
        let facts = Facts { operation, roles: &[], strings: &[], numbers: &[], flags: 0 };
        assert_eq!(decision_name(&facts), DEFAULT_DENY);
    }
}

#[test]
fn a_complex_line_that_no_rule_speaks_of_is_denied_as_such() {
    let mut sketch = roles_and_groups(&[], vec![vec![Child::Nothing]]);
    sketch.attributes = vec![AttributeSketch { name: "f", kind: AttributeKind::Flag, known_later: false }];
    sketch.operations[0].flags = vec![0; 3];
    for (complex, flags, code) in [
        (0, 0b111, Code::Named("DENIED")),
        (1, 0b001, Code::ShellComplex),
        (1, 0b110, Code::Named("DENIED")),
        (2, 0b010, Code::ShellComplex),
        (2, 0b101, Code::Named("DENIED")),
        (3, 0b100, Code::ShellComplex),
        (3, 0b1011, Code::Named("DENIED")),
    ] {
        sketch.operations[0].complex = complex;
        for (root, rule) in
            [(Child::Nothing, None), (Child::Rule(ALLOWS), Some(ALLOWS)), (Child::Rule(DENIES), Some(DENIES))]
        {
            sketch.groups[0].roots = vec![root];
            let bytes = frozen(&sketch);
            let table = open(&bytes).unwrap();
            let operation = table.find_operation("op").unwrap();
            let facts = Facts { operation, roles: &[], strings: &[], numbers: &[], flags };
            let decision = decide(&table, &facts);
            assert_eq!(decision.rule(), rule.map(RuleId));
            // A rule that speaks has its own reasons.
            let expected = match rule {
                None => code,
                Some(ALLOWS) => Code::Allowed,
                Some(_) => Code::Named("FORBIDDEN"),
            };
            assert_eq!(decision.code(), expected, "{complex} of {flags:#b} with {rule:?}");
        }
    }
    assert_eq!(Code::ShellComplex.as_str(), "SHELL_COMPLEX");
}

#[test]
fn ctr_0027_a_denial_without_a_code_has_that_of_the_operation() {
    let mut sketch = roles_and_groups(&[], vec![vec![Child::Rule(DENIES)]]);
    sketch.terms[0].code = None;
    sketch.terms[0].because = Some("it is not done");
    let bytes = frozen(&sketch);
    let table = open(&bytes).unwrap();
    let operation = table.find_operation("op").unwrap();
    let facts = Facts { operation, roles: &[], strings: &[], numbers: &[], flags: 0 };
    let decision = decide(&table, &facts);
    assert_eq!((decision.code().as_str(), decision.rule_name()), ("DENIED", "deny-0"));
    assert_eq!(decision.because(), Some("it is not done"));
}

#[test]
fn of_several_decisions_the_strictest_is_the_answer_and_the_first_of_equals() {
    let tables: Vec<Vec<u8>> = [DENIES, DENIES + 1, ASKS, ASKS + 1, ALLOWS, ALLOWS + 1]
        .map(|rule| frozen(&roles_and_groups(&[], vec![vec![Child::Rule(rule)]])))
        .to_vec();
    let tables: Vec<Table<'_>> = tables.iter().map(|bytes| open(bytes).unwrap()).collect();
    let facts: Vec<Facts<'_>> = tables
        .iter()
        .map(|table| {
            let operation = table.find_operation("op").unwrap();
            Facts { operation, roles: &[], strings: &[], numbers: &[], flags: 0 }
        })
        .collect();
    let judged = |places: &[usize]| {
        let mut each = Vec::new();
        let cases = places.iter().map(|place| (&tables[*place], &facts[*place]));
        let decision = decide_all(cases, |decision| each.push(decision.rule().unwrap().0));
        (decision.map(|decision| (decision.verdict(), decision.rule().unwrap().0)), each)
    };
    let (deny, ask, allow) = (Verdict::Deny, Verdict::Ask, Verdict::Allow);
    for (places, verdict, rule) in [
        (&[4][..], allow, ALLOWS),
        (&[4, 5], allow, ALLOWS),
        (&[5, 4], allow, ALLOWS + 1),
        (&[4, 2, 5], ask, ASKS),
        (&[3, 4, 2], ask, ASKS + 1),
        (&[4, 3, 1, 0], deny, DENIES + 1),
        (&[0, 1], deny, DENIES),
        (&[2, 4, 0, 3], deny, DENIES),
    ] {
        let rules = [DENIES, DENIES + 1, ASKS, ASKS + 1, ALLOWS, ALLOWS + 1];
        let each = places.iter().map(|place| rules[*place]).collect();
        assert_eq!(judged(places), (Some((verdict, rule)), each), "{places:?}");
    }
    assert_eq!(judged(&[]), (None, Vec::new()));
}

#[test]
fn a_verdict_that_is_stricter_is_less() {
    assert!(Verdict::Deny < Verdict::Ask && Verdict::Ask < Verdict::Allow);
}

/// Three rules of each effect, and an operation that asks these groups: for each the roots.
fn roles_and_groups(roles: &[&'static str], groups: Vec<Vec<Child>>) -> Sketch {
    let names = ["deny-0", "deny-1", "deny-2", "ask-0", "ask-1", "ask-2", "allow-0", "allow-1", "allow-2"];
    Sketch {
        roles: roles.to_vec(),
        rules: names.into_iter().zip([0, 0, 0, 1, 1, 1, 2, 2, 2]).collect(),
        terms: vec![
            TermsSketch { code: Some("FORBIDDEN"), ..TermsSketch::of(Effect::Deny) },
            TermsSketch::of(Effect::Ask),
            TermsSketch::of(Effect::Allow),
        ],
        operations: vec![OperationSketch {
            name: "op",
            denial_code: "DENIED",
            asked_once: (0..u32::try_from(groups.len()).unwrap()).collect(),
            ..OperationSketch::default()
        }],
        groups: groups.into_iter().map(|roots| GroupSketch { when: When::ONCE, roots }).collect(),
        ..Sketch::default()
    }
}

fn two_operations() -> Sketch {
    let operation = |name| OperationSketch { name, denial_code: "DENIED", ..OperationSketch::default() };
    Sketch { operations: vec![operation("first"), operation("second")], ..Sketch::default() }
}

fn answer<'a>(table: &'a Table<'a>, roles: &[RoleId]) -> (Verdict, Option<u32>, Code<'a>) {
    let operation = table.find_operation("op").unwrap();
    let facts = Facts { operation, roles, strings: &[], numbers: &[], flags: 0 };
    let decision = decide(table, &facts);
    let code = match decision.code() {
        Code::Named(name) => Code::Named(["DENIED", "FORBIDDEN"].into_iter().find(|known| *known == name).unwrap()),
        Code::Allowed => Code::Allowed,
        Code::ApprovalRequired => Code::ApprovalRequired,
        Code::LimitExceeded => Code::LimitExceeded,
        Code::ShellComplex => Code::ShellComplex,
        Code::OperationNotAllowed => Code::OperationNotAllowed,
    };
    (decision.verdict(), decision.rule().map(|rule| rule.0), code)
}

const DENIES: u32 = 0;
const ASKS: u32 = 3;
const ALLOWS: u32 = 6;
