//! Why a checked policy has no table.

use std::fmt;

use policy_syntax::Location;
use table_format::WriteError;

/// Why a policy has no table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TableError {
    /// No automaton for a pattern is small enough.
    PatternTooLarge {
        /// The pattern and its place.
        pattern: (String, Location),
    },
    /// Patterns that are each small enough need more automata than an operation may have.
    TooManyPatterns {
        /// The patterns and their places.
        patterns: Vec<(String, Location)>,
    },
    /// A rule whose conditions make too large a diagram, or rules that together do.
    RulesTooLarge {
        /// The rules' names and places.
        rules: Vec<(String, Location)>,
    },
    /// More than a table may hold.
    Unwritable(WriteError),
}

impl fmt::Display for TableError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::PatternTooLarge { pattern: (text, _) } => write!(f, "`{text}` needs too large an automaton"),
            Self::TooManyPatterns { patterns } => {
                write!(f, "{} patterns together need too many automata", patterns.len())
            }
            Self::RulesTooLarge { rules } => write!(f, "{} rules together need too large a diagram", rules.len()),
            Self::Unwritable(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for TableError {}
