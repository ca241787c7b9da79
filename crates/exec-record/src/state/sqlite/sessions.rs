//! Sessions: created, loaded at startup, ended.

use std::sync::{Arc, PoisonError};

use rusqlite::params;

use super::database::{Database, Fatal, corrupt};
use crate::ledger::{EndReason, Ended, Event};
use crate::state::error::StateError;
use crate::state::session::TokenHash;
use crate::state::{NewSession, Session, SessionId};

/// An active session.
pub(super) struct ActiveSession {
    token: TokenHash,
    expires_at_ms: u64,
    /// Number of used keys.
    pub(super) keys: u64,
}

impl Database {
    pub(super) fn create(
        &mut self,
        granted: NewSession,
        token: TokenHash,
    ) -> Result<Result<SessionId, StateError>, Fatal> {
        self.end_expired()?;
        if self.active.len() >= SESSIONS_MAX {
            return Ok(Err(StateError::TooManySessions { most: SESSIONS_MAX }));
        }
        let text = serde_json::to_string(&granted).map_err(|error| Fatal(error.to_string()))?;
        // Beyond what the database can count there is no end either.
        let expires_at_ms = granted.expires_at_ms.min(i64::MAX.unsigned_abs());
        self.connection.prepare_cached(INSERT)?.execute(params![token.as_bytes(), text, expires_at_ms])?;
        let id = u64::try_from(self.connection.last_insert_rowid()).map_err(|_| corrupt("the number of a session"))?;
        let created = granted.record();
        self.add(id, granted, token, 0);
        self.append(id, Event::Created(created))?;
        Ok(Ok(SessionId(id)))
    }

    pub(super) fn end_session(&mut self, session: SessionId) -> Result<Result<(), StateError>, Fatal> {
        if !self.active.contains_key(&session.get()) {
            return Ok(Err(StateError::UnknownSession));
        }
        self.end(session.get(), EndReason::Asked)?;
        Ok(Ok(()))
    }

    /// True if acts may begin in the session.
    pub(super) fn is_active(&self, session: SessionId) -> bool {
        self.active.get(&session.get()).is_some_and(|active| self.latest_ms() < active.expires_at_ms)
    }

    /// Loads the sessions that were active when the program stopped.
    pub(super) fn load_sessions(&mut self) -> Result<(), Fatal> {
        type Stored = (u64, [u8; 32], String, u64);
        let mut stored: Vec<Stored> = Vec::new();
        {
            let mut statement = self.connection.prepare(ACTIVE)?;
            let mut rows = statement.query([])?;
            while let Some(row) = rows.next()? {
                stored.push((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?));
            }
        }
        for (id, token, text, keys) in stored {
            let granted = serde_json::from_str(&text).map_err(|error| Fatal(format!("session {id}: {error}")))?;
            self.add(id, granted, token.into(), keys);
        }
        Ok(())
    }

    pub(super) fn end_expired(&mut self) -> Result<(), Fatal> {
        let now = self.latest_ms();
        let is_expired = |(_, active): &(&u64, &ActiveSession)| active.expires_at_ms <= now;
        let expired: Vec<u64> = self.active.iter().filter(is_expired).map(|(id, _)| *id).collect();
        expired.into_iter().try_for_each(|id| self.end(id, EndReason::Expired))
    }

    fn end(&mut self, id: u64, why: EndReason) -> Result<(), Fatal> {
        self.connection.prepare_cached("UPDATE sessions SET is_over = 1 WHERE id = ?1")?.execute([id])?;
        if let Some(active) = self.active.remove(&id) {
            self.shared.sessions.write().unwrap_or_else(PoisonError::into_inner).remove(&active.token);
        }
        self.append(id, Event::Ended(Ended { why }))?;
        Ok(())
    }

    /// Nobody knows its token before this is durable.
    fn add(&mut self, id: u64, granted: NewSession, token: TokenHash, keys: u64) {
        self.active.insert(id, ActiveSession { token, expires_at_ms: granted.expires_at_ms, keys });
        let session = Arc::new(Session { id: SessionId(id), granted });
        self.shared.sessions.write().unwrap_or_else(PoisonError::into_inner).insert(token, session);
    }
}

/// ActiveSession sessions, all of which are kept in memory.
pub const SESSIONS_MAX: usize = 10_000;
const INSERT: &str = "INSERT INTO sessions (token_hash, granted, expires_at_ms) VALUES (?1, ?2, ?3)";
const ACTIVE: &str = "SELECT id, token_hash, granted, (SELECT count(*) FROM keys WHERE keys.session = sessions.id)
    FROM sessions WHERE is_over = 0 ORDER BY id";
