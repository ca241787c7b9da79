//! The last moments of a sandbox: its line is over and nothing of it is left but its first process, which is taking
//! its namespaces down. Nobody has to wait for that but a thread of its own.

use super::{Space, reap, space};
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::thread::Builder;

/// Waits for processes that are about to end. Its thread ends when it is dropped and they have.
#[derive(Debug)]
pub(super) struct Leaving {
    /// None if the system had no thread left: then whoever comes waits itself.
    sender: Option<Sender<Left>>,
    spaces: Arc<space::Idle>,
}

/// A process that has said that nothing is left but itself, and the namespaces that nobody is in without it.
pub(super) struct Left {
    pub(super) process: OwnedFd,
    pub(super) space: Option<Space>,
}

impl Leaving {
    pub(super) fn new(spaces: Arc<space::Idle>) -> Self {
        let (sender, receiver) = channel::<Left>();
        let idle = Arc::clone(&spaces);
        let wait = move || {
            for left in receiver {
                left.wait(&idle);
            }
        };
        let thread = Builder::new().name(THREAD.to_owned()).spawn(wait);
        Self { sender: thread.is_ok().then_some(sender), spaces }
    }

    pub(super) fn take(&self, left: Left) {
        let rest = match &self.sender {
            Some(sender) => sender.send(left).err().map(|unsent| unsent.0),
            None => Some(left),
        };
        if let Some(left) = rest {
            left.wait(&self.spaces);
        }
    }
}

impl Left {
    fn wait(self, spaces: &space::Idle) {
        wait_for(&self.process);
        if let Some(space) = self.space {
            spaces.give_back(space);
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
