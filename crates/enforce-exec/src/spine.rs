//! Request bytes -> response bytes: judge, record the intent, act, record the result, respond.
//!
//! ```text
//! bytes -> session -> judge --refused--> record the refusal -------------------------------> response
//!                       |                                                                       ^
//!                   permitted -> claim the key, charge, record the intent -> act -> record the result
//! ```
//!
//! What may be permitted is judged again and done in a task of its own: who stops waiting for the answer does not stop an
//! act half-way. Whatever happens on the way, a panic included, there is exactly one response (CTR-0022), and nothing is
//! done or denied that the ledger does not say. An act that a panic ended is on record as interrupted, as is one that a
//! kill ended. Only who comes while too much is under way, or while everything ends, is told to come back without a
//! record: nothing was judged.

mod place;
mod waiting;

use std::borrow::Cow;
use std::pin::pin;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use enforce_core::judge::{self, Outcome, Permit, Refusal, judge};
use enforce_core::wire::{Request, Tool};
use enforce_core::{Asked, DEFAULT_DENY, Verdict};
use exec_record::{
    Answered, Begin, Begun, ContentStore, Digest, Ending, Finish, INLINE_RESULT_MAX, Judged, NewSession, Placed,
    Reaches, Refused, SESSIONS_MAX, Session, SessionId, Settled, State, StateError, Text, Token,
};
use tokio::runtime::Handle;
use tokio::sync::{Notify, Semaphore};
use tool_proto::ToolSuccess;

use crate::again::Again;
use crate::answer::{
    Answer, Nameless, over_budget, request_digest, requirement_unmet, told, undecided, unkept, unmeasured,
    unrecordable, unrecorded, unreported,
};
use crate::charges::{Charges, Took};
use crate::fault::{Fault, FaultCode};
use crate::obligations::{Obligations, Terms};
use crate::publish::publish;
use crate::session::{ACTS_PER_SESSION_MAX, Held, HeldSessions, HoldError, SessionError};
use crate::tables::Loaded;
use crate::tools::{Done, Failed, Tools};
use place::Place;
pub use place::REQUESTS_MAX;
use waiting::{in_place, unless_panicked};

/// Does what is permitted, once, on the record.
#[derive(Clone)]
pub struct Executor {
    shared: Arc<Shared>,
}

/// What an executor is made of.
pub struct Parts {
    /// Sessions, budgets, keys and the ledger.
    pub state: Arc<dyn State>,
    /// Where large results go.
    pub store: ContentStore,
    /// The policies that sessions can have.
    pub tables: Vec<Loaded>,
    /// What acts.
    pub tools: Tools,
}

/// How much may be under way at once. More is told to come back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Room {
    /// Requests that were not answered yet.
    pub requests: usize,
    /// Acts.
    pub acts: usize,
    /// Acts of one session.
    pub acts_per_session: usize,
    /// Sessions of which something is counted.
    pub sessions: usize,
}

impl Default for Room {
    fn default() -> Self {
        Self {
            requests: REQUESTS_MAX,
            acts: ACTS_MAX,
            acts_per_session: ACTS_PER_SESSION_MAX,
            sessions: SESSIONS_HELD_MAX,
        }
    }
}

struct Shared {
    parts: Parts,
    held: HeldSessions,
    /// One for each act that may be under way.
    acts: Semaphore,
    /// Requests that were not answered yet, and how many there may be.
    under_way: AtomicUsize,
    requests_max: usize,
    /// Told when there are none.
    idle: Notify,
    is_closing: AtomicBool,
    /// Requests that were answered without a record, and are in none so far.
    turned_away: AtomicU64,
}

impl Executor {
    /// Takes its parts.
    #[must_use]
    pub fn new(parts: Parts) -> Self {
        Self::with_room(parts, Room::default())
    }

    /// Takes its parts, for so much at once.
    #[must_use]
    pub fn with_room(parts: Parts, room: Room) -> Self {
        let shared = Shared {
            parts,
            held: HeldSessions::new(room.sessions, room.acts_per_session),
            acts: Semaphore::new(room.acts.min(Semaphore::MAX_PERMITS)),
            under_way: AtomicUsize::new(0),
            requests_max: room.requests,
            idle: Notify::new(),
            is_closing: AtomicBool::new(false),
            turned_away: AtomicU64::new(0),
        };
        Self { shared: Arc::new(shared) }
    }

    /// Begins a session. The token is shown here and never again.
    ///
    /// # Errors
    /// When its roles, its tables or the operations of its lease are not known, it has no folder to work in, or the state
    /// cannot keep it.
    pub async fn create_session(&self, session: NewSession) -> Result<(SessionId, Token), CreateError> {
        Held::check(&session, &self.shared.parts.tables).map_err(CreateError::Session)?;
        self.shared.parts.tools.check_folder(&session.root, &session.working_directory).map_err(|why| {
            let path = session.working_directory.clone();
            CreateError::Session(SessionError::WorkingDirectory { path, why })
        })?;
        self.shared.parts.state.create_session(session).await.map_err(CreateError::State)
    }

    /// Ends a session: its token is unknown from then on.
    ///
    /// # Errors
    /// When the ledger does not take it.
    pub async fn end_session(&self, session: SessionId) -> Result<(), StateError> {
        self.shared.parts.state.end_session(session).await?;
        self.shared.held.release(session);
        Ok(())
    }

    /// Answers a request. It is on its way from the first time that the answer is waited for, and then whether anybody
    /// still waits or not.
    ///
    /// On a runtime of several threads acts are done beside each other. On one of a single thread they are done one after
    /// the other, and everything else on it waits meanwhile, [`Executor::stop`] included.
    pub async fn handle(&self, bytes: Vec<u8>) -> Vec<u8> {
        let request_id = Request::read(&bytes).map(|request| request.request_id.as_str().to_owned());
        let lost = |fault: Fault| Nameless::from(Answer::Fault(fault)).named(&request_id.unwrap_or_default());
        if Handle::try_current().is_err() {
            return lost(Fault::new(FaultCode::Internal, "there is no tokio runtime to answer in"));
        }
        let shared = Arc::clone(&self.shared);
        // What is refused needs no task: its record is under way before anybody waits for it.
        let task = match unless_panicked(self.shared.refused(&bytes)).await {
            Some(Some(response)) => return response,
            Some(None) => tokio::spawn(async move { shared.respond(&bytes).await }),
            None => tokio::spawn(async move {
                let asking = Asking::new(&bytes);
                shared.defect(&asking).await.named(asking.request_id())
            }),
        };
        task.await.unwrap_or_else(|_| {
            let sentence = "the runtime ended before the answer: it is not known whether it happened";
            lost(Fault::new(FaultCode::Interrupted, sentence))
        })
    }

    /// Puts on record that something was asked which is no request at all, by the digest of its bytes.
    ///
    /// # Errors
    /// When the ledger does not take it.
    pub async fn refuse_unread(&self, request: Digest, response: &[u8]) -> Result<(), StateError> {
        let (rule, code) = UNREAD;
        let decided = (Verdict::Deny, rule, code);
        let judged = judged(request, None, "", &Obligations::default(), decided);
        self.shared.parts.state.refuse(None, Refused { judged, response: Digest::of(response) }).await
    }

    /// What a response holds, or names instead of holding it.
    ///
    /// # Errors
    /// When the store does not have it, or not as it was.
    pub async fn result(&self, success: &ToolSuccess) -> Result<Vec<u8>, Fault> {
        if success.result_hash.is_empty() {
            return Ok(success.inline_result.clone());
        }
        let unavailable = |reason: String| Fault::new(FaultCode::StoreUnavailable, reason);
        let hash = Digest::try_from(success.result_hash.as_slice()).map_err(|error| unavailable(error.to_string()))?;
        self.shared.parts.store.get(&hash).await.map_err(|error| unavailable(error.to_string()))
    }

    /// Gives what answers the requests of this name in this session the word to end. Whether there is anything: what was not
    /// begun or is over is not, and neither is anything in a session that is not known.
    ///
    /// What is called off has its one response, CANCELLED unless it was at its end before the word, and that is on record.
    ///
    /// # Errors
    /// When the state cannot say whose the token is.
    pub async fn cancel(&self, session_token: &str, request_id: &str) -> Result<bool, StateError> {
        let session = self.shared.parts.state.session(session_token).await?;
        Ok(session.is_some_and(|session| self.shared.parts.tools.calls().stop(session.id, request_id)))
    }

    /// Refuses what comes from now on, and gives what runs the word to end. It is answered, and sessions can still be ended.
    pub fn stop(&self) {
        self.shared.is_closing.store(true, Ordering::SeqCst);
        self.shared.parts.tools.calls().stop_all();
    }

    /// Stops, waits until everything is answered, and lets go of the state. The digest stands for all of the ledger.
    ///
    /// # Errors
    /// When the state could not be closed.
    pub async fn close(&self) -> Result<Digest, StateError> {
        self.stop();
        loop {
            let mut idle = pin!(self.shared.idle.notified());
            // Before the look, so that the last one to go is not missed.
            idle.as_mut().enable();
            if self.shared.under_way.load(Ordering::SeqCst) == 0 {
                break;
            }
            idle.await;
        }
        self.shared.tell_turned_away().await;
        self.shared.parts.state.close().await
    }
}

/// A request that is being answered.
struct Asking<'a> {
    bytes: &'a [u8],
    digest: Digest,
    request: Option<Request<'a>>,
    started: Instant,
}

impl<'a> Asking<'a> {
    fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, digest: Digest::of(bytes), request: Request::read(bytes).ok(), started: Instant::now() }
    }

    fn request_id(&self) -> &'a str {
        self.request.as_ref().map_or("", |request| request.request_id.as_str())
    }

    fn token(&self) -> &str {
        self.request.as_ref().map_or("", |request| request.session_token.as_str())
    }

    fn operation(&self) -> Option<Asked<'_>> {
        self.request.as_ref().and_then(Asked::of)
    }
}

impl Shared {
    /// The response to what is refused; nothing for what may be permitted, of which nothing is done here.
    async fn refused(&self, bytes: &[u8]) -> Option<Vec<u8>> {
        let asking = Asking::new(bytes);
        let _place = Place::take(self).ok()?;
        let session = self.parts.state.session(asking.token()).await.ok()?;
        let held = match session {
            Some(session) => Some(self.held.hold(session, &self.parts.tables).ok()?),
            None => None,
        };
        let answer = {
            let lists = held.as_deref().map(Held::lists);
            let session = held.as_deref().zip(lists.as_ref()).and_then(|(held, lists)| held.judged_by(lists));
            let (mut buffer, mut terms) = ([0; SMALL_BUFFER_BYTES], Terms::default());
            let mut places = [None; OBLIGATIONS_USUAL];
            match judge(bytes, |_| session, &mut buffer, &mut places, &mut |judged| terms.add(judged)) {
                Outcome::Refuse(judge::Refused { refusal: Refusal::HostObligationsTooSmall { .. }, .. })
                | Outcome::Permit(_) => return None,
                Outcome::Refuse(refused) if larger_buffer(&refused.refusal, buffer.len(), bytes.len()).is_some() => {
                    return None;
                }
                Outcome::Refuse(refused) => {
                    (Answer::refused(&refused.refusal, &terms, held.as_deref()), terms.obligations)
                }
            }
        };
        let session = held.as_deref().map(|held| &*held.session);
        let response = self.refuse(&asking, session, asking.operation(), &answer.1, answer.0).await;
        Some(response.named(asking.request_id()))
    }

    async fn respond(&self, bytes: &[u8]) -> Vec<u8> {
        let asking = Asking::new(bytes);
        let answer = match Place::take(self) {
            Ok(_place) => {
                self.tell_turned_away().await;
                match unless_panicked(self.answer(&asking)).await {
                    Some(answer) => answer,
                    None => self.defect(&asking).await,
                }
            }
            Err(fault) => self.turn_away(fault),
        };
        answer.named(asking.request_id())
    }

    /// An answer of which nothing is on the record but that there was one.
    fn turn_away(&self, fault: Fault) -> Nameless {
        self.turned_away.fetch_add(1, Ordering::SeqCst);
        Answer::Fault(fault).into()
    }

    /// Puts the number of those that were turned away on the record: before the next act, or at the end.
    async fn tell_turned_away(&self) {
        // Most of the time there are none, and looking costs less than taking.
        if self.turned_away.load(Ordering::SeqCst) == 0 {
            return;
        }
        let requests = self.turned_away.swap(0, Ordering::SeqCst);
        if requests > 0 && self.parts.state.turned_away(requests).await.is_err() {
            self.turned_away.fetch_add(requests, Ordering::SeqCst);
        }
    }

    /// The answer to a request that a defect ended, whatever else fails.
    async fn defect(&self, asking: &Asking<'_>) -> Nameless {
        unless_panicked(self.failed(asking)).await.unwrap_or_else(|| failure().into())
    }

    /// The same on the record. What was begun is on the record as interrupted by then.
    async fn failed(&self, asking: &Asking<'_>) -> Nameless {
        let session = self.parts.state.session(asking.token()).await.ok().flatten();
        self.refuse(asking, session.as_deref(), asking.operation(), &Obligations::default(), failure()).await
    }

    /// The session, then the judge, then whatever the judge says.
    async fn answer(&self, asking: &Asking<'_>) -> Nameless {
        let bytes = asking.bytes;
        let held = match self.parts.state.session(asking.token()).await {
            Ok(Some(session)) => match self.held.hold(Arc::clone(&session), &self.parts.tables) {
                Ok(held) => Some(held),
                Err(error) => {
                    let answer = match error {
                        // A policy that is not there allows nothing (TRUST-FAIL-CLOSED).
                        HoldError::Session(error) => undecided(&error),
                        HoldError::Full => {
                            Answer::Fault(Fault::new(FaultCode::Busy, "too many sessions are under way"))
                        }
                    };
                    let none = Obligations::default();
                    return self.refuse(asking, Some(&session), asking.operation(), &none, answer).await;
                }
            },
            Ok(None) => None,
            Err(error) => return self.turn_away(unrecorded(&error)),
        };
        let lists = held.as_deref().map(Held::lists);
        let session = held.as_deref().zip(lists.as_ref()).and_then(|(held, lists)| held.judged_by(lists));
        let (mut buffer_bytes, mut obligations) = (SMALL_BUFFER_BYTES, OBLIGATIONS_USUAL);
        let (permit, terms) = loop {
            let (mut buffer, mut places, mut terms) =
                (vec![0; buffer_bytes], vec![None; obligations], Terms::default());
            let refusal = match judge(bytes, |_| session, &mut buffer, &mut places, &mut |judged| terms.add(judged)) {
                Outcome::Permit(offer) => {
                    let (bound, permit) = offer.accept();
                    terms.obligations.bind(&bound);
                    break (permit, terms);
                }
                Outcome::Refuse(refused) => refused.refusal,
            };
            match refusal {
                Refusal::HostObligationsTooSmall { .. } if obligations < OBLIGATIONS_MAX => {
                    obligations = obligations.saturating_mul(8).min(OBLIGATIONS_MAX);
                }
                _ => match larger_buffer(&refusal, buffer_bytes, bytes.len()) {
                    Some(larger) => buffer_bytes = larger,
                    None => {
                        let answer = Answer::refused(&refusal, &terms, held.as_deref());
                        let session = held.as_deref().map(|held| &*held.session);
                        return self.refuse(asking, session, asking.operation(), &terms.obligations, answer).await;
                    }
                },
            }
        };
        match held.as_deref() {
            Some(held) => self.permitted(asking, held, &permit, terms).await,
            // The judge permits nothing without a session.
            None => Answer::Fault(Fault::new(FaultCode::Internal, "there is no session")).into(),
        }
    }

    /// Everything is checked that can be before the act is on record. Then it is done.
    async fn permitted(&self, asking: &Asking<'_>, held: &Held, permit: &Permit<'_>, mut terms: Terms) -> Nameless {
        let setting = Tools::setting(permit, &mut terms.obligations);
        let (obligations, session) = (&terms.obligations, Some(&*held.session));
        let asked = Asked::of(permit.request());
        let Some(Asked::BuiltIn(operation)) = asked else {
            let fault = Fault::new(FaultCode::Unsupported, "a declared tool is run by whoever declares it");
            return self.refuse(asking, session, asked, obligations, Answer::Fault(fault)).await;
        };
        if !Tools::know(operation) {
            let fault =
                Fault::new(FaultCode::Unsupported, format!("`{}` is not done by this executor", operation.name()));
            return self.refuse(asking, session, asked, obligations, Answer::Fault(fault)).await;
        }
        if let Some(requirement) = obligations.requirements.iter().find(|name| !Tools::hold(operation, name)) {
            let answer = requirement_unmet(requirement, obligations);
            return self.refuse(asking, session, asked, obligations, answer).await;
        }
        if obligations.is_unrecordable() {
            return self.refuse(asking, session, asked, obligations, unrecordable()).await;
        }
        let (Ok(_turn), Ok(_own_turn)) = (self.acts.try_acquire(), held.acts.try_acquire()) else {
            let fault = Fault::new(FaultCode::Busy, "too many acts are under way");
            return self.refuse(asking, session, asked, obligations, Answer::Fault(fault)).await;
        };
        let reached = Mutex::new(Reaches::default());
        let again = Again::new(permit, operation, &terms.said, obligations, &reached);
        // Until it is answered, whoever asked can call it off.
        let call = &self.parts.tools.calls().begin(held.session.id, asking.request_id());
        // As the judge, this reads the request and nothing else.
        let further = match self.parts.tools.comes_with(permit, obligations, again, call) {
            Ok(further) => further,
            Err(denied) => {
                let answer = Answer::Denied(told(&denied, operation));
                return self.refuse(asking, session, asked, obligations, answer).await;
            }
        };
        let key = permit.request().dedupe_key.as_str();
        let charges = match Charges::new(held, operation, &terms, &further) {
            Ok(charges) => charges,
            Err(error) => return self.refuse(asking, session, asked, obligations, unmeasured(&error)).await,
        };
        let begin = Begin {
            session: held.session.id,
            key: (!key.is_empty()).then(|| key.to_owned()),
            charges: charges.asked(),
            judged: judged(
                request_digest(permit.request(), asking.bytes, asking.digest),
                session,
                operation.name(),
                obligations,
                (Verdict::Allow, obligations.rule.as_deref().unwrap_or(DEFAULT_DENY), ALLOWED),
            ),
            setting,
        };
        let act = match self.parts.state.begin(begin).await {
            Ok(Begun::Fresh(act)) => act,
            Ok(Begun::Repeat(placed)) => return self.repeated(placed).await,
            Ok(Begun::Running(settled)) => match settled.await {
                Ok(Settled::Repeat(placed)) => return self.repeated(placed).await,
                Ok(Settled::Interrupted) => {
                    return self.refuse(asking, session, asked, obligations, Answer::interrupted()).await;
                }
                Err(error) => return self.turn_away(unrecorded(&error)),
            },
            Ok(Begun::Interrupted) => {
                return self.refuse(asking, session, asked, obligations, Answer::interrupted()).await;
            }
            Ok(Begun::KeyReused) => {
                let fault =
                    Fault::new(FaultCode::KeyReused, "another request of the session has had the same dedupe_key");
                return self.refuse(asking, session, asked, obligations, Answer::Fault(fault)).await;
            }
            Ok(Begun::OverBudget(spent)) => {
                return self.refuse(asking, session, asked, obligations, over_budget(&spent)).await;
            }
            Err(error) => return self.turn_away(unrecorded(&error)),
        };

        // No more is taken of anything than was charged for it.
        let granted = act.granted();
        let bound = &*charges.bind(granted, obligations);
        let again = Again::new(permit, operation, &terms.said, bound, &reached);
        let begun = Instant::now();
        let outcome = match permit.request().tool() {
            Some(Tool::ArtifactPublish(asked)) => {
                publish(&self.parts.store, self.parts.state.as_ref(), &asked, bound).await
            }
            _ => in_place(|| self.parts.tools.act(permit, bound, again, call)),
        };
        let took = Took { time: begun.elapsed(), given: outcome.as_ref().map_or(0, |done| done.given) };
        let bill = charges.bill(granted, took);
        let (answer, ending, done) = match outcome {
            Ok(done) => {
                let counts = (done.files, done.bytes, done.exit);
                match self.success(asking, held, done, bill.sum).await {
                    Ok(success) => (Answer::Success(success), Ending::Done, counts),
                    Err(fault) => (Answer::Fault(fault), Ending::Failed, counts),
                }
            }
            Err(Failed::Fault(fault)) => (Answer::Fault(fault), Ending::Failed, (0, 0, None)),
            Err(Failed::Partly(fault, files)) => (Answer::Fault(fault), Ending::Failed, (files, 0, None)),
            Err(Failed::Denied(denied)) => (Answer::Denied(told(&denied, operation)), Ending::Failed, (0, 0, None)),
            Err(Failed::TooLarge { bytes, why }) => {
                let answer = match charges.too_few_bytes(granted, bytes) {
                    Some(spent) => over_budget(&spent),
                    None => Answer::Fault(Fault::new(FaultCode::TooLarge, why)),
                };
                (answer, Ending::Failed, (0, 0, None))
            }
        };
        let (code, is_final) = (Text::new(answer.code()), !answer.is_retryable());
        let response = Nameless::from(answer);
        let answered = match key {
            "" => Ok(Answered::Named(Digest::of(response.bytes()))),
            _ => {
                let bytes = response.bytes().to_vec();
                self.parts.store.place_within(bytes, is_final, &held.kept_bytes).await.map(Answered::Kept)
            }
        };
        let (response, code, ending, answered) = match answered {
            Ok(answered) => (response, code, ending, answered),
            Err(error) => {
                let answer = Answer::Fault(unkept(&error));
                let (code, response) = (Text::new(answer.code()), Nameless::from(answer));
                // Too short to need the store.
                match self.parts.store.place(response.bytes().to_vec()).await {
                    Ok(placed) => (response, code, Ending::Failed, Answered::Kept(placed)),
                    Err(_) => return response,
                }
            }
        };
        let (files, bytes, exit) = done;
        let finish = Finish {
            ending,
            code,
            response: answered,
            is_final,
            duration_ms: millis(asking.started.elapsed()),
            files,
            bytes,
            reached: reached.into_inner().unwrap_or_else(PoisonError::into_inner),
            settle: bill.settle,
            exit,
        };
        match act.finish(finish).await {
            Ok(()) => response,
            Err(error) => Answer::Fault(unreported(&error)).into(),
        }
    }

    /// What an act gave: in the response when it is small, else in the store (CTR-0024, CTR-0025).
    async fn success(
        &self,
        asking: &Asking<'_>,
        held: &Held,
        done: Done,
        budget_consumed: u64,
    ) -> Result<ToolSuccess, Fault> {
        let (result_hash, inline_result) = if done.result.len() <= INLINE_RESULT_MAX {
            (Vec::new(), done.result)
        } else {
            let placed = self.parts.store.place_within(done.result, false, &held.kept_bytes).await;
            (placed.map_err(|error| unkept(&error))?.hash().as_bytes().to_vec(), Vec::new())
        };
        let duration_ms = millis(asking.started.elapsed());
        Ok(ToolSuccess { result_hash, inline_result, budget_consumed, duration_ms })
    }

    /// The answer that the same request had before (CTR-0003).
    async fn repeated(&self, placed: Placed) -> Nameless {
        let unavailable = |reason: String| Answer::Fault(Fault::new(FaultCode::StoreUnavailable, reason)).into();
        match self.parts.store.fetch(placed).await {
            Ok(bytes) => Nameless::kept(bytes).unwrap_or_else(|error| unavailable(error.to_string())),
            Err(error) => unavailable(error.to_string()),
        }
    }

    /// Puts on record that nothing is done, and why. Without a record there is another answer.
    async fn refuse(
        &self,
        asking: &Asking<'_>,
        session: Option<&Session>,
        asked: Option<Asked<'_>>,
        obligations: &Obligations,
        answer: Answer,
    ) -> Nameless {
        let operation: Cow<'_, str> = match asked {
            Some(Asked::BuiltIn(operation)) => operation.name().into(),
            Some(Asked::Declared { tool, operation }) => format!("{tool}.{operation}").into(),
            None => "".into(),
        };
        let decided = (Verdict::Deny, answer.rule(), answer.code());
        let judged = judged(asking.digest, session, &operation, obligations, decided);
        let response = Nameless::from(answer);
        let refused = Refused { judged, response: Digest::of(response.bytes()) };
        match self.parts.state.refuse(session.map(|session| session.id), refused).await {
            Ok(()) => response,
            Err(error) => self.turn_away(unrecorded(&error)),
        }
    }
}

/// As much as the judge needs, if it has less and the request justifies it.
fn larger_buffer(refusal: &Refusal<'_>, has: usize, request_bytes: usize) -> Option<usize> {
    let Refusal::HostBufferTooSmall { needed } = refusal else { return None };
    let most = request_bytes.saturating_mul(BUFFER_PER_BYTE).saturating_add(BUFFER_BYTES_MAX);
    let larger = has.saturating_mul(2).max(*needed).max(BUFFER_BYTES).min(most);
    (larger > has).then_some(larger)
}

/// What is on record of a decision: of the verdict, its rule and its code.
fn judged(
    request: Digest,
    session: Option<&Session>,
    operation: &str,
    obligations: &Obligations,
    (verdict, rule, code): (Verdict, &str, &str),
) -> Judged {
    Judged {
        request,
        operation: Text::new(operation),
        targets: obligations.targets(),
        verdict,
        rule: Text::new(rule),
        code: Text::new(code),
        tables: session.map(|session| session.granted.tables.clone()).unwrap_or_default(),
        facts: obligations.facts(),
    }
}

fn failure() -> Answer {
    Answer::Fault(Fault::new(FaultCode::Internal, "the executor failed while it answered, which is a defect of it"))
}

/// Why there is no session.
#[derive(Debug)]
pub enum CreateError {
    /// Its roles or tables.
    Session(SessionError),
    /// The state.
    State(StateError),
}

impl std::fmt::Display for CreateError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Session(error) => error.fmt(f),
            Self::State(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for CreateError {}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

/// Acts under way; more are told to come back.
pub const ACTS_MAX: usize = 256;
/// Sessions whose policies are kept at hand: all that the state may have, and those that ended under a request.
pub const SESSIONS_HELD_MAX: usize = SESSIONS_MAX + REQUESTS_MAX;
/// What the judge has to write mostly fits, if it has to write anything; else it usually fits in the other.
const SMALL_BUFFER_BYTES: usize = 1 << 10;
const BUFFER_BYTES: usize = 16 << 10;
/// More than the judge ever needs for each byte of a request, and beside them.
const BUFFER_PER_BYTE: usize = 6;
const BUFFER_BYTES_MAX: usize = 8 << 20;
/// Rules that permit one request, usually and at the most.
const OBLIGATIONS_USUAL: usize = 16;
const OBLIGATIONS_MAX: usize = 4_096;
const ALLOWED: &str = "ALLOWED";
/// The rule and the code by which something that is no request at all is denied.
pub const UNREAD: (&str, &str) = (DEFAULT_DENY, "VALIDATION_FAILED");
