//! Events -> records at the ends of their chains, and checkpoints over all chains.

use std::collections::{BTreeMap, HashMap};

use rusqlite::{Connection, OptionalExtension as _, params};

use super::database::{Fatal, corrupt};
use crate::ledger::{Digest, Event, Head, Record};

/// The ends of all chains.
pub(super) struct Chains {
    /// Number of the last record.
    number: u64,
    /// Hash of the last record until it is stored as the ledger's end.
    unstored_end: Option<Digest>,
    heads: HashMap<u64, Head>,
    /// Chains that grew since the last checkpoint.
    grown: BTreeMap<u64, Head>,
    checkpoint: Option<Digest>,
    since_checkpoint: u64,
    checkpoint_records: u64,
}

impl Chains {
    /// Loads the end of the ledger, its last checkpoint and what grew after it.
    pub(super) fn load(connection: &Connection, checkpoint_records: u64) -> Result<Self, Fatal> {
        let end = |query| {
            let read = |row: &rusqlite::Row<'_>| Ok((row.get::<_, u64>(0)?, row.get::<_, [u8; 32]>(1)?));
            connection.query_row(query, [], read).optional()
        };
        let last = end("SELECT number, hash FROM ledger ORDER BY number DESC LIMIT 1")?;
        // Nothing is added behind what was cut off.
        if end("SELECT number, hash FROM ending")? != last {
            return Err(corrupt("the end of the ledger"));
        }
        let number = last.map_or(0, |(number, _)| number);
        let last = connection
            .query_row(LAST_CHECKPOINT, params![Record::LEDGER], |row| {
                Ok((row.get::<_, u64>(0)?, row.get::<_, [u8; 32]>(1)?))
            })
            .optional()?;
        let (at, checkpoint) = last.map_or((0, None), |(at, hash)| (at, Some(hash.into())));
        let since_checkpoint = u64::saturating_sub(number, at);
        let mut chains = Self {
            number,
            unstored_end: None,
            heads: HashMap::new(),
            grown: BTreeMap::new(),
            checkpoint,
            since_checkpoint,
            checkpoint_records,
        };
        let mut statement =
            connection.prepare("SELECT DISTINCT chain FROM ledger WHERE number > ?1 AND chain <> ?2")?;
        let grown: Vec<u64> =
            statement.query_map(params![at, Record::LEDGER], |row| row.get(0))?.collect::<Result<_, _>>()?;
        for chain in grown {
            if let Some(head) = chains.head(connection, chain)? {
                chains.grown.insert(chain, head);
            }
        }
        Ok(chains)
    }

    /// Appends a record and returns its number and sequence; `None` if the chain does not exist. Only a session's first
    /// record begins one.
    pub(super) fn append(
        &mut self,
        connection: &Connection,
        chain: u64,
        at_ms: u64,
        event: Event,
    ) -> Result<Option<(u64, u64)>, Fatal> {
        let head = match self.head(connection, chain)? {
            Some(head) => head,
            None if chain == Record::LEDGER || matches!(event, Event::Created(_)) => {
                Head { chain, sequence: 0, hash: Digest::ZERO }
            }
            None => return Ok(None),
        };
        let (number, sequence) = (self.number + 1, head.sequence + 1);
        let record = Record { chain, sequence, number, at_ms, previous: head.hash, event };
        let bytes = record.encode();
        let hash = Record::hash(&bytes);
        connection.prepare_cached(INSERT)?.execute(params![number, chain, sequence, hash.as_bytes(), bytes])?;
        let head = Head { chain, sequence, hash };
        self.number = number;
        self.unstored_end = Some(hash);
        self.since_checkpoint += 1;
        self.heads.insert(chain, head);
        if chain != Record::LEDGER {
            self.grown.insert(chain, head);
        }
        Ok(Some((number, sequence)))
    }

    /// Stores the end of the ledger, once per transaction.
    pub(super) fn store_end(&mut self, connection: &Connection) -> Result<(), Fatal> {
        if let Some(hash) = self.unstored_end.take() {
            connection.prepare_cached(END)?.execute(params![self.number, hash.as_bytes()])?;
        }
        Ok(())
    }

    pub(super) fn is_checkpoint_due(&self) -> bool {
        self.since_checkpoint >= self.checkpoint_records
    }

    /// Returns the checkpoint that covers every record; writes one if records follow the last.
    pub(super) fn checkpoint(&mut self, connection: &Connection, at_ms: u64) -> Result<Digest, Fatal> {
        if let Some(checkpoint) = self.checkpoint.filter(|_| self.since_checkpoint == 0) {
            return Ok(checkpoint);
        }
        let heads = std::mem::take(&mut self.grown).into_values().collect();
        self.append(connection, Record::LEDGER, at_ms, Event::Checkpoint(heads))?;
        let head = self.heads.get(&Record::LEDGER).ok_or_else(|| corrupt("the ledger's own chain"))?;
        self.checkpoint = Some(head.hash);
        self.since_checkpoint = 0;
        Ok(head.hash)
    }

    /// Drops the cached head of an ended session; it is loaded again when needed.
    pub(super) fn forget(&mut self, chain: u64) {
        self.heads.remove(&chain);
    }

    fn head(&mut self, connection: &Connection, chain: u64) -> Result<Option<Head>, Fatal> {
        if let Some(head) = self.heads.get(&chain) {
            return Ok(Some(*head));
        }
        let read = |row: &rusqlite::Row<'_>| {
            Ok((row.get::<_, u64>(0)?, row.get::<_, [u8; 32]>(1)?, row.get::<_, Vec<u8>>(2)?))
        };
        let Some((sequence, hash, bytes)) = connection.prepare_cached(HEAD)?.query_row([chain], read).optional()?
        else {
            return Ok(None);
        };
        let hash = Digest::from(hash);
        // Nothing is added to what is wrong.
        if Record::hash(&bytes) != hash {
            return Err(corrupt(&format!("record {sequence} of chain {chain}")));
        }
        let head = Head { chain, sequence, hash };
        self.heads.insert(chain, head);
        Ok(Some(head))
    }
}

const INSERT: &str = "INSERT INTO ledger (number, chain, sequence, hash, record) VALUES (?1, ?2, ?3, ?4, ?5)";
const END: &str = "INSERT OR REPLACE INTO ending (is_one, number, hash) VALUES (1, ?1, ?2)";
const HEAD: &str = "SELECT sequence, hash, record FROM ledger WHERE chain = ?1 ORDER BY sequence DESC LIMIT 1";
/// The second byte of a record is its kind.
const LAST_CHECKPOINT: &str = "SELECT number, hash FROM ledger WHERE chain = ?1 AND substr(record, 2, 1) = x'07'
    ORDER BY sequence DESC LIMIT 1";
