//! The tables of `tests/golden` against today's reader and writer. `UPDATE_GOLDEN=1` writes them again.

#![cfg(test)]

mod support;

use std::collections::BTreeSet;
use std::{fs, mem};

use support::draft::Draft;
use support::files::{self, Golden};
use support::{blake3, golden};
use table_format::{
    After, AttributeKind, BudgetRoles, Cell, Child, Class, Edge, FORMAT_VERSION, Jump, Node, OpenError, Pin,
    RUN_BYTES_MAX, State, Table, Target, When,
};

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
    assert_eq!(variants(draft.lanes.iter().map(|lane| lane.start.target())), variants_of_targets(Target::Run(0)));
    assert_eq!(variants(draft.states.iter().copied()), variants_of_states(draft.states[0]));
    assert_eq!(variants(draft.cells.iter().copied()), variants_of_cells(Cell::Free));
    assert_eq!(variants(draft.nodes.iter().copied()), variants_of_nodes(draft.nodes[0]));
    assert_eq!(variants(jumps(&draft).map(Jump::target)), variants_of_targets(Target::Run(0)));
    assert_eq!(variants(edges(&draft).map(|edge| edge.child().0)), variants_of_children(Child::Nothing));
    let voices: BTreeSet<u32> = edges(&draft).map(|edge| edge.0 >> 28).collect();
    assert_eq!(voices, [0, 8, 9, 10, 11, 12, 13, 14, 15].into());
    // Runs that stand first, that stand last, and that fill their row.
    let is_beside = |run: &&table_format::Run| usize::from(run.len) < RUN_BYTES_MAX;
    assert!(draft.runs.iter().filter(is_beside).any(|run| run.bytes[0] != 0 && run.bytes[7] == 0));
    assert!(draft.runs.iter().filter(is_beside).any(|run| run.bytes[0] == 0 && run.bytes[7] != 0));
    assert!(draft.runs.iter().any(|run| usize::from(run.len) == RUN_BYTES_MAX));
    for after in [After::Anything, After::SlashOrNothing, After::Nothing] {
        assert!(draft.runs.iter().any(|run| run.after == after), "{after:?}");
    }
    let whens: Vec<When> = draft.groups.iter().map(|group| group.when).collect();
    assert!(whens.contains(&When::ONCE) && whens.contains(&When::found(0)) && whens.contains(&When::each(2)));
    assert!(draft.nodes.iter().any(|node| matches!(node, Node::Range { lane: Node::DRIVER, .. })));
    for (some, none) in [
        (draft.terms.iter().any(|terms| terms.code.is_some()), draft.terms.iter().any(|terms| terms.code.is_none())),
        (
            draft.terms.iter().any(|terms| terms.because.is_some()),
            draft.terms.iter().any(|terms| terms.because.is_none()),
        ),
        (
            draft.operations.iter().any(|row| row.always_asked == 1),
            draft.operations.iter().any(|row| row.always_asked == 0),
        ),
        (
            walks(&draft).any(|[_, _, how, _]| how >> 18 & 1 == 1),
            walks(&draft).any(|[_, _, how, _]| how >> 18 & 1 == 0),
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

/// Every jump of lanes, states, runs and cells.
fn jumps(draft: &Draft) -> impl Iterator<Item = Jump> {
    let states = draft.states.iter().map(|state| match *state {
        State::Skip { next, .. } | State::Emit { next, .. } => next,
        State::Hop { choice, .. } => Target::Choice(choice).into(),
    });
    let cells = draft.cells.iter().map(|cell| match *cell {
        Cell::Head { otherwise: jump, .. } | Cell::Byte { next: jump, .. } => jump,
        Cell::Free => Target::Done(Class(0)).into(),
    });
    states.chain(cells).chain(draft.runs.iter().map(|run| run.next))
}

/// Every edge of groups and nodes that stands in words, and those of nodes that stand in the row.
fn edges(draft: &Draft) -> impl Iterator<Item = Edge> {
    let first = draft.groups.iter().map(|group| usize::try_from(group.first).unwrap()).min().unwrap();
    let last = draft.groups.iter().map(|group| usize::try_from(group.first).unwrap()).max().unwrap();
    let roots = draft.words[first..=last + draft.roles.len()].iter().copied().map(Edge);
    let nodes = draft.nodes.iter().flat_map(|node| match *node {
        Node::Flag { unset, set, .. } | Node::Bit { unset, set, .. } => vec![unset, set],
        Node::Range { children, otherwise, .. } => {
            let words = (children.first..children.first + children.count).map(|word| word_edge(draft, word));
            words.chain([otherwise]).collect()
        }
        Node::Sorted { otherwise, .. } => vec![otherwise],
        Node::Number { first, bounds, open, .. } => {
            let children = first + 2 * u32::from(bounds);
            (children..=children + u32::from(bounds)).map(|word| word_edge(draft, word)).chain([open]).collect()
        }
    });
    roots.chain(nodes)
}

fn word_edge(draft: &Draft, word: u32) -> Edge {
    Edge(draft.words[usize::try_from(word).unwrap()])
}

/// The words of every walk.
fn walks(draft: &Draft) -> impl Iterator<Item = [u32; 4]> {
    draft.operations.iter().flat_map(|operation| {
        let first = usize::try_from(operation.walks).unwrap();
        draft.words[first..].as_chunks().0.iter().copied().take(operation.lanes.into())
    })
}

/// A new kind of state makes this match incomplete.
fn variants_of_states(any: State) -> usize {
    match any {
        State::Skip { .. } | State::Hop { .. } | State::Emit { .. } => 3,
    }
}

fn variants_of_cells(any: Cell) -> usize {
    match any {
        Cell::Head { .. } | Cell::Byte { .. } | Cell::Free => 3,
    }
}

fn variants_of_targets(any: Target) -> usize {
    match any {
        Target::Choice(_) | Target::Run(_) | Target::State(_) | Target::Done(_) => 4,
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
