//! The text of the list -> changes that change nothing that a test could see, each with the reason.

use serde::Deserialize;

use super::{MutantsError, Survivor};

/// One change, named by what does not move when lines are added above it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Equivalent {
    pub(super) file: String,
    pub(super) function: String,
    pub(super) mutation: String,
    /// How the rest of the line starts, from the changed place on.
    pub(super) at: String,
    pub(super) reason: String,
}

impl Equivalent {
    pub(super) fn is(&self, survivor: &Survivor) -> bool {
        let Survivor { mutant, at } = survivor;
        mutant.file == self.file
            && mutant.function == self.function
            && mutant.mutation() == self.mutation
            && at.starts_with(&self.at)
    }
}

/// All entries, or the first thing that makes the list unreadable and where it is.
pub(super) fn read(text: &str) -> Result<Vec<Equivalent>, MutantsError> {
    match toml::from_str::<List>(text) {
        Ok(list) => Ok(list.equivalent),
        Err(error) => {
            let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
            let line = before.matches('\n').count().saturating_add(1);
            Err(MutantsError::Unreadable { line, reason: error.message().to_owned() })
        }
    }
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct List {
    #[serde(default)]
    equivalent: Vec<Equivalent>,
}
