//! The system calls that commands may make: always, with private queues, or with some arguments.
//!
//! `calls.md` lists the same for readers, with what is refused and why; the tests compare both with the filter.

use super::Grants;
use super::program::Rule;

/// The name in the C library and the number on this architecture.
pub(super) type Call = (&'static str, u32);

/// A call that is allowed with some arguments.
pub(super) struct Guarded {
    pub(super) call: Call,
    pub(super) rule: fn(Grants) -> Rule,
}

macro_rules! calls {
    ($($name:ident)*) => { &[$((stringify!($name), libc::$name as u32)),*] };
}

macro_rules! call {
    ($name:ident) => {
        (stringify!($name), libc::$name as u32)
    };
}

pub(super) const ALLOWED: &[Call] = calls![
    SYS_read SYS_write SYS_close SYS_fstat SYS_lseek SYS_pread64 SYS_pwrite64 SYS_readv SYS_writev SYS_preadv
    SYS_pwritev SYS_preadv2 SYS_pwritev2 SYS_newfstatat SYS_statx SYS_statfs SYS_fstatfs SYS_faccessat SYS_faccessat2
    SYS_readlinkat SYS_getdents64 SYS_getcwd SYS_chdir SYS_fchdir SYS_mkdirat SYS_unlinkat SYS_renameat
    SYS_linkat SYS_symlinkat SYS_fchown SYS_fchownat SYS_utimensat SYS_truncate SYS_ftruncate SYS_fallocate
    SYS_fadvise64 SYS_readahead SYS_sync SYS_fsync SYS_fdatasync SYS_syncfs SYS_sync_file_range SYS_flock SYS_fcntl
    SYS_umask SYS_dup SYS_dup3 SYS_close_range SYS_copy_file_range SYS_sendfile SYS_splice SYS_tee SYS_vmsplice
    SYS_pipe2 SYS_setxattr SYS_lsetxattr SYS_fsetxattr SYS_getxattr SYS_lgetxattr SYS_fgetxattr
    SYS_listxattr SYS_llistxattr SYS_flistxattr SYS_removexattr SYS_lremovexattr SYS_fremovexattr SYS_inotify_init1
    SYS_inotify_add_watch SYS_inotify_rm_watch
    SYS_mmap SYS_mprotect SYS_munmap SYS_brk SYS_mremap SYS_msync SYS_mincore SYS_madvise SYS_mlock SYS_mlock2
    SYS_munlock SYS_mlockall SYS_munlockall SYS_get_mempolicy SYS_set_mempolicy SYS_mbind SYS_membarrier
    SYS_pkey_mprotect SYS_pkey_alloc SYS_pkey_free SYS_mseal SYS_remap_file_pages
    SYS_execve SYS_execveat SYS_exit SYS_exit_group SYS_wait4 SYS_waitid SYS_kill SYS_tkill SYS_tgkill SYS_pidfd_open
    SYS_pidfd_send_signal SYS_getpid SYS_getppid SYS_gettid SYS_getpgid SYS_setpgid SYS_getsid SYS_setsid
    SYS_getpriority SYS_setpriority SYS_ioprio_get SYS_ioprio_set SYS_getrlimit SYS_setrlimit
    SYS_getrusage SYS_times SYS_uname SYS_sysinfo SYS_prctl SYS_sched_yield SYS_sched_getaffinity
    SYS_sched_setaffinity SYS_sched_getparam SYS_sched_setparam SYS_sched_getscheduler SYS_sched_setscheduler
    SYS_sched_getattr SYS_sched_setattr SYS_sched_get_priority_max SYS_sched_get_priority_min
    SYS_sched_rr_get_interval SYS_getcpu SYS_set_tid_address SYS_set_robust_list SYS_get_robust_list SYS_rseq
    SYS_futex SYS_futex_waitv SYS_restart_syscall
    SYS_getuid SYS_geteuid SYS_getgid SYS_getegid SYS_getresuid SYS_getresgid SYS_getgroups SYS_setuid SYS_setgid
    SYS_setreuid SYS_setregid SYS_setresuid SYS_setresgid SYS_setfsuid SYS_setfsgid SYS_capget SYS_capset
    SYS_rt_sigaction SYS_rt_sigprocmask SYS_rt_sigreturn SYS_rt_sigpending SYS_rt_sigtimedwait SYS_rt_sigqueueinfo
    SYS_rt_tgsigqueueinfo SYS_rt_sigsuspend SYS_sigaltstack SYS_signalfd4
    SYS_nanosleep SYS_clock_nanosleep SYS_clock_gettime SYS_clock_getres SYS_gettimeofday SYS_getitimer SYS_setitimer
    SYS_timer_create SYS_timer_settime SYS_timer_gettime SYS_timer_getoverrun SYS_timer_delete SYS_timerfd_create
    SYS_timerfd_settime SYS_timerfd_gettime
    SYS_ppoll SYS_pselect6 SYS_epoll_create1 SYS_epoll_ctl SYS_epoll_pwait SYS_epoll_pwait2 SYS_eventfd2
    SYS_connect SYS_accept SYS_accept4 SYS_sendto SYS_recvfrom SYS_sendmsg SYS_recvmsg SYS_sendmmsg SYS_recvmmsg
    SYS_shutdown SYS_bind SYS_listen SYS_getsockname SYS_getpeername SYS_setsockopt SYS_getsockopt
    SYS_seccomp SYS_landlock_create_ruleset SYS_landlock_add_rule SYS_landlock_restrict_self
    SYS_getrandom
];

/// Calls of old programs, on architectures that have them.
#[cfg(target_arch = "x86_64")]
pub(super) const OLD: &[Call] = calls![
    SYS_stat SYS_lstat SYS_poll SYS_access SYS_pipe SYS_select SYS_dup2 SYS_pause SYS_alarm SYS_fork SYS_vfork
    SYS_getdents SYS_rename SYS_mkdir SYS_rmdir SYS_link SYS_unlink SYS_symlink SYS_readlink SYS_chown SYS_lchown
    SYS_getpgrp SYS_utime SYS_utimes SYS_futimesat SYS_time SYS_epoll_create SYS_epoll_wait SYS_signalfd SYS_eventfd
    SYS_inotify_init SYS_arch_prctl
];
#[cfg(not(target_arch = "x86_64"))]
pub(super) const OLD: &[Call] = &[];

/// Allowed in a private IPC namespace.
pub(super) const IPC: &[Call] = calls![
    SYS_shmat SYS_shmctl SYS_shmdt SYS_semop SYS_semctl SYS_semtimedop SYS_msgget SYS_msgsnd SYS_msgrcv SYS_msgctl
];

/// The same with some arguments: these make memory that belongs to no process, so that no other limit counts it.
pub(super) const IPC_GUARDED: &[Guarded] = &[
    Guarded {
        call: call!(SYS_shmget),
        rule: |grants| match grants.segments_are_bounded {
            true => Rule::Always,
            false => Rule::AtMost { argument: 1, most: SEGMENT_BYTES_MAX, is_wide: true },
        },
    },
    Guarded { call: call!(SYS_semget), rule: |_| Rule::AtMost { argument: 1, most: SEMAPHORES_MAX, is_wide: false } },
];

pub(super) const GUARDED: &[Guarded] = &[
    // Threads and processes, but no namespaces. Filters cannot see the flags of `clone3`, so it is refused: the C library then
    // calls `clone`.
    Guarded { call: call!(SYS_clone), rule: |_| Rule::Without { argument: 0, bits: NEW_NAMESPACES } },
    // No faked terminal input, and no console.
    Guarded {
        call: call!(SYS_ioctl),
        rule: |_| Rule::NoneOf { argument: 1, values: vec![TIOCSTI, TIOCLINUX, TIOCCONS, TIOCSETD] },
    },
    Guarded {
        call: call!(SYS_socket),
        rule: |grants| match grants.network {
            false => Rule::OneOf { argument: 0, values: vec![UNIX] },
            true => Rule::Routed { values: vec![UNIX, INET, INET6] },
        },
    },
    Guarded { call: call!(SYS_socketpair), rule: |_| Rule::OneOf { argument: 0, values: vec![UNIX] } },
    // Only its own limits: without a process namespace, a CPU limit of zero would end the executor.
    Guarded { call: call!(SYS_prlimit64), rule: |_| Rule::OneOf { argument: 0, values: vec![ITSELF] } },
    // No other way to load programs, and no predictable addresses, except as debuggers do for themselves.
    Guarded {
        call: call!(SYS_personality),
        rule: |_| Rule::OneOf { argument: 0, values: vec![0, ADDR_NO_RANDOMIZE, PERSONALITY_ASKED] },
    },
    // No set-user-ID and set-group-ID files: others may run, outside, what a command leaves in the root. Filters cannot see the
    // mode of `openat2`, so it is refused: programs then call `openat`. `mkdir` needs no guard, because the kernel ignores
    // these bits there.
    Guarded { call: call!(SYS_openat), rule: |_| Rule::CreatedMode { flags: 2, without: SET_ID } },
    Guarded { call: call!(SYS_fchmod), rule: |_| Rule::Mode { argument: 1, without: SET_ID } },
    Guarded { call: call!(SYS_fchmodat), rule: |_| Rule::Mode { argument: 2, without: SET_ID } },
    Guarded { call: call!(SYS_fchmodat2), rule: |_| Rule::Mode { argument: 2, without: SET_ID } },
    Guarded { call: call!(SYS_mknodat), rule: |_| Rule::Mode { argument: 2, without: SET_ID | DEVICE } },
    // No device either, which a rename can leave behind.
    Guarded { call: call!(SYS_renameat2), rule: |_| Rule::Without { argument: 4, bits: libc::RENAME_WHITEOUT } },
    #[cfg(target_arch = "x86_64")]
    Guarded { call: call!(SYS_open), rule: |_| Rule::CreatedMode { flags: 1, without: SET_ID } },
    #[cfg(target_arch = "x86_64")]
    Guarded { call: call!(SYS_creat), rule: |_| Rule::Mode { argument: 1, without: SET_ID } },
    #[cfg(target_arch = "x86_64")]
    Guarded { call: call!(SYS_chmod), rule: |_| Rule::Mode { argument: 1, without: SET_ID } },
    #[cfg(target_arch = "x86_64")]
    Guarded { call: call!(SYS_mknod), rule: |_| Rule::Mode { argument: 1, without: SET_ID | DEVICE } },
];

const SET_ID: u32 = libc::S_ISUID | libc::S_ISGID;
/// The type bit that block and character devices share, but not pipes, sockets and regular files.
const DEVICE: u32 = libc::S_IFCHR & libc::S_IFBLK;

const NEW_NAMESPACES: u32 = (libc::CLONE_NEWNS
    | libc::CLONE_NEWCGROUP
    | libc::CLONE_NEWUTS
    | libc::CLONE_NEWIPC
    | libc::CLONE_NEWUSER
    | libc::CLONE_NEWPID
    | libc::CLONE_NEWNET) as u32;

const TIOCSTI: u32 = 0x5412;
const TIOCLINUX: u32 = 0x541c;
const TIOCCONS: u32 = 0x541d;
const TIOCSETD: u32 = 0x5423;

const UNIX: u32 = 1;
const INET: u32 = 2;
const INET6: u32 = 10;

/// Of one segment of shared memory. A namespace has at most 4,096, which makes 1 GiB.
pub(super) const SEGMENT_BYTES_MAX: u32 = 256 << 10;
/// Of one set. A namespace has at most 32,000 sets, and the kernel uses 64 bytes for each semaphore, which makes 1 GiB.
pub(super) const SEMAPHORES_MAX: u32 = 512;

const ITSELF: u32 = 0;

const ADDR_NO_RANDOMIZE: u32 = 0x0004_0000;
const PERSONALITY_ASKED: u32 = u32::MAX;
