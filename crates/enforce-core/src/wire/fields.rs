//! The bytes of one message -> the values of its fields, each at most once.

use super::cursor::{Cursor, Shape};
use super::error::{Malformed, WireError};
use super::message::{Field, Kind, List};
use super::messages::Argument;
use super::repeated::{Repeated, Texts};
use super::text::Text;
use crate::limits::MAX_READ_ITEMS;
use crate::path::Simple;

/// The values of a message whose fields are numbered from one on, and of which one at most is a list.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Fields<'a> {
    values: [Value<'a>; FIELDS_MAX],
    pub(crate) texts: Texts<'a>,
    pub(crate) arguments: Repeated<'a, Argument<'a>>,
}

/// The value of a field.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Value<'a> {
    /// As if it were empty, or zero.
    Absent,
    Text(Text<'a>),
    /// Text that is a path, and one without anything to look at twice.
    Path(Simple<'a>),
    Bytes(&'a [u8]),
    Number(u64),
}

impl<'a> Fields<'a> {
    pub(super) const NONE: Self =
        Self { values: [Value::Absent; FIELDS_MAX], texts: Repeated::EMPTY, arguments: Repeated::EMPTY };

    /// Reads a message to its end, into fields that are absent. What the entries of its list are is said apart, so that who
    /// reads a message without one has no lists to think of.
    pub(super) fn read(
        &mut self,
        message: &'a [u8],
        base: usize,
        known: &[Field],
        list: Option<List>,
    ) -> Result<(), WireError> {
        let mut items = 0_u64;
        let mut cursor = Cursor::new(message, base);
        while let Some(tag) = cursor.tag()? {
            let number = tag.number;
            let refuse = |reason| Err(WireError { reason, at: tag.at });
            let place = usize::try_from(number).unwrap_or(usize::MAX).wrapping_sub(1);
            let (Some(Field { kind, .. }), Some(value)) = (known.get(place), self.values.get_mut(place)) else {
                return refuse(Malformed::UnknownField { number });
            };
            if !matches!(value, Value::Absent) {
                return refuse(Malformed::RepeatedField { number });
            }
            match (kind, tag.shape) {
                (Kind::Path | Kind::Text, Shape::Delimited) => *value = Value::text(&mut cursor, number, *kind)?,
                (Kind::Bytes, Shape::Delimited) => *value = Value::Bytes(cursor.delimited()?),
                (Kind::U64 | Kind::U32 | Kind::Bool, Shape::Varint) => {
                    let said = cursor.varint()?;
                    let most = match kind {
                        Kind::Bool => 1,
                        Kind::U32 => u64::from(u32::MAX),
                        Kind::U64 | Kind::Path | Kind::Text | Kind::Bytes | Kind::Texts | Kind::Arguments => u64::MAX,
                    };
                    if said > most {
                        return refuse(Malformed::TooManyBits { number });
                    }
                    *value = Value::Number(said);
                }
                (Kind::Texts | Kind::Arguments, Shape::Delimited) => {
                    if items >= MAX_READ_ITEMS {
                        return refuse(Malformed::TooManyItems { number });
                    }
                    items = items.wrapping_add(1);
                    match list {
                        Some(List::Texts) => {
                            text(&mut cursor, number)?;
                            self.texts = Repeated::read(message, number, items);
                        }
                        Some(List::Messages(check)) => {
                            let bytes = cursor.delimited()?;
                            check(bytes, cursor.place().saturating_sub(bytes.len()))?;
                            self.arguments = Repeated::read(message, number, items);
                        }
                        // A message without a list has no field that is one.
                        None => return refuse(Malformed::UnknownField { number }),
                    }
                }
                _ => return refuse(Malformed::WireType { number }),
            }
        }
        Ok(())
    }

    /// A field by its number.
    #[inline]
    pub(crate) fn value(&self, number: u8) -> Value<'a> {
        self.values.get(usize::from(number).wrapping_sub(1)).copied().unwrap_or(Value::Absent)
    }

    /// In the order of their numbers.
    pub(super) fn values(&self) -> &[Value<'a>] {
        &self.values
    }

    /// Sets a field.
    pub(super) fn set(&mut self, number: u8, value: Value<'a>) {
        if let Some(place) = self.values.get_mut(usize::from(number).wrapping_sub(1)) {
            *place = value;
        }
    }

    /// Text by the number of its field.
    pub(crate) fn text(&self, number: u8) -> &'a str {
        core::str::from_utf8(self.value(number).bytes()).unwrap_or_default()
    }
}

impl<'a> Value<'a> {
    /// Text or bytes.
    #[inline]
    pub(crate) fn bytes(&self) -> &'a [u8] {
        match self {
            Self::Text(text) => text.as_bytes(),
            Self::Path(path) => path.as_bytes(),
            Self::Bytes(bytes) => bytes,
            Self::Absent | Self::Number(_) => &[],
        }
    }

    /// A number; of a flag, whether it is set.
    #[inline]
    pub(crate) fn number(&self) -> u64 {
        match self {
            Self::Number(number) => *number,
            Self::Absent | Self::Text(_) | Self::Path(_) | Self::Bytes(_) => 0,
        }
    }

    /// Text of a kind, as it is written.
    fn text(cursor: &mut Cursor<'a>, number: u32, kind: Kind) -> Result<Self, WireError> {
        let at = cursor.place();
        let bytes = cursor.delimited()?;
        let simple = if kind == Kind::Path { Simple::of(bytes) } else { None };
        match simple {
            Some(path) if path.is_ascii => Ok(Self::Path(path)),
            simple => match (Text::read(bytes), simple) {
                (Some(_), Some(path)) => Ok(Self::Path(path)),
                (Some(text), None) => Ok(Self::Text(text)),
                (None, _) => Err(WireError { reason: Malformed::Utf8 { number }, at }),
            },
        }
    }
}

impl<'a> From<&'a str> for Value<'a> {
    fn from(text: &'a str) -> Self {
        Simple::of(text.as_bytes()).map_or(Self::Text(text.into()), Self::Path)
    }
}

pub(super) fn text<'a>(cursor: &mut Cursor<'a>, number: u32) -> Result<Text<'a>, WireError> {
    let at = cursor.place();
    Text::read(cursor.delimited()?).ok_or(WireError { reason: Malformed::Utf8 { number }, at })
}

/// The most fields of a message.
pub(super) const FIELDS_MAX: usize = 7;
