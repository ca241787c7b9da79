//! request bytes -> effect
//!
//! What the core permits is done here: once, sandboxed and on the record. [`Executor::handle`] is the whole way of a
//! request. It parses no policy text; it loads frozen tables. The sandbox is Linux's, and so is this crate.
#![warn(missing_docs)]
#![cfg(target_os = "linux")]

mod again;
mod answer;
mod charges;
mod fault;
mod listed;
mod measures;
mod obligations;
mod publish;
pub mod results;
mod session;
mod spine;
mod tables;
mod tools;

pub use again::Denied;
/// Files beneath one root.
pub use exec_files as files;
/// The state and the store that an executor is made of; `exec-record` has the rest.
pub use exec_record::{
    ContentStore, Digest, LeaseBudget, NewSession, Scope, SessionId, Settings, SqliteState, State, StateError, Token,
};
/// Commands, the sandbox around them, and the doctor.
pub use exec_sandbox as sandbox;
pub use fault::{Fault, FaultCode};
pub use session::{ACTS_PER_SESSION_MAX, SessionError};
pub use spine::{ACTS_MAX, CreateError, Executor, Parts, REQUESTS_MAX, Room, SESSIONS_HELD_MAX, UNREAD};
pub use tables::{LoadError, Loaded, TABLES_MAX};
pub use tools::{Programs, ProgramsError, Tools, Variables};
