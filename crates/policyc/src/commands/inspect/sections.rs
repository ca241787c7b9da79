//! Table -> its sections, each with its rows and bytes.

use serde::Serialize;
use table_format::{HEADER_BYTES, Parts, RuleId, Section, Span, Table, encoded_len};

/// A section: what it is called, how many rows it has, how many bytes they take.
#[derive(Debug, Serialize)]
pub(super) struct Rows {
    pub(super) name: &'static str,
    pub(super) rows: u32,
    pub(super) bytes: u64,
}

/// The header and every section, in the order of the file.
pub(super) fn sections(table: &Table<'_>) -> Vec<Rows> {
    let header = Rows { name: "header", rows: 1, bytes: u64::try_from(HEADER_BYTES).unwrap_or_default() };
    let section = |section: Section| {
        let rows = rows_of(table, section);
        let row_bytes = u64::try_from(row_bytes(table, section)).unwrap_or_default();
        Rows { name: section.name(), rows, bytes: u64::from(rows).saturating_mul(row_bytes) }
    };
    std::iter::once(header).chain(Section::ALL.into_iter().map(section)).collect()
}

/// Counts the rows of a section.
pub(super) fn rows_of(table: &Table<'_>, section: Section) -> u32 {
    let counts = Section::ALL.into_iter().zip(table.header().counts);
    counts.filter(|(other, _)| *other == section).map(|(_, count)| count).sum()
}

/// The bytes of a row as the format counts them: what a table with the first row of this section, and
/// nothing else, has beside its header. Zero when the section is empty.
fn row_bytes(table: &Table<'_>, section: Section) -> usize {
    let none = Parts {
        sources: table.header().sources,
        name: table.header().name,
        roles: &[],
        attributes: &[],
        operations: &[],
        rules: &[],
        terms: &[],
        limits: &[],
        budgets: &[],
        lanes: &[],
        groups: &[],
        states: &[],
        cells: &[],
        nodes: &[],
        words: &[],
        texts: &[],
        runs: &[],
    };
    let bytes_of = |parts: Parts<'_>| encoded_len(&parts).unwrap_or(HEADER_BYTES).saturating_sub(HEADER_BYTES);
    let first = RuleId(0);
    match section {
        Section::Roles => {
            let row = table.roles().next().and_then(|role| table.role(role));
            bytes_of(Parts { roles: row.as_slice(), ..none })
        }
        Section::Operations => {
            let row = table.operations().next().and_then(|operation| table.operation(operation));
            bytes_of(Parts { operations: row.as_slice(), ..none })
        }
        Section::Limits => {
            let row = table.limits(Span { first: 0, count: 1 }).next();
            bytes_of(Parts { limits: row.as_slice(), ..none })
        }
        Section::Attributes => bytes_of(Parts { attributes: table.attribute(0).as_slice(), ..none }),
        Section::Rules => bytes_of(Parts { rules: table.rule(first).as_slice(), ..none }),
        Section::Terms => bytes_of(Parts { terms: table.terms(first).as_slice(), ..none }),
        Section::Budgets => bytes_of(Parts { budgets: table.budget(0).as_slice(), ..none }),
        Section::Lanes => bytes_of(Parts { lanes: table.lane(0).as_slice(), ..none }),
        Section::Groups => bytes_of(Parts { groups: table.group(0).as_slice(), ..none }),
        Section::States => bytes_of(Parts { states: table.state(0).as_slice(), ..none }),
        Section::Runs => bytes_of(Parts { runs: table.run(0).as_slice(), ..none }),
        Section::Cells => bytes_of(Parts { cells: table.cell(0).as_slice(), ..none }),
        Section::Nodes => bytes_of(Parts { nodes: table.node(0).as_slice(), ..none }),
        Section::Words => bytes_of(Parts { words: table.word(0).as_slice(), ..none }),
        Section::Texts => bytes_of(Parts { texts: &[0], ..none }),
    }
}
