//! Limits, requirements and budgets: what is exceeded, and what a permitted act is bound to.

#![cfg(test)]

mod support;

use enforce_core::{Code, Facts, Verdict, decide};
use support::sketch::{AttributeSketch, BudgetSketch, GroupSketch, OperationSketch, Sketch, TermsSketch};
use support::{frozen, open};
use table_format::{AttributeKind, Child, Effect, Limit, Measure, Period, Table, When};

#[test]
fn a_limit_is_kept_up_to_its_most_and_exceeded_above() {
    for most in [0, 1, 4096, u64::MAX - 1, u64::MAX] {
        let bytes = frozen(&limited(Effect::Allow, &[(SIZE, most)]));
        let table = open(&bytes).unwrap();
        for number in [0, most.saturating_sub(1), most, most.saturating_add(1), u64::MAX] {
            let seen = see(&table, &[Some(number), None]);
            if number <= most {
                assert_eq!((seen.verdict, seen.code, seen.exceeded), (Verdict::Allow, "ALLOWED".into(), None));
            } else {
                let limit = Some((SIZE, most));
                assert_eq!((seen.verdict, seen.code, seen.exceeded), (Verdict::Deny, "LIMIT_EXCEEDED".into(), limit));
            }
            assert_eq!(seen.rule, "limited");
            assert_eq!(seen.open_limits, []);
        }
    }
}

#[test]
fn a_number_left_open_is_not_over_its_limit_and_the_limit_travels() {
    let bytes = frozen(&limited(Effect::Allow, &[(SIZE, 10), (LATER, 20)]));
    let table = open(&bytes).unwrap();
    let (size, later) = ((SIZE, 10), (LATER, 20));
    for (numbers, verdict, open_limits, exceeded) in [
        (&[Some(10), Some(20)][..], Verdict::Allow, vec![], None),
        (&[Some(10), None], Verdict::Allow, vec![later], None),
        (&[None, Some(20)], Verdict::Allow, vec![size], None),
        (&[None, None], Verdict::Allow, vec![size, later], None),
        (&[], Verdict::Allow, vec![size, later], None),
        (&[Some(10)], Verdict::Allow, vec![later], None),
        (&[Some(11), None], Verdict::Deny, vec![], Some(size)),
        (&[None, Some(21)], Verdict::Deny, vec![], Some(later)),
        (&[Some(11), Some(21)], Verdict::Deny, vec![], Some(size)),
        (&[Some(10), Some(21)], Verdict::Deny, vec![], Some(later)),
    ] {
        let seen = see(&table, numbers);
        assert_eq!((seen.verdict, seen.open_limits, seen.exceeded), (verdict, open_limits, exceeded), "{numbers:?}");
    }
}

#[test]
fn limits_of_an_ask_travel_and_are_exceeded_like_those_of_an_allow() {
    let bytes = frozen(&limited(Effect::Ask, &[(SIZE, 10)]));
    let table = open(&bytes).unwrap();
    for (number, verdict, code, limits) in [
        (Some(10), Verdict::Ask, "APPROVAL_REQUIRED", vec![]),
        (None, Verdict::Ask, "APPROVAL_REQUIRED", vec![(SIZE, 10)]),
        (Some(11), Verdict::Deny, "LIMIT_EXCEEDED", vec![]),
    ] {
        let seen = see(&table, &[number, None]);
        assert_eq!((seen.verdict, seen.code.as_str(), seen.open_limits), (verdict, code, limits));
    }
}

#[test]
fn a_denial_is_one_whatever_limits_its_terms_have() {
    let bytes = frozen(&limited(Effect::Deny, &[(SIZE, 10)]));
    let table = open(&bytes).unwrap();
    for number in [None, Some(10), Some(11)] {
        let seen = see(&table, &[number, None]);
        assert_eq!((seen.verdict, seen.code.as_str(), seen.exceeded), (Verdict::Deny, "DENIED", None));
        assert_eq!(seen.open_limits, []);
    }
}

#[test]
fn a_limit_on_what_the_operation_does_not_have_binds_to_nothing() {
    let bytes = frozen(&limited(Effect::Allow, &[(OTHER, 0), (SIZE, 10)]));
    let table = open(&bytes).unwrap();
    assert_eq!(see(&table, &[Some(10), Some(1)]).verdict, Verdict::Allow);
    assert_eq!(see(&table, &[None, Some(1)]).open_limits, [(SIZE, 10)]);
    assert_eq!(see(&table, &[Some(11), Some(1)]).exceeded, Some((SIZE, 10)));
}

#[test]
fn an_exceeded_rule_leaves_the_word_to_another_of_its_effect() {
    // Two groups: the first rule may little, the second much.
    let mut sketch = limited(Effect::Allow, &[(SIZE, 10)]);
    sketch.rules.push(("generous", 1));
    sketch.terms.push(TermsSketch { limits: vec![(SIZE, 100)], ..TermsSketch::of(Effect::Allow) });
    sketch.groups.push(GroupSketch { when: When::ONCE, roots: vec![Child::Rule(1); 3] });
    for groups in [vec![0, 1], vec![1, 0]] {
        sketch.operations[0].asked_once = groups;
        let bytes = frozen(&sketch);
        let table = open(&bytes).unwrap();
        for (number, rule, verdict, exceeded) in [
            (Some(10), "limited", Verdict::Allow, None),
            (Some(11), "generous", Verdict::Allow, None),
            (Some(100), "generous", Verdict::Allow, None),
            (Some(101), "limited", Verdict::Deny, Some((SIZE, 10))),
            (None, "limited", Verdict::Allow, None),
        ] {
            let seen = see(&table, &[number, None]);
            assert_eq!((seen.rule.as_str(), seen.verdict, seen.exceeded), (rule, verdict, exceeded), "{number:?}");
        }
    }
}

#[test]
fn requirements_bind_what_is_permitted_and_nothing_else() {
    for (effect, expected) in
        [(Effect::Allow, vec!["clean-tree", "scan"]), (Effect::Ask, vec!["clean-tree", "scan"]), (Effect::Deny, vec![])]
    {
        let mut sketch = limited(effect, &[(SIZE, 10)]);
        sketch.terms[0].requirements = vec!["clean-tree", "scan"];
        let bytes = frozen(&sketch);
        let table = open(&bytes).unwrap();
        assert_eq!(see(&table, &[Some(10), None]).requirements, expected, "{effect:?}");
        assert_eq!(see(&table, &[Some(11), None]).requirements, [] as [&str; 0], "{effect:?}");
    }
}

#[test]
fn budgets_are_charged_to_who_holds_one_of_their_roles_when_the_act_is_permitted() {
    let mut sketch = limited(Effect::Allow, &[(SIZE, 10)]);
    let budget = |name, roles| BudgetSketch { name, measure: Measure::Calls, most: 1, period: Period::Day, roles };
    sketch.budgets = vec![
        budget("of-others", None),
        budget("anyones", None),
        budget("of-a", Some(vec![0])),
        budget("of-both", Some(vec![0, 1])),
        budget("of-b", Some(vec![1])),
        budget("nobodys", Some(vec![])),
    ];
    sketch.operations[0].budgets = vec![1, 2, 3, 4, 5];
    let bytes = frozen(&sketch);
    let table = open(&bytes).unwrap();
    let [a, b] = ["a", "b"].map(|name| table.find_role(name).unwrap());
    for (roles, charged) in [
        (&[][..], &["anyones"][..]),
        (&[a], &["anyones", "of-a", "of-both"]),
        (&[b], &["anyones", "of-both", "of-b"]),
        (&[b, a, b], &["anyones", "of-a", "of-both", "of-b"]),
    ] {
        let budgets = |number| {
            let operation = table.find_operation("op").unwrap();
            let facts = Facts { operation, roles, strings: &[], numbers: &[Some(number), None], flags: 0 };
            let decision = decide(&table, &facts);
            decision.budgets().map(|budget| table.text(budget.name).to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(budgets(10), charged, "{roles:?}");
        assert_eq!(budgets(11), [] as [&str; 0], "{roles:?}");
    }
}

#[test]
fn an_ask_is_charged_like_an_allow() {
    let mut sketch = limited(Effect::Ask, &[]);
    let (measure, period) = (Measure::Sum(SIZE), Period::Hour);
    sketch.budgets = vec![BudgetSketch { name: "b", measure, most: 7, period, roles: None }];
    sketch.operations[0].budgets = vec![0];
    let bytes = frozen(&sketch);
    let table = open(&bytes).unwrap();
    let operation = table.find_operation("op").unwrap();
    let facts = Facts { operation, roles: &[], strings: &[], numbers: &[], flags: 0 };
    let budgets: Vec<_> = decide(&table, &facts).budgets().collect();
    assert_eq!(budgets, [table.budget(0).unwrap()]);
    assert_eq!((budgets[0].measure, budgets[0].most, budgets[0].period), (measure, 7, period));
}

/// What a decision shows.
struct Seen {
    verdict: Verdict,
    code: String,
    rule: String,
    exceeded: Option<(u32, u64)>,
    open_limits: Vec<(u32, u64)>,
    requirements: Vec<String>,
}

fn see(table: &Table<'_>, numbers: &[Option<u64>]) -> Seen {
    let operation = table.find_operation("op").unwrap();
    let facts = Facts { operation, roles: &[], strings: &[], numbers, flags: 0 };
    let decision = decide(table, &facts);
    let pair = |limit: Limit| (limit.attribute, limit.most);
    assert_eq!(decision.exceeded().is_some(), decision.code() == Code::LimitExceeded);
    Seen {
        verdict: decision.verdict(),
        code: decision.code().as_str().to_owned(),
        rule: decision.rule_name().to_owned(),
        exceeded: decision.exceeded().map(pair),
        open_limits: decision.limits().map(pair).collect(),
        requirements: decision.requirements().map(str::to_owned).collect(),
    }
}

/// One rule with limits, for everyone; an operation that has two of the three numbers, the second known later.
fn limited(effect: Effect, limits: &[(u32, u64)]) -> Sketch {
    let attribute = |name, kind, known_later| AttributeSketch { name, kind, known_later };
    Sketch {
        roles: vec!["a", "b"],
        attributes: vec![
            attribute("other", AttributeKind::Count, false),
            attribute("path", AttributeKind::Path, false),
            attribute("size", AttributeKind::Size, false),
            attribute("later", AttributeKind::Duration, true),
        ],
        operations: vec![OperationSketch {
            name: "op",
            denial_code: "DENIED",
            strings: vec![1],
            numbers: vec![SIZE, LATER],
            asked_once: vec![0],
            ..OperationSketch::default()
        }],
        rules: vec![("limited", 0)],
        terms: vec![TermsSketch { limits: limits.to_vec(), ..TermsSketch::of(effect) }],
        groups: vec![GroupSketch { when: When::ONCE, roots: vec![Child::Rule(0); 3] }],
        ..Sketch::default()
    }
}

const OTHER: u32 = 0;
const SIZE: u32 = 2;
const LATER: u32 = 3;
