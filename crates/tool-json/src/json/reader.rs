//! Json -> the types of envelopes and arguments, by serde, with the facts of each mistake kept.
//!
//! `serde_json` takes a list where an object is declared, and says what is wrong in Rust's words only.

use std::fmt;
use std::vec;

use serde::de::value::StringDeserializer;
use serde::de::{
    DeserializeOwned, DeserializeSeed, Deserializer, Error, IntoDeserializer, MapAccess, SeqAccess, Visitor,
};
use serde::forward_to_deserialize_any;

use super::{Json, Object};

/// Reads an object as a type. Paths of mistakes start in it.
pub(crate) fn read<T: DeserializeOwned>(object: Object) -> Result<T, Fault> {
    T::deserialize(Reader(Json::Object(object)))
}

/// What is wrong with one value of an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fault {
    /// Which: `progress.pct`. Empty for the object itself.
    pub(crate) path: String,
    pub(crate) kind: FaultKind,
}

/// What can be wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum FaultKind {
    /// There is none of that name.
    Unknown,
    /// It has to be there.
    Missing,
    /// It is of another kind, or out of range.
    Type { expected: &'static str, found: &'static str },
    /// None of the known words.
    Word { found: String },
    /// What a type says of itself.
    Other { what: String },
}

impl Fault {
    fn of(path: &str, kind: FaultKind) -> Self {
        Self { path: path.to_owned(), kind }
    }

    fn inside(mut self, name: &str) -> Self {
        self.path = if self.path.is_empty() { name.to_owned() } else { format!("{name}.{}", self.path) };
        self
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self:?}")
    }
}

impl std::error::Error for Fault {}

impl Error for Fault {
    fn custom<T: fmt::Display>(what: T) -> Self {
        Self::of("", FaultKind::Other { what: what.to_string() })
    }

    fn unknown_field(field: &str, _: &'static [&'static str]) -> Self {
        Self::of(field, FaultKind::Unknown)
    }

    fn missing_field(field: &'static str) -> Self {
        Self::of(field, FaultKind::Missing)
    }

    fn unknown_variant(variant: &str, _: &'static [&'static str]) -> Self {
        Self::of("", FaultKind::Word { found: variant.to_owned() })
    }
}

struct Reader(Json);

impl Reader {
    fn refuse<T>(&self, expected: &'static str) -> Result<T, Fault> {
        Err(Fault::of("", FaultKind::Type { expected, found: self.0.kind() }))
    }
}

impl<'de> Deserializer<'de> for Reader {
    type Error = Fault;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        match self.0 {
            Json::Null => visitor.visit_unit(),
            Json::Flag(flag) => visitor.visit_bool(flag),
            Json::Number(number) => match (number.as_u64(), number.as_i64(), number.as_f64()) {
                (Some(number), _, _) => visitor.visit_u64(number),
                (None, Some(number), _) => visitor.visit_i64(number),
                (None, None, number) => visitor.visit_f64(number.unwrap_or_default()),
            },
            Json::Text(text) => visitor.visit_string(text),
            Json::List(list) => visitor.visit_seq(Items { items: list.into_iter() }),
            Json::Object(object) => visitor.visit_map(Entries { entries: object.entries.into_iter(), value: None }),
        }
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        match self.0 {
            Json::Flag(flag) => visitor.visit_bool(flag),
            _ => self.refuse("a flag"),
        }
    }

    fn deserialize_u64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        match &self.0 {
            Json::Number(number) if number.is_u64() => self.deserialize_any(visitor),
            _ => self.refuse("a whole number from 0 on"),
        }
    }

    fn deserialize_u32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        match &self.0 {
            Json::Number(number) if number.as_u64().is_some_and(|number| u32::try_from(number).is_ok()) => {
                self.deserialize_any(visitor)
            }
            _ => self.refuse("a whole number of 32 bits from 0 on"),
        }
    }

    fn deserialize_i64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        match &self.0 {
            Json::Number(number) if number.is_i64() => self.deserialize_any(visitor),
            _ => self.refuse("a whole number"),
        }
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        match self.0 {
            Json::Text(text) => visitor.visit_string(text),
            _ => self.refuse("text"),
        }
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        self.deserialize_string(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        match self.0 {
            Json::Null => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, Fault> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        match self.0 {
            Json::List(_) => self.deserialize_any(visitor),
            _ => self.refuse("a list"),
        }
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        match self.0 {
            Json::Object(_) => self.deserialize_any(visitor),
            _ => self.refuse("an object"),
        }
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        self.deserialize_map(visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        match self.0 {
            Json::Text(text) => {
                let text: StringDeserializer<Fault> = text.into_deserializer();
                visitor.visit_enum(text)
            }
            _ => self.refuse("text"),
        }
    }

    forward_to_deserialize_any! {
        i8 i16 i32 i128 u8 u16 u128 f32 f64 char bytes byte_buf unit unit_struct tuple tuple_struct identifier
        ignored_any
    }
}

struct Items {
    items: vec::IntoIter<Json>,
}

impl<'de> SeqAccess<'de> for Items {
    type Error = Fault;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Fault> {
        self.items.next().map(|item| seed.deserialize(Reader(item))).transpose()
    }
}

struct Entries {
    entries: vec::IntoIter<(String, Json)>,
    value: Option<(String, Json)>,
}

impl<'de> MapAccess<'de> for Entries {
    type Error = Fault;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Fault> {
        let Some((name, value)) = self.entries.next() else {
            return Ok(None);
        };
        let key: StringDeserializer<Fault> = name.clone().into_deserializer();
        self.value = Some((name, value));
        seed.deserialize(key).map(Some)
    }

    fn next_value_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<T::Value, Fault> {
        let (name, value) = self.value.take().unwrap_or_default();
        seed.deserialize(Reader(value)).map_err(|fault| fault.inside(&name))
    }
}
