//! JSON text -> a tree. The places are those of the raw values that `serde_json` lends from the text.

use std::fmt;

use policy_syntax::Span;
use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use crate::tree::{DEPTH_MAX, Entry, Node, ParseError, Value, map_of};

/// Parses one JSON value.
pub(crate) fn read(text: &str) -> Result<Node, ParseError> {
    let raw: &RawValue = serde_json::from_str(text).map_err(|error| {
        let at = offset(text, error.line(), error.column());
        ParseError::new(Span::new(at, at), message(&error))
    })?;
    Reader { text }.node(raw, DEPTH_MAX)
}

struct Reader<'a> {
    text: &'a str,
}

impl<'a> Reader<'a> {
    fn node(&self, raw: &'a RawValue, depth: usize) -> Result<Node, ParseError> {
        let raw = raw.get();
        let at = self.place(raw);
        let Some(below) = depth.checked_sub(1) else {
            return Err(ParseError::new(at, format!("lists and tables are nested more than {DEPTH_MAX} deep")));
        };
        let value = match raw.as_bytes().first() {
            Some(b'{') => {
                let ObjectEntries(entries) = self.parse_part(raw)?;
                let entry = |(key, value): (&'a RawValue, &'a RawValue)| {
                    let key_at = self.place(key.get());
                    Ok(Entry { key: self.parse_part(key.get())?, key_at, value: self.node(value, below)? })
                };
                map_of(entries.into_iter().map(entry).collect::<Result<_, _>>()?)?
            }
            Some(b'[') => {
                let items: Vec<&RawValue> = self.parse_part(raw)?;
                Value::List(items.into_iter().map(|item| self.node(item, below)).collect::<Result<_, _>>()?)
            }
            Some(b'"') => Value::Text(self.parse_part(raw)?),
            Some(b't' | b'f') => Value::Flag(raw == "true"),
            Some(b'n') => Value::Nothing,
            _ => raw.parse().map_or(Value::Other, Value::Whole),
        };
        Ok(Node { at, value })
    }

    /// Parses a part of the text that is known to be well-formed.
    fn parse_part<T: Deserialize<'a>>(&self, part: &'a str) -> Result<T, ParseError> {
        serde_json::from_str(part).map_err(|error| ParseError::new(self.place(part), message(&error)))
    }

    fn place(&self, part: &str) -> Span {
        let start = part.as_ptr().addr().saturating_sub(self.text.as_ptr().addr());
        Span::new(start, start.saturating_add(part.len()))
    }
}

/// The entries of an object in their order, duplicates included.
struct ObjectEntries<'a>(Vec<(&'a RawValue, &'a RawValue)>);

impl<'de> Deserialize<'de> for ObjectEntries<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct EntriesVisitor;
        impl<'de> Visitor<'de> for EntriesVisitor {
            type Value = ObjectEntries<'de>;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut entries = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    entries.push(entry);
                }
                Ok(ObjectEntries(entries))
            }
        }
        deserializer.deserialize_map(EntriesVisitor)
    }
}

/// Returns the message without line and column, which the finding has.
fn message(error: &serde_json::Error) -> String {
    let text = error.to_string();
    text.split(" at line ").next().unwrap_or(&text).to_owned()
}

/// Returns the offset of a line and a column, both from 1, the column in bytes.
fn offset(text: &str, line: usize, column: usize) -> usize {
    let before: usize = text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
    let at = before.saturating_add(column.saturating_sub(1)).min(text.len());
    text.floor_char_boundary(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_has_its_place() {
        let text = "{ \"a\\u0062\" : [1, \"x\\ny\", true, null, 1.5], \"c\": {} }";
        let node = read(text).unwrap();
        let Value::Map(entries) = &node.value else { panic!("{node:?}") };
        assert_eq!(entries[0].key, "ab");
        assert_eq!(text.get(entries[0].key_at.range()).unwrap(), "\"a\\u0062\"");
        let Value::List(items) = &entries[0].value.value else { panic!("{node:?}") };
        let places: Vec<&str> = items.iter().map(|item| text.get(item.at.range()).unwrap()).collect();
        assert_eq!(places, ["1", "\"x\\ny\"", "true", "null", "1.5"]);
        assert_eq!(items[1].value, Value::Text("x\ny".to_owned()));
        assert_eq!(items[4].value, Value::Other);
    }

    #[test]
    fn what_parsers_disagree_on_is_rejected() {
        assert_eq!(read("{\"a\": 1, \"\\u0061\": 2}").unwrap_err().at, Span::new(9, 17));
        assert!(read("{\"a\": 1,}").is_err());
        assert!(read("// no\n{}").is_err());
        assert!(read("{} {}").is_err());
        assert!(read("").is_err());
        assert!(read(&format!("{}{}", "[".repeat(DEPTH_MAX), "]".repeat(DEPTH_MAX))).is_ok());
        assert!(read(&format!("{}{}", "[".repeat(DEPTH_MAX + 1), "]".repeat(DEPTH_MAX + 1))).is_err());
    }
}
