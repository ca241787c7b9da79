//! Policies -> their tests judged by the frozen bytes, and findings about those that fail.

#![cfg(test)]

use std::fs;
use std::path::{Path, PathBuf};

use policy_judge::{Bound, CheckOptions, JudgeError, JudgedPolicy, judge_policy, run_tests};
use policy_model::{Checked, Disk, Limit, Memory, evaluate};
use policy_syntax::Effect;
use table_format::OpenError;

#[test]
fn every_shipped_test_has_the_answer_of_the_reference_evaluator() {
    let mut compared = 0;
    for path in shipped() {
        let judged = judge_policy(&Disk, &path, CheckOptions::default(), |_| true).unwrap();
        let (model, _) = judged.usable().unwrap_or_else(|| panic!("{}: {:#?}", path.display(), judged.checked));
        for run in &judged.tests {
            let test = &model.tests[run.test];
            let Some(facts) = &run.facts else {
                assert!(!run.answer.is_by_policy, "{}: {}", path.display(), test.name);
                continue;
            };
            let reference = evaluate(model, facts);
            let bound = |limit: &Limit| (limit.attribute.name.to_string(), limit.most);
            let bounds = |bounds: &[Bound]| -> Vec<_> {
                bounds.iter().map(|bound| (bound.attribute.clone(), bound.most)).collect()
            };
            let (answer, obligations) = (&run.answer, &run.answer.obligations);
            let place = format!("{}: {}", path.display(), test.name);
            assert_eq!(
                (answer.verdict, &answer.rule, &answer.code),
                (reference.verdict, &reference.rule, &reference.code),
                "{place}"
            );
            assert_eq!(
                answer.exceeded.as_ref().map(|bound| (bound.attribute.clone(), bound.most)),
                reference.exceeded.as_ref().map(bound),
                "{place}"
            );
            assert_eq!(obligations.requirements, reference.obligations.requirements, "{place}");
            assert_eq!(
                bounds(&obligations.limits),
                reference.obligations.limits.iter().map(bound).collect::<Vec<_>>(),
                "{place}"
            );
            assert_eq!(obligations.budgets, reference.obligations.budgets, "{place}");
            compared += 1;
        }
    }
    assert!(compared >= 390, "only {compared} tests");
}

#[test]
fn the_bytes_decide_and_not_the_model() {
    let (own, other) = (policy("allow", "src/**"), policy("ask", "docs/**"));
    let model = own.checked.model.as_ref().unwrap();
    let answers = |of: &JudgedPolicy| -> Vec<(Effect, String, bool)> {
        let runs = run_tests(model, &of.frozen.as_ref().unwrap().bytes, &[0, 1]).unwrap();
        runs.into_iter().map(|run| (run.answer.verdict, run.answer.rule, run.passed)).collect()
    };
    let by = |effect, rule: &str, passed| (effect, rule.to_owned(), passed);
    assert_eq!(
        answers(&own),
        [by(Effect::Allow, "read", true), by(Effect::Deny, "default-deny", true)],
        "its own table"
    );
    assert_eq!(
        answers(&other),
        [by(Effect::Deny, "default-deny", false), by(Effect::Ask, "read", false)],
        "the table of another policy"
    );
}

#[test]
fn only_selected_tests_are_run() {
    let selected = judge("allow", "src/**", |test| test == "elsewhere");
    assert_eq!(selected.tests.iter().map(|run| run.test).collect::<Vec<_>>(), [1]);
}

#[test]
fn bytes_that_are_no_table_or_a_foreign_one_are_errors() {
    let own = policy("allow", "src/**");
    let model = own.checked.model.as_ref().unwrap();
    let mut broken = own.frozen.as_ref().unwrap().bytes.clone();
    *broken.last_mut().unwrap() ^= 1;
    assert_eq!(run_tests(model, &broken, &[0]), Err(JudgeError::NotATable(OpenError::Digest)));
    let foreign = judged("policy p language 1\n", |_| true);
    let error = run_tests(model, &foreign.frozen.unwrap().bytes, &[0]).unwrap_err();
    assert_eq!(error.to_string(), "the table just made cannot answer the test `reads`: unknown role `reader`");
}

#[test]
fn a_failing_test_says_what_the_policy_says_and_why() {
    let found = checked(
        r#"policy p language 1
        role r
        rule small: allow r to file.read where path in "src/**" limit bytes <= 1 KiB
        test fits: r file.read path "src/a" => allow by small
        test too-large: r file.read path "src/a" bytes 2 KiB => allow by small
        test elsewhere: r file.read path "docs/a" => allow by small
        test wrong-verdict: r file.read path "src/a" => deny"#,
    );
    let shown: Vec<_> = found
        .diagnostics
        .iter()
        .map(|d| (d.code.id, d.message.as_str(), d.secondary.first().map_or("", |label| label.text.as_str())))
        .collect();
    assert_eq!(
        shown,
        [
            (
                "E0701",
                "expected allow by `small`, the policy says deny by `small` (LIMIT_EXCEEDED)",
                "a limit of this rule is exceeded"
            ),
            (
                "E0701",
                "expected allow by `small`, the policy says deny by `default-deny` (FILE_READ_DENIED)",
                "this rule does not match the request"
            ),
            ("E0701", "expected deny, the policy says allow by `small` (ALLOWED)", "this rule decides"),
        ]
    );
    assert!(found.model.is_some());
}

#[test]
fn a_policy_without_a_table_is_a_finding() {
    let flags: Vec<String> = (0..65).map(|n| format!("f{n}: flag")).collect();
    let large = judged(&format!("policy p language 1\ntool large({})\n", flags.join(", ")), |_| true);
    assert_eq!(large.checked.diagnostics.iter().map(|finding| finding.code.id).collect::<Vec<_>>(), ["E0904"]);
    assert!(large.frozen.is_none() && large.usable().is_none());
}

fn policy(effect: &str, path: &str) -> JudgedPolicy {
    judge(effect, path, |_| true)
}

fn judge(effect: &str, path: &str, is_selected: fn(&str) -> bool) -> JudgedPolicy {
    judged(
        &format!(
            "policy p language 1
            role reader
            rule read: {effect} reader to file.read where path in \"{path}\" limit bytes <= 1 KiB
            test reads: reader file.read path \"src/a\" => allow
            test elsewhere: reader file.read path \"docs/a\" => deny\n"
        ),
        is_selected,
    )
}

fn checked(text: &str) -> Checked {
    judged(text, |_| true).checked
}

fn judged(text: &str, is_selected: fn(&str) -> bool) -> JudgedPolicy {
    let files = Memory::default().with("p", text);
    judge_policy(&files, Path::new("p"), CheckOptions::default(), |test| is_selected(&test.name)).unwrap()
}

fn shipped() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../policies");
    let folders = [root.join("std"), root.join("examples")];
    let entries = folders.iter().flat_map(|folder| fs::read_dir(folder).unwrap()).map(|entry| entry.unwrap().path());
    entries.chain([root.join("starter.policy")]).collect()
}
