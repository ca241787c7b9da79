//! Encoded requests through the whole core: read, validate, session, lease, targets, policies (TRUST-FLOW).

#![cfg(test)]

mod bench;
mod facts;
mod flow;
mod git;
mod hostile;
mod listed;
#[path = "../readers/mutations.rs"]
mod mutations;
