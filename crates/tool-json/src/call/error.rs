//! Why a call in JSON is no message, or a message no call in JSON.

use std::fmt;

use tool_proto::Escaped;

use crate::json::{Fault, FaultKind, TextError};

/// What is wrong with a call of a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallError {
    /// Which tool; empty where a message has none.
    pub tool: String,
    /// What is wrong.
    pub wrong: CallWrong,
}

/// What can be wrong with a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CallWrong {
    /// What no tool can be named.
    Name,
    /// The tool takes no such argument.
    Unknown {
        /// Which: `where.kind`.
        argument: String,
    },
    /// An argument that has to be there.
    Missing {
        /// Which.
        argument: String,
    },
    /// An argument of another kind.
    Type {
        /// Which.
        argument: String,
        /// What it should be.
        expected: &'static str,
        /// What it is.
        found: &'static str,
    },
    /// An argument that cannot be what it is.
    Value {
        /// Which.
        argument: String,
        /// Why.
        why: BadValue,
    },
    /// A message without a tool.
    NoTool,
    /// A message with a key against repeats, which envelopes have no place for.
    DedupeKey,
    /// A message of a declared tool with the name of one that is built in, or with a dot in its own.
    Taken,
    /// A message of an operation that git does not have here.
    Operation,
}

/// Why an argument cannot be what it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BadValue {
    /// Permission bits are three or four octal digits, and not all of them zero, which would be the default.
    OctalMode {
        /// What it is.
        found: String,
    },
    /// A hash is 64 hexadecimal digits in lower case.
    Hash,
    /// Git would read it as an option.
    Option {
        /// What it is.
        found: String,
    },
    /// Arguments of git that can be said by name are.
    Nameable,
    /// A key ends at its first equals sign.
    EqualsInKey {
        /// The key.
        key: String,
    },
    /// An entry is `KEY=VALUE`.
    NoPair {
        /// The entry.
        entry: String,
    },
    /// A name that is there twice.
    Twice {
        /// Which.
        name: String,
    },
    /// A header's name is a token of HTTP.
    HeaderName {
        /// The name.
        name: String,
    },
    /// A header's value ends with its line.
    HeaderValue {
        /// The header.
        name: String,
    },
    /// A header is `Name: value`.
    NoHeader {
        /// The entry.
        entry: String,
    },
    /// Bytes that are no UTF-8.
    NoText,
    /// Text that is no JSON.
    NoJson(TextError),
    /// JSON text of another kind.
    Kind {
        /// What it should be.
        expected: &'static str,
        /// What it is.
        found: &'static str,
    },
    /// What the reader of JSON says.
    Other {
        /// In its words.
        what: String,
    },
}

impl From<Fault> for CallWrong {
    fn from(fault: Fault) -> Self {
        let argument = fault.path;
        match fault.kind {
            FaultKind::Unknown => Self::Unknown { argument },
            FaultKind::Missing => Self::Missing { argument },
            FaultKind::Type { expected, found } => Self::Type { argument, expected, found },
            FaultKind::Word { found: what } | FaultKind::Other { what } => {
                Self::Value { argument, why: BadValue::Other { what } }
            }
        }
    }
}

impl fmt::Display for CallError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tool = Escaped(&self.tool);
        match &self.wrong {
            CallWrong::Name => write!(f, "`{tool}` is no name of a tool"),
            CallWrong::Unknown { argument } => write!(f, "`{tool}` has no argument `{}`", Escaped(argument)),
            CallWrong::Missing { argument } => write!(f, "`{tool}` lacks its argument `{}`", Escaped(argument)),
            CallWrong::Type { argument, expected, found } => {
                write!(f, "the argument `{}` of `{tool}` is {found} instead of {expected}", Escaped(argument))
            }
            CallWrong::Value { argument, why } => write!(f, "the argument `{}` of `{tool}` {why}", Escaped(argument)),
            CallWrong::NoTool => f.write_str("the message has no tool"),
            CallWrong::DedupeKey => f.write_str("the message has a key against repeats, and envelopes have none"),
            CallWrong::Taken => write!(f, "`{tool}` is not what a declared tool is called"),
            CallWrong::Operation => write!(f, "`{tool}` is no operation of git"),
        }
    }
}

impl std::error::Error for CallError {}

impl fmt::Display for BadValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OctalMode { found } => write!(f, "is `{}` instead of three or four octal digits", Escaped(found)),
            Self::Hash => f.write_str("is not 64 hexadecimal digits in lower case"),
            Self::Option { found } => write!(f, "is `{}`, which git would read as an option", Escaped(found)),
            Self::Nameable => f.write_str("says what the named arguments say"),
            Self::EqualsInKey { key } => write!(f, "has the key `{}` with a `=` in it", Escaped(key)),
            Self::NoPair { entry } => write!(f, "has the entry `{}` without a `=`", Escaped(entry)),
            Self::Twice { name } => write!(f, "has `{}` twice", Escaped(name)),
            Self::HeaderName { name } => write!(f, "has `{}`, which is no name of a header", Escaped(name)),
            Self::HeaderValue { name } => write!(f, "has a value of `{}` with an end of line or a NUL", Escaped(name)),
            Self::NoHeader { entry } => write!(f, "has the entry `{}`, which is no header", Escaped(entry)),
            Self::NoText => f.write_str("is no UTF-8"),
            Self::NoJson(error) => write!(f, "is no JSON: {error}"),
            Self::Kind { expected, found } => write!(f, "is {found} instead of {expected}"),
            Self::Other { what } => write!(f, "is {}", Escaped(what)),
        }
    }
}
