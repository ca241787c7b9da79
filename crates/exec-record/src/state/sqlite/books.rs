//! The database and what is known of it in memory: one command is applied at a time, inside a transaction.

use std::collections::BTreeMap;
use std::sync::Arc;

use rusqlite::Connection;

use super::acts::Running;
use super::chains::Chains;
use super::recover::Recovered;
use super::sessions::Active;
use super::writer::{Command, Reply};
use super::{Shared, Tidy};
use crate::ledger::{Digest, Event, Record, Refused, TurnedAway};
use crate::state::SessionId;
use crate::state::error::{OpenError, StateError};

/// What the writer knows.
pub(super) struct Books {
    pub(super) connection: Connection,
    pub(super) shared: Arc<Shared>,
    pub(super) chains: Chains,
    /// Sessions that are not over.
    pub(super) active: BTreeMap<u64, Active>,
    /// Acts that were begun and not finished, by the number of their intent.
    pub(super) running: BTreeMap<u64, Running>,
}

/// Why nothing can be written any more.
#[derive(Debug)]
pub(super) struct Fatal(pub(super) String);

/// Gives an answer, when what it says is durable.
pub(super) type Done = Box<dyn FnOnce() + Send>;

impl Books {
    /// Reads what is there, and puts acts without a result on the record.
    pub(super) fn open(
        connection: Connection,
        checkpoint_records: u64,
        tidy: &Tidy,
        shared: Arc<Shared>,
    ) -> Result<(Self, Recovered), OpenError> {
        let stored = |Fatal(what)| OpenError::Stored { what };
        let chains = Chains::load(&connection, checkpoint_records).map_err(stored)?;
        let mut books = Self { connection, shared, chains, active: BTreeMap::new(), running: BTreeMap::new() };
        books.load_sessions().map_err(stored)?;
        books.check_running().map_err(stored)?;
        let roots = books.roots_left().map_err(stored)?;
        tidy(&roots);
        books.begin_transaction().map_err(stored)?;
        let recovered = books.recover().map_err(stored)?;
        books.commit().map_err(stored)?;
        Ok((books, recovered))
    }

    pub(super) fn shared(&self) -> Arc<Shared> {
        Arc::clone(&self.shared)
    }

    pub(super) fn now_ms(&self) -> u64 {
        (self.shared.clock)()
    }

    /// For what is over and does not begin again.
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

    /// Does what a command says. What refuses a command has written nothing of it.
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
}

/// To whoever still waits.
pub(super) fn answer<T: Send + 'static>(answer: Result<T, StateError>, reply: Reply<T>) -> Done {
    Box::new(move || drop(reply.send(answer)))
}

impl From<rusqlite::Error> for Fatal {
    fn from(error: rusqlite::Error) -> Self {
        Self(error.to_string())
    }
}

/// For what has to be as this program wrote it.
pub(super) fn corrupt(what: &str) -> Fatal {
    Fatal(format!("{what} is not as it was written"))
}
