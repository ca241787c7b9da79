//! A list of system calls -> the filter that allows exactly these.
//!
#![doc = include_str!("seccomp/calls.md")]
//!
//! The kernel evaluates a new filter once for each of some nine hundred numbers. A filter that compares one number after another
//! (five instructions for each call, as `seccompiler` writes it) made starting a process 2.9 times as long; a search tree over
//! ranges of numbers, 1.12 times. `seccompiler` is the oracle of the tests: both programs return the same for every number and
//! argument tested.

mod calls;
mod program;

use calls::{ALLOWED, GUARDED, IPC, IPC_GUARDED, OLD};
use libc::sock_filter;
use program::{ALLOW, KILL, REFUSE, Rule, compile};

/// System calls to allow in addition to those of every program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Grants {
    /// Internet sockets.
    pub(super) network: bool,
    /// System V queues, semaphores and shared memory, if they are private.
    pub(super) ipc: bool,
    /// Shared memory of any size, if the namespace limits all of it.
    pub(super) segments_are_bounded: bool,
}

pub(super) fn filter(grants: Grants) -> Vec<sock_filter> {
    compile(&rules(grants))
}

/// True if the kernel supports the actions of the filter.
pub(super) fn is_available() -> bool {
    // Without the error number in the lower bits.
    let actions = [ALLOW, REFUSE, KILL].map(|answer| answer & !0xffff);
    actions.into_iter().all(super::sys::filter_supports)
}

/// The allowed calls, sorted by number.
fn rules(grants: Grants) -> Vec<(u32, Rule)> {
    let always = ALLOWED.iter().chain(OLD).map(|(_, number)| (*number, Rule::Always));
    let ipc = IPC.iter().filter(|_| grants.ipc).map(|(_, number)| (*number, Rule::Always));
    let guarded_ipc = IPC_GUARDED.iter().filter(|_| grants.ipc);
    let guarded = GUARDED.iter().chain(guarded_ipc).map(|guarded| (guarded.call.1, (guarded.rule)(grants)));
    let mut rules: Vec<_> = always.chain(ipc).chain(guarded).collect();
    rules.sort_unstable_by_key(|(number, _)| *number);
    rules
}

#[cfg(test)]
mod tests;
