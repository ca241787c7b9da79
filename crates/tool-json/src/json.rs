//! Text -> JSON values, strictly.
//!
//! `serde_json` keeps the last of two fields with one name and rounds whole numbers that are too large. Whoever judged the
//! first field would have judged something else, so both are refused here.

use std::cell::Cell;
use std::fmt;

use enforce_core::limits::MAX_REQUEST_SIZE;
use serde::de::{DeserializeSeed, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::{Deserializer, Map, Number, Value};
use tool_proto::Escaped;

/// A JSON object.
pub type Object = Map<String, Value>;

/// The size limit of a JSON text, in bytes: that of a request.
pub const TEXT_BYTES_MAX: usize = MAX_REQUEST_SIZE;

/// Why a text is rejected as JSON, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct JsonError(String);

/// Reads one JSON value, to the end of `text`.
///
/// # Errors
/// Fails when the text is not JSON or exceeds a limit, when an object has a name twice, and when a number does not fit
/// into 64 bits.
pub fn parse(text: &[u8]) -> Result<Value, JsonError> {
    if text.len() > TEXT_BYTES_MAX {
        return Err(JsonError(format!("the text has {} bytes, more than {TEXT_BYTES_MAX}", text.len())));
    }
    let values = Cell::new(0);
    let mut deserializer = Deserializer::from_slice(text);
    let value = Strict { values: &values, depth: 0 }.deserialize(&mut deserializer);
    value.and_then(|value| deserializer.end().map(|()| value)).map_err(|error| JsonError(error.to_string()))
}

/// Reads one JSON object, to the end of `text`.
///
/// # Errors
/// As [`parse`], and when the value is not an object.
pub fn parse_object(text: &[u8]) -> Result<Object, JsonError> {
    match parse(text)? {
        Value::Object(object) => Ok(object),
        other => Err(JsonError(format!("expected an object, found {}", kind(&other)))),
    }
}

/// The kind of a value, for messages.
pub(crate) fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

/// The place of a value in the text: how many values were read before it, and how many contain it.
#[derive(Clone, Copy)]
struct Strict<'c> {
    values: &'c Cell<usize>,
    depth: usize,
}

impl Strict<'_> {
    fn deeper<E: serde::de::Error>(self) -> Result<Self, E> {
        if self.depth >= DEPTH_MAX {
            return Err(E::custom(format_args!("values are nested deeper than {DEPTH_MAX}")));
        }
        Ok(Self { depth: self.depth + 1, ..self })
    }
}

impl<'de> DeserializeSeed<'de> for Strict<'_> {
    type Value = Value;

    fn deserialize<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        let values = self.values.get();
        if values >= VALUES_MAX {
            return Err(D::Error::custom(format_args!("there are more than {VALUES_MAX} values")));
        }
        self.values.set(values + 1);
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Strict<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, flag: bool) -> Result<Value, E> {
        Ok(flag.into())
    }

    fn visit_u64<E>(self, number: u64) -> Result<Value, E> {
        Ok(number.into())
    }

    fn visit_i64<E>(self, number: i64) -> Result<Value, E> {
        Ok(number.into())
    }

    fn visit_f64<E: serde::de::Error>(self, number: f64) -> Result<Value, E> {
        // A whole number of more than 64 bits arrives here too, rounded.
        match Number::from_f64(number) {
            Some(exact) if number.abs() < WHOLE_END => Ok(exact.into()),
            _ => Err(E::custom("a number does not fit into 64 bits")),
        }
    }

    fn visit_str<E>(self, text: &str) -> Result<Value, E> {
        Ok(text.into())
    }

    fn visit_string<E>(self, text: String) -> Result<Value, E> {
        Ok(text.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let deeper = self.deeper()?;
        let mut list = Vec::new();
        while let Some(entry) = entries.next_element_seed(deeper)? {
            list.push(entry);
        }
        Ok(list.into())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let deeper = self.deeper()?;
        let mut object = Object::new();
        while let Some(name) = entries.next_key::<String>()? {
            if object.contains_key(&name) {
                return Err(A::Error::custom(format_args!("duplicate field `{}`", Escaped(&name))));
            }
            object.insert(name, entries.next_value_seed(deeper)?);
        }
        Ok(object.into())
    }
}

/// Values inside values, the outermost included. `serde_json`'s own limit stays on behind this one.
const DEPTH_MAX: usize = 100;
/// Values of one text, so that a short text cannot fill the memory.
const VALUES_MAX: usize = 1 << 20;
/// 2 to the 63rd: from here on, a number that is written as a whole one can lose digits.
const WHOLE_END: f64 = 9_223_372_036_854_775_808.0;

#[cfg(test)]
mod tests;
