//! Paths to be changed -> locks, first come, first served. A directory conflicts with everything below it.
//!
//! An operation requests all its paths at once and waits only for earlier requests, so there is neither deadlock nor
//! starvation. The locks are by name and only within this process.

use std::collections::BTreeMap;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use crate::{FileError, Stop, is_at_or_below};

/// The locks of one root (SDK-LOCKS).
#[derive(Debug, Default)]
pub(super) struct Locks {
    turns: Mutex<Turns>,
    has_changed: Condvar,
}

#[derive(Debug, Default)]
struct Turns {
    next: u64,
    /// Operations that hold their locks or wait for them, in the order of their requests.
    asked: BTreeMap<u64, Vec<Vec<u8>>>,
}

/// The locks of one operation, until it is dropped.
#[derive(Debug)]
pub(super) struct Turn<'l> {
    locks: &'l Locks,
    number: u64,
}

impl Locks {
    /// Waits until no earlier operation is at one of the paths, above or below.
    pub(super) fn take(&self, paths: &[&[u8]], stop: &Stop) -> Result<Turn<'_>, FileError> {
        // Made before the list is locked again: it is dropped after the guard, and dropping it locks the list.
        let turn = self.ask(paths)?;
        let mut turns = self.turns();
        while turns.must_wait(turn.number) {
            stop.check()?;
            turns = self.has_changed.wait_timeout(turns, stop.nap()).unwrap_or_else(PoisonError::into_inner).0;
        }
        drop(turns);
        Ok(turn)
    }

    fn ask(&self, paths: &[&[u8]]) -> Result<Turn<'_>, FileError> {
        let mut turns = self.turns();
        if turns.asked.len() >= LOCKS_MAX {
            return Err(FileError::Busy);
        }
        let number = turns.next;
        turns.next += 1;
        turns.asked.insert(number, paths.iter().map(|path| path.to_vec()).collect());
        Ok(Turn { locks: self, number })
    }

    /// A panic while the list is locked leaves it consistent.
    fn turns(&self) -> MutexGuard<'_, Turns> {
        self.turns.lock().unwrap_or_else(PoisonError::into_inner)
    }

    #[cfg(test)]
    pub(super) fn asked(&self) -> usize {
        self.turns().asked.len()
    }
}

impl Turns {
    fn must_wait(&self, number: u64) -> bool {
        let Some(wanted) = self.asked.get(&number) else { return false };
        let conflicts =
            |taken: &Vec<u8>| wanted.iter().any(|path| is_at_or_below(path, taken) || is_at_or_below(taken, path));
        self.asked.range(..number).any(|(_, taken)| taken.iter().any(conflicts))
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.locks.turns().asked.remove(&self.number);
        self.locks.has_changed.notify_all();
    }
}

/// Operations that change files at a time, including those that wait.
pub const LOCKS_MAX: usize = 1_024;
