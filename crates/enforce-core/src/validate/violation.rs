//! What a request breaks, by the names of field and rule.

/// A field that breaks a rule (CTR-0031, CTR-0032).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Violation {
    /// Which field: `file_read.path`.
    pub field: &'static str,
    /// Which entry, where the field is a list and one of its entries breaks the rule.
    pub item: Option<usize>,
    /// The rule.
    pub rule: Rule,
}

/// What a field has to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rule {
    /// Not empty; for `tool`, set.
    Required,
    /// So many characters at most.
    MaxLength {
        /// The most.
        most: usize,
        /// How many there are.
        found: usize,
    },
    /// So many bytes at most.
    MaxSize {
        /// The most.
        most: usize,
        /// How many there are.
        found: usize,
    },
    /// So many bytes, and neither more nor less.
    ExactSize {
        /// How many it should be.
        expected: usize,
        /// How many there are.
        found: usize,
    },
    /// Not more than this.
    MaxValue {
        /// The most.
        most: u64,
        /// What it is.
        found: u64,
    },
    /// So many entries at most.
    MaxItems {
        /// The most.
        most: usize,
        /// How many there are.
        found: usize,
    },
    /// Without a NUL.
    NoNul {
        /// The place of the first.
        at: usize,
    },
    /// Without a component `..`.
    NoTraversal {
        /// The place of the first.
        at: usize,
    },
    /// Not together with another field.
    Exclusive {
        /// Which.
        with: &'static str,
    },
    /// One of the words that are known.
    OneOf,
    /// `KEY=VALUE`, with exactly one `=`.
    KeyValue {
        /// How many there are.
        found: usize,
    },
    /// A key before the `=` that is not empty, and no NUL anywhere.
    Key,
    /// A token as HTTP knows methods: capitals, digits and a few marks.
    Token,
    /// `Name: value` on one line, and none of the headers that say where a request goes and how long it is.
    Header,
    /// Without a dash or an `@` at its start, which would make it an option or a file of options.
    NoOption,
    /// Without a bracket before its `::`: some versions of pytest end the file's name there, and others do not.
    NoBracket,
}

impl Rule {
    /// As programs read it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Required => "required",
            Self::MaxLength { .. } => "max_length",
            Self::MaxSize { .. } => "max_size",
            Self::ExactSize { .. } => "exact_size",
            Self::MaxValue { .. } => "max_value",
            Self::MaxItems { .. } => "max_items",
            Self::NoNul { .. } => "no_nul",
            Self::NoTraversal { .. } => "no_traversal",
            Self::Exclusive { .. } => "mutually_exclusive",
            Self::OneOf => "one_of",
            Self::KeyValue { .. } => "key_value",
            Self::Key => "key",
            Self::Token => "token",
            Self::Header => "header",
            Self::NoOption => "no_option",
            Self::NoBracket => "no_bracket",
        }
    }

    /// For people, after the name of the field.
    #[must_use]
    pub fn sentence(self) -> &'static str {
        match self {
            Self::Required => "is missing",
            Self::MaxLength { .. } => "has too many characters",
            Self::MaxSize { .. } => "has too many bytes",
            Self::ExactSize { .. } => "is not of the right size",
            Self::MaxValue { .. } => "is too large",
            Self::MaxItems { .. } => "has too many entries",
            Self::NoNul { .. } => "has a NUL",
            Self::NoTraversal { .. } => "has a component `..`",
            Self::Exclusive { .. } => "cannot be set together with another field",
            Self::OneOf => "is none of the known words",
            Self::KeyValue { .. } => "has an entry without exactly one `=`",
            Self::Key => "has an entry without a key, or with a NUL",
            Self::Token => "is no HTTP method in capitals",
            Self::Header => "has an entry that is no header of the sender's own",
            Self::NoOption => "has an entry that starts with a dash or an `@`",
            Self::NoBracket => "has an entry with a bracket in the name of its file",
        }
    }
}
