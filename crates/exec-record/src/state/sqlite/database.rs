//! The database and its working state in memory: commands are applied one at a time, inside a transaction.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use rusqlite::{Connection, OptionalExtension as _, params};

use super::acts::RunningAct;
use super::chains::Chains;
use super::sessions::ActiveSession;
use super::writer::{Command, Reply};
use super::{Shared, Tidy};
use crate::ledger::{Digest, Event, Record, Refused, TurnedAway};
use crate::state::error::{OpenError, StateError};
use crate::state::{NewSession, SessionId};
use crate::store::{Artifact, Present};

/// The database and its working state in memory.
pub(super) struct Database {
    pub(super) connection: Connection,
    pub(super) shared: Arc<Shared>,
    pub(super) chains: Chains,
    /// ActiveSession sessions by number.
    pub(super) active: BTreeMap<u64, ActiveSession>,
    /// RunningAct acts by the number of their intent.
    pub(super) running: BTreeMap<u64, RunningAct>,
}

/// The acts and records that opening a state recovered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Recovered {
    /// Acts whose outcome is unknown.
    pub interrupted: usize,
    /// Covers every earlier record; store it elsewhere.
    pub checkpoint: Digest,
}

/// A failure after which nothing can be written.
#[derive(Debug)]
pub(super) struct Fatal(pub(super) String);

/// Sends an answer once it is durable.
pub(super) type Done = Box<dyn FnOnce() + Send>;

impl Database {
    /// Loads the stored state and records acts without a result as interrupted.
    pub(super) fn open(
        connection: Connection,
        checkpoint_records: u64,
        tidy: &Tidy,
        shared: Arc<Shared>,
    ) -> Result<(Self, Recovered), OpenError> {
        let stored = |Fatal(what)| OpenError::Stored { what };
        let chains = Chains::load(&connection, checkpoint_records).map_err(stored)?;
        let mut database = Self { connection, shared, chains, active: BTreeMap::new(), running: BTreeMap::new() };
        database.load_sessions().map_err(stored)?;
        database.check_running().map_err(stored)?;
        let roots = database.roots_left().map_err(stored)?;
        tidy(&roots);
        database.begin_transaction().map_err(stored)?;
        let recovered = database.recover().map_err(stored)?;
        database.commit().map_err(stored)?;
        Ok((database, recovered))
    }

    pub(super) fn shared(&self) -> Arc<Shared> {
        Arc::clone(&self.shared)
    }

    pub(super) fn now_ms(&self) -> u64 {
        (self.shared.clock)()
    }

    /// For expiry, which the clock does not undo.
    pub(super) fn latest_ms(&self) -> u64 {
        self.shared.latest_ms()
    }

    pub(super) fn begin_transaction(&self) -> Result<(), Fatal> {
        Ok(self.connection.execute_batch("BEGIN IMMEDIATE")?)
    }

    pub(super) fn commit(&mut self) -> Result<(), Fatal> {
        self.chains.store_end(&self.connection)?;
        Ok(self.connection.execute_batch("COMMIT")?)
    }

    /// Applies a command. A refused command has written nothing.
    pub(super) fn apply(&mut self, command: Command) -> Result<Done, Fatal> {
        Ok(match command {
            Command::Create(session, token, reply) => answer(self.create(*session, token)?, reply),
            Command::EndSession(session, reply) => answer(self.end_session(session)?, reply),
            Command::EndExpired => {
                self.end_expired()?;
                Box::new(|| {})
            }
            Command::Begin(begin, act, reply) => answer(self.begin(*begin, act)?, reply),
            Command::End(number, Some(finish), reply) => self.finish(number, *finish, reply)?,
            Command::End(number, None, reply) => self.give_up(number, reply)?,
            Command::Refuse(session, refused, reply) => answer(self.refuse(session, *refused)?, reply),
            Command::TurnedAway(requests, reply) => {
                self.append(Record::LEDGER, Event::TurnedAway(TurnedAway { requests }))?;
                answer(Ok(()), reply)
            }
            Command::Publish(artifact, reply) => answer(self.publish(&artifact)?, reply),
            Command::Artifact(id, reply) => answer(self.artifact(&id)?, reply),
            Command::Checkpoint(reply) => answer(Ok(self.checkpoint()?), reply),
            // The writer does not hand it on.
            Command::Close(reply) => answer(Err(StateError::Closed), reply),
        })
    }

    pub(super) fn append(&mut self, chain: u64, event: Event) -> Result<Option<(u64, u64)>, Fatal> {
        let at_ms = self.now_ms();
        let appended = self.chains.append(&self.connection, chain, at_ms, event)?;
        if chain != Record::LEDGER && !self.active.contains_key(&chain) {
            self.chains.forget(chain);
        }
        Ok(appended)
    }

    pub(super) fn checkpoint(&mut self) -> Result<Digest, Fatal> {
        let at_ms = self.now_ms();
        self.chains.checkpoint(&self.connection, at_ms)
    }

    pub(super) fn checkpoint_if_due(&mut self) -> Result<(), Fatal> {
        if self.chains.is_checkpoint_due() {
            self.checkpoint()?;
        }
        Ok(())
    }

    fn refuse(&mut self, session: Option<SessionId>, refused: Refused) -> Result<Result<(), StateError>, Fatal> {
        let chain = session.map_or(Record::LEDGER, SessionId::get);
        let appended = self.append(chain, Event::Refused(refused))?;
        Ok(appended.map(|_| ()).ok_or(StateError::UnknownSession))
    }

    /// Records interrupted acts and expired sessions, with a checkpoint over them.
    fn recover(&mut self) -> Result<Recovered, Fatal> {
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

    /// Fails when the stored running acts differ from the records. Nothing is appended to a broken ledger.
    fn check_running(&self) -> Result<(), Fatal> {
        self.left_running()?.into_iter().try_for_each(|(act, session, sequence)| {
            self.is_under_way(act, session, sequence)?
                .then_some(())
                .ok_or_else(|| corrupt(&format!("act {act}, which is not running by the records,")))
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

    /// Returns the roots of sessions with interrupted acts.
    fn roots_left(&self) -> Result<BTreeSet<String>, Fatal> {
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

    fn publish(&mut self, artifact: &Artifact) -> Result<Result<(), StateError>, Fatal> {
        match self.find_artifact(&artifact.id)? {
            Some(published) if published == *artifact => Ok(Ok(())),
            Some(_) => Ok(Err(StateError::ArtifactPublished { id: artifact.id.clone() })),
            None => {
                let content = artifact.content.hash();
                let values = params![artifact.id, artifact.category, content.as_bytes(), artifact.metadata];
                self.connection.prepare_cached(PUBLISH)?.execute(values)?;
                Ok(Ok(()))
            }
        }
    }

    fn artifact(&self, id: &str) -> Result<Result<Option<Artifact>, StateError>, Fatal> {
        Ok(Ok(self.find_artifact(id)?))
    }

    fn find_artifact(&self, id: &str) -> Result<Option<Artifact>, Fatal> {
        let artifact = |row: &rusqlite::Row<'_>| {
            Ok(Artifact {
                id: id.to_owned(),
                category: row.get(0)?,
                content: Present::published(row.get::<_, [u8; 32]>(1)?.into()),
                metadata: row.get(2)?,
            })
        };
        Ok(self.connection.prepare_cached(ARTIFACT)?.query_row([id], artifact).optional()?)
    }
}

pub(super) fn answer<T: Send + 'static>(answer: Result<T, StateError>, reply: Reply<T>) -> Done {
    Box::new(move || drop(reply.send(answer)))
}

impl From<rusqlite::Error> for Fatal {
    fn from(error: rusqlite::Error) -> Self {
        Self(error.to_string())
    }
}

pub(super) fn corrupt(what: &str) -> Fatal {
    Fatal(format!("{what} was changed since it was written"))
}

/// An intent and what followed it in its chain.
const SINCE: &str = "SELECT number, record FROM ledger WHERE chain = ?1 AND sequence >= ?2 ORDER BY sequence";
const GRANTED: &str = "SELECT granted FROM sessions WHERE id IN (SELECT session FROM running)";
const PUBLISH: &str = "INSERT INTO artifacts (id, category, content, metadata) VALUES (?1, ?2, ?3, ?4)";
const ARTIFACT: &str = "SELECT category, content, metadata FROM artifacts WHERE id = ?1";
