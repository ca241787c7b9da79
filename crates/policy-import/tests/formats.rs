//! A file of each format -> the policy that is made of it and what is said about it, as they were read and found good.
//! To accept others: `INSTA_UPDATE=always cargo test -p policy-import --test formats`, then read the difference.

#![cfg(test)]

mod support;

use policy_import::Format;
use support::{imported, shown};

#[test]
fn sdk_registry_a_registry_becomes_a_policy() {
    let bytes = include_bytes!("data/registry.yaml");
    insta::assert_snapshot!(shown(&imported(Format::Registry, bytes)));
}

#[test]
fn gate_import_tool_rules_become_a_policy() {
    let bytes = include_bytes!("data/tools.toml");
    insta::assert_snapshot!(shown(&imported(Format::ToolRules, bytes)));
}

#[test]
fn settings_of_claude_code_become_a_policy() {
    let bytes = include_bytes!("data/settings.json");
    insta::assert_snapshot!(shown(&imported(Format::ClaudeCode, bytes)));
}

#[test]
fn rules_of_codex_become_a_policy() {
    let bytes = include_bytes!("data/default.rules");
    insta::assert_snapshot!(shown(&imported(Format::Codex, bytes)));
}
