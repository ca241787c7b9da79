//! YAML, TOML and JSON as one tree, each node with its place in the text.

use policy_syntax::Span;
use thiserror::Error;

/// A value and where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Node {
    pub(crate) at: Span,
    pub(crate) value: Value,
}

/// A value of any of the three formats.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Value {
    Nothing,
    Flag(bool),
    Whole(i64),
    Text(String),
    List(Vec<Node>),
    /// In the order of the text, no key twice.
    Map(Vec<Entry>),
    /// A fraction or a date; no rule uses either.
    Other,
}

/// A key with its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) key: String,
    pub(crate) key_at: Span,
    pub(crate) value: Node,
}

/// Why a text is rejected by its parser.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{message}")]
pub(crate) struct ParseError {
    pub(crate) at: Span,
    pub(crate) message: String,
    pub(crate) help: Option<&'static str>,
}

impl ParseError {
    pub(crate) fn new(at: Span, message: impl Into<String>) -> Self {
        Self { at, message: message.into(), help: None }
    }
}

impl Value {
    /// Returns the type with its article, for messages.
    pub(crate) fn noun(&self) -> &'static str {
        match self {
            Self::Nothing => "nothing",
            Self::Flag(_) => "true or false",
            Self::Whole(_) | Self::Other => "a number or date",
            Self::Text(_) => "a text",
            Self::List(_) => "a list",
            Self::Map(_) => "a table of keys",
        }
    }
}

/// Makes a map of entries. A duplicate key is an error, because parsers disagree on which one counts.
pub(crate) fn map_of(entries: Vec<Entry>) -> Result<Value, ParseError> {
    let mut keys: Vec<(&str, Span)> = entries.iter().map(|entry| (entry.key.as_str(), entry.key_at)).collect();
    keys.sort_unstable();
    let twice = keys.iter().zip(keys.iter().skip(1)).find(|(one, next)| one.0 == next.0);
    match twice.map(|(_, (key, at))| ParseError::new(*at, format!("duplicate key {}", policy_syntax::quote(key)))) {
        Some(error) => Err(error),
        None => Ok(Value::Map(entries)),
    }
}

/// Lists and tables inside each other.
pub(crate) const DEPTH_MAX: usize = 32;
