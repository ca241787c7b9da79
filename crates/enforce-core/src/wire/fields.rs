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

/// A field, with a place for whatever it can be: looked at by its kind, it is there without asking what it is.
#[derive(Debug, Clone, Copy)]
struct Value<'a> {
    is_there: bool,
    text: &'a str,
    bytes: &'a [u8],
    /// A number, or how many entries there are in a list that the message has.
    number: u64,
}

impl Value<'_> {
    const ABSENT: Self = Self { is_there: false, text: "", bytes: &[], number: 0 };
}

impl<'a> Fields<'a> {
    pub(super) const NONE: Self = Self { message: &[], values: [Value::ABSENT; FIELDS_MAX] };

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
            let is_list = matches!(kind, Kind::Texts | Kind::Arguments);
            if value.is_there && !is_list {
                return refuse(Malformed::RepeatedField { number });
            }
            value.is_there = true;
            match (kind, tag.shape) {
                (Kind::Text, Shape::Delimited) => value.text = text(&mut cursor, number)?,
                (Kind::Bytes, Shape::Delimited) => value.bytes = cursor.delimited()?,
                (Kind::U64 | Kind::U32 | Kind::Bool, Shape::Varint) => {
                    value.number = cursor.varint()?;
                    let most = match kind {
                        Kind::Bool => 1,
                        Kind::U32 => u64::from(u32::MAX),
                        Kind::U64 | Kind::Text | Kind::Bytes | Kind::Texts | Kind::Arguments => u64::MAX,
                    };
                    if value.number > most {
                        return refuse(Malformed::TooManyBits { number });
                    }
                }
                (Kind::Texts | Kind::Arguments, Shape::Delimited) => {
                    if value.number >= MAX_READ_ITEMS {
                        return refuse(Malformed::TooManyItems { number });
                    }
                    value.number = value.number.wrapping_add(1);
                    if *kind == Kind::Texts {
                        text(&mut cursor, number)?;
                    } else {
                        let bytes = cursor.delimited()?;
                        entry(bytes, cursor.place().saturating_sub(bytes.len()))?;
                    }
                }
                _ => return refuse(Malformed::WireType { number }),
            }
        }
        Ok(fields)
    }

    /// Whether a field is there.
    pub(super) fn has<const NUMBER: usize>(&self) -> bool {
        self.value::<NUMBER>().is_there
    }

    pub(super) fn text<const NUMBER: usize>(&self) -> &'a str {
        self.value::<NUMBER>().text
    }

    pub(super) fn bytes<const NUMBER: usize>(&self) -> &'a [u8] {
        self.value::<NUMBER>().bytes
    }

    pub(super) fn number<const NUMBER: usize>(&self) -> u64 {
        self.value::<NUMBER>().number
    }

    pub(super) fn repeated<T, const NUMBER: usize>(&self) -> Repeated<'a, T> {
        Repeated::read(self.message, NUMBER, self.value::<NUMBER>().number)
    }

    #[inline(always)]
    fn value<const NUMBER: usize>(&self) -> Value<'a> {
        let place = const { NUMBER.checked_sub(1) };
        place.and_then(|place| self.values.get(place)).copied().unwrap_or(Value::ABSENT)
    }
}

pub(super) fn text<'a>(cursor: &mut Cursor<'a>, number: u32) -> Result<&'a str, WireError> {
    let at = cursor.place();
    core::str::from_utf8(cursor.delimited()?).map_err(|_| WireError { reason: Malformed::Utf8 { number }, at })
}

/// The most fields of a message.
pub(super) const FIELDS_MAX: usize = 7;
