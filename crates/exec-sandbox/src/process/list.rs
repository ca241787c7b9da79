//! The machine -> the processes of the executor's user, with redacted command lines.
//!
//! Processes of other users have nothing to do with an agent's work, and their command lines can contain secrets.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use regex_automata::meta::Regex;
use serde::Serialize;

use exec_base::{ProcessStat, Stop, Stopped, pattern_error};

#[derive(Debug, Clone, Copy, Default)]
pub struct ProcessQuery<'a> {
    /// A regular expression for the redacted command line; empty for all.
    pub filter: &'a str,
    /// 0 means [`LIST_DEFAULT`]; at most [`LIST_MAX`].
    pub limit: usize,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ProcessList {
    /// Sorted by process id.
    pub processes: Vec<Process>,
    /// True if there are more than the limit.
    pub truncated: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Process {
    pub pid: u32,
    /// The redacted command line, or the name in brackets if there is none.
    pub cmd: String,
    /// CPU time divided by the time since its start: 1.0 means one processor all the time.
    pub cpu: f64,
    /// Resident memory in MiB.
    pub mem_mb: f64,
}

/// The reason why no processes are listed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ProcessListError {
    #[error("invalid filter: {0}")]
    Filter(String),
    #[error("cannot list the processes: {0}")]
    NotShown(String),
    #[error(transparent)]
    Stopped(#[from] Stopped),
}

/// Removes secrets from a command line, whose words are separated by NUL bytes.
pub type Redact<'r> = dyn Fn(&[u8]) -> String + 'r;

/// Lists the processes of the executor's user. The filter sees only redacted command lines.
///
/// # Errors
/// When the filter is invalid, the processes cannot be read, or the operation is stopped.
pub fn list_processes(
    order: ProcessQuery<'_>,
    redact: &Redact<'_>,
    stop: &Stop,
) -> Result<ProcessList, ProcessListError> {
    let filter = Filter::new(order.filter)?;
    let limit = if order.limit == 0 { LIST_DEFAULT } else { order.limit.min(LIST_MAX) };
    let not_shown = |error: std::io::Error| ProcessListError::NotShown(error.to_string());
    let own = rustix::process::geteuid().as_raw();
    let machine =
        MachineUnits::read().ok_or_else(|| ProcessListError::NotShown("the uptime cannot be read".to_owned()))?;
    let entries = fs::read_dir("/proc").map_err(not_shown)?.flatten();
    let mut pids: Vec<u32> = entries
        .filter(|entry| entry.metadata().is_ok_and(|metadata| metadata.uid() == own))
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .collect();
    pids.sort_unstable();
    let mut listed = ProcessList { processes: Vec::new(), truncated: false };
    for pid in pids {
        stop.check()?;
        // It may have ended meanwhile.
        let Some(process) = machine.process(pid, redact).filter(|process| filter.matches(&process.cmd)) else {
            continue;
        };
        if listed.processes.len() == limit {
            listed.truncated = true;
            break;
        }
        listed.processes.push(process);
    }
    Ok(listed)
}

struct Filter(Option<Regex>);

impl Filter {
    fn new(pattern: &str) -> Result<Self, ProcessListError> {
        if pattern.is_empty() {
            return Ok(Self(None));
        }
        if pattern.len() > FILTER_BYTES_MAX {
            return Err(ProcessListError::Filter(format!("it has more than {FILTER_BYTES_MAX} bytes")));
        }
        let config = Regex::config().nfa_size_limit(Some(FILTER_SIZE_MAX));
        let regex = Regex::builder().configure(config).build(pattern);
        regex
            .map(|regex| Self(Some(regex)))
            .map_err(|error| ProcessListError::Filter(pattern_error(pattern, &error.to_string())))
    }

    fn matches(&self, line: &str) -> bool {
        self.0.as_ref().is_none_or(|regex| regex.is_match(line))
    }
}

struct MachineUnits {
    uptime_seconds: f64,
    ticks_per_second: f64,
    page_bytes: f64,
}

impl MachineUnits {
    fn read() -> Option<Self> {
        let uptime = fs::read_to_string("/proc/uptime").ok()?;
        Some(Self {
            uptime_seconds: uptime.split_whitespace().next()?.parse().ok()?,
            ticks_per_second: rustix::param::clock_ticks_per_second() as f64,
            page_bytes: rustix::param::page_size() as f64,
        })
    }

    fn process(&self, pid: u32, redact: &Redact<'_>) -> Option<Process> {
        let folder = Path::new("/proc").join(pid.to_string());
        let stat = ProcessStat::read(&pid.to_string())?;
        let field = |number| stat.field::<f64>(number);
        let ran = (field(FIELD_USER_TICKS)? + field(FIELD_SYSTEM_TICKS)?) / self.ticks_per_second;
        let lived = self.uptime_seconds - field(FIELD_START_TICKS)? / self.ticks_per_second;
        let memory_bytes = field(FIELD_RESIDENT_PAGES)? * self.page_bytes;
        Some(Process {
            pid,
            cmd: command_line(&folder, &stat.name, redact),
            cpu: rounded(if lived > 0.0 { ran / lived } else { 0.0 }),
            mem_mb: rounded(memory_bytes / f64::from(1 << 20)),
        })
    }
}

fn command_line(folder: &Path, name: &str, redact: &Redact<'_>) -> String {
    let mut words = fs::read(folder.join("cmdline")).unwrap_or_default();
    while words.last() == Some(&0) {
        words.pop();
    }
    if words.is_empty() {
        return redact(format!("[{name}]").as_bytes());
    }
    // Control characters are escaped, so that a command line stays one line and cannot control a terminal.
    let escaped = |character: char| {
        if character.is_control() { character.escape_default().collect() } else { character.to_string() }
    };
    redact(&words).chars().map(escaped).collect()
}

/// Rounds to three decimal places.
fn rounded(number: f64) -> f64 {
    (number * 1_000.0).round() / 1_000.0
}

pub const LIST_DEFAULT: usize = 50;
pub const LIST_MAX: usize = 1_000;
const FILTER_BYTES_MAX: usize = 1_000;
/// Bytes of a compiled filter. Matching one command line cannot be interrupted.
const FILTER_SIZE_MAX: usize = 256 << 10;
const FIELD_USER_TICKS: usize = 14;
const FIELD_SYSTEM_TICKS: usize = 15;
const FIELD_START_TICKS: usize = 22;
const FIELD_RESIDENT_PAGES: usize = 24;

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read as _;
    use std::process::Stdio;

    /// A process with a command line of its own, until it is dropped.
    struct Sleeper(std::process::Child);

    impl Sleeper {
        /// It is there when it has said so: who spawns a process goes on a moment before that has its command line.
        fn new(words: &[&str]) -> Self {
            let mut command = std::process::Command::new("/bin/sh");
            command.args(["-c", "exec 0<&0; echo; read line"]).args(words);
            let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
            child.stdout.as_mut().unwrap().read_exact(&mut [0]).unwrap();
            Self(child)
        }
    }

    impl Drop for Sleeper {
        fn drop(&mut self) {
            self.0.kill().unwrap();
            self.0.wait().unwrap();
        }
    }

    fn list(order: ProcessQuery<'_>) -> Result<ProcessList, ProcessListError> {
        list_processes(order, &plain, &Stop::on_request())
    }

    fn plain(words: &[u8]) -> String {
        String::from_utf8_lossy(words).replace('\0', " ")
    }

    fn marker() -> String {
        format!("marker{:x}", fastrand::u64(..))
    }

    #[test]
    fn tool_proc_list_shows_pid_cmd_cpu_and_memory() {
        let marker = marker();
        let sleeper = Sleeper::new(&[&marker]);
        let listed = list(ProcessQuery { filter: &marker, limit: 0 }).unwrap();
        let [process] = &listed.processes[..] else { panic!("{listed:?}") };
        assert_eq!(process.pid, sleeper.0.id());
        assert!(process.cmd.starts_with("/bin/sh -c ") && process.cmd.ends_with(&marker), "{}", process.cmd);
        assert!((0.0..64.0).contains(&process.cpu) && process.mem_mb >= 0.0, "{process:?}");
        assert!(!listed.truncated);
    }

    #[test]
    fn a_filter_sees_redacted_command_lines_only() {
        let marker = marker();
        let _sleeper = Sleeper::new(&[&marker, "hunter2"]);
        let redact = |words: &[u8]| plain(words).replace("hunter2", "-");
        let list =
            |filter: &str| list_processes(ProcessQuery { filter, limit: 0 }, &redact, &Stop::on_request()).unwrap();
        assert!(list(&marker).processes[0].cmd.ends_with(&format!("{marker} -")));
        assert!(list(&format!("{marker} hunter2")).processes.is_empty());
    }

    #[test]
    fn tool_proc_list_is_sorted_and_bounded() {
        let marker = marker();
        let _sleepers = [Sleeper::new(&[&marker]), Sleeper::new(&[&marker]), Sleeper::new(&[&marker])];
        let listed = list(ProcessQuery { filter: &marker, limit: 2 }).unwrap();
        assert_eq!((listed.processes.len(), listed.truncated), (2, true));
        assert!(listed.processes[0].pid < listed.processes[1].pid);
        let listed = list(ProcessQuery { filter: &marker, limit: 3 }).unwrap();
        assert_eq!((listed.processes.len(), listed.truncated), (3, false));
        assert!(list(ProcessQuery::default()).unwrap().processes.len() <= LIST_DEFAULT);
    }

    #[test]
    fn a_filter_that_cannot_be_used_is_refused() {
        let (nested, starred) = (format!("{}a{}", "(".repeat(499), ")".repeat(499)), format!("a{}", "*".repeat(999)));
        for filter in ["(", "x{1000}{1000}", "x{10000}", &"a".repeat(FILTER_BYTES_MAX + 1), &nested, &starred] {
            let error = list(ProcessQuery { filter, limit: 0 }).unwrap_err();
            assert!(matches!(&error, ProcessListError::Filter(_)), "{error}");
            assert_eq!(error.to_string().lines().count(), 1, "{error}");
        }
    }

    #[test]
    fn a_list_can_be_stopped() {
        let stop = Stop::on_request();
        stop.stop();
        assert_eq!(
            list_processes(ProcessQuery::default(), &plain, &stop),
            Err(ProcessListError::Stopped(Stopped::Cancelled))
        );
        let stop = Stop::at(std::time::Instant::now());
        assert_eq!(
            list_processes(ProcessQuery::default(), &plain, &stop),
            Err(ProcessListError::Stopped(Stopped::TimedOut))
        );
    }

    #[test]
    fn a_command_line_stays_on_its_line() {
        let marker = marker();
        let _sleeper = Sleeper::new(&[&marker, "two\nlines\u{1b}[31m"]);
        let listed = list(ProcessQuery { filter: &marker, limit: 0 }).unwrap();
        assert!(listed.processes[0].cmd.ends_with(r"two\nlines\u{1b}[31m"), "{}", listed.processes[0].cmd);
    }
}
