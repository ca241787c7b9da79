//! The parts of rules that tests have seen.

use std::path::Path;

use policy_judge::run_tests;
use policy_model::{CheckOptions, Memory, check_in};
use policy_table::freeze;

use super::*;

#[test]
fn a_comparison_is_counted_each_way_while_its_rule_looks_at_the_request() {
    let rules = r#"rule push: ask coder to git.push where ref in "a", "b" and not force or remote == "x""#;
    let tests = r#"
        test t1: coder git.push ref "a" => ask
        test t2: coder git.push ref "c" force => deny
        test other-role: reader git.push ref "a" => deny
        test other-operation: coder git.fetch ref "a" => deny"#;
    assert_eq!(
        parts(rules, tests, "push"),
        [("ask", 1, 0), (r#"ref in "a", "b""#, 1, 1), ("not force", 1, 1), (r#"remote == "x""#, 0, 2)]
    );
}

#[test]
fn what_is_written_as_one_comparison_is_one() {
    let rules = r#"rule get: allow coder to http.request
          where scheme != "http" and port in 80, 443 and not method == "PUT" and not (host == "a" or timeout > 1 s)"#;
    let tests = r#"
        test t1: coder http.request scheme "https" port 443 host "b" timeout 1 s => allow
        test t2: coder http.request scheme "http" port 8080 method "PUT" host "a" => deny"#;
    assert_eq!(
        parts(rules, tests, "get"),
        [
            ("allow", 1, 0),
            (r#"scheme != "http""#, 1, 1),
            ("port in 80, 443", 1, 1),
            (r#"not method == "PUT""#, 1, 1),
            (r#"host == "a""#, 1, 1),
            ("timeout > 1 s", 1, 1),
        ]
    );
}

#[test]
fn a_limit_is_kept_or_exceeded_only_by_a_number_that_is_stated() {
    let rules = r#"rule read: allow coder to file.read where path in "src/**" limit bytes <= 1 KiB"#;
    let tests = r#"
        test open: coder file.read path "src/a" => allow
        test kept: coder file.read path "src/a" bytes 1 KiB => allow
        test exceeded: coder file.read path "src/a" bytes 1025 B => deny
        test elsewhere: coder file.read path "a" bytes 1 MiB => deny"#;
    assert_eq!(
        parts(rules, tests, "read"),
        [("allow", 2, 0), (r#"path in "src/**""#, 3, 1), ("bytes <= 1 KiB", 1, 1)],
        "a limit that denies does not show the effect"
    );
}

#[test]
fn what_only_the_act_shows_has_no_branches() {
    let rules = "rule run: allow coder to shell.exec limit output <= 1 MiB, timeout <= 1 s";
    assert_eq!(parts(rules, "", "run"), [("allow", 0, 0), ("timeout <= 1 s", 0, 0)]);
}

#[test]
fn a_complex_line_shows_nothing_of_a_rule_that_passes_over_it() {
    let rules = r#"rule run: allow coder to shell.exec where command == "ls""#;
    let tests = r#"test t: coder shell.exec command "ls" complex => deny"#;
    assert_eq!(parts(rules, tests, "run"), [("allow", 0, 0), (r#"command == "ls""#, 0, 0)]);
}

#[test]
fn a_rule_may_match_and_never_decide() {
    let rules = "rule first: allow coder to git.push\nrule second: allow coder to git.push";
    let checked = policy(rules, "test t: coder git.push => allow by first");
    let coverage = coverage(&checked);
    let seen: Vec<_> = coverage.rules.iter().filter(|rule| !rule.is_of_pack).map(|r| (r.decided, r.matched)).collect();
    assert_eq!(seen, [(1, 1), (0, 1)]);
    let own = coverage.totals(|rule| !rule.is_of_pack);
    assert_eq!(own, Totals { rules: 2, rules_decided: 1, branches: 2, covered: 1 });
    assert!(coverage.totals(|_| true).rules > 2, "the pack that protects every policy is there too");
}

#[test]
fn what_two_policies_share_is_measured_once() {
    let checked = policy("rule push: ask coder to git.push where force", "test t: coder git.push force => ask");
    let mut coverage = coverage(&checked);
    let count = coverage.rules.len();
    let model = checked.model.as_ref().unwrap();
    coverage.add(&checked, model, &ran(&checked));
    assert_eq!(coverage.rules.len(), count);
    assert_eq!((coverage.rules[0].decided, coverage.rules[0].parts[1].yes), (2, 2));
}

#[test]
fn shares_are_rounded_down_and_thresholds_are_exact() {
    let of = |covered, branches| Totals { covered, branches, ..Totals::default() };
    assert_eq!(
        [of(2, 3), of(0, 1), of(1, 1), of(0, 0), of(999_999, 1_000_000)].map(|t| t.per_mille()),
        [666, 0, 1000, 1000, 999]
    );
    assert!(of(2, 3).reaches(66) && !of(2, 3).reaches(67));
    assert!(of(0, 0).reaches(100) && of(0, 5).reaches(0) && of(5, 5).reaches(100));
    assert!(!of(999_999, 1_000_000).reaches(100));
}

/// Each part of a rule as (text, seen true, seen false).
fn parts(rules: &str, tests: &str, name: &str) -> Vec<(&'static str, usize, usize)> {
    let checked = policy(rules, tests);
    let coverage = coverage(&checked);
    let rule = coverage.rules.iter().find(|rule| rule.rule.name == name).unwrap();
    rule.parts.iter().map(|part| (&*String::leak(part.text()), part.yes, part.no)).collect()
}

fn coverage(checked: &Checked) -> Coverage<'_> {
    let mut coverage = Coverage::default();
    coverage.add(checked, checked.model.as_ref().unwrap(), &ran(checked));
    coverage
}

fn ran(checked: &Checked) -> Vec<TestRun> {
    let model = checked.model.as_ref().unwrap();
    let bytes = freeze(model, &checked.sources).unwrap().bytes;
    let all: Vec<usize> = (0..model.tests.len()).collect();
    let ran = run_tests(model, &bytes, &all).unwrap();
    assert!(ran.iter().all(|one| one.passed), "{ran:?}");
    ran
}

fn policy(rules: &str, tests: &str) -> Checked {
    let text = format!("policy p language 1\nrole reader\nrole coder\n{rules}\n{tests}\n");
    let checked = check_in(&Memory::default().with("p", text), Path::new("p"), CheckOptions::default());
    assert!(checked.model.is_some(), "{:#?}", checked.diagnostics);
    checked
}
