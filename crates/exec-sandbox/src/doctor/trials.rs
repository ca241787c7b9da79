//! Layer -> trials of what it must stop. A trial runs in the first process of a sandbox and keeps to the rules there: no
//! allocation, no locks.

use std::os::fd::IntoRawFd as _;
use std::time::Duration;

use rustix::fs::{CWD, MemfdFlags, Mode, OFlags};
use rustix::io::Errno;
use rustix::net::{AddressFamily, SocketAddrUnix, SocketType, connect, socket};
use rustix::process::{Resource, Rlimit};

use super::calls::{FORBIDDEN, Queue, take_memory, take_shared_memory};
use super::small_limits;
use super::stage::Stage;
use crate::sandbox::{Kernel, Layer, Limits, Sandbox, compute, errno, ignore_file_size_signal, start_processes};

pub(super) struct Trial {
    pub(super) what: &'static str,
    pub(super) limits: Limits,
    /// Makes a function that returns 0 or an error number.
    pub(super) attempt: Box<dyn Fn() -> Box<dyn Fn() -> i32>>,
    pub(super) is_stopped_by: fn(Errno) -> bool,
}

pub(super) fn of(layer: Layer, sandbox: &Sandbox, stage: &Stage) -> Vec<Trial> {
    match layer {
        Layer::NoNewPrivileges => privileges(),
        Layer::Landlock => landlock(stage),
        Layer::Seccomp => calls(),
        Layer::UserNamespace => vec![
            trial("raising the priority", denied, || {
                // One step up from the current priority, because the executor itself may have a low one.
                let now = rustix::process::getpriority_process(None);
                errno(now.and_then(|now| rustix::process::setpriority_process(None, now - 1)))
            }),
            // The same user may do this, root or not, except from another user namespace.
            look_into_executor(stage),
        ],
        Layer::PidNamespace => vec![signal_executor(stage, |error| error == Errno::SRCH)],
        Layer::MountNamespace => vec![
            open(stage, "reading a file that is not granted", OFlags::RDONLY, |error| error == Errno::NOENT),
            open(stage, "making a file in the machine's temporary directory", MAKE, |error| error == Errno::NOENT),
            // Keeping the owner needs the same right as changing it, and has no effect.
            trial(
                "changing the null device",
                |error| error == Errno::ROFS,
                || errno(rustix::fs::fchown(rustix::stdio::stdin(), None, None)),
            ),
        ],
        Layer::NetworkNamespace => {
            let is_away = |error| matches!(error, Errno::NETUNREACH | Errno::CONNREFUSED);
            vec![connect_internet(stage, is_away), connect_abstract(stage, is_away)]
        }
        Layer::IpcNamespace => {
            let key = stage.queue.key;
            vec![trial("finding a message queue", |error| error == Errno::NOENT, move || Queue::find(key))]
        }
        Layer::ResourceLimits => limits(sandbox),
    }
}

fn privileges() -> Vec<Trial> {
    vec![
        trial("changing the root directory", denied, || errno(rustix::process::chroot(c"/"))),
        // Setuid programs are ineffective, and this cannot be switched off again.
        trial("gaining rights by executing a program", denied, || match rustix::thread::no_new_privs() {
            Ok(true) if rustix::thread::set_no_new_privs(false).is_err() => Errno::PERM.raw_os_error(),
            Ok(_) => 0,
            Err(error) => error.raw_os_error(),
        }),
    ]
}

fn landlock(stage: &Stage) -> Vec<Trial> {
    let version = Kernel::examine().landlock_version.unwrap_or_default();
    let mut trials = vec![
        open(stage, "reading a file that is not granted", OFlags::RDONLY, denied),
        open(stage, "making a file that is not granted", MAKE, denied),
        open(stage, "truncating a file", OFlags::WRONLY.union(OFlags::TRUNC), denied),
    ];
    if version >= VERSION_NETWORK {
        trials.push(connect_internet(stage, denied));
    }
    if version >= VERSION_SCOPES {
        trials.extend([connect_abstract(stage, denied), signal_executor(stage, denied)]);
    }
    trials
}

fn calls() -> Vec<Trial> {
    let call = |call: &super::calls::Forbidden| {
        let call = *call;
        let is_stopped_by: fn(Errno) -> bool = match call.error {
            Errno::PERM => |error| error == Errno::PERM,
            _ => |error| error == Errno::NOSYS,
        };
        trial(call.name, is_stopped_by, move || call.call())
    };
    FORBIDDEN.iter().map(call).collect()
}

fn limits(sandbox: &Sandbox) -> Vec<Trial> {
    let started = || match start_processes(PROCESSES_TRIED) {
        started if u64::try_from(started) == Ok(PROCESSES_TRIED) => 0,
        _ => Errno::AGAIN.raw_os_error(),
    };
    let opened = || {
        let open = || rustix::fs::openat(CWD, c"/dev/null", OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty());
        // They stay open until this process ends.
        errno((0..FILES_TRIED).try_for_each(|_| open().map(|file| file.into_raw_fd()).map(|_| ())))
    };
    let written = || {
        // Otherwise the signal would end the process, unless it is the first of a namespace.
        ignore_file_size_signal();
        let file = rustix::fs::memfd_create(c"trial", MemfdFlags::CLOEXEC);
        errno(file.and_then(|file| rustix::fs::ftruncate(file, FILE_BYTES_TRIED)))
    };
    // With the layer, raising the limit needs a capability that no process in there has. No core is written either way.
    let dumped = || {
        let some = Rlimit { current: Some(CORE_BYTES_TRIED), maximum: Some(CORE_BYTES_TRIED) };
        errno(rustix::process::setrlimit(Resource::Core, some))
    };
    let mut trials = vec![
        trial("opening many files", |error| error == Errno::MFILE, opened),
        trial("taking much memory", |error| error == Errno::NOMEM, || take_memory(MEMORY_BYTES_TRIED)),
        trial("making a large file", |error| error == Errno::FBIG, written),
        trial("using much CPU time", |error| error == Errno::TIME, || compute(TIME_TRIED)),
        trial("enabling core dumps", |error| error == Errno::PERM, dumped),
    ];
    if sandbox.bounds_shared_memory {
        let shared = || take_shared_memory(MEMORY_BYTES_TRIED);
        trials.push(trial("taking much shared memory", |error| error == Errno::NOSPC, shared));
    }
    // Last: without a layer, its processes count for this user until the machine's first process reaps them.
    let many = trial("starting many processes", |error| error == Errno::AGAIN, started);
    // Each is a fork of this program, which takes longer for a large program.
    let many = Trial { limits: Limits { cpu_seconds: COPYING_SECONDS, ..small_limits() }, ..many };
    trials.into_iter().map(|trial| Trial { limits: small_limits(), ..trial }).chain([many]).collect()
}

fn open(stage: &Stage, what: &'static str, flags: OFlags, is_stopped_by: fn(Errno) -> bool) -> Trial {
    let path = if flags.contains(OFlags::CREATE) { stage.new_file.clone() } else { stage.file.clone() };
    Trial {
        what,
        limits: Limits::default(),
        attempt: Box::new(move || {
            let path = path.clone();
            Box::new(move || errno(rustix::fs::openat(CWD, path.as_c_str(), flags | OFlags::CLOEXEC, Mode::RUSR)))
        }),
        is_stopped_by,
    }
}

fn connect_internet(stage: &Stage, is_stopped_by: fn(Errno) -> bool) -> Trial {
    let address = stage.address;
    trial("connecting to a port of this machine", is_stopped_by, move || {
        let socket = socket(AddressFamily::INET, SocketType::STREAM, None);
        errno(socket.and_then(|socket| connect(socket, &address)))
    })
}

fn connect_abstract(stage: &Stage, is_stopped_by: fn(Errno) -> bool) -> Trial {
    let address = SocketAddrUnix::new_abstract_name(&stage.socket_name);
    trial("connecting to an abstract socket", is_stopped_by, move || {
        let socket = socket(AddressFamily::UNIX, SocketType::STREAM, None);
        errno(socket.and_then(|socket| connect(socket, &address.clone()?)))
    })
}

fn signal_executor(stage: &Stage, is_stopped_by: fn(Errno) -> bool) -> Trial {
    let executor = stage.executor;
    trial("signalling the executor", is_stopped_by, move || errno(rustix::process::test_kill_process(executor)))
}

fn look_into_executor(stage: &Stage) -> Trial {
    let path = stage.executor_environ.clone();
    trial("reading the executor's environment", denied, move || {
        errno(rustix::fs::openat(CWD, path.as_c_str(), OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty()))
    })
}

fn trial(what: &'static str, is_stopped_by: fn(Errno) -> bool, attempt: impl Fn() -> i32 + Clone + 'static) -> Trial {
    let attempt = Box::new(move || Box::new(attempt.clone()) as Box<dyn Fn() -> i32>);
    Trial { what, limits: Limits::default(), attempt, is_stopped_by }
}

fn denied(error: Errno) -> bool {
    matches!(error, Errno::PERM | Errno::ACCESS)
}

const MAKE: OFlags = OFlags::WRONLY.union(OFlags::CREATE);

const VERSION_NETWORK: u32 = 4;
const VERSION_SCOPES: u32 = 6;

pub(super) const PROCESSES: u64 = 16;
/// More than the limit, and more than the process ids that the kernel reserves.
const PROCESSES_TRIED: u64 = 400;
const COPYING_SECONDS: u64 = 30;
const FILES_TRIED: u32 = 100;
const MEMORY_BYTES_TRIED: usize = 128 << 20;
const FILE_BYTES_TRIED: u64 = 2 << 20;
const CORE_BYTES_TRIED: u64 = 1 << 20;
/// More than the limit of one second.
const TIME_TRIED: Duration = Duration::from_millis(1_250);
