//! The text of the requirements -> rows, in the order of the file. A key or status it does not know is refused.

use serde::Deserialize;

use super::TraceError;

/// One requirement.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Row {
    pub(super) id: String,
    pub(super) text: String,
    /// Which reading stands, where there are two.
    pub(super) note: Option<String>,
    pub(super) status: Status,
}

/// How far a requirement is met.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Status {
    Open,
    Done,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    req: Vec<Row>,
}

/// All rows, or the first thing that makes the file unreadable and where it is.
pub(super) fn read(text: &str) -> Result<Vec<Row>, TraceError> {
    match toml::from_str::<File>(text) {
        Ok(file) => Ok(file.req),
        Err(error) => {
            let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
            let line = before.matches('\n').count().saturating_add(1);
            Err(TraceError::Unreadable { line, reason: error.message().to_owned() })
        }
    }
}
