//! The codes of all findings -> docs/diagnostics.md, and a complaint when the file has another text or an
//! example is not what it says.

#![cfg(test)]

use std::path::Path;
use std::{env, fs};

use policy_judge::{CheckOptions, judge_policy};
use policy_model::Memory;
use policy_syntax::{Code, Severity};

#[test]
fn the_document_is_made_of_the_codes() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/diagnostics.md");
    let expected = document();
    if env::var_os("UPDATE_DOCS").is_some() {
        fs::write(&path, &expected).unwrap();
    }
    let written = fs::read_to_string(&path).unwrap_or_default();
    let lines = (1..).zip(written.lines().chain([""]).zip(expected.lines().chain([""])));
    let first = lines.into_iter().find(|(_, (written, expected))| written != expected);
    assert!(
        written == expected,
        "docs/diagnostics.md is out of date, first at {first:?}; write it with\n  {COMMAND}\nand read the difference"
    );
}

#[test]
fn every_wrong_example_has_its_finding_and_every_right_one_has_not() {
    let mut complaints = Vec::new();
    for code in all() {
        let in_words = code.wrong.lines().all(|line| line.starts_with('#'));
        let wrong = findings(code.wrong);
        if !in_words && !wrong.contains(&code) {
            complaints.push(format!("{}: the wrong example has {}", code.id, ids(&wrong)));
        }
        let right = findings(code.right);
        if right.contains(&code) || right.iter().any(|found| found.severity == Severity::Error) {
            complaints.push(format!("{}: the right example has {}", code.id, ids(&right)));
        }
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

#[test]
fn an_invisible_character_is_shown_by_its_number() {
    assert_eq!(visible("a\u{202E}\u{7}\nü"), "a<U+202E><U+0007>\nü");
}

/// Every code of the tree, by id.
fn all() -> Vec<&'static Code> {
    let lists = [policy_syntax::codes::ALL, policy_model::codes::ALL, policy_import::codes::ALL];
    let mut all: Vec<&Code> = lists.into_iter().flatten().copied().collect();
    all.sort_by_key(|code| code.id);
    all
}

fn document() -> String {
    let rows = all().into_iter().map(|code| {
        let (id, severity, title) = (code.id, code.severity.as_str(), code.title);
        format!("| [{id}](#{}) | {severity} | {title} |\n", id.to_lowercase())
    });
    let sections = all().into_iter().map(section);
    format!("{HEAD}{}{}", rows.collect::<String>(), sections.collect::<String>())
}

fn section(code: &Code) -> String {
    let Code { id, severity, title, explanation, wrong, right } = code;
    let (severity, wrong, right) = (severity.as_str(), visible(wrong), visible(right));
    format!(
        "\n## {id}\n\n**{title}** ({severity}). {explanation}\n\nWrong:\n\n```policy\n{wrong}\n```\n\nRight:\n\n```policy\n{right}\n```\n"
    )
}

/// What a reader of the document could not see, by its number.
fn visible(text: &str) -> String {
    let shown = |c: char| match c {
        '\n' => c.to_string(),
        c if c.is_control() || !c.is_ascii() && !c.is_alphanumeric() && !"…".contains(c) => {
            format!("<U+{:04X}>", u32::from(c))
        }
        c => c.to_string(),
    };
    text.chars().map(shown).collect()
}

fn findings(text: &str) -> Vec<&'static Code> {
    let part = |name: &str| format!("policy {name} language 1\n");
    let files = Memory::default()
        .with("agent.policy", text)
        .with("part-one.policy", part("part-one"))
        .with("part-two.policy", part("part-two"));
    let judged = judge_policy(&files, Path::new("agent.policy"), CheckOptions::default(), |_| true).unwrap();
    judged.checked.diagnostics.iter().map(|finding| finding.code).collect()
}

fn ids(codes: &[&Code]) -> String {
    let ids: Vec<&str> = codes.iter().map(|code| code.id).collect();
    if ids.is_empty() { "no finding".to_owned() } else { ids.join(", ") }
}

const COMMAND: &str = "UPDATE_DOCS=1 cargo test -p policy-judge --test diagnostics_doc";

const HEAD: &str = "# Findings

<!-- Made of the codes in the code; see crates/policy-judge/tests/diagnostics_doc.rs. -->

Everything `policyc check` can find, and from E1001 on `policyc import`, by code. A code never changes its meaning. An
**error** means that the policy cannot be used, a **warning** that it is probably not what its author meant, a **note** is
worth knowing. `policyc explain-code CODE` prints the same.

Each wrong example has the finding and each right one has not. An example of comments alone says in words what no example
can show. An invisible character is shown by its number, as in `<U+202E>`.

| code | severity | title |
|---|---|---|
";
