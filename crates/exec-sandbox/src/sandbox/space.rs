//! A user namespace with a network namespace in it, made once and given to one line after another.
//!
//! A network namespace takes the kernel as long as everything else of a sandbox together, and a line that has no rights in it
//! can leave nothing there but sockets: its only interface is down, and stays so. So one that no process is left in, and
//! no socket, is as good as new. Sockets can outlive a line: handed to another, or on their way to nobody, until the kernel
//! finds that out. No two lines are in one at the same time.

use std::os::fd::{AsFd as _, OwnedFd};
use std::sync::{Mutex, PoisonError};

use super::{Maps, PrepareError, sys, system, write_maps};
use rustix::fs::{CWD, Mode, OFlags};
use rustix::io::Errno;
use rustix::thread::{LinkNameSpaceType, move_into_link_name_space};

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
        let maps = Maps::own();
        let make = || {
            write_maps(&maps)?;
            // The descriptors keep the namespaces when the process that is in them has ended.
            let open = |path| rustix::fs::openat(CWD, path, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty());
            Ok(Self {
                users: open(c"/proc/self/ns/user")?,
                network: open(c"/proc/self/ns/net")?,
                counts: open(c"/proc/self/net/sockstat")?,
            })
        };
        // SAFETY: it makes system calls only, and leaves open what it returns.
        let made = unsafe { sys::run_sharing(libc::CLONE_NEWUSER | libc::CLONE_NEWNET, make) };
        made.map_err(system("make namespaces of users and of a network"))
    }

    /// Whether there is no socket in it.
    fn is_empty(&self) -> bool {
        let mut said = [0; NO_SOCKETS.len()];
        rustix::io::pread(&self.counts, &mut said, 0).is_ok_and(|len| len == said.len()) && said == *NO_SOCKETS
    }

    /// Runs `main` in a process that is in it and has nothing else to do: the kernel lets nobody with other threads change
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

/// How the kernel's counts begin where there is none.
const NO_SOCKETS: &[u8; 16] = b"sockets: used 0\n";
/// How many wait at most; more lines than this rarely end together.
const IDLE_MAX: usize = 8;
