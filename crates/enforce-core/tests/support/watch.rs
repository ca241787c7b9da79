//! An automaton -> a table whose decisions show what a walk through it finds: the last class of a lane that
//! classifies, and the least of all and each single one of a lane that scans.

use std::collections::BTreeSet;

use enforce_core::{Facts, decide};
use table_format::{AttributeKind, Child, Class, Direction, Effect, Node, OperationId, Table, Target, When};

use super::automata::StateSketch;
use super::naive;
use super::sketch::{
    AttributeSketch, Finds, GroupSketch, LaneSketch, NodeSketch, OperationSketch, Sketch, TermsSketch,
};

/// States, and how they are walked.
#[derive(Debug, Clone)]
pub(crate) struct Automaton {
    pub(crate) states: Vec<StateSketch>,
    pub(crate) start: Target,
    pub(crate) direction: Direction,
    /// The largest class it finds.
    pub(crate) classes: u32,
}

/// What decisions show of a walk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Seen {
    /// What a lane that classifies leaves behind; 0 is nothing.
    pub(crate) class: u32,
    /// The least of what a group is asked for; 0 is nothing.
    pub(crate) least: u32,
    pub(crate) found: BTreeSet<u32>,
}

impl Automaton {
    /// What is to be seen of a string.
    pub(crate) fn expected(&self, string: &[u8]) -> Seen {
        let finds = naive::finds(&self.states, self.start, self.direction, string);
        Seen {
            class: finds.last().copied().unwrap_or_default(),
            least: finds.iter().copied().min().unwrap_or_default(),
            found: finds.into_iter().collect(),
        }
    }

    /// Rules are numbered like the classes, from 1 on.
    pub(crate) fn sketch(&self) -> Sketch {
        let lane = |finds| LaneSketch { attribute: 0, start: self.start, direction: self.direction, finds };
        let rules = || (0..self.classes).map(Child::Rule).collect();
        let by_class = |lane| NodeSketch::Range { lane, low: 1, children: rules(), otherwise: Child::Nothing };
        let by_bit = |bit: u8| NodeSketch::Bit { lane: 0, bit, unset: Child::Nothing, set: Child::Rule(0) };
        let group = |when, node| GroupSketch { when, roots: vec![Child::Node(node)] };
        let operation = |name, lane| OperationSketch {
            name,
            denial_code: "DENIED",
            strings: vec![0],
            lanes: vec![(lane, 0)],
            ..OperationSketch::default()
        };
        let bits = (1..=self.classes).map(|class| u8::try_from(class).unwrap());
        let mut operations = vec![
            OperationSketch { asked_once: vec![0], ..operation(CLASSIFY, 0) },
            OperationSketch { asked_for_finds: vec![1], ..operation(DRIVEN, 1) },
        ];
        let by_class_of = (2..).zip(FOUND).take(usize::try_from(self.classes).unwrap());
        operations
            .extend(by_class_of.map(|(group, name)| OperationSketch { asked_once: vec![group], ..operation(name, 1) }));
        Sketch {
            attributes: vec![AttributeSketch { name: "a", kind: AttributeKind::Word, known_later: false }],
            operations,
            rules: vec![("rule", 0); usize::try_from(self.classes).unwrap()],
            terms: vec![TermsSketch::of(Effect::Allow)],
            lanes: vec![
                lane(Finds::Class(self.classes + 1)),
                lane(Finds::Bits((0..=self.classes).map(|class| 1 << class).collect())),
            ],
            groups: [group(When::found(0), 0), group(When::each(0), 1)]
                .into_iter()
                .chain(bits.clone().map(|bit| group(When::ONCE, 1 + u32::from(bit))))
                .collect(),
            states: self.states.clone(),
            nodes: [by_class(0), by_class(Node::DRIVER)].into_iter().chain(bits.map(by_bit)).collect(),
            ..Sketch::default()
        }
    }
}

/// A table of an automaton, to be looked through.
pub(crate) struct Watch<'a> {
    table: &'a Table<'a>,
    operations: Vec<OperationId>,
}

impl<'a> Watch<'a> {
    pub(crate) fn over(table: &'a Table<'a>) -> Self {
        let names = [CLASSIFY, DRIVEN].into_iter().chain(FOUND);
        Self { table, operations: names.filter_map(|name| table.find_operation(name)).collect() }
    }

    /// What decisions show of a string.
    pub(crate) fn seen(&self, string: &[u8]) -> Seen {
        let strings = [Some(string)];
        let classes = self.operations.iter().map(|operation| {
            let facts = Facts { operation: *operation, roles: &[], strings: &strings, numbers: &[], flags: 0 };
            decide(self.table, &facts).rule().map_or(0, |rule| rule.0 + 1)
        });
        let classes: Vec<u32> = classes.collect();
        let found = (1..).zip(&classes[2..]).filter(|(_, rule)| **rule != 0).map(|(class, _)| class);
        Seen { class: classes[0], least: classes[1], found: found.collect() }
    }
}

/// A class to end with.
pub(crate) fn done(class: u32) -> Target {
    Target::Done(Class(class))
}

const CLASSIFY: &str = "classify";
const DRIVEN: &str = "driven";
const FOUND: [&str; 9] =
    ["found-1", "found-2", "found-3", "found-4", "found-5", "found-6", "found-7", "found-8", "found-9"];
