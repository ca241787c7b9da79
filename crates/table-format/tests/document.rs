//! docs/table-format.md against the code: every number in its tables is measured, not believed.

#![cfg(test)]

mod support;

use std::collections::BTreeSet;

use support::document::{self, Field};
use support::draft::Draft;
use support::{files, golden, spelled};
use table_format::{
    AttributeKind, Child, Edge, FLAGS_MAX, FORMAT_VERSION, HEADER_BYTES, LANES_PER_OPERATION_MAX, LANGUAGE_VERSION,
    ROLES_MAX, RULES_MAX, RUN_BYTES_MAX, SLOTS_MAX, SPARSE_EDGES_MAX, Section, encoded_len,
};

#[test]
fn sections_have_the_names_the_order_and_the_row_sizes_of_the_document() {
    let one_more: [fn(&mut Draft); Section::ALL.len()] = [
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
        |draft| draft.runs.extend_from_within(..1),
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
        ("bits of a lane", u64::from(u64::BITS)),
        ("bytes of a sparse state", u64::from(SPARSE_EDGES_MAX)),
        ("bytes of a run", u64::from(RUN_BYTES_MAX)),
        ("bytes of a text", u64::from(u16::MAX)),
        ("rows of any section", u64::from(u32::MAX)),
    ];
    assert_eq!(document::limits(), expected.map(|(name, most)| (name.to_owned(), most)));
}

#[test]
fn edges_are_those_of_the_document() {
    let leads = |upper: u32| match Edge(upper << 28).child() {
        Some(Child::Node(_)) => "this node, one before the node that says so",
        Some(Child::Nothing) => "no rule of the group",
        Some(Child::Rule(_)) => "this rule if its limits are kept; otherwise its limits have the word",
        Some(Child::Within(_)) => "this rule, whose limits are known to be kept",
        Some(Child::Exceeded(_)) => "this rule, one of whose limits is known to be exceeded",
        None => "refused",
    };
    let said: Vec<(u32, String)> = document::edges();
    assert_eq!(said, (0..16).map(|upper| (upper, leads(upper).to_owned())).collect::<Vec<_>>());
}

/// The rows of each section.
fn counts(draft: &Draft) -> [usize; Section::ALL.len()] {
    [
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
        draft.runs.len(),
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
