//! Bytes -> Json, or what is wrong and where.

use std::cell::Cell;
use std::collections::HashSet;
use std::fmt;

use enforce_core::limits::MAX_REQUEST_SIZE;
use serde::de::{
    Deserialize, DeserializeSeed, Deserializer as _, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor,
};
use serde_json::{Deserializer, Error, Number};
use tool_proto::Escaped;

use super::{Json, Object};

/// What is wrong with a text, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextError {
    /// What is wrong.
    pub mistake: Mistake,
    /// The line, counted from one.
    pub line: usize,
    /// How many bytes of the line were read.
    pub column: usize,
}

/// What makes a text no JSON that we take.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Mistake {
    /// More bytes than a request may have.
    TooLong {
        /// The most.
        most: usize,
        /// How many there are.
        found: usize,
    },
    /// It ends too early.
    Ends,
    /// It is no JSON.
    Syntax {
        /// In the words of the reader of JSON, which quotes nothing.
        what: String,
    },
    /// A value in too many others.
    TooDeep {
        /// The most.
        most: usize,
    },
    /// Too many values in all.
    TooMany {
        /// The most.
        most: usize,
    },
    /// A name that is there twice in one object.
    Repeated {
        /// Which.
        name: String,
    },
    /// A number that 64 bits do not hold.
    Number,
}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLong { most, found } => write!(f, "the text has {found} bytes, {most} at most"),
            Self::Ends => f.write_str("the text ends too early"),
            Self::Syntax { what } => write!(f, "the text is no JSON: {what}"),
            Self::TooDeep { most } => write!(f, "values are nested deeper than {most}"),
            Self::TooMany { most } => write!(f, "there are more than {most} values"),
            Self::Repeated { name } => write!(f, "`{}` is there twice", Escaped(name)),
            Self::Number => f.write_str("a number is too large for 64 bits"),
        }
    }
}

impl fmt::Display for TextError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, at line {}, column {}", self.mistake, self.line, self.column)
    }
}

impl std::error::Error for TextError {}

/// Reads a text to its end.
pub(crate) fn parse(text: &[u8]) -> Result<Json, TextError> {
    if text.len() > MAX_REQUEST_SIZE {
        let mistake = Mistake::TooLong { most: MAX_REQUEST_SIZE, found: text.len() };
        return Err(TextError { mistake, line: 1, column: 1 });
    }
    let state = State::default();
    // The reader's own limit of depth stays on behind ours.
    let mut reader = Deserializer::from_slice(text);
    let read = Value { state: &state, depth: 0 }.deserialize(&mut reader).and_then(|json| reader.end().map(|()| json));
    read.map_err(|error| {
        let mistake = state.mistake.take().unwrap_or_else(|| mistake_of(&error));
        TextError { mistake, line: error.line(), column: error.column() }
    })
}

/// Where a name ends; the last one, when a path leads to it. At the end of the object when the name is not
/// there. Called for text that is JSON.
pub(crate) fn locate(text: &[u8], path: &str) -> (usize, usize) {
    let mut reader = Deserializer::from_slice(text);
    match reader.deserialize_any(Seek { path }) {
        Err(error) => (error.line(), error.column()),
        Ok(()) => (1, 1),
    }
}

fn mistake_of(error: &Error) -> Mistake {
    if error.is_eof() {
        return Mistake::Ends;
    }
    let said = error.to_string();
    let what = said.rsplit_once(" at line ").map_or(said.as_str(), |(what, _)| what);
    Mistake::Syntax { what: what.to_owned() }
}

/// What is known while a text is read. `serde` only lets words through, so facts of an error go this way.
#[derive(Default)]
struct State {
    values: Cell<usize>,
    mistake: Cell<Option<Mistake>>,
}

impl State {
    fn refuse<E: serde::de::Error>(&self, mistake: Mistake) -> E {
        let error = E::custom(&mistake);
        self.mistake.set(Some(mistake));
        error
    }
}

/// A value that is about to be read.
#[derive(Clone, Copy)]
struct Value<'s> {
    state: &'s State,
    depth: usize,
}

impl<'s> Value<'s> {
    fn inside<E: serde::de::Error>(&self) -> Result<Value<'s>, E> {
        if self.depth >= DEPTH_MAX {
            return Err(self.state.refuse(Mistake::TooDeep { most: DEPTH_MAX }));
        }
        Ok(Value { state: self.state, depth: self.depth + 1 })
    }
}

impl<'de> DeserializeSeed<'de> for Value<'_> {
    type Value = Json;

    fn deserialize<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<Json, D::Error> {
        let values = self.state.values.get();
        if values >= VALUES_MAX {
            return Err(self.state.refuse(Mistake::TooMany { most: VALUES_MAX }));
        }
        self.state.values.set(values + 1);
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Value<'_> {
    type Value = Json;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<Json, E> {
        Ok(Json::Null)
    }

    fn visit_bool<E>(self, flag: bool) -> Result<Json, E> {
        Ok(Json::Flag(flag))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Json, E> {
        Ok(Json::Number(number.into()))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Json, E> {
        Ok(Json::Number(number.into()))
    }

    fn visit_f64<E: serde::de::Error>(self, number: f64) -> Result<Json, E> {
        // A whole number of more than 64 bits comes here too, rounded.
        match Number::from_f64(number) {
            Some(exact) if number.abs() < WHOLE_END => Ok(Json::Number(exact)),
            _ => Err(self.state.refuse(Mistake::Number)),
        }
    }

    fn visit_str<E>(self, text: &str) -> Result<Json, E> {
        Ok(Json::Text(text.to_owned()))
    }

    fn visit_string<E>(self, text: String) -> Result<Json, E> {
        Ok(Json::Text(text))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut entries: A) -> Result<Json, A::Error> {
        let inside = self.inside()?;
        let mut list = Vec::new();
        while let Some(entry) = entries.next_element_seed(inside)? {
            list.push(entry);
        }
        Ok(Json::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Json, A::Error> {
        let inside = self.inside()?;
        let (mut list, mut names) = (Vec::new(), HashSet::new());
        while let Some(name) = entries.next_key::<String>()? {
            if !names.insert(name.clone()) {
                return Err(self.state.refuse(Mistake::Repeated { name }));
            }
            list.push((name, entries.next_value_seed(inside)?));
        }
        Ok(Json::Object(Object::of_distinct(list)))
    }
}

/// As strict as [`Json::new`], whatever it is read from.
impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Value { state: &State::default(), depth: 0 }.deserialize(deserializer)
    }
}

impl<'de> Deserialize<'de> for Object {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match deserializer.deserialize_map(Value { state: &State::default(), depth: 0 })? {
            Json::Object(object) => Ok(object),
            other => Err(D::Error::custom(format_args!("{} instead of an object", other.kind()))),
        }
    }
}

/// Fails after the name that a path leads to.
struct Seek<'p> {
    path: &'p str,
}

impl<'de> DeserializeSeed<'de> for Seek<'_> {
    type Value = ();

    fn deserialize<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Seek<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<(), A::Error> {
        while let Some(name) = entries.next_key::<String>()? {
            if name == self.path {
                break;
            }
            match self.path.strip_prefix(name.as_str()).and_then(|rest| rest.strip_prefix('.')) {
                Some(path) => return entries.next_value_seed(Seek { path }),
                None => {
                    entries.next_value::<IgnoredAny>()?;
                }
            }
        }
        Err(A::Error::custom("here"))
    }
}

/// Values in values, the outermost included.
const DEPTH_MAX: usize = 100;
/// Values of one text, so that a short text does not fill the memory.
const VALUES_MAX: usize = 1 << 20;
/// From here on, a number that is written as a whole one can lose digits. 2 to the 63rd.
const WHOLE_END: f64 = 9_223_372_036_854_775_808.0;
