//! Rows -> the numbers that their fields should hold, by the document's names: a second opinion on the spelling.

use table_format::{
    Attribute, Budget, BudgetRoles, Direction, Effect, Group, Lane, LaneMode, Limit, Measure, Node, Operation, Period,
    Role, Rule, State, Terms,
};

use super::draft::Draft;

/// What a row of the document's name holds, field by field. Fields called `zero` go without saying.
pub(crate) struct Spelled {
    /// `roles`, or a section and a kind: `states.run`.
    pub(crate) row: &'static str,
    pub(crate) fields: Vec<(&'static str, u64)>,
}

/// Every row of every section with fields, in the order of the file.
pub(crate) fn rows(draft: &Draft) -> Vec<Vec<Spelled>> {
    vec![
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
        ("start", lane.start.word().into()),
        ("mode", mode),
        ("direction", direction),
        ("classes", lane.classes.into()),
        ("first", lane.first.into()),
    ];
    spelled("lanes", fields)
}

fn group(group: &Group) -> Spelled {
    spelled("groups", [("driver", group.driver.map_or(NONE, u64::from)), ("first", group.first.into())])
}

fn state(state: &State) -> Spelled {
    match *state {
        State::Run { at, len, next, miss } => {
            let fields =
                [("len", len.into()), ("at", at.into()), ("next", next.word().into()), ("miss", miss.0.into())];
            of_kind("states.run", 0, &fields)
        }
        State::Sparse { count, first, otherwise, end } => {
            let otherwise = otherwise.word().into();
            let fields =
                [("count", count.into()), ("first", first.into()), ("otherwise", otherwise), ("end", end.0.into())];
            of_kind("states.sparse", 1, &fields)
        }
        State::Range { low, count, first, otherwise, end } => {
            let (otherwise, end) = (("otherwise", otherwise.word().into()), ("end", end.0.into()));
            let fields = [("low", low.into()), ("count", count.into()), ("first", first.into()), otherwise, end];
            of_kind("states.range", 2, &fields)
        }
        State::Skip { stop, next, end } => {
            let fields = [("stop", stop.into()), ("next", next.word().into()), ("end", end.0.into())];
            of_kind("states.skip", 3, &fields)
        }
        State::Emit { class, next } => {
            of_kind("states.emit", 4, &[("class", class.0.into()), ("next", next.word().into())])
        }
        State::Hop { low, count, first, stop, end } => {
            let (stop, end) = (("stop", stop.into()), ("end", end.0.into()));
            let fields = [("low", low.into()), ("count", count.into()), ("first", first.into()), stop, end];
            of_kind("states.hop", 5, &fields)
        }
    }
}

fn node(node: &Node) -> Spelled {
    match *node {
        Node::Flag { slot, unset, set } => {
            of_kind("nodes.flag", 0, &[("slot", slot.into()), ("unset", unset.0.into()), ("set", set.0.into())])
        }
        Node::Bit { lane, bit, unset, set } => {
            let fields = [("lane", lane.into()), ("bit", bit.into()), ("unset", unset.0.into()), ("set", set.0.into())];
            of_kind("nodes.bit", 1, &fields)
        }
        Node::Range { lane, low, children, otherwise } => {
            let (first, count) = (("first", children.first.into()), ("count", children.count.into()));
            let fields = [("lane", lane.into()), ("low", low.into()), count, first, ("otherwise", otherwise.0.into())];
            of_kind("nodes.range", 2, &fields)
        }
        Node::Sorted { lane, pairs, otherwise } => {
            let (first, count) = (("first", pairs.first.into()), ("count", pairs.count.into()));
            of_kind("nodes.sorted", 3, &[("lane", lane.into()), count, first, ("otherwise", otherwise.0.into())])
        }
        Node::Number { slot, first, bounds, open } => {
            let (first, bounds) = (("first", first.into()), ("bounds", bounds.into()));
            of_kind("nodes.number", 4, &[("slot", slot.into()), bounds, first, ("open", open.0.into())])
        }
    }
}

fn of_kind(row: &'static str, kind: u64, fields: &[(&'static str, u64)]) -> Spelled {
    Spelled { row, fields: [&[("kind", kind)], fields].concat() }
}

/// Instead of a reference: there is none.
const NONE: u64 = 0xFFFF_FFFF;
