//! Paths of tests -> what pytest said, unread (INVOKE-PYTEST).

use std::path::PathBuf;

use super::allow::{InterpreterNotFound, SearchPath};
use super::exit::Exit;
use super::run::Ran;
use super::task::Task;

/// The way in which pytest is started on this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pytest {
    program: PathBuf,
    words: Vec<Vec<u8>>,
}

/// What came of it. Nothing of the output is read: what counts is the code, and the people who look at it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PytestRan {
    /// As pytest says it: 0 all passed, 1 some failed, 2 interrupted, 5 no tests. 124 when the time was over.
    pub exit_code: i32,
    /// What was written to standard output, as text.
    pub stdout: String,
    /// What was written to standard error, as text.
    pub stderr: String,
    /// How long it took.
    pub duration_ms: u64,
    /// The command that was run.
    pub cmd: Vec<String>,
    /// Whether some of the output was dropped.
    pub truncated: bool,
    /// Whether it was killed because the time was over.
    pub timed_out: bool,
}

impl Pytest {
    /// The program `pytest` where there is one, otherwise the module of `python3`; whether that has the module shows
    /// when it runs.
    ///
    /// # Errors
    /// When there is neither.
    pub fn find(path: &SearchPath) -> Result<Self, InterpreterNotFound> {
        if let Some(program) = path.find(b"pytest") {
            return Ok(Self { program, words: vec![b"pytest".to_vec()] });
        }
        let program = path.interpreter("python3")?;
        Ok(Self { program, words: ["python3", "-m", "pytest"].map(|word| word.as_bytes().to_vec()).into() })
    }

    /// The tests of some paths, which are paths and nothing else: a `--` stands before them.
    #[must_use]
    pub fn task(&self, paths: &[Vec<u8>]) -> Task {
        let mut words = self.words.clone();
        if !paths.is_empty() {
            words.push(b"--".to_vec());
            words.extend_from_slice(paths);
        }
        Task::argv(self.program.clone(), words)
    }
}

impl PytestRan {
    /// What a run of a task came to.
    #[must_use]
    pub fn new(task: &Task, ran: &Ran) -> Self {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Self {
            exit_code: ran.exit.code(),
            stdout: text(&ran.stdout.bytes),
            stderr: text(&ran.stderr.bytes),
            duration_ms: u64::try_from(ran.duration.as_millis()).unwrap_or(u64::MAX),
            cmd: task.words().flatten().map(|word| text(word)).collect(),
            truncated: ran.is_truncated(),
            timed_out: ran.exit == Exit::TimedOut,
        }
    }
}
