//! `interdict run` from outside: a policy, a folder and lines in; lines, files and a ledger out.

#![cfg(test)]

mod closed;
mod golden;
mod ledger;
mod lines;
mod refused;
mod report;
mod signals;
mod support;
