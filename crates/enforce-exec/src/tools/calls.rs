//! Running acts -> the signal that one of them, or every one, has to end. Its response is the act's own.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use exec_record::SessionId;

use crate::files::Stop;
use crate::sandbox::StopEvent;

/// The running acts.
#[derive(Debug, Default)]
pub(crate) struct Calls(Mutex<Running>);

#[derive(Debug, Default)]
struct Running {
    calls: Vec<Arc<RunningCall>>,
    /// True after [`Calls::stop_all`]: an act that begins later ends at once.
    is_over: bool,
}

/// An act that runs until this is dropped.
#[derive(Debug)]
pub(crate) struct Call<'c> {
    calls: &'c Calls,
    running: Arc<RunningCall>,
}

#[derive(Debug)]
struct RunningCall {
    session: SessionId,
    request_id: String,
    cancel: Mutex<CancelState>,
}

/// The steps and commands to stop. Those that are added after the cancellation are stopped at once.
#[derive(Debug, Default)]
struct CancelState {
    is_cancelled: bool,
    steps: Vec<Arc<Stop>>,
    commands: Vec<StopEvent>,
}

impl Calls {
    /// Registers an act, which can be cancelled from now on.
    pub(crate) fn begin(&self, session: SessionId, request_id: &str) -> Call<'_> {
        let running = Arc::new(RunningCall { session, request_id: request_id.to_owned(), cancel: Mutex::default() });
        let mut all = self.lock();
        // Under the lock, so that either `stop_all` sees this act, or this act sees `is_over`.
        if all.is_over {
            running.stop();
        }
        all.calls.push(Arc::clone(&running));
        Call { calls: self, running }
    }

    /// Cancels the acts of a session for requests with this id; returns whether there were any.
    pub(crate) fn stop(&self, session: SessionId, request_id: &str) -> bool {
        let all = self.lock();
        let is_meant = |call: &&Arc<RunningCall>| call.session == session && call.request_id == request_id;
        all.calls.iter().filter(is_meant).map(|call| call.stop()).count() > 0
    }

    /// Cancels every running act, and those that begin from now on.
    pub(crate) fn stop_all(&self) {
        let mut all = self.lock();
        all.is_over = true;
        all.calls.iter().for_each(|call| call.stop());
    }

    fn lock(&self) -> MutexGuard<'_, Running> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Call<'_> {
    /// A stop for steps, at the end of this time or when the act is cancelled.
    pub(super) fn stop_after(&self, time: Duration) -> Arc<Stop> {
        let stop = Arc::new(Stop::at(Instant::now() + time));
        let mut cancel = self.running.lock();
        if cancel.is_cancelled {
            stop.stop();
        }
        cancel.steps.push(Arc::clone(&stop));
        stop
    }

    /// A stop for a command, when the act is cancelled.
    ///
    /// # Errors
    /// When the system has no descriptor left.
    pub(super) fn stop_of_command(&self) -> std::io::Result<StopEvent> {
        let stop = StopEvent::new()?;
        let mut cancel = self.running.lock();
        if cancel.is_cancelled {
            stop.stop();
        }
        cancel.commands.push(stop.clone());
        Ok(stop)
    }
}

impl Drop for Call<'_> {
    fn drop(&mut self) {
        self.calls.lock().calls.retain(|call| !Arc::ptr_eq(call, &self.running));
    }
}

impl RunningCall {
    fn stop(&self) {
        let mut cancel = self.lock();
        cancel.is_cancelled = true;
        cancel.steps.iter().for_each(|stop| stop.stop());
        cancel.commands.iter().for_each(StopEvent::stop);
    }

    fn lock(&self) -> MutexGuard<'_, CancelState> {
        self.cancel.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: SessionId = SessionId::new(1);
    const OTHER: SessionId = SessionId::new(2);
    const LONG: Duration = Duration::from_secs(60);

    #[test]
    fn the_word_is_for_one_name_of_one_session() {
        let calls = Calls::default();
        let meant = calls.begin(ONE, "a");
        let others = [calls.begin(ONE, "b"), calls.begin(OTHER, "a")];
        let (stop, stops) = (meant.stop_after(LONG), others.each_ref().map(|call| call.stop_after(LONG)));
        assert!(!calls.stop(OTHER, "b") && stop.check().is_ok());
        assert!(calls.stop(ONE, "a"));
        assert!(stop.check().is_err() && stops.iter().all(|stop| stop.check().is_ok()));
        // Whatever it does next has to end too.
        assert!(meant.stop_after(LONG).check().is_err());
        drop(meant);
        assert!(!calls.stop(ONE, "a"), "it is no longer under way");
        assert!(calls.begin(ONE, "a").stop_after(LONG).check().is_ok(), "the next of the name is another");
    }

    #[test]
    fn the_word_for_all_is_for_those_that_begin_later_too() {
        let calls = Calls::default();
        let before = calls.begin(ONE, "a");
        let stop = before.stop_after(LONG);
        calls.stop_all();
        assert!(stop.check().is_err() && calls.begin(OTHER, "b").stop_after(LONG).check().is_err());
    }
}
