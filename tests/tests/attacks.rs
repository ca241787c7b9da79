//! The corpus of attacks against the readers: every case of the kinds `path`, `shell`, `ip` and `url`.

#![cfg(test)]

#[path = "readers/gate.rs"]
mod gate;

use std::net::IpAddr;

use enforce_core::Verdict;
use enforce_core::net::is_private_ip;
use enforce_core::path::{Contained, Root};
use enforce_core::shell::{Line, ShellError};
use gate::Gate;
use serde_json::{Value, json};

fn cases(kind: &str) -> Vec<Value> {
    let lines = include_str!("../corpus/attacks.jsonl").lines();
    let cases: Vec<Value> = lines.map(|line| serde_json::from_str(line).unwrap()).collect();
    cases.into_iter().filter(|case| case["kind"] == kind).collect()
}

fn compare(kind: &str, least: usize, answer: impl Fn(&str) -> Value) {
    let cases = cases(kind);
    assert!(cases.len() >= least, "only {} cases of {kind}", cases.len());
    for case in cases {
        assert_eq!(answer(case["input"].as_str().unwrap()), case["expect"], "{case}");
    }
}

#[test]
fn rule_sec_paths_sandbox_a_path_is_contained_or_refused() {
    let root = Root::new(b"/workspace").unwrap();
    compare("path", 24, |path| match Contained::new(root, b"", path.as_bytes()) {
        Ok(_) => json!("contained"),
        Err(_) => json!("refused"),
    });
}

#[test]
fn a_line_is_words_or_complex_or_invalid() {
    compare("shell", 36, |line| match Line::new(line.as_bytes()) {
        Ok(line) => {
            let words = |command: enforce_core::shell::Command<'_>| -> Vec<String> {
                command.words().map(|word| String::from_utf8(word.bytes().collect()).unwrap()).collect()
            };
            json!(line.commands().map(words).collect::<Vec<_>>())
        }
        Err(ShellError::Complex { .. }) => json!("complex"),
        Err(ShellError::Invalid { .. }) => json!("invalid"),
    });
}

#[test]
fn sec_ssrf_ranges_an_address_is_public_or_private() {
    compare("ip", 23, |address| {
        let is_private = is_private_ip(address.parse::<IpAddr>().unwrap());
        json!(if is_private { "private" } else { "public" })
    });
}

#[test]
fn a_url_leads_to_the_hosts_that_a_policy_names_and_nowhere_else() {
    let gate = Gate::new(r#"host in "trusted.com", "*.trusted.com" and scheme == "https" and port == 443"#);
    compare("url", 16, |url| match gate.judge(url.as_bytes()) {
        Verdict::Allow => json!("allow"),
        Verdict::Ask | Verdict::Deny => json!("deny"),
    });
}
