//! A record of the ledger -> lines for people, or a JSON object for programs.
//!
//! Text of requests is quoted and its control characters are escaped, so that it cannot move a cursor or start a line.

use std::fmt::Write as _;

use enforce_exec::sandbox::Exit;
use exec_record::{Charged, Digest, EndReason, Ending, Event, Judged, Leased, Record, RunContext, Text};
use serde_json::{Value, json};
use tool_json::Timestamp;

/// Returns the record on one line, with the facts of its decision on lines below it.
pub(super) fn human(record: &Record) -> String {
    let chain = match record.chain {
        Record::LEDGER => "ledger".to_owned(),
        session => format!("session {session}"),
    };
    let (time, kind) = (Timestamp::from_unix_ms(record.at_ms), record.event.kind());
    let mut lines = format!("{:>6}  {time}  {chain:<11} #{:<5} {kind:<16}", record.number, record.sequence);
    let mut details: Vec<String> = Vec::new();
    let summary = match &record.event {
        Event::Created(created) => {
            details.push(format!(
                "root {:?}, until {}",
                created.root.as_str(),
                Timestamp::from_unix_ms(created.expires_at_ms)
            ));
            details.extend(created.tables.iter().map(|table| format!("policy {table}")));
            details.extend(created.budgets.iter().map(leased));
            format!("roles {:?}, lease {:?}", created.roles, created.scope)
        }
        Event::Refused(refused) => decision(&refused.judged, &mut details),
        Event::Intent(intent) => {
            let summary = decision(&intent.judged, &mut details);
            details.extend(intent.setting.iter().flat_map(context_lines));
            details.extend(intent.charges.iter().map(|charge| charged("charged", charge)));
            summary
        }
        Event::Result(outcome) => {
            details.extend(outcome.settled.iter().map(|charge| charged("settled", charge)));
            let ending = match outcome.ending {
                Ending::Done => "done",
                Ending::Failed => "failed",
            };
            let exit = outcome.exit.map_or_else(String::new, |exit| format!(", {exit}"));
            format!(
                "of #{}: {ending} {}, {} files, {} bytes, {} ms{exit}",
                outcome.intent,
                word(&outcome.code),
                outcome.files,
                outcome.bytes,
                outcome.duration_ms
            )
        }
        Event::Interrupted(act) => format!("of #{}: the result is unknown", act.intent),
        Event::Repeated(act) => format!("of #{}: the stored response was returned", act.intent),
        Event::Checkpoint(heads) => format!("of {} chains", heads.len()),
        Event::TurnedAway(turned_away) => format!("{} requests, none of them executed", turned_away.requests),
        Event::Ended(ended) => match ended.why {
            EndReason::Asked => "ended by the program".to_owned(),
            EndReason::Expired => "expired".to_owned(),
        },
        Event::Reached(act) => {
            details.extend(act.paths.iter().map(|path| format!("{path:?}")));
            details.extend((act.more > 0).then(|| format!("and {} more", act.more)));
            format!("of #{}", act.intent)
        }
    };
    lines.push_str(&summary);
    lines.push('\n');
    for detail in details {
        // Writing to a `String` cannot fail.
        let _ = writeln!(lines, "        {detail}");
    }
    lines
}

/// Returns the whole record as an object on one line.
pub(super) fn json(record: &Record, hash: &Digest) -> String {
    escaped(&object(record, hash).to_string())
}

/// Escapes characters that could move a cursor or reorder a line, because people read JSON too. Outside ASCII they are only
/// found in strings, where an escape means the same.
fn escaped(json: &str) -> String {
    let mut written = String::with_capacity(json.len());
    for character in json.chars() {
        let is_plain = matches!(character, ' '..='~') || character.escape_debug().count() == 1;
        if is_plain {
            written.push(character);
            continue;
        }
        for unit in character.encode_utf16(&mut [0; 2]) {
            // Writing to a `String` cannot fail.
            let _ = write!(written, "\\u{unit:04x}");
        }
    }
    written
}

fn object(record: &Record, hash: &Digest) -> Value {
    let mut object = json!({
        "number": record.number,
        "session": record.chain,
        "sequence": record.sequence,
        "time": Timestamp::from_unix_ms(record.at_ms).to_string(),
        "kind": record.event.kind(),
        "hash": hash.to_string(),
        "previous": record.previous.to_string(),
    });
    let event = match &record.event {
        Event::Created(created) => json!({
            "roles": texts(&created.roles),
            "scope": texts(&created.scope),
            "working_directory": created.working_directory.as_str(),
            "root": created.root.as_str(),
            "expires": Timestamp::from_unix_ms(created.expires_at_ms).to_string(),
            "tables": digests(&created.tables),
            "budgets": created.budgets.iter().map(leased_json).collect::<Vec<_>>(),
        }),
        Event::Refused(refused) => {
            json!({ "judged": judged(&refused.judged), "response": refused.response.to_string() })
        }
        Event::Intent(intent) => json!({
            "judged": judged(&intent.judged),
            "charged": charges(&intent.charges),
            "setting": intent.setting.as_ref().map(setting),
        }),
        Event::Result(outcome) => json!({
            "intent": outcome.intent,
            "response": outcome.response.to_string(),
            "done": outcome.ending == Ending::Done,
            "code": outcome.code.as_str(),
            "duration_ms": outcome.duration_ms,
            "files": outcome.files,
            "bytes": outcome.bytes,
            "settled": charges(&outcome.settled),
            "exit": outcome.exit.map(exit),
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
        Event::TurnedAway(turned_away) => json!({ "requests": turned_away.requests }),
        Event::Ended(ended) => json!({ "expired": ended.why == EndReason::Expired }),
        Event::Reached(act) => json!({ "intent": act.intent, "paths": texts(&act.paths), "more": act.more }),
    };
    if let (Value::Object(object), Value::Object(event)) = (&mut object, event) {
        object.extend(event);
    }
    object
}

fn decision(judged: &Judged, details: &mut Vec<String>) -> String {
    // Facts are recorded in quotes. A request without facts has its targets.
    details.extend(judged.facts.iter().map(word));
    if judged.facts.is_empty() {
        details.extend(judged.targets.iter().map(|target| format!("{target:?}")));
    }
    let operation = if judged.operation.as_str().is_empty() { "unread".into() } else { word(&judged.operation) };
    format!("{operation}: {} by {} [{}]", judged.verdict_name(), word(&judged.rule), word(&judged.code))
}

/// Returns a line for each part of the context that a command runs in.
fn context_lines(setting: &RunContext) -> Vec<String> {
    let folder = match setting.working_directory.as_str() {
        "" => ".",
        folder => folder,
    };
    let mut lines = vec![format!("in {folder:?}")];
    lines.extend(setting.line.iter().map(|line| format!("as a whole {line:?}")));
    lines.extend(setting.script.map(|digest| format!("script {digest}")));
    lines.extend(setting.stdin.map(|digest| format!("stdin {digest}")));
    lines.extend(setting.environment.iter().map(|env| format!("env {:?} {}", env.names, env.digest)));
    lines
}

fn charged(what: &str, charge: &Charged) -> String {
    format!("{what} {} of {}", charge.amount, word(&charge.budget))
}

fn leased(budget: &Leased) -> String {
    let counted = if budget.attribute.as_str().is_empty() { "calls".into() } else { word(&budget.attribute) };
    format!("budget {}: {} {counted} <= {}", word(&budget.name), word(&budget.operation), budget.most)
}

fn leased_json(budget: &Leased) -> Value {
    let counted = budget.attribute.as_str();
    let attribute = if counted.is_empty() { Value::Null } else { counted.into() };
    json!({
        "name": budget.name.as_str(), "operation": budget.operation.as_str(), "attribute": attribute, "most": budget.most,
    })
}

/// Escapes text that is shown without quotes.
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

fn setting(setting: &RunContext) -> Value {
    let digest = |digest: Option<Digest>| digest.map(|digest| digest.to_string());
    let env = setting.environment.as_ref();
    json!({
        "working_directory": setting.working_directory.as_str(),
        "line": setting.line.as_ref().map(Text::as_str),
        "script": digest(setting.script),
        "stdin": digest(setting.stdin),
        "env": env.map(|env| json!({ "names": texts(&env.names), "digest": env.digest.to_string() })),
    })
}

fn exit(exit: Exit) -> Value {
    match exit {
        Exit::Code(code) => json!({ "code": code }),
        Exit::Signal(signal) => json!({ "signal": signal }),
        Exit::Broken { command, error } => json!({ "broken_at": command, "error": error.to_string() }),
        Exit::TimedOut => json!({ "timed_out": true }),
        Exit::Cancelled => json!({ "cancelled": true }),
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_shows_every_character_that_shows_itself_and_escapes_the_others() {
        for character in (0..=0x2_ffff).chain(0xe_0000..=0xe_01ff).filter_map(char::from_u32) {
            let json = Value::from(character.to_string()).to_string();
            let written = escaped(&json);
            assert_eq!(serde_json::from_str::<String>(&written).ok(), Some(character.to_string()), "{character:?}");
            let is_shown = written.contains(character);
            assert!(!is_shown || !character.is_control(), "{character:?}");
            assert!(is_shown || !character.is_alphanumeric() || written.starts_with("\"\\u"), "{character:?}");
        }
        let kept = "a~\u{e9}\u{4e2d}\u{1f600}";
        assert_eq!(escaped(kept), kept);
        assert_eq!(escaped("\u{7f}\u{85}\u{9b}\u{61c}\u{200b}\u{2028}\u{202e}\u{2066}\u{feff}"), {
            r"\u007f\u0085\u009b\u061c\u200b\u2028\u202e\u2066\ufeff"
        });
        assert_eq!(escaped("\u{e0001}"), r"\udb40\udc01");
    }
}
