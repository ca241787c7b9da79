//! Rows -> the numbers that their fields should hold, by the document's names: a second opinion on the spelling.

use table_format::{
    After, Attribute, Budget, BudgetRoles, Cell, Child, Direction, Edge, Effect, Group, Jump, Lane, LaneMode, Limit,
    Measure, Node, Operation, Period, Role, Rule, Run, State, Target, Terms, When,
};

use super::draft::Draft;

/// What a row of the document's name holds, field by field. Fields called `zero` go without saying.
pub(crate) struct Spelled {
    /// `roles`, or a section and a kind: `states.skip`.
    pub(crate) row: &'static str,
    pub(crate) fields: Vec<(&'static str, u64)>,
}

/// Every row of every section with fields, in the order of the file.
pub(crate) fn rows(draft: &Draft) -> Vec<Vec<Spelled>> {
    vec![
        draft.runs.iter().map(run).collect(),
        draft.cells.iter().map(cell).collect(),
        draft.roles.iter().map(role).collect(),
        draft.attributes.iter().map(attribute).collect(),
        draft.operations.iter().map(operation).collect(),
        draft.rules.iter().map(rule).collect(),
        draft.terms.iter().map(terms).collect(),
        draft.limits.iter().map(limit).collect(),
        draft.budgets.iter().map(budget).collect(),
        draft.lanes.iter().map(lane).collect(),
        draft.groups.iter().map(group).collect(),
        draft.states.iter().map(state).collect(),
        draft.nodes.iter().map(node).collect(),
    ]
}

fn spelled<const N: usize>(row: &'static str, fields: [(&'static str, u64); N]) -> Spelled {
    Spelled { row, fields: fields.to_vec() }
}

fn role(role: &Role) -> Spelled {
    spelled("roles", [("name", role.name.0.into())])
}

fn attribute(attribute: &Attribute) -> Spelled {
    use table_format::AttributeKind::{Command, Count, Duration, Flag, Host, Hundredths, Model, Path, Ref, Size, Word};
    let kind = match attribute.kind {
        Path => 0,
        Ref => 1,
        Host => 2,
        Command => 3,
        Model => 4,
        Word => 5,
        Flag => 6,
        Count => 7,
        Size => 8,
        Duration => 9,
        Hundredths => 10,
    };
    let known_later = attribute.known_later.into();
    spelled("attributes", [("name", attribute.name.0.into()), ("kind", kind), ("known_later", known_later)])
}

fn operation(row: &Operation) -> Spelled {
    let fields = [
        ("name", row.name.0.into()),
        ("denial_code", row.denial_code.0.into()),
        ("first", row.first.into()),
        ("walks", row.walks.into()),
        ("group_list", row.group_list.into()),
        ("strings", row.strings.into()),
        ("numbers", row.numbers.into()),
        ("flags", row.flags.into()),
        ("complex", row.complex.into()),
        ("always_asked", row.always_asked.into()),
        ("lanes", row.lanes.into()),
        ("groups", row.groups.into()),
        ("asked_once", row.asked_once.into()),
        ("budgets", row.budgets.into()),
    ];
    spelled("operations", fields)
}

fn rule(rule: &Rule) -> Spelled {
    spelled("rules", [("name", rule.name.0.into()), ("terms", rule.terms.into())])
}

fn terms(terms: &Terms) -> Spelled {
    let effect = match terms.effect {
        Effect::Deny => 0,
        Effect::Ask => 1,
        Effect::Allow => 2,
    };
    let fields = [
        ("effect", effect),
        ("code", terms.code.map_or(NONE, |text| text.0.into())),
        ("because", terms.because.map_or(NONE, |text| text.0.into())),
        ("limits_first", terms.limits.first.into()),
        ("limits_count", terms.limits.count.into()),
        ("requirements_first", terms.requirements.first.into()),
        ("requirements_count", terms.requirements.count.into()),
    ];
    spelled("terms", fields)
}

fn limit(limit: &Limit) -> Spelled {
    spelled("limits", [("attribute", limit.attribute.into()), ("most", limit.most)])
}

fn budget(budget: &Budget) -> Spelled {
    let measure = match budget.measure {
        Measure::Calls => NONE,
        Measure::Sum(attribute) => attribute.into(),
    };
    let period = match budget.period {
        Period::Session => 0,
        Period::Minute => 1,
        Period::Hour => 2,
        Period::Day => 3,
    };
    let (has_roles, first, count) = match budget.roles {
        BudgetRoles::Anyone => (0, 0, 0),
        BudgetRoles::Roles(span) => (1, span.first.into(), span.count.into()),
    };
    let fields = [
        ("name", budget.name.0.into()),
        ("measure", measure),
        ("most", budget.most),
        ("period", period),
        ("has_roles", has_roles),
        ("first", first),
        ("count", count),
    ];
    spelled("budgets", fields)
}

fn lane(lane: &Lane) -> Spelled {
    let mode = match lane.mode {
        LaneMode::Classify => 0,
        LaneMode::Scan => 1,
    };
    let direction = match lane.direction {
        Direction::Forward => 0,
        Direction::Backward => 1,
    };
    let fields = [
        ("attribute", lane.attribute.into()),
        ("start", jump(lane.start)),
        ("mode", mode),
        ("direction", direction),
        ("classes", lane.classes.into()),
        ("first", lane.first.into()),
    ];
    spelled("lanes", fields)
}

fn group(group: &Group) -> Spelled {
    spelled("groups", [("when", when(group.when)), ("first", group.first.into())])
}

fn state(state: &State) -> Spelled {
    match *state {
        State::Skip { stop, next, end } => {
            of_kind("states.skip", 0, &[("stop", stop.into()), ("next", jump(next)), ("end", end.0.into())])
        }
        State::Hop { stop, choice } => of_kind("states.hop", 1, &[("stop", stop.into()), ("choice", choice.into())]),
        State::Emit { class, next } => of_kind("states.emit", 2, &[("next", jump(next)), ("class", class.0.into())]),
    }
}

fn run(run: &Run) -> Spelled {
    let bytes = u64::from_le_bytes(run.bytes);
    let after = match run.after {
        After::Anything => 0,
        After::SlashOrNothing => 1,
        After::Nothing => 2,
    };
    let miss = u64::from(run.miss.0) + (after << 22);
    let fields = [("bytes", bytes), ("next", jump(run.next)), ("miss", miss), ("len", run.len.into())];
    spelled("runs", fields)
}

fn cell(cell: &Cell) -> Spelled {
    match *cell {
        Cell::Head { end, otherwise } => {
            spelled("cells.head", [("end", 0x8000_0000 + u64::from(end.0)), ("otherwise", jump(otherwise))])
        }
        Cell::Byte { choice, next } => spelled("cells.byte", [("choice", choice.into()), ("next", jump(next))]),
        Cell::Free => spelled("cells.free", [("mark", 0x4000_0000)]),
    }
}

fn node(node: &Node) -> Spelled {
    match *node {
        Node::Flag { slot, unset, set } => {
            of_kind("nodes.flag", 0, &[("slot", slot.into()), ("unset", edge(unset)), ("set", edge(set))])
        }
        Node::Bit { lane, bit, unset, set } => {
            let fields = [("lane", lane.into()), ("bit", bit.into()), ("unset", edge(unset)), ("set", edge(set))];
            of_kind("nodes.bit", 1, &fields)
        }
        Node::Range { lane, low, children, otherwise } => {
            let (first, count) = (("first", children.first.into()), ("count", children.count.into()));
            let fields = [("lane", lane.into()), ("low", low.into()), count, first, ("otherwise", edge(otherwise))];
            of_kind("nodes.range", 2, &fields)
        }
        Node::Sorted { lane, pairs, otherwise } => {
            let (first, count) = (("first", pairs.first.into()), ("count", pairs.count.into()));
            of_kind("nodes.sorted", 3, &[("lane", lane.into()), count, first, ("otherwise", edge(otherwise))])
        }
        Node::Number { slot, first, bounds, open } => {
            let (first, bounds) = (("first", first.into()), ("bounds", bounds.into()));
            of_kind("nodes.number", 4, &[("slot", slot.into()), bounds, first, ("open", edge(open))])
        }
    }
}

/// Where a walk goes on.
fn jump(jump: Jump) -> u64 {
    match jump.target() {
        Target::Choice(choice) => choice.into(),
        Target::Run(run) => 0x4000_0000 + u64::from(run),
        Target::State(state) => 0x8000_0000 + u64::from(state),
        Target::Done(class) => 0xC000_0000 + u64::from(class.0),
    }
}

/// When a group is asked.
fn when(when: When) -> u64 {
    match when.finds_of() {
        Some(lane) => 256 + u64::try_from(lane).unwrap(),
        None if when == When::ONCE => 255,
        None => u64::try_from(when.needed()).unwrap(),
    }
}

/// Where a way through the diagram leads.
fn edge(edge: Edge) -> u64 {
    use Effect::{Allow, Ask, Deny};
    let (code, rule) = match edge.child() {
        (Child::Node(node), _) => (0, node),
        (Child::Nothing, _) => return NONE,
        (Child::Within(rule), Some(Deny)) => (8, rule),
        (Child::Within(rule), Some(Ask)) => (9, rule),
        (Child::Exceeded(rule), Some(Ask)) => (10, rule),
        (Child::Within(rule), Some(Allow)) => (11, rule),
        (Child::Exceeded(rule), Some(Allow)) => (12, rule),
        (Child::Rule(rule), Some(Ask)) => (13, rule),
        (Child::Rule(rule), Some(Allow)) => (14, rule),
        other => panic!("{other:?} is no edge"),
    };
    (code << 28) + u64::from(rule)
}

fn of_kind(row: &'static str, kind: u64, fields: &[(&'static str, u64)]) -> Spelled {
    Spelled { row, fields: [&[("kind", kind)], fields].concat() }
}

/// Instead of a reference: there is none.
const NONE: u64 = 0xFFFF_FFFF;
