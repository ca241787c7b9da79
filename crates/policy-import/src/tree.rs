//! YAML, TOML and JSON as one tree, each node with its place in the text.

use policy_syntax::Span;

/// A value and where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Node {
    pub(crate) at: Span,
    pub(crate) value: Value,
}

/// What a text can say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Value {
    Nothing,
    Flag(bool),
    Whole(i64),
    Text(String),
    List(Vec<Node>),
    /// In the order of the text, no key twice.
    Map(Vec<Entry>),
    /// A number with a fraction, a date: nothing that a rule is made of.
    Other,
}

/// A key with its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) key: String,
    pub(crate) key_at: Span,
    pub(crate) value: Node,
}

/// Why a text is no tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NoTree {
    pub(crate) at: Span,
    pub(crate) why: String,
    pub(crate) help: Option<&'static str>,
}

impl NoTree {
    pub(crate) fn new(at: Span, why: impl Into<String>) -> Self {
        Self { at, why: why.into(), help: None }
    }
}

impl Value {
    /// With its article, for messages.
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

/// Makes a map of entries, unless two have one key: readers disagree on which of them counts.
pub(crate) fn map_of(entries: Vec<Entry>) -> Result<Value, NoTree> {
    let mut keys: Vec<(&str, Span)> = entries.iter().map(|entry| (entry.key.as_str(), entry.key_at)).collect();
    keys.sort_unstable();
    let twice = keys.iter().zip(keys.iter().skip(1)).find(|(one, next)| one.0 == next.0);
    match twice.map(|(_, (key, at))| NoTree::new(*at, format!("the key {} is there twice", policy_syntax::quote(key))))
    {
        Some(error) => Err(error),
        None => Ok(Value::Map(entries)),
    }
}

/// How many lists and tables may be inside each other.
pub(crate) const DEPTH_MAX: usize = 32;
