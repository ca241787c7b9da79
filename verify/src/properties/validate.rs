//! The rules of the protocol: a rule is reported exactly when a field breaks it, and all of them are.
//!
//! `invariants` says what breaks a rule, from the words of the requirements; it knows nothing of how the core says it.

mod cases;
mod invariants;
mod texts;

pub use cases::{
    AT_LIMITS, Calls, Edits, LETTERS, Names, ONE_BY_ONE, Publishes, Reads, Runs, Versions, Writes,
    artifact_publish_breaks_rules_as_specified, file_edit_breaks_rules_as_specified,
    file_read_breaks_rules_as_specified, file_write_breaks_rules_as_specified, git_operation_breaks_rules_as_specified,
    inference_breaks_rules_as_specified, names_break_rules_as_specified, shell_exec_breaks_rules_as_specified,
};
pub use invariants::Invariant;
pub use texts::{Entry, List, Path, Run};
