//! The records of a session -> its timeline (SDK-LIFECYCLE): which tool, with which arguments, from when to when.

use std::collections::BTreeMap;

use super::digest::Digest;
use super::record::{Ending, Event, Record};
use crate::text::Text;

/// One act of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// The operation.
    pub tool: Text,
    /// Of the request that it was asked for with.
    pub args_hash: Digest,
    /// When its intent was recorded.
    pub start_ms: u64,
    /// When its result was; nothing for an act that is running or was interrupted.
    pub end_ms: Option<u64>,
    /// What it came to.
    pub ending: Option<Ending>,
}

/// The acts of one chain, in the order of their beginnings.
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
