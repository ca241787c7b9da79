//! Every way in which rules of all effects, with and without limits, meet on a request.

#![cfg(test)]

mod support;

use std::collections::BTreeMap;

use policy_cedar::CedarJudge;
use policy_model::{Model, Rule};
use support::{assert_agreement, assert_approval, model, request};

/// Each rule in it is a template: worlds are made of one, two or three of them, in every order.
const TEMPLATES: &str = r#"
policy templates language 1
without std.protected-paths
role boss
rule deny-append: deny anyone to file.read where append
rule asked: ask anyone to file.read
rule ask-little: ask anyone to file.read, file.write limit bytes <= 1 B
rule ask-boss: ask boss to file.read limit bytes <= 2 B, offset <= 2 B
rule ask-append: ask anyone to file.write, file.read where append limit bytes <= 2 B
rule allowed: allow boss to file.read, file.write
rule allow-little: allow anyone to file.read limit bytes <= 1 B
rule allow-append: allow anyone to file.read, file.write where append limit bytes <= 2 B
"#;

#[test]
fn up_to_three_rules_in_every_order_answer_alike() {
    let mut templates = model(TEMPLATES);
    // Reading and writing are all these rules are about, and a schema of two actions is soon validated.
    templates.operations.truncate(2);
    let mut requests = Vec::new();
    for roles in [&[][..], &["boss"]] {
        for append in [&[][..], &["append"]] {
            for numbers in [&[][..], &["bytes=1"], &["bytes=2"], &["bytes=3"], &["bytes=2", "offset=3"]] {
                let facts = [append, numbers].concat();
                requests.push(request(&templates, roles, "file.read", &facts));
                requests.push(request(&templates, roles, "file.write", &facts));
            }
        }
    }
    let mut worlds = 0;
    let mut answers = BTreeMap::new();
    for rules in sequences(&templates.rules, 3) {
        let world = world(&templates, &rules);
        let judge = CedarJudge::new(&world).unwrap();
        for request in &requests {
            let answer = assert_agreement(&world, &judge, request);
            assert_approval(&judge, request, answer.verdict);
            *answers.entry((answer.verdict.as_str(), answer.code)).or_insert(0) += 1;
        }
        worlds += 1;
    }
    assert_eq!(worlds, 8 + 8 * 7 + 8 * 7 * 6);
    let codes: Vec<&str> = answers.keys().map(|(_, code)| code.as_str()).collect();
    let expected = ["ALLOWED", "APPROVAL_REQUIRED", "FILE_READ_DENIED", "FILE_WRITE_DENIED", "LIMIT_EXCEEDED"];
    assert_eq!(codes, expected, "{answers:?}");
    assert!(answers.values().all(|count| *count > 500), "{answers:?}");
}

/// Every sequence of different rules, of one to `most` of them.
fn sequences(rules: &[Rule], most: usize) -> Vec<Vec<&Rule>> {
    let mut all = Vec::new();
    let mut last: Vec<Vec<&Rule>> = vec![Vec::new()];
    for _ in 0..most {
        let mut longer = Vec::new();
        for sequence in &last {
            for rule in rules.iter().filter(|rule| sequence.iter().all(|other| other.name != rule.name)) {
                longer.push([sequence.as_slice(), &[rule]].concat());
            }
        }
        all.extend(longer.iter().cloned());
        last = longer;
    }
    all
}

fn world(templates: &Model, rules: &[&Rule]) -> Model {
    let mut world = templates.clone();
    world.rules = rules.iter().map(|rule| (*rule).clone()).collect();
    for (place, rule) in world.rules.iter_mut().enumerate() {
        rule.place = place;
    }
    world
}

/// Facts of a request, and the verdict and rule it gets.
type Expected = (&'static str, &'static str, &'static str);

/// The interactions one by one, so that a failure above has a name here.
#[test]
fn the_stronger_effect_wins_and_an_exceeded_ask_denies() {
    let cases: &[(&str, &str, &[Expected])] = &[
        (
            "deny before ask",
            "rule q: ask anyone to file.read rule d: deny anyone to file.read where append",
            &[("append", "deny", "d"), ("", "ask", "q")],
        ),
        (
            "ask before allow",
            "rule a: allow anyone to file.read rule q: ask anyone to file.read where append",
            &[("append", "ask", "q"), ("", "allow", "a")],
        ),
        (
            "an exceeded ask is not allowed by a weaker rule",
            "rule a: allow anyone to file.read rule q: ask anyone to file.read limit bytes <= 1 B",
            &[("bytes=1", "ask", "q"), ("bytes=2", "deny", "q"), ("", "ask", "q")],
        ),
        (
            "an ask within its limits lifts another one's limit",
            "rule q1: ask anyone to file.read limit bytes <= 1 B rule q2: ask anyone to file.read limit bytes <= 2 B",
            &[("bytes=1", "ask", "q1"), ("bytes=2", "ask", "q2"), ("bytes=3", "deny", "q1")],
        ),
        (
            "an ask without a limit lifts all",
            "rule q1: ask anyone to file.read limit bytes <= 1 B rule q2: ask anyone to file.read",
            &[("bytes=1", "ask", "q1"), ("bytes=9", "ask", "q2")],
        ),
        (
            "an exceeded allow gives way to another",
            "rule a1: allow anyone to file.read limit bytes <= 1 B rule a2: allow anyone to file.read limit bytes <= 2 B",
            &[("bytes=1", "allow", "a1"), ("bytes=2", "allow", "a2"), ("bytes=3", "deny", "a1")],
        ),
        (
            "a deny names itself before an exceeded ask",
            "rule q: ask anyone to file.read limit bytes <= 1 B rule d: deny anyone to file.read where append",
            &[("bytes=2 append", "deny", "d"), ("bytes=2", "deny", "q")],
        ),
        (
            "an exceeded ask names itself before an exceeded allow",
            "rule a: allow anyone to file.read limit bytes <= 1 B rule q: ask anyone to file.read limit bytes <= 1 B",
            &[("bytes=2", "deny", "q"), ("bytes=1", "ask", "q")],
        ),
    ];
    for (claim, rules, requests) in cases {
        let model = model(&format!("policy demo language 1\nwithout std.protected-paths\n{rules}\n"));
        let judge = CedarJudge::new(&model).unwrap();
        for (facts, verdict, rule) in *requests {
            let facts: Vec<&str> = facts.split_whitespace().collect();
            let request = request(&model, &[], "file.read", &facts);
            let answer = assert_agreement(&model, &judge, &request);
            assert_approval(&judge, &request, answer.verdict);
            assert_eq!((answer.verdict.as_str(), answer.rule.as_str()), (*verdict, *rule), "{claim}: {facts:?}");
        }
    }
}
