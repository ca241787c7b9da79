//! rows -> bytes, into a buffer of the caller's.

use crate::bytes::Sink;
use crate::error::{Section, WriteError};
use crate::header::{DIGEST_AT, DIGEST_BYTES, Digest, Header, Pin, digest_of};
use crate::rows::{Attribute, Budget, Group, Lane, Limit, Node, Operation, Role, Rule, Terms, TextRef};
use crate::spelling::Row;
use crate::states::State;
use crate::table::Table;

/// Everything a table holds.
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
    /// In any order; limits and words are theirs in this order.
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
    /// Children before parents.
    pub nodes: &'a [Node],
    /// The words of operations, terms, budgets, lanes, groups, states and nodes, in this order.
    pub words: &'a [u32],
    /// Names and sentences, each after its length in two bytes.
    pub texts: &'a [u8],
    /// Bytes of runs.
    pub runs: &'a [u8],
}

/// The bytes that a table of these parts has.
///
/// # Errors
/// When a section has more rows than can be counted.
pub fn encoded_len(parts: &Parts<'_>) -> Result<usize, WriteError> {
    let bytes = header(parts)?.file_bytes();
    usize::try_from(bytes).map_err(|_| WriteError::TooMany { section: Section::Words })
}

/// Writes a table into a buffer of [`encoded_len`] bytes and opens it again, so that what was written can
/// be used. Answers the table's digest.
///
/// # Errors
/// A buffer of another length, or rows that make no table.
pub fn write(parts: &Parts<'_>, buffer: &mut [u8], hash: impl Fn(&[&[u8]]) -> Digest) -> Result<Digest, WriteError> {
    let expected = encoded_len(parts)?;
    let found = buffer.len();
    let wrong_buffer = WriteError::Buffer { expected, found };
    if found != expected {
        return Err(wrong_buffer);
    }
    let mut sink = Sink::into(buffer);
    header(parts)?.write(&mut sink);
    rows(&mut sink, parts.roles);
    rows(&mut sink, parts.attributes);
    rows(&mut sink, parts.operations);
    rows(&mut sink, parts.rules);
    rows(&mut sink, parts.terms);
    rows(&mut sink, parts.limits);
    rows(&mut sink, parts.budgets);
    rows(&mut sink, parts.lanes);
    rows(&mut sink, parts.groups);
    rows(&mut sink, parts.states);
    rows(&mut sink, parts.nodes);
    for word in parts.words {
        sink.u32(*word);
    }
    sink.bytes(parts.texts).bytes(parts.runs);
    let digest = digest_of(buffer, &hash).ok_or(wrong_buffer)?;
    let place = buffer.get_mut(DIGEST_AT..).and_then(|rest| rest.get_mut(..DIGEST_BYTES)).ok_or(wrong_buffer)?;
    place.copy_from_slice(&digest.0);
    Table::open(buffer, Pin::Exactly(digest), hash).map_err(WriteError::Unusable)?;
    Ok(digest)
}

fn rows<R: Row>(sink: &mut Sink<'_>, rows: &[R]) {
    for row in rows {
        row.write_row(sink);
    }
}

fn header(parts: &Parts<'_>) -> Result<Header, WriteError> {
    let count = |section: Section| {
        let rows = match section {
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
            Section::Runs => parts.runs.len(),
        };
        u32::try_from(rows).map_err(|_| WriteError::TooMany { section })
    };
    let mut counts = [0; Section::ALL.len()];
    for (place, section) in counts.iter_mut().zip(Section::ALL) {
        *place = count(section)?;
    }
    Ok(Header { digest: Digest([0; 32]), sources: parts.sources, name: parts.name, counts })
}
