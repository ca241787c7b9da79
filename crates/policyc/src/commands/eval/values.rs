//! The values of a request's fields: what each has to be, and what is said when it is something else.

use std::borrow::Cow;
use std::fmt;

use policy_model::NUMBER_MAX;
use policy_syntax::quote;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::lines::LINE_BYTES_MAX;
use policy_judge::NameError;

/// Why a line is no request. In the order of the checks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum LineError {
    /// Over [`LINE_BYTES_MAX`].
    TooLong,
    /// What the JSON reader says, and where.
    NotJson { reason: String, column: usize },
    /// JSON, but no object.
    NotAnObject,
    /// A field that is there twice.
    Repeated { field: String },
    /// A field of another type than it needs.
    WrongType { field: String, expected: &'static str },
    /// No `op`.
    NoOperation,
    /// An operation the policy does not know.
    UnknownOperation { name: String, meant: Option<String> },
    /// An operation with an attribute that is called like a field of every request.
    Unsayable { operation: String, attribute: String },
    /// A role that no session can hold.
    UnknownRole { name: String, meant: Option<String> },
    /// A field that the operation does not have.
    UnknownField { operation: String, field: String, meant: Option<String> },
    /// What only the act shows.
    KnownLater { field: String },
    /// A number that no policy can bound.
    TooLarge { field: String },
    /// Two fields that say the same thing.
    Both { field: &'static str, other: &'static str },
    /// A field that another one needs, or the operation.
    Needs { whose: String, what: &'static str },
    /// A name that the table does not have after all.
    Name(NameError),
}

impl fmt::Display for LineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let or_meant = |meant: &Option<String>| {
            meant.as_ref().map_or_else(String::new, |meant| format!("; did you mean {}?", quote(meant)))
        };
        match self {
            Self::TooLong => write!(f, "the line has more than {LINE_BYTES_MAX} bytes"),
            Self::NotJson { reason, column } => write!(f, "not JSON at column {column}: {reason}"),
            Self::NotAnObject => f.write_str("a request is a JSON object"),
            Self::Repeated { field } => write!(f, "{} is given twice", quote(field)),
            Self::WrongType { field, expected } => write!(f, "{} must be {expected}", quote(field)),
            Self::NoOperation => f.write_str("a request needs `op`"),
            Self::UnknownOperation { name, meant } => {
                write!(f, "unknown operation {}{}", quote(name), or_meant(meant))
            }
            Self::Unsayable { operation, attribute } => {
                write!(
                    f,
                    "{} cannot be asked for here: its {} would be the request's",
                    quote(operation),
                    quote(attribute)
                )
            }
            Self::UnknownRole { name, meant } => write!(f, "unknown role {}{}", quote(name), or_meant(meant)),
            Self::UnknownField { operation, field, meant } => {
                write!(f, "{} has no attribute {}{}", quote(operation), quote(field), or_meant(meant))
            }
            Self::KnownLater { field } => write!(f, "{} is known only after the act", quote(field)),
            Self::TooLarge { field } => write!(f, "{} is more than {NUMBER_MAX}", quote(field)),
            Self::Both { field, other } => write!(f, "`{field}` says `{other}` already"),
            Self::Needs { whose, what } => write!(f, "{} needs {what}", quote(whose)),
            Self::Name(error) => error.fmt(f),
        }
    }
}

/// A string, borrowed where nothing in it is escaped.
pub(super) fn string<'a>(field: &str, value: &'a RawValue) -> Result<Cow<'a, str>, LineError> {
    serde_json::from_str(value.get())
        .map(|Text(text)| text)
        .map_err(|_| LineError::WrongType { field: field.to_owned(), expected: "a string" })
}

/// One string, or a list of at least one.
pub(super) fn one_or_more<'a>(field: &str, value: &'a RawValue) -> Result<Vec<Cow<'a, str>>, LineError> {
    if !value.get().starts_with('[') {
        return string(field, value).map(|one| vec![one]);
    }
    let list = strings(field, value)?;
    let expected = "a string, or a list with one at least";
    if list.is_empty() { Err(LineError::WrongType { field: field.to_owned(), expected }) } else { Ok(list) }
}

/// A list of strings.
pub(super) fn strings<'a>(field: &str, value: &'a RawValue) -> Result<Vec<Cow<'a, str>>, LineError> {
    let list: Result<Vec<Text<'a>>, _> = serde_json::from_str(value.get());
    list.map(|list| list.into_iter().map(|Text(text)| text).collect())
        .map_err(|_| LineError::WrongType { field: field.to_owned(), expected: "a list of strings" })
}

/// A whole number that is not negative, in plain digits.
pub(super) fn number(field: &str, value: &RawValue) -> Result<u64, LineError> {
    let digits = value.get();
    if !digits.chars().all(|c| c.is_ascii_digit()) {
        let expected = "a whole number that is not negative";
        return Err(LineError::WrongType { field: field.to_owned(), expected });
    }
    let number = digits.parse().ok().filter(|number| *number <= NUMBER_MAX);
    number.ok_or_else(|| LineError::TooLarge { field: field.to_owned() })
}

/// A flag: said or not.
pub(super) fn flag(field: &str, value: &RawValue) -> Result<bool, LineError> {
    match value.get() {
        "true" => Ok(true),
        "false" => Ok(false),
        _ => Err(LineError::WrongType { field: field.to_owned(), expected: "true or false" }),
    }
}

/// Whether the value can tell requests apart: a string or a number.
pub(super) fn is_id(value: &RawValue) -> bool {
    value.get().starts_with(|c: char| c == '"' || c == '-' || c.is_ascii_digit())
}

/// A string that borrows from the line where it can.
#[derive(Debug, Deserialize)]
#[serde(transparent)]
pub(super) struct Text<'a>(#[serde(borrow)] pub(super) Cow<'a, str>);
