//! What a program that stopped left behind -> records that say so.

use std::collections::BTreeSet;

use super::books::{Books, Fatal};
use crate::ledger::Digest;
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

const GRANTED: &str = "SELECT granted FROM sessions WHERE id IN (SELECT session FROM running)";
