//! System calls that no crate has a safe wrapper for.

use std::cell::{Cell, UnsafeCell};
use std::ffi::{CStr, CString, c_char, c_int, c_long, c_void};
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};
use std::ptr;

use rustix::io::{Errno, Result};
use rustix::process::{Pid, WaitOptions, waitpid};

/// Arguments for `execve`: strings, and a null-terminated list of pointers to them.
pub(super) struct Words {
    /// The targets of the pointers. Moving a `CString` does not move its bytes.
    strings: Vec<CString>,
    pointers: Vec<*const c_char>,
}

/// The stack of a process that shares our memory. It is not initialized: an untouched page is neither zeroed nor copied.
pub(super) struct Stack(UnsafeCell<Box<[MaybeUninit<u128>]>>);

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Usage {
    pub(super) cpu_us: u64,
    pub(super) memory_kib: u64,
}

impl Words {
    pub(super) fn new(strings: Vec<CString>) -> Self {
        let pointers = strings.iter().map(|word| word.as_ptr()).chain([ptr::null()]).collect();
        Self { strings, pointers }
    }

    pub(super) fn first(&self) -> Option<&CStr> {
        self.strings.first().map(CString::as_c_str)
    }
}

impl Default for Stack {
    fn default() -> Self {
        Self(UnsafeCell::new(Box::new_uninit_slice(STACK_BYTES / size_of::<u128>())))
    }
}

/// Forks this process, with one thread, into new namespaces as `flags` say. The child runs `main` and exits with its result.
///
/// The child sends no signal when it ends, and only waiting for its descriptor finds it, so that nothing else in this program can
/// take its status.
///
/// # Safety
/// `main` runs where locks of other threads, the allocator's among them, may be held for ever: it must not allocate, lock
/// or panic.
pub(super) unsafe fn clone_process(flags: u64, main: impl FnOnce() -> c_int) -> Result<(Pid, OwnedFd)> {
    let mut descriptor: RawFd = -1;
    // SAFETY: the structure is plain numbers, and zero is the default of each.
    let mut arguments: libc::clone_args = unsafe { std::mem::zeroed() };
    arguments.flags = flags | libc::CLONE_PIDFD as u64;
    arguments.pidfd = ptr::from_mut(&mut descriptor) as u64;
    // SAFETY: the arguments are complete, `pidfd` points to a descriptor that outlives the call, and no memory is shared, so
    // that the new process goes on with a copy of this stack. There it runs `main` alone, for which the caller vouches.
    let answer = unsafe { libc::syscall(libc::SYS_clone3, ptr::from_ref(&arguments), size_of::<libc::clone_args>()) };
    if answer == 0 {
        let code = main();
        // SAFETY: it ends this process without running anything of the program that it was copied from.
        unsafe { libc::_exit(code) }
    }
    let pid = Pid::from_raw(checked(answer)? as c_int).ok_or(Errno::SRCH)?;
    // SAFETY: the call succeeded, so it put a descriptor there that nobody else owns.
    Ok((pid, unsafe { OwnedFd::from_raw_fd(descriptor) }))
}

/// Starts a process that shares this one's memory, and waits until it executes a program or exits with the result of `main`.
///
/// # Safety
/// This process has one thread, and nobody else uses the stack. `main` must not panic, and ends by executing a program or
/// returning.
pub(super) unsafe fn start_sharing(stack: &Stack, main: impl Fn() -> c_int) -> Result<Pid> {
    // SAFETY: the caller vouches for the stack and for `main`; this is the only thread, so no other one sees its changes.
    unsafe { clone_sharing(stack, libc::SIGCHLD, &main) }
}

/// Runs `main` in a process that shares this one's memory and descriptors, in new namespaces as `flags` say, and waits for its
/// end.
///
/// # Safety
/// Other threads go on meanwhile: `main` must not allocate, lock or panic, and leaves open only what it returns.
pub(super) unsafe fn run_sharing<T>(flags: c_int, main: impl Fn() -> Result<T>) -> Result<T> {
    let result = Cell::new(Err(Errno::CHILD));
    let run = || {
        result.set(main());
        0
    };
    let signals = BlockedSignals::new()?;
    // SAFETY: the stack is new, signal handlers do not run on it because signals are blocked, and the caller vouches for
    // `main`.
    let pid = unsafe { clone_sharing(&Stack::default(), flags | libc::CLONE_FILES, &run)? };
    // Any other error means that it has been reaped already.
    let any_child = WaitOptions::from_bits_retain(libc::__WALL as u32);
    while matches!(waitpid(Some(pid), any_child), Err(Errno::INTR)) {}
    drop(signals);
    result.into_inner()
}

/// # Safety
/// Nobody else uses the stack, and nothing but `main` runs on it; `main` must not panic.
unsafe fn clone_sharing<F: Fn() -> c_int>(stack: &Stack, flags: c_int, main: &F) -> Result<Pid> {
    extern "C" fn enter<F: Fn() -> c_int>(main: *mut c_void) -> c_int {
        // SAFETY: it is the `main` of `clone_sharing`, which does not return before this process has left its memory.
        unsafe { (*main.cast::<F>())() }
    }
    // SAFETY: the end of the box is inside its allocation, and aligned as `u128` is.
    let top = unsafe { (*stack.0.get()).as_mut_ptr_range().end.cast::<c_void>() };
    let main = ptr::from_ref(main).cast_mut().cast::<c_void>();
    // SAFETY: the caller vouches for the stack. This thread stands still until the new process has left the memory, so
    // `main` lives long enough; `enter` reads it as what it is.
    let answer = unsafe { libc::clone(enter::<F>, top, flags | libc::CLONE_VM | libc::CLONE_VFORK, main) };
    Pid::from_raw(checked(answer.into())? as c_int).ok_or(Errno::SRCH)
}

/// Blocks signals in this thread until it is dropped: a handler must not run in a process that shares this one's memory.
struct BlockedSignals(libc::sigset_t);

impl BlockedSignals {
    fn new() -> Result<Self> {
        // SAFETY: sets of signals are plain bits; one is filled before it is read, the other is written by the call.
        let (answer, before) = unsafe {
            let (mut all, mut before): (libc::sigset_t, libc::sigset_t) = std::mem::zeroed();
            libc::sigfillset(&raw mut all);
            (libc::pthread_sigmask(libc::SIG_SETMASK, &raw const all, &raw mut before), before)
        };
        // It returns the error itself.
        if answer == 0 { Ok(Self(before)) } else { Err(Errno::from_raw_os_error(answer)) }
    }
}

impl Drop for BlockedSignals {
    fn drop(&mut self) {
        // SAFETY: the set is the one that this thread had, and the one of now is not asked for.
        unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &raw const self.0, ptr::null_mut()) };
    }
}

/// Replaces this process by a program. Returns only on failure.
pub(super) fn execute(program: &CStr, words: &Words, environment: &Words) -> Errno {
    // SAFETY: `Words` has pointers to strings that live as long as itself, and a null at the end.
    unsafe { libc::execve(program.as_ptr(), words.pointers.as_ptr(), environment.pointers.as_ptr()) };
    last_error()
}

/// Gives every signal its default action, and unblocks all.
pub(super) fn reset_signals() -> Result<()> {
    // Two signals are reserved by the C library and two cannot be caught, so these four always have their default action.
    let fixed = [libc::SIGKILL, libc::SIGSTOP, SIGNAL_CANCEL, SIGNAL_SET_ID];
    let default = KernelAction::default();
    for signal in (1..=SIGNAL_MAX).filter(|signal| !fixed.contains(signal)) {
        // SAFETY: the structure is the one of this call, with the size of its set of signals. No handler is installed, so
        // there is none whose safety matters, and what was there is not asked for.
        unsafe {
            libc::syscall(
                libc::SYS_rt_sigaction,
                signal,
                ptr::from_ref(&default),
                ptr::null_mut::<KernelAction>(),
                size_of::<u64>(),
            )
        };
    }
    // SAFETY: an empty set of signals is all zeros, and the old one is not asked for.
    let answer = unsafe {
        let none: libc::sigset_t = std::mem::zeroed();
        libc::sigprocmask(libc::SIG_SETMASK, &raw const none, ptr::null_mut())
    };
    checked(answer.into()).map(drop)
}

/// Makes a write beyond the file size limit fail, instead of ending the process. Commands in a sandbox still get the signal.
pub fn ignore_file_size_signal() {
    // SAFETY: no handler is installed, so there is none whose safety matters.
    unsafe { libc::signal(libc::SIGXFSZ, libc::SIG_IGN) };
}

/// Closes the descriptors from `first` to `last`, both included.
///
/// # Safety
/// Nothing in this process uses one of these descriptors afterwards.
pub(super) unsafe fn close_descriptors(first: RawFd, last: RawFd) -> Result<()> {
    // SAFETY: the call takes numbers only, and the caller vouches for those descriptors.
    checked(unsafe { libc::syscall(libc::SYS_close_range, first, last, 0) }).map(drop)
}

/// Marks all descriptors from a number on to be closed on `execve`.
pub(super) fn mark_descriptors_from(first: RawFd) -> Result<()> {
    // SAFETY: nothing is closed now.
    let answer = unsafe { libc::syscall(libc::SYS_close_range, first, RawFd::MAX, libc::CLOSE_RANGE_CLOEXEC) };
    checked(answer).map(drop)
}

/// Sets mount attributes, also on the mounts below.
pub(super) fn restrict_mount(mount: BorrowedFd<'_>, attributes: u64) -> Result<()> {
    let change = MountAttributes { set: attributes, clear: 0, propagation: 0, user_namespace: 0 };
    let flags = libc::AT_EMPTY_PATH | libc::AT_RECURSIVE;
    let empty = c"";
    // SAFETY: the path is a string, and the structure is the one of this call, with its size.
    let answer = unsafe {
        libc::syscall(
            libc::SYS_mount_setattr,
            mount.as_raw_fd(),
            empty.as_ptr(),
            flags,
            ptr::from_ref(&change),
            size_of::<MountAttributes>(),
        )
    };
    checked(answer).map(drop)
}

pub(super) fn landlock_allow(ruleset: BorrowedFd<'_>, place: BorrowedFd<'_>, access: u64) -> Result<()> {
    let rule = PathBeneath { access, parent: place.as_raw_fd() };
    // SAFETY: the structure is the one that this type of rule has.
    let answer = unsafe {
        libc::syscall(libc::SYS_landlock_add_rule, ruleset.as_raw_fd(), RULE_PATH_BENEATH, ptr::from_ref(&rule), 0)
    };
    checked(answer).map(drop)
}

/// Applies a Landlock ruleset to this thread and its descendants.
pub(super) fn landlock_restrict(ruleset: BorrowedFd<'_>) -> Result<()> {
    // SAFETY: the call takes numbers only.
    checked(unsafe { libc::syscall(libc::SYS_landlock_restrict_self, ruleset.as_raw_fd(), 0) }).map(drop)
}

pub(super) fn landlock_version() -> Result<u32> {
    // SAFETY: asked for its version, it reads no structure.
    let answer = unsafe {
        libc::syscall(
            libc::SYS_landlock_create_ruleset,
            ptr::null::<c_void>(),
            0_usize,
            LANDLOCK_CREATE_RULESET_VERSION,
        )
    };
    checked(answer).map(|version| u32::try_from(version).unwrap_or(0))
}

/// Applies a system call filter to this thread and its descendants.
pub(super) fn install_filter(filter: &[libc::sock_filter]) -> Result<()> {
    let len = u16::try_from(filter.len()).map_err(|_| Errno::INVAL)?;
    let program = libc::sock_fprog { len, filter: filter.as_ptr().cast_mut() };
    // SAFETY: the program points to as many instructions as it says; the kernel checks each of them and writes none.
    let answer = unsafe { libc::syscall(libc::SYS_seccomp, libc::SECCOMP_SET_MODE_FILTER, 0, ptr::from_ref(&program)) };
    checked(answer).map(drop)
}

/// True if the kernel supports a filter action.
pub(super) fn filter_supports(action: u32) -> bool {
    // SAFETY: the kernel reads one number.
    let answer = unsafe { libc::syscall(libc::SYS_seccomp, libc::SECCOMP_GET_ACTION_AVAIL, 0, ptr::from_ref(&action)) };
    answer == 0
}

pub(super) fn usage_of_children() -> Usage {
    // SAFETY: the structure is plain numbers, and the call fills it.
    let usage = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        libc::getrusage(libc::RUSAGE_CHILDREN, &raw mut usage);
        usage
    };
    let micros =
        |time: libc::timeval| (time.tv_sec as u64).saturating_mul(1_000_000).saturating_add(time.tv_usec as u64);
    Usage {
        cpu_us: micros(usage.ru_utime).saturating_add(micros(usage.ru_stime)),
        memory_kib: usage.ru_maxrss.unsigned_abs(),
    }
}

fn checked(answer: c_long) -> Result<c_long> {
    if answer < 0 { Err(last_error()) } else { Ok(answer) }
}

fn last_error() -> Errno {
    Errno::from_io_error(&std::io::Error::last_os_error()).unwrap_or(Errno::IO)
}

/// The kernel's `struct sigaction`. All zeros mean the default action.
#[repr(C)]
#[derive(Default)]
struct KernelAction {
    handler: usize,
    flags: u64,
    restorer: usize,
    mask: u64,
}

/// `struct mount_attr`
#[repr(C)]
struct MountAttributes {
    set: u64,
    clear: u64,
    propagation: u64,
    user_namespace: u64,
}

/// `struct landlock_path_beneath_attr`
#[repr(C, packed)]
struct PathBeneath {
    access: u64,
    parent: i32,
}

/// The new process is a child of its creator's parent.
pub(super) const SIBLING: u64 = libc::CLONE_PARENT as u64;
const RULE_PATH_BENEATH: c_int = 1;
const LANDLOCK_CREATE_RULESET_VERSION: c_int = 1;
const SIGNAL_MAX: c_int = 64;
const SIGNAL_CANCEL: c_int = 32;
const SIGNAL_SET_ID: c_int = 33;
/// A new process needs a few small frames before its program, and a trial a few more. Untouched pages take no memory.
const STACK_BYTES: usize = 96 << 10;
