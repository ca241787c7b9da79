//! Each field of each row broken in turn, with the right digest: what is refused, where, and why. A field that
//! this list does not have fails the test.

#![cfg(test)]

mod support;

use std::collections::BTreeSet;

use support::document::{self, Field};
use support::{blake3, files, golden, signed, spelled};
use table_format::{OpenError, Pin, Section, Table};

/// A field of a row of the golden table, another value, and what an opening says to it.
struct Broken {
    field: &'static str,
    row: usize,
    value: u64,
    error: OpenError,
}

#[test]
fn a_broken_field_is_refused_where_it_stands() {
    let file = files::every_row().bytes;
    for Broken { field, row, value, error } in broken() {
        let changed = with(&file, document::field(field), row, value);
        let opened = Table::open(&changed, Pin::Unpinned, blake3).err();
        assert_eq!(opened, Some(error), "{field} of row {row} as {value}");
    }
}

#[test]
fn a_field_that_may_hold_any_value_opens_with_any() {
    let file = files::every_row().bytes;
    for (path, row) in FREE {
        let field = document::field(path);
        let most = u64::MAX.checked_shr(64 - 8 * u32::try_from(field.bytes.min(8)).unwrap()).unwrap();
        for value in [0, 1, most / 2, most - 1, most] {
            let changed = with(&file, field, *row, value);
            let opened = Table::open(&changed, Pin::Unpinned, blake3).err();
            assert_eq!(opened, None, "{path} of row {row} as {value}");
        }
    }
}

#[test]
fn every_field_of_the_document_is_broken_here_or_may_hold_any_value() {
    let known: BTreeSet<String> = document::fields().iter().map(Field::path).collect();
    let broken: BTreeSet<String> = broken().iter().map(|broken| broken.field.to_owned()).collect();
    let free: BTreeSet<String> = FREE.iter().map(|(path, _)| (*path).to_owned()).collect();
    let by_hand = ["header.counts", "header.digest"].map(str::to_owned).into();
    let covered: BTreeSet<String> = [&broken, &free, &by_hand].into_iter().flatten().cloned().collect();
    assert_eq!(known, covered);
    assert_eq!(broken.intersection(&free).count(), 0);
}

#[test]
fn each_case_is_about_a_row_of_its_kind() {
    let rows = spelled::rows(&golden::every_row().draft());
    let cases: Vec<(&str, usize)> =
        broken().iter().map(|broken| (broken.field, broken.row)).chain(FREE.iter().copied()).collect();
    for (path, row) in cases {
        let field = document::field(path);
        if let Some(place) = field.section().and_then(|section| Section::ALL.iter().position(|other| *other == section))
        {
            assert_eq!(rows[place][row].row, field.row, "{path} of row {row}");
        }
    }
}

/// Fields that no check looks at, each in a row that has it.
const FREE: &[(&str, usize)] = &[
    // For people and ledgers.
    ("header.sources", 0),
    // Any number is a limit.
    ("limits.most", 0),
    ("budgets.most", 0),
    // A class that a lane does not have is one that no node asks for, or denies.
    ("states.run.miss", 1),
    ("states.sparse.end", 0),
    ("states.range.end", 3),
    ("states.skip.end", 8),
    ("states.hop.end", 5),
    ("states.emit.class", 7),
    ("nodes.range.low", 1),
    // Any byte can end a segment.
    ("states.skip.stop", 8),
    ("states.hop.stop", 5),
    // As many numbers as a byte can count; one that an operation does not have is open.
    ("nodes.number.slot", 0),
];

fn broken() -> Vec<Broken> {
    let mut all = of_header();
    all.extend(unknown_rows().into_iter().map(|(field, row, value)| Broken {
        field,
        row,
        value,
        error: OpenError::Row { section: section(field), row: number(row) },
    }));
    all.extend(lost_references().into_iter().map(|(field, row, value)| Broken {
        field,
        row,
        value,
        error: OpenError::Reference { section: section(field), row: number(row) },
    }));
    all.extend(seen_elsewhere().into_iter().map(|(field, row, value, (section, seen))| Broken {
        field,
        row,
        value,
        error: OpenError::Reference { section, row: seen },
    }));
    all
}

fn of_header() -> Vec<Broken> {
    let of = |field, value, error| Broken { field, row: 0, value, error };
    let texts = past(golden::every_row().draft().texts.len());
    let mut all = vec![
        of("header.magic", 0, OpenError::NotATable),
        of("header.magic", u64::from_le_bytes(*b"INTRDCT1"), OpenError::NotATable),
        of("header.magic", u64::from_le_bytes(*b"iNTRDCT\0"), OpenError::NotATable),
        of("header.name", texts, OpenError::Reference { section: Section::Texts, row: 0 }),
    ];
    for found in [0, 2, 1 << 24, u32::MAX] {
        all.push(of("header.format_version", found.into(), OpenError::FormatVersion { found }));
        all.push(of("header.language_version", found.into(), OpenError::LanguageVersion { found }));
    }
    all
}

/// Rows that say nothing known.
fn unknown_rows() -> Vec<(&'static str, usize, u64)> {
    vec![
        ("attributes.kind", 0, 11),
        ("attributes.kind", 0, 255),
        ("attributes.known_later", 0, 2),
        ("attributes.zero", 0, 1),
        ("attributes.zero", 11, 1 << 15),
        ("terms.effect", 0, 3),
        ("terms.effect", 0, 1 << 8),
        ("budgets.period", 0, 4),
        ("budgets.has_roles", 0, 2),
        ("budgets.has_roles", 0, 0),
        ("budgets.zero", 0, 1),
        ("budgets.zero", 1, 1 << 15),
        ("budgets.first", 1, 1),
        ("budgets.count", 1, 1),
        ("lanes.mode", 6, 2),
        ("lanes.direction", 6, 2),
        ("lanes.zero", 6, 1),
        ("lanes.zero", 6, 1 << 15),
        ("groups.driver", 6, 256),
        ("states.run.kind", 1, 6),
        ("states.sparse.kind", 0, 6),
        ("states.range.kind", 3, 255),
        ("states.hop.kind", 5, 6),
        ("states.emit.kind", 7, 6),
        ("states.run.zero", 1, 1),
        ("states.sparse.zero", 0, 1),
        ("states.sparse.zero", 0, 1 << 15),
        ("states.skip.zero", 8, 1),
        ("states.skip.zero", 8, 1 << 40),
        ("states.emit.zero", 7, 1),
        ("states.emit.zero", 7, 1 << 48),
        ("states.hop.zero", 5, 1),
        ("states.hop.zero", 5, 1 << 16),
        ("nodes.flag.kind", 5, 5),
        ("nodes.bit.kind", 4, 5),
        ("nodes.range.kind", 1, 5),
        ("nodes.sorted.kind", 2, 5),
        ("nodes.number.kind", 0, 255),
        ("nodes.flag.zero", 5, 1),
        ("nodes.bit.zero", 4, 1),
        ("nodes.range.zero", 1, 1),
        ("nodes.sorted.zero", 2, 1),
        ("nodes.number.zero", 0, 1),
    ]
}

/// Rows that refer to what is not there, or not in its place.
fn lost_references() -> Vec<(&'static str, usize, u64)> {
    let draft = golden::every_row().draft();
    let (texts, runs, states) = (past(draft.texts.len()), past(draft.runs.len()), past(draft.states.len()));
    let (attributes, terms, words) = (past(draft.attributes.len()), past(draft.terms.len()), past(draft.words.len()));
    let mut all = vec![
        ("roles.name", 0, texts),
        ("roles.name", 1, texts - 1),
        ("attributes.name", 0, texts),
        ("operations.name", 0, texts),
        ("operations.denial_code", 4, texts),
        ("operations.first", 0, 1),
        ("operations.first", 1, 0),
        ("operations.walks", 0, 0),
        ("operations.group_list", 0, 0),
        ("operations.strings", 0, 0),
        ("operations.strings", 0, 257),
        ("operations.numbers", 0, 0),
        ("operations.numbers", 0, 257),
        ("operations.flags", 4, 0),
        ("operations.flags", 4, 65),
        ("operations.complex", 4, 2),
        ("operations.lanes", 0, 2),
        ("operations.lanes", 0, 33),
        ("operations.groups", 0, 0),
        ("operations.asked_once", 0, 0),
        ("operations.asked_once", 0, 2),
        ("operations.asked_once", 0, 3),
        ("operations.budgets", 0, 2),
        ("operations.budgets", 0, 65_535),
        ("rules.name", 6, texts),
        ("rules.terms", 0, terms),
        ("terms.code", 0, texts),
        ("terms.because", 0, texts),
        ("terms.limits_first", 2, 1),
        ("terms.limits_count", 2, past(draft.limits.len()) + 1),
        ("terms.limits_count", 3, NONE),
        ("terms.requirements_first", 0, 0),
        ("terms.requirements_count", 1, words),
        ("terms.requirements_count", 1, NONE),
        ("limits.attribute", 0, attributes),
        ("limits.attribute", 0, A_STRING),
        ("limits.attribute", 0, A_FLAG),
        ("budgets.name", 0, texts),
        ("budgets.measure", 0, attributes),
        ("budgets.measure", 0, A_STRING),
        ("budgets.measure", 0, A_FLAG),
        ("budgets.has_roles", 1, 1),
        ("budgets.first", 0, 0),
        ("budgets.count", 0, words),
        ("lanes.attribute", 6, attributes),
        ("lanes.attribute", 6, A_NUMBER),
        ("lanes.attribute", 6, A_FLAG),
        ("lanes.start", 6, states),
        ("lanes.classes", 6, 1 << 31),
        ("lanes.classes", 6, words),
        ("lanes.first", 6, 0),
        ("groups.first", 6, 0),
        ("states.run.len", 1, 0),
        ("states.run.len", 1, runs + 1),
        ("states.run.at", 1, runs),
        ("states.run.at", 1, runs - 2),
        ("states.run.at", 1, NONE),
        ("states.run.next", 1, states),
        ("states.sparse.count", 0, 0),
        ("states.sparse.count", 0, 9),
        ("states.sparse.first", 0, 0),
        ("states.sparse.otherwise", 0, states),
        ("states.range.low", 11, 255),
        ("states.range.count", 3, 0),
        ("states.range.count", 13, 257),
        ("states.range.count", 3, 65_535),
        ("states.range.first", 3, 0),
        ("states.range.otherwise", 3, states),
        ("states.skip.next", 8, states),
        ("states.emit.next", 7, states),
        ("states.emit.next", 7, 9),
        ("states.emit.next", 7, 7),
        ("states.hop.low", 5, 255),
        ("states.hop.count", 5, 0),
        ("states.hop.count", 5, 65_535),
        ("states.hop.first", 5, 0),
        ("nodes.flag.slot", 5, 64),
        ("nodes.flag.slot", 5, 255),
        ("nodes.bit.lane", 4, 32),
        ("nodes.bit.lane", 4, 255),
        ("nodes.bit.bit", 4, 64),
        ("nodes.range.lane", 1, 32),
        ("nodes.range.lane", 1, 254),
        ("nodes.range.count", 1, 0),
        ("nodes.range.count", 1, words),
        ("nodes.range.count", 1, NONE),
        ("nodes.range.first", 1, 0),
        ("nodes.sorted.lane", 2, 32),
        ("nodes.sorted.lane", 2, 254),
        ("nodes.sorted.count", 2, 0),
        ("nodes.sorted.count", 2, 1),
        ("nodes.sorted.count", 2, 3),
        ("nodes.sorted.first", 2, 0),
        ("nodes.number.bounds", 0, 0),
        ("nodes.number.bounds", 0, 65_535),
        ("nodes.number.first", 0, 0),
    ];
    let edges = [
        ("nodes.flag.unset", 5),
        ("nodes.flag.set", 5),
        ("nodes.bit.unset", 4),
        ("nodes.bit.set", 4),
        ("nodes.range.otherwise", 1),
        ("nodes.sorted.otherwise", 2),
        ("nodes.number.open", 0),
    ];
    for (field, row) in edges {
        all.extend(wrong_edges(past(row)).map(|edge| (field, row, edge)));
    }
    all
}

/// What no edge of that node may be: the node itself or one after it, a rule that is not there, no edge at all.
fn wrong_edges(node: u64) -> [u64; 8] {
    let rules = past(golden::every_row().draft().rules.len());
    [node, node + 1, (1 << 31) - 1, 8 << 28 | 1, 9 << 28 | rules, 10 << 28 | rules, 11 << 28 | rules, 12 << 28]
}

/// What is seen first by another row: one that refers to the broken one, or whose words come after.
fn seen_elsewhere() -> Vec<(&'static str, usize, u64, (Section, u32))> {
    use Section::{Budgets, Groups, Operations, States, Terms};
    vec![
        ("operations.budgets", 0, 0, (Operations, 1)),
        ("terms.limits_count", 2, 2, (Terms, 3)),
        ("terms.requirements_count", 1, 3, (Terms, 2)),
        ("budgets.count", 0, 3, (Budgets, 2)),
        ("lanes.start", 0, 1, (Operations, 0)),
        ("lanes.mode", 2, 0, (Operations, 0)),
        ("lanes.mode", 2, 2, (Operations, 0)),
        ("lanes.direction", 3, 0, (Operations, 1)),
        ("lanes.zero", 3, 1, (Operations, 1)),
        ("lanes.mode", 6, 0, (Groups, 0)),
        ("lanes.classes", 6, 3, (Groups, 0)),
        ("groups.driver", 1, 3, (Operations, 0)),
        ("groups.driver", 1, NONE, (Operations, 0)),
        ("groups.driver", 2, 256, (Operations, 1)),
        ("states.skip.kind", 8, 6, (States, 7)),
    ]
}

fn with(file: &[u8], field: &Field, row: usize, value: u64) -> Vec<u8> {
    let mut changed = file.to_vec();
    let places = field.places(file, row);
    let bytes = value.to_le_bytes();
    let len = places.len().min(bytes.len());
    assert!(bytes[len..].iter().all(|byte| *byte == 0), "{} is too small for {value}", field.path());
    changed[places][..len].copy_from_slice(&bytes[..len]);
    signed(changed)
}

fn section(field: &str) -> Section {
    document::field(field).section().unwrap()
}

fn past(rows: usize) -> u64 {
    u64::try_from(rows).unwrap()
}

fn number(row: usize) -> u32 {
    u32::try_from(row).unwrap()
}

/// Instead of a reference: there is none.
const NONE: u64 = 0xFFFF_FFFF;
/// Attributes of the golden table, by number.
const A_NUMBER: u64 = 0;
const A_FLAG: u64 = 2;
const A_STRING: u64 = 8;
