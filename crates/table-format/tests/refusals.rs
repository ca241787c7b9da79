//! Each field of each row broken in turn, with the right digest: what is refused, where, and why. A field that
//! this list does not have fails the test.

#![cfg(test)]

mod support;

use std::collections::BTreeSet;

use support::document::{self, Field};
use support::draft::Draft;
use support::{blake3, files, golden, signed, spelled};
use table_format::{Cell, OpenError, Pin, Section, State, Table, Target};

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

/// Bytes that say nothing are zero, each of them, in each row.
#[test]
fn no_byte_that_says_nothing_is_anything_but_zero() {
    let file = files::every_row().bytes;
    let mut seen = BTreeSet::new();
    for rows in spelled::rows(&golden::every_row().draft()) {
        for (row, spelled) in rows.into_iter().enumerate() {
            let zeros = |field: &&Field| field.row == spelled.row && field.name == "zero";
            for field in document::fields().iter().filter(zeros) {
                let section = field.section().unwrap();
                for place in field.places(&file, row) {
                    for value in [1, 128, 255] {
                        let mut changed = file.clone();
                        changed[place] = value;
                        let opened = Table::open(&signed(changed), Pin::Unpinned, blake3).err();
                        let is_refused = match opened {
                            Some(OpenError::Row { section: other, row: seen }) => {
                                (other, seen) == (section, number(row))
                            }
                            // An operation repeats what the rows of its lanes say.
                            Some(OpenError::Reference { section: Section::Operations, .. }) => {
                                section == Section::Lanes
                            }
                            _ => false,
                        };
                        assert!(is_refused, "{} of row {row}: {opened:?}", field.path());
                    }
                }
                seen.insert((field.row.as_str(), field.at));
            }
        }
    }
    let zeros = document::fields().iter().filter(|field| field.name == "zero");
    assert_eq!(seen, zeros.map(|field| (field.row.as_str(), field.at)).collect());
}

#[test]
fn a_head_finds_any_class_at_the_end_of_a_string() {
    let file = files::every_row().bytes;
    for class in [0, 1, 1 << 30, (1 << 31) - 1] {
        let changed =
            with(&file, document::field("cells.head.end"), Places::of_golden().unused_head, (1 << 31) + class);
        assert_eq!(Table::open(&changed, Pin::Unpinned, blake3).err(), None, "{class}");
    }
}

#[test]
fn a_group_that_no_operation_asks_still_names_a_lane_that_one_could_have() {
    let file = files::every_row().bytes;
    for (when, opens) in [(0, true), (31, true), (32, false), (254, false), (255, true), (256, true), (287, true)] {
        let changed = with(&file, document::field("groups.when"), 6, when);
        assert_eq!(Table::open(&changed, Pin::Unpinned, blake3).is_ok(), opens, "{when}");
    }
    for when in [288, 511, 512, NONE] {
        let changed = with(&file, document::field("groups.when"), 6, when);
        assert!(Table::open(&changed, Pin::Unpinned, blake3).is_err(), "{when}");
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
    ("states.skip.end", 2),
    ("states.emit.class", 1),
    ("nodes.range.low", 1),
    // Any byte can be skipped to.
    ("states.skip.stop", 2),
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
    let Places { unused_head, byte, free, .. } = Places::of_golden();
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
        ("states.emit.kind", 1, 3),
        ("states.emit.kind", 3, 255),
        ("states.skip.zero", 2, 1),
        ("states.hop.zero", 0, 1 << 15),
        ("states.emit.zero", 1, 1),
        ("states.emit.zero", 3, 1 << 23),
        ("runs.len", 0, 16),
        ("runs.len", 0, 255),
        ("runs.miss", 0, 3 << 22),
        ("cells.head.end", unused_head, 1 << 30),
        ("cells.head.end", unused_head, (1 << 30) + 1),
        ("cells.head.end", unused_head, (1 << 31) - 1),
        ("cells.byte.choice", byte, 1 << 30),
        ("cells.byte.choice", byte, (1 << 30) + 1),
        ("cells.byte.choice", byte, (1 << 31) - 1),
        ("cells.free.mark", free, (1 << 30) + 1),
        ("cells.free.mark", free, (1 << 31) - 1),
        ("cells.free.zero", free, 1),
        ("cells.free.zero", free, 1 << 31),
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
    let Places { unused_head, hop_head, start_head, byte, free } = Places::of_golden();
    let texts = past(draft.texts.len());
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
        ("operations.complex", 4, 255),
        ("operations.complex", 0, 1),
        ("operations.always_asked", 0, 1),
        ("operations.always_asked", 1, 0),
        ("operations.always_asked", 1, 2),
        ("operations.always_asked", 1, 255),
        ("operations.lanes", 0, 2),
        ("operations.lanes", 0, 33),
        ("operations.groups", 0, 0),
        ("operations.groups", 0, 65_535),
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
        ("lanes.classes", 6, 1 << 31),
        ("lanes.classes", 6, words),
        ("lanes.first", 6, 0),
        ("groups.first", 6, 0),
        // A find after a find.
        ("states.emit.next", 1, (2 << 30) + 1),
        ("states.emit.next", 1, (2 << 30) + 3),
        ("states.emit.next", 3, (2 << 30) + 1),
        ("runs.len", 0, 0),
        ("runs.len", 0, 1),
        ("runs.len", 0, 2),
        ("runs.len", 0, 9),
        ("runs.len", 0, 15),
        // Something has to stand after the bytes, and the walk goes on.
        ("runs.miss", 1, 1 << 22),
        ("runs.miss", 1, 2 << 22),
        ("runs.len", 2, 2),
        ("runs.len", 5, 7),
        ("runs.bytes", 0, u64::from_le_bytes(*b"rc/\0\0\0\0x")),
        ("runs.bytes", 0, u64::from_le_bytes(*b"rc/x\0\0\0\0")),
        ("runs.bytes", 0, u64::from_le_bytes(*b"\0\0\0\0xrc/")),
        ("runs.bytes", 2, u64::from_le_bytes(*b"x\0\0\0\0.rs")),
        ("cells.head.end", unused_head, 0),
        ("cells.head.end", hop_head, 0),
        ("cells.head.end", start_head, 0),
        ("cells.head.otherwise", hop_head, 0),
        ("cells.head.end", unused_head, past(unused_head) + 1),
        ("cells.byte.choice", byte, 0),
        ("cells.byte.choice", byte, past(byte)),
        ("cells.byte.choice", byte, past(byte) + 1),
        ("cells.byte.choice", byte, past(unused_head) + 2),
        ("cells.byte.choice", byte, (1 << 30) - 1),
        ("cells.free.mark", free, 0),
        ("cells.free.mark", free, 1 << 31),
        ("nodes.flag.slot", 5, 64),
        ("nodes.flag.slot", 5, 255),
        ("nodes.bit.lane", 4, 32),
        ("nodes.bit.lane", 4, 255),
        ("nodes.bit.bit", 4, 32),
        ("nodes.bit.bit", 4, 63),
        ("nodes.bit.bit", 4, 255),
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
        all.extend(wrong_edges(past(row)).into_iter().map(|edge| (field, row, edge)));
    }
    let jumps = [
        ("lanes.start", 6),
        ("states.skip.next", 2),
        ("states.emit.next", 1),
        ("runs.next", 0),
        ("runs.next", 5),
        ("cells.head.otherwise", unused_head),
        ("cells.byte.next", byte),
    ];
    for (field, row) in jumps {
        all.extend(wrong_jumps(&draft).map(|jump| (field, row, jump)));
    }
    all
}

/// What no jump may be: to a cell that is no choice's or not there, to a run or a state that is not there.
fn wrong_jumps(draft: &Draft) -> [u64; 9] {
    let (cells, runs, states) = (past(draft.cells.len()), past(draft.runs.len()), past(draft.states.len()));
    let Places { free, .. } = Places::of_golden();
    let run = 1 << 30;
    let state = 2 << 30;
    [0, past(free) + 1, cells + 1, run - 1, run + runs, state - 1, state + states, state + states + 1, state + run - 1]
}

/// What no edge of that node may be: the node itself or one after it, a rule that is not there or does something
/// else, no edge at all.
fn wrong_edges(node: u64) -> Vec<u64> {
    let draft = golden::every_row().draft();
    let rules = past(draft.rules.len());
    let (denies, asks, allows) = (0, 1, 2);
    let mut wrong = vec![node, node + 1, (1 << 31) - 1, 15 << 28, (15 << 28) + 1, NONE - 1];
    for code in 8..15 {
        wrong.extend([(code << 28) + rules, (code << 28) + (1 << 28) - 1]);
    }
    wrong.extend([(8 << 28) + asks, (8 << 28) + allows]);
    for code in [9, 10, 13] {
        wrong.extend([(code << 28) + denies, (code << 28) + allows]);
    }
    for code in [11, 12, 14] {
        wrong.extend([(code << 28) + denies, (code << 28) + asks]);
    }
    wrong
}

/// What is seen first by another row: one that refers to the broken one, or whose words come after.
fn seen_elsewhere() -> Vec<(&'static str, usize, u64, (Section, u32))> {
    use Section::{Budgets, Groups, Nodes, Operations, States, Terms};
    let Places { hop_head, start_head, .. } = Places::of_golden();
    let done = 3 << 30;
    vec![
        ("operations.budgets", 0, 0, (Operations, 1)),
        ("operations.groups", 0, 1, (Operations, 1)),
        ("rules.terms", 0, 2, (Nodes, 3)),
        ("rules.terms", 5, 0, (Groups, 4)),
        ("terms.effect", 0, 1, (Nodes, 3)),
        ("terms.effect", 0, 2, (Nodes, 3)),
        ("terms.effect", 1, 0, (Groups, 6)),
        ("terms.effect", 5, 0, (Groups, 4)),
        ("terms.limits_count", 2, 2, (Terms, 3)),
        ("terms.requirements_count", 1, 3, (Terms, 2)),
        ("budgets.count", 0, 3, (Budgets, 2)),
        ("lanes.start", 0, 1 << 30, (Operations, 0)),
        ("lanes.start", 2, 1, (Operations, 0)),
        ("lanes.mode", 2, 0, (Operations, 0)),
        ("lanes.mode", 2, 2, (Operations, 0)),
        ("lanes.direction", 2, 1, (Operations, 0)),
        ("lanes.direction", 3, 0, (Operations, 1)),
        ("lanes.zero", 3, 1, (Operations, 1)),
        ("lanes.mode", 6, 0, (Groups, 0)),
        ("lanes.classes", 6, 3, (Groups, 0)),
        ("groups.when", 0, 1, (Operations, 0)),
        ("groups.when", 0, 255, (Operations, 0)),
        ("groups.when", 1, 257, (Operations, 0)),
        ("groups.when", 1, 2, (Operations, 0)),
        ("groups.when", 2, 0, (Operations, 1)),
        ("groups.when", 2, NONE, (Operations, 1)),
        ("groups.first", 1, 0, (Operations, 0)),
        ("states.skip.kind", 2, 3, (States, 1)),
        ("states.skip.kind", 2, 2, (States, 1)),
        ("states.hop.kind", 0, 0, (Operations, 0)),
        ("states.hop.kind", 0, 3, (Operations, 0)),
        ("states.hop.stop", 0, 0, (Operations, 0)),
        ("states.hop.choice", 0, 0, (Operations, 0)),
        ("states.hop.choice", 0, past(start_head) + 1, (Operations, 0)),
        ("cells.head.end", hop_head, (1 << 31) + 1, (Operations, 0)),
        ("cells.head.otherwise", hop_head, done + 1, (States, 0)),
    ]
}

/// Cells of the golden table.
struct Places {
    /// The head of the choice that nobody leads to.
    unused_head: usize,
    /// The head of the choice of the only hop.
    hop_head: usize,
    /// The head of the choice at which the first lane starts.
    start_head: usize,
    /// A byte of the choice that nobody leads to.
    byte: usize,
    free: usize,
}

impl Places {
    fn of_golden() -> Self {
        let draft = golden::every_row().draft();
        let head = |choice: u32| usize::try_from(choice).unwrap() - 1;
        let is_x = |place: usize, cell: &Cell| match cell {
            Cell::Byte { choice, .. } => place == head(*choice) + 1 + usize::from(b'x'),
            Cell::Head { .. } | Cell::Free => false,
        };
        let byte = (0..).zip(&draft.cells).position(|(place, cell)| is_x(place, cell)).unwrap();
        let free = draft.cells.iter().position(|cell| *cell == Cell::Free).unwrap();
        let Some(State::Hop { choice: hop, .. }) = draft.states.first() else { panic!("starts with a hop") };
        let Target::Choice(start) = draft.lanes[0].start.target() else { panic!("starts with a choice") };
        let (hop_head, start_head) = (head(*hop), head(start));
        Self { unused_head: byte - 1 - usize::from(b'x'), hop_head, start_head, byte, free }
    }
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
