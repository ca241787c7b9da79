//! The tables of `tests/golden` against today's reader and writer. `UPDATE_GOLDEN=1` writes them again.

#![cfg(test)]

mod support;

use std::collections::BTreeSet;
use std::{fs, mem};

use support::draft::Draft;
use support::files::{self, Golden};
use support::{blake3, golden};
use table_format::{AttributeKind, BudgetRoles, Child, Edge, FORMAT_VERSION, Node, OpenError, Pin, State, Table};

#[test]
fn todays_writer_gives_the_golden_bytes_and_digests() {
    for (Golden { name, bytes, pinned }, (_, sketch)) in files::all().into_iter().zip(golden::all()) {
        let written = sketch.draft().write(blake3);
        assert_eq!(written.outcome, Ok(pinned), "{name}");
        let differs = written.bytes.iter().zip(&bytes).position(|(one, other)| one != other);
        assert!(written.bytes == bytes, "{name}: first difference at byte {differs:?}; if it is meant, {COMMAND}");
    }
}

#[test]
fn golden_tables_open_by_their_pins_and_say_what_was_written() {
    for (Golden { name, bytes, pinned }, (_, sketch)) in files::all().into_iter().zip(golden::all()) {
        let table = Table::open(&bytes, Pin::Exactly(pinned), blake3).unwrap();
        assert_eq!(Draft::read(&table), sketch.draft(), "{name}");
        assert_eq!(table.digest(), pinned, "{name}");
        assert_eq!(table.name(), sketch.name, "{name}");
    }
}

#[test]
fn every_kind_of_everything_is_in_the_golden_table() {
    let draft = golden::every_row().draft();
    let kinds: BTreeSet<AttributeKind> = draft.attributes.iter().map(|attribute| attribute.kind).collect();
    assert_eq!(kinds.len(), AttributeKind::ALL.len());
    assert_eq!(draft.attributes.iter().map(|attribute| attribute.known_later).collect::<BTreeSet<_>>().len(), 2);
    assert_eq!(variants(draft.terms.iter().map(|terms| terms.effect)), 3);
    assert_eq!(variants(draft.budgets.iter().map(|budget| budget.period)), 4);
    assert_eq!(variants(draft.budgets.iter().map(|budget| budget.measure)), 2);
    assert_eq!(variants(draft.budgets.iter().map(|budget| budget.roles)), 2);
    assert!(draft.budgets.iter().any(|budget| matches!(budget.roles, BudgetRoles::Roles(span) if span.count > 1)));
    assert_eq!(variants(draft.lanes.iter().map(|lane| lane.mode)), 2);
    assert_eq!(variants(draft.lanes.iter().map(|lane| lane.direction)), 2);
    assert_eq!(variants(draft.lanes.iter().map(|lane| lane.start)), 2);
    assert_eq!(variants(draft.states.iter().copied()), variants_of_states(draft.states[0]));
    assert_eq!(variants(draft.nodes.iter().copied()), variants_of_nodes(draft.nodes[0]));
    let edges = draft.words.iter().filter_map(|word| Edge(*word).child());
    assert_eq!(variants(edges), variants_of_children(Child::Nothing));
    assert!(draft.words.contains(&State::HOP_ON));
    assert!(draft.nodes.iter().any(|node| matches!(node, Node::Range { lane: Node::DRIVER, .. })));
    for (some, none) in [
        (draft.terms.iter().any(|terms| terms.code.is_some()), draft.terms.iter().any(|terms| terms.code.is_none())),
        (
            draft.terms.iter().any(|terms| terms.because.is_some()),
            draft.terms.iter().any(|terms| terms.because.is_none()),
        ),
        (
            draft.groups.iter().any(|group| group.driver.is_some()),
            draft.groups.iter().any(|group| group.driver.is_none()),
        ),
        (draft.operations.iter().any(|row| row.complex > 0), draft.operations.iter().any(|row| row.complex == 0)),
    ] {
        assert!(some && none);
    }
}

#[test]
fn tables_of_other_versions_are_refused() {
    let mut current = Vec::new();
    for (version, path) in files::of_all_versions() {
        let bytes = fs::read(&path).unwrap();
        let error = Table::open(&bytes, Pin::Unpinned, blake3).err();
        let expected = (version != FORMAT_VERSION).then_some(OpenError::FormatVersion { found: version });
        assert_eq!(error, expected, "{}", path.display());
        if version == FORMAT_VERSION {
            current.push(path.file_name().unwrap().to_str().unwrap().to_owned());
        }
    }
    current.sort();
    assert_eq!(current, golden::all().into_iter().map(|(name, _)| name).collect::<Vec<_>>());
}

fn variants<T>(values: impl Iterator<Item = T>) -> usize {
    let mut seen = Vec::new();
    for value in values {
        let variant = mem::discriminant(&value);
        if !seen.contains(&variant) {
            seen.push(variant);
        }
    }
    seen.len()
}

/// A new kind of state makes this match incomplete.
fn variants_of_states(any: State) -> usize {
    match any {
        State::Run { .. }
        | State::Sparse { .. }
        | State::Range { .. }
        | State::Skip { .. }
        | State::Hop { .. }
        | State::Emit { .. } => 6,
    }
}

fn variants_of_nodes(any: Node) -> usize {
    match any {
        Node::Flag { .. } | Node::Bit { .. } | Node::Range { .. } | Node::Sorted { .. } | Node::Number { .. } => 5,
    }
}

fn variants_of_children(any: Child) -> usize {
    match any {
        Child::Node(_) | Child::Nothing | Child::Rule(_) | Child::Within(_) | Child::Exceeded(_) => 5,
    }
}

const COMMAND: &str = "UPDATE_GOLDEN=1 cargo test -p table-format --test golden_files";
