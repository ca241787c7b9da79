//! cases -> whether a property of the core holds
//!
//! Each property is one function over one kind of case ([`properties`]). What makes the cases is an engine: one that
//! counts through all of a small domain, one that rolls dice, a fuzzer, a model checker ([`cases`] says what they have
//! to produce). None of them knows what it checks, and no property knows who asks.
#![no_std]
#![warn(missing_docs)]

// A crate without the standard library has the checker's own only when it asks for it.
#[cfg(kani)]
extern crate kani;
#[cfg(any(not(kani), test))]
extern crate std;

pub mod cases;
#[cfg(not(kani))]
pub mod engines;
pub mod kept;
mod list;
#[cfg(not(kani))]
pub mod oracles;
#[cfg(any(kani, test))]
mod proofs;
pub mod properties;
mod sheet;
pub mod world;
