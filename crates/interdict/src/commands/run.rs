//! `interdict run`: lines of JSON in, lines of JSON out, one session.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use enforce_exec::files::{self, Workspace};
use enforce_exec::ledger::Digest;
use enforce_exec::sandbox::{Sandbox, is_seen_by_commands};
use enforce_exec::state::{NewSession, Scope, Settings, SqliteState};
use enforce_exec::store::ContentStore;
use enforce_exec::{Executor, Loaded, Parts, Programs, Tools};
use prost::Message as _;
use table_format::Pin;
use tokio::runtime::Runtime;
use tool_wire::ToolResponse;
use tool_wire::proto::tool_response;

use super::{layers, state_folder};
use crate::cli::{Links, RunArgs};
use crate::exit::{Outcome, RunError};
use crate::line::{Answered, Ask, Line, Reply};
use crate::lines::{Lines, Next};
use crate::signals::{Signal, Signals};

pub(crate) fn run(args: &RunArgs) -> Result<Outcome, RunError> {
    let tables = tables(args)?;
    let accepted = layers(&args.accept_missing)?;
    let links = match args.links {
        Links::Follow => files::Links::FollowInside,
        Links::Refuse => files::Links::Refuse,
    };
    // As the runtime calls it that asks by tool and action (INVOKE-ROOT).
    let workspace = Workspace::open(&args.root, links)
        .map_err(|error| RunError::new(format!("GovernanceUnavailable: {error}: `{}`", args.root.display())))?;
    let sandbox = Sandbox::new(&accepted).map_err(|error| {
        RunError::new(&error).help("`interdict doctor` shows each layer; --accept-missing LAYER runs without one")
    })?;
    for missing in sandbox.missing() {
        eprintln!("warning: {} is not enforced: {}", missing.layer, missing.why);
    }
    let session = session(args, &tables, &workspace)?;
    let folder = state_folder(args.state.as_ref())?;
    if let Some(above) = folder.parent() {
        fs::create_dir_all(above)
            .map_err(|error| RunError::new(format!("cannot make `{}`: {error}", above.display())))?;
    }
    let folder = apart(&folder, workspace.path())?;
    let programs = Programs::new(&args.programs, &[workspace.path(), &folder]).map_err(|error| {
        let why = "a command could replace programs in the root, and would read a state that is among programs";
        RunError::new(error).help(format!("name folders apart from the root and the state: {why}"))
    })?;
    for path in &args.policy {
        if fs::canonicalize(path).is_ok_and(|path| path.starts_with(workspace.path())) {
            eprintln!("warning: `{}` lies in the root, where commands can change it for the next time", path.display());
        }
    }
    let settings = Settings { tidy: Arc::new(tidy), ..Settings::default() };
    let (state, recovered) = SqliteState::open_with(&folder, settings).map_err(RunError::new)?;
    if recovered.interrupted > 0 {
        eprintln!("warning: {} acts were interrupted when the program last ended", recovered.interrupted);
    }
    let store = ContentStore::local(&folder).map_err(RunError::new)?;
    let tools = Tools::new(workspace, sandbox).map_err(RunError::new)?.with_programs(programs);
    let parts = Parts { state: Arc::new(state), store, tables, tools };
    let executor = Executor::new(parts);
    let runtime = Runtime::new().map_err(RunError::new)?;
    let signals = Signals::listen(&runtime).map_err(RunError::new)?;
    let (session, token) = runtime.block_on(executor.create_session(session)).map_err(RunError::new)?;
    let mut serving = Serving { executor, runtime, signals, token: token.reveal(), number: 0 };
    let served = Lines::of_stdin().and_then(|mut lines| serving.all(&mut lines, &mut io::stdout().lock()));
    let ended = serving.runtime.block_on(serving.executor.end_session(session));
    let closed = serving.runtime.block_on(serving.executor.close());
    ended.map_err(RunError::new)?;
    let served = served.map_err(|error| RunError::new(format!("cannot read or answer: {error}")))?;
    eprintln!("ledger {}", closed.map_err(RunError::new)?);
    Ok(match served {
        Served::All => Outcome::Fine,
        Served::Until(signal) => Outcome::Signalled(signal),
    })
}

/// Removes what acts left that were interrupted, and says so.
fn tidy(roots: &BTreeSet<String>) {
    for root in roots {
        let sweep = |workspace: Workspace| {
            let stop = files::Stop::at(Instant::now() + SWEEP_TIME_MAX);
            workspace.sweep(&stop).map_err(|error| error.to_string())
        };
        let opened = Workspace::open(Path::new(root), files::Links::Refuse).map_err(|error| error.to_string());
        match opened.and_then(sweep) {
            Ok(0) => {}
            Ok(left) => eprintln!("warning: {left} temporary files that were left in `{root}` are removed"),
            Err(why) => eprintln!("warning: temporary files may be left in `{root}`: {why}"),
        }
    }
}

/// The state's own path. Refuses a state that tools could reach, and a root inside the state.
fn apart(state: &Path, root: &Path) -> Result<PathBuf, RunError> {
    let name = state.file_name().unwrap_or_default();
    let above = state.parent().filter(|above| !above.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let above = fs::canonicalize(above).map_err(|error| RunError::new(format!("`{}`: {error}", above.display())))?;
    let state = fs::canonicalize(state).unwrap_or_else(|_| above.join(name));
    if state.starts_with(root) || root.starts_with(&state) {
        let why = format!("the state `{}` and the root `{}` lie in each other", state.display(), root.display());
        return Err(RunError::new(why).help(OTHER_STATE));
    }
    if is_seen_by_commands(&state) {
        let why = format!("the state `{}` lies where commands read the system's files", state.display());
        return Err(RunError::new(why).help(OTHER_STATE));
    }
    Ok(state)
}

/// The policies, and their digests on the standard error.
fn tables(args: &RunArgs) -> Result<Vec<Loaded>, RunError> {
    let mut tables = Vec::new();
    for path in &args.policy {
        let bytes = policyc::load_table(path).map_err(|error| {
            let told = RunError::new(&error);
            match error.help() {
                Some(help) => told.help(help),
                None => told,
            }
        })?;
        let loaded = Loaded::new(bytes, Pin::Unpinned)
            .map_err(|error| RunError::new(format!("cannot use `{}`: {error}", path.display())))?;
        eprintln!("policy {} {}", Digest::from(loaded.digest()), path.display());
        tables.push(loaded);
    }
    Ok(tables)
}

fn session(args: &RunArgs, tables: &[Loaded], workspace: &Workspace) -> Result<NewSession, RunError> {
    let Some(root) = workspace.path().to_str() else {
        return Err(RunError::new("the root's path is no UTF-8"));
    };
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let now_ms = u64::try_from(now.as_millis()).unwrap_or_default();
    Ok(NewSession {
        roles: args.role.clone(),
        scope: if args.lease.is_empty() { Scope::Everything } else { Scope::Only(args.lease.clone()) },
        working_directory: args.cwd.clone(),
        root: root.to_owned(),
        expires_at_ms: now_ms.saturating_add(SESSION_MS_MAX),
        budgets: Vec::new(),
        tables: tables.iter().map(|loaded| loaded.digest().into()).collect(),
    })
}

/// One session, line by line.
struct Serving {
    executor: Executor,
    runtime: Runtime,
    signals: Signals,
    token: String,
    number: u64,
}

/// Why there is nothing more to answer.
enum Served {
    /// The lines are at their end, or their answers are no longer read.
    All,
    Until(Signal),
}

impl Serving {
    /// Answers every line, in its order. A reader of the answers that has seen enough ends it, and so does a signal.
    fn all(&mut self, lines: &mut Lines, out: &mut impl Write) -> io::Result<Served> {
        loop {
            self.number = self.number.saturating_add(1);
            let read = self.runtime.block_on(async {
                tokio::select! {
                    biased;
                    signal = self.signals.came() => Err(signal),
                    line = lines.next() => Ok(line),
                }
            });
            let line = match read {
                Ok(line) => line?,
                Err(signal) => return Ok(Served::Until(signal)),
            };
            let answer = match line {
                Next::End => return Ok(Served::All),
                Next::Line(line) if line.trim_ascii().is_empty() => continue,
                Next::Line(line) => self.answer(&line),
                Next::TooLong => self.unread(&[], Line::too_long()),
            };
            match answer.write(out).and_then(|()| out.flush()) {
                Err(error) if error.kind() == io::ErrorKind::BrokenPipe => return Ok(Served::All),
                other => other?,
            }
        }
    }

    fn answer(&self, text: &[u8]) -> Reply {
        match Line::read(text, &self.token, self.number) {
            Line::Ask(ask) => self.ask(*ask),
            answered @ Line::Answered(_) => self.unread(text, answered),
        }
    }

    fn ask(&self, ask: Ask) -> Reply {
        self.runtime.block_on(async {
            let mut handled = pin!(self.executor.handle(ask.message.encode_to_vec()));
            let bytes = tokio::select! {
                biased;
                bytes = &mut handled => bytes,
                _ = self.signals.came() => {
                    // What runs ends, and that is its answer.
                    self.executor.stop();
                    handled.await
                }
            };
            let response = ToolResponse::decode(bytes.as_slice()).unwrap_or_default();
            let result = match &response.result {
                Some(tool_response::Result::Success(success)) => self.executor.result(success).await,
                _ => Ok(Vec::new()),
            };
            match result {
                Ok(result) => ask.answer(response, result),
                Err(fault) => {
                    let result = Some(tool_response::Result::Error((&fault).into()));
                    ask.answer(ToolResponse { result, ..response }, Vec::new())
                }
            }
        })
    }

    /// What asks for nothing that can be read is on the record too.
    fn unread(&self, text: &[u8], line: Line) -> Reply {
        let Line::Answered(Answered { line, mistake }) = line else {
            return Line::unrecorded("the line was not answered");
        };
        if mistake.is_some() {
            let recorded = self.runtime.block_on(self.executor.refuse_unread(text, line.as_bytes()));
            if let Err(error) = recorded {
                return Line::unrecorded(&error.to_string());
            }
        }
        Reply::Written(line)
    }
}

const OTHER_STATE: &str = "name another folder for the state: --state DIR";
/// A session of this command ends with it, and after this time at the latest: a week.
const SESSION_MS_MAX: u64 = 7 * 24 * 60 * 60 * 1_000;
/// Looking for what was left in a root: most of a million files in this time.
const SWEEP_TIME_MAX: Duration = Duration::from_secs(30);
