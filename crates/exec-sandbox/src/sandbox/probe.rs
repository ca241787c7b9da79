//! The kernel -> which layers it gives, each by trying it in a process of its own.

use std::fs::File;
use std::io::Read as _;
use std::os::fd::{AsFd as _, OwnedFd};
use std::time::Duration;

use super::{
    Job, Layer, Layers, Limits, Missing, Order, Report, Sandbox, Streams, Version, end_descendants, seccomp, sys,
};
use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::fs::{CWD, Mode, OFlags};
use rustix::io::Errno;
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::{Signal, WaitId, WaitIdOptions};
use rustix::time::ClockId;
use serde::Serialize;

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Kernel {
    pub release: String,
    /// Its version of Landlock; none without it.
    pub landlock_version: Option<u32>,
    /// How many user namespaces there may be.
    pub user_namespaces_max: Option<u64>,
    /// Whether ordinary users may make user namespaces, where the kernel has a switch for it.
    pub user_namespaces_for_users: Option<bool>,
    /// What filters of system calls can do.
    pub filter_actions: String,
    /// Whether the executor is root, to whom some limits do not apply.
    pub is_root: bool,
}

/// What came of something that was tried in a sandbox.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Trial {
    /// It was tried, and gave this answer.
    Answered(i32),
    /// There was no sandbox to try it in.
    NotMade(String),
}

impl Kernel {
    /// Asks the kernel.
    #[must_use]
    pub fn examine() -> Self {
        let setting = |path: &str| std::fs::read_to_string(path).ok().map(|text| text.trim().to_owned());
        let switch = |path: &str, on: &str| setting(path).map(|value| value == on);
        Self {
            release: rustix::system::uname().release().to_string_lossy().into_owned(),
            landlock_version: sys::landlock_version().ok(),
            user_namespaces_max: setting("/proc/sys/user/max_user_namespaces").and_then(|value| value.parse().ok()),
            user_namespaces_for_users: switch("/proc/sys/kernel/unprivileged_userns_clone", "1")
                .or_else(|| switch("/proc/sys/kernel/apparmor_restrict_unprivileged_userns", "0")),
            filter_actions: setting("/proc/sys/kernel/seccomp/actions_avail").unwrap_or_default(),
            is_root: rustix::process::geteuid().is_root(),
        }
    }
}

impl Sandbox {
    /// Finds out which layers there are, and keeps those.
    pub(super) fn probe(&mut self) {
        for layer in Layer::ALL {
            if let Err(why) = self.probe_layer(layer) {
                self.layers = self.layers.without(layer);
                self.missing.push(Missing { layer, why });
            }
        }
        let ipc = self.layers.has(Layer::IpcNamespace);
        // Where nobody bounds anything, this is not to be bounded either.
        let segments_are_bounded = self.bounds_shared_memory || !self.layers.has(Layer::ResourceLimits);
        if !ipc || !segments_are_bounded {
            let filter = |network| seccomp::filter(seccomp::Grants { network, ipc, segments_are_bounded }).into();
            (self.with_network, self.without_network) = (filter(true), filter(false));
        }
    }

    fn probe_layer(&mut self, layer: Layer) -> Result<(), String> {
        let expect = |sandbox: &Self, layers: &[Layer], trial: fn() -> i32, wanted: i32, what: &str| match sandbox
            .only(layers.iter().copied().collect())
            .attempt(&Limits::default(), Box::new(trial))
        {
            Trial::Answered(answer) if answer == wanted => Ok(()),
            Trial::Answered(_) => Err(what.to_owned()),
            Trial::NotMade(why) => Err(why),
        };
        let bare = Layer::NoNewPrivileges;
        match layer {
            Layer::NoNewPrivileges => expect(self, &[bare], keeps_privileges, 0, "it does not stay on"),
            Layer::Landlock => {
                self.version = Some(Version::detect()?);
                expect(self, &[bare, layer], open_root, Errno::ACCESS.raw_os_error(), "it does not deny a file")
            }
            Layer::Seccomp => {
                if !seccomp::is_available() {
                    return Err("the kernel lacks an action of filters".to_owned());
                }
                expect(self, &[bare, layer], change_root, Errno::NOSYS.raw_os_error(), "it does not refuse a call")
            }
            Layer::UserNamespace
            | Layer::PidNamespace
            | Layer::MountNamespace
            | Layer::NetworkNamespace
            | Layer::IpcNamespace => expect(self, &[Layer::UserNamespace, layer], nothing, 0, "it cannot be entered"),
            Layer::ResourceLimits => self.probe_limits(),
        }
    }

    /// The kernel does not count the processes of root. Where it counts the numbers of a namespace, that does.
    fn probe_limits(&mut self) -> Result<(), String> {
        let spaces: Layers = [Layer::UserNamespace, Layer::PidNamespace].into_iter().collect();
        self.bounds_process_numbers = true;
        let numbers = self.only(spaces.with(Layer::ResourceLimits)).attempt(&Limits::default(), Box::new(nothing));
        self.bounds_process_numbers = self.layers.has(Layer::PidNamespace) && numbers == Trial::Answered(0);
        self.probe_shared_limit();
        let few = Limits { processes: FEW, ..Limits::default() };
        let users = self.only([Layer::UserNamespace, Layer::ResourceLimits].into_iter().collect());
        match users.attempt(&few, Box::new(|| start_processes(FEW.saturating_mul(2)))) {
            Trial::Answered(started) if u64::try_from(started).is_ok_and(|started| started <= FEW) => Ok(()),
            Trial::Answered(_) if self.bounds_process_numbers => Ok(()),
            Trial::Answered(_) => Err("the number of processes of this user cannot be bounded".to_owned()),
            Trial::NotMade(why) => Err(why),
        }
    }

    /// Older kernels let only root say it, and newer ones only who is root in the namespace.
    fn probe_shared_limit(&mut self) {
        let spaces: Layers = [Layer::UserNamespace, Layer::IpcNamespace].into_iter().collect();
        self.bounds_shared_memory = true;
        let bounded = self.only(spaces.with(Layer::ResourceLimits)).attempt(&Limits::default(), Box::new(nothing));
        self.bounds_shared_memory = self.layers.has(Layer::IpcNamespace) && bounded == Trial::Answered(0);
    }

    /// Tries something inside, and leaves nothing behind.
    pub(crate) fn attempt(&self, limits: &Limits, trial: Box<dyn Fn() -> i32>) -> Trial {
        self.try_once(limits, trial).unwrap_or_else(Trial::NotMade)
    }

    fn try_once(&self, limits: &Limits, trial: Box<dyn Fn() -> i32>) -> Result<Trial, String> {
        let said = |error: Errno| error.to_string();
        let (read, report) = pipe_with(PipeFlags::CLOEXEC).map_err(said)?;
        // Nothing is said on them, and nobody listens.
        let (_unread, output) = pipe_with(PipeFlags::CLOEXEC).map_err(said)?;
        let errors = output.try_clone().map_err(|error| error.to_string())?;
        let streams = Streams { input: None, output, errors, report };
        let order = Order {
            network: false,
            working_directory: None,
            read: &[],
            write: &[],
            temp: None,
            limits,
            script: None,
            environment: Vec::new(),
            job: Job::Trial(trial),
            streams,
        };
        let prepared = self.prepare(order).map_err(|error| error.to_string())?;
        let (pid, process) = prepared.start().map_err(|error| error.to_string())?;
        let own = prepared.has_own_processes();
        drop(prepared);
        let report = receive(read, &process);
        if !own {
            end_descendants(pid);
        }
        let _ = rustix::process::pidfd_send_signal(&process, Signal::KILL);
        reap(&process).map_err(said)?;
        match report {
            Some(Report::Tried { answer }) => Ok(Trial::Answered(answer)),
            Some(Report::Broken { step, error, .. }) => Err(format!("{step}: {error}")),
            Some(Report::Ended { .. }) | None => Err("its process ended without a word".to_owned()),
        }
    }
}

/// Waits for a process that is killed, or about to end.
pub(crate) fn reap(process: &OwnedFd) -> Result<(), Errno> {
    loop {
        match rustix::process::waitid(WaitId::PidFd(process.as_fd()), reap_options()) {
            Err(Errno::INTR) => {}
            answer => return answer.map(drop),
        }
    }
}

/// How the first process of a sandbox is waited for. Its end is told by no signal, and it is only found by asking for all
/// kinds of children.
pub(crate) fn reap_options() -> WaitIdOptions {
    WaitIdOptions::EXITED | WaitIdOptions::from_bits_retain(ALL_CHILDREN)
}

/// The report, unless the process ends without one or takes too long.
fn receive(read: OwnedFd, process: &OwnedFd) -> Option<Report> {
    let mut ready = [PollFd::new(&read, PollFlags::IN), PollFd::new(process, PollFlags::IN)];
    let timeout = Timespec::try_from(TRIAL_TIMEOUT).ok()?;
    loop {
        match rustix::event::poll(&mut ready, Some(&timeout)) {
            Ok(0) => return None,
            Ok(_) => break,
            Err(Errno::INTR) => {}
            Err(_) => return None,
        }
    }
    // Looked for again: what was found may be the end of a process that had not reported yet when that was looked for.
    if !Report::is_there(&read) {
        return None;
    }
    let mut bytes = [0; Report::LEN];
    File::from(read).read_exact(&mut bytes).ok()?;
    Report::read(bytes)
}

/// Makes as many processes as it can, up to a number, and tells how many those were. They end with this one.
pub(crate) fn start_processes(count: u64) -> i32 {
    let wait = || {
        let _ = rustix::process::set_parent_process_death_signal(Some(Signal::KILL));
        rustix::event::pause();
        0
    };
    // SAFETY: `wait` makes system calls only. The descriptor is closed at once, and the process goes on.
    let started = (0..count).take_while(|_| unsafe { sys::clone_process(0, wait) }.is_ok()).count();
    i32::try_from(started).unwrap_or(i32::MAX)
}

/// Lets a process compute for a time, and tells whether it got to the end of it: 0, or that its time was over before.
pub(crate) fn compute(time: Duration) -> i32 {
    let spin = || {
        let _ = rustix::process::set_parent_process_death_signal(Some(Signal::KILL));
        // What it has used itself, however often it has to wait for a processor.
        while Duration::try_from(rustix::time::clock_gettime(ClockId::ProcessCPUTime)).is_ok_and(|used| used < time) {}
        0
    };
    // SAFETY: `spin` makes system calls and counts, no more.
    let ended = unsafe { sys::clone_process(0, spin) }
        .and_then(|(_, process)| rustix::process::waitid(WaitId::PidFd(process.as_fd()), reap_options()));
    match ended {
        Ok(Some(status)) if status.exit_status() == Some(0) => 0,
        Ok(_) => Errno::TIME.raw_os_error(),
        Err(error) => error.raw_os_error(),
    }
}

fn nothing() -> i32 {
    0
}

fn keeps_privileges() -> i32 {
    let is_on = rustix::thread::no_new_privs() == Ok(true);
    let goes_off = rustix::thread::set_no_new_privs(false).is_ok();
    i32::from(!is_on || goes_off)
}

fn open_root() -> i32 {
    errno(rustix::fs::openat(CWD, c"/", OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty()))
}

fn change_root() -> i32 {
    errno(rustix::process::chroot(c"/"))
}

/// What the system said, as a number; 0 for success.
pub(crate) fn errno<T>(answer: Result<T, Errno>) -> i32 {
    answer.map_or_else(Errno::raw_os_error, |_| 0)
}

/// `__WALL`
const ALL_CHILDREN: u32 = 0x4000_0000;
/// A sandbox takes a few milliseconds, and what computes a second or so; a machine in trouble gets a while.
const TRIAL_TIMEOUT: Duration = Duration::from_secs(60);
/// Processes that the limit is tried with.
const FEW: u64 = 4;
