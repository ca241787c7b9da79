//! A parsed line or a script -> commands that are ready to start.

use std::ffi::{CString, NulError};
use std::path::{Path, PathBuf};

use enforce_core::shell::{Join, Line};

use crate::sandbox::{Command, c_path};

/// Commands to run, with their programs found and their words parsed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Task {
    commands: Vec<Simple>,
    /// Written to a file in the sandbox, whose path is the last word.
    script: Option<Vec<u8>>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Simple {
    program: PathBuf,
    words: Vec<Vec<u8>>,
    joined_by: Option<Join>,
}

/// The reason why a command line cannot be run.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TaskError<E> {
    #[error("{0}")]
    Program(E),
    #[error("more than {} commands", Task::COMMANDS_MAX)]
    TooManyCommands,
    #[error("more than {} commands in one pipeline", Task::PIPELINE_MAX)]
    LongPipeline,
}

impl Task {
    /// Takes the commands of a line. `find` returns the program of each name; the program still gets the name that was judged
    /// as its first word.
    ///
    /// # Errors
    /// When `find` fails for any of the names, or there are too many commands.
    pub fn line<E>(line: &Line<'_>, mut find: impl FnMut(&[u8]) -> Result<PathBuf, E>) -> Result<Self, TaskError<E>> {
        let mut commands = Vec::new();
        let mut side_by_side: usize = 0;
        for command in line.commands() {
            if commands.len() == Self::COMMANDS_MAX {
                return Err(TaskError::TooManyCommands);
            }
            side_by_side = if command.joined_by == Some(Join::Pipe) { side_by_side.saturating_add(1) } else { 1 };
            if side_by_side > Self::PIPELINE_MAX {
                return Err(TaskError::LongPipeline);
            }
            let words: Vec<Vec<u8>> = command.words().map(|word| word.bytes().collect()).collect();
            let name = words.first().map(Vec::as_slice).unwrap_or_default();
            let program = find(name).map_err(TaskError::Program)?;
            commands.push(Simple { program, words, joined_by: command.joined_by });
        }
        Ok(Self { commands, script: None })
    }

    /// Takes one command. The first word is the program's name.
    #[must_use]
    pub fn argv(program: PathBuf, words: Vec<Vec<u8>>) -> Self {
        Self { commands: vec![Simple { program, words, joined_by: None }], script: None }
    }

    /// Takes a script and its interpreter (SEC-INLINE).
    ///
    /// The script becomes a file in the sandbox's private memory. It is not the standard input, because commands of the script
    /// would read the rest of it, and not an unnamed file under `/proc/self/fd`, because `/proc` may be missing and some
    /// interpreters need a name.
    #[must_use]
    pub fn script(interpreter: PathBuf, name: &str, text: Vec<u8>) -> Self {
        let command = Simple { program: interpreter, words: vec![name.as_bytes().to_owned()], joined_by: None };
        Self { commands: vec![command], script: Some(text) }
    }

    /// Returns the words of all commands, with the operators between them.
    pub fn words(&self) -> impl Iterator<Item = &[u8]> {
        let joined = |command: &Simple| match command.joined_by {
            None => None,
            Some(Join::Pipe) => Some(b"|".as_slice()),
            Some(Join::And) => Some(b"&&".as_slice()),
            Some(Join::Or) => Some(b"||".as_slice()),
            Some(Join::Then) => Some(b";".as_slice()),
        };
        self.commands
            .iter()
            .flat_map(move |command| joined(command).into_iter().chain(command.words.iter().map(Vec::as_slice)))
    }

    /// Returns the commands for the sandbox, and the script to be written to the path.
    pub(super) fn prepare(self, script_path: &Path) -> Result<(Vec<Command>, Option<Vec<u8>>), NulError> {
        let script_path = c_path(script_path)?;
        let mut commands = Vec::with_capacity(self.commands.len());
        for Simple { program, words, joined_by } in self.commands {
            let mut words = words.into_iter().map(CString::new).collect::<Result<Vec<_>, _>>()?;
            if self.script.is_some() {
                words.push(script_path.clone());
            }
            commands.push(Command::new(c_path(&program)?, words, joined_by));
        }
        Ok((commands, self.script))
    }

    pub const COMMANDS_MAX: usize = 1_000;
    /// They run at the same time, and together may start as many processes again before they reach the limit.
    pub const PIPELINE_MAX: usize = 256;
}
