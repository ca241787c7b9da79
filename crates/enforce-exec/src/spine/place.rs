//! How many requests are under way: none too many, and none when everything has ended.

use std::sync::atomic::Ordering;

use super::Shared;
use crate::fault::{Fault, FaultCode};

/// A place among the requests under way, which is given back when it is dropped.
pub(super) struct Place<'s> {
    shared: &'s Shared,
}

impl<'s> Place<'s> {
    pub(super) fn take(shared: &'s Shared) -> Result<Self, Fault> {
        let before = shared.under_way.fetch_add(1, Ordering::SeqCst);
        let place = Self { shared };
        if shared.is_closing.load(Ordering::SeqCst) {
            return Err(Fault::new(FaultCode::ShuttingDown, "the executor is about to end"));
        }
        if before >= shared.requests_max {
            return Err(Fault::new(FaultCode::Busy, "too many requests are under way"));
        }
        Ok(place)
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        if self.shared.under_way.fetch_sub(1, Ordering::SeqCst) == 1 {
            self.shared.idle.notify_waiters();
        }
    }
}

/// Requests under way; more are told to come back.
pub const REQUESTS_MAX: usize = 8_192;
