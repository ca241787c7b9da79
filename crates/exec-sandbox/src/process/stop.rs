//! Request to end a running command: made by any thread, noticed by whoever polls.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Arc;

use rustix::event::{EventfdFlags, eventfd};

/// Cancels a run. Clones cancel the same run.
#[derive(Debug, Clone)]
pub struct StopEvent(Arc<OwnedFd>);

impl StopEvent {
    /// # Errors
    /// When the system has no descriptor left.
    pub fn new() -> std::io::Result<Self> {
        Ok(Self(Arc::new(eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?)))
    }

    /// Has no effect on a run that has ended.
    pub fn stop(&self) {
        // It fails only after 2^64 calls.
        let _ = rustix::io::write(&self.0, &1_u64.to_ne_bytes());
    }
}

impl AsFd for StopEvent {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}
