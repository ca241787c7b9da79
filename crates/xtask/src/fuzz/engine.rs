//! A target -> libFuzzer through cargo-bolero, with what it says on the way.

use std::fs;
use std::io::{BufRead, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use super::finds::{self, Find};
use super::status::Status;
use super::{Live, Ran, locked};
use crate::error::{Outcome, TaskError};
use crate::tree::{Tree, attempt, shown, status};

/// cargo-bolero and a compiler that instruments.
#[derive(Debug)]
pub(super) struct Engine<'t> {
    tree: &'t Tree,
    compiler: Compiler,
}

/// Who builds with instruments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Compiler {
    Nightly,
    /// The one at hand, told that it is a nightly.
    Bootstrap,
}

/// Folders of one target, from the root: what libFuzzer is told has no blanks in it, wherever the tree is.
struct Folders {
    /// What was found by coverage in this and earlier runs.
    corpus: PathBuf,
    crashes: PathBuf,
    finds: PathBuf,
    /// What is committed.
    seeds: PathBuf,
}

impl<'t> Engine<'t> {
    /// Installs cargo-bolero when it is missing, and says which compiler is used.
    pub(super) fn prepare(tree: &'t Tree) -> Result<Self, TaskError> {
        let is_there = tree.cargo(&["bolero", "--version"]).stdout(Stdio::null()).stderr(Stdio::null()).status();
        if !is_there.is_ok_and(|status| status.success()) {
            let mut install = tree.cargo(INSTALL);
            println!("fuzz: cargo-bolero is missing: {}", shown(&install));
            let status = status(&mut install)?;
            if !status.success() {
                return Err(TaskError::Failed { program: shown(&install), status });
            }
        }
        let mut rustup = Command::new("rustup");
        let toolchains = attempt(rustup.args(["toolchain", "list"])).ok().flatten().unwrap_or_default();
        let compiler = if has_nightly(&toolchains) { Compiler::Nightly } else { Compiler::Bootstrap };
        println!(
            "fuzz: {}, no sanitizer",
            match compiler {
                Compiler::Nightly => "built by the nightly toolchain",
                Compiler::Bootstrap => "no nightly toolchain is installed: built by this one with RUSTC_BOOTSTRAP=1",
            }
        );
        Ok(Self { tree, compiler })
    }

    /// Builds and runs one target for that long, or until it crashes.
    pub(super) fn fuzz(&self, target: &str, time: Duration, live: &Mutex<Vec<Live>>) -> Result<Ran, TaskError> {
        let folders = Folders::new(self.tree, target)?;
        let mut command = self.command(target, time, &folders);
        let named = shown(&command);
        let failed = |source| TaskError::Start { program: named.clone(), source };
        let log = self.tree.root().join(LOGS).join(format!("{target}.log"));
        let mut log = fs::File::create(&log).map_err(|source| TaskError::Write { path: log, source })?;
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().map_err(failed)?;
        locked(live).push(Live { target: target.to_owned(), running: None, crashes: 0, shown: Instant::now() });
        let (mut heard, mut program) = (Vec::<(Instant, Status)>::new(), None);
        for line in child.stderr.take().into_iter().flat_map(|stderr| BufReader::new(stderr).split(b'\n')) {
            let line = line.unwrap_or_default();
            let text = String::from_utf8_lossy(&line);
            // A log that cannot be written is no reason to stop.
            let _ = writeln!(log, "{text}");
            program = program.or_else(|| executable(&text));
            let is_this = |one: &&mut Live| one.target == target;
            if finds::is_crash_kept(&text)
                && let Some(one) = locked(live).iter_mut().find(is_this)
            {
                one.crashes += 1;
            }
            if let Some(status) = Status::read(&text) {
                heard.push((Instant::now(), status));
                let start = heard.first().map_or_else(Instant::now, |(start, _)| *start);
                if let Some(one) = locked(live).iter_mut().find(is_this) {
                    one.running = Some((start, status));
                }
                heard.truncate(1);
                heard.push((Instant::now(), status));
            }
        }
        let status = child.wait().map_err(failed)?;
        let finds = self.finds(target, &folders, program.as_deref())?;
        if Outcome::of(status) == Outcome::Findings && finds.is_empty() {
            return Err(TaskError::Failed { program: named, status });
        }
        let (start, first) = heard.first().copied().unwrap_or((Instant::now(), Status::default()));
        let last = heard.last().map_or(first, |(_, last)| *last);
        Ok(Ran { target: target.to_owned(), first, last, time: start.elapsed(), finds })
    }

    fn command(&self, target: &str, time: Duration, folders: &Folders) -> Command {
        let mut command = self.tree.cargo(&["bolero", "test", target, "--package", "fuzz", "--no-default-features"]);
        command.args(["--features", target, "--sanitizer=NONE", "--timeout", TIMEOUT, "--target-dir", BUILD]);
        match self.compiler {
            Compiler::Nightly => command.args(["--toolchain", "nightly"]),
            Compiler::Bootstrap => command.arg("--rustc-bootstrap"),
        };
        command.arg("-T").arg(format!("{}s", time.as_secs().max(1)));
        command.arg("--corpus-dir").arg(&folders.corpus).arg("--crashes-dir").arg(&folders.crashes);
        command.arg(format!("--engine-args={}", folders.seeds.display())).arg("--engine-args=-print_final_stats=1");
        // The target puts what it has made small there.
        command.env("FUZZ_FINDS", self.tree.root().join(FINDS)).stdin(Stdio::null());
        command
    }

    /// What the target has made small itself; otherwise what libFuzzer kept, which libFuzzer makes small.
    fn finds(&self, target: &str, folders: &Folders, program: Option<&str>) -> Result<Vec<Find>, TaskError> {
        let found = finds::read(target, &self.tree.root().join(&folders.finds))?;
        if !found.is_empty() {
            return Ok(found);
        }
        let mut found = Vec::new();
        for crash in finds::crashes(&self.tree.root().join(&folders.crashes))? {
            let small = self.tree.root().join(&folders.finds).join("small");
            if let Some(program) = program {
                println!("{target}: libFuzzer makes {} small", crash.display());
                let arguments = format!("{MINIMISE} -exact_artifact_path={} {}", small.display(), crash.display());
                let mut command = Command::new(program);
                command.current_dir(self.tree.root()).args([target, "--exact", "--nocapture", "--test-threads", "1"]);
                command.env("BOLERO_TEST_NAME", target).env("BOLERO_LIBTEST_HARNESS", "1");
                command.env("BOLERO_LIBFUZZER_ARGS", arguments).stdout(Stdio::null()).stderr(Stdio::null());
                status(&mut command)?;
            }
            let file = if small.is_file() { &small } else { &crash };
            found.push(Find::of_crash(target, &crash, self.tree.read(file)?));
        }
        Ok(found)
    }
}

impl Folders {
    fn new(tree: &Tree, target: &str) -> Result<Self, TaskError> {
        let below = |folder: &str| Path::new(folder).join(target);
        let folders = Self {
            corpus: below(CORPUS),
            crashes: below(CRASHES),
            finds: below(FINDS),
            seeds: below(SEEDS).join("corpus"),
        };
        for folder in [&folders.crashes, &folders.finds] {
            // What an earlier run has found is filed.
            let _ = fs::remove_dir_all(tree.root().join(folder));
        }
        for folder in [&folders.corpus, &folders.crashes, &folders.finds, Path::new(LOGS)] {
            let path = tree.root().join(folder);
            fs::create_dir_all(&path).map_err(|source| TaskError::Write { path, source })?;
        }
        Ok(folders)
    }
}

pub(super) fn has_nightly(toolchains: &str) -> bool {
    toolchains.lines().any(|line| line.starts_with("nightly"))
}

/// The program in a line of cargo's: `Executable tests/path.rs (target/…/path-0123)`.
pub(super) fn executable(line: &str) -> Option<String> {
    let (_, rest) = line.trim_start().strip_prefix("Executable ")?.split_once('(')?;
    Some(rest.trim_end().strip_suffix(')')?.to_owned())
}

const INSTALL: &[&str] = &["install", "--locked", "cargo-bolero"];
const BUILD: &str = "target/fuzz/build";
const CORPUS: &str = "target/fuzz/corpus";
const CRASHES: &str = "target/fuzz/crashes";
const FINDS: &str = "target/fuzz/finds";
const LOGS: &str = "target/fuzz/logs";
pub(super) const SEEDS: &str = "fuzz/tests/__fuzz__";
/// For one input. A target takes ten seconds to make small what it found.
const TIMEOUT: &str = "30s";
const MINIMISE: &str = "-minimize_crash=1 -max_total_time=60";
