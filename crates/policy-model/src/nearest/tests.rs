//! Each kind of failure, ties, `or` and `not`, as people read them.

use std::path::Path;

use super::*;
use crate::ask::read_request;
use crate::check::{CheckOptions, check_in};
use crate::files::Memory;

#[test]
fn each_kind_of_failure_has_its_sentence() {
    let rules = r#"
        rule a: allow coder to file.read where path in "src/**", "tests/**" limit bytes <= 10 MiB
        rule b: ask coder to git.push where not force
        rule c: allow coder to git.fetch where all
        rule d: allow coder to http.request where scheme == "https" and port in 80, 443
        rule e: allow coder to shell.exec where line matches "^ls( -l)?$" and timeout <= 10 s
        rule f: allow lead, reader to git.add
        rule g: allow coder to fs.list where not path in "src/generated/**", "**/*.lock"
        rule h: allow coder to git.clone where not url == "x" and not remote matches "^evil"
        rule i: allow coder to fs.grep where not max-results > 100"#;
    let cases = [
        (
            r#"coder file.read path "deploy/prod.yml""#,
            "path is `deploy/prod.yml`, which is not in `src/**`, `tests/**`",
        ),
        ("coder file.read", "path is missing; it must be in `src/**`, `tests/**`"),
        (r#"coder file.read path "src/a" bytes 11 MiB"#, "bytes is 11 MiB, the limit is 10 MiB"),
        (r#"reader file.read path "src/a""#, "needs the role `coder` or one that includes it"),
        ("coder git.push force", "`force` is set"),
        ("coder git.fetch", "`all` is not set"),
        (r#"coder http.request scheme "http" port 80"#, "scheme is `http`, not `https`"),
        ("coder http.request port 80", "scheme is missing; it must be `https`"),
        (r#"coder http.request scheme "https" port 8080"#, "port is 8080, which is not in 80, 443"),
        (r#"coder http.request scheme "https""#, "port is missing; it must be one of 80, 443"),
        (r#"coder shell.exec line "rm" timeout 1 s"#, "line is `rm`, which does not match `^ls( -l)?$`"),
        ("coder shell.exec timeout 1 s", "line is missing; it must match `^ls( -l)?$`"),
        (r#"coder shell.exec line "ls" timeout 1 min"#, "timeout is 1 min; it must be at most 10 s"),
        (
            r#"coder shell.exec line "ls""#,
            "timeout is missing, which counts as more than any number; it must be at most 10 s",
        ),
        (
            r#"coder shell.exec line "ls" timeout 1 s complex"#,
            "the line was not understood in full, and the rule does not ask for `complex`",
        ),
        ("coder git.add", "needs one of the roles `reader`, `lead`, or a role that includes one"),
        (r#"coder fs.list path "src/generated/a""#, "path is `src/generated/a`, which is in `src/generated/**`"),
        (r#"coder git.clone url "x""#, "url is `x`"),
        (r#"coder git.clone remote "evil""#, "remote is `evil`, which matches `^evil`"),
        ("coder fs.grep max-results 101", "max-results is 101; it must not be above 100"),
    ];
    for (request, sentence) in cases {
        assert_eq!(failures(rules, request), [sentence], "{request}");
    }
}

#[test]
fn a_rule_that_permits_has_no_failures() {
    let rules = r#"rule a: allow coder to file.read where path in "src/**" limit bytes <= 1 KiB"#;
    assert_eq!(failures(rules, r#"coder file.read path "src/a" bytes 1 KiB"#), Vec::<String>::new());
}

#[test]
fn every_failure_counts_and_the_fewest_come_closest() {
    let rules = r#"
        rule far: allow lead to file.read where path in "a" and append limit bytes <= 1 KiB
        rule near: allow coder to file.read where path in "a" and append
        rule denial: deny anyone to file.read where path in "x""#;
    assert_eq!(nearest(rules, r#"coder file.read path "b" bytes 1 MiB"#), ("near", 2));
    assert_eq!(nearest(rules, r#"lead file.read path "a" append bytes 2 KiB"#), ("far", 1));
}

#[test]
fn of_two_as_close_the_first_in_the_text_is_named() {
    let rules = r#"
        rule other-role: allow lead to git.push where ref in "a"
        rule other-ref: ask coder to git.push where ref in "b"
        rule third: allow coder to git.push where ref in "c""#;
    assert_eq!(nearest(rules, r#"coder git.push ref "a""#), ("other-role", 1));
    assert_eq!(nearest(rules, r#"coder git.push ref "z""#), ("other-ref", 1));
}

#[test]
fn of_alternatives_the_one_with_fewest_failures_counts() {
    let rules = r#"rule a: allow coder to git.push where (ref in "a" and not force) or (ref in "b" and all)"#;
    assert_eq!(failures(rules, "coder git.push ref \"b\" force"), ["`all` is not set"]);
    assert_eq!(failures(rules, "coder git.push ref \"a\" force"), ["`force` is set"]);
    assert_eq!(failures(rules, "coder git.push ref \"z\""), ["ref is `z`, which is not in `a`"]);
    assert_eq!(
        failures(rules, "coder git.push ref \"z\" force"),
        ["ref is `z`, which is not in `a`", "`force` is set"],
        "the first of two as close"
    );
}

#[test]
fn under_not_it_is_what_holds_that_fails() {
    let both = "rule a: allow coder to git.push where not (force and all)";
    assert_eq!(failures(both, "coder git.push force all"), ["`force` is set"], "one of them is enough");
    let either = "rule a: allow coder to git.push where not (force or all)";
    assert_eq!(failures(either, "coder git.push force all"), ["`force` is set", "`all` is set"]);
    assert_eq!(failures(either, "coder git.push all"), ["`all` is set"]);
    let twice = "rule a: allow coder to git.push where not not force";
    assert_eq!(failures(twice, "coder git.push"), ["`force` is not set"]);
    let list = "rule a: allow coder to http.request where not port in 80, 443";
    assert_eq!(failures(list, "coder http.request port 80"), ["port is 80, which is in 80, 443"]);
}

#[test]
fn long_lists_are_counted() {
    let rules = r#"rule a: allow coder to git.push where ref in "a", "b", "c", "d", "e", "f", "g""#;
    assert_eq!(
        failures(rules, "coder git.push ref \"z\""),
        ["ref is `z`, which is not in `a`, `b`, `c`, `d`, `e` and 2 more"]
    );
}

#[test]
fn no_rule_for_the_operation_is_no_miss() {
    let model = model("rule a: deny anyone to git.push");
    assert!(nearest_miss(&model, &request("rule a: deny anyone to git.push", "coder git.push")).is_none());
}

fn nearest(rules: &str, words: &str) -> (&'static str, usize) {
    let model = model(rules);
    let miss = nearest_miss(&model, &request(rules, words)).unwrap();
    (String::leak(miss.rule.name.clone()), miss.failures.len())
}

fn failures(rules: &str, words: &str) -> Vec<String> {
    let (model, request) = (model(rules), request(rules, words));
    let miss = nearest_miss(&model, &request).unwrap();
    miss.failures.iter().map(|failure| failure.sentence(&model, &request)).collect()
}

fn model(rules: &str) -> Model {
    let checked = check_in(&files(rules), Path::new("p"), CheckOptions::default());
    checked.model.unwrap_or_else(|| panic!("{:#?}", checked.diagnostics))
}

fn request(rules: &str, words: &str) -> Request {
    read_request(&files(rules), Path::new("p"), CheckOptions::default(), words).unwrap()
}

fn files(rules: &str) -> Memory {
    Memory::default().with("p", format!("policy p language 1\nrole reader\nrole coder\nrole lead\n{rules}\n"))
}
