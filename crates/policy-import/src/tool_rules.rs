//! `tool_rules` in TOML: which operations of a tool are left. Several rules about one tool leave what all of them do.

use std::collections::{BTreeMap, BTreeSet};

use policy_model::catalogue::FAMILIES;
use policy_syntax::{Effect, Span, closest, did_you_mean, quote};

use crate::draft::{Draft, Piece, Rule, Test, Tool, is_name};
use crate::findings::Findings;
use crate::tree::{Node, Value};
use crate::{codes, not_that_format, toml};

pub(crate) const HEAD: &str = "\
# Imported from tool rules. Each tool has the operations that are left to it; a tool without a rule there is open
# there and closed here, because its operations are not known: declare it and add a rule.
";

pub(crate) fn read(text: &str, found: &mut Findings) -> Option<Draft> {
    let node = toml::read(text).map_err(|error| not_that_format(&error, "TOML", found)).ok()?;
    let Value::Map(entries) = &node.value else { return None };
    let mut rules = Vec::new();
    let mut is_any = false;
    for entry in entries {
        if entry.key == "tool_rules" {
            is_any = true;
            let items = found.list(&entry.value, "`tool_rules`").iter();
            rules.extend(items.filter_map(|item| OneRule::read(item, found)));
        } else if closest(&entry.key, ["tool_rules"]).is_some() || holds_rules(&entry.value) {
            let message = format!("rules under {} would be passed over", quote(&entry.key));
            found.add(
                codes::UNKNOWN_KEY,
                entry.key_at,
                message,
                "rules stand at the top of the file: `[[tool_rules]]`",
            );
        } else {
            let message = format!("{} holds no rules", quote(&entry.key));
            found.add(codes::NO_RULE, entry.key_at, message, "only `tool_rules` is imported");
        }
    }
    if !is_any {
        let help = "rules are written `[[tool_rules]]`, with `tool_name` and `rule_type`";
        found.add(codes::WRONG_VALUE, Span::new(0, 0), "there is no `tool_rules` in the file", help);
    }
    Some(draft(&rules, found))
}

/// Whether a key of that name is somewhere below.
fn holds_rules(node: &Node) -> bool {
    match &node.value {
        Value::Map(entries) => entries.iter().any(|entry| entry.key == "tool_rules" || holds_rules(&entry.value)),
        Value::List(items) => items.iter().any(holds_rules),
        _ => false,
    }
}

/// One rule: a tool and what is left of it.
#[derive(Debug)]
struct OneRule<'a> {
    at: Span,
    tool: Piece,
    operations: Vec<(Span, &'a str)>,
    priority: i64,
}

impl<'a> OneRule<'a> {
    fn read(node: &'a Node, found: &mut Findings) -> Option<Self> {
        let keys = ["tool_name", "rule_type", "conditions", "priority", "metadata"];
        let (mut tool, mut operations, mut priority) = (None, None, 0);
        for entry in found.map(node, "a tool rule", &keys) {
            let value = &entry.value;
            match entry.key.as_str() {
                "tool_name" => tool = found.text(value, "`tool_name`").map(|text| Piece::new(value.at, text)),
                "rule_type" => operations = allowed(value, found),
                "priority" => match value.value {
                    Value::Whole(number) => priority = number,
                    _ => found.wrong(value, "`priority`", "a whole number"),
                },
                "conditions" if !found.list(value, "`conditions`").is_empty() => {
                    let help = "a condition of another engine is not known here: write the rule by hand";
                    found.add(codes::NOT_SAYABLE, value.at, "the rule holds under conditions only", help);
                }
                "metadata" => {
                    let message = "`metadata` decides nothing";
                    found.add(codes::NO_RULE, entry.key_at, message, "nothing of it is imported");
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
                found.add(codes::WRONG_VALUE, node.at, format!("the rule has no `{key}`"), help);
            }
        }
        let tool = tool?;
        if tool.text.contains('*') {
            let help = "operations belong to a tool: write one rule for each tool";
            found.add(codes::NOT_SAYABLE, tool.at, "a wildcard has no operations", help);
            return None;
        }
        if !is_name(&tool.text) {
            let message = format!("{} cannot be the name of a tool", quote(&tool.text));
            found.add(codes::NOT_SAYABLE, tool.at, message, "a name has letters, digits, `_` and single hyphens");
            return None;
        }
        Some(Self { at: node.at, tool, operations: operations?, priority })
    }
}

fn allowed<'a>(node: &'a Node, found: &mut Findings) -> Option<Vec<(Span, &'a str)>> {
    let help = "only `rule_type = { AllowedOperations = [\"…\"] }` is about what is allowed";
    match &node.value {
        Value::Map(entries) => match entries.as_slice() {
            [entry] if entry.key == "AllowedOperations" => Some(found.texts(&entry.value, "`AllowedOperations`")),
            _ => {
                let other = entries.iter().find(|entry| entry.key != "AllowedOperations");
                let at = other.map_or(node.at, |entry| entry.key_at);
                found.add(codes::NOT_SAYABLE, at, "a rule of this type cannot be imported", help);
                None
            }
        },
        Value::Text(_) => {
            found.add(codes::NOT_SAYABLE, node.at, "a rule of this type cannot be imported", help);
            None
        }
        _ => {
            found.wrong(node, "`rule_type`", "a table of keys");
            None
        }
    }
}

fn draft(rules: &[OneRule<'_>], found: &mut Findings) -> Draft {
    let mut draft = Draft::default();
    let mut tools: BTreeMap<&str, Vec<&OneRule<'_>>> = BTreeMap::new();
    for rule in rules {
        tools.entry(&rule.tool.text).or_default().push(rule);
    }
    // The rules with most weight first, and otherwise in the order of the file.
    let mut tools: Vec<Vec<&OneRule<'_>>> = tools.into_values().collect();
    tools.sort_by_key(|rules| {
        let priority = rules.iter().map(|rule| rule.priority).max().unwrap_or_default();
        (std::cmp::Reverse(priority), rules.first().map(|rule| rule.at))
    });
    for rules in tools {
        add(&rules, &mut draft, found);
    }
    draft
}

/// Adds a tool with what all of its rules leave.
fn add(rules: &[&OneRule<'_>], draft: &mut Draft, found: &mut Findings) {
    let Some((first, others)) = rules.split_first() else { return };
    let tool = first.tool.text.as_str();
    let of_tool = FAMILIES.iter().filter(|family| family.tool == tool);
    let family: Vec<&str> = of_tool.flat_map(|family| family.operations).map(|(name, _)| *name).collect();
    for (at, operation) in rules.iter().flat_map(|rule| &rule.operations) {
        check(tool, &family, *at, operation, found);
    }
    let others: Vec<BTreeSet<&str>> =
        others.iter().map(|rule| rule.operations.iter().map(|(_, name)| *name).collect()).collect();
    let mut seen = BTreeSet::new();
    let is_left = |operation: &str| others.iter().all(|other| other.contains(operation));
    let mut left = first.operations.clone();
    left.retain(|(_, operation)| is_left(operation) && seen.insert(*operation));
    if left.is_empty() {
        let message = format!("no operation of {} is left", quote(tool));
        found.add(codes::STRICTER, first.tool.at, message, "the policy has no rule for it, which denies all of it");
        return;
    }
    let mut plain = Vec::new();
    for (at, operation) in left {
        if is_append(tool, operation) {
            let name = draft.name("tool", "file append");
            draft.test(Test::of(&name, Effect::Allow, at, "file.write path \"a\" append"));
            let condition = vec![Piece::new(at, "append")];
            let operations = vec![Piece::new(at, "file.write")];
            draft.rule(Rule { condition, ..Rule::new(name, Effect::Allow, first.at, operations) });
        } else {
            plain.push(Piece::new(at, format!("{tool}.{operation}")));
        }
    }
    if family.is_empty() {
        let own = |piece: &Piece| Piece::new(piece.at, piece.text.split_once('.').map_or("", |(_, name)| name));
        draft.tool(Tool { name: first.tool.clone(), operations: plain.iter().map(own).collect() });
    }
    if let Some(operation) = plain.first() {
        let name = draft.name("tool", tool);
        draft.test(Test::of(&name, Effect::Allow, operation.at, operation.text.clone()));
        draft.rule(Rule::new(name, Effect::Allow, first.at, plain));
    }
}

/// Whether an operation is one of a built-in tool, or could be one of another.
fn check(tool: &str, family: &[&str], at: Span, operation: &str, found: &mut Findings) {
    if family.is_empty() && !is_name(operation) {
        let message = format!("{} cannot be the name of an operation", quote(operation));
        found.add(codes::NOT_SAYABLE, at, message, "a name has letters, digits, `_` and single hyphens");
    }
    if !family.is_empty() && !family.contains(&operation) && !is_append(tool, operation) {
        let message = format!("the tool {} has no operation {}", quote(tool), quote(operation));
        let append = (tool == "file").then_some("append");
        let known: Vec<&str> = family.iter().copied().chain(append).collect();
        found.add(codes::WRONG_VALUE, at, message, did_you_mean(operation, "operations", known.iter().copied()));
    }
}

/// An operation there, and a way to write here.
fn is_append(tool: &str, operation: &str) -> bool {
    tool == "file" && operation == "append"
}
