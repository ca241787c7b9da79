//! Paths of tests -> a task that runs pytest, whose output is not interpreted (INVOKE-PYTEST).

use std::path::PathBuf;

use super::allow::{InterpreterNotFound, SearchPath};
use super::run::RunResult;
use super::task::Task;
use exec_base::Exit;

/// The way in which pytest is started on this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pytest {
    program: PathBuf,
    words: Vec<Vec<u8>>,
}

impl Pytest {
    /// Finds the program `pytest`, or else `python3`, whose module may be missing ([`Self::is_missing`]).
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

    /// True if Python has no module pytest, so that no test has run.
    #[must_use]
    pub fn is_missing(&self, ran: &RunResult) -> bool {
        self.words.len() > 1 && ran.exit == Exit::Code(1) && ran.stderr.bytes.ends_with(NO_MODULE)
    }

    /// Runs the tests at some paths. The `--` keeps pytest from reading a path as an option.
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

const NO_MODULE: &[u8] = b": No module named pytest\n";
pub const PYTEST_NOT_FOUND: &str = "pytest not found: neither a program of this name nor a module of python3";

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::super::output::Output;
    use super::*;

    #[test]
    fn invoke_pytest_that_is_not_there_is_no_answer_of_tests() {
        let ran = |code, stderr: &str| RunResult {
            exit: Exit::Code(code),
            stdout: Output::default(),
            stderr: Output { bytes: stderr.as_bytes().to_vec(), total_bytes: stderr.len() as u64 },
            duration: Duration::ZERO,
            cpu: Duration::ZERO,
            memory_kib: 0,
        };
        let said = "/usr/bin/python3: No module named pytest\n";
        let module = Pytest { program: "/usr/bin/python3".into(), words: vec![Vec::new(); 3] };
        let program = Pytest { program: "/usr/bin/pytest".into(), words: vec![Vec::new()] };
        assert!(module.is_missing(&ran(1, said)));
        // Tests fail by this code too, and can write what they like.
        for (pytest, code, stderr) in [(&module, 1, ""), (&module, 0, said), (&program, 1, said)] {
            assert!(!pytest.is_missing(&ran(code, stderr)), "{code} {stderr}");
        }
    }
}
