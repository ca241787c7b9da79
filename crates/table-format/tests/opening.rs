//! What an opening accepts at most, in which order it looks, and what names must be like.

#![cfg(test)]

mod support;

use support::document;
use support::draft::Draft;
use support::sketch::{
    AttributeSketch, Finds, GroupSketch, LaneSketch, NodeSketch, OperationSketch, Sketch, TermsSketch,
};
use support::{blake3, files, golden};
use table_format::{
    AttributeKind, Cell, Child, Class, Digest, Direction, Edge, Effect, FLAGS_MAX, JUMPS_MAX, Jump, Limit, OpenError,
    Pin, ROLES_MAX, RULES_MAX, Role, SLOTS_MAX, Section, State, Table, Target, TextRef, When, WriteError,
};

#[test]
fn the_first_thing_wrong_in_the_documented_order_is_named() {
    let flaws = flaws();
    let mut names: Vec<&str> = flaws.iter().map(|flaw| flaw.name).collect();
    names.dedup();
    assert_eq!(names, document::checks().iter().map(String::as_str).skip(1).collect::<Vec<_>>());
    for (place, first) in flaws.iter().enumerate() {
        let alone = [vec![first]];
        let with_a_later_one = flaws[place + 1..].iter().map(|second| vec![first, second]);
        for both in alone.into_iter().chain(with_a_later_one) {
            let (bytes, pin) = with(&both);
            let error = Table::open(&bytes, pin, blake3).err();
            let names: Vec<&str> = both.iter().map(|flaw| flaw.name).collect();
            assert!(error.is_some_and(|error| (first.is_named)(&error)), "{names:?}: {error:?}");
        }
    }
}

/// Something wrong with a table.
struct Flaw {
    /// As the document lists it.
    name: &'static str,
    is_named: fn(&OpenError) -> bool,
    breaks: Breaks,
}

enum Breaks {
    Rows(fn(&mut Draft)),
    Bytes(fn(&mut Vec<u8>)),
    Pin,
}

/// One for each check and each section, in the order of the checks.
fn flaws() -> Vec<Flaw> {
    use Breaks::{Bytes, Rows};
    const ROWS: &str = "Row and Reference";
    let flaw = |name, is_named, breaks| Flaw { name, is_named, breaks };
    vec![
        flaw("NotATable", |error| *error == OpenError::NotATable, Bytes(|bytes| bytes[0] = 0)),
        flaw(
            "FormatVersion",
            |error| *error == OpenError::FormatVersion { found: 9 },
            Bytes(|bytes| bytes[document::header("format_version").at] = 9),
        ),
        flaw(
            "LanguageVersion",
            |error| *error == OpenError::LanguageVersion { found: 9 },
            Bytes(|bytes| bytes[document::header("language_version").at] = 9),
        ),
        flaw("Length", |error| matches!(error, OpenError::Length { .. }), Bytes(|bytes| bytes.push(0))),
        flaw("NotThePinned", |error| *error == OpenError::NotThePinned, Breaks::Pin),
        flaw("Digest", |error| *error == OpenError::Digest, Bytes(|bytes| bytes[document::header("sources").at] ^= 1)),
        flaw(
            "TooMany",
            |error| *error == OpenError::TooMany { section: Section::Roles },
            Rows(|draft| draft.roles.resize(1025, Role { name: NOWHERE })),
        ),
        flaw(
            "Reference (texts, row 0)",
            |error| *error == OpenError::Reference { section: Section::Texts, row: 0 },
            Rows(|draft| draft.name = NOWHERE),
        ),
        flaw(ROWS, |error| is_of(error, Section::Runs), Rows(|draft| draft.runs[0].next = NO_STATE)),
        flaw(
            ROWS,
            |error| is_of(error, Section::Cells),
            Rows(|draft| draft.cells.push(Cell::Head { end: Class(0), otherwise: NO_STATE })),
        ),
        flaw(ROWS, |error| is_of(error, Section::Roles), Rows(|draft| draft.roles[0].name = NOWHERE)),
        flaw(ROWS, |error| is_of(error, Section::Attributes), Rows(|draft| draft.attributes[0].name = NOWHERE)),
        flaw(ROWS, |error| is_of(error, Section::Operations), Rows(|draft| draft.operations[0].name = NOWHERE)),
        flaw(ROWS, |error| is_of(error, Section::Rules), Rows(|draft| draft.rules[0].name = NOWHERE)),
        flaw(ROWS, |error| is_of(error, Section::Terms), Rows(|draft| draft.terms[0].code = Some(NOWHERE))),
        flaw(ROWS, |error| is_of(error, Section::Limits), Rows(|draft| draft.limits[0].attribute = NOWHERE.0)),
        flaw(ROWS, |error| is_of(error, Section::Budgets), Rows(|draft| draft.budgets[0].name = NOWHERE)),
        flaw(ROWS, |error| is_of(error, Section::Lanes), Rows(|draft| draft.lanes[0].attribute = NOWHERE.0)),
        flaw(ROWS, |error| is_of(error, Section::Groups), Rows(|draft| draft.groups[6].first = NOWHERE.0)),
        flaw(
            ROWS,
            |error| is_of(error, Section::States),
            Rows(|draft| draft.states[2] = State::Skip { stop: 0, next: NO_STATE, end: Class(0) }),
        ),
        flaw(
            ROWS,
            |error| is_of(error, Section::Nodes),
            Rows(|draft| draft.nodes[8] = table_format::Node::Flag { slot: 64, unset: NO_EDGE, set: NO_EDGE }),
        ),
        flaw(
            "Unowned",
            |error| *error == OpenError::Unowned { section: Section::Words },
            Rows(|draft| draft.words.push(0)),
        ),
        flaw(
            "Unowned",
            |error| *error == OpenError::Unowned { section: Section::Limits },
            Rows(|draft| draft.limits.push(Limit { attribute: 0, most: 0 })),
        ),
        flaw(
            "Order",
            |error| *error == OpenError::Order { section: Section::Roles, row: 1 },
            Rows(|draft| draft.roles.swap(0, 1)),
        ),
        flaw(
            "Order",
            |error| *error == OpenError::Order { section: Section::Operations, row: 4 },
            Rows(|draft| draft.operations[4].name = draft.operations[3].name),
        ),
    ]
}

fn is_of(error: &OpenError, expected: Section) -> bool {
    matches!(error, OpenError::Reference { section, .. } if *section == expected)
}

fn with(flaws: &[&Flaw]) -> (Vec<u8>, Pin) {
    let mut draft = golden::every_row().draft();
    for flaw in flaws {
        if let Breaks::Rows(breaks) = flaw.breaks {
            breaks(&mut draft);
        }
    }
    let mut bytes = draft.write(blake3).bytes;
    let mut pin = Pin::Exactly(support::carried_digest(&bytes));
    for flaw in flaws {
        match flaw.breaks {
            Breaks::Bytes(breaks) => breaks(&mut bytes),
            Breaks::Pin => pin = Pin::Exactly(Digest([0; 32])),
            Breaks::Rows(_) => {}
        }
    }
    (bytes, pin)
}

#[test]
fn another_pin_is_refused_before_the_bytes_are_hashed() {
    let golden = files::every_row();
    for bit in 0..256 {
        let mut other = golden.pinned;
        other.0[bit / 8] ^= 1 << (bit % 8);
        let opened = Table::open(&golden.bytes, Pin::Exactly(other), |_| panic!("nothing is hashed"));
        assert_eq!(opened.err(), Some(OpenError::NotThePinned));
    }
}

#[test]
fn the_hash_sees_the_whole_file_with_zeros_for_the_digest() {
    let golden = files::every_row();
    let mut zeroed = golden.bytes.clone();
    let digest = document::header("digest");
    zeroed[digest.at..digest.at + digest.bytes].fill(0);
    let opened = Table::open(&golden.bytes, Pin::Unpinned, |parts| {
        assert_eq!(parts.concat(), zeroed);
        golden.pinned
    });
    assert!(opened.is_ok());
}

#[test]
fn as_many_roles_as_the_limit_open_and_one_more_does_not() {
    let roles = |count: u32| {
        let mut draft = golden::empty().draft();
        for number in 0..count {
            let place = u32::try_from(draft.texts.len()).unwrap();
            draft.texts.extend(5_u16.to_le_bytes());
            draft.texts.extend(format!("{number:05}").bytes());
            draft.roles.push(Role { name: TextRef(place) });
        }
        draft.write(blake3).outcome.err()
    };
    assert_eq!(roles(ROLES_MAX), None);
    let too_many = WriteError::Unusable(OpenError::TooMany { section: Section::Roles });
    assert_eq!(roles(ROLES_MAX + 1), Some(too_many));
}

/// The rows are never touched, so the operating system has no need to find the memory for them.
#[cfg(target_pointer_width = "64")]
#[test]
fn as_many_rules_as_the_limit_are_looked_at_and_one_more_is_not() {
    at_the_limit(Section::Rules, RULES_MAX);
}

/// Neither here, but a small machine does not even promise so much.
#[cfg(target_pointer_width = "64")]
#[test]
fn as_many_states_runs_and_cells_as_jumps_can_name_are_looked_at_and_one_more_is_not() {
    for section in [Section::Cells, Section::States, Section::Runs] {
        let bytes = usize::try_from(JUMPS_MAX).unwrap() * document::row_bytes(section);
        if Vec::<u8>::new().try_reserve_exact(bytes + 4096).is_ok() {
            at_the_limit(section, JUMPS_MAX);
        }
    }
}

#[cfg(target_pointer_width = "64")]
fn at_the_limit(section: Section, most: u32) {
    let place = Section::ALL.iter().position(|other| *other == section).unwrap();
    let texts = Section::ALL.iter().position(|section| *section == Section::Texts).unwrap();
    for (count, error) in [(most, OpenError::Reference { section, row: 0 }), (most + 1, OpenError::TooMany { section })]
    {
        let header = golden::empty().draft().write(blake3).bytes;
        let rows = usize::try_from(count).unwrap() * document::row_bytes(section);
        let mut bytes = vec![0; table_format::HEADER_BYTES + rows + 2];
        bytes[..table_format::HEADER_BYTES].copy_from_slice(&header[..table_format::HEADER_BYTES]);
        bytes[document::count_places(place)].copy_from_slice(&count.to_le_bytes());
        bytes[document::count_places(texts)].copy_from_slice(&2_u32.to_le_bytes());
        assert_eq!(support::open_vouched(&bytes).err(), Some(error), "{count} {}", section.name());
    }
}

#[test]
fn an_operation_opens_with_as_much_as_the_limits_and_not_with_one_more() {
    let open = |strings: u16, numbers: u16, flags: u16, lanes: usize| {
        let attribute = |name, kind| AttributeSketch { name, kind, known_later: false };
        let lane = LaneSketch {
            attribute: 0,
            start: Target::Done(Class(0)),
            direction: Direction::Forward,
            finds: Finds::Class(1),
        };
        let operation = OperationSketch {
            strings: vec![0; strings.into()],
            numbers: vec![1; numbers.into()],
            flags: vec![2; flags.into()],
            complex: u8::try_from(flags).unwrap(),
            lanes: vec![(0, strings.saturating_sub(1)); lanes],
            ..OperationSketch::default()
        };
        let sketch = Sketch {
            attributes: vec![
                attribute("a", AttributeKind::Word),
                attribute("b", AttributeKind::Count),
                attribute("c", AttributeKind::Flag),
            ],
            operations: vec![operation],
            lanes: vec![lane],
            ..Sketch::default()
        };
        sketch.draft().write(blake3).outcome.err()
    };
    let refused = Some(WriteError::Unusable(OpenError::Reference { section: Section::Operations, row: 0 }));
    assert_eq!(open(SLOTS_MAX, SLOTS_MAX, FLAGS_MAX, 32), None);
    assert_eq!(open(SLOTS_MAX + 1, 0, 0, 0), refused);
    assert_eq!(open(0, SLOTS_MAX + 1, 0, 0), refused);
    assert_eq!(open(0, 0, FLAGS_MAX + 1, 0), refused);
    assert_eq!(open(1, 0, 0, 33), refused);
    assert_eq!(open(0, 0, 0, 1), refused);
}

#[test]
fn nodes_open_at_the_edges_of_what_they_may_hold() {
    let flag = |slot| node(NodeSketch::Flag { slot, unset: Child::Nothing, set: Child::Nothing });
    let bit = |lane, bit| node(NodeSketch::Bit { lane, bit, unset: Child::Nothing, set: Child::Nothing });
    let sorted = |lane, classes: &[u32]| {
        let pairs = classes.iter().map(|class| (*class, Child::Nothing)).collect();
        node(NodeSketch::Sorted { lane, pairs, otherwise: Child::Nothing })
    };
    let number = |bounds: &[u64]| {
        let children = vec![Child::Nothing; bounds.len() + 1];
        node(NodeSketch::Number { slot: 255, bounds: bounds.to_vec(), children, open: Child::Nothing })
    };
    for (sketch, opens) in [
        (flag(63), true),
        (flag(64), false),
        (bit(31, 31), true),
        (bit(32, 0), false),
        (bit(0, 32), false),
        (bit(0, 63), false),
        (bit(0, 255), false),
        (sorted(31, &[0]), true),
        (sorted(255, &[0, 1, u32::MAX]), true),
        (sorted(0, &[]), false),
        (sorted(0, &[1, 1]), false),
        (sorted(0, &[2, 1]), false),
        (sorted(0, &[0, 2, 1]), false),
        (number(&[0]), true),
        (number(&[0, 1, 1 << 32, u64::MAX]), true),
        (number(&[]), false),
        (number(&[1, 1]), false),
        (number(&[1 << 32, 1]), false),
        (number(&[0, u64::MAX, 5]), false),
    ] {
        let outcome = sketch.draft().write(blake3).outcome;
        assert_eq!(outcome.is_ok(), opens, "{:?}: {outcome:?}", sketch.nodes.first());
    }
}

fn node(node: NodeSketch) -> Sketch {
    Sketch { nodes: vec![node], ..Sketch::default() }
}

#[test]
fn a_node_leads_only_to_nodes_before_it_and_a_group_to_any() {
    let flag = |unset| NodeSketch::Flag { slot: 0, unset, set: Child::Nothing };
    let nodes = |nodes: Vec<NodeSketch>, root| Sketch {
        nodes,
        groups: vec![GroupSketch { when: When::ONCE, roots: vec![root] }],
        ..Sketch::default()
    };
    let opens = |sketch: Sketch| sketch.draft().write(blake3).outcome.is_ok();
    assert!(opens(nodes(vec![flag(Child::Nothing), flag(Child::Node(0))], Child::Node(1))));
    assert!(!opens(nodes(vec![flag(Child::Nothing), flag(Child::Node(1))], Child::Node(1))));
    assert!(!opens(nodes(vec![flag(Child::Node(1)), flag(Child::Nothing)], Child::Node(1))));
    assert!(!opens(nodes(vec![flag(Child::Nothing), flag(Child::Node(0))], Child::Node(2))));
}

#[test]
fn names_that_are_looked_for_are_sorted_by_bytes_and_unique() {
    let roles = |names: [&'static str; 3]| Sketch { roles: names.to_vec(), ..Sketch::default() };
    let operations = |names: [&'static str; 3]| Sketch {
        operations: names.map(|name| OperationSketch { name, ..OperationSketch::default() }).to_vec(),
        ..Sketch::default()
    };
    for (names, row) in [
        (["", "a", "b"], None),
        (["Z", "a", "é"], None),
        (["a", "aa", "b"], None),
        (["b", "a", "c"], Some(1)),
        (["a", "c", "b"], Some(2)),
        (["a", "a", "b"], Some(1)),
        (["a", "b", "b"], Some(2)),
        (["a", "B", "c"], Some(1)),
    ] {
        for (sketch, section) in [(roles(names), Section::Roles), (operations(names), Section::Operations)] {
            let error = row.map(|row| WriteError::Unusable(OpenError::Order { section, row }));
            assert_eq!(sketch.draft().write(blake3).outcome.err(), error, "{names:?}");
        }
    }
}

#[test]
fn terms_share_nothing_and_rules_share_terms() {
    let terms = TermsSketch { limits: vec![(0, 1)], requirements: vec!["x"], ..TermsSketch::of(Effect::Allow) };
    let sketch = Sketch {
        attributes: vec![AttributeSketch { name: "a", kind: AttributeKind::Size, known_later: true }],
        rules: vec![("one", 1), ("two", 0), ("three", 1)],
        terms: vec![terms.clone(), terms],
        ..Sketch::default()
    };
    let draft = sketch.draft();
    assert!(draft.write(blake3).outcome.is_ok());
    let mut shared = draft;
    (shared.terms[1].limits, shared.terms[1].requirements) = (shared.terms[0].limits, shared.terms[0].requirements);
    let error = OpenError::Reference { section: Section::Terms, row: 1 };
    assert_eq!(shared.write(blake3).outcome, Err(WriteError::Unusable(error)));
}

const NOWHERE: TextRef = TextRef(u32::MAX >> 1);
const NO_EDGE: Edge = Edge::NOTHING;
/// To a state that is not there.
const NO_STATE: Jump = Jump(2 << 30 | 99);
