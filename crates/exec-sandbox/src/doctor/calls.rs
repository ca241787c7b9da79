//! Forbidden system calls, made with arguments that have no effect.

use std::ffi::{c_int, c_long};
use std::ptr;

use rustix::io::Errno;

#[derive(Debug, Clone, Copy)]
pub(super) struct Forbidden {
    pub(super) name: &'static str,
    number: c_long,
    /// Numbers, never addresses.
    arguments: [c_long; 3],
    flags: c_long,
    pub(super) error: Errno,
}

/// Each of them fails or does nothing where it is let through.
pub(super) const FORBIDDEN: &[Forbidden] = &[
    forbidden("ptrace", libc::SYS_ptrace, [-1, 0, 0]),
    forbidden("process_vm_readv", libc::SYS_process_vm_readv, [0, 0, 0]),
    forbidden("mount", libc::SYS_mount, [0, 0, 0]),
    forbidden("pivot_root", libc::SYS_pivot_root, [0, 0, 0]),
    forbidden("unshare", libc::SYS_unshare, [0, 0, 0]),
    forbidden("setns", libc::SYS_setns, [-1, 0, 0]),
    forbidden("clone3", libc::SYS_clone3, [0, 0, 0]),
    forbidden("clone for a user namespace", libc::SYS_clone, [BOTH_NAMESPACE_AND_FOLDER, 0, 0]),
    forbidden("open_by_handle_at", libc::SYS_open_by_handle_at, [-1, 0, 0]),
    forbidden("keyctl", libc::SYS_keyctl, [-1, 0, 0]),
    forbidden("bpf", libc::SYS_bpf, [-1, 0, 0]),
    forbidden("io_uring_setup", libc::SYS_io_uring_setup, [0, 0, 0]),
    forbidden("userfaultfd", libc::SYS_userfaultfd, [-1, 0, 0]),
    forbidden("perf_event_open", libc::SYS_perf_event_open, [0, -1, -1]),
    forbidden("reboot", libc::SYS_reboot, [0, 0, 0]),
    // No segments would unload a kernel that was loaded before; this many are rejected.
    forbidden("kexec_load", libc::SYS_kexec_load, [0, -1, 0]),
    forbidden("kexec_file_load", libc::SYS_kexec_file_load, [-1, -1, 0]),
    forbidden("init_module", libc::SYS_init_module, [0, 0, 0]),
    forbidden("finit_module", libc::SYS_finit_module, [-1, 0, 0]),
    forbidden("delete_module", libc::SYS_delete_module, [0, 0, 0]),
    forbidden("typing into a terminal", libc::SYS_ioctl, [-1, TIOCSTI, 0]),
    forbidden("a raw packet socket", libc::SYS_socket, [AF_PACKET, -1, 0]),
    forbidden("an internet socket", libc::SYS_socket, [AF_INET, -1, 0]),
    forbidden("openat2", libc::SYS_openat2, [-1, 0, 0]),
    forbidden("memfd_create", libc::SYS_memfd_create, [0, 0, 0]),
    forbidden("limits of another process", libc::SYS_prlimit64, [-1, 0, 0]),
    Forbidden { flags: WHITEOUT, ..forbidden("reaper a device behind", libc::SYS_renameat2, [-1, 0, -1]) },
    Forbidden { error: Errno::PERM, ..forbidden("a mode that gives rights", libc::SYS_fchmod, [-1, MODE_SET_USER, 0]) },
];

const fn forbidden(name: &'static str, number: c_long, arguments: [c_long; 3]) -> Forbidden {
    Forbidden { name, number, arguments, flags: 0, error: Errno::NOSYS }
}

impl Forbidden {
    /// Returns the error number; 0 on success.
    pub(super) fn call(self) -> i32 {
        let [first, second, third] = self.arguments;
        // SAFETY: where a call of the list takes an address, it is null, and where it takes a command, a descriptor, a count or
        // flags, the value is invalid; so the kernel writes nothing and starts no process.
        error_number(unsafe { libc::syscall(self.number, first, second, third, 0, self.flags, 0) })
    }
}

/// A System V message queue. Dropping it removes the queue.
#[derive(Debug)]
pub(super) struct Queue {
    pub(super) key: c_int,
    id: c_int,
}

impl Queue {
    pub(super) fn new(key: c_int) -> std::io::Result<Self> {
        // SAFETY: the call takes numbers only.
        let id = unsafe { libc::msgget(key, libc::IPC_CREAT | libc::IPC_EXCL | 0o600) };
        if id < 0 { Err(std::io::Error::last_os_error()) } else { Ok(Self { key, id }) }
    }

    /// Returns the error number of finding a queue by its key; 0 on success.
    pub(super) fn find(key: c_int) -> i32 {
        // SAFETY: the call takes numbers only.
        error_number(unsafe { libc::msgget(key, 0) }.into())
    }
}

impl Drop for Queue {
    fn drop(&mut self) {
        // SAFETY: removing a queue reads nothing behind the null pointer.
        unsafe { libc::msgctl(self.id, libc::IPC_RMID, ptr::null_mut()) };
    }
}

/// Allocates and frees a segment of shared memory.
pub(super) fn take_shared_memory(bytes: usize) -> i32 {
    // SAFETY: the call takes numbers only.
    let id = unsafe { libc::shmget(libc::IPC_PRIVATE, bytes, 0o600) };
    if id >= 0 {
        // SAFETY: removing a segment reads nothing behind the null pointer.
        unsafe { libc::shmctl(id, libc::IPC_RMID, ptr::null_mut()) };
    }
    error_number(id.into())
}

/// Allocates and frees private writable memory.
pub(super) fn take_memory(bytes: usize) -> i32 {
    let (protection, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
    // SAFETY: the kernel chooses an address that nobody uses, and what is taken back is what it gave.
    unsafe {
        let memory = libc::mmap(ptr::null_mut(), bytes, protection, flags, -1, 0);
        if memory == libc::MAP_FAILED {
            return error_number(-1);
        }
        libc::munmap(memory, bytes);
    }
    0
}

fn error_number(answer: c_long) -> i32 {
    if answer >= 0 { 0 } else { last_error().raw_os_error() }
}

fn last_error() -> Errno {
    // SAFETY: the place of the error is this thread's own.
    Errno::from_raw_os_error(unsafe { *libc::__errno_location() })
}

/// The kernel always rejects this pair, so that no process is started.
const BOTH_NAMESPACE_AND_FOLDER: c_long = (libc::CLONE_NEWUSER | libc::CLONE_FS) as c_long;
const TIOCSTI: c_long = 0x5412;
const WHITEOUT: c_long = libc::RENAME_WHITEOUT as c_long;
const MODE_SET_USER: c_long = 0o4755;
const AF_PACKET: c_long = 17;
const AF_INET: c_long = 2;
