//! Facts of tests -> requests: what the judge reads from them, what is filled in, and what no request has.

#![cfg(test)]

use std::path::Path;

use policy_judge::{CheckOptions, FILLED_IN, JudgedPolicy, Reading, judge_policy};
use policy_model::Memory;
use policy_syntax::Effect;

#[test]
fn a_line_gives_its_command_and_a_url_its_host() {
    let judged = judged(
        r#"rule tests: allow coder to shell.exec where command == "cargo"
        rule docs: allow coder to http.request where host == "docs.rs" and scheme == "https" and port == 443
        test line: coder shell.exec line "cargo test --workspace" => allow by tests
        test pipe: coder shell.exec line "cargo test | cargo tree" => allow by tests
        test other-command: coder shell.exec line "cargo test | rm x" => deny by default-deny
        test command: coder shell.exec command "cargo" subcommand "test" => allow by tests
        test url: coder http.request url "https://Docs.RS/std?q" => allow by docs
        test host: coder http.request host "docs.rs" => allow by docs
        test other-port: coder http.request url "https://docs.rs:8443/" => deny by default-deny"#,
    );
    assert_clean(&judged);
}

#[test]
fn a_name_or_an_extension_alone_gives_a_path() {
    let judged = judged(
        r#"rule by-name: allow coder to file.read where name == "b.md"
        rule by-extension: allow coder to file.write where extension == "toml"
        test name: coder file.read name "b.md" => allow by by-name
        test extension: coder file.write extension "toml" bytes 3 B => allow by by-extension
        test both: coder file.read name "b.md" extension "md" => allow by by-name
        test other: coder file.read name "c.md" => deny by default-deny"#,
    );
    assert_clean(&judged);
}

#[test]
fn every_operation_of_git_reads_the_facts_that_are_written() {
    let facts = [
        "clone path \"a\"",
        "clone url \"https://a.example/b.git\" path \"x\"",
        "fetch",
        "fetch remote \"origin\"",
        "fetch ref \"refs/heads/x\" force",
        "pull ref \"main\"",
        "diff",
        "diff ref \"main\" path \"src/a\"",
        "commit all",
        "commit force",
        "push ref \"refs/heads/x\"",
        "push ref \"refs/tags/v1\" remote \"fork\" force",
        "push all",
        "status path \"src\"",
        "log ref \"main\" all",
        "branch ref \"refs/heads/x\" force",
        "checkout ref \"refs/heads/x\"",
        "checkout path \"a\" ref \"HEAD\" force",
        "merge ref \"x\"",
        "merge force",
        "rebase ref \"main\"",
        "add path \"\"",
        "add all",
        "reset ref \"HEAD~1\" force",
        "stash path \"a\"",
        "stash force",
        "stash ref \"stash@1\"",
        "tag ref \"refs/tags/v1\" force",
        "remote remote \"a\" url \"https://a.example/b.git\"",
        "remote remote \"a\" force",
        "show ref \"HEAD\" path \"a\"",
    ];
    let tests: String =
        (0..).zip(facts).map(|(n, facts)| format!("test t{n}: coder git.{facts} => deny by g\n")).collect();
    let judged = judged(&format!("rule g: deny coder to git.*\n{tests}"));
    let alone: Vec<&str> = judged
        .tests
        .iter()
        .zip(facts)
        .filter(|(run, _)| run.reading != Reading::Request)
        .map(|(_, facts)| facts)
        .collect();
    assert_eq!(alone, Vec::<&str>::new(), "no request is written for these");
}

#[test]
fn content_is_as_long_as_its_bytes() {
    let judged = judged(
        r#"rule small: allow coder to file.write, file.edit, file.patch where path in "src/**" limit bytes <= 1 KiB
        test kept: coder file.write path "src/a" bytes 1 KiB => allow by small
        test exceeded: coder file.edit path "src/a" bytes 1025 B => deny by small
        test patched: coder file.patch path "src/a" => allow by small
        test large: coder file.write path "src/a" bytes 100 MiB => deny by small"#,
    );
    assert_clean(&judged);
}

#[test]
fn facts_of_no_request_are_judged_alone_and_said_to_be() {
    let judged = judged(
        r#"rule large: deny anyone to file.read where bytes > 1 GiB
        rule short: deny anyone to git.push where ref == "main"
        rule numbers: deny anyone to http.request where host == "2130706433"
        test too-large: anyone file.read path "a" bytes 2 GiB => deny by large
        test in-short: anyone git.push ref "main" => deny by short
        test decimal: anyone http.request host "2130706433" => deny by numbers
        test no-target: anyone fs.list => deny by default-deny"#,
    );
    let alone = judged.tests.iter().filter(|run| run.reading == Reading::FactsAlone).count();
    assert_eq!((alone, judged.tests.iter().all(|run| run.passed)), (3, true), "{:#?}", judged.tests);
    let found: Vec<_> =
        judged.checked.diagnostics.iter().map(|found| (found.code.id, found.message.as_str())).collect();
    assert_eq!(
        found,
        [(
            "N0703",
            "no request can be built with the facts of the test `too-large` and 2 others; they are judged alone"
        )]
    );
}

#[test]
fn facts_that_contradict_each_other_are_an_error() {
    for (facts, message) in [
        ("shell.exec command \"ls\" line \"rm x\"", "`command` is not what `line` says"),
        ("shell.exec subcommand \"log\" line \"git push\"", "`subcommand` is not what `line` says"),
        ("shell.exec command \"git\" subcommand \"log\" line \"git push\"", "`subcommand` is not what `line` says"),
        ("shell.exec line \"ls\" complex", "`complex` is not what `line` says"),
        ("shell.exec command \"ls\" line \"ls > x\"", "`command` is not what `line` says"),
        ("http.request host \"a.example\" url \"https://b.example/\"", "`host` is not what `url` says"),
        ("http.request port 80 url \"https://b.example/\"", "`port` is not what `url` says"),
        ("file.read path \"src/a.rs\" name \"b.rs\"", "`name` is not what `path` says"),
        ("file.read path \"src/a.rs\" extension \"py\"", "`extension` is not what `path` says"),
        ("file.read name \"a.rs\" extension \"py\"", "`extension` is not what `name` says"),
    ] {
        let judged = judged(&format!("test t: coder {facts} => deny"));
        let found: Vec<_> =
            judged.checked.diagnostics.iter().map(|found| (found.code.id, found.message.as_str())).collect();
        assert_eq!(found, [("E0702", message)], "{facts}");
        assert!(judged.usable().is_none());
    }
}

#[test]
fn what_the_judge_refuses_no_rule_allows() {
    let judged = judged(
        r#"rule all: allow coder to file.*, shell.exec
        test both: coder file.write path "a" append create-only => deny by default-deny
        test open-quote: coder shell.exec line "ls 'a" => deny by default-deny"#,
    );
    let codes: Vec<(Effect, &str)> =
        judged.tests.iter().map(|run| (run.answer.verdict, run.answer.code.as_str())).collect();
    assert_eq!(codes, [(Effect::Deny, "VALIDATION_FAILED"), (Effect::Deny, "SHELL_COMPLEX")]);
    assert_clean(&judged);
}

/// The table that is printed says what is filled in.
#[test]
fn the_document_lists_what_is_filled_in() {
    let doc = include_str!("../../../docs/language.md");
    let rows = FILLED_IN.iter().map(|(operation, field, value)| format!("| `{operation}` | `{field}` | `{value}` |\n"));
    let table = format!("| operation | field | value |\n|---|---|---|\n{}", rows.collect::<String>());
    assert!(doc.contains(&table), "docs/language.md should have\n{table}");
}

fn assert_clean(judged: &JudgedPolicy) {
    let errors: Vec<&str> = judged
        .checked
        .diagnostics
        .iter()
        .filter(|found| !matches!(found.code.id, "W0807" | "W0810" | "W0817"))
        .map(|found| found.message.as_str())
        .collect();
    assert_eq!(errors, Vec::<&str>::new());
}

fn judged(rest: &str) -> JudgedPolicy {
    let text = format!("policy p language 1\nwithout std.protected-paths\nrole coder\n{rest}\n");
    let files = Memory::default().with("p", text);
    let mut judged = judge_policy(&files, Path::new("p"), CheckOptions::default(), |_| true).unwrap();
    judged
        .checked
        .diagnostics
        .retain(|found| !matches!(found.code.id, "W0801" | "W0802" | "W0806" | "W0808" | "W0811"));
    judged
}
