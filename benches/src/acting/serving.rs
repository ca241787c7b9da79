//! Requests by many at once -> how long each waited for its answer: from the whole executor, or from the ledger alone.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use enforce_core::Verdict;
use enforce_exec::ACTS_PER_SESSION_MAX;
use exec_record::{
    Begin, Begun, Digest, Ending, Finish, Judged, Ledger, Refused, SessionId, SqliteState, State, StoredResponse, Text,
    TouchedPaths,
};
use rustix::time::{ClockId, clock_gettime};
use tool_proto::tool_request::Tool;
use tool_proto::tool_response::Result as Answer;
use tool_proto::{FileRead, ShellExec};

use super::asking::Kind;
use super::house::{self, House};

/// One round.
pub(super) struct Served {
    pub(super) seconds: f64,
    /// Of processors, which other work on the machine does not lengthen.
    pub(super) processor_seconds: f64,
    /// Of each request.
    pub(super) waits: Vec<f64>,
}

/// An executor on a folder of its own, with the example policy, and sessions in which many ask.
pub(super) struct Whole {
    state: PathBuf,
    kind: Kind,
    house: House,
    /// What each of those who ask sends again and again.
    requests: Arc<[Vec<u8>]>,
}

impl Whole {
    pub(super) async fn new(folder: &Path, kind: Kind) -> Self {
        let (root, state) = (folder.join("root"), folder.join("state"));
        fs::create_dir_all(root.join("src")).expect("a folder");
        fs::write(root.join(PERMITTED), vec![b'x'; READ_BYTES]).expect("a file");
        let house = House::new(&root, &state);
        let mut tokens = Vec::new();
        for _ in 0..kind.in_flight().div_ceil(ACTS_PER_SESSION_MAX) {
            tokens.push(house.session("").await);
        }
        let asked =
            |who: usize| house::request(format!("request-{who:08}"), &tokens[who % tokens.len()], tool(kind, who));
        let requests = (0..kind.in_flight()).map(asked).collect();
        let whole = Self { state, kind, house, requests };
        whole.check().await;
        whole
    }

    /// What is measured is what it is called.
    async fn check(&self) {
        match (self.kind, self.house.answer(self.requests[0].clone()).await) {
            (Kind::Refused, Answer::Denied(denied)) => assert_eq!(denied.rationale_code, "SECRET_PATH"),
            (Kind::RefusedLine, Answer::Denied(denied)) => assert_eq!(denied.rationale_code, "SHELL_EXEC_DENIED"),
            (Kind::Permitted, Answer::Success(success)) => assert_eq!(success.inline_result.len(), READ_BYTES),
            (kind, other) => panic!("{kind:?}: {other:?}"),
        }
    }

    pub(super) async fn serve(&self, requests: usize) -> Served {
        let kind = self.kind;
        let (executor, bytes) = (self.house.executor.clone(), Arc::clone(&self.requests));
        let ask = move |who: usize| {
            let (executor, request) = (executor.clone(), bytes[who].clone());
            async move {
                let response = executor.handle(request).await;
                // Each is as long as the first that was looked at, or longer by the digits of a duration.
                assert!(response.encode().len() > if kind == Kind::Permitted { READ_BYTES } else { DENIAL_BYTES_MIN });
            }
        };
        by_many(kind.in_flight(), requests, ask).await
    }

    /// Every request is on the record, and nothing else.
    pub(super) async fn verify(self, requests: usize) {
        self.house.executor.close().await.expect("it closes");
        // One was looked at.
        verify(&self.state, self.kind, requests + 1);
    }
}

/// A state on a folder of its own, which is given records that are as large as the executor's.
pub(super) struct LedgerAlone {
    path: PathBuf,
    kind: Kind,
    state: Arc<dyn State>,
    session: SessionId,
}

impl LedgerAlone {
    pub(super) async fn new(path: &Path, kind: Kind) -> Self {
        fs::create_dir_all(path).expect("a folder");
        house::private(path);
        let (state, _) = SqliteState::open(path).expect("a state");
        let state: Arc<dyn State> = Arc::new(state);
        let session = house::session("/srv/project".to_owned(), "", Digest::of(b"table"));
        let (session, _) = state.create_session(session).await.expect("a session");
        Self { path: path.to_owned(), kind, state, session }
    }

    pub(super) async fn serve(&self, requests: usize) -> Served {
        let (kind, session, state, judged) = (self.kind, self.session, Arc::clone(&self.state), judged(self.kind));
        let ask = move |_| {
            let (state, judged) = (Arc::clone(&state), judged.clone());
            async move {
                match kind {
                    Kind::Refused | Kind::RefusedLine => {
                        let refused = Refused { judged, response: Digest::of(b"denied") };
                        state.refuse(Some(session), refused).await.expect("a record");
                    }
                    Kind::Permitted => {
                        let begin = Begin { session, key: None, charges: Vec::new(), judged, setting: None };
                        let begun = state.begin(begin).await.expect("a record");
                        let Begun::Fresh(act) = begun else { panic!("{begun:?}") };
                        act.finish(finish()).await.expect("a record");
                    }
                }
            }
        };
        by_many(kind.in_flight(), requests, ask).await
    }

    pub(super) async fn verify(self, requests: usize) {
        self.state.close().await.expect("it closes");
        verify(&self.path, self.kind, requests);
    }
}

/// As many at once as said, each asking again when it has its answer.
async fn by_many<F: Future<Output = ()> + Send + 'static>(
    in_flight: usize,
    requests: usize,
    ask: impl Fn(usize) -> F + Clone + Send + 'static,
) -> Served {
    let each = requests / in_flight;
    let (start, used) = (Instant::now(), processor_seconds());
    let ask_again = |who: usize| {
        let ask = ask.clone();
        async move {
            let mut waits = Vec::with_capacity(each);
            for _ in 0..each {
                let start = Instant::now();
                ask(who).await;
                waits.push(start.elapsed().as_secs_f64());
            }
            waits
        }
    };
    let tasks: Vec<_> = (0..in_flight).map(|who| tokio::spawn(ask_again(who))).collect();
    let mut waits = Vec::with_capacity(requests);
    for task in tasks {
        waits.extend(task.await.expect("no task panics"));
    }
    let processor_seconds = processor_seconds() - used;
    Served { seconds: start.elapsed().as_secs_f64(), processor_seconds, waits }
}

fn processor_seconds() -> f64 {
    let used = clock_gettime(ClockId::ProcessCPUTime);
    used.tv_sec as f64 + used.tv_nsec as f64 / 1e9
}

fn verify(state: &Path, kind: Kind, requests: usize) {
    let ledger = Ledger::open(state).expect("a ledger");
    assert!(matches!(ledger.verify(None).expect("a ledger"), exec_record::Verdict::Whole(_)), "the ledger is whole");
    let wanted: &[&str] = match kind {
        Kind::Refused | Kind::RefusedLine => &["refused"],
        Kind::Permitted => &["intent", "result"],
    };
    let mut found = 0;
    let count = |record: exec_record::Record, _| found += usize::from(wanted.contains(&record.event.kind()));
    ledger.each(count).expect("a ledger");
    assert_eq!(found, requests * wanted.len(), "every request is on the record");
}

fn tool(kind: Kind, who: usize) -> Tool {
    let read = |path| Tool::FileRead(FileRead { path, offset: 0, limit: 0 });
    match kind {
        Kind::Refused => read(format!("src/services/service-{who:04}/{DENIED}")),
        Kind::RefusedLine => Tool::ShellExec(ShellExec { command: format!("{LINE} {who:04}"), ..ShellExec::default() }),
        Kind::Permitted => read(PERMITTED.to_owned()),
    }
}

fn judged(kind: Kind) -> Judged {
    let (verdict, rule, code, target) = match kind {
        Kind::Refused => (Verdict::Deny, "secret-files", "SECRET_PATH", "src/services/service-0000/.env.production"),
        Kind::RefusedLine => (Verdict::Deny, "default-deny", "SHELL_EXEC_DENIED", LINE),
        Kind::Permitted => (Verdict::Allow, "read-sources", "ALLOWED", PERMITTED),
    };
    Judged {
        request: Digest::of(b"request"),
        operation: Text::new("file.read"),
        targets: vec![Text::new(target)],
        verdict,
        rule: Text::new(rule),
        code: Text::new(code),
        tables: vec![Digest::of(b"table")],
        facts: vec![Text::new(format!("path {target:?} name {target:?} offset 0"))],
    }
}

fn finish() -> Finish {
    Finish {
        ending: Ending::Done,
        code: Text::new("DONE"),
        response: StoredResponse::DigestOnly(Digest::of(&[7; READ_BYTES])),
        is_final: true,
        duration_ms: 1,
        files: 1,
        bytes: 4_096,
        reached: TouchedPaths::default(),
        settle: Vec::new(),
        exit: None,
    }
}

const DENIED: &str = ".env.production";
/// As agents write them: several commands, a quoted word, and an option that is looked at for a secret.
const LINE: &str = "cd services && npm run build -- --mode production && scp -r 'dist/assets' deploy@server:/srv/www";
const PERMITTED: &str = "src/configuration.rs";
const READ_BYTES: usize = 4_096;
/// Shorter than every denial, longer than most other answers.
const DENIAL_BYTES_MIN: usize = 80;
