//! `tool_rules` in TOML: the operations that a tool may use. Several rules about one tool allow only what all of them allow.

use std::collections::{BTreeMap, BTreeSet};

use policy_model::catalogue::operations_of;
use policy_syntax::{Effect, Span, closest, did_you_mean, quote};

use crate::draft::{Draft, DraftRule, DraftTest, DraftTool, Piece, is_name};
use crate::findings::Findings;
use crate::tree::{Node, Value};
use crate::{codes, report_parse_error, toml};

pub(crate) const HEAD: &str = "\
# Imported from tool rules. Each tool may use the operations listed for it. A tool without a rule is allowed there and
# denied here, because its operations are unknown: declare it and add a rule.
";

pub(crate) fn read(text: &str, findings: &mut Findings) -> Option<Draft> {
    let node = toml::read(text).map_err(|error| report_parse_error(&error, "TOML", findings)).ok()?;
    let Value::Map(entries) = &node.value else { return None };
    let mut rules = Vec::new();
    let mut is_any = false;
    for entry in entries {
        if entry.key == "tool_rules" {
            is_any = true;
            let items = findings.list(&entry.value, "`tool_rules`").iter();
            rules.extend(items.filter_map(|item| ToolRule::read(item, findings)));
        } else if closest(&entry.key, ["tool_rules"]).is_some() || holds_rules(&entry.value) {
            let message = format!("rules under {} are not read", quote(&entry.key));
            findings.add(codes::UNKNOWN_KEY, entry.key_at, message, "write rules at the top level: `[[tool_rules]]`");
        } else {
            let message = format!("{} contains no rules", quote(&entry.key));
            findings.add(codes::NOT_A_RULE, entry.key_at, message, "only `tool_rules` is imported");
        }
    }
    if !is_any {
        let help = "rules are written `[[tool_rules]]`, with `tool_name` and `rule_type`";
        findings.add(codes::WRONG_VALUE, Span::new(0, 0), "the file has no `tool_rules`", help);
    }
    Some(draft(&rules, findings))
}

/// Returns true when `tool_rules` is a key at any depth.
fn holds_rules(node: &Node) -> bool {
    match &node.value {
        Value::Map(entries) => entries.iter().any(|entry| entry.key == "tool_rules" || holds_rules(&entry.value)),
        Value::List(items) => items.iter().any(holds_rules),
        _ => false,
    }
}

/// A tool and the operations that it may use.
#[derive(Debug)]
struct ToolRule<'a> {
    at: Span,
    tool: Piece,
    operations: Vec<(Span, &'a str)>,
    priority: i64,
}

impl<'a> ToolRule<'a> {
    fn read(node: &'a Node, findings: &mut Findings) -> Option<Self> {
        let keys = ["tool_name", "rule_type", "conditions", "priority", "metadata"];
        let (mut tool, mut operations, mut priority) = (None, None, 0);
        for entry in findings.map(node, "a tool rule", &keys) {
            let value = &entry.value;
            match entry.key.as_str() {
                "tool_name" => tool = findings.text(value, "`tool_name`").map(|text| Piece::new(value.at, text)),
                "rule_type" => operations = allowed(value, findings),
                "priority" => match value.value {
                    Value::Whole(number) => priority = number,
                    _ => findings.wrong_type(value, "`priority`", "a whole number"),
                },
                "conditions" if !findings.list(value, "`conditions`").is_empty() => {
                    let help = "conditions cannot be imported: write the rule by hand";
                    findings.add(codes::NOT_EXPRESSIBLE, value.at, "the rule has conditions", help);
                }
                "metadata" => {
                    let message = "`metadata` is not a rule";
                    findings.add(codes::NOT_A_RULE, entry.key_at, message, "it is not imported");
                }
                _ => {}
            }
        }
        if !matches!(node.value, Value::Map(_)) {
            return None;
        }
        for (key, is_there) in [("tool_name", tool.is_some()), ("rule_type", operations.is_some())] {
            let is_written = matches!(&node.value, Value::Map(entries) if entries.iter().any(|entry| entry.key == key));
            if !is_there && !is_written {
                let help = "a rule has `tool_name` and `rule_type = { AllowedOperations = [\"…\"] }`";
                findings.add(codes::WRONG_VALUE, node.at, format!("the rule has no `{key}`"), help);
            }
        }
        let tool = tool?;
        if tool.text.contains('*') {
            let help = "write one rule for each tool";
            findings.add(codes::NOT_EXPRESSIBLE, tool.at, "a wildcard cannot stand for tools", help);
            return None;
        }
        if !is_name(&tool.text) {
            let message = format!("{} cannot be the name of a tool", quote(&tool.text));
            findings.add(
                codes::NOT_EXPRESSIBLE,
                tool.at,
                message,
                "a name has letters, digits, `_` and single hyphens",
            );
            return None;
        }
        Some(Self { at: node.at, tool, operations: operations?, priority })
    }
}

fn allowed<'a>(node: &'a Node, findings: &mut Findings) -> Option<Vec<(Span, &'a str)>> {
    let help = "only `rule_type = { AllowedOperations = [\"…\"] }` can be imported";
    match &node.value {
        Value::Map(entries) => match entries.as_slice() {
            [entry] if entry.key == "AllowedOperations" => Some(findings.texts(&entry.value, "`AllowedOperations`")),
            _ => {
                let other = entries.iter().find(|entry| entry.key != "AllowedOperations");
                let at = other.map_or(node.at, |entry| entry.key_at);
                findings.add(codes::NOT_EXPRESSIBLE, at, "rules of this type cannot be imported", help);
                None
            }
        },
        Value::Text(_) => {
            findings.add(codes::NOT_EXPRESSIBLE, node.at, "rules of this type cannot be imported", help);
            None
        }
        _ => {
            findings.wrong_type(node, "`rule_type`", "a table of keys");
            None
        }
    }
}

fn draft(rules: &[ToolRule<'_>], findings: &mut Findings) -> Draft {
    let mut draft = Draft::default();
    let mut tools: BTreeMap<&str, Vec<&ToolRule<'_>>> = BTreeMap::new();
    for rule in rules {
        tools.entry(&rule.tool.text).or_default().push(rule);
    }
    // Highest priority first, otherwise in the order of the file.
    let mut tools: Vec<Vec<&ToolRule<'_>>> = tools.into_values().collect();
    tools.sort_by_key(|rules| {
        let priority = rules.iter().map(|rule| rule.priority).max().unwrap_or_default();
        (std::cmp::Reverse(priority), rules.first().map(|rule| rule.at))
    });
    for rules in tools {
        add(&rules, &mut draft, findings);
    }
    draft
}

/// Adds a tool with the operations that all of its rules allow.
fn add(rules: &[&ToolRule<'_>], draft: &mut Draft, findings: &mut Findings) {
    let Some((first, others)) = rules.split_first() else { return };
    let tool = first.tool.text.as_str();
    let family: Vec<&str> = operations_of(tool).filter_map(|known| Some(known.name().split_once('.')?.1)).collect();
    for (at, operation) in rules.iter().flat_map(|rule| &rule.operations) {
        check(tool, &family, *at, operation, findings);
    }
    let others: Vec<BTreeSet<&str>> =
        others.iter().map(|rule| rule.operations.iter().map(|(_, name)| *name).collect()).collect();
    let mut seen = BTreeSet::new();
    let is_left = |operation: &str| others.iter().all(|other| other.contains(operation));
    let mut left = first.operations.clone();
    left.retain(|(_, operation)| is_left(operation) && seen.insert(*operation));
    if left.is_empty() {
        let message = format!("the rules leave no operation of {}", quote(tool));
        findings.add(
            codes::STRICTER,
            first.tool.at,
            message,
            "the policy has no rule for the tool, which denies all of it",
        );
        return;
    }
    let mut plain = Vec::new();
    for (at, operation) in left {
        if is_append(tool, operation) {
            let name = draft.name("tool", "file append");
            draft.test(DraftTest::of(&name, Effect::Allow, at, "file.write path \"a\" append"));
            let condition = vec![Piece::new(at, "append")];
            let operations = vec![Piece::new(at, "file.write")];
            draft.rule(DraftRule { condition, ..DraftRule::new(name, Effect::Allow, first.at, operations) });
        } else {
            plain.push(Piece::new(at, format!("{tool}.{operation}")));
        }
    }
    if family.is_empty() {
        let own = |piece: &Piece| Piece::new(piece.at, piece.text.split_once('.').map_or("", |(_, name)| name));
        draft.tool(DraftTool { name: first.tool.clone(), operations: plain.iter().map(own).collect() });
    }
    if let Some(operation) = plain.first() {
        let name = draft.name("tool", tool);
        draft.test(DraftTest::of(&name, Effect::Allow, operation.at, operation.text.clone()));
        draft.rule(DraftRule::new(name, Effect::Allow, first.at, plain));
    }
}

/// Reports an operation that a built-in tool does not have, or whose name is invalid.
fn check(tool: &str, family: &[&str], at: Span, operation: &str, findings: &mut Findings) {
    if family.is_empty() && !is_name(operation) {
        let message = format!("{} cannot be the name of an operation", quote(operation));
        findings.add(codes::NOT_EXPRESSIBLE, at, message, "a name has letters, digits, `_` and single hyphens");
    }
    if !family.is_empty() && !family.contains(&operation) && !is_append(tool, operation) {
        let message = format!("the tool {} has no operation {}", quote(tool), quote(operation));
        let append = (tool == "file").then_some("append");
        let known: Vec<&str> = family.iter().copied().chain(append).collect();
        findings.add(codes::WRONG_VALUE, at, message, did_you_mean(operation, "operations", known.iter().copied()));
    }
}

/// `append` is an operation there and a flag of `file.write` here.
fn is_append(tool: &str, operation: &str) -> bool {
    tool == "file" && operation == "append"
}
