//! Text <-> JSON values, strictly: what is there twice is refused, what a whole number would lose is refused, and the order of
//! an object is kept.
//!
//! `serde_json`'s own values take the last of two fields with one name. Whoever judged the first would have judged
//! something else.

mod parse;
mod reader;

pub use parse::{Mistake, TextError};
pub(crate) use parse::{locate, parse};
pub(crate) use reader::{Fault, FaultKind, read};

use std::collections::BTreeMap;
use std::fmt;

use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::Number;

/// Bytes of a text that is read, which is as much as a request may have.
pub const TEXT_BYTES_MAX: usize = enforce_core::limits::MAX_REQUEST_SIZE;

/// A JSON value.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Json {
    /// `null`
    #[default]
    Null,
    /// `true` or `false`
    Flag(bool),
    /// A whole number of 64 bits, or the nearest of 64 bits to a fraction.
    Number(Number),
    /// Text.
    Text(String),
    /// A list.
    List(Vec<Json>),
    /// An object.
    Object(Object),
}

/// A JSON object: each name once. The order is kept, and makes no difference.
#[derive(Debug, Clone, Eq, Default)]
pub struct Object {
    entries: Vec<(String, Json)>,
}

impl Json {
    /// Reads text to its end.
    ///
    /// # Errors
    /// When the text is not one JSON value, or is more than we take.
    pub fn new(text: &[u8]) -> Result<Self, TextError> {
        parse(text)
    }

    /// What it is, for people.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Flag(_) => "a flag",
            Self::Number(_) => "a number",
            Self::Text(_) => "text",
            Self::List(_) => "a list",
            Self::Object(_) => "an object",
        }
    }
}

impl Object {
    /// Adds an entry at the end.
    ///
    /// # Errors
    /// With the entry, when its name is there.
    pub fn insert(&mut self, name: impl Into<String>, value: impl Into<Json>) -> Result<(), (String, Json)> {
        let (name, value) = (name.into(), value.into());
        if self.find(&name).is_some() {
            return Err((name, value));
        }
        self.entries.push((name, value));
        Ok(())
    }

    /// The value of a name.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<&Json> {
        self.entries.iter().find(|(known, _)| known == name).map(|(_, value)| value)
    }

    /// Takes an entry out.
    pub fn take(&mut self, name: &str) -> Option<Json> {
        let place = self.entries.iter().position(|(known, _)| known == name)?;
        Some(self.entries.remove(place).1)
    }

    /// The entries, in their order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Json)> {
        self.entries.iter().map(|(name, value)| (name.as_str(), value))
    }

    /// How many entries there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Entries that are known to have a name each.
    pub(crate) fn of_distinct(entries: Vec<(String, Json)>) -> Self {
        Self { entries }
    }

    pub(crate) fn into_entries(self) -> Vec<(String, Json)> {
        self.entries
    }
}

impl PartialEq for Object {
    fn eq(&self, other: &Self) -> bool {
        // Names are there once, so that as many entries with the same values are the same entries.
        let ours: BTreeMap<&str, &Json> = self.iter().collect();
        self.len() == other.len() && other.iter().all(|(name, value)| ours.get(name) == Some(&value))
    }
}

impl From<bool> for Json {
    fn from(flag: bool) -> Self {
        Self::Flag(flag)
    }
}

impl From<u64> for Json {
    fn from(number: u64) -> Self {
        Self::Number(number.into())
    }
}

impl From<u32> for Json {
    fn from(number: u32) -> Self {
        Self::Number(number.into())
    }
}

impl From<String> for Json {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<&str> for Json {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl<T: Into<Json>> From<Vec<T>> for Json {
    fn from(list: Vec<T>) -> Self {
        Self::List(list.into_iter().map(Into::into).collect())
    }
}

/// Null for nothing.
impl From<Option<String>> for Json {
    fn from(text: Option<String>) -> Self {
        text.map_or(Self::Null, Self::Text)
    }
}

impl From<Object> for Json {
    fn from(object: Object) -> Self {
        Self::Object(object)
    }
}

impl From<BTreeMap<String, String>> for Json {
    fn from(map: BTreeMap<String, String>) -> Self {
        Self::Object(Object { entries: map.into_iter().map(|(name, value)| (name, Self::Text(value))).collect() })
    }
}

impl Serialize for Json {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => serializer.serialize_unit(),
            Self::Flag(flag) => serializer.serialize_bool(*flag),
            Self::Number(number) => number.serialize(serializer),
            Self::Text(text) => serializer.serialize_str(text),
            Self::List(list) => list.serialize(serializer),
            Self::Object(object) => object.serialize(serializer),
        }
    }
}

impl Serialize for Object {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.len()))?;
        for (name, value) in self.iter() {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

/// As compact text.
impl fmt::Display for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_compact(self, f)
    }
}

/// As compact text.
impl fmt::Display for Object {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_compact(self, f)
    }
}

/// Writes what only has text for names, which cannot fail.
pub(crate) fn write_compact(value: &impl Serialize, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    f.write_str(&serde_json::to_string(value).map_err(|_| fmt::Error)?)
}

#[cfg(test)]
mod tests;
