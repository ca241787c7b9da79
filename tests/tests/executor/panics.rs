//! A defect of the executor itself: one response to whoever meets it, and nothing that hangs for those who come after.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use enforce_exec::{ACTS_MAX, ACTS_PER_SESSION_MAX, ExecutorConfig};
use exec_record::{
    Answer, Artifact, Begin, Begun, Digest, NewSession, Refused, Session, SessionId, State, StateError, Token,
};
use tool_proto::ToolRequest;

use crate::support::{ALL, Running, append, code, count, seen};

/// Where a state panics: in the hands of whoever called it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Defect {
    Session,
    /// Before the intent is on record.
    BeforeBegin,
    /// Between the intent and the result.
    AfterBegin,
    Refuse,
}

/// A state that panics as often as it is told, and otherwise does what another does.
struct Defective {
    inner: Arc<dyn State>,
    defect: Defect,
    left: Arc<AtomicUsize>,
    /// How long it keeps an act before it panics: others come meanwhile.
    patience: Duration,
}

impl Defective {
    fn panics_here(&self, defect: Defect) -> bool {
        let take = |left: usize| left.checked_sub(1);
        self.defect == defect && self.left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, take).is_ok()
    }
}

impl State for Defective {
    fn create_session(&self, session: NewSession) -> Answer<(SessionId, Token)> {
        self.inner.create_session(session)
    }

    fn session(&self, token: &str) -> Answer<Option<Arc<Session>>> {
        assert!(!self.panics_here(Defect::Session), "made to fail");
        self.inner.session(token)
    }

    fn end_session(&self, session: SessionId) -> Answer<()> {
        self.inner.end_session(session)
    }

    fn begin(&self, begin: Begin) -> Answer<Begun> {
        assert!(!self.panics_here(Defect::BeforeBegin), "made to fail");
        let (begun, fails, patience) = (self.inner.begin(begin), self.panics_here(Defect::AfterBegin), self.patience);
        Box::pin(async move {
            let begun = begun.await?;
            if fails {
                tokio::time::sleep(patience).await;
            }
            assert!(!fails, "made to fail");
            Ok(begun)
        })
    }

    fn refuse(&self, session: Option<SessionId>, refused: Refused) -> Answer<()> {
        assert!(!self.panics_here(Defect::Refuse), "made to fail");
        self.inner.refuse(session, refused)
    }

    fn turned_away(&self, requests: u64) -> Answer<()> {
        self.inner.turned_away(requests)
    }

    fn publish(&self, artifact: Artifact) -> Answer<()> {
        self.inner.publish(artifact)
    }

    fn artifact(&self, id: &str) -> Answer<Option<Artifact>> {
        self.inner.artifact(id)
    }

    fn checkpoint(&self) -> Answer<Digest> {
        self.inner.checkpoint()
    }

    fn close(&self) -> Answer<Digest> {
        self.inner.close()
    }
}

async fn defective(defect: Defect, times: usize, patience: Duration) -> Running {
    let left = Arc::new(AtomicUsize::new(times));
    let change = |parts: ExecutorConfig| ExecutorConfig {
        state: Arc::new(Defective { inner: parts.state, defect, left, patience }),
        ..parts
    };
    Running::of(ALL, change).await
}

#[tokio::test(flavor = "multi_thread")]
async fn ctr_0022_ctr_0023_a_panic_has_one_response_and_is_on_the_record() {
    for defect in [Defect::Session, Defect::BeforeBegin, Defect::AfterBegin] {
        let running = defective(defect, 1, Duration::ZERO).await;
        let first = ToolRequest { request_id: "first".to_owned(), ..running.request("", append("a", "x")) };
        let response = running.ask(&first).await;
        assert_eq!((code(&response), response.request_id.as_str()), ("INTERNAL", "first"), "{defect:?}");
        assert!(!running.root().join("a").exists(), "{defect:?}");
        assert_eq!(code(&running.ask(&running.request("", append("a", "y"))).await), "DONE", "{defect:?}");
        let kinds = running.verify().await;
        let interrupted = usize::from(defect == Defect::AfterBegin);
        let counts = ["interrupted", "refused", "intent", "result"].map(|kind| count(&kinds, kind));
        assert_eq!(counts, [interrupted, 1, 1 + interrupted, 1], "{defect:?}: {kinds:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn ctr_0022_a_panic_where_refusals_are_recorded_has_one_response_too() {
    // One for the refusal, one for the record of the panic.
    for times in [1, 2] {
        let running = defective(Defect::Refuse, times, Duration::ZERO).await;
        let outside = running.ask(&running.request("", append("/etc/x", "y"))).await;
        assert_eq!((code(&outside), outside.request_id.as_str()), ("INTERNAL", "r"));
        assert_eq!(code(&running.ask(&running.request("", append("/etc/x", "y"))).await), "PATH_ESCAPE");
        assert_eq!(count(&running.verify().await, "refused"), 3 - times);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn ctr_0003_ctr_0022_a_panic_leaves_nobody_waiting_for_its_key() {
    let running = Arc::new(defective(Defect::AfterBegin, 1, Duration::from_millis(300)).await);
    let ask = || {
        let running = Arc::clone(&running);
        tokio::spawn(async move { running.ask(&running.request("key", append("a", "x"))).await })
    };
    let first = ask();
    while count(&seen(&running.state()), "intent") == 0 {
        tokio::task::yield_now().await;
    }
    let others: Vec<_> = (0..WAITING).map(|_| ask()).collect();
    assert_eq!(code(&first.await.unwrap()), "INTERNAL");
    for other in others {
        assert_eq!(code(&other.await.unwrap()), "INTERRUPTED");
    }
    // Nobody knows whether it happened, so it is not done again under this key; under another it is.
    assert_eq!(code(&running.ask(&running.request("key", append("a", "x"))).await), "INTERRUPTED");
    assert_eq!(code(&running.ask(&running.request("other", append("a", "x"))).await), "DONE");
    let kinds = running.verify().await;
    assert_eq!((count(&kinds, "interrupted"), count(&kinds, "refused")), (1, WAITING + 2));
}

#[tokio::test(flavor = "multi_thread")]
async fn ctr_0022_panics_give_back_what_they_held() {
    // More than the acts of one session, and of all sessions, that may be under way.
    let times = ACTS_MAX + ACTS_PER_SESSION_MAX + 1;
    let running = defective(Defect::AfterBegin, times, Duration::ZERO).await;
    for _ in 0..times {
        assert_eq!(code(&running.ask(&running.request("", append("a", "x"))).await), "INTERNAL");
    }
    assert_eq!(code(&running.ask(&running.request("", append("a", "x"))).await), "DONE");
    let kinds = running.verify().await;
    assert_eq!((count(&kinds, "interrupted"), count(&kinds, "refused")), (times, times));
}

/// The state's own thread: when it is gone, nothing can be recorded, and so nothing is done.
#[tokio::test(flavor = "multi_thread")]
async fn ctr_0022_a_panic_of_the_states_own_thread_stops_everything_and_hangs_nobody() {
    use exec_record::{Settings, SqliteState};
    let broken = Arc::new(AtomicUsize::new(0));
    let clock = {
        let broken = Arc::clone(&broken);
        move || {
            let is_writer = std::thread::current().name() == Some("state");
            assert!(!is_writer || broken.load(Ordering::SeqCst) == 0, "made to fail");
            crate::support::now_ms()
        }
    };
    let change = |parts: ExecutorConfig| {
        let settings = Settings { clock: Arc::new(clock), ..Settings::default() };
        let folder = tempfile::tempdir().unwrap().keep();
        let (state, _) = SqliteState::open_with(&folder.join("state"), settings).unwrap();
        ExecutorConfig { state: Arc::new(state), ..parts }
    };
    let running = Running::of(ALL, change).await;
    assert_eq!(code(&running.ask(&running.request("", append("a", "x"))).await), "DONE");
    broken.store(1, Ordering::SeqCst);
    for _ in 0..10 {
        let response = running.ask(&running.request("", append("a", "x"))).await;
        assert_eq!((code(&response), response.request_id.as_str()), ("LEDGER_UNAVAILABLE", "r"));
    }
    assert_eq!(std::fs::read_to_string(running.root().join("a")).unwrap(), "x");
    assert_eq!(running.executor.close().await, Err(StateError::Closed));
}

const WAITING: usize = 16;
