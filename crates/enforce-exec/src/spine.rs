//! Request bytes -> response: judge, record the intent, act, record the result, respond.
//!
//! ```text
//! bytes -> session -> judge --refused--> record the refusal --------------------------------------> response
//!                       |                                                                              ^
//!                    Permit -> claim the key, charge, record the intent -> Begun -> act -> Done -> record the result
//! ```
//!
//! One future owns the bytes and holds the permit. Its caller polls it up to the verdict; an act runs on in a task of its own,
//! so that it does not stop half-way if its caller does. Whatever happens, a panic included, there is exactly one response
//! (CTR-0022), and the ledger has everything that is done or denied. An act that a panic or a kill ended is recorded as
//! interrupted. Requests rejected because of overload or shutdown are not judged, and not recorded individually.

mod runtime;

use std::borrow::Cow;
use std::pin::pin;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use enforce_core::judge::{self, Permit, Refusal, RequestAttributes, judge_request};
use enforce_core::wire::{Request, Tool, WireError};
use enforce_core::{Asked, DEFAULT_DENY, Verdict};
use exec_record::{
    Begin, ContentStore, Digest, Ending, Finish, INLINE_RESULT_MAX, Judged, NewSession, Placed, Refused, RunContext,
    SESSIONS_MAX, Session, SessionId, State, StateError, StoredResponse, Text, Token, TouchedPaths,
};
use thiserror::Error;
use tokio::runtime::Handle;
use tokio::sync::{Notify, Semaphore};
use tool_proto::ToolSuccess;

use crate::act::{Begun, Done, Failed, NotBegun, Output};
use crate::charges::Charges;
use crate::fault::{Fault, FaultCode};
use crate::obligations::Obligations;
use crate::path_judge::PathJudge;
use crate::policy::LoadedPolicy;
use crate::publish::publish;
use crate::request_record::RequestRecord;
use crate::response::{
    Outcome, Response, ResponseBody, budget_unmeasurable, denial_response, ledger_unavailable, over_budget,
    request_digest, requirement_unmet, result_not_recorded, session_unusable, store_failed, unrecordable,
};
use crate::session::{ACTS_PER_SESSION_MAX, LoadSessionError, LoadedSession, LoadedSessions, SessionError};
use crate::tools::{Call, Tools};
use runtime::{Handover, catch_panic, run_blocking};

/// Does what is permitted, once, on the record.
#[derive(Clone)]
pub struct Executor {
    shared: Arc<Shared>,
}

/// The parts of an executor.
pub struct ExecutorConfig {
    /// Sessions, budgets, keys and the ledger.
    pub state: Arc<dyn State>,
    /// The store for large results.
    pub store: ContentStore,
    /// The policies that sessions can have.
    pub tables: Vec<LoadedPolicy>,
    /// The tools that act.
    pub tools: Tools,
}

/// The most that may run at once. Requests beyond that are told to come back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ConcurrencyLimits {
    /// Requests that are not answered yet.
    pub requests: usize,
    /// Acts.
    pub acts: usize,
    /// Acts of one session.
    pub acts_per_session: usize,
    /// Sessions with acts or stored results that are counted.
    pub sessions: usize,
}

impl Default for ConcurrencyLimits {
    fn default() -> Self {
        Self {
            requests: REQUESTS_MAX,
            acts: ACTS_MAX,
            acts_per_session: ACTS_PER_SESSION_MAX,
            sessions: SESSIONS_LOADED_MAX,
        }
    }
}

struct Shared {
    config: ExecutorConfig,
    sessions: LoadedSessions,
    acts: Semaphore,
    /// Requests that are not answered yet.
    running: AtomicUsize,
    requests_max: usize,
    /// Notified when no request is running.
    idle: Notify,
    is_closing: AtomicBool,
    /// Requests that were rejected without a record, and are not counted in one yet.
    rejected: AtomicU64,
}

impl Executor {
    /// An executor with the default limits.
    #[must_use]
    pub fn new(config: ExecutorConfig) -> Self {
        Self::with_limits(config, ConcurrencyLimits::default())
    }

    /// An executor with other limits.
    #[must_use]
    pub fn with_limits(config: ExecutorConfig, limits: ConcurrencyLimits) -> Self {
        let shared = Shared {
            config,
            sessions: LoadedSessions::new(limits.sessions, limits.acts_per_session),
            acts: Semaphore::new(limits.acts.min(Semaphore::MAX_PERMITS)),
            running: AtomicUsize::new(0),
            requests_max: limits.requests,
            idle: Notify::new(),
            is_closing: AtomicBool::new(false),
            rejected: AtomicU64::new(0),
        };
        Self { shared: Arc::new(shared) }
    }

    /// Begins a session. The token is returned here and never again.
    ///
    /// # Errors
    /// When its roles, its tables or the operations of its lease are unknown, its working directory does not exist, or the
    /// state cannot store it.
    pub async fn create_session(&self, session: NewSession) -> Result<(SessionId, Token), CreateError> {
        let ExecutorConfig { state, tables, tools, .. } = &self.shared.config;
        LoadedSession::check(&session, tables)?;
        tools.check_folder(&session.root, &session.working_directory).map_err(|why| {
            let path = session.working_directory.clone();
            SessionError::WorkingDirectory { path, why }
        })?;
        Ok(state.create_session(session).await?)
    }

    /// Ends a session: its token is unknown from then on.
    ///
    /// # Errors
    /// When the ledger cannot record it.
    pub async fn end_session(&self, session: SessionId) -> Result<(), StateError> {
        self.shared.config.state.end_session(session).await?;
        self.shared.sessions.release(session);
        Ok(())
    }

    /// Answers a request. Nothing happens before the returned future is polled; once an act is permitted, it runs to its end
    /// whether anybody polls or not.
    ///
    /// On a runtime of several threads, acts run beside each other. On a runtime of one thread they run one after the other,
    /// and everything else on it waits meanwhile, [`Executor::stop`] included.
    pub async fn handle(&self, bytes: Vec<u8>) -> Response {
        let bytes = Arc::new(bytes);
        let lost = |code, why| {
            let request_id = Request::read(&bytes).map_or("", |request| request.request_id.as_str());
            ResponseBody::from(Outcome::Fault(Fault::new(code, why))).with_id(request_id)
        };
        if Handle::try_current().is_err() {
            return lost(FaultCode::Internal, "there is no tokio runtime to answer in");
        }
        let (shared, handover) = (Arc::clone(&self.shared), Handover::default());
        let response = {
            let (bytes, handover) = (Arc::clone(&bytes), handover.clone());
            async move { shared.respond(&bytes, &handover).await }
        };
        handover.drive(Box::pin(response)).await.unwrap_or_else(|_| {
            let why = "the runtime ended before the response: it is not known whether the act happened";
            lost(FaultCode::Interrupted, why)
        })
    }

    /// Records that bytes arrived which are not a request, by their digest.
    ///
    /// # Errors
    /// When the ledger cannot record it.
    pub async fn refuse_unreadable(&self, request: Digest, response: &[u8]) -> Result<(), StateError> {
        let (rule, code) = UNREADABLE;
        let judged = judged(request, None, "", &RequestRecord::default(), (Verdict::Deny, rule, code));
        self.shared.config.state.refuse(None, Refused { judged, response: Digest::of(response) }).await
    }

    /// Returns the result that a response holds, or that it names in the store.
    ///
    /// # Errors
    /// When the store does not have it, or has something else in its place.
    pub async fn result(&self, success: &ToolSuccess) -> Result<Vec<u8>, Fault> {
        if success.result_hash.is_empty() {
            return Ok(success.inline_result.clone());
        }
        let unavailable = |reason: String| Fault::new(FaultCode::StoreUnavailable, reason);
        let hash = Digest::try_from(success.result_hash.as_slice()).map_err(|error| unavailable(error.to_string()))?;
        self.shared.config.store.get(&hash).await.map_err(|error| unavailable(error.to_string()))
    }

    /// Cancels the running requests with this id; returns whether any was running.
    ///
    /// A cancelled request still has its one response, CANCELLED unless it had already ended, and that is recorded.
    ///
    /// # Errors
    /// When the state cannot look up the token.
    pub async fn cancel(&self, session_token: &str, request_id: &str) -> Result<bool, StateError> {
        let session = self.shared.config.state.session(session_token).await?;
        Ok(session.is_some_and(|session| self.shared.config.tools.calls().stop(session.id, request_id)))
    }

    /// Rejects new requests and cancels the running ones. Those are answered, and sessions can still be ended.
    pub fn stop(&self) {
        self.shared.is_closing.store(true, Ordering::SeqCst);
        self.shared.config.tools.calls().stop_all();
    }

    /// Stops, waits until every request is answered, and closes the state. The digest stands for the whole ledger.
    ///
    /// # Errors
    /// When the state cannot be closed.
    pub async fn close(&self) -> Result<Digest, StateError> {
        self.stop();
        loop {
            let mut idle = pin!(self.shared.idle.notified());
            // Before the check, so that the last request to end is not missed.
            idle.as_mut().enable();
            if self.shared.running.load(Ordering::SeqCst) == 0 {
                break;
            }
            idle.await;
        }
        self.shared.record_rejected().await;
        self.shared.config.state.close().await
    }
}

/// A slot among the running requests, which is given back when it is dropped.
struct RequestSlot<'s> {
    shared: &'s Shared,
}

impl<'s> RequestSlot<'s> {
    fn take(shared: &'s Shared) -> Result<Self, Fault> {
        let before = shared.running.fetch_add(1, Ordering::SeqCst);
        let slot = Self { shared };
        if shared.is_closing.load(Ordering::SeqCst) {
            return Err(Fault::new(FaultCode::ShuttingDown, "the executor is shutting down"));
        }
        if before >= shared.requests_max {
            return Err(Fault::new(FaultCode::Busy, "too many requests are running"));
        }
        Ok(slot)
    }
}

impl Drop for RequestSlot<'_> {
    fn drop(&mut self) {
        if self.shared.running.fetch_sub(1, Ordering::SeqCst) == 1 {
            self.shared.idle.notify_waiters();
        }
    }
}

/// A request that is being answered: read once, hashed once.
struct IncomingRequest<'a> {
    bytes: &'a [u8],
    digest: Digest,
    request: Result<Request<'a>, WireError>,
    started: Instant,
}

impl<'a> IncomingRequest<'a> {
    fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, digest: Digest::of(bytes), request: Request::read(bytes), started: Instant::now() }
    }

    fn request_id(&self) -> &'a str {
        self.request.as_ref().map_or("", |request| request.request_id.as_str())
    }

    fn token(&self) -> &str {
        self.request.as_ref().map_or("", |request| request.session_token.as_str())
    }

    fn operation(&self) -> Cow<'a, str> {
        match self.request.as_ref().ok().and_then(Asked::of) {
            Some(Asked::BuiltIn(operation)) => operation.name().into(),
            Some(Asked::Declared { tool, operation }) => format!("{tool}.{operation}").into(),
            None => "".into(),
        }
    }
}

/// Why an act is not begun.
enum Rejection {
    /// A refusal, which is recorded.
    Refuse(Outcome),
    /// The same request was answered before.
    Repeat(Placed),
    /// The ledger cannot record anything.
    Unrecorded(Fault),
}

impl Shared {
    async fn respond(&self, bytes: &[u8], handover: &Handover) -> Response {
        let incoming = IncomingRequest::new(bytes);
        let body = match RequestSlot::take(self) {
            Ok(_slot) => match catch_panic(self.answer(&incoming, handover)).await {
                Some(body) => body,
                None => catch_panic(self.record_defect(&incoming)).await.unwrap_or_else(|| defect().into()),
            },
            Err(fault) => self.reject_unrecorded(fault),
        };
        body.with_id(incoming.request_id())
    }

    /// The response after a panic. An act that was begun is recorded as interrupted by then.
    async fn record_defect(&self, incoming: &IncomingRequest<'_>) -> ResponseBody {
        let session = self.config.state.session(incoming.token()).await.ok().flatten();
        self.refuse(incoming, session.as_deref(), &RequestRecord::default(), defect()).await
    }

    /// The session, then the judge, then the act.
    async fn answer(&self, incoming: &IncomingRequest<'_>, handover: &Handover) -> ResponseBody {
        let ExecutorConfig { state, tables, .. } = &self.config;
        let session = match state.session(incoming.token()).await {
            Ok(session) => session,
            Err(error) => return self.reject_unrecorded(ledger_unavailable(&error)),
        };
        let loaded = match session.clone().map(|session| self.sessions.load(session, tables)).transpose() {
            Ok(loaded) => loaded,
            Err(error) => {
                let outcome = match error {
                    // A policy that is not loaded allows nothing (TRUST-FAIL-CLOSED).
                    LoadSessionError::Session(error) => session_unusable(&error),
                    LoadSessionError::Full => {
                        Outcome::Fault(Fault::new(FaultCode::Busy, "too many sessions are running"))
                    }
                };
                return self.refuse(incoming, session.as_deref(), &RequestRecord::default(), outcome).await;
            }
        };
        let loaded = loaded.as_deref();
        let buffers = loaded.map(LoadedSession::buffers);
        let core_session = loaded.zip(buffers.as_ref()).and_then(|(loaded, buffers)| loaded.core_session(buffers));
        let mut record = RequestRecord::default();
        let judged = match &incoming.request {
            Ok(request) => judge_growing(request, core_session, incoming.bytes.len(), &mut record),
            Err(error) => Err(Refusal::SenderMalformed(*error)),
        };
        let (obligations, permit) = match judged {
            Ok(permitted) => permitted,
            Err(refusal) => {
                let outcome = Outcome::refused(&refusal, record.is_listed, loaded);
                return self.refuse(incoming, session.as_deref(), &record, outcome).await;
            }
        };
        // The judge permits nothing without a session.
        let Some(loaded) = loaded else { return defect().into() };
        handover.wait().await;
        self.record_rejected().await;
        self.act(incoming, loaded, permit, &obligations, record).await
    }

    /// Begins, does and finishes an act.
    async fn act(
        &self,
        incoming: &IncomingRequest<'_>,
        session: &LoadedSession,
        permit: Permit<'_>,
        obligations: &Obligations,
        mut record: RequestRecord,
    ) -> ResponseBody {
        let run = Tools::run_context(&permit, &mut record);
        let refuse = |outcome| self.refuse(incoming, Some(&session.session), &record, outcome);
        let attributes = match supported(&permit, incoming, obligations, &record) {
            Ok(attributes) => attributes,
            Err(outcome) => return refuse(outcome).await,
        };
        let (Ok(_turn), Ok(_own_turn)) = (self.acts.try_acquire(), session.acts.try_acquire()) else {
            return refuse(Outcome::Fault(Fault::new(FaultCode::Busy, "too many acts are running"))).await;
        };
        // From here until the response it can be cancelled.
        let call = self.config.tools.calls().begin(session.session.id, incoming.request_id());
        let has_key = !permit.request().dedupe_key.as_str().is_empty();
        let begun = match self.begin(incoming, session, (permit, attributes), obligations, &record, (run, &call)).await
        {
            Ok(begun) => begun,
            Err(Rejection::Refuse(outcome)) => return refuse(outcome).await,
            Err(Rejection::Repeat(placed)) => return self.repeat(placed).await,
            Err(Rejection::Unrecorded(fault)) => return self.reject_unrecorded(fault),
        };
        let done = match begun.request().tool() {
            Some(Tool::ArtifactPublish(_)) => publish(&self.config.store, self.config.state.as_ref(), begun).await,
            _ => run_blocking(|| self.config.tools.act(begun, &call)),
        };
        self.finish(incoming, session, done, has_key).await
    }

    /// Judges and charges what the act implies, and records its intent.
    async fn begin<'a>(
        &self,
        incoming: &IncomingRequest<'_>,
        session: &LoadedSession,
        (permit, attributes): (Permit<'a>, RequestAttributes<'a>),
        obligations: &Obligations,
        record: &'a RequestRecord,
        (run, call): (Option<RunContext>, &Call<'_>),
    ) -> Result<Begun<'a>, Rejection> {
        let refuse = |outcome| Err(Rejection::Refuse(outcome));
        // Like the judge, this reads the request and nothing else.
        let reached = Mutex::new(TouchedPaths::default());
        let paths = PathJudge::new(&permit, attributes, obligations, record, &reached);
        let implied = match self.config.tools.implied_operations(&permit, obligations, paths, call) {
            Ok(implied) => implied,
            Err(outcome) => return refuse(outcome),
        };
        let charges = match Charges::new(session, &attributes, obligations, &implied) {
            Ok(charges) => charges,
            Err(error) => return refuse(budget_unmeasurable(&error)),
        };
        let key = permit.request().dedupe_key.as_str();
        let begin = Begin {
            session: session.session.id,
            key: (!key.is_empty()).then(|| key.to_owned()),
            charges: charges.requested(),
            judged: judged(
                request_digest(permit.request(), incoming.bytes, incoming.digest),
                Some(&session.session),
                attributes.operation().name(),
                record,
                (Verdict::Allow, obligations.rule.as_deref().unwrap_or(DEFAULT_DENY), ALLOWED),
            ),
            setting: run,
        };
        let begun =
            Begun::begin(permit, attributes, record, obligations, charges, (self.config.state.as_ref(), begin)).await;
        match begun {
            Ok(begun) => Ok(begun),
            Err(NotBegun::Repeat(placed)) => Err(Rejection::Repeat(placed)),
            Err(NotBegun::Interrupted) => refuse(Outcome::interrupted()),
            Err(NotBegun::KeyReused) => {
                let message = "another request of the session has used the same dedupe_key";
                refuse(Outcome::Fault(Fault::new(FaultCode::KeyReused, message)))
            }
            Err(NotBegun::OverBudget(spent)) => refuse(over_budget(&spent)),
            Err(NotBegun::State(error)) => Err(Rejection::Unrecorded(ledger_unavailable(&error))),
        }
    }

    /// Stores the response for repeats, and records the result.
    async fn finish(
        &self,
        incoming: &IncomingRequest<'_>,
        session: &LoadedSession,
        Done { outcome, operation, open }: Done,
        has_key: bool,
    ) -> ResponseBody {
        let failed = |outcome, files| (outcome, Ending::Failed, (files, 0, None));
        let (outcome, ending, (files, bytes, exit)) = match outcome {
            Ok(output) => {
                let counts = (output.files, output.bytes, output.exit);
                match self.success(incoming, session, output, open.charged()).await {
                    Ok(success) => (Outcome::Success(success), Ending::Done, counts),
                    Err(fault) => (Outcome::Fault(fault), Ending::Failed, counts),
                }
            }
            Err(Failed::Fault(fault)) => failed(Outcome::Fault(fault), 0),
            Err(Failed::Partly(fault, files)) => failed(Outcome::Fault(fault), files),
            Err(Failed::Denied(denied)) => failed(denial_response(&denied, operation), 0),
            Err(Failed::TooLarge { bytes, why }) => {
                let outcome = match open.too_few_bytes(bytes) {
                    Some(spent) => over_budget(&spent),
                    None => Outcome::Fault(Fault::new(FaultCode::TooLarge, why)),
                };
                failed(outcome, 0)
            }
        };
        let (code, is_final) = (Text::new(outcome.code()), !outcome.is_retryable());
        let body = ResponseBody::from(outcome);
        let store = &self.config.store;
        let stored = match has_key {
            false => Ok(StoredResponse::DigestOnly(Digest::of(body.bytes()))),
            true => {
                let bytes = body.bytes().to_vec();
                store.place_within(bytes, is_final, &session.kept_bytes).await.map(StoredResponse::Replayable)
            }
        };
        let (body, code, ending, response) = match stored {
            Ok(response) => (body, code, ending, response),
            Err(error) => {
                let outcome = Outcome::Fault(store_failed(&error));
                let (code, body) = (Text::new(outcome.code()), ResponseBody::from(outcome));
                // Short enough to need no store.
                match store.place(body.bytes().to_vec()).await {
                    Ok(placed) => (body, code, Ending::Failed, StoredResponse::Replayable(placed)),
                    Err(_) => return body,
                }
            }
        };
        let duration_ms = millis(incoming.started.elapsed());
        let finished = open.finish(|settle, reached| Finish {
            ending,
            code,
            response,
            is_final,
            duration_ms,
            files,
            bytes,
            reached,
            settle,
            exit,
        });
        match finished.await {
            Ok(()) => body,
            Err(error) => Outcome::Fault(result_not_recorded(&error)).into(),
        }
    }

    /// The result in the response if it is small, otherwise in the store (CTR-0024, CTR-0025).
    async fn success(
        &self,
        incoming: &IncomingRequest<'_>,
        session: &LoadedSession,
        output: Output,
        budget_consumed: u64,
    ) -> Result<ToolSuccess, Fault> {
        let (result_hash, inline_result) = if output.result.len() <= INLINE_RESULT_MAX {
            (Vec::new(), output.result)
        } else {
            let placed = self.config.store.place_within(output.result, false, &session.kept_bytes).await;
            (placed.map_err(|error| store_failed(&error))?.hash().as_bytes().to_vec(), Vec::new())
        };
        let duration_ms = millis(incoming.started.elapsed());
        Ok(ToolSuccess { result_hash, inline_result, budget_consumed, duration_ms })
    }

    /// The response that the same request had before (CTR-0003).
    async fn repeat(&self, placed: Placed) -> ResponseBody {
        let unavailable = |reason: String| Outcome::Fault(Fault::new(FaultCode::StoreUnavailable, reason)).into();
        match self.config.store.fetch(placed).await {
            Ok(bytes) => ResponseBody::stored(bytes).unwrap_or_else(|error| unavailable(error.to_string())),
            Err(error) => unavailable(error.to_string()),
        }
    }

    /// Records that nothing is done, and why. Without a record the response says that instead.
    async fn refuse(
        &self,
        incoming: &IncomingRequest<'_>,
        session: Option<&Session>,
        record: &RequestRecord,
        outcome: Outcome,
    ) -> ResponseBody {
        let decided = (Verdict::Deny, outcome.rule(), outcome.code());
        let judged = judged(incoming.digest, session, &incoming.operation(), record, decided);
        let body = ResponseBody::from(outcome);
        let refused = Refused { judged, response: Digest::of(body.bytes()) };
        match self.config.state.refuse(session.map(|session| session.id), refused).await {
            Ok(()) => body,
            Err(error) => self.reject_unrecorded(ledger_unavailable(&error)),
        }
    }

    /// A response of which the ledger has only that there was one.
    fn reject_unrecorded(&self, fault: Fault) -> ResponseBody {
        self.rejected.fetch_add(1, Ordering::SeqCst);
        Outcome::Fault(fault).into()
    }

    /// Records the number of rejected requests: before the next act, or at the end.
    async fn record_rejected(&self) {
        // Mostly there are none, and a load costs less than a swap.
        if self.rejected.load(Ordering::SeqCst) == 0 {
            return;
        }
        let requests = self.rejected.swap(0, Ordering::SeqCst);
        if requests > 0 && self.config.state.turned_away(requests).await.is_err() {
            self.rejected.fetch_add(requests, Ordering::SeqCst);
        }
    }
}

/// The attributes of an act that this executor can do and record; otherwise why it cannot.
fn supported<'a>(
    permit: &Permit<'a>,
    incoming: &IncomingRequest<'_>,
    obligations: &Obligations,
    record: &RequestRecord,
) -> Result<RequestAttributes<'a>, Outcome> {
    let attributes = permit.attributes().filter(|attributes| Tools::supports(attributes.operation()));
    let attributes = attributes.ok_or_else(|| {
        let message = format!("this executor does not support `{}`", incoming.operation());
        Outcome::Fault(Fault::new(FaultCode::Unsupported, message))
    })?;
    let mut requirements = obligations.requirements.iter();
    if let Some(name) = requirements.find(|name| !Tools::can_enforce(attributes.operation(), name)) {
        return Err(requirement_unmet(name, obligations.rule.as_deref()));
    }
    if record.is_unrecordable() { Err(unrecordable()) } else { Ok(attributes) }
}

/// Judges with larger buffers until they suffice, or are larger than the request can need. Each decision is added to the record.
fn judge_growing<'a>(
    request: &Request<'a>,
    session: Option<judge::Session<'a>>,
    request_bytes: usize,
    record: &mut RequestRecord,
) -> Result<(Obligations, Permit<'a>), Refusal<'a>> {
    let mut judge_in = |buffer: &mut [u8], places: &mut [Option<judge::Obligation>]| {
        *record = RequestRecord::default();
        match judge_request(request, |_| session, buffer, places, &mut |judged| record.add(judged)) {
            judge::Outcome::Permit(offer) => {
                let (bound, permit) = offer.accept();
                Ok((Obligations::new(&bound), permit))
            }
            judge::Outcome::Refuse(refused) => Err(refused.refusal),
        }
    };
    let (mut buffer_bytes, mut obligations) = (SMALL_BUFFER_BYTES, OBLIGATIONS_USUAL);
    let mut judged = judge_in(&mut [0; SMALL_BUFFER_BYTES], &mut [None; OBLIGATIONS_USUAL]);
    loop {
        match judged {
            Err(Refusal::HostObligationsTooSmall { .. }) if obligations < OBLIGATIONS_MAX => {
                obligations = obligations.saturating_mul(8).min(OBLIGATIONS_MAX);
            }
            Err(Refusal::HostBufferTooSmall { needed }) => {
                let most = request_bytes.saturating_mul(BUFFER_PER_BYTE).saturating_add(BUFFER_BYTES_MAX);
                let larger = buffer_bytes.saturating_mul(2).max(needed).max(BUFFER_BYTES).min(most);
                if larger <= buffer_bytes {
                    return judged;
                }
                buffer_bytes = larger;
            }
            judged => return judged,
        }
        judged = judge_in(&mut vec![0; buffer_bytes], &mut vec![None; obligations]);
    }
}

/// The decision as it is recorded: the verdict, its rule and its code.
fn judged(
    request: Digest,
    session: Option<&Session>,
    operation: &str,
    record: &RequestRecord,
    (verdict, rule, code): (Verdict, &str, &str),
) -> Judged {
    Judged {
        request,
        operation: Text::new(operation),
        targets: record.targets(),
        verdict,
        rule: Text::new(rule),
        code: Text::new(code),
        tables: session.map(|session| session.granted.tables.clone()).unwrap_or_default(),
        facts: record.facts(),
    }
}

fn defect() -> Outcome {
    Outcome::Fault(Fault::new(FaultCode::Internal, "the executor failed while it answered; this is a bug in it"))
}

/// Why a session is not created.
#[derive(Debug, Error)]
pub enum CreateError {
    /// Its roles, tables, lease or working directory.
    #[error(transparent)]
    Session(#[from] SessionError),
    /// The state.
    #[error(transparent)]
    State(#[from] StateError),
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

/// Running acts; further ones are told to come back.
pub const ACTS_MAX: usize = 256;
/// Running requests; further ones are told to come back.
pub const REQUESTS_MAX: usize = 8_192;
/// Sessions whose policies are loaded: all that the state may have, and those that ended under a request.
pub const SESSIONS_LOADED_MAX: usize = SESSIONS_MAX + REQUESTS_MAX;
/// The judge mostly needs no more buffer than the first of these, and otherwise usually no more than the second.
const SMALL_BUFFER_BYTES: usize = 1 << 10;
const BUFFER_BYTES: usize = 16 << 10;
/// More than the judge ever needs for each byte of a request, and beside them.
const BUFFER_PER_BYTE: usize = 6;
const BUFFER_BYTES_MAX: usize = 8 << 20;
/// Rules that permit one request: usually, and at most.
const OBLIGATIONS_USUAL: usize = 16;
const OBLIGATIONS_MAX: usize = 4_096;
const ALLOWED: &str = "ALLOWED";
/// The rule and the code by which bytes that are not a request are denied.
pub const UNREADABLE: (&str, &str) = (DEFAULT_DENY, "VALIDATION_FAILED");
