//! The tables whose bytes are kept in `tests/golden`, said by hand.

use table_format::{After, AttributeKind, Child, Class, Direction, Effect, Measure, Node, Period, Target, When};

use super::automata::StateSketch;
use super::sketch::{
    AttributeSketch, BudgetSketch, Finds, GroupSketch, LaneSketch, NodeSketch, OperationSketch, Sketch, TermsSketch,
};

/// Every golden table with the name of its file.
pub(crate) fn all() -> Vec<(&'static str, Sketch)> {
    vec![("empty.table", empty()), ("every-row.table", every_row())]
}

/// A policy that says nothing.
pub(crate) fn empty() -> Sketch {
    Sketch { name: "empty", ..Sketch::default() }
}

/// Every kind of row, and every kind of everything in it.
pub(crate) fn every_row() -> Sketch {
    Sketch {
        sources: core::array::from_fn(|place| u8::try_from(place).unwrap()),
        name: "every-row",
        roles: vec!["coder", "reader"],
        attributes: attributes(),
        operations: operations(),
        rules: vec![
            ("secret-files", 0),
            ("push-feature", 1),
            ("read-sources", 2),
            ("read-notes", 3),
            ("build", 4),
            ("talk", 5),
            ("browse", 5),
        ],
        terms: terms(),
        budgets: budgets(),
        lanes: lanes(),
        groups: groups(),
        states: states(),
        nodes: nodes(),
    }
}

fn attributes() -> Vec<AttributeSketch> {
    use AttributeKind::{Command, Count, Duration, Flag, Host, Hundredths, Model, Path, Ref, Size, Word};
    let said = [
        ("bytes", Size),
        ("command", Command),
        ("complex", Flag),
        ("host", Host),
        ("max-results", Count),
        ("method", Word),
        ("model", Model),
        ("output", Size),
        ("path", Path),
        ("ref", Ref),
        ("temperature", Hundredths),
        ("timeout", Duration),
    ];
    said.into_iter().map(|(name, kind)| AttributeSketch { name, kind, known_later: name == "output" }).collect()
}

fn operations() -> Vec<OperationSketch> {
    vec![
        OperationSketch {
            name: "file.read",
            denial_code: "FILE_READ_DENIED",
            strings: vec![8],
            numbers: vec![0],
            lanes: vec![(0, 0), (1, 0), (2, 0)],
            asked_once: vec![0],
            asked_for_finds: vec![1],
            budgets: vec![0],
            ..OperationSketch::default()
        },
        OperationSketch {
            name: "git.push",
            denial_code: "GIT_PUSH_DENIED",
            strings: vec![9],
            lanes: vec![(3, 0)],
            asked_once: vec![2],
            budgets: vec![1],
            ..OperationSketch::default()
        },
        OperationSketch {
            name: "http.request",
            denial_code: "HTTP_REQUEST_DENIED",
            strings: vec![5, 3],
            lanes: vec![(5, 1)],
            asked_once: vec![5],
            ..OperationSketch::default()
        },
        OperationSketch {
            name: "inference.call",
            denial_code: "INFERENCE_CALL_DENIED",
            strings: vec![6],
            numbers: vec![4, 10],
            asked_once: vec![4],
            budgets: vec![2, 3],
            ..OperationSketch::default()
        },
        OperationSketch {
            name: "shell.exec",
            denial_code: "SHELL_EXEC_DENIED",
            strings: vec![1],
            numbers: vec![11, 7],
            flags: vec![2],
            complex: 1,
            lanes: vec![(4, 0)],
            asked_once: vec![3],
            ..OperationSketch::default()
        },
    ]
}

fn terms() -> Vec<TermsSketch> {
    vec![
        TermsSketch {
            code: Some("SECRET_PATH"),
            because: Some("secrets never reach a model"),
            ..TermsSketch::of(Effect::Deny)
        },
        TermsSketch { requirements: vec!["clean-tree", "secrets.scan"], ..TermsSketch::of(Effect::Ask) },
        TermsSketch { limits: vec![(0, 1 << 30)], ..TermsSketch::of(Effect::Allow) },
        TermsSketch { limits: vec![(0, 4096)], ..TermsSketch::of(Effect::Allow) },
        TermsSketch { limits: vec![(11, 600_000), (7, 5 << 20)], ..TermsSketch::of(Effect::Allow) },
        TermsSketch::of(Effect::Allow),
    ]
}

fn budgets() -> Vec<BudgetSketch> {
    let budget = |name, measure, most, period, roles| BudgetSketch { name, measure, most, period, roles };
    vec![
        budget("reads", Measure::Sum(0), 1 << 40, Period::Session, Some(vec![0, 1])),
        budget("pushes", Measure::Calls, 1, Period::Minute, None),
        budget("results", Measure::Sum(4), 1_000, Period::Hour, Some(vec![1])),
        budget("calls", Measure::Calls, u64::MAX, Period::Day, None),
    ]
}

/// Over paths: how they start (1 `src/…`, 2 `notes` and below), how they end (1 `….rs`), and segments that
/// start with `.e`. Over refs: whether there is one (bit 1), ending with `main` (bit 0) or not (bit 31). The
/// last lane, group, choice and run are nobody's, so that their own checks are the first to see them.
fn lanes() -> Vec<LaneSketch> {
    let lane = |attribute, start, direction, finds| LaneSketch { attribute, start, direction, finds };
    vec![
        lane(8, Target::State(0), Direction::Forward, Finds::Class(3)),
        lane(8, Target::State(4), Direction::Backward, Finds::Class(2)),
        lane(8, Target::State(5), Direction::Forward, Finds::Bits(vec![0, 1])),
        lane(9, Target::State(9), Direction::Backward, Finds::Bits(vec![0, 0b10, 0b01, 1 << 31])),
        lane(1, Target::State(11), Direction::Forward, Finds::Class(2)),
        lane(3, Target::Done(Class(1)), Direction::Forward, Finds::Class(2)),
        lane(5, Target::State(4), Direction::Backward, Finds::Bits(vec![0, u32::MAX])),
    ]
}

fn groups() -> Vec<GroupSketch> {
    let group = |when, roots: [Child; 3]| GroupSketch { when, roots: roots.to_vec() };
    vec![
        group(When::found(0), [Child::Nothing, Child::Node(1), Child::Node(2)]),
        group(When::each(2), [Child::Node(3); 3]),
        group(When::ONCE, [Child::Nothing, Child::Node(4), Child::Nothing]),
        group(When::ONCE, [Child::Nothing, Child::Node(6), Child::Nothing]),
        group(When::ONCE, [Child::Nothing, Child::Node(7), Child::Rule(5)]),
        group(When::ONCE, [Child::Node(8), Child::Node(8), Child::Nothing]),
        group(When::each(31), [Child::Rule(6), Child::Within(1), Child::Exceeded(1)]),
    ]
}

fn states() -> Vec<StateSketch> {
    use Target::{Done, State};
    let ended = |run: &[u8], after, next, miss| StateSketch::Run { run: run.to_vec(), after, next, miss: Class(miss) };
    let run = |run: &[u8], next, miss| ended(run, After::Anything, next, miss);
    let none = Done(Class(0));
    vec![
        StateSketch::Choice { edges: vec![(b's', State(1)), (b'n', State(2))], otherwise: none, end: Class(0) },
        run(b"rc/", Done(Class(1)), 0),
        run(b"otes", State(3), 0),
        StateSketch::range(b'/', &[Done(Class(2))], none, Class(2)),
        run(b".rs", Done(Class(1)), 0),
        StateSketch::Hop { edges: vec![(b'.', State(6))], stop: b'/', end: Class(0) },
        StateSketch::Choice { edges: vec![(b'e', State(7)), (b'/', State(5))], otherwise: State(8), end: Class(0) },
        StateSketch::Emit { class: Class(1), next: State(8) },
        StateSketch::Skip { stop: b'/', next: State(5), end: Class(0) },
        StateSketch::Emit { class: Class(1), next: State(10) },
        ended(b"main", After::SlashOrNothing, Done(Class(2)), 3),
        StateSketch::range(b'c', &[State(12), none], none, Class(0)),
        run(b"argo", State(13), 0),
        StateSketch::range(0, &[none], none, Class(1)),
        StateSketch::range(b'x', &[none], State(15), Class(1)),
        run(b"feature/", none, 1),
        ended(b"docs", After::Nothing, Done(Class(1)), 0),
    ]
}

fn nodes() -> Vec<NodeSketch> {
    use Child::{Exceeded, Nothing, Rule, Within};
    let driver = Node::DRIVER;
    vec![
        NodeSketch::Number { slot: 0, bounds: vec![4096], children: vec![Within(3), Exceeded(3)], open: Within(3) },
        NodeSketch::Range { lane: 0, low: 1, children: vec![Rule(2), Child::Node(0)], otherwise: Nothing },
        NodeSketch::Sorted { lane: 1, pairs: vec![(1, Child::Node(1))], otherwise: Nothing },
        NodeSketch::Range { lane: driver, low: 1, children: vec![Rule(0)], otherwise: Nothing },
        NodeSketch::Bit { lane: 0, bit: 31, unset: Nothing, set: Rule(1) },
        NodeSketch::Flag { slot: 0, unset: Rule(4), set: Nothing },
        NodeSketch::Range { lane: 0, low: 1, children: vec![Child::Node(5)], otherwise: Nothing },
        NodeSketch::Number { slot: 1, bounds: vec![0, 200], children: vec![Nothing, Rule(5), Nothing], open: Rule(5) },
        NodeSketch::Sorted { lane: 0, pairs: vec![(1, Rule(6)), (7, Nothing)], otherwise: Nothing },
    ]
}
