//! Tables that requests can be judged by, and tables whose operations are judged by anything else.

#![cfg(test)]

mod support;

use enforce_core::{BindError, Operation, Policy};
use support::sketch::{AttributeSketch, OperationSketch, Sketch};
use support::{frozen, open};
use table_format::AttributeKind;

#[test]
fn every_operation_is_found_by_the_number_that_the_table_has_for_it() {
    let operations: Vec<OperationIn> = Operation::ALL.iter().rev().copied().map(OperationIn::known).collect();
    let bytes = frozen(&sketch(&operations));
    let table = open(&bytes).unwrap();
    let policy = Policy::new(&table).unwrap();
    for operation in Operation::ALL {
        let id = policy.operation(*operation).unwrap();
        assert_eq!(table.text(table.operation(id).unwrap().name), operation.name());
    }
}

#[test]
fn what_a_table_does_not_know_is_not_found_in_it() {
    let bytes = frozen(&sketch(&[OperationIn::known(Operation::FileRead)]));
    let table = open(&bytes).unwrap();
    let policy = Policy::new(&table).unwrap();
    let known: Vec<&Operation> =
        Operation::ALL.iter().filter(|operation| policy.operation(**operation).is_some()).collect();
    assert_eq!(known, [&Operation::FileRead]);
}

/// Rules about what is not read would never hold, those that deny included.
#[test]
fn a_table_that_judges_by_other_facts_than_requests_say_is_refused() {
    let changes: &[(&str, Change)] = &[
        ("another name", |operation| operation.strings[1].name = "other"),
        ("another kind of string", |operation| operation.strings[0].kind = AttributeKind::Word),
        ("another kind of number", |operation| operation.numbers[0].kind = AttributeKind::Count),
        ("a number that is known now", |operation| operation.numbers[1].known_later = false),
        ("a number that is known later", |operation| operation.numbers[0].known_later = true),
        ("another order of strings", |operation| operation.strings.swap(1, 2)),
        ("another order of flags", |operation| operation.flags.reverse()),
        ("a string less", |operation| operation.strings.truncate(2)),
        ("a number less", |operation| operation.numbers.truncate(1)),
        ("a flag less", |operation| operation.flags.truncate(1)),
        ("a flag more", |operation| operation.flags.push(attribute("more", AttributeKind::Flag))),
        ("a string more", |operation| operation.strings.push(attribute("more", AttributeKind::Word))),
    ];
    let operation = Operation::ShellExec;
    for (what, change) in changes {
        let mut changed = OperationIn::known(operation);
        change(&mut changed);
        // Beside others, first and last, that are as they should be.
        let others = [Operation::FileRead, Operation::ValidateRun].map(OperationIn::known);
        let bytes = frozen(&sketch(&[others.as_slice(), &[changed]].concat()));
        let table = open(&bytes).unwrap();
        assert_eq!(Policy::new(&table).map(|_| ()), Err(BindError { operation }), "{what}");
    }
}

type Change = fn(&mut OperationIn);

/// An operation and its attributes, each of its own.
#[derive(Clone)]
struct OperationIn {
    name: &'static str,
    strings: Vec<AttributeSketch>,
    numbers: Vec<AttributeSketch>,
    flags: Vec<AttributeSketch>,
}

impl OperationIn {
    fn known(operation: Operation) -> Self {
        let list = |known: &[enforce_core::AttributeDef]| {
            let row = |known: &enforce_core::AttributeDef| AttributeSketch {
                known_later: known.known_after_act,
                ..attribute(known.name, known.kind)
            };
            known.iter().map(row).collect()
        };
        let attributes = operation.attributes();
        Self {
            name: operation.name(),
            strings: list(attributes.strings),
            numbers: list(attributes.numbers),
            flags: list(attributes.flags),
        }
    }
}

fn attribute(name: &'static str, kind: AttributeKind) -> AttributeSketch {
    AttributeSketch { name, kind, known_later: false }
}

/// A table that knows these operations and has no rules.
fn sketch(operations: &[OperationIn]) -> Sketch {
    let mut sketch = Sketch::default();
    let mut place = |attributes: &[AttributeSketch]| -> Vec<u32> {
        let first = sketch.attributes.len();
        sketch.attributes.extend_from_slice(attributes);
        (first..sketch.attributes.len()).map(|row| u32::try_from(row).unwrap()).collect()
    };
    let mut rows: Vec<OperationSketch> = operations
        .iter()
        .map(|operation| OperationSketch {
            name: operation.name,
            denial_code: "DENIED",
            strings: place(&operation.strings),
            numbers: place(&operation.numbers),
            flags: place(&operation.flags),
            ..OperationSketch::default()
        })
        .collect();
    rows.sort_by_key(|row| row.name);
    sketch.operations = rows;
    sketch
}
