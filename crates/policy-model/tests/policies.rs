//! The rule packs and examples that ship: what is promised of every file.

// Tells clippy that helpers here may unwrap as tests do.
#![cfg(test)]

#[path = "policies/examples.rs"]
mod examples;
#[path = "policies/packs.rs"]
mod packs;
#[path = "policies/shipped.rs"]
mod shipped;

use std::collections::BTreeSet;

use policy_model::{PACKS, evaluate};
use policy_syntax::Effect;

use shipped::{all, serious, shipped};

#[test]
fn the_folders_hold_the_files_expected() {
    let names = |folder| shipped(folder).iter().map(|file| file.name.as_str()).collect::<Vec<_>>();
    assert_eq!(names("std"), STD);
    assert_eq!(names("examples"), EXAMPLES);
}

#[test]
fn every_pack_has_a_file_and_every_file_is_a_pack() {
    let files: Vec<_> = shipped("std").iter().map(|file| (format!("std.{}", file.name), file.text.clone())).collect();
    let packs: Vec<_> = PACKS.iter().map(|pack| (pack.name.to_owned(), pack.text.to_owned())).collect();
    assert_eq!(packs, files);
}

#[test]
fn every_policy_is_without_errors_and_warnings() {
    for file in all() {
        let found: Vec<String> = serious(&file.checked);
        assert_eq!(found, Vec::<String>::new(), "{}", file.name);
        assert!(file.checked.model.is_some(), "{} has no model", file.name);
    }
}

#[test]
fn every_policy_is_in_its_own_layout() {
    for file in all() {
        let laid_out = policy_syntax::format(file.checked.root, &file.text).unwrap_or_else(|found| panic!("{found:?}"));
        assert_eq!(laid_out, file.text, "{}", file.name);
    }
}

#[test]
fn every_policy_says_first_what_it_does_not_protect_against() {
    for file in all() {
        let header: Vec<&str> = file.text.lines().take_while(|line| line.starts_with('#')).collect();
        assert!(header.contains(&"# What this does NOT protect against:"), "{}", file.name);
    }
}

#[test]
fn every_rule_has_a_test_that_it_decides() {
    for file in all() {
        let model = file.model();
        let tested: BTreeSet<(&str, &str)> =
            model.tests.iter().filter_map(|test| Some((test.by.as_deref()?, test.expected.as_str()))).collect();
        let own = model.rules.iter().filter(|rule| rule.at.file == file.checked.root);
        let is_tested = |name: &str, effect: Effect| tested.contains(&(name, effect.as_str()));
        let untested: Vec<&str> =
            own.filter(|rule| !is_tested(&rule.name, rule.effect)).map(|rule| rule.name.as_str()).collect();
        assert_eq!(untested, Vec::<&str>::new(), "{}", file.name);
    }
}

/// A file whose tests all expect denials would pass if its rules allowed nothing.
#[test]
fn every_example_has_tests_of_each_effect() {
    for file in shipped("examples") {
        let expected: BTreeSet<&str> = file.model().tests.iter().map(|test| test.expected.as_str()).collect();
        let wanted: BTreeSet<&str> = match file.name.as_str() {
            // Nothing it may do needs a question.
            "read-only-reviewer" => BTreeSet::from(["allow", "deny"]),
            _ => BTreeSet::from(["allow", "ask", "deny"]),
        };
        assert_eq!(expected, wanted, "{}", file.name);
    }
}

/// What a policy permits it does not permit in a line the judge does not fully understand, and what
/// runs without a question runs without network.
#[test]
fn ctr_0013_no_permitted_command_is_permitted_when_it_is_complex_or_has_network_unasked() {
    let mut tried = 0;
    for file in all() {
        let model = file.model();
        for test in model.tests.iter().filter(|test| test.expected != Effect::Deny) {
            let operation = &model.operations[test.request.operation.0];
            let asked = test.expected == Effect::Ask;
            let flags = [("complex", true), ("network", !asked)];
            for (flag, _) in flags.into_iter().filter(|(flag, counts)| *counts && operation.attribute(flag).is_some()) {
                let mut request = test.request.clone();
                request.flags.insert(flag.to_owned());
                assert_eq!(evaluate(model, &request).verdict, Effect::Deny, "{}: {} {flag}", file.name, test.name);
                tried += 1;
            }
        }
    }
    assert!(tried >= 40, "only {tried} requests were tried");
}

const STD: &[&str] =
    &["git-safety", "network-safe", "node-dev", "protected-paths", "python-dev", "rust-dev", "secrets"];

const EXAMPLES: &[&str] = &["coding-agent", "data-analyst", "mcp-gateway", "read-only-reviewer", "release-bot"];
