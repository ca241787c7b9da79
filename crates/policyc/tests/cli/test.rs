//! `policyc test`: the table's answers, the five formats, coverage and its threshold, exit codes.

use quick_junit::{Report, TestCaseStatus};
use serde_json::{Value, json};

use crate::support::{BAD, GOOD, Run, folder, folder_with, policyc, snapshot};

#[test]
fn tests_that_hold_are_counted() {
    let run = tested(&[("demo.policy", DEMO)], &[]);
    assert_eq!((run.code, run.stdout.as_str(), run.stderr.as_str()), (Some(0), "4 tests: 4 passed, 0 failed\n", ""));
    let run = tested(&[("good.policy", GOOD)], &[]);
    assert_eq!((run.code, run.stdout.as_str()), (Some(0), "0 tests: 0 passed, 0 failed\n"));
}

#[test]
fn a_failing_test_is_shown_with_what_the_table_says_and_why() {
    let run = tested(&[("demo.policy", &failing())], &[]);
    assert_eq!((run.code, run.stderr.as_str()), (Some(1), ""));
    snapshot("test-failing", &run.stdout);
}

#[test]
fn check_says_the_same_of_a_failing_test() {
    let place = folder_with(&[("demo.policy", &failing())]);
    let findings = |command| -> Vec<Value> {
        let run = policyc(place.path(), [command, "--format", "sarif", "demo.policy"]).run();
        let results = object(&run)["runs"][0]["results"].clone();
        let mut results = results.as_array().unwrap().clone();
        results.retain(|result| result["ruleId"] == "E0701");
        results.iter_mut().for_each(|result| drop(result["ruleIndex"].take()));
        results
    };
    assert_eq!(findings("test").len(), 4);
    assert_eq!(findings("test"), findings("check"));
}

/// `timeout` is the first number of some of these operations and a later one of another: operations with the same
/// rules are not frozen as if they were one.
#[test]
fn operations_with_the_same_rules_have_their_own_places_for_what_requests_say() {
    let text = "policy p language 1 without std.protected-paths
role coder
rule quick: allow coder to http.request, shell.exec, pytest.run where timeout <= 5 s and not timeout == 3 s
test quick-request: coder http.request host \"a.example\" timeout 5 s redirects 9 => allow by quick
test slow-request: coder http.request host \"a.example\" timeout 6 s redirects 1 => deny
test odd-request: coder http.request host \"a.example\" timeout 3 s redirects 1 => deny
test quick-command: coder shell.exec line \"a\" timeout 5 s => allow by quick
test slow-command: coder shell.exec line \"a\" timeout 6 s => deny
test quick-test: coder pytest.run timeout 5 s => allow by quick
test slow-test: coder pytest.run timeout 6 s => deny
";
    let run = tested(&[("p.policy", text)], &[]);
    assert_eq!((run.code, run.stdout.as_str()), (Some(0), "7 tests: 7 passed, 0 failed\n"), "{}", run.stderr);
}

#[test]
fn every_test_is_run_however_many_there_are() {
    let rules: String = (0..2_001).map(|n| format!("rule r{n}: deny anyone to git.fetch\n")).collect();
    let tests: String = (0..2_001).map(|n| format!("test t{n}: anyone git.fetch => deny by r0\n")).collect();
    let text = format!("{GOOD}{rules}{tests}test last: anyone git.fetch => deny by r1\n");
    let run = tested(&[("many.policy", &text)], &[]);
    assert_eq!(run.code, Some(1));
    assert!(run.stdout.ends_with("\n2002 tests: 2001 passed, 1 failed\n"), "{}", run.stdout);
}

#[test]
fn very_many_failures_are_counted_and_not_all_shown() {
    let tests: String = (0..1_002).map(|n| format!("test t{n}: anyone git.fetch => allow\n")).collect();
    let place = folder_with(&[("many.policy", &format!("{GOOD}{tests}"))]);
    let run = policyc(place.path(), ["test", "many.policy"]).run();
    assert!(run.stdout.contains("error[E0108]: more than 1000 tests fail; the rest is not shown\n"));
    assert!(run.stdout.ends_with("\n1002 tests: 0 passed, 1002 failed\n"));
    let run = policyc(place.path(), ["test", "--format", "junit", "many.policy"]).run();
    let report = Report::deserialize_from_str(&run.stdout).unwrap();
    assert_eq!((report.tests, report.failures), (1_003, 1_003), "each test, and that some have no finding");
}

#[test]
fn a_filter_selects_by_name() {
    let run = tested(&[("demo.policy", DEMO)], &["--filter", "reads"]);
    assert_eq!((run.code, run.stdout.as_str()), (Some(0), "2 tests: 2 passed, 0 failed; 2 left out by the filter\n"));
    let run = tested(&[("demo.policy", DEMO)], &["--filter", "nothing"]);
    assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""));
    assert!(run.stderr.starts_with("error: no test has `nothing` in its name\n"), "{}", run.stderr);
    let run = tested(&[("good.policy", GOOD), ("demo.policy", DEMO)], &["--filter", "env"]);
    assert_eq!(run.code, Some(0), "one policy with such a test is enough");
}

#[test]
fn a_policy_with_errors_is_not_tested_and_the_others_are() {
    let run = tested(&[("bad.policy", BAD), ("demo.policy", DEMO)], &[]);
    assert_eq!(run.code, Some(1));
    assert!(run.stdout.starts_with("error[E0201]: "), "{}", run.stdout);
    let summary = "\n4 tests: 4 passed, 0 failed; the tests of a policy with errors were not run\n";
    assert!(run.stdout.ends_with(summary), "{}", run.stdout);
}

#[test]
fn warnings_are_left_to_check() {
    let run = tested(&[("unused.policy", "policy p language 1\n\nrole reader\n")], &[]);
    assert_eq!((run.code, run.stdout.as_str()), (Some(0), "0 tests: 0 passed, 0 failed\n"));
}

#[test]
fn a_policy_without_a_table_is_a_finding() {
    let flags: Vec<String> = (0..65).map(|n| format!("f{n}: flag")).collect();
    let text = format!("{GOOD}tool large({})\n", flags.join(", "));
    let run = tested(&[("large.policy", &text)], &[]);
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(run.stdout.starts_with("error[E0904]: "), "{}", run.stdout);
}

#[test]
fn what_cannot_run_is_exit_code_2() {
    let place = folder_with(&[("demo.policy", DEMO)]);
    for arguments in [
        &["test"][..],
        &["test", "-"],
        &["test", "missing.policy"],
        &["test", "demo.policy", "missing.policy"],
        &["test", "--format", "yaml", "demo.policy"],
        &["test", "--threshold", "80", "demo.policy"],
        &["test", "--include-packs", "demo.policy"],
        &["test", "--coverage", "--threshold", "101", "demo.policy"],
        &["test", "--coverage", "--threshold", "-1", "demo.policy"],
    ] {
        let run = policyc(place.path(), arguments).run();
        assert_eq!(run.code, Some(2), "{arguments:?} {run:?}");
    }
}

#[test]
fn tests_whose_facts_no_request_has_are_counted() {
    let alone = format!("{DEMO}test in-short: anyone git.push ref \"main\" => deny\n");
    let run = tested(&[("demo.policy", &alone)], &[]);
    let summary = "5 tests: 5 passed, 0 failed; 1 judged by facts that no request has\n";
    assert_eq!((run.code, run.stdout.as_str()), (Some(0), summary));
}

#[test]
fn a_policy_given_twice_is_tested_once() {
    let place = folder_with(&[("demo.policy", DEMO)]);
    let run = policyc(place.path(), ["test", "demo.policy", "./demo.policy"]).run();
    assert_eq!(run.stdout, "4 tests: 4 passed, 0 failed\n");
}

#[test]
fn json_has_findings_tests_and_the_digest_of_the_table() {
    let run = tested(&[("demo.policy", &failing())], &["--format", "json", "--filter", "elsewhere"]);
    assert_eq!((run.code, run.stdout.lines().count()), (Some(1), 1));
    let mut object = object(&run);
    let digest = object["policies"][0]["blake3"].take();
    assert!(digest.as_str().is_some_and(|digest| digest.len() == 64), "{digest}");
    assert_eq!(
        object,
        json!({
            "findings": [{
                "code": "E0701",
                "severity": "error",
                "message": "expected allow by `read`, the policy says deny by `default-deny` (FILE_READ_DENIED)",
                "file": "demo.policy",
                "line": 32,
                "column": 51,
                "end_line": 32,
                "end_column": 64,
                "help": "no rule allows this request",
            }],
            "summary": { "errors": 1, "warnings": 0 },
            "policies": [{ "file": "demo.policy", "blake3": null, "tests": 1 }],
            "tests": [{
                "name": "elsewhere",
                "file": "demo.policy",
                "line": 32,
                "passed": false,
                "expected": { "verdict": "allow", "rule": "read" },
                "said": { "verdict": "deny", "rule": "default-deny", "code": "FILE_READ_DENIED" },
            }],
            "totals": { "tests": 1, "passed": 0, "failed": 1, "left_out": 7 },
        })
    );
}

#[test]
fn junit_has_a_case_for_each_test_that_ran() {
    let run = tested(&[("demo.policy", &failing()), ("bad.policy", BAD)], &["--format", "junit"]);
    assert_eq!(run.code, Some(1));
    let report = Report::deserialize_from_str(&run.stdout).unwrap();
    let cases = |suite: usize| -> Vec<(&str, bool)> {
        let is_failed = |status: &TestCaseStatus| matches!(status, TestCaseStatus::NonSuccess { .. });
        report.test_suites[suite].test_cases.iter().map(|case| (case.name.as_str(), is_failed(&case.status))).collect()
    };
    let held = [("reads", false), ("reads-no-docs", false), ("env", false), ("push-asks", false)];
    let failed = [("elsewhere", true), ("nobody", true), ("too-large", true), ("force", true)];
    assert_eq!(cases(0), [held, failed].concat());
    assert_eq!(cases(1), [("E0201 at 4:16", true)]);
    assert_eq!((report.tests, report.failures), (9, 5));
    assert!(run.stdout.contains("the table says allow by `read` (ALLOWED)"), "{}", run.stdout);
}

#[test]
fn github_and_sarif_have_the_failing_tests() {
    let run = tested(&[("demo.policy", &failing())], &["--format", "github"]);
    assert_eq!(run.stdout.lines().filter(|line| line.starts_with("::error file=demo.policy,line=")).count(), 4);
    assert!(run.stdout.ends_with("\n8 tests: 4 passed, 4 failed\n"), "{}", run.stdout);
    let run = tested(&[("demo.policy", &failing())], &["--format", "sarif"]);
    let results = object(&run)["runs"][0]["results"].clone();
    let ids: Vec<&str> = results.as_array().unwrap().iter().map(|result| result["ruleId"].as_str().unwrap()).collect();
    assert_eq!(ids, ["E0701"; 4]);
}

#[test]
fn coverage_lists_rules_and_what_no_test_has_seen() {
    let run = tested(&[("demo.policy", DEMO)], &["--coverage"]);
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
    snapshot("test-coverage", &run.stdout);
}

#[test]
fn coverage_as_json_counts_each_branch() {
    let run = tested(&[("demo.policy", DEMO)], &["--coverage", "--format", "json"]);
    let coverage = object(&run)["coverage"].clone();
    assert_eq!(
        coverage["rules"][0],
        json!({
            "rule": "read", "effect": "allow", "file": "demo.policy", "line": 8, "counted": true,
            "decided": 1, "matched": 2, "branches": 5, "covered": 3,
        })
    );
    let branch = |number: usize| coverage["branches"][number].clone();
    assert_eq!(
        [branch(0), branch(1), branch(2)],
        [
            json!({ "rule": "read", "kind": "effect", "file": "demo.policy", "line": 8, "column": 6,
                    "text": "allow", "true": 1, "false": null }),
            json!({ "rule": "read", "kind": "comparison", "file": "demo.policy", "line": 10, "column": 9,
                    "text": "path in sources", "true": 2, "false": 1 }),
            json!({ "rule": "read", "kind": "limit", "file": "demo.policy", "line": 11, "column": 3,
                    "text": "bytes <= 10 MiB", "true": 0, "false": 0 }),
        ]
    );
    assert_eq!(
        coverage["totals"],
        json!({ "rules": 4, "rules_decided": 3, "branches": 20, "covered": 9, "percent": 45.0 })
    );
    let packs = coverage["rules"].as_array().unwrap().iter().filter(|rule| rule["counted"] == false);
    assert!(packs.clone().count() > 0);
    assert!(packs.clone().all(|rule| rule["file"] == "<std.protected-paths>"), "{coverage}");
}

#[test]
fn a_threshold_is_of_branches_and_is_said_when_missed() {
    for (threshold, code) in [("0", 0), ("45", 0), ("46", 1), ("100", 1)] {
        let run = tested(&[("demo.policy", DEMO)], &["--coverage", "--threshold", threshold]);
        assert_eq!(run.code, Some(code), "{threshold} {}", run.stderr);
        let line = format!("error: coverage is 45.0% (9 of 20 branches), below the threshold of {threshold}%\n");
        assert_eq!(run.stderr, if code == 0 { String::new() } else { line });
    }
    for format in ["json", "sarif", "github", "junit"] {
        let arguments = ["--coverage", "--threshold", "46", "--format", format];
        let run = tested(&[("demo.policy", DEMO)], &arguments);
        assert_eq!(run.code, Some(1), "{format}");
    }
    let run = tested(&[("good.policy", GOOD)], &["--coverage", "--threshold", "100"]);
    assert_eq!(run.code, Some(0), "nothing to cover is covered");
}

#[test]
fn packs_count_when_asked_for() {
    let arguments = ["--coverage", "--include-packs", "--threshold", "45"];
    let run = tested(&[("demo.policy", DEMO)], &arguments);
    assert_eq!(run.code, Some(1));
    assert!(run.stdout.contains("\n<std.protected-paths>\n") && !run.stdout.contains("not counted"), "{}", run.stdout);
}

#[test]
fn coverage_is_of_the_tests_that_ran() {
    let run = tested(&[("demo.policy", DEMO)], &["--coverage", "--filter", "push", "--format", "json"]);
    let rules = object(&run)["coverage"]["rules"].clone();
    let decided: Vec<u64> =
        rules.as_array().unwrap().iter().take(4).map(|rule| rule["decided"].as_u64().unwrap()).collect();
    assert_eq!(decided, [0, 1, 0, 0]);
}

#[test]
fn a_rule_that_two_policies_import_is_covered_by_the_tests_of_both() {
    let team = "policy team language 1\n\nrole coder\n\nrule push:\n  ask coder to git.push\n  where force\n";
    let importer = |name: &str, facts: &str, answer: &str| {
        format!("policy {name} language 1\n\nuse \"./team.policy\"\n\ntest t: coder git.push{facts} => {answer}\n")
    };
    let (one, other) = (importer("one", " force", "ask"), importer("other", "", "deny"));
    let files = [("one.policy", one.as_str()), ("other.policy", other.as_str()), ("team.policy", team)];
    let run = tested(&files, &["--coverage"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(run.stdout.contains("\nteam.policy\n"), "{}", run.stdout);
    assert!(run.stdout.contains("\ncoverage: 3 of 3 branches, 100.0%; 1 of 1 rules decide a test\n"), "{}", run.stdout);
}

#[test]
fn colour_is_for_those_who_ask() {
    let place = folder_with(&[("demo.policy", &failing())]);
    let is_coloured = |color| {
        let run = policyc(place.path(), ["test", "--coverage", "--color", color, "demo.policy"]).run();
        run.stdout.contains('\u{1b}')
    };
    assert_eq!((is_coloured("never"), is_coloured("auto"), is_coloured("always")), (false, false, true));
}

#[test]
fn a_reader_that_has_seen_enough_is_no_error() {
    let place = folder_with(&[("demo.policy", DEMO)]);
    let run = policyc(place.path(), ["test", "--coverage", "demo.policy"]).run_into_closed_pipe();
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
    assert_eq!(policyc(folder().path(), ["test", "--coverage", "missing.policy"]).run().code, Some(2));
}

fn tested(files: &[(&str, &str)], options: &[&str]) -> Run {
    let place = folder_with(files);
    let names = files.iter().map(|(name, _)| *name);
    policyc(place.path(), ["test"].into_iter().chain(options.iter().copied()).chain(names)).run()
}

fn object(run: &Run) -> Value {
    serde_json::from_str(&run.stdout).unwrap()
}

fn failing() -> String {
    format!(
        "{DEMO}
test elsewhere: reader file.read path \"docs/a\" => allow by read
test nobody: anyone git.push ref \"refs/heads/feature/x\" => ask
test too-large: reader file.read path \"src/a\" bytes 11 MiB => allow by read
test force: coder git.push ref \"refs/heads/feature/x\" force => ask by push
"
    )
}

/// Four rules, of which one decides no test.
const DEMO: &str = r#"policy demo language 1

role reader
role coder includes reader

paths sources = "src/**", "tests/**"

rule read:
  allow reader to file.read
  where path in sources
  limit bytes <= 10 MiB

rule push:
  ask coder to git.push
  where ref in "refs/heads/feature/**" and not force

rule build:
  allow coder to shell.exec
  where command in "cargo", "rg" and not network
  limit timeout <= 10 min, output <= 5 MiB

rule secret-files:
  deny anyone to file.*
  where path in "**/.env"
  code SECRET_PATH

test reads: reader file.read path "src/main.rs" => allow by read
test reads-no-docs: reader file.read path "docs/a.md" => deny
test env: coder file.read path "src/.env" => deny by secret-files
test push-asks: coder git.push ref "refs/heads/feature/x" => ask by push
"#;
