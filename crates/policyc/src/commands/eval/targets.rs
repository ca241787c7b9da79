//! One JSON line -> what it asks for, target by target, for who explains instead of judging.

use table_format::Table;

use super::request::{Asked, Fields, asked};
use super::values::LineError;
use super::vocabulary::Vocabulary;
use crate::exit::RunError;
use crate::reading::Root;

/// Reads a line as `eval` does.
pub(in crate::commands) fn targets(line: &str, table: &Table<'_>, root: &str) -> Result<Asked, RunError> {
    let root = Root::new(root).map_err(|_| RunError::Root(root.to_owned()))?;
    let bad = |error: LineError| RunError::BadRequest(error.to_string());
    let fields = Fields::read(line.as_bytes()).map_err(bad)?;
    fields.id().map_err(bad)?;
    asked(&fields, &Vocabulary::of(table), &root).map_err(bad)
}
