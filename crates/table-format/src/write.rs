//! rows -> bytes, in the caller's buffer.

use crate::bytes::Sink;
use crate::error::{OpenError, Section, WriteError};
use crate::header::{DIGEST_AT, Digest, Header, Pin, digest_of};
use crate::rows::{
    Attribute, Budget, Group, Lane, Limit, Node, Operation, ROW_BYTES_MAX, Role, Rule, Terms, TextRef, row_bytes,
};
use crate::spelling::Row;
use crate::states::{Cell, Run, State};
use crate::table::Table;

/// The contents of a table.
#[derive(Debug, Clone, Copy)]
pub struct Parts<'a> {
    /// The digest of the policy's sources.
    pub sources: Digest,
    /// The policy's name.
    pub name: TextRef,
    /// Sorted by name.
    pub roles: &'a [Role],
    /// In any order.
    pub attributes: &'a [Attribute],
    /// Sorted by name.
    pub operations: &'a [Operation],
    /// In source order.
    pub rules: &'a [Rule],
    /// In any order, which is also that of their limits and words.
    pub terms: &'a [Terms],
    /// Of the terms, in their order.
    pub limits: &'a [Limit],
    /// In source order.
    pub budgets: &'a [Budget],
    /// In any order.
    pub lanes: &'a [Lane],
    /// In any order.
    pub groups: &'a [Group],
    /// In any order.
    pub states: &'a [State],
    /// In any order.
    pub runs: &'a [Run],
    /// At the indices that heads and bytes name.
    pub cells: &'a [Cell],
    /// Children before parents.
    pub nodes: &'a [Node],
    /// The words of operations, terms, budgets, lanes, groups and nodes, in this order.
    pub words: &'a [u32],
    /// Names and sentences, each after its length in two bytes.
    pub texts: &'a [u8],
}

/// Returns the length of a table with these parts.
///
/// # Errors
/// A section with too many rows.
pub fn encoded_len(parts: &Parts<'_>) -> Result<usize, WriteError> {
    let bytes = header(parts)?.file_bytes();
    usize::try_from(bytes).map_err(|_| WriteError::TooMany { section: Section::Words })
}

/// Writes a table into a buffer of [`encoded_len`] bytes, opens it again as a check, and returns its digest.
///
/// # Errors
/// A buffer of another length, or rows that are not a valid table.
pub fn write(parts: &Parts<'_>, buffer: &mut [u8], hash: impl Fn(&[&[u8]]) -> Digest) -> Result<Digest, WriteError> {
    let expected = encoded_len(parts)?;
    let found = buffer.len();
    let wrong_buffer = WriteError::Buffer { expected, found };
    if found != expected {
        return Err(wrong_buffer);
    }
    let mut sink = Sink::into(buffer);
    header(parts)?.write(&mut sink);
    rows(&mut sink, Section::Runs, parts.runs)?;
    rows(&mut sink, Section::Cells, parts.cells)?;
    rows(&mut sink, Section::Roles, parts.roles)?;
    rows(&mut sink, Section::Attributes, parts.attributes)?;
    rows(&mut sink, Section::Operations, parts.operations)?;
    rows(&mut sink, Section::Rules, parts.rules)?;
    rows(&mut sink, Section::Terms, parts.terms)?;
    rows(&mut sink, Section::Limits, parts.limits)?;
    rows(&mut sink, Section::Budgets, parts.budgets)?;
    rows(&mut sink, Section::Lanes, parts.lanes)?;
    rows(&mut sink, Section::Groups, parts.groups)?;
    rows(&mut sink, Section::States, parts.states)?;
    rows(&mut sink, Section::Nodes, parts.nodes)?;
    for word in parts.words {
        sink.u32(*word);
    }
    sink.bytes(parts.texts);
    // The digest covers the file with its own bytes zero, so it is written last.
    let digest = digest_of(buffer, &hash).ok_or(wrong_buffer)?;
    *buffer.get_mut(DIGEST_AT..).and_then(|rest| rest.first_chunk_mut()).ok_or(wrong_buffer)? = digest.0;
    Table::open(buffer, Pin::Exactly(digest), hash).map_err(WriteError::Unusable)?;
    Ok(digest)
}

/// Writes rows and reads each back: a number that is too large for its field would become another one.
fn rows<R: Row + PartialEq>(sink: &mut Sink<'_>, section: Section, rows: &[R]) -> Result<(), WriteError> {
    let mut buffer = [0; ROW_BYTES_MAX];
    let changed = |row| WriteError::Unusable(OpenError::Row { section, row });
    for (row, value) in (0..u32::MAX).zip(rows) {
        let spelled = buffer.get_mut(..usize::from(row_bytes(section))).ok_or(changed(row))?;
        value.write_row(&mut Sink::into(spelled));
        if R::read_row(spelled).as_ref() != Some(value) {
            return Err(changed(row));
        }
        sink.bytes(spelled);
    }
    Ok(())
}

fn header(parts: &Parts<'_>) -> Result<Header, WriteError> {
    let count = |section: Section| {
        let rows = match section {
            Section::Runs => parts.runs.len(),
            Section::Cells => parts.cells.len(),
            Section::Roles => parts.roles.len(),
            Section::Attributes => parts.attributes.len(),
            Section::Operations => parts.operations.len(),
            Section::Rules => parts.rules.len(),
            Section::Terms => parts.terms.len(),
            Section::Limits => parts.limits.len(),
            Section::Budgets => parts.budgets.len(),
            Section::Lanes => parts.lanes.len(),
            Section::Groups => parts.groups.len(),
            Section::States => parts.states.len(),
            Section::Nodes => parts.nodes.len(),
            Section::Words => parts.words.len(),
            Section::Texts => parts.texts.len(),
        };
        u32::try_from(rows).map_err(|_| WriteError::TooMany { section })
    };
    let mut counts = [0; Section::ALL.len()];
    for (place, section) in counts.iter_mut().zip(Section::ALL) {
        *place = count(section)?;
    }
    Ok(Header { digest: Digest([0; 32]), sources: parts.sources, name: parts.name, counts })
}
