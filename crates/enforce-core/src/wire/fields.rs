//! The bytes of one message -> the values of its fields, each at most once.

use super::cursor::{Cursor, Shape};
use super::error::{Malformed, WireError};
use super::repeated::Repeated;
use crate::limits::MAX_READ_ITEMS;

/// What the values of a field are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Text,
    Bytes,
    U64,
    U32,
    Bool,
    /// A list of text.
    Texts,
    /// A list of messages that are read when they are asked for.
    Arguments,
}

/// The values of a message whose fields are numbered from one on.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fields<'a> {
    message: &'a [u8],
    values: [Value<'a>; FIELDS_MAX],
}

#[derive(Debug, Clone, Copy)]
enum Value<'a> {
    Absent,
    Text(&'a str),
    Bytes(&'a [u8]),
    Number(u64),
    /// As many entries; the message has them.
    Items(usize),
}

impl<'a> Fields<'a> {
    pub(super) const NONE: Self = Self { message: &[], values: [Value::Absent; FIELDS_MAX] };

    /// Reads a message to its end. `entry` is asked about each entry of a list of messages.
    pub(super) fn read(
        message: &'a [u8],
        base: usize,
        kinds: &[Kind],
        entry: fn(&'a [u8], usize) -> Result<(), WireError>,
    ) -> Result<Self, WireError> {
        let mut fields = Self { message, ..Self::NONE };
        let mut cursor = Cursor::new(message, base);
        while let Some(tag) = cursor.tag()? {
            let number = tag.number;
            let refuse = |reason| Err(WireError { reason, at: tag.at });
            let place = usize::try_from(number).unwrap_or(usize::MAX).wrapping_sub(1);
            let (Some(kind), Some(value)) = (kinds.get(place), fields.values.get_mut(place)) else {
                return refuse(Malformed::UnknownField { number });
            };
            let items = match (&*value, kind) {
                (Value::Absent, _) => 0,
                (Value::Items(items), Kind::Texts | Kind::Arguments) => *items,
                _ => return refuse(Malformed::RepeatedField { number }),
            };
            *value = match (kind, tag.shape) {
                (Kind::Text, Shape::Delimited) => Value::Text(text(&mut cursor, number)?),
                (Kind::Bytes, Shape::Delimited) => Value::Bytes(cursor.delimited()?),
                (Kind::U64, Shape::Varint) => Value::Number(cursor.varint()?),
                (Kind::U32 | Kind::Bool, Shape::Varint) => {
                    let most = if *kind == Kind::Bool { 1 } else { u64::from(u32::MAX) };
                    match cursor.varint()? {
                        bits if bits <= most => Value::Number(bits),
                        _ => return refuse(Malformed::TooManyBits { number }),
                    }
                }
                (Kind::Texts | Kind::Arguments, Shape::Delimited) if items >= MAX_READ_ITEMS => {
                    return refuse(Malformed::TooManyItems { number });
                }
                (Kind::Texts, Shape::Delimited) => {
                    text(&mut cursor, number)?;
                    Value::Items(items.saturating_add(1))
                }
                (Kind::Arguments, Shape::Delimited) => {
                    let bytes = cursor.delimited()?;
                    entry(bytes, cursor.place().saturating_sub(bytes.len()))?;
                    Value::Items(items.saturating_add(1))
                }
                _ => return refuse(Malformed::WireType { number }),
            };
        }
        Ok(fields)
    }

    /// Whether a field is there.
    pub(super) fn has(&self, number: u32) -> bool {
        !matches!(self.value(number), Value::Absent)
    }

    pub(super) fn text(&self, number: u32) -> &'a str {
        match self.value(number) {
            Value::Text(text) => text,
            Value::Absent | Value::Bytes(_) | Value::Number(_) | Value::Items(_) => "",
        }
    }

    pub(super) fn bytes(&self, number: u32) -> &'a [u8] {
        match self.value(number) {
            Value::Bytes(bytes) => bytes,
            Value::Absent | Value::Text(_) | Value::Number(_) | Value::Items(_) => &[],
        }
    }

    pub(super) fn number(&self, number: u32) -> u64 {
        match self.value(number) {
            Value::Number(number) => number,
            Value::Absent | Value::Bytes(_) | Value::Text(_) | Value::Items(_) => 0,
        }
    }

    pub(super) fn repeated<T>(&self, number: u32) -> Repeated<'a, T> {
        match self.value(number) {
            Value::Items(count) => Repeated::read(self.message, number, count),
            Value::Absent | Value::Bytes(_) | Value::Text(_) | Value::Number(_) => Repeated::EMPTY,
        }
    }

    fn value(&self, number: u32) -> Value<'a> {
        let place = usize::try_from(number).unwrap_or(usize::MAX).wrapping_sub(1);
        self.values.get(place).copied().unwrap_or(Value::Absent)
    }
}

pub(super) fn text<'a>(cursor: &mut Cursor<'a>, number: u32) -> Result<&'a str, WireError> {
    let at = cursor.place();
    core::str::from_utf8(cursor.delimited()?).map_err(|_| WireError { reason: Malformed::Utf8 { number }, at })
}

/// The most fields of a message.
pub(super) const FIELDS_MAX: usize = 7;
