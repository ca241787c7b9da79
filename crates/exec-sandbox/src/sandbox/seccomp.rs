//! A list of system calls -> the filter that lets exactly those through.
//!
#![doc = include_str!("seccomp/calls.md")]
//!
//! Why the program is written here: the kernel walks a new filter once for each of some nine hundred numbers. A filter
//! that compares one number after another (five instructions for each call, as `seccompiler` writes it) made starting a
//! process 2.9 times as long; a search tree over ranges of numbers made it 1.12 times as long. `seccompiler` is the
//! oracle of the tests: both programs answer alike for every number and every argument that is looked at.

mod calls;
mod program;

use super::Instruction;
use calls::{ALLOWED, GUARDED, IPC, IPC_GUARDED, OLD};
use program::{ALLOW, KILL, REFUSE, Rule, compile};

/// What a filter lets through beside what every program needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Grants {
    /// Internet sockets.
    pub(super) network: bool,
    /// System V queues, semaphores and shared memory: where they are private.
    pub(super) ipc: bool,
    /// Shared memory of any size: where the namespace bounds all of it.
    pub(super) segments_are_bounded: bool,
}

/// The filter for these grants.
pub(super) fn filter(grants: Grants) -> Vec<Instruction> {
    compile(&rules(grants))
}

/// Whether the kernel can do what the filter asks of it.
pub(super) fn is_available() -> bool {
    // Without the error that an answer carries.
    let actions = [ALLOW, REFUSE, KILL].map(|answer| answer & !0xffff);
    actions.into_iter().all(super::sys::filter_can)
}

/// What is let through, by number.
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
