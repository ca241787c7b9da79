//! A ledger -> its faults: records that were changed, removed, moved or inserted.
//!
//! Only the bytes of records are trusted; everything stored beside them is compared with them.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use thiserror::Error;

use super::codec::DecodeError;
use super::digest::Digest;
use super::record::{Created, Event, Head, Record};
use super::stored::{End, Reader, Row, Stored, StoredSession};

/// The result of verifying a ledger.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    Whole(Verified),
    /// The first [`Fault::MOST`] faults, in the order of the ledger.
    Broken(Vec<Fault>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Verified {
    pub records: u64,
    pub sessions: u64,
    pub checkpoints: u64,
    /// The last checkpoint; store it elsewhere.
    pub checkpoint: Option<Digest>,
    /// Records after it, which could be cut off unnoticed.
    pub after_checkpoint: u64,
}

/// One fault of a ledger.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Fault {
    #[error("{at}: its bytes or its hash were changed")]
    Changed { at: Place },
    #[error("{at}: unreadable: {error}")]
    Unreadable {
        at: Place,
        #[source]
        error: DecodeError,
    },
    #[error("{at}: its {column} is stored as {stored}, but the record says {written}")]
    Misfiled { at: Place, column: &'static str, stored: i64, written: u64 },
    /// The record, the one before it, or both are not as they were written.
    #[error("{at}: it does not follow the record before it")]
    Unlinked { at: Place },
    /// The record was inserted, moved or doubled.
    #[error("{at}: record {expected} is expected in its place")]
    OutOfPlace { at: Place, expected: i64 },
    #[error("{at}: a session must begin at the start of its chain, and only there")]
    NoBeginning { at: Place },
    #[error("{}: records {first} to {last} are missing", Chain(*chain))]
    Removed { chain: i64, first: i64, last: i64 },
    #[error("the ledger: numbers {first} to {last} are missing")]
    NumbersRemoved { first: i64, last: i64 },
    #[error("{}: all its records are missing, at least {last}", Chain(*chain))]
    ChainRemoved { chain: i64, last: i64 },
    #[error("{}, record {sequence}: checkpoint {checkpoint} names another record", Chain(*chain))]
    HeadChanged { chain: i64, sequence: i64, checkpoint: i64 },
    #[error("{}: checkpoint {checkpoint} does not name its records", Chain(*chain))]
    NotInCheckpoint { chain: i64, checkpoint: i64 },
    #[error("{}: the stored session differs from its records", Chain(*chain))]
    SessionChanged { chain: i64 },
    #[error("{}: the stored session is missing, but its records exist", Chain(*chain))]
    SessionRemoved { chain: i64 },
    #[error("{at}: the act of record {intent} was not running")]
    NotUnderWay { at: Place, intent: u64 },
    #[error("{at}: stored as a running act, but the records say otherwise")]
    ActForged { at: Place },
    /// Nobody would record that the act was interrupted.
    #[error("{at}: its act has no end and is not stored as running")]
    ActForgotten { at: Place },
    /// The last record was changed, or records were added after it.
    #[error("the ledger: it ends with number {number}, but its stored end is number {stored}")]
    OtherEnd { number: i64, stored: i64 },
    #[error("the ledger: missing checkpoint {digest}")]
    CheckpointMissing { digest: Digest },
}

/// The stored location of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// The session, or 0 for the chain of the ledger itself.
    pub chain: i64,
    pub sequence: i64,
    pub number: i64,
}

impl Fault {
    pub const MOST: usize = 1_000;
}

impl From<(i64, i64, i64)> for Place {
    fn from((chain, sequence, number): (i64, i64, i64)) -> Self {
        Self { chain, sequence, number }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, record {} (number {})", Chain(self.chain), self.sequence, self.number)
    }
}

struct Chain(i64);

impl fmt::Display for Chain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            0 => f.write_str("the ledger's own chain"),
            session => write!(f, "session {session}"),
        }
    }
}

/// Verifies every record. If `expect` is given, a checkpoint with this digest must exist.
pub fn verify<S: Stored>(stored: &S, expect: Option<&Digest>) -> Result<Verdict, S::Error> {
    let mut walk = Walk { expect, ..Walk::default() };
    stored.show(&mut walk)?;
    Ok(walk.verdict())
}

#[derive(Default)]
struct Walk<'e> {
    expect: Option<&'e Digest>,
    verified: Verified,
    faults: Vec<Fault>,
    /// Number and hash of the row before.
    number: i64,
    hash: Option<Digest>,
    chains: BTreeMap<i64, ChainEnd>,
    /// Chains that grew since the last checkpoint.
    grown: BTreeSet<i64>,
    is_expected_found: bool,
    /// Sessions by their records, and whether those end them, until their rows are seen.
    sessions: BTreeMap<i64, (Created, bool)>,
    /// Numbers of intents without an end, by chain and sequence.
    under_way: BTreeMap<(i64, i64), i64>,
}

/// The last row of a chain.
struct ChainEnd {
    sequence: i64,
    /// The stored hash, if it is one.
    stored: Option<Digest>,
    /// The hash of the bytes.
    computed: Digest,
}

impl Reader for Walk<'_> {
    fn row(&mut self, row: &Row) {
        let at = (row.chain, row.sequence, row.number);
        let next = self.number.saturating_add(1);
        if row.number > next {
            self.fault(Fault::NumbersRemoved { first: next, last: row.number.saturating_sub(1) });
        }
        self.number = row.number;

        let computed = Record::hash(&row.bytes);
        let stored = Digest::try_from(row.hash.as_slice()).ok();
        self.hash = Some(computed);
        if stored != Some(computed) {
            self.fault(Fault::Changed { at: at.into() });
        }
        let record = match Record::decode(&row.bytes) {
            Ok(record) => record,
            Err(error) => {
                self.fault(Fault::Unreadable { at: at.into(), error });
                self.link(at, None);
                self.grow(row, stored, computed);
                return;
            }
        };
        self.columns(row, &record);
        self.link(at, Some(record.previous));
        if let Event::Checkpoint(heads) = &record.event {
            self.checkpoint(at, heads);
            self.verified.checkpoints += 1;
            self.verified.checkpoint = Some(computed);
            self.verified.after_checkpoint = 0;
            self.is_expected_found |= self.expect == Some(&computed);
        } else {
            self.verified.after_checkpoint += 1;
        }
        match &record.event {
            Event::Created(created) => {
                self.sessions.entry(row.chain).or_insert_with(|| (created.clone(), false));
            }
            Event::Ended(_) => {
                self.sessions.entry(row.chain).and_modify(|(_, is_over)| *is_over = true);
            }
            _ => {}
        }
        self.event(at, &record.event);
        if matches!(record.event, Event::Created(_)) != (row.sequence == 1 && row.chain != ledger()) {
            self.fault(Fault::NoBeginning { at: at.into() });
        }
        self.verified.records += 1;
        self.grow(row, stored, computed);
    }

    fn act(&mut self, at: Place) {
        let Place { chain, sequence, number } = at;
        match self.under_way.remove(&(chain, sequence)) {
            Some(intent) if intent == number => {}
            Some(intent) => self.fault(Fault::ActForgotten { at: (chain, sequence, intent).into() }),
            None => self.fault(Fault::ActForged { at }),
        }
    }

    fn session(&mut self, stored: &StoredSession) {
        self.verified.sessions += 1;
        if !self.chains.contains_key(&stored.id) {
            self.fault(Fault::ChainRemoved { chain: stored.id, last: 1 });
        } else if let Some((created, is_over)) = self.sessions.remove(&stored.id)
            && !is_as(stored, &created, is_over)
        {
            self.fault(Fault::SessionChanged { chain: stored.id });
        }
    }

    fn end(&mut self, end: &End) {
        if end.number > self.number {
            self.fault(Fault::NumbersRemoved { first: self.number.saturating_add(1), last: end.number });
        } else if (end.number, end.hash) != (self.number, self.hash) {
            self.fault(Fault::OtherEnd { number: self.number, stored: end.number });
        }
    }
}

impl Walk<'_> {
    /// A misplaced record does not become the end of its chain.
    fn grow(&mut self, row: &Row, stored: Option<Digest>, computed: Digest) {
        self.grown.insert(row.chain);
        if self.chains.get(&row.chain).is_none_or(|last| last.sequence < row.sequence) {
            self.chains.insert(row.chain, ChainEnd { sequence: row.sequence, stored, computed });
        }
    }

    fn columns(&mut self, row: &Row, record: &Record) {
        let pairs = [
            ("number", row.number, record.number),
            ("chain", row.chain, record.chain),
            ("sequence", row.sequence, record.sequence),
        ];
        for (column, stored, written) in pairs {
            if u64::try_from(stored) != Ok(written) {
                let at = (row.chain, row.sequence, row.number).into();
                self.fault(Fault::Misfiled { at, column, stored, written });
            }
        }
    }

    /// Checks that a record follows the one before it.
    fn link(&mut self, at: (i64, i64, i64), previous: Option<Digest>) {
        let (chain, sequence, _) = at;
        let last = self.chains.get(&chain);
        let next = last.map_or(0, |last| last.sequence).saturating_add(1);
        if sequence > next {
            self.fault(Fault::Removed { chain, first: next, last: sequence.saturating_sub(1) });
        } else if sequence < next {
            self.fault(Fault::OutOfPlace { at: at.into(), expected: next });
        } else if let Some(previous) = previous {
            // A record whose own hash is wrong has been named already.
            let is_linked = match last {
                Some(last) => previous == last.computed || Some(previous) == last.stored,
                None => previous == Digest::ZERO,
            };
            if !is_linked {
                self.fault(Fault::Unlinked { at: at.into() });
            }
        }
    }

    /// Checks that a checkpoint names every chain that grew, each by its last record.
    fn checkpoint(&mut self, at: (i64, i64, i64), heads: &[Head]) {
        let mut grown = std::mem::take(&mut self.grown);
        grown.remove(&ledger());
        for head in heads {
            let chain = i64::try_from(head.chain).unwrap_or(-1);
            let named = i64::try_from(head.sequence).unwrap_or(-1);
            let is_grown = grown.remove(&chain);
            match self.chains.get(&chain) {
                None => self.fault(Fault::ChainRemoved { chain, last: named }),
                Some(last) if last.sequence < named => {
                    let first = last.sequence.saturating_add(1);
                    self.fault(Fault::Removed { chain, first, last: named });
                }
                Some(last) if last.sequence > named || !is_grown => {
                    let inserted = (chain, last.sequence, at.2).into();
                    self.fault(Fault::OutOfPlace { at: inserted, expected: named });
                }
                Some(last) if last.computed != head.hash && last.stored != Some(head.hash) => {
                    self.fault(Fault::HeadChanged { chain, sequence: named, checkpoint: at.1 });
                }
                Some(_) => {}
            }
        }
        for chain in grown {
            self.fault(Fault::NotInCheckpoint { chain, checkpoint: at.1 });
        }
    }

    /// Checks that each act begins once and ends once.
    fn event(&mut self, at: (i64, i64, i64), event: &Event) {
        let (chain, sequence, number) = at;
        let place = |intent: u64| (chain, i64::try_from(intent).unwrap_or(-1));
        let (intent, is_known) = match event {
            Event::Intent(_) => {
                self.under_way.insert((chain, sequence), number);
                return;
            }
            Event::Reached(act) => (act.intent, self.under_way.contains_key(&place(act.intent))),
            Event::Result(act) => (act.intent, self.under_way.remove(&place(act.intent)).is_some()),
            Event::Interrupted(act) => (act.intent, self.under_way.remove(&place(act.intent)).is_some()),
            Event::Created(_)
            | Event::Refused(_)
            | Event::Repeated(_)
            | Event::Checkpoint(_)
            | Event::Ended(_)
            | Event::TurnedAway(_) => return,
        };
        if !is_known {
            self.fault(Fault::NotUnderWay { at: at.into(), intent });
        }
    }

    fn verdict(mut self) -> Verdict {
        for chain in std::mem::take(&mut self.sessions).into_keys() {
            self.fault(Fault::SessionRemoved { chain });
        }
        for ((chain, sequence), number) in std::mem::take(&mut self.under_way) {
            self.fault(Fault::ActForgotten { at: (chain, sequence, number).into() });
        }
        if let Some(digest) = self.expect.filter(|_| !self.is_expected_found) {
            self.faults.truncate(Fault::MOST - 1);
            self.faults.push(Fault::CheckpointMissing { digest: *digest });
        }
        if self.faults.is_empty() { Verdict::Whole(self.verified) } else { Verdict::Broken(self.faults) }
    }

    fn fault(&mut self, fault: Fault) {
        if self.faults.len() < Fault::MOST {
            self.faults.push(fault);
        }
    }
}

/// True if the stored session agrees with its records.
fn is_as(stored: &StoredSession, created: &Created, is_over: bool) -> bool {
    let expires_at_ms = created.expires_at_ms.min(i64::MAX.unsigned_abs());
    stored.created.as_ref() == Some(created)
        && u64::try_from(stored.expires_at_ms) == Ok(expires_at_ms)
        && stored.is_over == i64::from(is_over)
}

fn ledger() -> i64 {
    i64::try_from(Record::LEDGER).unwrap_or_default()
}
