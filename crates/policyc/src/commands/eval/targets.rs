//! One JSON line -> what it asks for, target by target, for who explains instead of judging.

use table_format::Table;

use super::request::{Asked, Fields, asked};
use super::values::LineError;
use super::vocabulary::Vocabulary;
use crate::exit::RunError;
use crate::named::Named;
use crate::reading::Root;

/// What a line asks for.
pub(in crate::commands) enum Targets {
    /// Facts for each target, and what it is called.
    Facts(Vec<(Named, String)>),
    /// A path that leaves the root.
    Escape(String),
}

/// Reads a line as `eval` does.
pub(in crate::commands) fn targets(line: &str, table: &Table<'_>, root: &str) -> Result<Targets, RunError> {
    let root = Root::new(root).map_err(|_| RunError::Root(root.to_owned()))?;
    let bad = |error: LineError| RunError::BadRequest(error.to_string());
    let fields = Fields::read(line.as_bytes()).map_err(bad)?;
    fields.id().map_err(bad)?;
    match asked(&fields, &Vocabulary::of(table), &root).map_err(bad)? {
        Asked::Facts(facts) if facts.is_empty() => Err(RunError::BadRequest("there is nothing to judge".to_owned())),
        Asked::Facts(facts) => Ok(Targets::Facts(facts.into_iter().map(|fact| (fact.named, fact.target)).collect())),
        Asked::Escape { path } => Ok(Targets::Escape(path)),
        Asked::Unrunnable { .. } => Err(RunError::BadRequest("no shell would run the line".to_owned())),
    }
}
