//! `interdict run`: lines of JSON in, lines of JSON out, one session.

use std::fs;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use enforce_exec::files::{self, RootError, Workspace};
use enforce_exec::sandbox::{Sandbox, is_visible_to_commands};
use enforce_exec::{Executor, ExecutorConfig, LoadedPolicy, Programs, Tools, Variables};
use exec_record::{ContentStore, Digest, NewSession, Scope, Settings, SqliteState, StateError, Tidy};
use policy_judge::{CheckOptions, load_table};
use prost::Message as _;
use table_format::Pin;
use tokio::runtime::Runtime;
use tool_proto::ToolResponse;
use tool_proto::tool_response;

use super::{layers, state_directory};
use crate::cli::{Links, RunArgs};
use crate::exit::{Outcome, RunError, say};
use crate::line::{Ask, Line, Reply};
use crate::signals::{Signal, Signals};
use crate::stdio::{Input, Lines, Replies};

pub(crate) fn run(args: &RunArgs) -> Result<Outcome, RunError> {
    let tables = tables(args)?;
    let accepted = layers(&args.accept_missing)?;
    let links = match args.links {
        Links::Follow => files::Links::FollowInside,
        Links::Refuse => files::Links::Refuse,
    };
    let workspace = workspace(args.root.as_deref(), links)?;
    let sandbox = Sandbox::new(&accepted).map_err(|error| {
        RunError::new(&error).help("`interdict doctor` shows each layer; --accept-missing LAYER runs without one")
    })?;
    for missing in sandbox.missing() {
        say(format_args!("warning: {} is not enforced: {}", missing.layer, missing.why));
    }
    warn_of_no_grant(&tables, &args.role);
    let session = session(args, &tables, &workspace)?;
    let folder = state_directory(args.state.as_ref())?;
    if let Some(above) = folder.parent() {
        fs::create_dir_all(above)
            .map_err(|error| RunError::new(format!("cannot create `{}`: {error}", above.display())))?;
    }
    let folder = separate_state(&folder, workspace.path())?;
    let programs = Programs::new(&args.programs, &[workspace.path(), &folder]).map_err(|error| {
        let why = "a command could replace programs in the root and read a state among programs";
        RunError::new(error).help(format!("name directories that do not overlap with the root or the state: {why}"))
    })?;
    let variables = variables(args, workspace.path())?;
    for path in &args.policy {
        if fs::canonicalize(path).is_ok_and(|path| path.starts_with(workspace.path())) {
            say(format_args!(
                "warning: `{}` is inside the root, where commands can change it for the next run",
                path.display()
            ));
        }
    }
    let settings = Settings { tidy: tidy(&folder), ..Settings::default() };
    let (state, recovered) = SqliteState::open_with(&folder, settings).map_err(RunError::new)?;
    if recovered.interrupted > 0 {
        say(format_args!("warning: {} operations were interrupted when the program last ended", recovered.interrupted));
    }
    let store = ContentStore::local(&folder).map_err(RunError::new)?;
    let journal = files::Journal::open(&folder).map_err(RunError::new)?;
    let tools = Tools::new(workspace.with_journal(journal), sandbox)
        .map_err(RunError::new)?
        .with_programs(programs)
        .with_variables(variables);
    let parts = ExecutorConfig { state: Arc::new(state), store, tables, tools };
    let executor = Executor::new(parts);
    let runtime = Runtime::new().map_err(RunError::new)?;
    let signals = Signals::listen(&runtime).map_err(RunError::new)?;
    let (session, token) = runtime.block_on(executor.create_session(session)).map_err(RunError::new)?;
    let mut serving = Serving { executor, runtime, signals, token: token.reveal(), number: 0 };
    let served = Lines::of_stdin().and_then(|lines| serving.all(lines, Replies::to_stdout()?));
    let ended = serving.runtime.block_on(serving.executor.end_session(session));
    let closed = serving.runtime.block_on(serving.executor.close());
    match ended {
        // The session has expired.
        Ok(()) | Err(StateError::UnknownSession) => {}
        Err(error) => return Err(RunError::new(error)),
    }
    let served = served.map_err(|error| RunError::new(format!("cannot read or answer: {error}")))?;
    say(format_args!("ledger {}", closed.map_err(RunError::new)?));
    Ok(match served {
        Served::All => Outcome::Fine,
        Served::Until(signal) => Outcome::Signalled(signal),
    })
}

/// Recovers from interrupted operations and prints what was done.
fn tidy(state: &Path) -> Arc<Tidy> {
    let state = state.to_owned();
    Arc::new(move |roots| {
        let stop = files::Stop::at(Instant::now() + SWEEP_TIME_MAX);
        files::recover(&state, roots, &stop).iter().for_each(|result| say(format_args!("warning: {result}")));
    })
}

/// Returns the variables of commands, and those that requests may set.
fn variables(args: &RunArgs, root: &Path) -> Result<Variables, RunError> {
    let mut variables = Variables::default();
    for secret in &args.secret {
        let (name, file) = secret.split_once('=').ok_or_else(|| {
            RunError::new(format!("`{secret}` is not a secret")).help("name a variable and a file: --secret TOKEN=FILE")
        })?;
        let unusable =
            |why: &dyn std::fmt::Display| RunError::new(format!("the secret in `{file}` cannot be used: {why}"));
        let path = fs::canonicalize(file).map_err(|error| unusable(&error))?;
        if path.starts_with(root) {
            let help = "keep it outside the root, where requests could read it as a file";
            return Err(unusable(&"it is inside the root").help(help));
        }
        let mut value = String::new();
        let opened = fs::File::open(&path).map_err(|error| unusable(&error))?;
        opened.take(SECRET_BYTES_MAX + 1).read_to_string(&mut value).map_err(|error| unusable(&error))?;
        if value.len() as u64 > SECRET_BYTES_MAX {
            return Err(unusable(&format_args!("it has more than {SECRET_BYTES_MAX} bytes")));
        }
        let value = value.strip_suffix('\n').map_or(value.as_str(), |value| value.strip_suffix('\r').unwrap_or(value));
        variables = variables.secret(name, value).map_err(|error| unusable(&error))?;
    }
    for name in &args.request_env {
        let refused = |error| RunError::new(format!("requests cannot be allowed to set `{name}`: {error}"));
        variables = variables.settable(name).map_err(refused)?;
    }
    Ok(variables)
}

/// Returns the canonical path of the state. Fails when tools could reach it, and when the root is inside it.
fn separate_state(state: &Path, root: &Path) -> Result<PathBuf, RunError> {
    let name = state.file_name().unwrap_or_default();
    let above = state.parent().filter(|above| !above.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let above = fs::canonicalize(above).map_err(|error| RunError::new(format!("`{}`: {error}", above.display())))?;
    let state = fs::canonicalize(state).unwrap_or_else(|_| above.join(name));
    if state.starts_with(root) || root.starts_with(&state) {
        let why = format!("the state `{}` and the root `{}` overlap", state.display(), root.display());
        return Err(RunError::new(why).help(OTHER_STATE));
    }
    if is_visible_to_commands(&state) {
        let why = format!("the state `{}` is inside a system directory that commands can read", state.display());
        return Err(RunError::new(why).help(OTHER_STATE));
    }
    Ok(state)
}

/// Loads the policies and prints their digests to standard error.
fn tables(args: &RunArgs) -> Result<Vec<LoadedPolicy>, RunError> {
    let mut tables = Vec::new();
    for path in &args.policy {
        let bytes = load_table(path, CheckOptions::default()).map_err(|error| {
            error.findings().for_each(|finding| say(format_args!("{finding}")));
            let failed = RunError::new(&error);
            match error.help() {
                Some(help) => failed.help(help),
                None => failed,
            }
        })?;
        let loaded = LoadedPolicy::new(bytes, Pin::Unpinned)
            .map_err(|error| RunError::new(format!("cannot use `{}`: {error}", path.display())))?;
        say(format_args!("policy {} {}", Digest::from(loaded.digest()), path.display()));
        tables.push(loaded);
    }
    Ok(tables)
}

/// Opens the root. The error has the name that the runtime of invocations expects (INVOKE-ROOT).
fn workspace(root: Option<&Path>, links: files::Links) -> Result<Workspace, RunError> {
    let opened = root.ok_or(RootError::Unset).and_then(|root| Workspace::open(root, links));
    opened.map_err(|error| {
        let which = root.map_or_else(String::new, |root| format!(": `{}`", root.display()));
        RunError::new(format!("GovernanceUnavailable: {error}{which}")).help(root_help(&error))
    })
}

/// Returns advice for a root that cannot be used.
fn root_help(error: &RootError) -> &'static str {
    match error {
        RootError::Unset | RootError::Missing | RootError::NotAFolder => {
            "name an existing directory that requests are confined to: --root DIR"
        }
        RootError::FileSystem => "name a directory on a file system with case-sensitive names: --root DIR",
        RootError::NoContainment => "Linux 5.6 or newer is required",
        RootError::Io(_) => "name a directory that you may read and enter: --root DIR",
    }
}

/// Warns of a policy that allows nothing to these roles: every request would be denied without a useful reason.
fn warn_of_no_grant(tables: &[LoadedPolicy], roles: &[String]) {
    for table in tables.iter().filter(|table| !table.grants(roles)) {
        let name = table.name();
        let known: Vec<&str> = table.role_names().collect();
        let known =
            if known.is_empty() { "it has no roles".to_owned() } else { format!("its roles are {}", known.join(", ")) };
        match roles {
            [] => say(format_args!(
                "warning: `{name}` allows nothing without --role, so every request will be denied; {known}"
            )),
            roles => say(format_args!(
                "warning: `{name}` allows nothing to {}, so every request will be denied; {known}",
                roles.join(", ")
            )),
        }
    }
}

fn session(args: &RunArgs, tables: &[LoadedPolicy], workspace: &Workspace) -> Result<NewSession, RunError> {
    let Some(root) = workspace.path().to_str() else {
        return Err(RunError::new("the path of the root must be UTF-8"));
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

/// A session that is served line by line.
struct Serving {
    executor: Executor,
    runtime: Runtime,
    signals: Signals,
    token: String,
    number: u64,
}

/// The reason a session ended.
enum Served {
    /// The input ended, or the output was closed.
    All,
    Until(Signal),
}

impl Serving {
    /// Answers the lines in order, until the input ends, the output is closed or a signal arrives.
    fn all(&mut self, mut lines: Lines, mut replies: Replies) -> io::Result<Served> {
        loop {
            self.number = self.number.saturating_add(1);
            let read = self.runtime.block_on(async {
                tokio::select! {
                    biased;
                    signal = self.signals.received() => Err(signal),
                    line = lines.next() => Ok(line),
                }
            });
            let line = match read {
                Ok(line) => line?,
                Err(signal) => return Ok(Served::Until(signal)),
            };
            let reply = match line {
                Input::End => return Ok(Served::All),
                Input::Line(line) if line.trim_ascii().is_empty() => continue,
                Input::Line(line) => self.reply(&line),
                Input::TooLong(digest) => self.reply_to(Line::too_long(), || digest),
            };
            match self.write(reply, &mut replies) {
                Ok(Err(error)) if error.kind() == io::ErrorKind::BrokenPipe => return Ok(Served::All),
                Ok(written) => written?,
                Err(signal) => {
                    say(format_args!("warning: the last reply was not read within {} s", UNREAD_TIME_MAX.as_secs()));
                    return Ok(Served::Until(signal));
                }
            }
        }
    }

    /// Writes a reply, and waits for its reader; after a signal only for [`UNREAD_TIME_MAX`].
    fn write(&self, reply: Reply, replies: &mut Replies) -> Result<io::Result<()>, Signal> {
        self.runtime.block_on(async {
            let mut written = pin!(replies.write(reply));
            tokio::select! {
                biased;
                written = &mut written => Ok(written),
                signal = self.signals.received() => {
                    tokio::time::timeout(UNREAD_TIME_MAX, written).await.map_err(|_| signal)
                }
            }
        })
    }

    fn reply(&self, text: &[u8]) -> Reply {
        self.reply_to(Line::read(text, &self.token, self.number), || Digest::of(text))
    }

    fn reply_to(&self, line: Line, digest: impl FnOnce() -> Digest) -> Reply {
        match line {
            Line::Ask(ask) => self.ask(*ask),
            Line::Answered { reply, is_invalid: false } => Reply::Text(reply),
            // A line that nothing could be made of is recorded too.
            Line::Answered { reply, is_invalid: true } => {
                let recorded = self.runtime.block_on(self.executor.refuse_unreadable(digest(), reply.as_bytes()));
                recorded.map_or_else(|error| Reply::not_recorded(&error.to_string()), |()| Reply::Text(reply))
            }
        }
    }

    fn ask(&self, ask: Ask) -> Reply {
        self.runtime.block_on(async {
            let mut handled = pin!(self.executor.handle(ask.message.encode_to_vec()));
            let response = tokio::select! {
                biased;
                response = &mut handled => response,
                _ = self.signals.received() => {
                    // The request is cancelled, and gets its response.
                    self.executor.stop();
                    handled.await
                }
            };
            let (class, response) = (response.refusal_class(), response.into_message());
            let result = match &response.result {
                Some(tool_response::Result::Success(success)) => self.executor.result(success).await,
                _ => Ok(Vec::new()),
            };
            match result {
                Ok(result) => ask.reply(response, class, result),
                Err(fault) => {
                    let result = Some(tool_response::Result::Error((&fault).into()));
                    ask.reply(ToolResponse { result, ..response }, None, Vec::new())
                }
            }
        })
    }
}

/// The time that a reader has for the last reply after a signal.
const UNREAD_TIME_MAX: Duration = Duration::from_secs(5);
const OTHER_STATE: &str = "name another directory for the state: --state DIR";
/// A session ends with the program, and after a week at the latest.
const SESSION_MS_MAX: u64 = 7 * 24 * 60 * 60 * 1_000;
/// The time for the search for temporary files in a root, enough for most of a million files.
const SWEEP_TIME_MAX: Duration = Duration::from_secs(30);
const SECRET_BYTES_MAX: u64 = 64 << 10;
