//! Everything that a sandbox and its line need, made before the process exists: what remains is system calls.

use std::cell::Cell;
use std::ffi::CString;
use std::os::fd::{AsRawFd as _, OwnedFd, RawFd};
use std::sync::Arc;

use super::{
    FileIdentity, FileTree, NetNamespace, RulesetError, SIBLING, SandboxMark, Stack, Words, child, clone_process,
};
use enforce_core::shell::Join;
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, Resource, Rlimit};

pub(crate) struct Prepared {
    /// Existing namespaces, without a network.
    pub(super) namespace: Option<NetNamespace>,
    /// The namespaces to be made.
    pub(super) clone_flags: u64,
    pub(super) maps: Option<Maps>,
    /// The first process id that is not assigned, as text.
    pub(super) process_limit: Option<Vec<u8>>,
    /// Pages of System V shared memory, as text.
    pub(super) shared_limit: Option<Vec<u8>>,
    pub(super) view: Option<FileTree>,
    pub(super) script: Option<Script>,
    pub(super) working_directory: Option<WorkingDirectory>,
    pub(super) drops_privileges: bool,
    pub(super) landlock: Option<Landlock>,
    pub(super) filter: Option<Arc<[libc::sock_filter]>>,
    pub(super) limits: Vec<(Resource, Rlimit)>,
    /// True if it has its own process namespace, so that everything in it ends with its first process.
    pub(crate) has_own_processes: bool,
    pub(super) job: Job,
    pub(super) environment: Words,
    pub(super) descriptors: Descriptors,
    pub(super) stack: Stack,
}

pub(crate) enum Job {
    Line(Vec<Command>),
    /// Code of this program, which keeps to the rules of `child`.
    Trial(Box<dyn Fn() -> i32>),
}

pub(crate) struct Command {
    pub(super) program: CString,
    pub(super) words: Words,
    pub(super) joined_by: Option<Join>,
    pub(super) pid: Cell<Option<Pid>>,
}

/// The maps of a user namespace, in which the executor's user and group keep their ids.
pub(super) struct Maps {
    pub(super) users: Vec<u8>,
    pub(super) groups: Vec<u8>,
}

pub(crate) struct Script {
    pub(crate) path: CString,
    pub(crate) text: Vec<u8>,
}

pub(super) struct WorkingDirectory {
    pub(super) path: CString,
    pub(super) identity: FileIdentity,
}

pub(super) struct Landlock {
    pub(super) ruleset: Arc<OwnedFd>,
    /// Added inside the sandbox, because some paths exist only in the new file tree. Then no other line uses the ruleset.
    pub(super) grants: Vec<PathGrant>,
    /// True if each command applies it to itself, and not the first process, which commands then cannot signal.
    pub(super) is_entered_by_each: bool,
}

/// A Landlock grant by path.
pub(super) struct PathGrant {
    pub(super) path: CString,
    pub(super) bits: u64,
    /// True if a missing path is an error.
    pub(super) is_needed: bool,
}

/// The descriptors of a sandbox: pipes, and the input. None is a file of the machine, because a command could change its mode
/// and owner through the descriptor, whatever layers there are.
pub(crate) struct Streams {
    /// None for the null device of the sandbox's own file tree.
    pub(crate) input: Option<OwnedFd>,
    pub(crate) output: OwnedFd,
    pub(crate) errors: OwnedFd,
    pub(crate) report: OwnedFd,
}

/// The reason why a sandbox or its process cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum PrepareError {
    #[error("an argument, a variable or a path contains a NUL byte")]
    Nul(#[from] std::ffi::NulError),
    #[error(transparent)]
    Ruleset(#[from] RulesetError),
    #[error("cannot {what}: {error}")]
    SystemPaths { what: &'static str, error: Errno },
}

impl Command {
    pub(crate) fn new(program: CString, words: Vec<CString>, joined_by: Option<Join>) -> Self {
        Self { program, words: Words::new(words), joined_by, pid: Cell::new(None) }
    }
}

impl Maps {
    pub(super) fn own() -> Self {
        let user = rustix::process::geteuid().as_raw();
        let group = rustix::process::getegid().as_raw();
        Self { users: format!("{user} {user} 1").into_bytes(), groups: format!("{group} {group} 1").into_bytes() }
    }
}

impl Prepared {
    /// Starts the first process.
    pub(crate) fn start(&self) -> Result<(Pid, OwnedFd), PrepareError> {
        // SAFETY: `child::main` neither allocates, locks nor panics, by the rules of its module.
        let start = |flags| unsafe { clone_process(flags, || child::main(self)) };
        let made = match &self.namespace {
            // SAFETY: starting a process allocates and locks nothing, and its descriptor is returned.
            Some(namespace) => unsafe { namespace.run(|| start(self.clone_flags | SIBLING)) },
            None => start(self.clone_flags),
        };
        made.map_err(system("make a process"))
    }

    /// Drops everything but the namespaces, which another line can have afterwards.
    pub(crate) fn into_namespace(self) -> Option<NetNamespace> {
        self.namespace
    }

    pub(crate) fn mark(&self) -> SandboxMark {
        SandboxMark { has_filter: self.filter.is_some(), drops_privileges: self.drops_privileges }
    }
}

/// The descriptors of a sandbox, moved above the numbers of the standard streams.
pub(super) struct Descriptors {
    pub(super) streams: Streams,
    pub(super) parent: OwnedFd,
    /// All of them, including the ruleset, sorted.
    pub(super) numbers: Vec<RawFd>,
}

impl Descriptors {
    /// The ruleset must have been moved by [`aside`] already.
    pub(super) fn new(streams: Streams, ruleset: Option<&OwnedFd>) -> Result<Self, PrepareError> {
        let parent = rustix::process::pidfd_open(rustix::process::getpid(), PidfdFlags::empty());
        let parent = aside(parent.map_err(system("open this process"))?)?;
        let streams = Streams {
            input: streams.input.map(aside).transpose()?,
            output: aside(streams.output)?,
            errors: aside(streams.errors)?,
            report: aside(streams.report)?,
        };
        let Streams { input, output, errors, report } = &streams;
        let streamed = [input.as_ref(), Some(output), Some(errors), Some(report)];
        let all = streamed.into_iter().chain([Some(&parent), ruleset]);
        let mut numbers: Vec<RawFd> = all.flatten().map(|descriptor| descriptor.as_raw_fd()).collect();
        numbers.sort_unstable();
        Ok(Self { streams, parent, numbers })
    }
}

/// Moves a descriptor above the numbers of the standard streams.
pub(super) fn aside(descriptor: OwnedFd) -> Result<OwnedFd, PrepareError> {
    if descriptor.as_raw_fd() >= FIRST_OTHER {
        return Ok(descriptor);
    }
    rustix::io::fcntl_dupfd_cloexec(&descriptor, FIRST_OTHER).map_err(system("move a descriptor"))
}

pub(crate) fn system(what: &'static str) -> impl Fn(Errno) -> PrepareError {
    move |error| PrepareError::SystemPaths { what, error }
}

const FIRST_OTHER: RawFd = 3;
