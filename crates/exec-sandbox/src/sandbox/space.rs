//! A user namespace with a network namespace in it, made once and given to one line after another.
//!
//! A network namespace takes the kernel as long as everything else of a sandbox together, and a line that has no rights in it
//! can leave nothing there but sockets: its only interface is down, and stays so. So one that no process is left in, and
//! no socket, is as good as new. Sockets can outlive a line: handed to another, or on their way to nobody, until the kernel
//! finds that out. No two lines are in one at the same time.

use std::cell::Cell;
use std::os::fd::{AsFd as _, OwnedFd};
use std::sync::{Mutex, PoisonError};

use rustix::fs::{CWD, Mode, OFlags};
use rustix::io::Errno;
use rustix::process::Pid;

use super::child::write_maps;
use super::prepared::{Maps, PrepareError, system};
use super::sys::{self, Stack};

/// Spaces that wait for a line.
#[derive(Debug, Default)]
pub(super) struct Idle {
    spaces: Mutex<Vec<Space>>,
}

/// Namespaces that nobody else is in. They end when this is dropped and the last process in them has ended.
#[derive(Debug)]
pub(crate) struct Space {
    users: OwnedFd,
    network: OwnedFd,
    /// What the kernel counts in there.
    counts: OwnedFd,
}

impl Idle {
    pub(super) fn take(&self) -> Result<Space, PrepareError> {
        let next = self.spaces.lock().unwrap_or_else(PoisonError::into_inner).pop();
        next.map_or_else(Space::new, Ok)
    }

    /// Keeps a space that no process is left in, if no socket is either.
    pub(super) fn give_back(&self, space: Space) {
        if !space.is_empty() {
            return;
        }
        let mut spaces = self.spaces.lock().unwrap_or_else(PoisonError::into_inner);
        if spaces.len() < IDLE_MAX {
            spaces.push(space);
        }
    }

    #[cfg(test)]
    pub(super) fn count(&self) -> usize {
        self.spaces.lock().unwrap_or_else(PoisonError::into_inner).len()
    }
}

impl Space {
    fn new() -> Result<Self, PrepareError> {
        let order = Making { maps: Maps::own(), made: Cell::new(Err(Errno::CHILD)) };
        let flags = libc::CLONE_NEWUSER | libc::CLONE_NEWNET;
        let run = sys::run_sharing(&Stack::default(), flags, &order, Making::run);
        run.and_then(|()| order.made.into_inner()).map_err(system("make namespaces of users and of a network"))
    }

    /// Whether there is no socket in it.
    fn is_empty(&self) -> bool {
        let mut said = [0; NO_SOCKETS.len()];
        rustix::io::pread(&self.counts, &mut said, 0).is_ok_and(|len| len == said.len()) && said == *NO_SOCKETS
    }

    /// Makes a process in it, as [`sys::clone_process`] does.
    pub(super) fn start<T>(&self, flags: u64, argument: &T, main: fn(&T) -> i32) -> Result<(Pid, OwnedFd), Errno> {
        let order = Starting { space: self, flags, argument, main, made: Cell::new(Err(Errno::CHILD)) };
        sys::run_sharing(&Stack::default(), 0, &order, Starting::run)?;
        order.made.into_inner()
    }
}

struct Making {
    maps: Maps,
    made: Cell<Result<Space, Errno>>,
}

impl Making {
    fn run(&self) -> i32 {
        self.made.set(self.make());
        0
    }

    /// In a process of the new namespaces, which has the executor's descriptors: what keeps them when it has ended.
    fn make(&self) -> Result<Space, Errno> {
        write_maps(&self.maps)?;
        let open = |path| rustix::fs::openat(CWD, path, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty());
        Ok(Space {
            users: open(c"/proc/self/ns/user")?,
            network: open(c"/proc/self/ns/net")?,
            counts: open(c"/proc/self/net/sockstat")?,
        })
    }
}

struct Starting<'a, T> {
    space: &'a Space,
    flags: u64,
    argument: &'a T,
    main: fn(&T) -> i32,
    made: Cell<Result<(Pid, OwnedFd), Errno>>,
}

impl<T> Starting<'_, T> {
    fn run(&self) -> i32 {
        self.made.set(self.start());
        0
    }

    /// In a process that has nothing else to do: the kernel lets nobody with other threads change its user namespace. What
    /// it starts is the executor's child, as if that had started it.
    fn start(&self) -> Result<(Pid, OwnedFd), Errno> {
        let Space { users, network, .. } = self.space;
        sys::enter_users(users.as_fd())?;
        sys::enter_network(network.as_fd())?;
        sys::clone_process(self.flags | sys::SIBLING, self.argument, self.main)
    }
}

/// How the kernel's counts begin where there is none.
const NO_SOCKETS: &[u8; 16] = b"sockets: used 0\n";
/// How many wait at most; more lines than this rarely end together.
const IDLE_MAX: usize = 8;
