//! System calls that no safe wrapper has, each as a function that is safe to call.
//!
//! What runs in a process that [`clone_process`] made is in [`super::child`], and keeps to its rules.

use std::cell::UnsafeCell;
use std::ffi::{CStr, CString, c_char, c_int, c_long, c_void};
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};
use std::ptr;

use rustix::io::{Errno, Result};
use rustix::process::Pid;

/// One instruction of a system call filter, as the kernel reads it.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Instruction {
    pub(super) code: u16,
    pub(super) if_true: u8,
    pub(super) if_false: u8,
    pub(super) operand: u32,
}

/// Words for `execve`: strings, and the list of pointers to them that ends in a null.
pub(super) struct Words {
    /// What the pointers point to. A `CString` owns its bytes elsewhere, so that moving the list moves none of them.
    strings: Vec<CString>,
    pointers: Vec<*const c_char>,
}

/// Room for the calls of a process that shares our memory. It is not filled with anything: a page that nobody touches
/// costs neither zeros nor a copy of its own after the next clone.
pub(super) struct Stack(UnsafeCell<Box<[MaybeUninit<u128>]>>);

// SAFETY: nobody reads or writes it through a reference: its address alone is taken, by the thread that starts a process.
unsafe impl Sync for Stack {}

/// What a process and those it waited for have used.
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

/// Makes a process that is a copy of this one with one thread, in the namespaces that the flags name. It runs `main`
/// and ends with what that answers.
///
/// No signal tells of its end, and only a wait for it by its descriptor finds it, so that nothing else in this
/// program can take its status away.
pub(super) fn clone_process<T>(flags: u64, argument: &T, main: fn(&T) -> c_int) -> Result<(Pid, OwnedFd)> {
    let mut descriptor: RawFd = -1;
    let arguments = libc::clone_args {
        flags: flags | libc::CLONE_PIDFD as u64,
        pidfd: ptr::from_mut(&mut descriptor) as u64,
        child_tid: 0,
        parent_tid: 0,
        exit_signal: 0,
        stack: 0,
        stack_size: 0,
        tls: 0,
        set_tid: 0,
        set_tid_size: 0,
        cgroup: 0,
    };
    // SAFETY: the arguments are complete, `pidfd` points to a descriptor that outlives the call, and no memory is
    // shared, so that the new process goes on with a copy of this stack. There it runs `main` alone, which by the rule
    // of `child` takes no lock and no memory: those of other threads may be held for ever.
    let answer = unsafe { libc::syscall(libc::SYS_clone3, ptr::from_ref(&arguments), size_of::<libc::clone_args>()) };
    if answer == 0 {
        let code = main(argument);
        // SAFETY: it ends this process without running anything of the program that it was copied from.
        unsafe { libc::_exit(code) }
    }
    let pid = Pid::from_raw(checked(answer)? as c_int).ok_or(Errno::SRCH)?;
    // SAFETY: the call has succeeded, and so has put a descriptor there that nobody else owns.
    Ok((pid, unsafe { OwnedFd::from_raw_fd(descriptor) }))
}

/// Makes a process that shares this one's memory, and waits until it executes a program or ends: `main` is to do
/// the one or the other, and its answer is the status.
pub(super) fn start_sharing<T>(stack: &Stack, argument: &T, main: fn(&T) -> c_int) -> Result<Pid> {
    let call = Call { main, argument };
    let raw = ptr::from_ref(&call).cast_mut().cast::<c_void>();
    // SAFETY: the end of the box is inside its allocation, and aligned as `u128` is.
    let top = unsafe { (*stack.0.get()).as_mut_ptr_range().end.cast::<c_void>() };
    let flags = libc::CLONE_VM | libc::CLONE_VFORK | libc::SIGCHLD;
    // SAFETY: the stack is used by nobody else, because this thread is the only one and stands still until the new
    // process has left the memory; for the same reason `call` lives long enough. `enter` reads `raw` as what it is.
    let answer = unsafe { libc::clone(enter::<T>, top, flags, raw) };
    Pid::from_raw(checked(answer.into())? as c_int).ok_or(Errno::SRCH)
}

/// Runs something in a process that shares this one's memory and descriptors, in new namespaces that the flags name, and
/// waits for its end. Other threads go on meanwhile; `main` keeps to the rules of `child` and leaves nothing open but what
/// it hands back through its argument.
pub(super) fn run_sharing<T>(stack: &Stack, flags: c_int, argument: &T, main: fn(&T) -> c_int) -> Result<()> {
    let call = Call { main, argument };
    let raw = ptr::from_ref(&call).cast_mut().cast::<c_void>();
    // SAFETY: the end of the box is inside its allocation, and aligned as `u128` is.
    let top = unsafe { (*stack.0.get()).as_mut_ptr_range().end.cast::<c_void>() };
    let flags = flags | libc::CLONE_VM | libc::CLONE_VFORK | libc::CLONE_FILES;
    let _held_back = HeldBack::new()?;
    // SAFETY: the stack is used by nobody else, because this thread stands still until the new process has ended; for the
    // same reason `call` lives long enough. `enter` reads `raw` as what it is. No handler of a signal runs on that
    // stack, because signals are held back there.
    let answer = unsafe { libc::clone(enter::<T>, top, flags, raw) };
    let pid = checked(answer.into())? as c_int;
    loop {
        // SAFETY: no status is asked for.
        match checked(unsafe { libc::waitpid(pid, ptr::null_mut(), libc::__WALL) }.into()) {
            Err(Errno::INTR) => {}
            // It has ended, whoever has waited for it.
            Ok(_) | Err(_) => return Ok(()),
        }
    }
}

/// Holds signals back from this thread until it is dropped: a handler has no place in a process that shares its memory.
struct HeldBack(libc::sigset_t);

impl HeldBack {
    fn new() -> Result<Self> {
        // SAFETY: sets of signals are plain bits; one is filled before it is read, the other is written by the call.
        let (answer, before) = unsafe {
            let (mut all, mut before): (libc::sigset_t, libc::sigset_t) = std::mem::zeroed();
            libc::sigfillset(&raw mut all);
            (libc::pthread_sigmask(libc::SIG_SETMASK, &raw const all, &raw mut before), before)
        };
        // It answers with the error itself.
        if answer == 0 { Ok(Self(before)) } else { Err(Errno::from_raw_os_error(answer)) }
    }
}

impl Drop for HeldBack {
    fn drop(&mut self) {
        // SAFETY: the set is the one that this thread had, and the one of now is not asked for.
        unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &raw const self.0, ptr::null_mut()) };
    }
}

/// Puts this process, which has one thread, into a user namespace, with every right in there.
pub(super) fn enter_users(namespace: BorrowedFd<'_>) -> Result<()> {
    enter_namespace(namespace, libc::CLONE_NEWUSER)
}

/// Puts this process into a network namespace.
pub(super) fn enter_network(namespace: BorrowedFd<'_>) -> Result<()> {
    enter_namespace(namespace, libc::CLONE_NEWNET)
}

fn enter_namespace(namespace: BorrowedFd<'_>, kind: c_int) -> Result<()> {
    // SAFETY: it takes no memory of ours, and whoever calls it is alone in its process.
    checked(unsafe { libc::setns(namespace.as_raw_fd(), kind) }.into()).map(drop)
}

/// Replaces this process by a program. It returns only when that fails.
pub(super) fn execute(program: &CStr, words: &Words, environment: &Words) -> Errno {
    // SAFETY: `Words` has pointers to strings that live as long as itself, and a null at the end.
    unsafe { libc::execve(program.as_ptr(), words.pointers.as_ptr(), environment.pointers.as_ptr()) };
    last_error()
}

/// Every signal does again what it does in a new program, and none is held back.
pub(super) fn reset_signals() -> Result<()> {
    // The C library keeps two signals for itself, and two cannot be caught: none of them has another disposition than its
    // own.
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

/// Lets a write fail that goes beyond the limit of a file's size, which the system otherwise ends the process for. Commands
/// in a sandbox get the signal all the same.
pub fn ignore_file_size_signal() {
    // SAFETY: no handler is installed, so there is none whose safety matters.
    unsafe { libc::signal(libc::SIGXFSZ, libc::SIG_IGN) };
}

/// Closes every descriptor from one to another, both included.
pub(super) fn close_descriptors(first: RawFd, last: RawFd) -> Result<()> {
    // SAFETY: only a process that is about to run nothing but `child` closes what others of its kind own, and
    // `child` names those that it needs.
    checked(unsafe { libc::syscall(libc::SYS_close_range, first, last, 0) }).map(drop)
}

/// Lets every descriptor from a number on be closed when a program is executed.
pub(super) fn mark_descriptors_from(first: RawFd) -> Result<()> {
    // SAFETY: nothing is closed now.
    let answer = unsafe { libc::syscall(libc::SYS_close_range, first, RawFd::MAX, libc::CLOSE_RANGE_CLOEXEC) };
    checked(answer).map(drop)
}

/// Puts a descriptor at a number, whatever was there.
pub(super) fn place_descriptor(descriptor: BorrowedFd<'_>, number: RawFd) -> Result<()> {
    // SAFETY: the numbers that `child` names are those of the standard streams, which nobody owns there.
    checked(unsafe { libc::dup2(descriptor.as_raw_fd(), number) }.into()).map(drop)
}

/// Takes rights from a mount and from those below it.
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

/// Adds a file or a folder to a Landlock ruleset.
pub(super) fn landlock_allow(ruleset: BorrowedFd<'_>, place: BorrowedFd<'_>, access: u64) -> Result<()> {
    let rule = PathBeneath { access, parent: place.as_raw_fd() };
    // SAFETY: the structure is the one that this type of rule has.
    let answer = unsafe {
        libc::syscall(libc::SYS_landlock_add_rule, ruleset.as_raw_fd(), RULE_PATH_BENEATH, ptr::from_ref(&rule), 0)
    };
    checked(answer).map(drop)
}

/// Holds this thread, and what comes from it, to a Landlock ruleset.
pub(super) fn landlock_restrict(ruleset: BorrowedFd<'_>) -> Result<()> {
    // SAFETY: it takes no memory of ours.
    checked(unsafe { libc::syscall(libc::SYS_landlock_restrict_self, ruleset.as_raw_fd(), 0) }).map(drop)
}

/// Which version of Landlock the kernel has.
pub(super) fn landlock_version() -> Result<u32> {
    // SAFETY: asked for its version, it reads no structure.
    let answer = unsafe {
        libc::syscall(libc::SYS_landlock_create_ruleset, ptr::null::<c_void>(), 0_usize, LANDLOCK_ASKS_VERSION)
    };
    checked(answer).map(|version| u32::try_from(version).unwrap_or(0))
}

/// Holds this thread, and what comes from it, to a filter of system calls.
pub(super) fn install_filter(filter: &[Instruction]) -> Result<()> {
    let program =
        FilterProgram { len: u16::try_from(filter.len()).map_err(|_| Errno::INVAL)?, instructions: filter.as_ptr() };
    // SAFETY: the program points to as many instructions as it says, and the kernel checks every one of them.
    let answer = unsafe { libc::syscall(libc::SYS_seccomp, libc::SECCOMP_SET_MODE_FILTER, 0, ptr::from_ref(&program)) };
    checked(answer).map(drop)
}

/// Whether the kernel can do an action of a filter.
pub(super) fn filter_can(action: u32) -> bool {
    // SAFETY: the kernel reads one number.
    let answer = unsafe { libc::syscall(libc::SYS_seccomp, libc::SECCOMP_GET_ACTION_AVAIL, 0, ptr::from_ref(&action)) };
    answer == 0
}

/// What the processes that this one has waited for have used.
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

struct Call<'a, T> {
    main: fn(&T) -> c_int,
    argument: &'a T,
}

extern "C" fn enter<T>(raw: *mut c_void) -> c_int {
    // SAFETY: `start_sharing` and `run_sharing` hand over a call of this type, which lives until this process has left its memory.
    let call = unsafe { &*raw.cast::<Call<'_, T>>() };
    (call.main)(call.argument)
}

fn checked(answer: c_long) -> Result<c_long> {
    if answer < 0 { Err(last_error()) } else { Ok(answer) }
}

fn last_error() -> Errno {
    // SAFETY: the place of the error is this thread's own.
    Errno::from_raw_os_error(unsafe { *libc::__errno_location() })
}

/// The kernel's `struct sigaction`. All zeros say what a signal does in a new program.
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

/// `struct sock_fprog`
#[repr(C)]
struct FilterProgram {
    len: u16,
    instructions: *const Instruction,
}

/// A process that is a child of its maker's parent.
pub(super) const SIBLING: u64 = libc::CLONE_PARENT as u64;
const RULE_PATH_BENEATH: c_int = 1;
const LANDLOCK_ASKS_VERSION: c_int = 1;
const SIGNAL_MAX: c_int = 64;
const SIGNAL_CANCEL: c_int = 32;
const SIGNAL_SET_ID: c_int = 33;
/// A handful of small frames is all that there is between a new process and its program, and those of what a sandbox is
/// tried with. Of what nobody touches, nothing is ever there.
const STACK_BYTES: usize = 96 << 10;
