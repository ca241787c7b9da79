//! A caller's cancellation or a deadline -> the end of an operation. It is checked between steps, never after the point
//! of no return.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Ends an operation early.
#[derive(Debug, Default)]
pub struct Stop {
    is_stopped: AtomicBool,
    deadline: Option<Instant>,
}

/// The reason for ending an operation early.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Stopped {
    #[error("it was cancelled")]
    Cancelled,
    #[error("it took too long")]
    TimedOut,
}

impl Stop {
    /// Only [`Stop::stop`] ends the operation.
    #[must_use]
    pub fn on_request() -> Self {
        Self::default()
    }

    /// [`Stop::stop`] or this time ends the operation.
    #[must_use]
    pub fn at(deadline: Instant) -> Self {
        Self { is_stopped: AtomicBool::new(false), deadline: Some(deadline) }
    }

    /// Can be called from any thread.
    pub fn stop(&self) {
        self.is_stopped.store(true, Ordering::Relaxed);
    }

    /// # Errors
    /// When the operation has to end.
    pub fn check(&self) -> Result<(), Stopped> {
        if self.is_stopped.load(Ordering::Relaxed) {
            return Err(Stopped::Cancelled);
        }
        match self.deadline {
            Some(deadline) if Instant::now() >= deadline => Err(Stopped::TimedOut),
            _ => Ok(()),
        }
    }

    /// Returns the time that a waiter may sleep before it checks again, because [`Stop::stop`] wakes nobody.
    #[must_use]
    pub fn nap(&self) -> Duration {
        let left = self.deadline.map_or(NAP_MAX, |deadline| deadline.saturating_duration_since(Instant::now()));
        left.clamp(NAP_MIN, NAP_MAX)
    }
}

const NAP_MIN: Duration = Duration::from_millis(1);
const NAP_MAX: Duration = Duration::from_millis(50);
