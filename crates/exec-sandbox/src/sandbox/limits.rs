//! How much a command may use.

use rustix::process::{Resource, Rlimit};

/// Bounds of each process, but for `processes`, which bounds them all together, and `temp_bytes`, which they share.
///
/// Memory of all processes together is bounded only as their number times that of each. Shared mappings without a file count
/// as addresses alone, not for `memory_bytes`. Memory that is no process's is bounded apart: files in memory and, once more,
/// System V shared memory by `temp_bytes` each (the latter, where the kernel does not let the executor say so, by some 1 GiB),
/// semaphores and message queues by some 1 GiB each. Files in memory without a name are refused. What the kernel itself takes
/// for pipes, sockets and open files is not bounded here. Without a user namespace the kernel counts every process of the
/// user for `processes`, those outside the sandbox too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Seconds of computing.
    pub cpu_seconds: u64,
    /// Bytes of private memory that can be written.
    pub memory_bytes: u64,
    /// Bytes of addresses. Some runtimes reserve far more than they use.
    pub address_space_bytes: u64,
    pub open_files: u64,
    /// Processes and threads at once. Up to 300 more where the executor is root, whose processes the kernel does not count:
    /// there the numbers of a namespace bound them.
    pub processes: u64,
    /// Bytes of a file that is written.
    pub file_bytes: u64,
    /// Bytes of files in private memory: the temporary folder, the home folder, shared memory. System V shared memory has
    /// as much of its own.
    pub temp_bytes: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            cpu_seconds: 3_600,
            memory_bytes: 4 << 30,
            address_space_bytes: 64 << 30,
            open_files: 1_024,
            processes: 512,
            file_bytes: 4 << 30,
            temp_bytes: 1 << 30,
        }
    }
}

impl Limits {
    /// What is asked of the kernel. A limit that the executor itself is held to stays.
    pub(super) fn resources(&self) -> Vec<(Resource, Rlimit)> {
        let wanted = [
            (Resource::Cpu, self.cpu_seconds),
            (Resource::Data, self.memory_bytes),
            (Resource::As, self.address_space_bytes),
            (Resource::Nofile, self.open_files),
            (Resource::Nproc, self.processes),
            (Resource::Fsize, self.file_bytes),
            (Resource::Core, 0),
        ];
        let bounded = |(resource, wanted): (Resource, u64)| {
            let held = rustix::process::getrlimit(resource).maximum.unwrap_or(u64::MAX);
            let value = Some(wanted.min(held));
            (resource, Rlimit { current: value, maximum: value })
        };
        wanted.map(bounded).into()
    }

    /// The first number that no process of a new namespace gets, as the kernel reads it. The kernel leaves the numbers
    /// up to 300 for the first round, so that at most this many more processes are there at any time.
    pub(super) fn process_numbers(&self) -> Vec<u8> {
        self.processes.saturating_add(RESERVED_NUMBERS).min(PROCESS_NUMBERS_MAX).to_string().into_bytes()
    }

    /// How many pages all segments of System V shared memory may have in a new namespace, as the kernel reads it. It
    /// bounds a single one too.
    pub(super) fn shared_pages(&self) -> Vec<u8> {
        let page_bytes = u64::try_from(rustix::param::page_size()).unwrap_or(u64::MAX);
        (self.temp_bytes / page_bytes).to_string().into_bytes()
    }
}

const RESERVED_NUMBERS: u64 = 301;
const PROCESS_NUMBERS_MAX: u64 = 4_194_304;
