//! The records of a session -> its totals by tool (SDK-METRICS) and its timeline (SDK-LIFECYCLE).

use std::collections::BTreeMap;

use super::digest::Digest;
use super::record::{Ending, Event, Record};
use crate::text::Text;

/// Totals of the requests for one tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Metrics {
    /// Including refused and repeated requests.
    pub requests: u64,
    pub refused: u64,
    /// Acts that failed or were interrupted.
    pub errors: u64,
    pub duration_ms: u64,
    /// Read or changed files.
    pub files: u64,
    /// Bytes read or written.
    pub bytes: u64,
}

/// Sums up one chain by tool.
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

/// One act of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    pub tool: Text,
    /// Digest of the request.
    pub args_hash: Digest,
    pub start_ms: u64,
    /// `None` while the act runs, or if it was interrupted.
    pub end_ms: Option<u64>,
    pub ending: Option<Ending>,
}

/// Lists the acts of one chain in the order in which they began.
#[must_use]
pub fn timeline(chain: &[Record]) -> Vec<Step> {
    let mut steps = BTreeMap::new();
    for record in chain {
        match &record.event {
            Event::Intent(intent) => {
                let judged = &intent.judged;
                let step = Step {
                    tool: judged.operation.clone(),
                    args_hash: judged.request,
                    start_ms: record.at_ms,
                    end_ms: None,
                    ending: None,
                };
                steps.insert(record.sequence, step);
            }
            Event::Result(outcome) => {
                if let Some(step) = steps.get_mut(&outcome.intent) {
                    step.end_ms = Some(record.at_ms);
                    step.ending = Some(outcome.ending);
                }
            }
            Event::Created(_)
            | Event::Refused(_)
            | Event::Interrupted(_)
            | Event::Repeated(_)
            | Event::Checkpoint(_)
            | Event::Ended(_)
            | Event::Reached(_)
            | Event::TurnedAway(_) => {}
        }
    }
    steps.into_values().collect()
}
