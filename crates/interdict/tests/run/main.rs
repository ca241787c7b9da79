//! `interdict run` from outside: a policy, a folder and lines in; lines, files and a ledger out.

#![cfg(test)]

mod golden;
mod ledger;
mod lines;
mod refused;
mod report;
mod support;
