//! Automata, groups and edges built to be wrong in one point each: what an opening says to them, and what it lets
//! through at the edges of what is allowed.

#![cfg(test)]

mod support;

use support::automata::StateSketch;
use support::draft::Draft;
use support::sketch::{
    AttributeSketch, Finds, GroupSketch, LaneSketch, NodeSketch, OperationSketch, Sketch, TermsSketch,
};
use support::{blake3, golden};
use table_format::{
    After, AttributeKind, Cell, Child, Class, Direction, Edge, Effect, Jump, LANES_PER_OPERATION_MAX, OpenError,
    RUN_BYTES_MAX, Run, Section, State, Target, When, WriteError,
};

#[test]
fn a_byte_belongs_to_a_choice_that_is_near_enough_and_has_a_head() {
    let byte = |choice| Cell::Byte { choice, next: DONE };
    let after = |gap: usize| {
        let free = vec![Cell::Free; gap];
        [vec![HEAD], free, vec![byte(1)]].concat()
    };
    for (cells, refused) in [
        (vec![], None),
        (vec![Cell::Free], None),
        (vec![HEAD], None),
        (vec![HEAD, byte(1)], None),
        (vec![HEAD, HEAD, byte(1), byte(2)], None),
        (after(254), None),
        (after(255), None),
        // One cell too far.
        (after(256), Some(257)),
        (after(1_000), Some(1_001)),
        // No head, or something else in its place.
        (vec![byte(0)], Some(0)),
        (vec![HEAD, byte(0)], Some(1)),
        (vec![Cell::Free, byte(1)], Some(1)),
        (vec![HEAD, byte(1), byte(2)], Some(2)),
        (vec![HEAD, byte(1), Cell::Free, byte(3)], Some(3)),
        (vec![HEAD, byte(9)], Some(1)),
        (vec![HEAD, byte((1 << 30) - 1)], Some(1)),
        // A head after the byte.
        (vec![byte(2), HEAD], Some(0)),
        (vec![HEAD, byte(3), HEAD], Some(1)),
        (vec![HEAD, byte(4), Cell::Free, HEAD], Some(1)),
    ] {
        let said = format!("{cells:?}");
        assert_eq!(refusal(&Draft { cells, ..base() }), in_row(Section::Cells, refused), "{said}");
    }
}

/// Sets a jump of a draft.
type Set = fn(&mut Draft, Jump);

#[test]
fn no_jump_leads_to_what_is_not_there() {
    let (cells, runs, states) = (vec![HEAD, Cell::Free], vec![run(b"a\0\0\0\0\0\0\0", 1)], vec![skip(DONE)]);
    let there = [Target::Choice(1), Target::Run(0), Target::State(0), Target::Done(Class(0)), Target::Done(LAST_CLASS)];
    let nowhere = [
        Target::Choice(0),
        Target::Choice(2),
        Target::Choice(3),
        Target::Choice((1 << 30) - 1),
        Target::Run(1),
        Target::Run((1 << 30) - 1),
        Target::State(2),
        Target::State((1 << 30) - 1),
    ];
    let places: [(Section, u32, Set); 6] = [
        (Section::Lanes, 0, |draft, start| draft.lanes[0].start = start),
        (Section::States, 0, |draft, next| draft.states[0] = skip(next)),
        (Section::States, 1, |draft, next| draft.states[1] = State::Emit { class: Class(1), next }),
        (Section::Runs, 0, |draft, next| draft.runs[0].next = next),
        (Section::Cells, 0, |draft, otherwise| draft.cells[0] = Cell::Head { end: Class(0), otherwise }),
        (Section::Cells, 1, |draft, next| draft.cells[1] = Cell::Byte { choice: 1, next }),
    ];
    let lane = LaneSketch {
        attribute: 0,
        start: Target::Done(Class(0)),
        direction: Direction::Forward,
        finds: Finds::Class(1),
    };
    let lanes = Sketch { attributes: vec![word()], lanes: vec![lane], ..Sketch::default() }.draft();
    for (section, row, set) in places {
        let with = |target: Target| {
            let (cells, runs, mut states) = (cells.clone(), runs.clone(), states.clone());
            states.push(skip(DONE));
            let mut draft = Draft { cells, runs, states, ..lanes.clone() };
            set(&mut draft, target.into());
            refusal(&draft)
        };
        for target in there {
            assert_eq!(with(target), None, "{target:?} from {} {row}", section.name());
        }
        for target in nowhere {
            assert_eq!(with(target), in_row(section, Some(row)), "{target:?} from {} {row}", section.name());
        }
    }
}

#[test]
fn a_run_has_one_to_eight_bytes_on_one_side() {
    for len in 0..=u8::MAX {
        let ones = usize::from(len).min(RUN_BYTES_MAX);
        let (mut first, mut last) = ([0; RUN_BYTES_MAX], [0; RUN_BYTES_MAX]);
        first[..ones].fill(7);
        last[RUN_BYTES_MAX - ones..].fill(7);
        // A length of more than four bits is not even spelled.
        let refused = match usize::from(len) {
            1..=RUN_BYTES_MAX => None,
            0..=15 => Some(OpenError::Reference { section: Section::Runs, row: 0 }),
            _ => Some(OpenError::Row { section: Section::Runs, row: 0 }),
        };
        for bytes in [first, last, [0; RUN_BYTES_MAX]] {
            for after in [After::Anything, After::SlashOrNothing, After::Nothing] {
                let run = Run { after, ..run(&bytes, len) };
                assert_eq!(refusal(&with_run(run)), refused, "{bytes:?} {len} {after:?}");
            }
        }
    }
    for (bytes, len, opens) in [
        (b"abc\0\0\0\0\0", 3, true),
        (b"\0\0\0\0\0abc", 3, true),
        (b"abcdefgh", 8, true),
        (b"\0\0\0\0\0\0\0\0", 8, true),
        // Zeros can be meant.
        (b"a\0\0\0\0\0\0\0", 3, true),
        (b"\0\0\0\0\0\0\0a", 3, true),
        (b"abc\0\0\0\0\0", 2, false),
        (b"\0\0\0\0\0abc", 2, false),
        (b"abc\0\0\0\0d", 3, false),
        (b"\0\0\0d\0\0\0\0", 3, false),
        (b"a\0\0\0\0\0\0b", 1, false),
        (b"a\0\0\0\0\0\0b", 7, false),
        (b"abcdefgh", 7, false),
        (b"\0\0\0\0\0\0\0a", 7, true),
        (b"\0a\0\0\0\0a\0", 7, true),
        (b"\0\0\0aa\0\0\0", 5, true),
        (b"\0\0\0aa\0\0\0", 4, false),
    ] {
        let refused = (!opens).then_some(0);
        assert_eq!(refusal(&with_run(run(bytes, len))), in_row(Section::Runs, refused), "{bytes:?} {len}");
    }
}

#[test]
fn a_hop_has_a_choice_that_finds_nothing_else_and_256_cells() {
    let hop = |choice, cells: Vec<Cell>| Draft { states: vec![State::Hop { stop: b'/', choice }], cells, ..base() };
    let cells = |head: Cell, after: usize| [vec![head], vec![Cell::Free; after]].concat();
    let head = |end: u32, otherwise: Target| Cell::Head { end: Class(end), otherwise: otherwise.into() };
    let all = || cells(HEAD, 256);
    let mut beside = all();
    beside.extend(all());
    let mut of_another = all();
    (of_another[1], of_another[2]) = (HEAD, Cell::Byte { choice: 2, next: DONE });
    for (draft, opens) in [
        (hop(1, all()), true),
        (hop(1, cells(HEAD, 1_000)), true),
        (hop(1, of_another), true),
        (hop(1, cells(head(7, Target::Done(Class(0))), 256)), true),
        (hop(258, beside), true),
        // One cell too few.
        (hop(1, cells(HEAD, 255)), false),
        (hop(1, cells(HEAD, 0)), false),
        // No head.
        (hop(0, all()), false),
        (hop(1, cells(Cell::Free, 256)), false),
        (hop(2, cells(HEAD, 1_000)), false),
        (hop(257, all()), false),
        (hop(u32::MAX, all()), false),
        (hop(1 << 30, all()), false),
        (hop(1, vec![]), false),
        // A head that says something of other bytes.
        (hop(1, cells(head(0, Target::Done(Class(1))), 256)), false),
        (hop(1, cells(head(0, Target::Done(LAST_CLASS)), 256)), false),
        (hop(1, cells(head(0, Target::Choice(1)), 256)), false),
        (hop(1, cells(head(0, Target::State(0)), 256)), false),
    ] {
        let refused = (!opens).then_some(0);
        let said = format!("{:?} {:?} of {}", draft.states, draft.cells.first(), draft.cells.len());
        assert_eq!(refusal(&draft), in_row(Section::States, refused), "{said}");
    }
    let byte = [vec![HEAD, HEAD, Cell::Byte { choice: 2, next: DONE }], vec![Cell::Free; 512]].concat();
    assert_eq!(refusal(&hop(3, byte)), in_row(Section::States, Some(0)));
}

#[test]
fn no_find_follows_a_find_without_a_byte_between_them() {
    let emit = |next: Target| State::Emit { class: Class(1), next: next.into() };
    let done = Target::Done(Class(1));
    for (states, refused) in [
        (vec![emit(done)], None),
        (vec![emit(Target::State(1)), skip(DONE)], None),
        (vec![emit(Target::State(1)), skip(Target::State(0).into())], None),
        (vec![emit(Target::Choice(1))], None),
        (vec![emit(Target::Run(0))], None),
        (vec![emit(Target::State(0))], Some(0)),
        (vec![emit(Target::State(1)), emit(done)], Some(0)),
        (vec![emit(done), emit(Target::State(0))], Some(1)),
        (vec![emit(Target::State(1)), emit(Target::State(0))], Some(0)),
    ] {
        let said = format!("{states:?}");
        let draft = Draft { states, cells: vec![HEAD], runs: vec![run(b"abcdefgh", 8)], ..base() };
        assert_eq!(refusal(&draft), in_row(Section::States, refused), "{said}");
    }
}

#[test]
fn groups_asked_once_and_for_finds_keep_to_their_lists_and_to_lanes_that_there_are() {
    let lanes = u32::try_from(LANES_PER_OPERATION_MAX).unwrap();
    for count in [0, 1, 3, lanes] {
        let numbers = [0, 1, 2, 3, 30, 31, 32, 33, 127, 128, 253, 254, 255];
        let upper = [0, 1 << 8, 1 << 9, 3 << 8, 1 << 16, 257 << 8, 1 << 31];
        for when in upper.into_iter().flat_map(|upper| numbers.map(|number| upper | number)).chain([u32::MAX]) {
            let once = when == When::ONCE.0 || when < count;
            let each = (256..256 + count).contains(&when);
            assert_eq!(ask(count, When(when), true), once, "{when:#x} once, {count} lanes");
            assert_eq!(ask(count, When(when), false), each, "{when:#x} for finds, {count} lanes");
        }
    }
}

/// Whether an operation with so many lanes may ask such a group, in the list of those that are asked once or not.
fn ask(lanes: u32, when: When, is_once: bool) -> bool {
    let lane = LaneSketch {
        attribute: 0,
        start: Target::Done(Class(0)),
        direction: Direction::Forward,
        finds: Finds::Bits(vec![0]),
    };
    let (asked_once, asked_for_finds) = if is_once { (vec![0], vec![]) } else { (vec![], vec![0]) };
    let operation = OperationSketch {
        strings: vec![0],
        lanes: (0..lanes).map(|_| (0, 0)).collect(),
        asked_once,
        asked_for_finds,
        ..OperationSketch::default()
    };
    let sketch = Sketch {
        attributes: vec![word()],
        operations: vec![operation],
        lanes: vec![lane],
        groups: vec![GroupSketch { when, roots: vec![Child::Nothing] }],
        ..Sketch::default()
    };
    let mut draft = sketch.draft();
    // An operation that is wrong in nothing else.
    draft.operations[0].always_asked = u8::from(when == When::ONCE);
    let refused = refusal(&draft);
    assert!(refused.is_none() || refused == in_row(Section::Operations, Some(0)), "{refused:?}");
    refused.is_none()
}

#[test]
fn an_operation_says_whether_a_group_is_asked_in_any_case() {
    let whens = [When::found(0), When::found(1), When::ONCE];
    for groups in [vec![], vec![0], vec![2], vec![0, 1], vec![0, 2], vec![2, 1], vec![2, 2], vec![1, 0, 2]] {
        let lane = LaneSketch {
            attribute: 0,
            start: Target::Done(Class(0)),
            direction: Direction::Forward,
            finds: Finds::Class(1),
        };
        let operation = OperationSketch {
            strings: vec![0],
            lanes: vec![(0, 0), (0, 0)],
            asked_once: groups.clone(),
            ..OperationSketch::default()
        };
        let sketch = Sketch {
            attributes: vec![word()],
            operations: vec![operation],
            lanes: vec![lane],
            groups: whens.map(|when| GroupSketch { when, roots: vec![Child::Nothing] }).to_vec(),
            ..Sketch::default()
        };
        let mut draft = sketch.draft();
        for always_asked in [0, 1, 2, 255] {
            draft.operations[0].always_asked = always_asked;
            let opens = always_asked == u8::from(groups.contains(&2));
            let refused = (!opens).then_some(0);
            assert_eq!(refusal(&draft), in_row(Section::Operations, refused), "{groups:?} {always_asked}");
        }
    }
}

#[test]
fn a_lane_has_a_sieve_exactly_when_one_can_be_trusted() {
    let hop = |end| StateSketch::Hop { edges: vec![(b'a', Target::Done(Class(1)))], stop: b'/', end: Class(end) };
    let choice = StateSketch::Choice { edges: vec![], otherwise: Target::Done(Class(0)), end: Class(0) };
    let (scans, classifies) = (|| Finds::Bits(vec![0, 1]), || Finds::Class(2));
    for (state, direction, finds, is_sieved) in [
        (hop(0), Direction::Forward, scans(), true),
        (hop(1), Direction::Forward, scans(), false),
        (hop(0), Direction::Backward, scans(), false),
        (hop(0), Direction::Forward, classifies(), false),
        (choice, Direction::Forward, scans(), false),
        (StateSketch::Skip { stop: b'/', next: Target::State(0), end: Class(0) }, Direction::Forward, scans(), false),
        (StateSketch::Emit { class: Class(0), next: Target::Done(Class(0)) }, Direction::Forward, scans(), false),
    ] {
        let said = format!("{state:?} {direction:?} {finds:?}");
        let sketch = Sketch {
            attributes: vec![word()],
            operations: vec![OperationSketch { strings: vec![0], lanes: vec![(0, 0)], ..OperationSketch::default() }],
            lanes: vec![LaneSketch { attribute: 0, start: Target::State(0), direction, finds }],
            states: vec![state],
            ..Sketch::default()
        };
        let mut draft = sketch.draft();
        assert_eq!(refusal(&draft), None, "{said}");
        let how = usize::try_from(draft.operations[0].walks).unwrap() + 2;
        assert_eq!(draft.words[how] >> 18 & 1 == 1, is_sieved, "{said}");
        let (sieved, plain) = (1 << 18 | u32::from(b'/') << 24, draft.words[how] & 0x3_FFFF);
        (draft.words[how], draft.words[how + 1]) = if is_sieved { (plain, 0) } else { (plain | sieved, 1) };
        assert_eq!(refusal(&draft), in_row(Section::Operations, Some(0)), "{said}");
    }
}

#[test]
fn an_edge_says_what_its_rule_does() {
    let flag = || NodeSketch::Flag { slot: 0, unset: Child::Nothing, set: Child::Nothing };
    let sketch = Sketch {
        rules: vec![("denies", 0), ("asks", 1), ("allows", 2)],
        terms: [Effect::Deny, Effect::Ask, Effect::Allow].map(TermsSketch::of).to_vec(),
        groups: vec![GroupSketch { when: When::ONCE, roots: vec![Child::Nothing] }],
        nodes: vec![flag(), flag()],
        ..Sketch::default()
    };
    let draft = sketch.draft();
    let edges = (0..16).flat_map(|code| [0, 1, 2, 3, (1 << 28) - 1].map(|rule| (code, rule)));
    for (code, rule) in edges {
        let opens = match code {
            0 => rule < 2,
            8 => rule == 0,
            9 | 10 | 13 => rule == 1,
            11 | 12 | 14 => rule == 2,
            15 => rule == (1 << 28) - 1,
            _ => false,
        };
        let edge = code << 28 | rule;
        let mut root = draft.clone();
        root.words[usize::try_from(draft.groups[0].first).unwrap()] = edge;
        let refused = (!opens).then_some(0);
        assert_eq!(refusal(&root), in_row(Section::Groups, refused), "root {edge:#x}");
        // A node leads to those before it only.
        let refused = (!opens || edge == 1).then_some(1);
        for (unset, set) in [(Edge(edge), Edge::NOTHING), (Edge::NOTHING, Edge(edge))] {
            let mut node = draft.clone();
            node.nodes[1] = table_format::Node::Flag { slot: 0, unset, set };
            assert_eq!(refusal(&node), in_row(Section::Nodes, refused), "node {edge:#x}");
        }
    }
}

fn with_run(run: Run) -> Draft {
    Draft { runs: vec![run], ..base() }
}

fn run(bytes: &[u8; RUN_BYTES_MAX], len: u8) -> Run {
    Run { bytes: *bytes, len, after: After::Anything, next: DONE, miss: Class(0) }
}

fn skip(next: Jump) -> State {
    State::Skip { stop: b'/', next, end: Class(0) }
}

fn word() -> AttributeSketch {
    AttributeSketch { name: "a", kind: AttributeKind::Word, known_later: false }
}

fn base() -> Draft {
    golden::empty().draft()
}

fn in_row(section: Section, row: Option<u32>) -> Option<OpenError> {
    row.map(|row| OpenError::Reference { section, row })
}

fn refusal(draft: &Draft) -> Option<OpenError> {
    match draft.write(blake3).outcome {
        Ok(_) => None,
        Err(WriteError::Unusable(error)) => Some(error),
        Err(error) => panic!("{error}"),
    }
}

/// To the end of a walk that has found nothing.
const DONE: Jump = Jump(3 << 30);
const HEAD: Cell = Cell::Head { end: Class(0), otherwise: DONE };
const LAST_CLASS: Class = Class((1 << 30) - 1);
