//! The records of a session -> what it came to, tool by tool (SDK-METRICS).

use std::collections::BTreeMap;

use super::record::{Ending, Event, Record};
use crate::text::Text;

/// What the requests for one tool came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Metrics {
    /// Requests, those included that were refused or repeated.
    pub requests: u64,
    /// Requests that were refused.
    pub refused: u64,
    /// Acts that failed or were interrupted.
    pub errors: u64,
    /// How long acts took, together.
    pub duration_ms: u64,
    /// Files that acts read or changed.
    pub files: u64,
    /// Bytes that acts read or wrote.
    pub bytes: u64,
}

/// What one chain came to, by tool.
#[must_use]
pub fn metrics(chain: &[Record]) -> BTreeMap<Text, Metrics> {
    let mut tools: BTreeMap<Text, Metrics> = BTreeMap::new();
    let mut intents: BTreeMap<u64, Text> = BTreeMap::new();
    for record in chain {
        match &record.event {
            Event::Refused(refused) => {
                let tool = tools.entry(refused.judged.operation.clone()).or_default();
                tool.requests += 1;
                tool.refused += 1;
            }
            Event::Intent(intent) => {
                intents.insert(record.sequence, intent.judged.operation.clone());
                tools.entry(intent.judged.operation.clone()).or_default().requests += 1;
            }
            Event::Result(outcome) => {
                let tool = tools.entry(operation(&intents, outcome.intent)).or_default();
                tool.errors += u64::from(outcome.ending == Ending::Failed);
                tool.duration_ms = tool.duration_ms.saturating_add(outcome.duration_ms);
                tool.files = tool.files.saturating_add(outcome.files);
                tool.bytes = tool.bytes.saturating_add(outcome.bytes);
            }
            Event::Interrupted(act) => tools.entry(operation(&intents, act.intent)).or_default().errors += 1,
            Event::Repeated(act) => tools.entry(operation(&intents, act.intent)).or_default().requests += 1,
            Event::Created(_) | Event::Checkpoint(_) | Event::Ended(_) | Event::Reached(_) | Event::TurnedAway(_) => {}
        }
    }
    tools
}

fn operation(intents: &BTreeMap<u64, Text>, intent: u64) -> Text {
    intents.get(&intent).cloned().unwrap_or_default()
}
