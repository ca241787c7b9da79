//! The kernel -> the layers that work, each tried in a process of its own.

use std::fs::File;
use std::io::Read as _;
use std::os::fd::{AsFd as _, OwnedFd};
use std::time::Duration;

use super::{
    ChildReport, Job, Layer, Layers, Limits, MissingLayer, ReportBytes, Sandbox, SandboxOrder, Streams, Version,
    end_descendants, seccomp, sys,
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
    pub landlock_version: Option<u32>,
    pub user_namespaces_max: Option<u64>,
    /// True if ordinary users may make user namespaces; none if the kernel has no switch for it.
    pub user_namespaces_for_users: Option<bool>,
    /// The actions that seccomp filters support.
    pub filter_actions: String,
    /// Some limits do not apply to root.
    pub is_root: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum TrialAnswer {
    Answered(i32),
    /// The sandbox could not be made.
    NotMade(String),
}

impl Kernel {
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
    /// Tries every layer, and keeps those that work.
    pub(super) fn probe(&mut self) {
        for layer in Layer::ALL {
            if let Err(why) = self.probe_layer(layer) {
                self.layers = self.layers.without(layer);
                self.missing.push(MissingLayer { layer, why });
            }
        }
        let ipc = self.layers.has(Layer::IpcNamespace);
        // Without resource limits, shared memory is not limited either.
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
            TrialAnswer::Answered(answer) if answer == wanted => Ok(()),
            TrialAnswer::Answered(_) => Err(what.to_owned()),
            TrialAnswer::NotMade(why) => Err(why),
        };
        let bare = Layer::NoNewPrivileges;
        match layer {
            Layer::NoNewPrivileges => expect(self, &[bare], keeps_privileges, 0, "it can be switched off again"),
            Layer::Landlock => {
                self.version = Some(Version::detect()?);
                expect(self, &[bare, layer], open_root, Errno::ACCESS.raw_os_error(), "it does not deny opening a file")
            }
            Layer::Seccomp => {
                if !seccomp::is_available() {
                    return Err("the kernel does not support a filter action".to_owned());
                }
                expect(
                    self,
                    &[bare, layer],
                    change_root,
                    Errno::NOSYS.raw_os_error(),
                    "it does not block a system call",
                )
            }
            Layer::UserNamespace
            | Layer::PidNamespace
            | Layer::MountNamespace
            | Layer::NetworkNamespace
            | Layer::IpcNamespace => expect(self, &[Layer::UserNamespace, layer], nothing, 0, "it cannot be entered"),
            Layer::ResourceLimits => self.probe_limits(),
        }
    }

    /// The kernel does not count the processes of root. There the process ids of a namespace limit them.
    fn probe_limits(&mut self) -> Result<(), String> {
        let namespaces: Layers = [Layer::UserNamespace, Layer::PidNamespace].into_iter().collect();
        self.bounds_process_numbers = true;
        let numbers = self.only(namespaces.with(Layer::ResourceLimits)).attempt(&Limits::default(), Box::new(nothing));
        self.bounds_process_numbers = self.layers.has(Layer::PidNamespace) && numbers == TrialAnswer::Answered(0);
        self.probe_shared_limit();
        let few = Limits { processes: FEW, ..Limits::default() };
        let users = self.only([Layer::UserNamespace, Layer::ResourceLimits].into_iter().collect());
        match users.attempt(&few, Box::new(|| start_processes(FEW.saturating_mul(2)))) {
            TrialAnswer::Answered(started) if u64::try_from(started).is_ok_and(|started| started <= FEW) => Ok(()),
            TrialAnswer::Answered(_) if self.bounds_process_numbers => Ok(()),
            TrialAnswer::Answered(_) => Err("the number of processes of this user cannot be limited".to_owned()),
            TrialAnswer::NotMade(why) => Err(why),
        }
    }

    /// Older kernels let only root set the limit, newer ones only the root of the namespace.
    fn probe_shared_limit(&mut self) {
        let namespaces: Layers = [Layer::UserNamespace, Layer::IpcNamespace].into_iter().collect();
        self.bounds_shared_memory = true;
        let bounded = self.only(namespaces.with(Layer::ResourceLimits)).attempt(&Limits::default(), Box::new(nothing));
        self.bounds_shared_memory = self.layers.has(Layer::IpcNamespace) && bounded == TrialAnswer::Answered(0);
    }

    /// Runs `trial` in a sandbox, and ends everything that it started.
    pub(crate) fn attempt(&self, limits: &Limits, trial: Box<dyn Fn() -> i32>) -> TrialAnswer {
        self.try_once(limits, trial).unwrap_or_else(TrialAnswer::NotMade)
    }

    fn try_once(&self, limits: &Limits, trial: Box<dyn Fn() -> i32>) -> Result<TrialAnswer, String> {
        let said = |error: Errno| error.to_string();
        let (read, report) = pipe_with(PipeFlags::CLOEXEC).map_err(said)?;
        // Unused by trials.
        let (_unread, output) = pipe_with(PipeFlags::CLOEXEC).map_err(said)?;
        let errors = output.try_clone().map_err(|error| error.to_string())?;
        let streams = Streams { input: None, output, errors, report };
        let order = SandboxOrder {
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
        let own = prepared.has_own_processes;
        drop(prepared);
        let report = receive(read, &process);
        if !own {
            end_descendants(pid);
        }
        let _ = rustix::process::pidfd_send_signal(&process, Signal::KILL);
        reap(&process).map_err(said)?;
        match report {
            Some(ChildReport::Tried { answer }) => Ok(TrialAnswer::Answered(answer)),
            Some(ChildReport::Broken { step, error, .. }) => Err(format!("{step}: {error}")),
            Some(ChildReport::Ended { .. }) | None => Err("its process ended without a report".to_owned()),
        }
    }
}

/// Waits for a process that was killed or is about to end.
pub(crate) fn reap(process: &OwnedFd) -> Result<(), Errno> {
    loop {
        match rustix::process::waitid(WaitId::PidFd(process.as_fd()), reap_options()) {
            Err(Errno::INTR) => {}
            answer => return answer.map(drop),
        }
    }
}

/// The options to wait for the first process of a sandbox. It sends no signal when it ends, so that only `__WALL` finds it.
pub(crate) fn reap_options() -> WaitIdOptions {
    WaitIdOptions::EXITED | WaitIdOptions::from_bits_retain(ALL_CHILDREN)
}

/// Reads the report; none if the process ends without one or takes too long.
fn receive(read: OwnedFd, process: &OwnedFd) -> Option<ChildReport> {
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
    // Checked again: `poll` may have found the end of the process before its report was written.
    if !ChildReport::is_there(&read) {
        return None;
    }
    let mut bytes = ReportBytes::default();
    File::from(read).read_exact(bytes.as_flattened_mut()).ok()?;
    ChildReport::from_bytes(bytes)
}

/// Starts up to `count` processes, and returns how many could be started. They end with this one.
pub(crate) fn start_processes(count: u64) -> i32 {
    let wait = || {
        let _ = rustix::process::set_parent_process_death_signal(Some(Signal::KILL));
        rustix::event::pause();
        0
    };
    // SAFETY: `wait` makes system calls only. The descriptor is closed at once; the process continues.
    let started = (0..count).take_while(|_| unsafe { sys::clone_process(0, wait) }.is_ok()).count();
    i32::try_from(started).unwrap_or(i32::MAX)
}

/// Uses CPU time in a process. Returns 0, or `ETIME` if the process was ended before.
pub(crate) fn compute(time: Duration) -> i32 {
    let spin = || {
        let _ = rustix::process::set_parent_process_death_signal(Some(Signal::KILL));
        while Duration::try_from(rustix::time::clock_gettime(ClockId::ProcessCPUTime)).is_ok_and(|used| used < time) {}
        0
    };
    // SAFETY: `spin` makes system calls and compares numbers, nothing else.
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

/// Converts a result to an error number; 0 for success.
pub(crate) fn errno<T>(answer: Result<T, Errno>) -> i32 {
    answer.map_or_else(Errno::raw_os_error, |_| 0)
}

/// `__WALL`
const ALL_CHILDREN: u32 = 0x4000_0000;
/// A trial takes milliseconds, or a second of CPU time; an overloaded machine needs longer.
const TRIAL_TIMEOUT: Duration = Duration::from_secs(60);
const FEW: u64 = 4;
