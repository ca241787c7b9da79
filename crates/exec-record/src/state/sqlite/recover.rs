//! What a program that stopped left behind -> records that say so.

use std::collections::BTreeSet;

use rusqlite::params;

use super::books::{Books, Fatal, corrupt};
use crate::ledger::{Digest, Event, Record};
use crate::state::NewSession;

/// What was found when a state was opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Recovered {
    /// Acts of which nobody knows whether they happened.
    pub interrupted: usize,
    /// What stands for every record so far; keep it elsewhere.
    pub checkpoint: Digest,
}

impl Books {
    /// Ends what did not end, in one transaction with the checkpoint over it.
    pub(super) fn recover(&mut self) -> Result<Recovered, Fatal> {
        let left = self.left_running()?;
        for (act, session, sequence) in &left {
            self.interrupt(*act, *session, *sequence)?;
        }
        self.end_expired()?;
        Ok(Recovered { interrupted: left.len(), checkpoint: self.checkpoint()? })
    }

    fn left_running(&self) -> Result<Vec<(u64, u64, u64)>, Fatal> {
        let mut statement = self.connection.prepare("SELECT act, session, sequence FROM running ORDER BY act")?;
        let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Whether the records have under way what is stored as such. Nothing is added to what is wrong.
    pub(super) fn check_running(&self) -> Result<(), Fatal> {
        self.left_running()?.into_iter().try_for_each(|(act, session, sequence)| {
            self.is_under_way(act, session, sequence)?
                .then_some(())
                .ok_or_else(|| corrupt(&format!("act {act}, which the records do not have under way,")))
        })
    }

    fn is_under_way(&self, act: u64, session: u64, sequence: u64) -> Result<bool, Fatal> {
        let mut statement = self.connection.prepare(SINCE)?;
        let mut rows = statement.query(params![session, sequence])?;
        let mut is_under_way = false;
        while let Some(row) = rows.next()? {
            let number: u64 = row.get(0)?;
            let bytes: Vec<u8> = row.get(1)?;
            let record = Record::decode(&bytes).map_err(|_| corrupt(&format!("record {number}")))?;
            match record.event {
                Event::Intent(_) if record.sequence == sequence => is_under_way = number == act,
                Event::Result(end) if end.intent == sequence => is_under_way = false,
                Event::Interrupted(end) if end.intent == sequence => is_under_way = false,
                _ => {}
            }
        }
        Ok(is_under_way)
    }

    /// Where acts were under way that did not end.
    pub(super) fn roots_left(&self) -> Result<BTreeSet<String>, Fatal> {
        let mut statement = self.connection.prepare(GRANTED)?;
        let rows = statement.query_map([], |row| row.get(0))?;
        let mut roots = BTreeSet::new();
        for text in rows {
            let text: String = text?;
            let granted: NewSession = serde_json::from_str(&text).map_err(|error| Fatal(error.to_string()))?;
            roots.insert(granted.root);
        }
        Ok(roots)
    }
}

/// An intent, and what came after it in its chain.
const SINCE: &str = "SELECT number, record FROM ledger WHERE chain = ?1 AND sequence >= ?2 ORDER BY sequence";
const GRANTED: &str = "SELECT granted FROM sessions WHERE id IN (SELECT session FROM running)";
