//! A record of the ledger -> lines that people read, or an object for programs.
//!
//! What somebody asked for is shown in quotes, with its controls escaped: it moves no cursor and starts no line.

use std::fmt::Write as _;

use enforce_exec::ledger::{Charged, Digest, Ending, Event, Judged, Record, Text, Why};
use serde_json::{Value, json};

use crate::clock;

/// The record in a line, and what it was decided by in lines below.
pub(super) fn text(record: &Record) -> String {
    let chain = match record.chain {
        Record::LEDGER => "ledger".to_owned(),
        session => format!("session {session}"),
    };
    let (time, kind) = (clock::at(record.at_ms), record.event.kind());
    let mut lines = format!("{:>6}  {time}  {chain:<11} #{:<5} {kind:<16}", record.number, record.sequence);
    let mut details: Vec<String> = Vec::new();
    let said = match &record.event {
        Event::Created(created) => {
            details.push(format!("root {:?}, until {}", created.root.as_str(), clock::at(created.expires_at_ms)));
            details.extend(created.tables.iter().map(|table| format!("policy {table}")));
            format!("roles {:?}, lease {:?}", created.roles, created.scope)
        }
        Event::Refused(refused) => decided(&refused.judged, &mut details),
        Event::Intent(intent) => {
            let said = decided(&intent.judged, &mut details);
            details.extend(intent.charges.iter().map(|charge| charged("charged", charge)));
            said
        }
        Event::Result(outcome) => {
            details.extend(outcome.settled.iter().map(|charge| charged("settled", charge)));
            let ending = match outcome.ending {
                Ending::Done => "done",
                Ending::Failed => "failed",
            };
            format!(
                "of #{}: {ending} {}, {} files, {} bytes, {} ms",
                outcome.intent,
                word(&outcome.code),
                outcome.files,
                outcome.bytes,
                outcome.duration_ms
            )
        }
        Event::Interrupted(act) => format!("of #{}: nobody knows what came of it", act.intent),
        Event::Repeated(act) => format!("of #{}: the same answer again", act.intent),
        Event::Checkpoint(heads) => format!("of {} chains", heads.len()),
        Event::Ended(ended) => match ended.why {
            Why::Asked => "somebody ended it".to_owned(),
            Why::Expired => "its time was up".to_owned(),
        },
        Event::Reached(act) => {
            details.extend(act.paths.iter().map(|path| format!("{path:?}")));
            details.extend((act.more > 0).then(|| format!("and {} more", act.more)));
            format!("of #{}", act.intent)
        }
    };
    lines.push_str(&said);
    lines.push('\n');
    for detail in details {
        // A string takes everything.
        let _ = writeln!(lines, "        {detail}");
    }
    lines
}

/// The record with everything that is in it.
pub(super) fn json(record: &Record, hash: &Digest) -> Value {
    let mut object = json!({
        "number": record.number,
        "session": record.chain,
        "sequence": record.sequence,
        "time": clock::at(record.at_ms).to_string(),
        "kind": record.event.kind(),
        "hash": hash.to_string(),
        "previous": record.previous.to_string(),
    });
    let said = match &record.event {
        Event::Created(created) => json!({
            "roles": texts(&created.roles),
            "scope": texts(&created.scope),
            "working_directory": created.working_directory.as_str(),
            "root": created.root.as_str(),
            "expires": clock::at(created.expires_at_ms).to_string(),
            "tables": digests(&created.tables),
        }),
        Event::Refused(refused) => {
            json!({ "judged": judged(&refused.judged), "response": refused.response.to_string() })
        }
        Event::Intent(intent) => json!({ "judged": judged(&intent.judged), "charged": charges(&intent.charges) }),
        Event::Result(outcome) => json!({
            "intent": outcome.intent,
            "response": outcome.response.to_string(),
            "done": outcome.ending == Ending::Done,
            "code": outcome.code.as_str(),
            "duration_ms": outcome.duration_ms,
            "files": outcome.files,
            "bytes": outcome.bytes,
            "settled": charges(&outcome.settled),
        }),
        Event::Interrupted(act) => json!({ "intent": act.intent }),
        Event::Repeated(act) => json!({
            "request": act.request.to_string(), "intent": act.intent, "response": act.response.to_string(),
        }),
        Event::Checkpoint(heads) => {
            let heads = heads
                .iter()
                .map(|head| json!({ "session": head.chain, "sequence": head.sequence, "hash": head.hash.to_string() }));
            json!({ "heads": heads.collect::<Vec<_>>() })
        }
        Event::Ended(ended) => json!({ "expired": ended.why == Why::Expired }),
        Event::Reached(act) => json!({ "intent": act.intent, "paths": texts(&act.paths), "more": act.more }),
    };
    if let (Value::Object(object), Value::Object(said)) = (&mut object, said) {
        object.extend(said);
    }
    object
}

fn decided(judged: &Judged, details: &mut Vec<String>) -> String {
    // The facts are in quotes as they are written; records of old have targets alone.
    details.extend(judged.facts.iter().map(word));
    if judged.facts.is_empty() {
        details.extend(judged.targets.iter().map(|target| format!("{target:?}")));
    }
    let operation = if judged.operation.as_str().is_empty() { "unread".into() } else { word(&judged.operation) };
    format!("{operation}: {} by {} [{}]", judged.verdict_name(), word(&judged.rule), word(&judged.code))
}

fn charged(what: &str, charge: &Charged) -> String {
    format!("{what} {} of {}", charge.amount, word(&charge.budget))
}

/// Without quotes of its own, and without what moves a cursor.
fn word(text: &Text) -> String {
    text.as_str()
        .chars()
        .flat_map(|character| {
            let is_plain = character == '"' || character == '\'' || character == '\\';
            let escaped: Box<dyn Iterator<Item = char>> =
                if is_plain { Box::new(std::iter::once(character)) } else { Box::new(character.escape_debug()) };
            escaped
        })
        .collect()
}

fn judged(judged: &Judged) -> Value {
    json!({
        "request": judged.request.to_string(),
        "operation": judged.operation.as_str(),
        "targets": texts(&judged.targets),
        "facts": texts(&judged.facts),
        "verdict": judged.verdict_name(),
        "rule": judged.rule.as_str(),
        "code": judged.code.as_str(),
        "tables": digests(&judged.tables),
    })
}

fn charges(charges: &[Charged]) -> Vec<Value> {
    charges.iter().map(|charge| json!({ "budget": charge.budget.as_str(), "amount": charge.amount })).collect()
}

fn texts(texts: &[Text]) -> Vec<&str> {
    texts.iter().map(Text::as_str).collect()
}

fn digests(digests: &[Digest]) -> Vec<String> {
    digests.iter().map(ToString::to_string).collect()
}
