//! A user namespace with a network namespace in it, made once and given to one line after another.
//!
//! Making a network namespace takes the kernel as long as the rest of a sandbox. A line without rights in it can leave
//! nothing there but sockets, because its only interface is down and stays so. So a namespace without processes and sockets
//! is as good as new. Sockets can outlive a line: handed to another process, or in flight until the kernel collects them. No
//! two lines share a namespace.

use std::os::fd::{AsFd as _, OwnedFd};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::Builder;

use super::{Maps, PrepareError, reap, sys, system, write_maps};
use rustix::fs::{CWD, Mode, OFlags};
use rustix::io::Errno;
use rustix::thread::{LinkNameSpaceType, move_into_link_name_space};

/// Namespaces that wait for a line.
#[derive(Debug, Default)]
pub(super) struct NetNamespacePool {
    idle: Mutex<Vec<NetNamespace>>,
}

/// Namespaces that nobody else is in. They end when this is dropped and their last process has ended.
#[derive(Debug)]
pub(crate) struct NetNamespace {
    users: OwnedFd,
    network: OwnedFd,
    /// Its `/proc/net/sockstat`.
    sockets: OwnedFd,
}

impl NetNamespacePool {
    pub(super) fn take(&self) -> Result<NetNamespace, PrepareError> {
        let next = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        next.map_or_else(NetNamespace::new, Ok)
    }

    /// Keeps a namespace that has no processes any more, if it has no sockets either.
    pub(super) fn give_back(&self, namespace: NetNamespace) {
        if !namespace.has_no_sockets() {
            return;
        }
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        if idle.len() < IDLE_MAX {
            idle.push(namespace);
        }
    }

    #[cfg(test)]
    pub(super) fn count(&self) -> usize {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).len()
    }
}

impl NetNamespace {
    fn new() -> Result<Self, PrepareError> {
        let maps = Maps::own();
        let make = || {
            write_maps(&maps)?;
            // The descriptors keep the namespaces when the process in them has ended.
            let open = |path| rustix::fs::openat(CWD, path, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty());
            Ok(Self {
                users: open(c"/proc/self/ns/user")?,
                network: open(c"/proc/self/ns/net")?,
                sockets: open(c"/proc/self/net/sockstat")?,
            })
        };
        // SAFETY: it makes system calls only, and leaves open what it returns.
        let made = unsafe { sys::run_sharing(libc::CLONE_NEWUSER | libc::CLONE_NEWNET, make) };
        made.map_err(system("make a user and a network namespace"))
    }

    fn has_no_sockets(&self) -> bool {
        let mut start = [0; NO_SOCKETS.len()];
        rustix::io::pread(&self.sockets, &mut start, 0).is_ok_and(|len| len == start.len()) && start == *NO_SOCKETS
    }

    /// Runs `main` in the namespaces, in a process of its own: the kernel does not let a process with several threads change
    /// its user namespace. A [`sys::SIBLING`] that `main` makes is a child of this process.
    ///
    /// # Safety
    /// As [`sys::run_sharing`].
    pub(super) unsafe fn run<T>(&self, main: impl Fn() -> Result<T, Errno>) -> Result<T, Errno> {
        let enter_and_run = || {
            move_into_link_name_space(self.users.as_fd(), Some(LinkNameSpaceType::User))?;
            move_into_link_name_space(self.network.as_fd(), Some(LinkNameSpaceType::Network))?;
            main()
        };
        // SAFETY: both calls above only enter the kernel; the caller vouches for `main`.
        unsafe { sys::run_sharing(0, enter_and_run) }
    }
}

/// Waits, in a thread of its own, for the first processes of finished sandboxes, which are taking their namespaces down.
#[derive(Debug)]
pub(super) struct Reaper {
    /// None if the system had no thread left: then the caller waits itself.
    sender: Option<Sender<EndingSandbox>>,
    namespaces: Arc<NetNamespacePool>,
}

/// A first process that has reported that nothing else is left, and the namespaces that are free when it has ended.
pub(super) struct EndingSandbox {
    pub(super) process: OwnedFd,
    pub(super) namespace: Option<NetNamespace>,
}

impl Reaper {
    pub(super) fn new(namespaces: Arc<NetNamespacePool>) -> Self {
        let (sender, receiver) = channel::<EndingSandbox>();
        let pool = Arc::clone(&namespaces);
        let wait = move || receiver.into_iter().for_each(|ending| ending.wait(&pool));
        let thread = Builder::new().name(REAPER.to_owned()).spawn(wait);
        Self { sender: thread.is_ok().then_some(sender), namespaces }
    }

    pub(super) fn take(&self, ending: EndingSandbox) {
        let unsent = match &self.sender {
            Some(sender) => sender.send(ending).err().map(|unsent| unsent.0),
            None => Some(ending),
        };
        if let Some(ending) = unsent {
            ending.wait(&self.namespaces);
        }
    }
}

impl EndingSandbox {
    fn wait(self, namespaces: &NetNamespacePool) {
        // Fails only when there is nothing to wait for.
        let _ = reap(&self.process);
        self.namespace.into_iter().for_each(|namespace| namespaces.give_back(namespace));
    }
}

/// Takes over a killed process that does not end, without making others wait behind it.
pub(super) fn reap_apart(process: OwnedFd) {
    // Without a thread it stays a zombie until the executor ends.
    let _ = Builder::new().name(REAPER.to_owned()).spawn(move || reap(&process));
}

/// The start of `sockstat` when there are none.
const NO_SOCKETS: &[u8; 16] = b"sockets: used 0\n";
/// More lines than this rarely end together.
const IDLE_MAX: usize = 8;
const REAPER: &str = "sandbox-reaper";
