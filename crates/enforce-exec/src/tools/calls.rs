//! Acts under way -> the word that one of them, or every one, has to end. What becomes of it is the act's own answer.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use exec_record::SessionId;

use crate::files::Stop;
use crate::sandbox::StopEvent;

/// The acts under way.
#[derive(Debug, Default)]
pub(crate) struct Calls(Mutex<UnderWay>);

#[derive(Debug, Default)]
struct UnderWay {
    calls: Vec<Arc<Called>>,
    /// Whether everything has to end: what begins after it ends at once.
    is_over: bool,
}

/// An act that is under way until this is dropped.
#[derive(Debug)]
pub(crate) struct Call<'c> {
    calls: &'c Calls,
    called: Arc<Called>,
}

#[derive(Debug)]
struct Called {
    session: SessionId,
    request_id: String,
    word: Mutex<Word>,
}

/// Who is told, and whether it was said: who comes after it is told at once.
#[derive(Debug, Default)]
struct Word {
    is_given: bool,
    steps: Vec<Arc<Stop>>,
    commands: Vec<StopEvent>,
}

impl Calls {
    /// From now on it can be given the word.
    pub(crate) fn begin(&self, session: SessionId, request_id: &str) -> Call<'_> {
        let called = Arc::new(Called { session, request_id: request_id.to_owned(), word: Mutex::default() });
        let mut under_way = self.lock();
        // Under the lock: whoever gives the word sees this one, or this one sees the word.
        if under_way.is_over {
            called.stop();
        }
        under_way.calls.push(Arc::clone(&called));
        Call { calls: self, called }
    }

    /// Gives the word to the acts of a session that answer requests of this name. Whether there are any.
    pub(crate) fn stop(&self, session: SessionId, request_id: &str) -> bool {
        let under_way = self.lock();
        let is_meant = |called: &&Arc<Called>| called.session == session && called.request_id == request_id;
        under_way.calls.iter().filter(is_meant).map(|called| called.stop()).count() > 0
    }

    /// Gives the word to everything that is under way, and to what begins from now on.
    pub(crate) fn stop_all(&self) {
        let mut under_way = self.lock();
        under_way.is_over = true;
        under_way.calls.iter().for_each(|called| called.stop());
    }

    fn lock(&self) -> MutexGuard<'_, UnderWay> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Call<'_> {
    /// What ends steps after this time, or at the word.
    pub(super) fn stop_after(&self, time: Duration) -> Arc<Stop> {
        let stop = Arc::new(Stop::at(Instant::now() + time));
        let mut word = self.called.lock();
        if word.is_given {
            stop.stop();
        }
        word.steps.push(Arc::clone(&stop));
        stop
    }

    /// What ends a command at the word.
    ///
    /// # Errors
    /// When the system has no descriptor left.
    pub(super) fn stop_of_command(&self) -> std::io::Result<StopEvent> {
        let stop = StopEvent::new()?;
        let mut word = self.called.lock();
        if word.is_given {
            stop.stop();
        }
        word.commands.push(stop.clone());
        Ok(stop)
    }
}

impl Drop for Call<'_> {
    fn drop(&mut self) {
        self.calls.lock().calls.retain(|called| !Arc::ptr_eq(called, &self.called));
    }
}

impl Called {
    fn stop(&self) {
        let mut word = self.lock();
        word.is_given = true;
        word.steps.iter().for_each(|stop| stop.stop());
        word.commands.iter().for_each(StopEvent::stop);
    }

    fn lock(&self) -> MutexGuard<'_, Word> {
        self.word.lock().unwrap_or_else(PoisonError::into_inner)
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
