//! Nodes of the decision diagram at their boundaries, each asked through a decision.

#![cfg(test)]

mod support;

use enforce_core::{Facts, decide};
use support::automata::StateSketch;
use support::sketch::{
    AttributeSketch, Finds, GroupSketch, LaneSketch, NodeSketch, OperationSketch, Sketch, TermsSketch,
};
use support::{frozen, open};
use table_format::{AttributeKind, Child, Class, Direction, Effect, FLAGS_MAX, Node, SLOTS_MAX, Table, Target, When};

#[test]
fn a_flag_is_set_by_its_own_bit_and_no_other() {
    for slot in 0..64 {
        let node = NodeSketch::Flag { slot, unset: Child::Rule(0), set: Child::Rule(1) };
        let bytes = frozen(&asking(vec![node]));
        let table = open(&bytes).unwrap();
        for (flags, rule) in [(0, 0), (u64::MAX, 1), (1 << slot, 1), (!(1 << slot), 0)] {
            assert_eq!(rule_of(&table, &Said { flags, ..Said::default() }), Some(rule), "flag {slot} of {flags:#x}");
        }
    }
}

#[test]
fn a_bit_is_one_that_a_find_has_left() {
    for bit in 0..32 {
        let node = NodeSketch::Bit { lane: 1, bit, unset: Child::Rule(0), set: Child::Rule(1) };
        // Byte 1 finds the bit alone, byte 2 every other, byte 3 nothing.
        let mut sketch = asking(vec![node]);
        sketch.lanes[1].finds = Finds::Bits(vec![0, 1 << bit, !(1 << bit)]);
        let bytes = frozen(&sketch);
        let table = open(&bytes).unwrap();
        for (string, rule) in
            [(Some(&b"\x01"[..]), 1), (Some(b"\x02"), 0), (Some(b"\x00"), 0), (Some(b""), 0), (None, 0)]
        {
            assert_eq!(rule_of(&table, &Said { string, ..Said::default() }), Some(rule), "bit {bit} of {string:?}");
        }
    }
}

#[test]
fn bits_of_all_finds_are_kept() {
    let both = NodeSketch::Bit { lane: 1, bit: 1, unset: Child::Rule(0), set: Child::Rule(1) };
    let first = NodeSketch::Bit { lane: 1, bit: 0, unset: Child::Nothing, set: Child::Node(0) };
    let mut sketch = asking(vec![both, first]);
    sketch.lanes[1].finds = Finds::Bits(vec![0, 0b01, 0b10, 0b11, 0]);
    let each = |class| StateSketch::Emit { class: Class(class), next: Target::State(0) };
    let targets: Vec<Target> = (1..=4).map(Target::State).collect();
    sketch.states = vec![StateSketch::range(1, &targets, Target::State(0), Class(0))];
    sketch.states.extend((1..=4).map(each));
    sketch.lanes[0].start = Target::State(0);
    let bytes = frozen(&sketch);
    let table = open(&bytes).unwrap();
    for (string, rule) in [
        (&b""[..], None),
        (b"\x01", Some(0)),
        (b"\x02", None),
        (b"\x01\x02", Some(1)),
        (b"\x02\x01", Some(1)),
        (b"\x01\x09\x04\x02", Some(1)),
        (b"\x03", Some(1)),
        (b"\x04", None),
        (b"\x04\x01", Some(0)),
    ] {
        assert_eq!(rule_of(&table, &Said { string: Some(string), ..Said::default() }), rule, "{string:?}");
    }
}

#[test]
fn a_range_holds_its_own_classes_and_no_other() {
    for (low, count) in [(0, 1), (1, 1), (1, 3), (5, 2), (0, 9), (u32::MAX - 1, 1), (254, 4)] {
        let children = (0..count).map(Child::Rule).collect();
        let node = NodeSketch::Range { lane: 0, low, children, otherwise: Child::Rule(9) };
        let expected = |class: u32| class.checked_sub(low).filter(|place| *place < count).unwrap_or(9);
        agrees_for_classes(&node, expected);
    }
}

#[test]
fn a_sorted_node_finds_its_classes_and_no_other() {
    let all: [&[u32]; 7] = [
        &[0],
        &[7],
        &[1, 2],
        &[0, 2, 4],
        &[1, 3, 5, 7],
        &[0, 1, 2, 254, 255, 256, (1 << 31) - 1, 1 << 31, u32::MAX - 1],
        &[6, 255, 256],
    ];
    for classes in all {
        let pairs = classes.iter().copied().zip((0..).map(Child::Rule)).collect();
        let node = NodeSketch::Sorted { lane: 0, pairs, otherwise: Child::Rule(9) };
        let place = |class| classes.iter().position(|other| *other == class);
        agrees_for_classes(&node, |class| place(class).map_or(9, |place| u32::try_from(place).unwrap()));
    }
}

#[test]
fn a_number_goes_by_the_first_bound_that_it_does_not_exceed() {
    let all: [&[u64]; 6] = [
        &[0],
        &[5],
        &[0, 1],
        &[1, 4, 9, 16],
        &[0, (1 << 32) - 1, 1 << 32, (1 << 32) + 1, u64::MAX - 1, u64::MAX],
        &[1 << 31, 1 << 40, 1 << 63],
    ];
    for bounds in all {
        let children = (0..=bounds.len()).map(|child| Child::Rule(u32::try_from(child).unwrap())).collect();
        let node = NodeSketch::Number { slot: 1, bounds: bounds.to_vec(), children, open: Child::Rule(9) };
        let bytes = frozen(&asking(vec![node]));
        let table = open(&bytes).unwrap();
        let around = bounds.iter().flat_map(|bound| [bound.saturating_sub(1), *bound, bound.saturating_add(1)]);
        for number in around.chain([0, u64::MAX]) {
            let expected = bounds.iter().filter(|bound| **bound < number).count();
            let said = Said { numbers: &[None, Some(number)], ..Said::default() };
            assert_eq!(rule_of(&table, &said), Some(u32::try_from(expected).unwrap()), "{number} of {bounds:?}");
        }
        for numbers in [&[Some(0), None][..], &[Some(0)], &[]] {
            assert_eq!(rule_of(&table, &Said { numbers, ..Said::default() }), Some(9), "{numbers:?}");
        }
    }
}

#[test]
fn the_last_slots_of_the_largest_operation_can_be_asked() {
    let number = NodeSketch::Number {
        slot: 255,
        bounds: vec![7],
        children: vec![Child::Rule(0), Child::Rule(1)],
        open: Child::Rule(2),
    };
    let flag = NodeSketch::Flag { slot: 63, unset: Child::Rule(3), set: Child::Node(0) };
    let mut sketch = asking(vec![number, flag]);
    sketch.operations[0].numbers = vec![1; SLOTS_MAX.into()];
    sketch.operations[0].flags = vec![2; FLAGS_MAX.into()];
    let bytes = frozen(&sketch);
    let table = open(&bytes).unwrap();
    let mut numbers = [Some(0); 256];
    for (last, flags, rule) in
        [(Some(7), 1 << 63, 0), (Some(8), 1 << 63, 1), (None, 1 << 63, 2), (Some(7), !(1 << 63), 3)]
    {
        numbers[255] = last;
        assert_eq!(rule_of(&table, &Said { numbers: &numbers, flags, ..Said::default() }), Some(rule));
    }
}

#[test]
fn a_way_goes_from_node_to_node_until_it_ends() {
    let mut nodes = vec![NodeSketch::Flag { slot: 0, unset: Child::Rule(0), set: Child::Rule(1) }];
    for below in 0..200 {
        nodes.push(NodeSketch::Flag { slot: 1, unset: Child::Node(below), set: Child::Rule(2) });
    }
    let bytes = frozen(&asking(nodes));
    let table = open(&bytes).unwrap();
    for (flags, rule) in [(0b00, 0), (0b01, 1), (0b10, 2), (0b11, 2)] {
        assert_eq!(rule_of(&table, &Said { flags, ..Said::default() }), Some(rule));
    }
}

#[test]
fn a_group_asked_for_finds_sees_the_class_and_the_lanes_before() {
    let before = NodeSketch::Range { lane: 0, low: 2, children: vec![Child::Rule(1)], otherwise: Child::Rule(2) };
    let driver = NodeSketch::Range {
        lane: Node::DRIVER,
        low: 1,
        children: vec![Child::Rule(0), Child::Node(0)],
        otherwise: Child::Nothing,
    };
    let mut sketch = asking(vec![before, driver]);
    sketch.groups[0].when = When::each(1);
    let operation = &mut sketch.operations[0];
    operation.asked_for_finds = std::mem::take(&mut operation.asked_once);
    let bytes = frozen(&sketch);
    let table = open(&bytes).unwrap();
    for (string, rule) in [
        (Some(&b"\x01"[..]), Some(0)),
        (Some(b"\x02"), Some(1)),
        (Some(b"\x03"), None),
        (Some(b""), None),
        (None, None),
    ] {
        assert_eq!(rule_of(&table, &Said { string, ..Said::default() }), rule, "{string:?}");
    }
}

/// A table with one operation, asked by the last of the nodes: classes of lane 0 and finds of lane 1 are the
/// single byte of a string, as [`CLASSES`] numbers it.
fn asking(nodes: Vec<NodeSketch>) -> Sketch {
    let attribute = |name, kind| AttributeSketch { name, kind, known_later: false };
    let root = Child::Node(u32::try_from(nodes.len() - 1).unwrap());
    let targets: Vec<Target> = CLASSES.iter().map(|class| Target::Done(Class(*class))).collect();
    let nothing = Target::Done(Class(0));
    let lane = |finds| LaneSketch { attribute: 0, start: Target::State(0), direction: Direction::Forward, finds };
    Sketch {
        attributes: vec![
            attribute("a", AttributeKind::Path),
            attribute("b", AttributeKind::Count),
            attribute("c", AttributeKind::Flag),
        ],
        operations: vec![OperationSketch {
            name: "ask",
            denial_code: "DENIED",
            strings: vec![0],
            numbers: vec![1, 1],
            flags: vec![2; 64],
            lanes: vec![(0, 0), (1, 0)],
            asked_once: vec![0],
            ..OperationSketch::default()
        }],
        rules: vec![("rule", 0); 10],
        terms: vec![TermsSketch::of(Effect::Allow)],
        lanes: vec![lane(Finds::Class(u32::MAX)), lane(Finds::Bits(vec![0; 300]))],
        groups: vec![GroupSketch { when: When::ONCE, roots: vec![root] }],
        states: vec![StateSketch::range(0, &targets, nothing, Class(0))],
        nodes,
        ..Sketch::default()
    }
}

/// What a request says.
#[derive(Default)]
struct Said<'a> {
    string: Option<&'a [u8]>,
    numbers: &'a [Option<u64>],
    flags: u64,
}

fn rule_of(table: &Table<'_>, said: &Said<'_>) -> Option<u32> {
    let operation = table.find_operation("ask").unwrap();
    let strings = [said.string];
    let facts = Facts { operation, roles: &[], strings: &strings, numbers: said.numbers, flags: said.flags };
    decide(table, &facts).rule().map(|rule| rule.0)
}

fn agrees_for_classes(node: &NodeSketch, expected: impl Fn(u32) -> u32) {
    let mut sketch = asking(vec![node.clone()]);
    // Only the lane that classifies: the other has no such classes.
    sketch.operations[0].lanes.pop();
    let bytes = frozen(&sketch);
    let table = open(&bytes).unwrap();
    for (byte, class) in (0..=255).zip(CLASSES) {
        let found = rule_of(&table, &Said { string: Some(&[byte]), ..Said::default() });
        assert_eq!(found, Some(expected(class)), "class {class} at {node:?}");
    }
    for string in [None, Some(&b""[..])] {
        assert_eq!(rule_of(&table, &Said { string, ..Said::default() }), Some(expected(0)), "no class at {node:?}");
    }
}

/// The class of each byte: itself, but for some that are at the edges of larger numbers.
const CLASSES: [u32; 256] = {
    let mut classes = [0; 256];
    let mut byte = 0;
    while byte < 200 {
        classes[byte] = byte as u32;
        byte += 1;
    }
    let edges = [254, 255, 256, 257, 258, 259, (1 << 30) - 2, (1 << 30) - 1];
    let mut place = 0;
    while place < edges.len() {
        classes[200 + place] = edges[place];
        place += 1;
    }
    classes
};
