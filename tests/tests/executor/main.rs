//! The executor from end to end: bytes in, one response out, everything on the record, whatever happens on the way.

#![cfg(test)]
#![cfg(target_os = "linux")]

mod budgets;
mod cancelled;
mod closed;
mod diffs;
mod disks;
mod kills;
#[path = "../readers/mutations.rs"]
mod mutations;
mod panics;
mod pressure;
mod requests;
mod runtimes;
mod script;
mod support;
