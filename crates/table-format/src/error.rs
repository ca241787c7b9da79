//! Why bytes are not a table, or rows do not become one. Variants are in the order of the checks.

use core::fmt;

/// A section of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Section {
    /// Runs of the automata.
    Runs,
    /// Cells of the automata.
    Cells,
    /// Roles that a session can hold.
    Roles,
    /// Facts of a request.
    Attributes,
    /// Operations that can be requested.
    Operations,
    /// The rules.
    Rules,
    /// Effects of rules and what goes with them.
    Terms,
    /// Limits of terms.
    Limits,
    /// Budgets that operations are charged to.
    Budgets,
    /// Automata over one string attribute each.
    Lanes,
    /// Roots of the diagram.
    Groups,
    /// States of the automata.
    States,
    /// Nodes of the diagram.
    Nodes,
    /// Lists of numbers.
    Words,
    /// Names and sentences.
    Texts,
}

impl Section {
    /// In the order of the file. Rows that a walk reads come first, at multiples of their length, so that
    /// none of them crosses a cache line.
    pub const ALL: [Self; 15] = [
        Self::Runs,
        Self::Cells,
        Self::Roles,
        Self::Attributes,
        Self::Operations,
        Self::Rules,
        Self::Terms,
        Self::Limits,
        Self::Budgets,
        Self::Lanes,
        Self::Groups,
        Self::States,
        Self::Nodes,
        Self::Words,
        Self::Texts,
    ];

    /// Returns the name used in messages and documents.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Runs => "runs",
            Self::Cells => "cells",
            Self::Roles => "roles",
            Self::Attributes => "attributes",
            Self::Operations => "operations",
            Self::Rules => "rules",
            Self::Terms => "terms",
            Self::Limits => "limits",
            Self::Budgets => "budgets",
            Self::Lanes => "lanes",
            Self::Groups => "groups",
            Self::States => "states",
            Self::Nodes => "nodes",
            Self::Words => "words",
            Self::Texts => "texts",
        }
    }
}

/// Why bytes cannot be opened as a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OpenError {
    /// Fewer bytes than the header has.
    Truncated {
        /// Bytes found.
        bytes: usize,
    },
    /// The first bytes are not those of a table.
    NotATable,
    /// Another version of the format. Tables are rebuilt, never converted.
    FormatVersion {
        /// The version found.
        found: u32,
    },
    /// Another version of the language.
    LanguageVersion {
        /// The version found.
        found: u32,
    },
    /// The sections do not end where the bytes do.
    Length {
        /// Bytes according to the header.
        expected: u64,
        /// Bytes found.
        found: usize,
    },
    /// Not the pinned table.
    NotThePinned,
    /// The bytes have changed since they were written.
    Digest,
    /// More rows than a section may have.
    TooMany {
        /// The section.
        section: Section,
    },
    /// A row with a value that this format does not know.
    Row {
        /// Its section.
        section: Section,
        /// Its number.
        row: u32,
    },
    /// A row that refers to something missing or out of place.
    Reference {
        /// Its section.
        section: Section,
        /// Its number.
        row: u32,
    },
    /// Rows that are not sorted.
    Order {
        /// Its section.
        section: Section,
        /// The first row out of order.
        row: u32,
    },
    /// Words that belong to no row.
    Unowned {
        /// The section.
        section: Section,
    },
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Truncated { bytes } => write!(f, "the table is truncated: {bytes} bytes are shorter than a header"),
            Self::NotATable => f.write_str("not a table: the magic bytes are missing"),
            Self::FormatVersion { found } => {
                write!(f, "unsupported format version {found}; only version {} is supported", crate::FORMAT_VERSION)
            }
            Self::LanguageVersion { found } => {
                write!(f, "unsupported language version {found}; only version {} is supported", crate::LANGUAGE_VERSION)
            }
            Self::Length { expected, found } => write!(f, "expected a table of {expected} bytes, found {found}"),
            Self::NotThePinned => f.write_str("the table is not the pinned one"),
            Self::Digest => f.write_str("the table is corrupt: its digest does not match"),
            Self::TooMany { section } => write!(f, "too many rows in section `{}`", section.name()),
            Self::Row { section, row } => write!(f, "row {row} of section `{}` is invalid", section.name()),
            Self::Reference { section, row } => {
                write!(f, "row {row} of section `{}` has an invalid reference", section.name())
            }
            Self::Order { section, row } => write!(f, "row {row} of section `{}` is out of order", section.name()),
            Self::Unowned { section } => write!(f, "section `{}` has entries that belong to no row", section.name()),
        }
    }
}

impl core::error::Error for OpenError {}

/// Why rows cannot be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WriteError {
    /// More rows than a section may have.
    TooMany {
        /// The section.
        section: Section,
    },
    /// A buffer of another length than [`crate::encoded_len`].
    Buffer {
        /// Bytes needed.
        expected: usize,
        /// Bytes given.
        found: usize,
    },
    /// The written bytes could not be opened again.
    Unusable(OpenError),
}

impl fmt::Display for WriteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooMany { section } => write!(f, "too many rows for section `{}`", section.name()),
            Self::Buffer { expected, found } => write!(f, "expected a buffer of {expected} bytes, found {found}"),
            Self::Unusable(error) => write!(f, "the rows are not a valid table: {error}"),
        }
    }
}

impl core::error::Error for WriteError {}
