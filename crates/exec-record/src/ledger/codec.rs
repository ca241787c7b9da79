//! Fields <-> the canonical bytes of a record. Each type is written and read in one place, and is written as the bytes
//! it was read from.

use thiserror::Error;

use super::digest::Digest;

/// Why bytes are not a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum DecodeError {
    #[error("the record ends too early")]
    Short,
    #[error("{bytes} bytes follow the last field")]
    Long { bytes: usize },
    #[error("the record has version {found}; this program reads version {known}")]
    Version { found: u8, known: u8 },
    /// A kind of record, or another choice, that does not exist.
    #[error("unknown choice {0}")]
    Choice(u8),
    #[error("unknown system error {0}")]
    Error(i32),
    #[error("a text is not UTF-8")]
    Text,
}

/// A part of a record.
pub(crate) trait Field: Sized {
    fn write(&self, bytes: &mut Vec<u8>);

    /// Reads it from the front of `bytes`.
    fn read(bytes: &mut &[u8]) -> Result<Self, DecodeError>;
}

/// Reads a field that is all of `bytes`.
pub(super) fn whole<F: Field>(mut bytes: &[u8]) -> Result<F, DecodeError> {
    let field = F::read(&mut bytes)?;
    if bytes.is_empty() { Ok(field) } else { Err(DecodeError::Long { bytes: bytes.len() }) }
}

/// A struct is its fields, in order.
macro_rules! fields {
    ($name:ident { $($field:ident),+ $(,)? }) => {
        impl Field for $name {
            fn write(&self, bytes: &mut Vec<u8>) {
                $(self.$field.write(bytes);)+
            }

            fn read(bytes: &mut &[u8]) -> Result<Self, DecodeError> {
                // In the order in which they are written here.
                Ok(Self { $($field: Field::read(bytes)?),+ })
            }
        }
    };
}
pub(super) use fields;

/// An enum without fields is one byte.
macro_rules! choices {
    ($name:ty { $($variant:path = $byte:literal),+ $(,)? }) => {
        impl Field for $name {
            fn write(&self, bytes: &mut Vec<u8>) {
                bytes.push(match self { $($variant => $byte),+ });
            }

            fn read(bytes: &mut &[u8]) -> Result<Self, DecodeError> {
                match u8::read(bytes)? {
                    $($byte => Ok($variant),)+
                    other => Err(DecodeError::Choice(other)),
                }
            }
        }
    };
}
pub(super) use choices;

impl Field for u8 {
    fn write(&self, bytes: &mut Vec<u8>) {
        bytes.push(*self);
    }

    fn read(bytes: &mut &[u8]) -> Result<Self, DecodeError> {
        take::<1>(bytes).map(|[byte]| byte)
    }
}

impl Field for u32 {
    fn write(&self, bytes: &mut Vec<u8>) {
        bytes.extend_from_slice(&self.to_le_bytes());
    }

    fn read(bytes: &mut &[u8]) -> Result<Self, DecodeError> {
        take(bytes).map(Self::from_le_bytes)
    }
}

impl Field for i32 {
    fn write(&self, bytes: &mut Vec<u8>) {
        bytes.extend_from_slice(&self.to_le_bytes());
    }

    fn read(bytes: &mut &[u8]) -> Result<Self, DecodeError> {
        take(bytes).map(Self::from_le_bytes)
    }
}

impl Field for u64 {
    fn write(&self, bytes: &mut Vec<u8>) {
        bytes.extend_from_slice(&self.to_le_bytes());
    }

    fn read(bytes: &mut &[u8]) -> Result<Self, DecodeError> {
        take(bytes).map(Self::from_le_bytes)
    }
}

impl Field for Digest {
    fn write(&self, bytes: &mut Vec<u8>) {
        bytes.extend_from_slice(self.as_bytes());
    }

    fn read(bytes: &mut &[u8]) -> Result<Self, DecodeError> {
        take::<32>(bytes).map(Self::from)
    }
}

impl Field for String {
    fn write(&self, bytes: &mut Vec<u8>) {
        write_length(self.len(), bytes);
        bytes.extend_from_slice(self.as_bytes());
    }

    fn read(bytes: &mut &[u8]) -> Result<Self, DecodeError> {
        let length = read_length(bytes)?;
        let (text, rest) = bytes.split_at_checked(length).ok_or(DecodeError::Short)?;
        *bytes = rest;
        str::from_utf8(text).map(str::to_owned).map_err(|_| DecodeError::Text)
    }
}

/// 0 or 1, then the value.
impl<F: Field> Field for Option<F> {
    fn write(&self, bytes: &mut Vec<u8>) {
        bytes.push(u8::from(self.is_some()));
        self.iter().for_each(|field| field.write(bytes));
    }

    fn read(bytes: &mut &[u8]) -> Result<Self, DecodeError> {
        match u8::read(bytes)? {
            0 => Ok(None),
            1 => F::read(bytes).map(Some),
            other => Err(DecodeError::Choice(other)),
        }
    }
}

impl<F: Field> Field for Vec<F> {
    fn write(&self, bytes: &mut Vec<u8>) {
        write_length(self.len(), bytes);
        self.iter().for_each(|field| field.write(bytes));
    }

    /// Grows with what is read, so that a false length takes no memory.
    fn read(bytes: &mut &[u8]) -> Result<Self, DecodeError> {
        let length = read_length(bytes)?;
        (0..length).map(|_| F::read(bytes)).collect()
    }
}

/// Everything written is bounded far below.
fn write_length(length: usize, bytes: &mut Vec<u8>) {
    u32::try_from(length).unwrap_or(u32::MAX).write(bytes);
}

fn read_length(bytes: &mut &[u8]) -> Result<usize, DecodeError> {
    usize::try_from(u32::read(bytes)?).map_err(|_| DecodeError::Short)
}

fn take<const N: usize>(bytes: &mut &[u8]) -> Result<[u8; N], DecodeError> {
    let (taken, rest) = bytes.split_first_chunk::<N>().ok_or(DecodeError::Short)?;
    *bytes = rest;
    Ok(*taken)
}
