//! Acts: begun once, finished once, and answered to every repeat (CTR-0003).

use rusqlite::{OptionalExtension as _, params};
use tokio::sync::oneshot;

use super::budgets::{self, HeldAmount};
use super::database::{Database, Done, Fatal, answer, corrupt};
use super::writer::{MakeAct, Reply};
use crate::ledger::{Charged, Digest, Event, Intent, Interrupted, Outcome, Repeated};
use crate::state::error::StateError;
use crate::state::{Begin, Begun, Charge, Finish, Granted, SessionId, Settled, Spent};
use crate::store::Placed;
use crate::text::Text;

/// An act between its intent and its result.
pub(super) struct RunningAct {
    session: u64,
    /// Sequence of the intent.
    sequence: u64,
    request: Digest,
    has_key: bool,
    held: Vec<HeldAmount>,
    /// Callers that repeated the request meanwhile.
    waiting: Vec<oneshot::Sender<Settled>>,
}

/// A stored key.
struct StoredKey {
    act: u64,
    sequence: u64,
    request: Digest,
    status: u8,
    response_hash: Option<[u8; 32]>,
    response: Option<Vec<u8>>,
}

impl Database {
    pub(super) fn begin(&mut self, begin: Begin, make_act: MakeAct) -> Result<Result<Begun, StateError>, Fatal> {
        if !self.is_active(begin.session) {
            return Ok(Err(StateError::UnknownSession));
        }
        let key = begin.key_hash();
        if let Some(known) = self.known(begin.session, key)? {
            return self.again(&begin, known);
        }
        let session = begin.session.get();
        let keys = self.active.get(&session).map_or(0, |active| active.keys);
        if key.is_some() && keys >= KEYS_PER_SESSION_MAX {
            return Ok(Err(StateError::TooManyKeys { most: KEYS_PER_SESSION_MAX }));
        }
        if self.running.len() >= ACTS_RUNNING_MAX {
            return Ok(Err(super::BUSY));
        }
        let (held, granted): (Vec<HeldAmount>, Vec<Granted>) = match self.charge(session, &begin.charges)? {
            Ok(taken) => taken.into_iter().unzip(),
            Err(spent) => return Ok(Ok(Begun::OverBudget(spent))),
        };
        let intent = Intent { charges: begin.charged(&granted), judged: begin.judged, setting: begin.setting };
        let request = intent.judged.request;
        let appended = self.append(session, Event::Intent(intent))?;
        let (number, sequence) = appended.ok_or_else(|| corrupt("the chain of a session"))?;
        self.connection.prepare_cached(RUN)?.execute(params![number, session, sequence])?;
        if let Some(key) = key {
            let claim = params![number, session, key.as_bytes(), sequence, request.as_bytes()];
            self.connection.prepare_cached(CLAIM)?.execute(claim)?;
            if let Some(active) = self.active.get_mut(&session) {
                active.keys += 1;
            }
        }
        let running = RunningAct { session, sequence, request, has_key: key.is_some(), held, waiting: Vec::new() };
        self.running.insert(number, running);
        Ok(Ok(Begun::Fresh(make_act(number, granted))))
    }

    /// Answers a request whose key is stored.
    fn again(&mut self, begin: &Begin, known: StoredKey) -> Result<Result<Begun, StateError>, Fatal> {
        if known.request != begin.judged.request {
            return Ok(Ok(Begun::KeyReused));
        }
        match known.status {
            RUNNING => {
                let running = self.running.get_mut(&known.act).ok_or_else(|| corrupt("an act that is running"))?;
                if running.waiting.len() >= WAITING_MAX {
                    return Ok(Err(super::BUSY));
                }
                let (settled, answer) = oneshot::channel();
                running.waiting.push(settled);
                let shared = self.shared();
                Ok(Ok(Begun::Running(Box::pin(async move { shared.wait(answer).await }))))
            }
            FINISHED => {
                let hash = known.response_hash.ok_or_else(|| corrupt("the answer of an act"))?.into();
                let placed = match known.response {
                    Some(bytes) => Placed::kept(bytes, hash).ok_or_else(|| corrupt("the answer of an act"))?,
                    None => Placed::Stored(hash),
                };
                let repeated = Repeated { request: known.request, intent: known.sequence, response: hash };
                self.append(begin.session.get(), Event::Repeated(repeated))?;
                Ok(Ok(Begun::Repeat(placed)))
            }
            _ => Ok(Ok(Begun::Interrupted)),
        }
    }

    pub(super) fn finish(&mut self, number: u64, finish: Finish, reply: Reply<()>) -> Result<Done, Fatal> {
        let Some(running) = self.running.remove(&number) else { return Ok(answer(Err(StateError::Closed), reply)) };
        let RunningAct { session, sequence, request, has_key, held, waiting } = running;
        let settled = self.settle(&held, &finish.settle)?;
        if let Some(reached) = finish.reached.record(sequence) {
            self.append(session, Event::Reached(reached))?;
        }
        let response = finish.response.hash();
        let outcome = Outcome {
            intent: sequence,
            response,
            ending: finish.ending,
            code: finish.code,
            duration_ms: finish.duration_ms,
            files: finish.files,
            bytes: finish.bytes,
            settled,
            exit: finish.exit,
        };
        self.append(session, Event::Result(outcome))?;
        self.connection.prepare_cached(STOP)?.execute([number])?;
        let placed = finish.response.into_placed();
        if has_key && finish.is_final {
            let values = params![number, response.as_bytes(), placed.inline()];
            self.connection.prepare_cached(KEEP)?.execute(values)?;
        } else if has_key {
            self.connection.prepare_cached(FORGET)?.execute([number])?;
            if let Some(active) = self.active.get_mut(&session) {
                active.keys = active.keys.saturating_sub(1);
            }
        }
        for _ in &waiting {
            self.append(session, Event::Repeated(Repeated { request, intent: sequence, response }))?;
        }
        let settled = Settled::Repeat(placed);
        Ok(Box::new(move || {
            waiting.into_iter().for_each(|waiter| drop(waiter.send(settled.clone())));
            let _ = reply.send(Ok(()));
        }))
    }

    /// Records that the outcome of an act is unknown.
    pub(super) fn give_up(&mut self, number: u64, reply: Reply<()>) -> Result<Done, Fatal> {
        let Some(running) = self.running.remove(&number) else { return Ok(answer(Err(StateError::Closed), reply)) };
        self.interrupt(number, running.session, running.sequence)?;
        let waiting = running.waiting;
        Ok(Box::new(move || {
            waiting.into_iter().for_each(|waiter| drop(waiter.send(Settled::Interrupted)));
            let _ = reply.send(Ok(()));
        }))
    }

    /// Marks an act whose outcome is unknown. Its charges stay charged.
    pub(super) fn interrupt(&mut self, number: u64, session: u64, sequence: u64) -> Result<(), Fatal> {
        self.append(session, Event::Interrupted(Interrupted { intent: sequence }))?
            .ok_or_else(|| corrupt("the chain of an act"))?;
        self.connection.prepare_cached(STOP)?.execute([number])?;
        self.connection.prepare_cached("UPDATE keys SET status = 2 WHERE act = ?1")?.execute([number])?;
        Ok(())
    }

    fn charge(&self, session: u64, charges: &[Charge]) -> Result<Result<Vec<(HeldAmount, Granted)>, Spent>, Fatal> {
        // Most acts are charged nothing.
        if charges.is_empty() {
            return Ok(Ok(Vec::new()));
        }
        let held = self.running.values().flat_map(|running| &running.held).filter(|held| held.is_held());
        let under_way: Vec<&HeldAmount> = held.collect();
        budgets::charge(&self.connection, session, charges, &under_way, self.now_ms())
    }

    fn settle(&self, held: &[HeldAmount], settle: &[(usize, u64)]) -> Result<Vec<Charged>, Fatal> {
        let (now_ms, mut settled) = (self.now_ms(), Vec::new());
        for (place, amount) in settle {
            if let Some(held) = held.get(*place) {
                budgets::settle(&self.connection, held, *amount, now_ms)?;
                settled.push(Charged { budget: Text::new(held.budget()), period: held.period(), amount: *amount });
            }
        }
        Ok(settled)
    }

    fn known(&self, session: SessionId, key: Option<Digest>) -> Result<Option<StoredKey>, Fatal> {
        let Some(key) = key else { return Ok(None) };
        let known = |row: &rusqlite::Row<'_>| {
            Ok(StoredKey {
                act: row.get(0)?,
                sequence: row.get(1)?,
                request: row.get::<_, [u8; 32]>(2)?.into(),
                status: row.get(3)?,
                response_hash: row.get(4)?,
                response: row.get(5)?,
            })
        };
        Ok(self
            .connection
            .prepare_cached(KNOWN)?
            .query_row(params![session.get(), key.as_bytes()], known)
            .optional()?)
    }
}

/// Acts that may run at the same time.
pub const ACTS_RUNNING_MAX: usize = 1_024;
/// Keys of one session. An answer is not forgotten while its session lasts, because the act would be repeated.
pub const KEYS_PER_SESSION_MAX: u64 = 10_000;
/// Requests that may wait for one act.
const WAITING_MAX: usize = 1_024;
const RUNNING: u8 = 0;
const FINISHED: u8 = 1;
const RUN: &str = "INSERT INTO running (act, session, sequence) VALUES (?1, ?2, ?3)";
const STOP: &str = "DELETE FROM running WHERE act = ?1";
const CLAIM: &str = "INSERT INTO keys (act, session, key, sequence, request, status) VALUES (?1, ?2, ?3, ?4, ?5, 0)";
const KEEP: &str = "UPDATE keys SET status = 1, response_hash = ?2, response = ?3 WHERE act = ?1";
const FORGET: &str = "DELETE FROM keys WHERE act = ?1";
const KNOWN: &str = "SELECT act, sequence, request, status, response_hash, response FROM keys
    WHERE session = ?1 AND key = ?2";
