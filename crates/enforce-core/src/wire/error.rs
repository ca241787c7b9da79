//! Why bytes are no request.

/// What is wrong with the bytes, and where.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WireError {
    /// What is wrong.
    pub reason: Malformed,
    /// The place of the byte at which it shows.
    pub at: usize,
}

/// What makes bytes something else than a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Malformed {
    /// More than [`crate::limits::MAX_REQUEST_SIZE`] bytes.
    TooLarge,
    /// It ends in the middle of a field.
    Truncated,
    /// A number that is longer than it has to be, or of more than 64 bits.
    Overlong,
    /// Bytes after the last field that start none.
    TrailingBytes,
    /// A field number that there cannot be.
    FieldNumber,
    /// A group, which nobody writes any more.
    Group {
        /// Of this field.
        number: u32,
    },
    /// A field that is not written as its type is.
    WireType {
        /// Which.
        number: u32,
    },
    /// A field that its message does not have.
    UnknownField {
        /// Which.
        number: u32,
    },
    /// A field that is there twice, of which a lenient reader would take one.
    RepeatedField {
        /// Which.
        number: u32,
    },
    /// Two tools, of which a lenient reader would take one.
    SecondTool,
    /// Two values of one argument.
    SecondValue,
    /// Text that is no UTF-8.
    Utf8 {
        /// Of this field.
        number: u32,
    },
    /// A number with more bits than its field has.
    TooManyBits {
        /// Of this field.
        number: u32,
    },
    /// A list of more than [`crate::limits::MAX_READ_ITEMS`] entries.
    TooManyItems {
        /// Of this field.
        number: u32,
    },
}

impl Malformed {
    /// For people, after "the request".
    #[must_use]
    pub fn sentence(self) -> &'static str {
        match self {
            Self::TooLarge => "is too large",
            Self::Truncated => "ends in the middle of a field",
            Self::Overlong => "has a number that is too long",
            Self::TrailingBytes => "has bytes after its last field",
            Self::FieldNumber => "has a field number that there cannot be",
            Self::Group { .. } => "has a group",
            Self::WireType { .. } => "has a field of the wrong wire type",
            Self::UnknownField { .. } => "has an unknown field",
            Self::RepeatedField { .. } => "has a field twice",
            Self::SecondTool => "has a second tool",
            Self::SecondValue => "has a second value for an argument",
            Self::Utf8 { .. } => "has text that is no UTF-8",
            Self::TooManyBits { .. } => "has a number that its field cannot hold",
            Self::TooManyItems { .. } => "has a list that is too long",
        }
    }
}
