//! The tools that run commands: judged requests -> runs in the sandbox, and their results.

use std::fmt;
use std::time::Duration;

use enforce_core::path::tested;
use enforce_core::shell::{Line, ShellError};
use enforce_core::wire::{ProcList, PytestRun, ShellExecExtended, ShellInline, Texts};
use exec_base::Stopped;
use exec_record::Text;

use super::{Acting, json};
use crate::act::{Failed, Output};
use crate::charges::ImpliedOperation;
use crate::fault::{Fault, FaultCode};
use crate::measures::{OUTPUT, PROCESSES, output_max, timeout};
use crate::response::{Outcome, invalid};
use crate::results::Ran;
use crate::sandbox::{
    AllowError, Exit, Folder, INVOKE_OUTPUT_MAX, Limits, OutputLimits, PYTEST_NOT_FOUND, Plan, ProcessList,
    ProcessListError, ProcessQuery, Pytest, RunResult, SHELL_OUTPUT_MAX, SearchPath, Task, TaskError, list_processes,
    run,
};

/// Everything about a run but its command.
struct RunSettings<'r> {
    cwd: &'r str,
    timeout_ms: u64,
    has_network: bool,
    env: Texts<'r>,
    stdin: &'r [u8],
    caps: OutputLimits,
}

impl Acting<'_, '_> {
    /// Runs a line, command by command as it was judged. No shell reads it.
    pub(super) fn exec(&self, exec: &ShellExecExtended<'_>) -> Result<Output, Failed> {
        let path = self.tools.programs.path();
        let task = match Line::new(exec.command.as_bytes()) {
            // The policy has judged each name; here the program only has to exist.
            Ok(line) => Task::line(&line, |name| {
                path.find(name).ok_or_else(|| AllowError::NotFound(String::from_utf8_lossy(name).into_owned()))
            })
            .map_err(|error| match &error {
                TaskError::Program(_) => fault(FaultCode::CommandNotFound, &error),
                TaskError::TooManyCommands | TaskError::LongPipeline => fault(FaultCode::Command, &error),
            })?,
            // A rule permits this line although the judge could not read it: a shell gives it its meaning.
            Err(ShellError::Complex { .. }) => script(path, SHELL, exec.command)?,
            Err(ShellError::Invalid { .. }) => return Err(fault(FaultCode::Command, &"no shell would run the line")),
        };
        let setting = RunSettings {
            cwd: exec.cwd,
            timeout_ms: exec.timeout_ms,
            has_network: exec.network_access,
            env: exec.env,
            stdin: exec.stdin,
            caps: self.caps(),
        };
        self.run(task, &setting)
    }

    /// Runs a script under its interpreter (SEC-INLINE).
    pub(super) fn inline(&self, inline: &ShellInline<'_>) -> Result<Output, Failed> {
        let path = self.tools.programs.path();
        let setting = RunSettings {
            cwd: inline.cwd,
            timeout_ms: inline.timeout_ms,
            has_network: inline.network_access,
            env: inline.env,
            stdin: &[],
            caps: self.caps(),
        };
        self.run(script(path, inline.interpreter, inline.script)?, &setting)
    }

    /// Runs tests, and reads nothing into what they print (INVOKE-PYTEST).
    pub(super) fn pytest(&self, run: &PytestRun<'_>) -> Result<Output, Failed> {
        // Where a link leads is what pytest runs. What is not there is left to pytest to say.
        for tests in run.paths.iter() {
            let path = self.path(tested(tests.as_bytes()))?;
            self.workspace.judge_links(&path, &mut |path| self.judge(path)).map_err(|error| error.at(&path))?;
        }
        let path = self.tools.programs.path();
        let pytest = Pytest::find(path).map_err(|error| fault(FaultCode::CommandNotFound, &error))?;
        let paths: Vec<Vec<u8>> = run.paths.iter().map(|path| path.as_bytes().to_owned()).collect();
        let setting = RunSettings {
            cwd: "",
            timeout_ms: run.timeout_ms,
            has_network: run.network_access,
            env: Texts::default(),
            stdin: &[],
            caps: OutputLimits::Together(output_max(INVOKE_OUTPUT_MAX, self.obligations)),
        };
        let (cmd, ran) = self.ran(pytest.task(&paths), &setting)?;
        if pytest.is_missing(&ran) {
            return Err(fault(FaultCode::CommandNotFound, PYTEST_NOT_FOUND));
        }
        run_output(cmd, &ran)
    }

    /// Lists the processes of the executor's own user.
    pub(super) fn processes(&self, list: &ProcList<'_>) -> Result<Output, Failed> {
        let Some(most) = PROCESSES.most(list.limit, self.obligations) else {
            return json(&ProcessList { processes: Vec::new(), truncated: true }, 0, 0);
        };
        let order = ProcessQuery { filter: list.filter, limit: most.get() };
        let stop = self.call.stop_after(self.time(LIST_TIME));
        let listed = list_processes(order, &redacted, &stop).map_err(|error| match &error {
            ProcessListError::Filter(_) => fault(FaultCode::BadPattern, &error),
            ProcessListError::NotShown(_) => fault(FaultCode::Command, &error),
            ProcessListError::Stopped(Stopped::Cancelled) => fault(FaultCode::Cancelled, &error),
            ProcessListError::Stopped(Stopped::TimedOut) => fault(FaultCode::Timeout, &error),
        })?;
        let count = listed.processes.len();
        Ok(json(&listed, 0, 0)?.returning(count))
    }

    /// Refuses variables that could change what runs.
    pub(super) fn check_variables(&self, env: &Texts<'_>) -> Result<Vec<ImpliedOperation>, Outcome> {
        let name_of = |entry: &str| entry.split('=').next().unwrap_or_default().to_owned();
        let is_settable = |entry: &str| is_harmless(entry) || self.tools.variables.is_settable(&name_of(entry));
        match env.iter().find(|entry| !is_settable(entry)) {
            Some(entry) => {
                let name = name_of(entry);
                Err(invalid(format!("the variable `{}` is not one that a request may set", name.escape_debug())))
            }
            None => Ok(Vec::new()),
        }
    }

    fn run(&self, task: Task, setting: &RunSettings<'_>) -> Result<Output, Failed> {
        let (cmd, ran) = self.ran(task, setting)?;
        run_output(cmd, &ran)
    }

    /// Runs a task to its end; returns its words too.
    fn ran(&self, task: Task, setting: &RunSettings<'_>) -> Result<(Vec<String>, RunResult), Failed> {
        let folder = self.path(setting.cwd)?;
        let working_directory = self.workspace.open_folder(&folder, &mut |path| self.judge(path));
        let working_directory = working_directory.map_err(|error| error.at_folder(&folder))?;
        let unusable = |error: &dyn fmt::Display| fault(FaultCode::Command, error);
        let working_directory = Folder::new(working_directory).map_err(|error| unusable(&error))?;
        let root = self.workspace.root_handle().map_err(|error| unusable(&error))?;
        let root = Folder::new(root).map_err(|error| unusable(&error))?;
        if root.path() != self.workspace.path() {
            return Err(unusable(&"the root is not where it was"));
        }
        let variables = &self.tools.variables;
        let configured = variables.environment(self.tools.programs.path());
        let environment =
            configured.and_then(|all| all.request(setting.env.iter())).map_err(|error| unusable(&error))?;
        let cmd = words(&task);
        let plan = Plan {
            task,
            working_directory: &working_directory,
            environment,
            stdin: setting.stdin,
            timeout: timeout(setting.timeout_ms, self.obligations),
            output_limits: setting.caps,
            network: setting.has_network,
            read: self.tools.programs.folders(),
            write: std::slice::from_ref(&root),
            limits: Limits::default(),
        };
        let stop = self.call.stop_of_command().map_err(|error| unusable(&error))?;
        let ran = run(&self.tools.sandbox, plan, &stop).map_err(|error| unusable(&error))?;
        if ran.exit == Exit::Cancelled {
            return Err(fault(FaultCode::Cancelled, &ran.exit));
        }
        Ok((cmd, ran))
    }

    /// The caps on output: the usual number of bytes for each stream, and the policy's limit for both together.
    fn caps(&self) -> OutputLimits {
        let Some(most) = self.obligations.most(OUTPUT) else { return OutputLimits::Each(SHELL_OUTPUT_MAX) };
        OutputLimits::Both { each: SHELL_OUTPUT_MAX, together: usize::try_from(most).unwrap_or(usize::MAX) }
    }
}

fn redacted(command_line: &[u8]) -> String {
    Text::of_words(command_line).as_str().to_owned()
}

/// The output of a run.
fn run_output(cmd: Vec<String>, ran: &RunResult) -> Result<Output, Failed> {
    let bytes = ran.stdout.total_bytes.saturating_add(ran.stderr.total_bytes);
    let kept = ran.stdout.bytes.len().saturating_add(ran.stderr.bytes.len());
    let output = json(&Ran::new(cmd, ran), 0, bytes)?.returning(kept);
    Ok(Output { exit: Some(ran.exit), ..output })
}

/// True if a variable changes nothing but a program's messages. No list of dangerous variables is complete, so this is a list
/// of harmless ones, with values that name no file.
fn is_harmless(entry: &str) -> bool {
    let (name, value) = entry.split_once('=').unwrap_or((entry, ""));
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._-+,@ ".contains(&byte);
    let is_known = HARMLESS.contains(&name) || HARMLESS_STARTS.iter().any(|start| name.starts_with(start));
    let is_nothing = value.is_empty() && HARMLESS_EMPTY.contains(&name);
    is_nothing || is_known && value.bytes().all(is_plain)
}

fn script(path: &SearchPath, interpreter: &str, text: &str) -> Result<Task, Failed> {
    let found = path.interpreter(interpreter).map_err(|error| fault(FaultCode::CommandNotFound, &error))?;
    Ok(Task::script(found, interpreter, text.as_bytes().to_owned()))
}

/// The words of all commands, and what joins them.
fn words(task: &Task) -> Vec<String> {
    task.words().map(|word| String::from_utf8_lossy(word).into_owned()).collect()
}

fn fault(code: FaultCode, why: &(impl fmt::Display + ?Sized)) -> Failed {
    Failed::Fault(Fault::new(code, why.to_string()))
}

/// Language, time, terminals, and the output of everyday tools.
const HARMLESS: &[&str] = &[
    "CI",
    "CLICOLOR",
    "CLICOLOR_FORCE",
    "COLUMNS",
    "FORCE_COLOR",
    "LANG",
    "LANGUAGE",
    "LINES",
    "NO_COLOR",
    "NODE_ENV",
    "PYTHONDONTWRITEBYTECODE",
    "PYTHONHASHSEED",
    "PYTHONUNBUFFERED",
    "RUST_BACKTRACE",
    "RUST_LOG",
    "SOURCE_DATE_EPOCH",
    "TERM",
    "TZ",
];
/// Harmless when empty.
const HARMLESS_EMPTY: &[&str] = &["RUSTFLAGS"];
const HARMLESS_STARTS: &[&str] = &["CARGO_TERM_", "LC_"];
/// As for a search of files.
const LIST_TIME: Duration = Duration::from_secs(10);
/// The shell for lines that only a shell understands.
const SHELL: &str = "sh";

#[cfg(test)]
mod tests {
    use std::io::Read as _;
    use std::process::{Command, Stdio};

    use super::{is_harmless, redacted};
    use crate::files::Stop;
    use crate::sandbox::{ProcessQuery, list_processes};

    #[test]
    fn tool_proc_list_redacts_secrets() {
        let marker = format!("marker{:x}", fastrand::u64(..));
        let hidden = ["hunter2hunter2", "s3cr3tvalue99", "passw0rdpassw0rd", "it's behind", "a blank"];
        let words = [
            marker.clone(),
            format!("--password={}", hidden[0]),
            format!("API_TOKEN={}", hidden[1]),
            format!("https://user:{}@example.com/", hidden[2]),
            "--password".to_owned(),
            format!("{} {}", hidden[3], hidden[4]),
            format!("PASSWORD={} {}", hidden[3], hidden[4]),
        ];
        let mut command = Command::new("/bin/sh");
        command.args(["-c", "exec 0<&0; echo; read line"]).args(words).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut sleeper = command.spawn().unwrap();
        // Its command line is there when it has written something.
        sleeper.stdout.as_mut().unwrap().read_exact(&mut [0]).unwrap();
        let listed = |filter: &str| {
            list_processes(ProcessQuery { filter, limit: 0 }, &redacted, &Stop::on_request()).unwrap().processes
        };
        let shown = listed(&marker);
        let found: Vec<_> = hidden.into_iter().flat_map(listed).collect();
        sleeper.kill().unwrap();
        sleeper.wait().unwrap();
        assert!(hidden.iter().all(|secret| !shown[0].cmd.contains(secret)), "{shown:?}");
        assert!(found.is_empty(), "not even by asking: {found:?}");
    }

    #[test]
    fn a_request_sets_what_is_known_to_be_harmless_and_nothing_else() {
        for entry in [
            "LANG=C.UTF-8",
            "LC_ALL=de_DE@euro",
            "RUST_BACKTRACE=1",
            "CARGO_TERM_COLOR=never",
            "TZ=UTC",
            "CI=",
            "RUSTFLAGS=",
        ] {
            assert!(is_harmless(entry), "{entry}");
        }
        for entry in [
            "TAR_OPTIONS=--to-command=id",
            "GCONV_PATH=/x",
            "LOCPATH=x",
            "LESSOPEN=|id",
            "OPENSSL_CONF=x",
            "CC=x",
            "SHELL=x",
            "PYTEST_ADDOPTS=x",
            "GLIBC_TUNABLES=x",
            "AWKPATH=x",
            "LUA_PATH=x",
            "TZ=:/etc/x",
            "TZ=/etc/x",
            "LANG=../x",
            "MINE=1",
            "",
        ] {
            assert!(!is_harmless(entry), "{entry}");
        }
    }
}
