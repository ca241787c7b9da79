//! Why bytes are no table, or rows do not become one. Variants stand in the order of the checks.

use core::fmt;

/// A part of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Section {
    /// Runs of the automata.
    Runs,
    /// Cells of the automata.
    Cells,
    /// What a session can hold.
    Roles,
    /// What a request can say.
    Attributes,
    /// What can be asked for.
    Operations,
    /// The rules.
    Rules,
    /// What rules come to.
    Terms,
    /// Limits of terms.
    Limits,
    /// What acts are charged to.
    Budgets,
    /// Automata over one attribute.
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
    /// In the order of the file. Rows that a walk reads come first, where they lie at multiples of their
    /// length, so that none of them crosses a line of the cache.
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

    /// The name in messages and documents.
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

/// Why bytes are not a table that can be judged from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OpenError {
    /// Fewer bytes than the header has.
    Truncated {
        /// How many there are.
        bytes: usize,
    },
    /// The first bytes are not those of a table.
    NotATable,
    /// Written in another version of the format; tables are built again, never converted.
    FormatVersion {
        /// The version found.
        found: u32,
    },
    /// For another version of the language.
    LanguageVersion {
        /// The version found.
        found: u32,
    },
    /// The sections do not end where the bytes do.
    Length {
        /// The bytes the header speaks of.
        expected: u64,
        /// The bytes there are.
        found: usize,
    },
    /// Not the table that was pinned.
    NotThePinned,
    /// The bytes have changed since they were written.
    Digest,
    /// More rows than a section may have.
    TooMany {
        /// Of these.
        section: Section,
    },
    /// A row that says nothing this format knows.
    Row {
        /// Of this section.
        section: Section,
        /// Which one.
        row: u32,
    },
    /// A row that refers to something that is not there, or not in its place.
    Reference {
        /// From this section.
        section: Section,
        /// From which row.
        row: u32,
    },
    /// Rows that are not sorted as lookups need them.
    Order {
        /// Of this section.
        section: Section,
        /// The first one out of place.
        row: u32,
    },
    /// Words that belong to no row.
    Unowned {
        /// In this section.
        section: Section,
    },
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Truncated { bytes } => write!(f, "the table is cut off: {bytes} bytes are fewer than its header has"),
            Self::NotATable => f.write_str("not a table: the first bytes are others"),
            Self::FormatVersion { found } => {
                write!(f, "the table has format version {found}, and only version {} is read", crate::FORMAT_VERSION)
            }
            Self::LanguageVersion { found } => {
                write!(f, "the table is for language version {found}, and only {} is known", crate::LANGUAGE_VERSION)
            }
            Self::Length { expected, found } => write!(f, "the table should have {expected} bytes and has {found}"),
            Self::NotThePinned => f.write_str("another table than the one that was pinned"),
            Self::Digest => f.write_str("the table's bytes are not the ones that were written: the digest differs"),
            Self::TooMany { section } => write!(f, "the table has too many rows in its section {}", section.name()),
            Self::Row { section, row } => write!(f, "row {row} of the section {} says nothing known", section.name()),
            Self::Reference { section, row } => {
                write!(f, "row {row} of the section {} refers to something that is not there", section.name())
            }
            Self::Order { section, row } => write!(f, "row {row} of the section {} is out of order", section.name()),
            Self::Unowned { section } => write!(f, "the section {} has entries that belong to no row", section.name()),
        }
    }
}

impl core::error::Error for OpenError {}

/// Why rows do not become bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WriteError {
    /// More rows than a count can say, or than a section may have.
    TooMany {
        /// Of these.
        section: Section,
    },
    /// The buffer has another length than [`crate::encoded_len`] says.
    Buffer {
        /// The bytes needed.
        expected: usize,
        /// The bytes given.
        found: usize,
    },
    /// What was written would not be opened again.
    Unusable(OpenError),
}

impl fmt::Display for WriteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooMany { section } => write!(f, "too many rows for the section {}", section.name()),
            Self::Buffer { expected, found } => write!(f, "{expected} bytes are needed and {found} were given"),
            Self::Unusable(error) => write!(f, "the rows make no table: {error}"),
        }
    }
}

impl core::error::Error for WriteError {}
