//! When to give up: the caller's word, or a deadline. Asked between steps, never after the point of no return.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::error::FileError;

/// What ends an operation early.
#[derive(Debug, Default)]
pub struct Stop {
    is_stopped: AtomicBool,
    deadline: Option<Instant>,
}

impl Stop {
    /// Only the caller's word ends it.
    #[must_use]
    pub fn when_told() -> Self {
        Self::default()
    }

    /// The caller's word ends it, or this time.
    #[must_use]
    pub fn at(deadline: Instant) -> Self {
        Self { is_stopped: AtomicBool::new(false), deadline: Some(deadline) }
    }

    /// Gives the word, from any thread.
    pub fn stop(&self) {
        self.is_stopped.store(true, Ordering::Relaxed);
    }

    /// Goes on, or says why not.
    pub(crate) fn check(&self) -> Result<(), FileError> {
        if self.is_stopped.load(Ordering::Relaxed) {
            return Err(FileError::Cancelled);
        }
        match self.deadline {
            Some(deadline) if Instant::now() >= deadline => Err(FileError::TimedOut),
            _ => Ok(()),
        }
    }

    /// How long a waiter may sleep before it asks again: nothing wakes it when the word is given.
    pub(super) fn nap(&self) -> Duration {
        let left = self.deadline.map_or(NAP_MAX, |deadline| deadline.saturating_duration_since(Instant::now()));
        left.clamp(NAP_MIN, NAP_MAX)
    }
}

const NAP_MIN: Duration = Duration::from_millis(1);
const NAP_MAX: Duration = Duration::from_millis(50);
