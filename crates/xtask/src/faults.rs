//! The fault tests of the executor, at full numbers -> what each has counted, as it goes, and a line of counts at the end.
//!
//! They are tests of the workspace, which CI runs at numbers that take seconds. Each is started alone here, so that what
//! it says is its own and none disturbs another.

use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader, Read};
use std::process::{Command, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crate::error::{Outcome, TaskError};
use crate::trace::{Binary, LIST, binaries, paths};
use crate::tree::{Tree, output, shown};

/// How often and how long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Effort {
    /// As in the test run.
    Quick,
    /// As often as the project promises.
    Full,
}

/// Runs every campaign, and fails when a test does, or a campaign has none.
pub(crate) fn run(tree: &Tree, effort: Effort) -> Result<Outcome, TaskError> {
    if std::env::consts::OS != "linux" {
        return Err(TaskError::Unsupported { task: "faults", needs: "Linux, where the sandbox is" });
    }
    let mut build = tree.cargo(BUILD);
    build.args(["--no-run", "--message-format=json-render-diagnostics"]);
    let binaries = binaries(&output(&mut build)?);
    let start = Instant::now();
    let mut tally = Tally::default();
    for campaign in CAMPAIGNS {
        println!("==> {}", campaign.title(effort));
        let found = binaries.iter().find(|binary| campaign.is_in(binary));
        let tests = found.map_or(Ok(Vec::new()), |binary| campaign.tests(binary))?;
        if tests.is_empty() {
            println!("    NO TEST has a name that starts with `{}`", campaign.tests);
            tally.empty += 1;
        }
        for (binary, test) in found.into_iter().flat_map(|binary| tests.iter().map(move |test| (binary, test))) {
            println!("    {test}");
            let begun = Instant::now();
            let verdict = watch(&mut campaign.command(tree, binary, test, effort))?;
            println!("    {} after {:.1} s", verdict.word(), begun.elapsed().as_secs_f64());
            tally.count(verdict, test);
        }
    }
    print!("\n{}", tally.render(start.elapsed()));
    Ok(tally.outcome())
}

/// Tests that break the executor in one way.
#[derive(Debug)]
struct Campaign {
    name: &'static str,
    crate_name: &'static str,
    /// Where it is not the library.
    target: Option<&'static str>,
    /// What their names start with.
    tests: &'static str,
    /// A variable, and its value for the full number.
    knob: Option<(&'static str, &'static str)>,
}

impl Campaign {
    fn title(&self, effort: Effort) -> String {
        match self.set(effort) {
            Some((variable, value)) => format!("{}: {variable}={value}", self.name),
            None => self.name.to_owned(),
        }
    }

    fn set(&self, effort: Effort) -> Option<(&'static str, &'static str)> {
        self.knob.filter(|_| effort == Effort::Full)
    }

    fn is_in(&self, binary: &Binary) -> bool {
        binary.crate_name == self.crate_name && binary.target.as_deref() == self.target
    }

    fn tests(&self, binary: &Binary) -> Result<Vec<String>, TaskError> {
        let list = |arguments: &[&str]| output(Command::new(&binary.executable).args(LIST).args(arguments));
        let (all, ignored) = (list(&[])?, list(&["--ignored"])?);
        Ok(paths(&all, &ignored).into_iter().filter(|path| path.starts_with(self.tests)).map(str::to_owned).collect())
    }

    fn command(&self, tree: &Tree, binary: &Binary, test: &str, effort: Effort) -> Command {
        let mut command = Command::new(&binary.executable);
        // Quietly, or the name of the test would stand before what it says.
        command.current_dir(tree.root()).args([test, "--exact", "--nocapture", "--quiet", "--test-threads", "1"]);
        for (variable, _) in CAMPAIGNS.iter().filter_map(|campaign| campaign.knob) {
            command.env_remove(variable);
        }
        command.envs(self.set(effort)).env("RUST_BACKTRACE", "0").stdin(Stdio::null());
        command
    }
}

/// What became of a test.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Held,
    /// It says itself that this machine has not what it takes.
    NotTested,
    Failed,
}

impl Verdict {
    fn word(self) -> &'static str {
        match self {
            Self::Held => "ok",
            Self::NotTested => "NOT TESTED",
            Self::Failed => "FAILED",
        }
    }
}

/// Runs a test, with what it says as it says it, and a sign of life where it says nothing. Its errors are shown when it
/// fails: some tests are about panics, which are loud.
fn watch(command: &mut Command) -> Result<Verdict, TaskError> {
    let named = shown(command);
    let failed = |source| TaskError::Start { program: named.clone(), source };
    let start = Instant::now();
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().map_err(failed)?;
    let (sender, receiver) = mpsc::channel();
    let listeners = [
        child.stdout.take().map(|stdout| listen(stdout, Said::Plainly, sender.clone())),
        child.stderr.take().map(|stderr| listen(stderr, Said::AsAnError, sender)),
    ];
    let mut heard = Heard::default();
    loop {
        match receiver.recv_timeout(SHOW_EVERY) {
            Ok((said, line)) => {
                if let Some(line) = heard.line(said, &line) {
                    println!("      {line}");
                }
            }
            Err(RecvTimeoutError::Timeout) => println!("      … {} s", start.elapsed().as_secs()),
            Err(RecvTimeoutError::Disconnected) => break,
        }
    }
    let status = child.wait().map_err(failed)?;
    for listener in listeners.into_iter().flatten() {
        let _ = listener.join();
    }
    let verdict = heard.verdict(Outcome::of(status));
    if verdict == Verdict::Failed {
        heard.errors.iter().for_each(|line| println!("      {line}"));
    }
    Ok(verdict)
}

/// On which stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Said {
    Plainly,
    AsAnError,
}

fn listen(stream: impl Read + Send + 'static, said: Said, sender: Sender<(Said, String)>) -> JoinHandle<()> {
    thread::spawn(move || {
        for line in BufReader::new(stream).split(b'\n').map_while(Result::ok) {
            // Nobody listens any more only when this program is at its end.
            let _ = sender.send((said, String::from_utf8_lossy(&line).trim_end().to_owned()));
        }
    })
}

/// What a test has said, beside what the runner of tests says around it.
#[derive(Debug, Default)]
struct Heard {
    has_passed: bool,
    is_not_tested: bool,
    errors: Vec<String>,
}

impl Heard {
    /// What there is to show now.
    fn line<'a>(&mut self, said: Said, line: &'a str) -> Option<&'a str> {
        let is_not_tested = line.starts_with(Verdict::NotTested.word());
        self.is_not_tested |= is_not_tested;
        if said == Said::AsAnError && !is_not_tested {
            self.errors.push(line.to_owned());
            return None;
        }
        self.has_passed |= line.starts_with("test result: ok. 1 passed");
        let is_runners = line.is_empty() || line == "." || RUNNERS.iter().any(|start| line.starts_with(start));
        (!is_runners).then_some(line)
    }

    fn verdict(&self, outcome: Outcome) -> Verdict {
        match outcome {
            Outcome::Fine if self.has_passed && self.is_not_tested => Verdict::NotTested,
            Outcome::Fine if self.has_passed => Verdict::Held,
            Outcome::Fine | Outcome::Findings => Verdict::Failed,
        }
    }
}

#[derive(Debug, Default, PartialEq, Eq)]
struct Tally {
    held: usize,
    not_tested: Vec<String>,
    failed: Vec<String>,
    /// Campaigns without a test.
    empty: usize,
}

impl Tally {
    fn count(&mut self, verdict: Verdict, test: &str) {
        match verdict {
            Verdict::Held => self.held += 1,
            Verdict::NotTested => self.not_tested.push(test.to_owned()),
            Verdict::Failed => self.failed.push(test.to_owned()),
        }
    }

    fn outcome(&self) -> Outcome {
        let is_fine = self.failed.is_empty() && self.empty == 0 && self.held > 0;
        if is_fine { Outcome::Fine } else { Outcome::Findings }
    }

    fn render(&self, took: Duration) -> String {
        let mut text = String::new();
        // Writing to a String cannot fail.
        for (word, tests) in [(Verdict::NotTested.word(), &self.not_tested), (Verdict::Failed.word(), &self.failed)] {
            for test in tests {
                let _ = writeln!(text, "{word}: {test}");
            }
        }
        let Self { held, not_tested, failed, empty } = self;
        let _ = writeln!(
            text,
            "faults: {} campaigns, {empty} without tests; {held} tests ok, {} failed, {} not tested, in {:.1} s",
            CAMPAIGNS.len(),
            failed.len(),
            not_tested.len(),
            took.as_secs_f64()
        );
        text
    }
}

const fn library(name: &'static str, crate_name: &'static str, tests: &'static str) -> Campaign {
    Campaign { name, crate_name, target: None, tests, knob: None }
}

const fn executor(name: &'static str, tests: &'static str) -> Campaign {
    Campaign { name, crate_name: "tests", target: Some("executor"), tests, knob: None }
}

const CAMPAIGNS: &[Campaign] = &[
    Campaign { knob: KILLS, ..executor("the executor killed among writes and edits", "kills::ctr_") },
    Campaign {
        knob: KILLS,
        ..library("its state killed among records", "enforce-exec", "state::tests::crash::trust_")
    },
    Campaign {
        target: Some("executor_death"),
        ..library("commands of a killed executor", "exec-sandbox", "a_killed_executor_")
    },
    executor("full and read-only disks below the executor", "disks::"),
    library("a state that cannot be written", "enforce-exec", "state::tests::faults::"),
    library("full disks below files", "exec-files", "tests::space::"),
    library("many on one file", "exec-files", "tests::races::"),
    Campaign { knob: SWAP, ..library("links swapped under paths", "exec-files", "tests::swap::") },
    Campaign { knob: FLOOD, ..library("commands that do not want to end", "exec-sandbox", "process::tests::faults::") },
    executor("requests of garbage", "requests::ctr_0022_ten_thousand"),
    executor("panics", "panics::"),
];

const KILLS: Option<(&str, &str)> = Some(("INTERDICT_TEST_KILLS", "200"));
const SWAP: Option<(&str, &str)> = Some(("INTERDICT_SWAP_SECONDS", "30"));
const FLOOD: Option<(&str, &str)> = Some(("INTERDICT_FLOOD_BYTES", "10000000000"));

const BUILD: &[&str] = &[
    "test",
    "--locked",
    "-p",
    "enforce-exec",
    "-p",
    "exec-files",
    "-p",
    "exec-sandbox",
    "-p",
    "tests",
    "--lib",
    "--test",
    "executor",
    "--test",
    "executor_death",
];
/// What the runner of tests says.
const RUNNERS: &[&str] = &["running ", "test result: "];
const SHOW_EVERY: Duration = Duration::from_secs(10);

#[cfg(test)]
mod tests;
