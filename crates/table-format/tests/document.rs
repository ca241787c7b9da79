//! docs/table-format.md against the code: every number in its tables is measured, not believed.

#![cfg(test)]

mod support;

use std::collections::BTreeSet;

use support::document::{self, Field};
use support::draft::Draft;
use support::{files, golden, spelled};
use table_format::{
    AttributeKind, Cell, Child, Class, Direction, Edge, Effect, FLAGS_MAX, FORMAT_VERSION, HEADER_BYTES, JUMPS_MAX,
    Jump, LANES_PER_OPERATION_MAX, LANGUAGE_VERSION, Lane, LaneMode, ROLES_MAX, RULES_MAX, RUN_BYTES_MAX, SLOTS_MAX,
    Section, Sieve, Target, When, encoded_len, walk_words,
};

#[test]
fn sections_have_the_names_the_order_and_the_row_sizes_of_the_document() {
    let one_more: [fn(&mut Draft); Section::ALL.len()] = [
        |draft| draft.runs.extend_from_within(..1),
        |draft| draft.cells.extend_from_within(..1),
        |draft| draft.roles.extend_from_within(..1),
        |draft| draft.attributes.extend_from_within(..1),
        |draft| draft.operations.extend_from_within(..1),
        |draft| draft.rules.extend_from_within(..1),
        |draft| draft.terms.extend_from_within(..1),
        |draft| draft.limits.extend_from_within(..1),
        |draft| draft.budgets.extend_from_within(..1),
        |draft| draft.lanes.extend_from_within(..1),
        |draft| draft.groups.extend_from_within(..1),
        |draft| draft.states.extend_from_within(..1),
        |draft| draft.nodes.extend_from_within(..1),
        |draft| draft.words.extend_from_within(..1),
        |draft| draft.texts.extend_from_within(..1),
    ];
    let draft = golden::every_row().draft();
    let bytes = |draft: &Draft| encoded_len(&draft.parts()).unwrap();
    let mut measured = Vec::new();
    for (section, one_more) in Section::ALL.into_iter().zip(one_more) {
        let mut longer = draft.clone();
        one_more(&mut longer);
        measured.push((section.name().to_owned(), bytes(&longer) - bytes(&draft)));
    }
    assert_eq!(document::sections(), measured);
}

#[test]
fn the_drawing_in_the_crate_is_that_of_the_document() {
    let source = include_str!("../src/lib.rs");
    let drawing =
        source.lines().skip_while(|line| *line != "//! ```text").skip(1).take_while(|line| *line != "//! ```");
    let drawing: Vec<&str> = drawing.map(|line| line.trim_start_matches("//!").trim_start_matches(" byte")).collect();
    let (head, rows) = drawing.split_at(drawing.iter().position(|line| line.contains("-----")).unwrap());
    let rows = rows.iter().skip(1).map(|line| {
        let words: Vec<&str> = line.split_whitespace().collect();
        (words[0].to_owned(), words.last().unwrap().parse().unwrap())
    });
    assert_eq!(document::sections(), rows.collect::<Vec<(String, usize)>>());
    let head = head.iter().map(|line| {
        let columns: Vec<&str> = line.split("  ").map(str::trim).filter(|column| !column.is_empty()).collect();
        let bytes = columns[2].split(" x ").map(|number| number.parse::<usize>().unwrap()).product();
        (columns[0].parse().unwrap(), columns[1].replace(' ', "_"), bytes)
    });
    let fields = document::fields().iter().filter(|field| field.row == "header");
    let fields = fields.map(|field| (field.at, field.name.clone(), field.bytes));
    assert_eq!(head.collect::<Vec<(usize, String, usize)>>(), fields.collect::<Vec<_>>());
}

#[test]
fn the_header_has_the_fields_of_the_document() {
    let fields: Vec<&Field> = document::fields().iter().filter(|field| field.row == "header").collect();
    assert_eq!(fields.iter().map(|field| field.bytes).sum::<usize>(), HEADER_BYTES);
    assert!(document::text().contains(&format!("\n      {HEADER_BYTES} bytes  ")));
    assert!(document::text().starts_with(&format!("# The frozen table, version {FORMAT_VERSION}\n")));
    for golden in files::all() {
        let field = |name: &str| &golden.bytes[document::header(name).places(&golden.bytes, 0)];
        let draft = draft_of(golden.name);
        assert_eq!(field("magic"), b"INTRDCT\0");
        assert_eq!(field("format_version"), FORMAT_VERSION.to_le_bytes());
        assert_eq!(field("language_version"), LANGUAGE_VERSION.to_le_bytes());
        assert_eq!(field("digest"), golden.pinned.0);
        assert_eq!(field("sources"), draft.sources.0);
        assert_eq!(field("name"), draft.name.0.to_le_bytes());
        let counts: Vec<u8> =
            counts(&draft).iter().flat_map(|rows| u32::try_from(*rows).unwrap().to_le_bytes()).collect();
        assert_eq!(field("counts"), counts);
    }
    assert_eq!(document::header("format_version").says.split(',').next(), Some(FORMAT_VERSION.to_string().as_str()));
    assert_eq!(
        document::header("language_version").says.split(':').next(),
        Some(LANGUAGE_VERSION.to_string().as_str())
    );
}

#[test]
fn fields_of_a_row_follow_each_other_and_fill_it() {
    let rows: BTreeSet<&str> = document::fields().iter().map(|field| field.row.as_str()).collect();
    for row in rows {
        let fields: Vec<&Field> = document::fields().iter().filter(|field| field.row == row).collect();
        let mut at = 0;
        for field in &fields {
            assert_eq!(field.at, at, "{}", field.path());
            at += field.bytes;
        }
        if let Some(section) = fields[0].section() {
            assert_eq!(at, document::row_bytes(section), "{row}");
        }
    }
}

#[test]
fn every_field_of_every_row_stands_where_the_document_says() {
    let file = files::every_row().bytes;
    let mut seen = BTreeSet::new();
    for rows in spelled::rows(&golden::every_row().draft()) {
        for (row, spelled) in rows.into_iter().enumerate() {
            for field in document::fields().iter().filter(|field| field.row == spelled.row) {
                let bytes = &file[field.places(&file, row)];
                let expected = spelled.fields.iter().find(|(name, _)| *name == field.name).map(|(_, value)| *value);
                match expected {
                    Some(value) => assert_eq!(little_endian(bytes), value, "{} of row {row}", field.path()),
                    None => assert!(field.name == "zero" && bytes.iter().all(|byte| *byte == 0), "{}", field.path()),
                }
                seen.insert(field.path());
            }
            for (name, _) in spelled.fields {
                document::field(&format!("{}.{name}", spelled.row));
            }
        }
    }
    let of_rows = document::fields().iter().filter(|field| field.row != "header").map(Field::path);
    assert_eq!(seen, of_rows.collect());
}

#[test]
fn kinds_have_the_numbers_of_the_document() {
    for field in document::fields().iter().filter(|field| field.name == "kind" && field.row.contains('.')) {
        let rows = spelled::rows(&golden::every_row().draft());
        let row = rows.into_iter().flatten().find(|row| row.row == field.row).unwrap();
        assert_eq!(field.says, row.fields[0].1.to_string(), "{}", field.path());
    }
    let names: Vec<String> = AttributeKind::ALL.iter().map(|kind| format!("{kind:?}").to_lowercase()).collect();
    let numbered: Vec<String> = names.iter().enumerate().map(|(number, name)| format!("{number} {name}")).collect();
    assert_eq!(document::field("attributes.kind").says, numbered.join(", "));
}

#[test]
fn limits_are_those_of_the_document() {
    let expected = [
        ("roles", u64::from(ROLES_MAX)),
        ("rules", u64::from(RULES_MAX)),
        ("strings of an operation", u64::from(SLOTS_MAX)),
        ("numbers of an operation", u64::from(SLOTS_MAX)),
        ("flags of an operation", u64::from(FLAGS_MAX)),
        ("lanes of an operation", u64::try_from(LANES_PER_OPERATION_MAX).unwrap()),
        ("bits of a lane", u64::from(u32::BITS)),
        ("bytes of a run", u64::try_from(RUN_BYTES_MAX).unwrap()),
        ("states", u64::from(JUMPS_MAX)),
        ("runs", u64::from(JUMPS_MAX)),
        ("cells", u64::from(JUMPS_MAX)),
        ("bytes of a text", u64::from(u16::MAX)),
        ("rows of any section", u64::from(u32::MAX)),
    ];
    assert_eq!(document::limits(), expected.map(|(name, most)| (name.to_owned(), most)));
}

#[test]
fn edges_are_those_of_the_document() {
    use Effect::{Allow, Ask, Deny};
    let leads = |upper: u32| match Edge(upper << 28).child() {
        (Child::Node(_), None) => "this node, one before the node that says so",
        (Child::Within(_), Some(Deny)) => "this rule, which denies",
        (Child::Within(_), Some(Ask)) => "this rule, which asks, and whose limits are known to be kept",
        (Child::Exceeded(_), Some(Ask)) => "this rule, which asks, and one of whose limits is known to be exceeded",
        (Child::Within(_), Some(Allow)) => "this rule, which allows, and whose limits are known to be kept",
        (Child::Exceeded(_), Some(Allow)) => "this rule, which allows, and one of whose limits is known to be exceeded",
        (Child::Rule(_), Some(Ask)) => {
            "this rule, which asks if its limits are kept; otherwise its limits have the word"
        }
        (Child::Rule(_), Some(Allow)) => {
            "this rule, which allows if its limits are kept; otherwise its limits have the word"
        }
        (Child::Nothing, None) => "no rule of the group",
        other => panic!("{upper} leads to {other:?}"),
    };
    assert_eq!(document::edges(), (0..16).map(|upper| (upper, leads(upper).to_owned())).collect::<Vec<_>>());
}

#[test]
fn jumps_are_those_of_the_document() {
    let leads = |upper: u32| match Jump(upper << 30 | 7).target() {
        Target::Choice(7) => "this choice",
        Target::Run(7) => "this run",
        Target::State(7) => "this state",
        Target::Done(Class(7)) => "the end of the walk, which has found this class",
        other => panic!("{upper} leads to {other:?}"),
    };
    assert_eq!(document::jumps(), (0..4).map(|upper| (upper, leads(upper).to_owned())).collect::<Vec<_>>());
}

#[test]
fn groups_are_asked_when_the_document_says() {
    let lanes = u8::try_from(LANES_PER_OPERATION_MAX).unwrap();
    let found = (0..lanes).map(When::found).map(|when| (when.0, FOUND));
    let each = (0..lanes).map(When::each).map(|when| (when.0, EACH));
    let expected = found.chain([(When::ONCE.0, ONCE)]).chain(each);
    assert_eq!(document::whens(), expected.map(|(when, asked)| (when, asked.to_owned())).collect::<Vec<_>>());
    const FOUND: &str = "once, after all walks, if this lane of the operation has found something";
    const ONCE: &str = "once, after all walks";
    const EACH: &str = "for each class that this lane of the operation finds";
}

#[test]
fn lanes_are_walked_as_the_document_says() {
    let plain = Lane {
        attribute: 3,
        start: Jump(5),
        mode: LaneMode::Classify,
        direction: Direction::Forward,
        classes: 1,
        first: 0,
    };
    let scans = Lane { mode: LaneMode::Scan, ..plain };
    let backward = Lane { direction: Direction::Backward, ..plain };
    let none = Sieve { stop: 0, choice: 9 };
    assert_eq!(walk_words(8, &plain, 0, None), [8, 5, 0, 0]);
    assert_eq!(walk_words(8, &plain, 0, Some(none)), [8, 5, 1 << 18, 9]);
    let how = |lane: &Lane, string: u16, sieve: Option<Sieve>| walk_words(8, lane, string, sieve)[2];
    let stops = how(&plain, 0, Some(Sieve { stop: u8::MAX, ..none })) ^ how(&plain, 0, Some(none));
    let bits = [
        (how(&plain, u16::MAX, None), "over this one of the operation's strings"),
        (how(&scans, 0, None), "it scans"),
        (how(&backward, 0, None), "it reads from the last byte"),
        (how(&plain, 0, Some(none)), "it has a sieve"),
        (stops, "the byte that ends a segment for the sieve, or zero"),
    ];
    let said = |bit: u32| bits.iter().find(|(bits, _)| bits >> bit & 1 == 1).map_or("zero", |(_, said)| said);
    assert_eq!(document::walk_bits(), (0..32).map(|bit| (bit, said(bit).to_owned())).collect::<Vec<_>>());
}

#[test]
fn cells_are_told_apart_as_the_document_says() {
    let first = |name: &str| {
        let rows = spelled::rows(&golden::every_row().draft()).into_iter().flatten();
        rows.filter(|row| row.row == name).map(|row| row.fields[0].1).collect::<Vec<_>>()
    };
    assert!(
        document::text().contains("from 2^31 on a head, below 2^30 a byte, 2^30 a free cell. Nothing else is a cell.")
    );
    assert!(first("cells.head").iter().all(|word| *word >= 1 << 31));
    assert!(first("cells.byte").iter().all(|word| *word < 1 << 30));
    assert!(first("cells.free").iter().all(|word| *word == 1 << 30));
    assert_eq!(document::field("cells.free.mark").says, "2^30");
}

#[test]
fn cells_of_the_example_are_those_of_the_golden_table() {
    let (cells, text) = (golden::every_row().draft().cells, document::text());
    let named =
        |rest: &str, after: &str| rest.split_once(after).map(|(number, rest)| (number.to_owned(), rest.to_owned()));
    let mut seen = Vec::new();
    for rest in text.split(" cell ").skip(1) {
        let Some((Ok(cell), rest)) = named(rest, " of choice ").map(|(cell, rest)| (cell.parse::<usize>(), rest))
        else {
            continue;
        };
        let choice = rest.split(|c: char| !c.is_ascii_digit()).next().unwrap().parse().unwrap();
        assert!(
            matches!(cells[cell], Cell::Byte { choice: own, .. } if own == choice),
            "cell {cell} of choice {choice}"
        );
        seen.push(char::from(u8::try_from(cell - usize::try_from(choice).unwrap()).unwrap()));
    }
    assert_eq!(seen, ['s', '.', 'e']);
}

/// The rows of each section.
fn counts(draft: &Draft) -> [usize; Section::ALL.len()] {
    [
        draft.runs.len(),
        draft.cells.len(),
        draft.roles.len(),
        draft.attributes.len(),
        draft.operations.len(),
        draft.rules.len(),
        draft.terms.len(),
        draft.limits.len(),
        draft.budgets.len(),
        draft.lanes.len(),
        draft.groups.len(),
        draft.states.len(),
        draft.nodes.len(),
        draft.words.len(),
        draft.texts.len(),
    ]
}

fn draft_of(name: &str) -> Draft {
    golden::all().into_iter().find(|(other, _)| *other == name).unwrap().1.draft()
}

fn little_endian(bytes: &[u8]) -> u64 {
    let mut eight = [0; 8];
    eight[..bytes.len()].copy_from_slice(bytes);
    u64::from_le_bytes(eight)
}
