//! request bytes -> effect
//!
//! The core judges each request; what it permits is done here once, sandboxed and on the record. [`Executor::handle`] is the
//! whole way of a request. This crate parses no policy text: it loads frozen tables. It needs Linux's sandbox.
#![warn(missing_docs)]
#![cfg(target_os = "linux")]

mod act;
mod charges;
mod fault;
mod measures;
mod obligations;
mod path_judge;
mod policy;
mod publish;
mod request_record;
mod response;
pub mod results;
mod session;
mod spine;
mod tools;

/// The kind of a refusal, as responses have it.
pub use enforce_core::judge::RefusalClass;
/// Files beneath one root.
pub use exec_files as files;
/// The state and the store that an executor is made of; `exec-record` has the rest.
pub use exec_record::{
    ContentStore, Digest, LeaseBudget, NewSession, Scope, SessionId, Settings, SqliteState, State, StateError, Token,
};
/// Commands, the sandbox around them, and the doctor.
pub use exec_sandbox as sandbox;
pub use fault::{Fault, FaultCode};
pub use policy::{LoadError, LoadedPolicy};
pub use response::Response;
pub use session::{ACTS_PER_SESSION_MAX, SessionError};
pub use spine::{
    ACTS_MAX, ConcurrencyLimits, CreateError, Executor, ExecutorConfig, REQUESTS_MAX, SESSIONS_LOADED_MAX, UNREADABLE,
};
pub use tools::{Programs, ProgramsError, Tools, Variables};
