//! The resources that a command may use.

use rustix::process::{Resource, Rlimit};

/// Limits of each process, except `processes`, which limits them all together, and `temp_bytes`, which they share.
///
/// The memory of all processes together is limited only by their number times the limit of each. Shared anonymous mappings
/// count as address space, not as `memory_bytes`. Memory that belongs to no process has its own limits: files in memory, and
/// System V shared memory, `temp_bytes` each (the latter about 1 GiB where the kernel does not let the executor set it);
/// semaphores and message queues, about 1 GiB each. Unnamed files in memory are refused. Kernel memory for pipes, sockets and
/// open files is not limited here. Without a user namespace, the kernel counts all processes of the user for `processes`,
/// including those outside the sandbox.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Of CPU time.
    pub cpu_seconds: u64,
    /// Of private writable memory.
    pub memory_bytes: u64,
    /// Some runtimes reserve far more than they use.
    pub address_space_bytes: u64,
    pub open_files: u64,
    /// Processes and threads at a time. Up to 300 more where the executor is root: the kernel does not count its processes, so
    /// the process ids of the namespace limit them.
    pub processes: u64,
    /// Of a file that is written.
    pub file_bytes: u64,
    /// Of all files in memory: temporary directory, home directory, shared memory. System V shared memory has as much again.
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
    /// The resource limits to set, none above the executor's own.
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

    /// The value of `pid_max` for a new namespace. The kernel uses the ids up to 300 only in the first round, so there can be
    /// that many more processes.
    pub(super) fn process_numbers(&self) -> Vec<u8> {
        self.processes.saturating_add(RESERVED_NUMBERS).min(PROCESS_NUMBERS_MAX).to_string().into_bytes()
    }

    /// The value of `shmall` for a new namespace: the pages of all System V shared memory segments together.
    pub(super) fn shared_pages(&self) -> Vec<u8> {
        let page_bytes = u64::try_from(rustix::param::page_size()).unwrap_or(u64::MAX);
        (self.temp_bytes / page_bytes).to_string().into_bytes()
    }
}

const RESERVED_NUMBERS: u64 = 301;
const PROCESS_NUMBERS_MAX: u64 = 4_194_304;
