//! Why a text is no envelope.

use std::fmt;

use tool_proto::Escaped;

use crate::json::{FaultKind, Mistake, TextError};

/// What is wrong with a text, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EnvelopeError {
    /// What is wrong.
    pub wrong: Wrong,
    /// The line, counted from one.
    pub line: usize,
    /// How many bytes of the line were read.
    pub column: usize,
}

/// What makes a text no envelope.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wrong {
    /// It is no JSON that we take.
    Text(Mistake),
    /// It is another value than an object.
    NoObject {
        /// Which kind.
        found: &'static str,
    },
    /// A field that the envelope does not have.
    Unknown {
        /// Which: `progress.speed`.
        field: String,
    },
    /// A field that has to be there.
    Missing {
        /// Which.
        field: String,
    },
    /// A field of another kind.
    Type {
        /// Which.
        field: String,
        /// What it should be.
        expected: &'static str,
        /// What it is.
        found: &'static str,
    },
    /// A word that is not one of those that are known.
    Word {
        /// Of which field.
        field: String,
        /// The word.
        found: String,
    },
    /// A value that its field cannot have.
    Value {
        /// Which field.
        field: String,
        /// What the value is.
        what: String,
    },
}

impl Wrong {
    pub(crate) fn of(path: &str, kind: FaultKind) -> Self {
        let field = path.to_owned();
        match kind {
            FaultKind::Unknown => Self::Unknown { field },
            FaultKind::Missing => Self::Missing { field },
            FaultKind::Type { expected, found } => Self::Type { field, expected, found },
            FaultKind::Word { found } => Self::Word { field, found },
            FaultKind::Other { what } => Self::Value { field, what },
        }
    }
}

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(mistake) => write!(f, "{mistake}"),
            Self::NoObject { found } => write!(f, "this is {found} instead of an object"),
            Self::Unknown { field } => write!(f, "the field `{}` is not known", Escaped(field)),
            Self::Missing { field } => write!(f, "the field `{}` is missing", Escaped(field)),
            Self::Type { field, expected, found } => {
                write!(f, "the field `{}` is {found} instead of {expected}", Escaped(field))
            }
            Self::Word { field, found } => {
                write!(f, "the field `{}` is `{}`, which is not known", Escaped(field), Escaped(found))
            }
            Self::Value { field, what } => write!(f, "the field `{}` is {}", Escaped(field), Escaped(what)),
        }
    }
}

impl fmt::Display for EnvelopeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, at line {}, column {}", self.wrong, self.line, self.column)
    }
}

impl std::error::Error for EnvelopeError {}

impl From<TextError> for EnvelopeError {
    fn from(error: TextError) -> Self {
        Self { wrong: Wrong::Text(error.mistake), line: error.line, column: error.column }
    }
}
