//! `interdict run` from outside: a policy, a folder and lines in; lines, files and a ledger out.

#![cfg(test)]

mod closed;
mod errors;
mod evidence;
mod golden;
mod layers;
mod ledger;
mod lines;
mod lists;
mod messages;
mod refused;
mod signals;
mod specified;
mod support;
mod synced;
