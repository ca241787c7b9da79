//! JSON objects -> typed structs by serde, with the path of a mistake.
//!
//! `serde_json`'s own deserializer accepts a list of the fields where a struct is declared, and names no path.

use std::fmt;

use serde::de::value::{SeqDeserializer, StringDeserializer};
use serde::de::{
    Deserialize, DeserializeOwned, DeserializeSeed, Deserializer, Error, Expected, IntoDeserializer, MapAccess,
    Unexpected, Visitor,
};
use serde::forward_to_deserialize_any;
use serde_json::{Value, map};
use tool_proto::Escaped;

use crate::json::{Object, kind};

/// A field of an object that cannot be read, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldError {
    /// The path of the field, such as `progress.pct`.
    pub path: String,
    /// What is wrong with it.
    pub problem: Problem,
}

/// What is wrong with a field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Problem {
    /// There is no such field.
    Unknown,
    /// The field is required.
    Missing,
    /// The value is of another type or out of range.
    Type {
        /// The accepted type, such as `a string`.
        expected: String,
        /// The type or number that was given.
        found: String,
    },
    /// A rule that the value breaks, as the rest of a sentence that begins with the path.
    Value(String),
}

/// Reads an object as a struct.
pub(crate) fn from_object<T: DeserializeOwned>(object: Object) -> Result<T, FieldError> {
    T::deserialize(Fields::of(object))
}

/// Reads the value of one field.
pub(crate) fn from_field<T: DeserializeOwned>(name: &str, value: Value) -> Result<T, FieldError> {
    from_value(value).map_err(|error| error.within(name))
}

pub(crate) fn from_value<T: DeserializeOwned>(value: Value) -> Result<T, FieldError> {
    T::deserialize(Fields(value))
}

impl FieldError {
    pub(crate) fn new(path: &str, problem: Problem) -> Self {
        Self { path: path.to_owned(), problem }
    }

    fn within(mut self, name: &str) -> Self {
        self.path = if self.path.is_empty() { name.to_owned() } else { format!("{name}.{}", self.path) };
        self
    }

    /// Writes the sentence, calling the fields `noun`s.
    pub(crate) fn write(&self, noun: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = Escaped(&self.path);
        match &self.problem {
            Problem::Unknown => write!(f, "unknown {noun} `{path}`"),
            Problem::Missing => write!(f, "missing {noun} `{path}`"),
            Problem::Type { expected, found } => write!(f, "`{path}` must be {expected}, not {found}"),
            Problem::Value(rule) => write!(f, "`{path}` {rule}"),
        }
    }
}

impl fmt::Display for FieldError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write("field", f)
    }
}

impl std::error::Error for FieldError {}

impl Error for FieldError {
    fn custom<T: fmt::Display>(rule: T) -> Self {
        Self::new("", Problem::Value(rule.to_string()))
    }

    fn invalid_type(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        let found = match found {
            Unexpected::Bool(flag) => kind(&flag.into()).to_owned(),
            Unexpected::Unsigned(number) => format!("`{number}`"),
            Unexpected::Signed(number) => format!("`{number}`"),
            Unexpected::Float(number) => format!("`{}`", Value::from(number)),
            Unexpected::Unit | Unexpected::Option => kind(&Value::Null).to_owned(),
            Unexpected::Seq => kind(&Value::Array(Vec::new())).to_owned(),
            Unexpected::Map => kind(&Value::Object(Object::new())).to_owned(),
            _ => kind(&Value::String(String::new())).to_owned(),
        };
        let expected = match expected.to_string().as_str() {
            "u32" => format!("a whole number from 0 to {}", u32::MAX),
            "u64" => "a whole number from 0 on".to_owned(),
            "i64" => "a whole number".to_owned(),
            "a sequence" => "a list".to_owned(),
            name if name == "a map" || name.starts_with("struct ") => "an object".to_owned(),
            name => name.to_owned(),
        };
        Self::new("", Problem::Type { expected, found })
    }

    fn invalid_value(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::invalid_type(found, expected)
    }

    fn unknown_variant(word: &str, _: &'static [&'static str]) -> Self {
        Self::custom(format_args!("has the unknown value `{}`", Escaped(word)))
    }

    fn unknown_field(field: &str, _: &'static [&'static str]) -> Self {
        Self::new(field, Problem::Unknown)
    }

    fn missing_field(field: &'static str) -> Self {
        Self::new(field, Problem::Missing)
    }
}

/// A value that serde reads. `null` is a value here, never a field that is left out.
pub(crate) struct Fields(Value);

impl Fields {
    pub(crate) fn of(object: Object) -> Self {
        Self(Value::Object(object))
    }
}

impl<'de> Deserializer<'de> for Fields {
    type Error = FieldError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, FieldError> {
        match self.0 {
            Value::Null => visitor.visit_unit(),
            Value::Bool(flag) => visitor.visit_bool(flag),
            Value::Number(number) => match (number.as_u64(), number.as_i64(), number.as_f64()) {
                (Some(number), _, _) => visitor.visit_u64(number),
                (None, Some(number), _) => visitor.visit_i64(number),
                (None, None, number) => visitor.visit_f64(number.unwrap_or_default()),
            },
            Value::String(text) => visitor.visit_string(text),
            Value::Array(list) => visitor.visit_seq(SeqDeserializer::new(list.into_iter().map(Self))),
            Value::Object(object) => visitor.visit_map(Entries { entries: object.into_iter(), value: None }),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, FieldError> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, FieldError> {
        visitor.visit_newtype_struct(self)
    }

    /// `serde_json` accepts `null` for an object too.
    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, FieldError> {
        match self.0 {
            Value::Null => Err(FieldError::invalid_type(Unexpected::Unit, &visitor)),
            Value::Array(_) => Err(FieldError::invalid_type(Unexpected::Seq, &visitor)),
            _ => self.deserialize_any(visitor),
        }
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, FieldError> {
        self.deserialize_map(visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, FieldError> {
        let text = String::deserialize(self)?;
        visitor.visit_enum(IntoDeserializer::<FieldError>::into_deserializer(text))
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple
        tuple_struct identifier ignored_any
    }
}

impl<'de> IntoDeserializer<'de, FieldError> for Fields {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

struct Entries {
    entries: map::IntoIter,
    value: Option<(String, Value)>,
}

impl<'de> MapAccess<'de> for Entries {
    type Error = FieldError;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, FieldError> {
        self.value = self.entries.next();
        let name = self.value.as_ref().map(|(name, _)| StringDeserializer::new(name.clone()));
        name.map(|name| seed.deserialize(name)).transpose()
    }

    fn next_value_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<T::Value, FieldError> {
        let (name, value) = self.value.take().unwrap_or_default();
        seed.deserialize(Fields(value)).map_err(|error| error.within(&name))
    }
}
