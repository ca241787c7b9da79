//! Sessions, acts, budgets, faults and crashes of a state.

mod acts;
mod budgets;
mod crash;
mod faults;
mod places;
mod sessions;
pub(crate) mod support;
mod verify;
