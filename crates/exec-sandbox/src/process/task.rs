//! A line that was read, or a script -> commands that only have to be started.

use std::ffi::{CString, NulError};
use std::path::{Path, PathBuf};

use enforce_core::shell::{Join, Line};

use crate::sandbox::{Command, c_path};

/// What is to be run: every program is found, every word is read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Task {
    commands: Vec<Simple>,
    /// Put into the sandbox as a file, and named as the last word.
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
    /// A command stands for no program that may run.
    #[error("{0}")]
    Program(E),
    #[error("more than {} commands", Task::COMMANDS_MAX)]
    TooManyCommands,
    #[error("more than {} commands in one pipeline", Task::PIPELINE_MAX)]
    LongPipeline,
}

impl Task {
    /// The commands of a line, joined as they are written. Each name is given to `find`, whose answer is what runs; the
    /// program is told the name that was judged.
    ///
    /// # Errors
    /// When a name stands for no program, or there are too many: then nothing runs, whatever stands before it.
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

    /// One command. The first word is the name that the program is told.
    #[must_use]
    pub fn argv(program: PathBuf, words: Vec<Vec<u8>>) -> Self {
        Self { commands: vec![Simple { program, words, joined_by: None }], script: None }
    }

    /// A script under an interpreter (SEC-INLINE).
    ///
    /// It is a file in the sandbox's own memory, gone with it: no file of the machine is made. Not its
    /// input, because what the script runs would read the rest of it; not an unnamed file under `/proc/self/fd`,
    /// because there need not be a `/proc` and some interpreters look for the name.
    #[must_use]
    pub fn script(interpreter: PathBuf, name: &str, text: Vec<u8>) -> Self {
        let command = Simple { program: interpreter, words: vec![name.as_bytes().to_owned()], joined_by: None };
        Self { commands: vec![command], script: Some(text) }
    }

    /// The words of its commands as they will run, with what joins them between them.
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

    /// Its commands for the sandbox, and the script's text. A script stands at this path.
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

    /// Commands of a line.
    pub const COMMANDS_MAX: usize = 1_000;
    /// Commands of a pipeline: they run at the same time, and may start as many processes again before they reach the limit.
    pub const PIPELINE_MAX: usize = 256;
}
