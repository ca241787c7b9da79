//! Table -> what is in it, counted from its rows.

use std::collections::{BTreeMap, BTreeSet};

use policy_table::hex;
use serde::Serialize;
use table_format::{
    Budget, BudgetRoles, Direction, Effect, FORMAT_VERSION, Jump, LANGUAGE_VERSION, LaneMode, Measure, Node, Operation,
    Period, RuleId, Section, State, Table, Target,
};

use super::sections::{Rows, rows_of, sections};

/// Everything `inspect` says about a table.
#[derive(Debug, Serialize)]
pub(super) struct Contents {
    pub(super) policy: String,
    pub(super) format_version: u32,
    pub(super) language_version: u32,
    pub(super) blake3: String,
    pub(super) sources: String,
    pub(super) bytes: u64,
    pub(super) sections: Vec<Rows>,
    pub(super) rules: Rules,
    pub(super) roles: Vec<String>,
    pub(super) operations: Vec<OperationContents>,
    pub(super) lanes: Vec<LaneContents>,
    pub(super) nodes: Nodes,
    pub(super) budgets: Vec<BudgetContents>,
}

#[derive(Debug, Default, Serialize)]
pub(super) struct Rules {
    pub(super) deny: usize,
    pub(super) ask: usize,
    pub(super) allow: usize,
}

/// An operation, with its lanes by number.
#[derive(Debug, Serialize)]
pub(super) struct OperationContents {
    pub(super) name: String,
    pub(super) lanes: Vec<u32>,
    /// Groups of rules that are asked once for a request.
    pub(super) groups_asked_once: u16,
    /// Groups of rules that are asked for each find of a lane.
    pub(super) groups_driven: u16,
    pub(super) budgets: u16,
}

/// An automaton over one attribute.
#[derive(Debug, Serialize)]
pub(super) struct LaneContents {
    pub(super) lane: u32,
    pub(super) attribute: String,
    pub(super) mode: &'static str,
    pub(super) direction: &'static str,
    pub(super) classes: u32,
    pub(super) states: usize,
    /// True when the attribute needs many automata, so that each string is walked by all of them.
    pub(super) split: bool,
}

/// Nodes of the decision diagram by what they ask.
#[derive(Debug, Default, Serialize)]
pub(super) struct Nodes {
    pub(super) flag: usize,
    pub(super) bit: usize,
    pub(super) range: usize,
    pub(super) sorted: usize,
    pub(super) number: usize,
}

#[derive(Debug, Serialize)]
pub(super) struct BudgetContents {
    pub(super) name: String,
    /// Whose; none for anyone's.
    pub(super) roles: Option<Vec<String>>,
    pub(super) measure: String,
    pub(super) most: u64,
    pub(super) period: &'static str,
}

impl Contents {
    pub(super) fn of(table: &Table<'_>) -> Self {
        let sections = sections(table);
        Self {
            policy: table.name().to_owned(),
            format_version: FORMAT_VERSION,
            language_version: LANGUAGE_VERSION,
            blake3: hex(&table.digest()),
            sources: hex(&table.header().sources),
            bytes: sections.iter().map(|section| section.bytes).sum(),
            sections,
            rules: rules(table),
            roles: table.roles().filter_map(|role| table.role(role)).map(|role| text(table, role.name)).collect(),
            operations: table
                .operations()
                .filter_map(|operation| table.operation(operation))
                .map(|operation| operation_contents(table, &operation))
                .collect(),
            lanes: lanes(table),
            nodes: nodes(table),
            budgets: (0..rows_of(table, Section::Budgets))
                .filter_map(|budget| table.budget(budget))
                .map(|budget| budget_contents(table, &budget))
                .collect(),
        }
    }
}

impl Rules {
    pub(super) fn total(&self) -> usize {
        self.deny.saturating_add(self.ask).saturating_add(self.allow)
    }
}

impl Nodes {
    pub(super) fn total(&self) -> usize {
        [self.flag, self.bit, self.range, self.sorted, self.number].into_iter().sum()
    }
}

fn rules(table: &Table<'_>) -> Rules {
    let mut rules = Rules::default();
    for terms in (0..rows_of(table, Section::Rules)).filter_map(|rule| table.terms(RuleId(rule))) {
        let count = match terms.effect {
            Effect::Deny => &mut rules.deny,
            Effect::Ask => &mut rules.ask,
            Effect::Allow => &mut rules.allow,
        };
        *count = count.saturating_add(1);
    }
    rules
}

fn nodes(table: &Table<'_>) -> Nodes {
    let mut nodes = Nodes::default();
    for node in (0..rows_of(table, Section::Nodes)).filter_map(|node| table.node(node)) {
        let count = match node {
            Node::Flag { .. } => &mut nodes.flag,
            Node::Bit { .. } => &mut nodes.bit,
            Node::Range { .. } => &mut nodes.range,
            Node::Sorted { .. } => &mut nodes.sorted,
            Node::Number { .. } => &mut nodes.number,
        };
        *count = count.saturating_add(1);
    }
    nodes
}

fn operation_contents(table: &Table<'_>, operation: &Operation) -> OperationContents {
    OperationContents {
        name: text(table, operation.name),
        lanes: table.walks(operation).into_iter().flatten().map(|walk| walk.lane()).collect(),
        groups_asked_once: operation.asked_once,
        groups_driven: operation.groups.saturating_sub(operation.asked_once),
        budgets: operation.budgets,
    }
}

fn lanes(table: &Table<'_>) -> Vec<LaneContents> {
    let all: Vec<_> = (0..rows_of(table, Section::Lanes)).filter_map(|lane| Some((lane, table.lane(lane)?))).collect();
    let mut of_attribute: BTreeMap<u32, usize> = BTreeMap::new();
    for (_, lane) in &all {
        let count = of_attribute.entry(lane.attribute).or_default();
        *count = count.saturating_add(1);
    }
    let contents = |(number, lane): &(u32, table_format::Lane)| LaneContents {
        lane: *number,
        attribute: attribute_name(table, lane.attribute),
        mode: match lane.mode {
            LaneMode::Classify => "classify",
            LaneMode::Scan => "scan",
        },
        direction: match lane.direction {
            Direction::Forward => "forward",
            Direction::Backward => "backward",
        },
        classes: lane.classes,
        states: states_reached(table, lane.start),
        split: of_attribute.get(&lane.attribute).is_some_and(|count| *count > LANES_UNSPLIT_MAX),
    };
    all.iter().map(contents).collect()
}

fn budget_contents(table: &Table<'_>, budget: &Budget) -> BudgetContents {
    BudgetContents {
        name: text(table, budget.name),
        roles: match budget.roles {
            BudgetRoles::Anyone => None,
            BudgetRoles::Roles(roles) => {
                let numbers: BTreeSet<u32> = table.list(roles).collect();
                let is_one = |role: &table_format::RoleId| numbers.iter().any(|number| table.is_role(*role, *number));
                let rows = table.roles().filter(is_one).filter_map(|role| table.role(role));
                Some(rows.map(|role| text(table, role.name)).collect())
            }
        },
        measure: match budget.measure {
            Measure::Calls => policy_model::catalogue::CALLS.to_owned(),
            Measure::Sum(attribute) => attribute_name(table, attribute),
        },
        most: budget.most,
        period: match budget.period {
            Period::Session => "session",
            Period::Minute => "minute",
            Period::Hour => "hour",
            Period::Day => "day",
        },
    }
}

fn attribute_name(table: &Table<'_>, attribute: u32) -> String {
    table.attribute(attribute).map(|attribute| text(table, attribute.name)).unwrap_or_default()
}

fn text(table: &Table<'_>, text: table_format::TextRef) -> String {
    table.text(text).to_owned()
}

/// Counts the states that a walk from the start of a lane can reach.
fn states_reached(table: &Table<'_>, start: Jump) -> usize {
    let mut reached = BTreeSet::new();
    let mut to_visit: Vec<Jump> = vec![start];
    while let Some(jump) = to_visit.pop() {
        let target = jump.target();
        if !matches!(target, Target::Done(_)) && reached.insert(target) {
            to_visit.extend(nexts(table, target));
        }
    }
    reached.len()
}

fn nexts(table: &Table<'_>, target: Target) -> Vec<Jump> {
    let choice = |choice| (0..=u8::MAX).filter_map(move |byte| table.step(choice, byte));
    match target {
        Target::Choice(number) => choice(number).chain(table.head(number).map(|(_, otherwise)| otherwise)).collect(),
        Target::Run(number) => table.run(number).map(|run| run.next).into_iter().collect(),
        Target::State(number) => match table.state(number) {
            Some(State::Skip { next, .. } | State::Emit { next, .. }) => vec![next],
            Some(State::Hop { choice: number, .. }) => choice(number).collect(),
            None => Vec::new(),
        },
        Target::Done(_) => Vec::new(),
    }
}

/// An attribute has a lane over the starts of strings, one over their ends, and one or two over whole
/// strings. With more its patterns were split over slower ones.
const LANES_UNSPLIT_MAX: usize = 4;
