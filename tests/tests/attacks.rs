//! The corpus of attacks against the readers: every case of the kinds `path`, `shell`, `ip` and `url`, given and ours.

#![cfg(test)]

#[path = "readers/answers.rs"]
mod answers;
#[path = "readers/cases.rs"]
mod cases;
#[path = "readers/gate.rs"]
mod gate;

use std::collections::{BTreeMap, BTreeSet};

use cases::cases;
use gate::Gate;
use serde_json::Value;

/// All kinds together. A corpus that shrinks proves less in silence.
const CASES_LEAST: usize = 800;
/// The kinds of this file, each with the least number of its cases. What is `git` is judged elsewhere.
const KINDS: [(&str, usize); 4] = [("path", 140), ("shell", 300), ("ip", 140), ("url", 230)];

/// Every case that differs is shown, not the first alone.
fn compare(kind: &str, answer: impl Fn(&str) -> Value) {
    let mut different = Vec::new();
    let mut compared = 0;
    for case in cases().iter().filter(|case| case["kind"] == kind) {
        compared += 1;
        let answer = answer(case["input"].as_str().unwrap());
        if answer != case["expect"] {
            different.push(format!("{answer} instead of {case}"));
        }
    }
    assert!(compared > 0, "no case of {kind}");
    assert!(different.is_empty(), "{} cases differ:\n{}", different.len(), different.join("\n"));
}

#[test]
fn rule_sec_paths_sandbox_a_path_is_contained_or_refused() {
    compare("path", |path| answers::path(path.as_bytes()));
}

#[test]
fn a_line_is_words_or_complex_or_invalid() {
    compare("shell", |line| answers::line(line.as_bytes()));
}

#[test]
fn sec_ssrf_ranges_an_address_is_public_or_private() {
    compare("ip", answers::address);
}

#[test]
fn a_url_leads_to_the_hosts_that_a_policy_names_and_nowhere_else() {
    let gate = Gate::new(answers::TRUSTED);
    compare("url", |url| answers::url(&gate, url.as_bytes()));
}

#[test]
fn the_corpus_is_large_and_no_case_is_there_twice() {
    let mut counts = BTreeMap::<String, usize>::new();
    let (mut ids, mut inputs) = (BTreeSet::new(), BTreeSet::new());
    for case in cases() {
        let text = |field: &str| case[field].as_str().unwrap().to_owned();
        assert!(ids.insert(text("id")), "the id is there twice: {case}");
        assert!(inputs.insert((text("kind"), case["input"].to_string())), "judged twice: {case}");
        assert!(!text("id").starts_with("own-") || !text("why").is_empty(), "without a reason: {case}");
        *counts.entry(text("kind")).or_default() += 1;
    }
    for (kind, least) in KINDS {
        assert!(counts[kind] >= least, "only {} cases of {kind}", counts[kind]);
    }
    let all: usize = KINDS.iter().map(|(kind, _)| counts[*kind]).sum();
    assert!(all >= CASES_LEAST, "only {all} cases");
    assert!(counts.keys().all(|kind| kind == "git" || KINDS.iter().any(|(known, _)| known == kind)), "{counts:?}");
}
