//! Paths of tests -> what pytest said, unread (INVOKE-PYTEST).

use std::path::PathBuf;

use super::allow::{InterpreterNotFound, SearchPath};
use super::task::Task;

/// The way in which pytest is started on this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pytest {
    program: PathBuf,
    words: Vec<Vec<u8>>,
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
