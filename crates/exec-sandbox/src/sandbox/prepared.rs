//! Everything that a sandbox and its line need, made before there is a process: what is left to do is system calls.

use std::cell::Cell;
use std::ffi::CString;
use std::os::fd::{AsRawFd as _, OwnedFd, RawFd};
use std::path::Path;
use std::sync::Arc;

use super::{Folder, Identity, Instruction, RulesetError, SIBLING, Space, Stack, View, Words, child, clone_process};
use enforce_core::shell::Join;
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, Resource, Rlimit};

/// A sandbox that only has to be entered.
pub(crate) struct Prepared {
    /// Namespaces that are there already, and have no network.
    pub(super) space: Option<Space>,
    /// Those that are made for it.
    pub(super) clone_flags: u64,
    pub(super) maps: Option<Maps>,
    /// The first process number that is not given.
    pub(super) process_limit: Option<Vec<u8>>,
    /// Pages of all System V shared memory.
    pub(super) shared_limit: Option<Vec<u8>>,
    pub(super) view: Option<View>,
    pub(super) script: Option<Script>,
    pub(super) working_directory: Option<Place>,
    pub(super) drops_privileges: bool,
    pub(super) landlock: Option<Landlock>,
    pub(super) filter: Option<Arc<[Instruction]>>,
    pub(super) limits: Vec<(Resource, Rlimit)>,
    /// Whether there are no other processes in its namespace.
    pub(super) has_own_processes: bool,
    pub(super) job: Job,
    pub(super) environment: Words,
    /// None is the null device.
    pub(super) input: Option<OwnedFd>,
    pub(super) output: OwnedFd,
    pub(super) errors: OwnedFd,
    pub(super) report: OwnedFd,
    pub(super) parent: OwnedFd,
    /// The numbers of all descriptors above, in order.
    pub(super) kept_descriptors: Vec<RawFd>,
    pub(super) stack: Stack,
}

/// What is done inside.
pub(crate) enum Job {
    Line(Vec<Command>),
    /// Something of our own, which keeps to the rules of `child`.
    Trial(Box<dyn Fn() -> i32>),
}

pub(crate) struct Command {
    pub(super) program: CString,
    pub(super) words: Words,
    pub(super) joined_by: Option<Join>,
    pub(super) pid: Cell<Option<Pid>>,
}

/// Users and groups of a namespace, each of them the executor's own.
pub(super) struct Maps {
    pub(super) users: Vec<u8>,
    pub(super) groups: Vec<u8>,
}

/// A script, and where it is put.
pub(crate) struct Script {
    pub(crate) path: CString,
    pub(crate) text: Vec<u8>,
}

pub(super) struct Place {
    pub(super) path: CString,
    pub(super) identity: Identity,
}

pub(super) struct Landlock {
    pub(super) ruleset: Arc<OwnedFd>,
    /// What is added to it from inside: some of it is only in the new file tree. Then the ruleset is nobody else's.
    pub(super) grants: Vec<Grant>,
    /// Whether each command holds itself to it, and the first process stays outside, where nobody inside can signal it.
    pub(super) is_entered_by_each: bool,
}

/// Something that is granted by its path.
pub(super) struct Grant {
    pub(super) path: CString,
    /// The rights, as the kernel counts them.
    pub(super) bits: u64,
    pub(super) is_needed: bool,
}

/// What goes to the sandbox: ends of pipes, and something to read. None of it is a file of the machine's, because its mode
/// and its owner could be changed through the descriptor, whatever layers there are.
pub(crate) struct Streams {
    /// None is the null device of the tree that the sandbox has.
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
    System { what: &'static str, error: Errno },
}

impl Command {
    pub(crate) fn new(program: CString, words: Vec<CString>, joined_by: Option<Join>) -> Self {
        Self { program, words: Words::new(words), joined_by, pid: Cell::new(None) }
    }
}

impl Maps {
    /// Of this process: user and group keep their numbers.
    pub(super) fn own() -> Self {
        let user = rustix::process::geteuid().as_raw();
        let group = rustix::process::getegid().as_raw();
        Self { users: format!("{user} {user} 1").into_bytes(), groups: format!("{group} {group} 1").into_bytes() }
    }
}

impl Place {
    pub(super) fn of(folder: &Folder) -> Result<Self, PrepareError> {
        use std::os::unix::ffi::OsStrExt as _;
        Ok(Self { path: CString::new(folder.path().as_os_str().as_bytes())?, identity: folder.identity() })
    }
}

impl Grant {
    pub(super) fn new(path: &Path, bits: u64, is_needed: bool) -> Result<Self, std::ffi::NulError> {
        use std::os::unix::ffi::OsStrExt as _;
        Ok(Self { path: CString::new(path.as_os_str().as_bytes())?, bits, is_needed })
    }
}

impl Prepared {
    /// Makes the process, and gives away nothing that it needs.
    pub(crate) fn start(&self) -> Result<(Pid, OwnedFd), PrepareError> {
        // SAFETY: `child::main` keeps to the rules of its module.
        let start = |flags| unsafe { clone_process(flags, || child::main(self)) };
        let made = match &self.space {
            // SAFETY: starting a process allocates and locks nothing, and its descriptor is returned.
            Some(space) => unsafe { space.run(|| start(self.clone_flags | SIBLING)) },
            None => start(self.clone_flags),
        };
        made.map_err(system("make a process"))
    }

    /// Gives away what only the process needs, and gives back the namespaces that others can have after it.
    pub(crate) fn into_space(self) -> Option<Space> {
        self.space
    }

    /// Whether everything that it starts ends with its first process.
    pub(crate) fn has_own_processes(&self) -> bool {
        self.has_own_processes
    }

    /// Whether there is a filter of system calls around everything that it starts.
    pub(crate) fn has_filter(&self) -> bool {
        self.filter.is_some()
    }

    /// Whether nothing that it starts can get privileges.
    pub(crate) fn drops_privileges(&self) -> bool {
        self.drops_privileges
    }
}

/// Descriptors of a sandbox, out of the way of the standard streams.
pub(super) struct Descriptors {
    pub(super) streams: Streams,
    pub(super) parent: OwnedFd,
    pub(super) numbers: Vec<RawFd>,
}

impl Descriptors {
    /// The ruleset is out of the way already.
    pub(super) fn new(streams: Streams, ruleset: Option<&OwnedFd>) -> Result<Self, PrepareError> {
        let parent = rustix::process::pidfd_open(rustix::process::getpid(), PidfdFlags::empty());
        let parent = aside(parent.map_err(system("hold this process"))?)?;
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

/// The same descriptor at a number that no standard stream has.
pub(super) fn aside(descriptor: OwnedFd) -> Result<OwnedFd, PrepareError> {
    if descriptor.as_raw_fd() >= FIRST_OTHER {
        return Ok(descriptor);
    }
    rustix::io::fcntl_dupfd_cloexec(&descriptor, FIRST_OTHER).map_err(system("move a descriptor"))
}

pub(crate) fn system(what: &'static str) -> impl Fn(Errno) -> PrepareError {
    move |error| PrepareError::System { what, error }
}

const FIRST_OTHER: RawFd = 3;
