//! Tests are judged by the bytes they are given: those of another policy give other answers.

use std::path::Path;

use policy_model::{CheckOptions, Checked, Memory, check_untested};
use policy_syntax::Effect;
use policy_table::freeze;

use super::*;

#[test]
fn the_bytes_decide_and_not_the_model() {
    let (own, other) = (policy("allow", "src/**"), policy("ask", "docs/**"));
    let model = own.model.as_ref().unwrap();
    let said = |bytes: &[u8]| -> Vec<(Effect, String, bool)> {
        let ran = judge(model, bytes, &[0, 1]).unwrap();
        ran.into_iter().map(|one| (one.said.verdict, one.said.rule, one.passed)).collect()
    };
    let by = |effect, rule: &str, passed| (effect, rule.to_owned(), passed);
    assert_eq!(
        said(&table(&own)),
        [by(Effect::Allow, "read", true), by(Effect::Deny, "default-deny", true)],
        "its own table"
    );
    assert_eq!(
        said(&table(&other)),
        [by(Effect::Deny, "default-deny", false), by(Effect::Ask, "read", false)],
        "the table of another policy"
    );
}

#[test]
fn a_table_that_says_something_else_than_the_reference_evaluator_is_an_error() {
    let (own, other) = (policy("allow", "src/**"), policy("allow", "docs/**"));
    let model = own.model.as_ref().unwrap();
    assert_eq!(compare(model, &judge(model, &table(&own), &[0, 1]).unwrap()), Ok(2));
    let error = compare(model, &judge(model, &table(&other), &[0, 1]).unwrap()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the judges disagree on `reads`: the table says deny by `default-deny` (FILE_READ_DENIED); \
         the reference evaluator says allow by `read` (ALLOWED), limits bytes <= 1024"
    );
}

#[test]
fn obligations_are_compared_too() {
    let own = policy("allow", "src/**");
    let model = own.model.as_ref().unwrap();
    let mut ran = judge(model, &table(&own), &[0]).unwrap();
    ran[0].said.limits.clear();
    assert!(matches!(compare(model, &ran), Err(TestingError::Disagreement { .. })));
}

#[test]
fn only_what_is_selected_is_judged() {
    let own = policy("allow", "src/**");
    let model = own.model.as_ref().unwrap();
    let tests = |selected: &[usize]| -> Vec<usize> {
        judge(model, &table(&own), selected).unwrap().into_iter().map(|one| one.test).collect()
    };
    assert_eq!((tests(&[1]), tests(&[]), tests(&[0, 1])), (vec![1], vec![], vec![0, 1]));
}

#[test]
fn bytes_that_are_no_table_or_a_foreign_one_are_errors() {
    let own = policy("allow", "src/**");
    let model = own.model.as_ref().unwrap();
    let mut broken = table(&own);
    *broken.last_mut().unwrap() ^= 1;
    assert_eq!(judge(model, &broken, &[0]), Err(TestingError::NoTable(OpenError::Digest)));
    let foreign = checked("policy p language 1\n");
    let error = judge(model, &table(&foreign), &[0]).unwrap_err();
    assert_eq!(error.to_string(), "the table just made cannot answer the test `reads`: unknown role `reader`");
}

fn policy(effect: &str, path: &str) -> Checked {
    checked(&format!(
        "policy p language 1
        role reader
        rule read: {effect} reader to file.read where path in \"{path}\" limit bytes <= 1 KiB
        test reads: reader file.read path \"src/a\" => allow
        test elsewhere: reader file.read path \"docs/a\" => deny\n"
    ))
}

fn checked(text: &str) -> Checked {
    check_untested(&Memory::default().with("p", text), Path::new("p"), CheckOptions::default())
}

fn table(checked: &Checked) -> Vec<u8> {
    freeze(checked.model.as_ref().unwrap(), &checked.sources).unwrap().bytes
}
