//! A ledger -> whether it is whole, and if not, which records are changed, removed, moved or put in.
//!
//! Nothing is believed but the bytes of records: what stands beside them is compared with what they say.

mod fault;

pub use fault::{Fault, Place};

use std::collections::{BTreeMap, BTreeSet};

use super::digest::Digest;
use super::record::{Created, Event, Head, Record};
use super::stored::{End, Reader, Row, Stored, StoredSession};

/// Whether a ledger is whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// It is.
    Whole(Verified),
    /// It is not; the first [`Fault::MOST`] of what is wrong, in the order of the ledger.
    Broken(Vec<Fault>),
}

/// What was verified.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Verified {
    /// How many records.
    pub records: u64,
    /// Of how many sessions.
    pub sessions: u64,
    /// How many of them are checkpoints.
    pub checkpoints: u64,
    /// The last checkpoint: what to keep elsewhere.
    pub checkpoint: Option<Digest>,
    /// Records behind it, which could be cut off unseen.
    pub after_checkpoint: u64,
}

/// Verifies every record. With a digest, a checkpoint of this digest has to be among them.
///
/// # Errors
/// When the ledger cannot be read at all.
pub fn verify<S: Stored>(stored: &S, expect: Option<&Digest>) -> Result<Verdict, S::Error> {
    let mut walk = Walk { expect, ..Walk::default() };
    stored.show(&mut walk)?;
    Ok(walk.verdict())
}

/// What is known of the rows so far.
#[derive(Default)]
struct Walk<'e> {
    expect: Option<&'e Digest>,
    verified: Verified,
    faults: Vec<Fault>,
    /// The number of the row before, and its hash.
    number: i64,
    hash: Option<Digest>,
    chains: BTreeMap<i64, Last>,
    /// Chains that grew since the last checkpoint.
    grown: BTreeSet<i64>,
    is_expected_found: bool,
    /// What the records of each session say it may do, and whether they say that it is over, until its row is seen.
    sessions: BTreeMap<i64, (Created, bool)>,
    /// Acts that have no end so far, by chain and sequence of their intents, and the numbers of those.
    under_way: BTreeMap<(i64, i64), i64>,
}

/// The last row of a chain.
struct Last {
    sequence: i64,
    /// As it is stored beside the record, if that is a hash.
    stored: Option<Digest>,
    /// As the record's bytes have it.
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
    /// A record that is out of its place is not what the next one follows.
    fn grow(&mut self, row: &Row, stored: Option<Digest>, computed: Digest) {
        self.grown.insert(row.chain);
        if self.chains.get(&row.chain).is_none_or(|last| last.sequence < row.sequence) {
            self.chains.insert(row.chain, Last { sequence: row.sequence, stored, computed });
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

    /// Whether a record follows the one that it says.
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

    /// A checkpoint names every chain that grew, and each by its last record.
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

    /// An act begins once and ends once.
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

/// Whether a session is stored as its records say.
fn is_as(stored: &StoredSession, created: &Created, is_over: bool) -> bool {
    let expires_at_ms = created.expires_at_ms.min(i64::MAX.unsigned_abs());
    stored.created.as_ref() == Some(created)
        && u64::try_from(stored.expires_at_ms) == Ok(expires_at_ms)
        && stored.is_over == i64::from(is_over)
}

fn ledger() -> i64 {
    i64::try_from(Record::LEDGER).unwrap_or_default()
}
