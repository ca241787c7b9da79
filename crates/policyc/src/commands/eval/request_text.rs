//! One JSON line -> a request of the protocol, and the roles that its session holds.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use policy_judge::{FieldError, Fields, request};
use policy_syntax::{closest, quote};
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::Value;
use serde_json::error::Category;
use serde_json::value::RawValue;
use table_format::{RoleId, Table};
use thiserror::Error;
use tool_proto::ToolRequest;

use super::lines::LINE_BYTES_MAX;

/// Why a line is no request, in the order of the checks.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub(in crate::commands) enum LineError {
    #[error("the line has more than {LINE_BYTES_MAX} bytes")]
    TooLong,
    #[error("not JSON at column {column}: {reason}")]
    NotJson { reason: String, column: usize },
    #[error("a request is a JSON object")]
    NotAnObject,
    #[error("{} is given twice", quote(field))]
    Repeated { field: String },
    #[error("{} must be {expected}", quote(field))]
    WrongType { field: &'static str, expected: &'static str },
    #[error("a request needs `op`")]
    NoOperation,
    #[error("unknown {what} {}{}", quote(name), meant.as_ref().map_or_else(String::new, |meant| format!("; did you mean {}?", quote(meant))))]
    Unknown { what: &'static str, name: String, meant: Option<String> },
    /// The operation has an attribute that is called like a field of every request.
    #[error("{} cannot be asked for here: its {} would be the request's", quote(operation), quote(attribute))]
    Unsayable { operation: String, attribute: String },
    #[error(transparent)]
    Field(#[from] FieldError),
}

/// The fields of a line, as written.
#[derive(Debug)]
pub(super) struct Line<'a>(Vec<(Cow<'a, str>, &'a RawValue)>);

/// A request and the session that it is made in.
#[derive(Debug)]
pub(in crate::commands) struct Asked {
    pub(in crate::commands) operation: String,
    pub(in crate::commands) roles: Vec<RoleId>,
    pub(in crate::commands) request: ToolRequest,
    texts: BTreeSet<String>,
}

impl Asked {
    /// True for a target that says no more than the request itself: its one path, line or address, or a git operation as
    /// a whole.
    pub(in crate::commands) fn names(&self, target: &str) -> bool {
        let verb = self.operation.strip_prefix("git.");
        self.texts.contains(target.trim()) || verb.is_some_and(|verb| verb.eq_ignore_ascii_case(target))
    }
}

/// The operations and roles of a table, by name.
pub(in crate::commands) struct Vocabulary<'t> {
    /// Each with a name that no line can say, if it has one.
    operations: BTreeMap<&'t str, Option<&'t str>>,
    roles: BTreeMap<&'t str, RoleId>,
}

impl<'a> Line<'a> {
    pub(super) fn read(bytes: &'a [u8]) -> Result<Self, LineError> {
        serde_json::from_slice(bytes).map_err(|error| {
            if error.classify() == Category::Data {
                return LineError::NotAnObject;
            }
            let (place, said) = (format!(" at line {} column {}", error.line(), error.column()), error.to_string());
            let reason = said.strip_suffix(&place).unwrap_or(&said).to_owned();
            LineError::NotJson { reason, column: error.column() }
        })
    }

    /// The id of the request, as it is written.
    pub(super) fn id(&self) -> Result<Option<&'a RawValue>, LineError> {
        let mut ids = self.0.iter().filter(|(name, _)| name == ID).map(|(_, value)| *value);
        let is_id = |value: &RawValue| value.get().starts_with(|c: char| c == '"' || c == '-' || c.is_ascii_digit());
        match (ids.next(), ids.next()) {
            (Some(_), Some(_)) => Err(LineError::Repeated { field: ID.to_owned() }),
            (Some(id), None) if !is_id(id) => Err(LineError::WrongType { field: ID, expected: "a string or a number" }),
            (id, _) => Ok(id),
        }
    }

    pub(super) fn asked(&self, vocabulary: &Vocabulary<'_>) -> Result<Asked, LineError> {
        let mut fields = Fields::new();
        for (name, raw) in &self.0 {
            let value = serde_json::from_str(raw.get()).unwrap_or_default();
            if fields.insert(name.clone().into_owned(), value).is_some() {
                return Err(LineError::Repeated { field: name.clone().into_owned() });
            }
        }
        fields.remove(ID);
        let operation = match fields.remove(OPERATION) {
            None => return Err(LineError::NoOperation),
            Some(Value::String(operation)) => operation,
            Some(_) => return Err(LineError::WrongType { field: OPERATION, expected: "a string" }),
        };
        vocabulary.check_operation(&operation)?;
        let roles = match fields.remove(ROLES) {
            None => Vec::new(),
            Some(roles) => {
                let wrong = LineError::WrongType { field: ROLES, expected: "a list of strings" };
                let names: Vec<String> = serde_json::from_value(roles).map_err(|_| wrong)?;
                names.iter().map(|name| vocabulary.role(name)).collect::<Result<_, _>>()?
            }
        };
        // Of a move, a copy or the arguments of git, one does not know which decided.
        let is_only = |name: &str| !matches!(name, "src" | "dst");
        let texts = fields.iter().filter(|(name, _)| is_only(name)).filter_map(|(_, value)| value.as_str());
        let texts = texts.map(|text| text.trim().to_owned()).collect();
        let request = request(&operation, fields)?;
        Ok(Asked { operation, roles, request, texts })
    }
}

impl<'de> Deserialize<'de> for Line<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Object;

        impl<'de> Visitor<'de> for Object {
            type Value = Line<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Self::Value, M::Error> {
                let mut fields = Vec::new();
                while let Some((Text(name), value)) = map.next_entry()? {
                    fields.push((name, value));
                }
                Ok(Line(fields))
            }
        }

        deserializer.deserialize_map(Object)
    }
}

/// A string that borrows from the line where it can.
#[derive(serde::Deserialize)]
#[serde(transparent)]
struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

impl<'t> Vocabulary<'t> {
    pub(in crate::commands) fn of(table: &'t Table<'t>) -> Self {
        let operations = table.operations().map(|id| {
            let mut names = table.slots(id).map(|(_, attribute)| table.text(attribute.name));
            let name = table.operation(id).map_or("", |operation| table.text(operation.name));
            (name, names.find(|name| matches!(*name, ID | OPERATION | ROLES)))
        });
        let roles = table.roles().filter_map(|id| Some((table.text(table.role(id)?.name), id)));
        Self { operations: operations.collect(), roles: roles.collect() }
    }

    fn check_operation(&self, name: &str) -> Result<(), LineError> {
        match self.operations.get(name) {
            Some(None) => Ok(()),
            // Left unsaid, it would match no pattern of a rule to deny either.
            Some(Some(clash)) => {
                Err(LineError::Unsayable { operation: name.to_owned(), attribute: (*clash).to_owned() })
            }
            None => Err(unknown("operation", name, self.operations.keys().copied())),
        }
    }

    fn role(&self, name: &str) -> Result<RoleId, LineError> {
        self.roles.get(name).copied().ok_or_else(|| unknown("role", name, self.roles.keys().copied()))
    }
}

fn unknown<'n>(what: &'static str, name: &str, known: impl Iterator<Item = &'n str>) -> LineError {
    LineError::Unknown { what, name: name.to_owned(), meant: closest(name, known).map(str::to_owned) }
}

/// Reads a line as `eval` does, for who explains instead of judging.
pub(in crate::commands) fn read_line(line: &str, table: &Table<'_>) -> Result<Asked, LineError> {
    let line = Line::read(line.as_bytes())?;
    line.id()?;
    line.asked(&Vocabulary::of(table))
}

const ID: &str = "id";
const OPERATION: &str = "op";
const ROLES: &str = "roles";
