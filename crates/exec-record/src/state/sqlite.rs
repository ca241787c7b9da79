//! A directory -> a state in SQLite: calls go into a queue, and one thread writes many of them at a time.

mod acts;
mod budgets;
mod chains;
mod database;
mod reader;
mod schema;
mod sessions;
mod writer;

pub use acts::{ACTS_RUNNING_MAX, KEYS_PER_SESSION_MAX};
pub use database::Recovered;
pub use reader::{Ledger, LedgerError};
pub use sessions::SESSIONS_MAX;

use std::collections::{BTreeSet, HashMap};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{SystemTime, UNIX_EPOCH};

use exec_base::LockedDirectory;
use tokio::sync::{SetOnce, mpsc, oneshot};

use super::act::{Act, check_judged};
use super::error::{OpenError, StateError};
use super::session::{Token, TokenHash};
use super::{Answer, Begin, Begun, DATABASE, LOCK, NewSession, Session, SessionId, State};
use crate::ledger::{Digest, Refused};
use crate::store::Artifact;
use database::Database;
use writer::{Command, Reply};

/// A state in SQLite. When the last of its handles and acts is dropped, it writes a last checkpoint in the background;
/// [`State::close`] waits for it.
#[derive(Debug)]
pub struct SqliteState {
    queue: mpsc::Sender<Command>,
    shared: Arc<Shared>,
}

/// Settings of a state.
#[derive(Clone)]
pub struct Settings {
    /// Returns milliseconds since 1970.
    pub clock: Arc<dyn Fn() -> u64 + Send + Sync>,
    pub checkpoint_records: u64,
    /// Called at startup with the roots in which acts were interrupted, to clean up after them. It runs before the
    /// interruption is recorded: if it does not finish, the next startup calls it again.
    pub tidy: Arc<Tidy>,
}

/// Cleans up roots, of which there may be none.
pub type Tidy = dyn Fn(&BTreeSet<String>) + Send + Sync;

/// State shared by both ends of the queue.
struct Shared {
    clock: Arc<dyn Fn() -> u64 + Send + Sync>,
    /// Latest time that the clock returned: a session that ended stays ended when the clock is set back.
    latest_ms: AtomicU64,
    /// Active sessions, in memory so that looking one up reads no disk.
    sessions: RwLock<HashMap<TokenHash, Arc<Session>>>,
    /// Why every call fails from now on.
    failure: SetOnce<StateError>,
}

impl SqliteState {
    /// Opens or creates the state in a directory. Acts without a result are recorded as interrupted.
    pub fn open(folder: &Path) -> Result<(Self, Recovered), OpenError> {
        Self::open_with(folder, Settings::default())
    }

    pub fn open_with(folder: &Path, settings: Settings) -> Result<(Self, Recovered), OpenError> {
        let Settings { clock, checkpoint_records, tidy } = settings;
        let folder = LockedDirectory::open(folder, LOCK)?;
        // The files that SQLite adds beside the database get the database's permissions.
        let connection = schema::open(&folder.private_file(DATABASE)?)?;
        let (latest_ms, sessions) = (AtomicU64::new(0), RwLock::default());
        let shared = Arc::new(Shared { clock, latest_ms, sessions, failure: SetOnce::new() });
        let (database, recovered) = Database::open(connection, checkpoint_records, &*tidy, Arc::clone(&shared))?;
        let (queue, commands) = mpsc::channel(QUEUE_MAX);
        let writer = move || writer::run(database, commands, folder);
        std::thread::Builder::new().name("state".to_owned()).spawn(writer).map_err(OpenError::Thread)?;
        Ok((Self { queue, shared }, recovered))
    }

    /// Sends a command at once; the answer arrives when it is durable.
    fn call<T: Send + 'static>(&self, command: impl FnOnce(Reply<T>) -> Command) -> Answer<T> {
        let (reply, answer) = oneshot::channel();
        let sent = self.shared.check().and_then(|()| self.queue.try_send(command(reply)).map_err(|_| BUSY));
        let shared = Arc::clone(&self.shared);
        Box::pin(async move {
            sent?;
            shared.wait(answer).await?
        })
    }
}

impl State for SqliteState {
    fn create_session(&self, session: NewSession) -> Answer<(SessionId, Token)> {
        let token = match session.check().and_then(|()| Token::random()) {
            Ok(token) => token,
            Err(error) => return refused(error),
        };
        let hash = token.hash();
        let answer = self.call(|reply| Command::Create(Box::new(session), hash, reply));
        Box::pin(async move { Ok((answer.await?, token)) })
    }

    fn session(&self, token: &str) -> Answer<Option<Arc<Session>>> {
        let answer = self.shared.check().map(|()| match self.shared.find(&TokenHash::of(token)) {
            TokenState::Active(session) => Some(session),
            TokenState::Over => {
                // The next start is to know it too. Where there is no room in the queue, the next one to ask says it.
                let _ = self.queue.try_send(Command::EndExpired);
                None
            }
            TokenState::Unknown => None,
        });
        Box::pin(std::future::ready(answer))
    }

    fn end_session(&self, session: SessionId) -> Answer<()> {
        self.call(|reply| Command::EndSession(session, reply))
    }

    fn begin(&self, begin: Begin) -> Answer<Begun> {
        if let Err(error) = begin.check() {
            return refused(error);
        }
        // The room for its end is taken before an act begins: an act that happened is never too much to record.
        let Ok(room) = self.queue.clone().try_reserve_owned() else {
            return refused(self.shared.check().err().unwrap_or(BUSY));
        };
        let shared = Arc::clone(&self.shared);
        let act = Box::new(move |number, granted| {
            Act::new(
                number,
                granted,
                Box::new(move |finish| {
                    let (reply, answer) = oneshot::channel();
                    room.send(Command::End(number, finish.map(Box::new), reply));
                    Box::pin(async move { shared.wait(answer).await? })
                }),
            )
        });
        self.call(|reply| Command::Begin(Box::new(begin), act, reply))
    }

    fn refuse(&self, session: Option<SessionId>, refused: Refused) -> Answer<()> {
        match check_judged(&refused.judged) {
            Ok(()) => self.call(|reply| Command::Refuse(session, Box::new(refused), reply)),
            Err(error) => self::refused(error),
        }
    }

    fn turned_away(&self, requests: u64) -> Answer<()> {
        self.call(|reply| Command::TurnedAway(requests, reply))
    }

    fn publish(&self, artifact: Artifact) -> Answer<()> {
        match artifact.check() {
            Ok(()) => self.call(|reply| Command::Publish(Box::new(artifact), reply)),
            Err(error) => refused(error),
        }
    }

    fn artifact(&self, id: &str) -> Answer<Option<Artifact>> {
        self.call(|reply| Command::Artifact(id.to_owned(), reply))
    }

    fn checkpoint(&self) -> Answer<Digest> {
        self.call(Command::Checkpoint)
    }

    fn close(&self) -> Answer<Digest> {
        self.call(Command::Close)
    }
}

impl Shared {
    fn check(&self) -> Result<(), StateError> {
        self.failure.get().cloned().map_or(Ok(()), Err)
    }

    /// A writer that drops its answer has failed; the reason may be set a moment later.
    async fn wait<T>(&self, answer: oneshot::Receiver<T>) -> Result<T, StateError> {
        match answer.await {
            Ok(answer) => Ok(answer),
            Err(_) => Err(self.failure.wait().await.clone()),
        }
    }

    /// The first failure stays.
    fn fail(&self, failure: StateError) {
        let _ = self.failure.set(failure);
    }

    fn latest_ms(&self) -> u64 {
        let now_ms = (self.clock)();
        self.latest_ms.fetch_max(now_ms, Ordering::Relaxed).max(now_ms)
    }

    fn find(&self, hash: &TokenHash) -> TokenState {
        let sessions = self.sessions.read().unwrap_or_else(PoisonError::into_inner);
        match sessions.get_key_value(hash).filter(|(known, _)| known.is(hash)) {
            Some((_, session)) if self.latest_ms() < session.granted.expires_at_ms => {
                TokenState::Active(Arc::clone(session))
            }
            Some(_) => TokenState::Over,
            None => TokenState::Unknown,
        }
    }
}

enum TokenState {
    Active(Arc<Session>),
    Over,
    Unknown,
}

impl Default for Settings {
    fn default() -> Self {
        Self { clock: Arc::new(now_ms), checkpoint_records: CHECKPOINT_RECORDS, tidy: Arc::new(|_| {}) }
    }
}

impl std::fmt::Debug for Shared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Shared").field("failure", &self.failure).finish_non_exhaustive()
    }
}

fn refused<T: Send + 'static>(error: StateError) -> Answer<T> {
    Box::pin(std::future::ready(Err(error)))
}

fn now_ms() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(now.as_millis()).unwrap_or(u64::MAX)
}

/// Calls that wait to be written, and acts that have to be finished.
pub const QUEUE_MAX: usize = 8_192;
const CHECKPOINT_RECORDS: u64 = 1_024;
/// A full queue is written in this time on a slow disk.
const BUSY: StateError = StateError::Busy { retry_after_ms: 100 };
