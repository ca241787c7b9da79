//! What an opened table answers: rows by name and by number, lists, and nothing for numbers that no row has.

#![cfg(test)]

mod support;

use support::files::{self, Golden};
use support::{blake3, golden};
use table_format::{Child, Class, Edge, Pin, RuleId, Section, Span, Table, Target, TextRef};

#[test]
fn names_are_found_and_lead_to_their_rows() {
    for (Golden { name, bytes, .. }, (_, sketch)) in files::all().into_iter().zip(golden::all()) {
        let table = Table::open(&bytes, Pin::Unpinned, blake3).unwrap();
        let roles: Vec<_> = sketch.roles.iter().map(|role| table.find_role(role)).collect();
        assert_eq!(roles, table.roles().map(Some).collect::<Vec<_>>(), "{name}");
        let operations = sketch.operations.iter().map(|operation| table.find_operation(operation.name));
        assert_eq!(operations.collect::<Vec<_>>(), table.operations().map(Some).collect::<Vec<_>>(), "{name}");
        for other in ["", "a", "file.rea", "file.reads", "zzz", "reade", "readers", "m"] {
            assert_eq!((table.find_role(other), table.find_operation(other)), (None, None), "{name}: {other}");
        }
    }
}

#[test]
fn an_operation_lists_what_a_request_can_say_of_it() {
    use table_format::Slot::{Flag, Number, String};
    let bytes = files::every_row().bytes;
    let table = Table::open(&bytes, Pin::Unpinned, blake3).unwrap();
    let slots = |name: &str| {
        let operation = table.find_operation(name).unwrap();
        let slots = table.slots(operation).map(|(slot, attribute)| (slot, table.text(attribute.name)));
        slots.collect::<Vec<_>>()
    };
    assert_eq!(slots("file.read"), [(String(0), "path"), (Number(0), "bytes")]);
    assert_eq!(slots("http.request"), [(String(0), "method"), (String(1), "host")]);
    assert_eq!(slots("inference.call"), [(String(0), "model"), (Number(0), "max-results"), (Number(1), "temperature")]);
    assert_eq!(
        slots("shell.exec"),
        [(String(0), "command"), (Number(0), "timeout"), (Number(1), "output"), (Flag(0), "complex")]
    );
}

#[test]
fn numbers_that_no_row_has_lead_nowhere() {
    let bytes = files::every_row().bytes;
    let table = Table::open(&bytes, Pin::Unpinned, blake3).unwrap();
    let counts = table.header().counts;
    let count = |section: Section| counts[Section::ALL.iter().position(|other| *other == section).unwrap()];
    for past in [0, 1, u32::MAX / 2] {
        let row = |section| count(section).saturating_add(past);
        assert_eq!(table.attribute(row(Section::Attributes)), None);
        assert_eq!(table.rule(RuleId(row(Section::Rules))), None);
        assert_eq!(table.terms(RuleId(row(Section::Rules))), None);
        assert_eq!(table.budget(row(Section::Budgets)), None);
        assert_eq!(table.lane(row(Section::Lanes)), None);
        assert_eq!(table.group(row(Section::Groups)), None);
        assert_eq!(table.state(row(Section::States)), None);
        assert_eq!(table.node(row(Section::Nodes)), None);
        assert_eq!(table.word(row(Section::Words)), None);
        assert_eq!(table.long(row(Section::Words) - 1), None);
        assert_eq!(table.run(row(Section::Runs), 1), None);
        assert_eq!(table.text(TextRef(row(Section::Texts))), "");
        let span = Span { first: row(Section::Words), count: 1 };
        assert_eq!(table.list(span).len(), 0);
        assert_eq!(table.limits(span).count(), 0);
    }
    assert_eq!(table.run(count(Section::Runs), 0), Some(&[] as &[u8]));
    let scan = table.lane(2).unwrap();
    assert_eq!([0, 1].map(|class| table.bits(&scan, Class(class))), [Some(0), Some(1)]);
    assert_eq!(table.bits(&scan, Class(2)), None);
}

#[test]
fn words_that_are_edges_or_targets_are_read_as_they_were_written() {
    for number in [0, 1, 7, 1 << 27, (1 << 28) - 1] {
        for child in [Child::Rule(number), Child::Within(number), Child::Exceeded(number), Child::Node(number)] {
            assert_eq!(Edge::from(child).child(), Some(child));
            assert_eq!(Edge::from(child).node(), if let Child::Node(node) = child { Some(node) } else { None });
        }
        assert_eq!(Target::of(Target::State(number).word()), Target::State(number));
        let done = Target::Done(Class(number));
        assert_eq!(Target::of(done.word()), done);
    }
    assert_eq!(Edge::from(Child::Node((1 << 31) - 1)).child(), Some(Child::Node((1 << 31) - 1)));
    assert_eq!(Edge::from(Child::Nothing).child(), Some(Child::Nothing));
    for word in [8 << 28 | 1, 12 << 28, 13 << 28 | 5, 15 << 28, u32::MAX] {
        assert_eq!((Edge(word).child(), Edge(word).node()), (None, None), "{word:#x}");
    }
}
