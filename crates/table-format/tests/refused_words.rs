//! Words and texts broken in turn, with the right digest: each list of each kind of row, and what an opening
//! says to an entry that is wrong.

#![cfg(test)]

mod support;

use std::collections::BTreeSet;

use support::draft::Draft;
use support::{blake3, golden};
use table_format::{Ask, Node, OpenError, Section, Table, WALK_WORDS, WriteError};

/// A list of a row of the golden table, one of its words, another value, and which row is to blame.
struct Broken {
    list: &'static str,
    first: u32,
    place: u32,
    value: u32,
    error: OpenError,
}

#[test]
fn a_broken_word_is_refused_with_the_row_that_owns_it() {
    let draft = golden::every_row().draft();
    for Broken { list, first, place, value, error } in broken(&draft) {
        let mut changed = draft.clone();
        changed.words[usize::try_from(first + place).unwrap()] = value;
        assert_eq!(refusal(&changed), Some(error), "{list}, word {place} as {value:#x}");
    }
}

#[test]
fn every_word_of_the_golden_table_can_be_broken_or_belongs_to_a_list_that_may_hold_anything() {
    let draft = golden::every_row().draft();
    let mut left: BTreeSet<u32> = (0..u32::try_from(draft.words.len()).unwrap()).collect();
    for word in left.clone() {
        for value in [u32::MAX - 1, 7 << 28, 12 << 28] {
            let mut changed = draft.clone();
            changed.words[usize::try_from(word).unwrap()] = value;
            if refusal(&changed).is_some() {
                left.remove(&word);
            }
        }
    }
    // Bits that a lane collects.
    let lanes = draft.lanes.iter().filter(|lane| lane.mode == table_format::LaneMode::Scan);
    let mut any: BTreeSet<u32> = lanes.flat_map(|lane| lane.first..lane.first + lane.classes).collect();
    for node in &draft.nodes {
        match *node {
            // The last of its kind has no other to be in order with.
            Node::Sorted { pairs, .. } => any.extend([pairs.first + pairs.count - 2]),
            Node::Number { first, bounds, .. } => {
                any.extend([first + 2 * u32::from(bounds) - 2, first + 2 * u32::from(bounds) - 1]);
            }
            Node::Flag { .. } | Node::Bit { .. } | Node::Range { .. } => {}
        }
    }
    assert!(left.is_subset(&any), "{:?}", left.difference(&any));
}

#[test]
fn whatever_bit_differs_in_what_operations_repeat_is_refused() {
    let draft = golden::every_row().draft();
    for (row, operation) in (0..).zip(&draft.operations) {
        let walks = usize::from(operation.lanes) * WALK_WORDS;
        let asks = usize::from(operation.groups) * Ask::WORDS;
        let places = [(operation.walks, walks, WALK_WORDS), (operation.group_list, asks, Ask::WORDS)];
        for (first, count, each) in places {
            for place in 0..count {
                for bit in 0..u32::BITS {
                    let mut changed = draft.clone();
                    let word = &mut changed.words[usize::try_from(first).unwrap() + place];
                    *word ^= 1 << bit;
                    // Over which string a lane is walked is said only here.
                    let is_another_string = (each, place % each) == (WALK_WORDS, 2)
                        && bit < 16
                        && *word & 0xFFFF < u32::from(operation.strings);
                    let error = OpenError::Reference { section: Section::Operations, row };
                    let expected = (!is_another_string).then_some(error);
                    assert_eq!(refusal(&changed), expected, "operation {row}, {each}, word {place}, bit {bit}");
                }
            }
        }
    }
}

#[test]
fn a_text_that_leaves_its_section_or_is_no_text_is_refused() {
    let draft = golden::every_row().draft();
    let last = draft.texts.len() - "calls".len() - 2;
    assert_eq!(draft.texts[last..], *b"\x05\0calls");
    let budget = |row| Some(OpenError::Reference { section: Section::Budgets, row });
    for (place, byte, refused) in [
        (last, 5, None),
        (last, 4, None),
        (last, 6, budget(3)),
        (last, 255, budget(3)),
        (last + 1, 1, budget(3)),
        (last + 1, 255, budget(3)),
        (last + 2, 0x80, budget(3)),
        (last + 6, 0xC3, budget(3)),
        (last + 6, b'~', None),
    ] {
        let mut changed = draft.clone();
        changed.texts[place] = byte;
        assert_eq!(refusal(&changed), refused, "byte {place} as {byte:#x}");
    }
}

fn broken(draft: &Draft) -> Vec<Broken> {
    let past = |rows: usize| u32::try_from(rows).unwrap();
    let mut all = Vec::new();
    let mut add = |list, first, (section, row), words: &[(u32, u32)]| {
        let error = OpenError::Reference { section, row };
        all.extend(words.iter().map(|(place, value)| Broken { list, first, place: *place, value: *value, error }));
    };
    let (attributes, lanes, groups) = (past(draft.attributes.len()), past(draft.lanes.len()), past(draft.groups.len()));
    let (budgets, roles) = (past(draft.budgets.len()), past(draft.roles.len()));
    let (texts, a_number, a_string, a_flag) = (past(draft.texts.len()), 0, 8, 2);

    let shell = draft.operations[4];
    let operation = (Section::Operations, 4);
    add("strings", shell.first, operation, &[(0, attributes), (0, a_number), (0, a_flag), (0, u32::MAX)]);
    add("numbers", shell.first, operation, &[(1, attributes), (1, a_string), (2, a_flag)]);
    add("flags", shell.first, operation, &[(3, attributes), (3, a_string), (3, a_number)]);
    let start_of_another = draft.lanes[0].start.0;
    // The lane, its start, how it is walked, and the choice of its sieve.
    let walk = [(0, lanes), (0, 0), (0, u32::MAX), (1, start_of_another), (1, 0), (1, u32::MAX), (2, 1), (2, 65_535)];
    add("walks", shell.walks, operation, &walk);
    add("walks", shell.walks, operation, &[16, 17, 18, 19, 23, 24, 31].map(|bit| (2, 1 << bit)));
    add("walks", shell.walks, operation, &[(3, 1), (3, u32::MAX)]);
    let file = draft.operations[0];
    let sieved = file.walks + 8;
    let [lane, start, how, choice] = [0, 1, 2, 3].map(|place| draft.words[usize::try_from(sieved + place).unwrap()]);
    assert_eq!([lane, start, how], [2, 2 << 30, 1 << 16 | 1 << 18 | u32::from(b'/') << 24]);
    add("sieves", sieved, (Section::Operations, 0), &[(2, how & !(1 << 18)), (2, 1 << 16), (2, how ^ 1 << 24)]);
    add("sieves", sieved, (Section::Operations, 0), &[(3, 0), (3, choice - 1), (3, choice + 1)]);
    let for_finds = 1;
    let of_finds = draft.groups[1];
    add("groups", shell.group_list, operation, &[(0, groups), (0, for_finds), (0, 2), (0, u32::MAX)]);
    add("groups", shell.group_list, operation, &[(1, 0), (1, 254), (1, 256), (1, of_finds.when.0), (1, u32::MAX)]);
    add("groups", shell.group_list, operation, &[(2, 0), (2, of_finds.first), (2, u32::MAX)]);
    let asked_once = 0;
    add("groups", file.group_list, (Section::Operations, 0), &[(3, groups), (3, asked_once), (0, for_finds)]);
    add("groups", file.group_list, (Section::Operations, 0), &[(4, 2), (4, 255), (5, 0)]);
    add("budgets", file.group_list, (Section::Operations, 0), &[(6, budgets), (6, u32::MAX)]);

    add(
        "requirements",
        draft.terms[1].requirements.first,
        (Section::Terms, 1),
        &[(0, texts), (1, texts - 1), (1, u32::MAX)],
    );
    let table_format::BudgetRoles::Roles(payers) = draft.budgets[0].roles else { panic!("has roles") };
    add("payers", payers.first, (Section::Budgets, 0), &[(0, roles), (1, roles), (1, u32::MAX)]);

    let rules = past(draft.rules.len());
    let nodes = past(draft.nodes.len());
    // Rules that are not there, and rules 0, 1 and 2, which deny, ask and allow, as something else.
    let missing = (8..15).map(|code| code << 28 | rules);
    let others = [8 << 28 | 1, 9 << 28 | 2, 10 << 28, 11 << 28 | 1, 12 << 28, 13 << 28 | 2, 14 << 28 | 1];
    let wrong: Vec<u32> = missing.chain(others).chain([nodes, 15 << 28, 15 << 28 | 1, u32::MAX - 1]).collect();
    for place in 0..=roles {
        let words: Vec<_> = wrong.iter().map(|edge| (place, *edge)).collect();
        add("roots", draft.groups[0].first, (Section::Groups, 0), &words);
    }
    for (row, node) in (0..).zip(&draft.nodes) {
        let edges = || wrong.iter().copied().chain([row, row + 1]);
        let node_row = (Section::Nodes, row);
        match *node {
            Node::Range { children, .. } => {
                let words: Vec<_> =
                    (0..children.count).flat_map(|child| edges().map(move |edge| (child, edge))).collect();
                add("range", children.first, node_row, &words);
            }
            Node::Sorted { pairs, .. } => {
                let words: Vec<_> =
                    (0..pairs.count / 2).flat_map(|pair| edges().map(move |edge| (2 * pair + 1, edge))).collect();
                add("sorted", pairs.first, node_row, &words);
            }
            Node::Number { first, bounds, .. } => {
                let children = 0..u32::from(bounds) + 1;
                let place = |child: u32| 2 * u32::from(bounds) + child;
                let words: Vec<_> = children.flat_map(|child| edges().map(move |edge| (place(child), edge))).collect();
                add("number", first, node_row, &words);
            }
            Node::Flag { .. } | Node::Bit { .. } => {}
        }
    }
    // Classes and bounds that do not ascend: classes 1 and 7, bounds 0 and 200.
    let (Node::Sorted { pairs, .. }, Node::Number { first, .. }) = (draft.nodes[8], draft.nodes[7]) else {
        panic!("have pairs and bounds")
    };
    add("classes", pairs.first, (Section::Nodes, 8), &[(0, 7), (0, 8), (2, 1), (2, 0)]);
    add("bounds", first, (Section::Nodes, 7), &[(0, 200), (0, 201), (1, 1), (2, 0)]);
    all
}

/// Why a draft makes no table: what the writer says, and what an opening says of the same bytes.
fn refusal(draft: &Draft) -> Option<OpenError> {
    let written = draft.write(blake3);
    let opened = Table::open(&written.bytes, table_format::Pin::Unpinned, blake3).err();
    assert_eq!(written.outcome.err(), opened.map(WriteError::Unusable));
    opened
}
