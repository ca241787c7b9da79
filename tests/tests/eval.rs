//! The same requests given to `policyc eval` as lines and to the judge as messages: no difference in verdict, rule or code.

#![cfg(test)]

use std::path::Path;

use enforce_core::judge::{Approval, Layer, Outcome, Refusal, Scope, Session, judge_request};
use enforce_core::path::Root;
use enforce_core::{Policy, Verdict};
use policy_model::{CheckOptions, check};
use policy_table::{blake3, freeze};
use serde_json::{Map, Value, json};
use table_format::{Pin, RoleId, Table};
use tool_proto::tool_request::Tool;
use tool_proto::{Borrowed, ToolRequest, testing};

#[test]
fn eval_and_the_judge_agree_on_generated_requests() {
    let mut rng = fastrand::Rng::with_seed(26);
    let (mut compared, mut verdicts) = (0, std::collections::BTreeSet::new());
    for name in ["coding-agent", "release-bot", "mcp-gateway"] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../policies/examples/{name}.policy"));
        let checked = check(&path, CheckOptions::default());
        let bytes = freeze(checked.model.as_ref().unwrap(), &checked.sources).unwrap().bytes;
        let table = Table::open(&bytes, Pin::Unpinned, blake3).unwrap();
        let policy = Policy::new(&table).unwrap();
        let roles: Vec<RoleId> = table.roles().collect();
        let mut asked: Vec<(String, ToolRequest, RoleId)> = Vec::new();
        while asked.len() < REQUESTS_EACH {
            let tool = testing::request(&mut rng).tool.map(|tool| often_allowed(&mut rng, tool));
            let message = ToolRequest { tool, ..named() };
            let role = *rng.choice(&roles).unwrap();
            // Some messages hold what no line says, such as bytes that are no text.
            if let Some(line) = line_of(&message, table.text(table.role(role).unwrap().name)) {
                asked.push((line, message, role));
            }
        }
        let lines: String = asked.iter().map(|(line, ..)| format!("{line}\n")).collect();
        let answers = policyc::answer_lines(&bytes, ROOT, lines.as_bytes()).unwrap();
        let answers: Vec<Value> =
            answers.split(|byte| *byte == b'\n').filter_map(|line| serde_json::from_slice(line).ok()).collect();
        assert_eq!(answers.len(), asked.len());
        for ((line, message, role), answer) in asked.iter().zip(&answers) {
            // Such a name is no operation of the policy, and a line of it no request.
            if answer["error"].as_str().is_some_and(|error| error.starts_with("unknown operation")) {
                continue;
            }
            let expected = judged(&policy, *role, message);
            let found = ["verdict", "rule", "code"].map(|field| answer[field].as_str().unwrap_or_default().to_owned());
            assert_eq!(found, expected, "{line}\n{answer}");
            verdicts.insert(found);
            compared += 1;
        }
    }
    assert!(compared >= 2_000, "only {compared} requests were compared");
    assert!(verdicts.iter().any(|[verdict, ..]| verdict == "allow"), "{verdicts:?}");
    assert!(verdicts.len() >= 20, "{verdicts:?}");
}

/// The judge's own words for a message.
fn judged(policy: &Policy<'_>, role: RoleId, message: &ToolRequest) -> [String; 3] {
    let (roles, borrowed) = ([role], Borrowed::of(message));
    let layers = [Layer { policy, roles: &roles }];
    let session = |_: &_| {
        let (root, approval) = (Root::new(ROOT.as_bytes()).ok()?, Approval::Missing);
        Some(Session { root, working_directory: b"", scope: Scope::Everything, layers: &layers, approval })
    };
    let mut first: Option<[String; 3]> = None;
    let mut watch = |judged: &enforce_core::judge::Judged<'_, '_>| {
        let decision = &judged.decision;
        if decision.verdict() == Verdict::Allow && first.is_none() {
            first = Some(["allow", decision.rule_name(), decision.code().as_str()].map(str::to_owned));
        }
    };
    let (mut buffer, mut places) = (vec![0; 1 << 20], vec![None; 4_096]);
    match judge_request(&borrowed.request(), session, &mut buffer, &mut places, &mut watch) {
        Outcome::Permit(_) => first.unwrap(),
        Outcome::Refuse(refused) => {
            let refusal = refused.refusal;
            let verdict = if matches!(refusal, Refusal::PolicyAsks(_)) { "ask" } else { "deny" };
            [verdict, refusal.rule_id(), refusal.code()].map(str::to_owned)
        }
    }
}

/// A message of the same kind that policies have something to say about.
fn often_allowed(rng: &mut fastrand::Rng, tool: Tool) -> Tool {
    let path = ["src/lib.rs", "docs/a.md", "tests/.env", "Cargo.toml"][rng.usize(..4)].to_owned();
    match tool {
        Tool::FileRead(read) if rng.bool() => Tool::FileRead(tool_proto::FileRead { path, ..read }),
        Tool::FileEdit(edit) if rng.bool() => Tool::FileEdit(tool_proto::FileEdit { path, ..edit }),
        Tool::FsDelete(delete) if rng.bool() => Tool::FsDelete(tool_proto::FsDelete { path, ..delete }),
        Tool::GitOp(operation) if rng.bool() => {
            Tool::GitOp(tool_proto::GitOperation { args: vec!["--".to_owned(), path], ..operation })
        }
        tool => tool,
    }
}

/// The message as a line of `eval`, if JSON can say it.
fn line_of(message: &ToolRequest, role: &str) -> Option<String> {
    let (operation, mut fields) = match message.tool.clone()? {
        Tool::GitOp(git) => {
            let name = format!("git.{}", git.operation.to_ascii_lowercase());
            (name, json!({ "args": git.args, "cwd": git.cwd }).as_object()?.clone())
        }
        tool => {
            let is_declared = matches!(tool, Tool::ToolCall(_));
            let (name, args) = tool_json::call_of(tool).ok()?;
            if is_declared { (name, args) } else { by_our_names(&name, args)? }
        }
    };
    // A line has three fields of its own.
    if ["id", "op", "roles"].iter().any(|name| fields.contains_key(*name)) {
        return None;
    }
    fields.insert("op".to_owned(), json!(operation));
    fields.insert("roles".to_owned(), json!([role]));
    Some(Value::Object(fields).to_string())
}

/// The names of the tool runtime -> those of `eval`.
fn by_our_names(tool: &str, args: Map<String, Value>) -> Option<(String, Map<String, Value>)> {
    let operation = match tool {
        "grep" => "fs.grep".to_owned(),
        "curl" => "http.request".to_owned(),
        "validate" => "validate.run".to_owned(),
        "emit_metrics" => "metrics.emit".to_owned(),
        other => other.replacen('_', ".", 1),
    };
    let mut fields = Map::new();
    for (name, value) in args {
        if name == "where" {
            for (name, value) in value.as_object()? {
                let name = if name == "type" { "node-type".to_owned() } else { name.replace('_', "-") };
                fields.insert(name, value.clone());
            }
            continue;
        }
        if name == "mode_octal" {
            fields.insert("mode".to_owned(), json!(u32::from_str_radix(value.as_str()?, 8).ok()?));
            continue;
        }
        let dashed = name.replace('_', "-");
        let ours = match (operation.as_str(), name.as_str()) {
            ("shell.exec", "cmd") => "line",
            (_, "timeout_ms") => "timeout",
            (_, "allow_network") => "network",
            (_, "include_hidden") => "hidden",
            ("file.read", "max_bytes") => "bytes",
            ("proc.list", "limit") => "max-results",
            ("http.request", "max_redirects") => "redirects",
            ("validate.run", "rule_id") => "rule",
            ("metrics.emit", "interval_ms") => "interval",
            ("artifact.publish", "artifact_id") => "artifact",
            ("inference.call", "max_tokens") => "tokens",
            ("inference.call", "temperature_scaled") => "temperature",
            _ => &dashed,
        };
        fields.insert(ours.to_owned(), value);
    }
    Some((operation, fields))
}

/// A request whose own fields are in order.
fn named() -> ToolRequest {
    ToolRequest { request_id: "r".to_owned(), session_token: "s".to_owned(), ..ToolRequest::default() }
}

const ROOT: &str = "/workspace";
const REQUESTS_EACH: usize = 900;
