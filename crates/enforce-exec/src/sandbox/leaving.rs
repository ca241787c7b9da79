//! The last moments of a sandbox: its line is over and nothing of it is left but its first process, which is taking
//! its namespaces down. Nobody has to wait for that but a thread of its own.

use std::os::fd::OwnedFd;
use std::sync::mpsc::{Sender, channel};
use std::thread::Builder;

use super::probe::reap;

/// Waits for processes that are about to end. Its thread ends when it is dropped and they have.
#[derive(Debug)]
pub(super) struct Leaving {
    /// None if the system had no thread left: then whoever comes waits itself.
    sender: Option<Sender<OwnedFd>>,
}

impl Leaving {
    pub(super) fn new() -> Self {
        let (sender, receiver) = channel::<OwnedFd>();
        let wait = move || {
            for process in receiver {
                wait_for(&process);
            }
        };
        let thread = Builder::new().name(THREAD.to_owned()).spawn(wait);
        Self { sender: thread.is_ok().then_some(sender) }
    }

    /// Takes a process over that has said that nothing is left but itself.
    pub(super) fn take(&self, process: OwnedFd) {
        let rest = match &self.sender {
            Some(sender) => sender.send(process).err().map(|unsent| unsent.0),
            None => Some(process),
        };
        if let Some(process) = rest {
            wait_for(&process);
        }
    }
}

/// Takes a process over that was killed and does not end, without letting others wait behind it.
pub(super) fn take_stuck(process: OwnedFd) {
    // Without a thread it stays behind as what it is, until the executor ends.
    let _ = Builder::new().name(THREAD.to_owned()).spawn(move || wait_for(&process));
}

fn wait_for(process: &OwnedFd) {
    // It fails only when there is nothing to wait for.
    let _ = reap(process);
}

const THREAD: &str = "sandbox-leaving";
