//! What the tests of a state have in common.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use enforce_core::Verdict;
use tempfile::TempDir;

use crate::ledger::{Digest, Ending, Event, Judged, Record, Refused, Verified};
use crate::state::Ledger;
use crate::state::{
    Act, Begin, Begun, Charge, Finish, NewSession, Scope, SessionId, Settings, SqliteState, State as _, StoredResponse,
    TouchedPaths,
};
use crate::store::{Inline, Placed};
use crate::text::Text;

/// A state in a folder of its own, at a time of its own.
pub(crate) struct House {
    pub(crate) folder: TempDir,
    pub(crate) now_ms: Arc<AtomicU64>,
    pub(crate) state: Arc<SqliteState>,
}

impl House {
    pub(crate) fn new() -> Self {
        Self::with_checkpoints(1_000)
    }

    pub(crate) fn with_checkpoints(checkpoint_records: u64) -> Self {
        let folder = TempDir::new().unwrap();
        let now_ms = Arc::new(AtomicU64::new(START_MS));
        let state = open(&folder.path().join("state"), &now_ms, checkpoint_records);
        Self { folder, now_ms, state: Arc::new(state) }
    }

    pub(crate) fn path(&self) -> std::path::PathBuf {
        self.folder.path().join("state")
    }

    pub(crate) fn pass_ms(&self, ms: u64) {
        self.now_ms.fetch_add(ms, Ordering::SeqCst);
    }

    /// As a program that stops and starts again.
    pub(crate) async fn again(self) -> Self {
        self.state.close().await.unwrap();
        self.again_closed()
    }

    /// As a program that starts again after one that has let go of its state.
    pub(crate) fn again_closed(self) -> Self {
        let Self { folder, now_ms, state } = self;
        drop(state);
        let state = open(&folder.path().join("state"), &now_ms, 1_000);
        Self { folder, now_ms, state: Arc::new(state) }
    }

    /// The same state in another folder, at the same time.
    pub(crate) async fn copy(&self) -> Self {
        // A checkpoint answers when everything before it is on the disk.
        self.state.checkpoint().await.unwrap();
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("state");
        std::fs::create_dir(&path).unwrap();
        std::fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o700)).unwrap();
        for entry in std::fs::read_dir(self.path()).unwrap() {
            let entry = entry.unwrap();
            std::fs::copy(entry.path(), path.join(entry.file_name())).unwrap();
        }
        let now_ms = Arc::new(AtomicU64::new(self.now_ms.load(Ordering::SeqCst)));
        let state = open(&path, &now_ms, 1_000);
        Self { folder, now_ms, state: Arc::new(state) }
    }

    /// One that lasts for days.
    pub(crate) async fn lasting_session(&self) -> SessionId {
        let lasting = NewSession { expires_at_ms: START_MS + 864_000_000, ..granted() };
        self.state.create_session(lasting).await.unwrap().0
    }

    pub(crate) async fn session(&self) -> SessionId {
        self.state.create_session(granted()).await.unwrap().0
    }

    pub(crate) async fn begin(&self, begin: Begin) -> Begun {
        self.state.begin(begin).await.unwrap()
    }

    /// Every record, after the ledger was found whole.
    pub(crate) fn records(&self) -> Vec<Record> {
        whole(&self.path());
        let mut records = Vec::new();
        Ledger::open(&self.path()).unwrap().each(|record, _| records.push(record)).unwrap();
        records
    }

    pub(crate) fn kinds(&self, chain: u64) -> Vec<&'static str> {
        let records = self.records();
        records.iter().filter(|record| record.chain == chain).map(|record| record.event.kind()).collect()
    }
}

pub(crate) fn open(path: &Path, now_ms: &Arc<AtomicU64>, checkpoint_records: u64) -> SqliteState {
    let clock = Arc::clone(now_ms);
    let settings =
        Settings { clock: Arc::new(move || clock.load(Ordering::SeqCst)), checkpoint_records, ..Settings::default() };
    SqliteState::open_with(path, settings).unwrap().0
}

pub(crate) fn whole(path: &Path) -> Verified {
    match Ledger::open(path).unwrap().verify(None).unwrap() {
        crate::ledger::Verdict::Whole(verified) => verified,
        crate::ledger::Verdict::Broken(faults) => {
            let faults: Vec<String> = faults.iter().map(ToString::to_string).collect();
            panic!("{faults:#?}")
        }
    }
}

pub(crate) fn granted() -> NewSession {
    NewSession {
        roles: vec!["coder".to_owned()],
        scope: Scope::Only(vec!["file.*".to_owned()]),
        working_directory: String::new(),
        root: "/srv/project".to_owned(),
        expires_at_ms: START_MS + 3_600_000,
        budgets: Vec::new(),
        tables: vec![Digest::of(b"table")],
    }
}

pub(crate) fn judged(request: &str) -> Judged {
    Judged {
        request: Digest::of(request.as_bytes()),
        operation: Text::new("file.write"),
        targets: vec![Text::new("src/main.rs")],
        verdict: Verdict::Allow,
        rule: Text::new("edit-sources"),
        code: Text::new("ALLOWED"),
        facts: vec![Text::new("path \"src/main.rs\"")],
        tables: vec![Digest::of(b"table")],
    }
}

pub(crate) fn refused(request: &str) -> Refused {
    let judged = Judged { verdict: Verdict::Deny, code: Text::new("FILE_WRITE_DENIED"), ..judged(request) };
    Refused { judged, response: Digest::of(b"denied") }
}

pub(crate) fn keyless(session: SessionId, request: &str) -> Begin {
    Begin { session, key: None, charges: Vec::new(), judged: judged(request), setting: None }
}

pub(crate) fn keyed(session: SessionId, key: &str, request: &str) -> Begin {
    Begin { key: Some(key.to_owned()), ..keyless(session, request) }
}

pub(crate) fn charged(session: SessionId, charge: Charge) -> Begin {
    Begin { charges: vec![charge], ..keyless(session, "charged") }
}

pub(crate) fn placed(text: &str) -> Placed {
    Placed::Inline(Inline::new(text.as_bytes().to_vec()).unwrap())
}

pub(crate) fn finish(text: &str) -> Finish {
    Finish {
        ending: Ending::Done,
        code: Text::new("OK"),
        response: StoredResponse::Replayable(placed(text)),
        is_final: true,
        duration_ms: 7,
        files: 1,
        bytes: 4_096,
        reached: TouchedPaths::default(),
        settle: Vec::new(),
        exit: None,
    }
}

pub(crate) fn fresh(begun: Begun) -> Act {
    match begun {
        Begun::Fresh(act) => act,
        other => panic!("{other:?}"),
    }
}

/// The results of acts, by the number of their intents in the ledger.
pub(crate) fn finished(records: &[Record]) -> Vec<u64> {
    let number = |chain, sequence| {
        let intent = records.iter().find(|record| record.chain == chain && record.sequence == sequence);
        intent.unwrap().number
    };
    let results = records.iter().filter_map(|record| match &record.event {
        Event::Result(outcome) => Some(number(record.chain, outcome.intent)),
        _ => None,
    });
    results.collect()
}

pub(crate) const START_MS: u64 = 1_760_000_000_000;
