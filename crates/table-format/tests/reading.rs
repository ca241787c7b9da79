//! What an opened table answers: rows by name and by number, lists, and nothing for numbers that no row has.

#![cfg(test)]

mod support;

use support::automata::{Automata, StateSketch};
use support::files::{self, Golden};
use support::{blake3, golden};
use table_format::{
    After, Cell, Child, Class, Direction, Edge, Effect, Jump, LaneMode, Pin, RoleId, RuleId, Section, Sieve, Span,
    State, Table, Target, TextRef, When,
};

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
        assert_eq!(table.run(row(Section::Runs)), None);
        assert_eq!(table.cell(row(Section::Cells)), None);
        assert_eq!(table.head(row(Section::Cells) + 1), None);
        assert_eq!(table.step(row(Section::Cells), 0), None);
        assert!(table.cells_of(row(Section::Cells)).is_none());
        assert_eq!(table.edge(row(Section::Words)), None);
        assert_eq!(table.root(row(Section::Words), RoleId::NONE), None);
        assert_eq!(table.text(TextRef(row(Section::Texts))), "");
        let span = Span { first: row(Section::Words), count: 1 };
        assert_eq!(table.list(span).len(), 0);
        assert_eq!(table.limits(span).count(), 0);
    }
    assert_eq!(table.head(0), None);
    let scan = table.lane(2).unwrap();
    assert_eq!([0, 1].map(|class| table.bits(&scan, Class(class))), [Some(0), Some(1)]);
    assert_eq!(table.bits(&scan, Class(2)), None);
}

#[test]
fn an_operation_lists_its_walks_groups_and_budgets() {
    let bytes = files::every_row().bytes;
    let table = Table::open(&bytes, Pin::Unpinned, blake3).unwrap();
    let sketch = golden::every_row();
    let row = |name: &str| table.operation(table.find_operation(name).unwrap()).unwrap();
    for said in &sketch.operations {
        let operation = row(said.name);
        let walks: Vec<_> = table.walks(&operation).unwrap().map(|walk| (walk.lane(), walk.string())).collect();
        assert_eq!(walks, said.lanes, "{}", said.name);
        for walk in table.walks(&operation).unwrap() {
            let lane = table.lane(walk.lane()).unwrap();
            assert_eq!((walk.start(), walk.mode(), walk.direction()), (lane.start, lane.mode, lane.direction));
        }
        let asked_once: Vec<_> = table.asked_once(&operation).unwrap().collect();
        let for_finds: Vec<_> = table.asked_for_finds(&operation).unwrap().collect();
        assert_eq!(asked_once.iter().map(|ask| ask.group).collect::<Vec<_>>(), said.asked_once, "{}", said.name);
        assert_eq!(for_finds.iter().map(|ask| ask.group).collect::<Vec<_>>(), said.asked_for_finds, "{}", said.name);
        for ask in asked_once.into_iter().chain(for_finds) {
            assert_eq!(Some(ask.row), table.group(ask.group), "{}", said.name);
        }
        assert_eq!(table.budgets(&operation).collect::<Vec<_>>(), said.budgets, "{}", said.name);
        assert_eq!(table.numbers(&operation).collect::<Vec<_>>(), said.numbers, "{}", said.name);
    }
    let file: Vec<_> = table.walks(&row("file.read")).unwrap().collect();
    let how = |place: usize| (file[place].mode(), file[place].direction());
    assert_eq!(how(0), (LaneMode::Classify, Direction::Forward));
    assert_eq!(how(1), (LaneMode::Classify, Direction::Backward));
    assert_eq!(how(2), (LaneMode::Scan, Direction::Forward));
    let Some(State::Hop { stop: b'/', choice }) = table.state(0) else { panic!("the first state is a hop") };
    assert_eq!(
        file.iter().map(|walk| walk.sieve()).collect::<Vec<_>>(),
        [None, None, Some(Sieve { stop: b'/', choice })]
    );
    let push: Vec<_> = table.walks(&row("git.push")).unwrap().collect();
    assert_eq!((push[0].mode(), push[0].direction(), push[0].sieve()), (LaneMode::Scan, Direction::Backward, None));
}

#[test]
fn a_choice_knows_its_own_bytes_and_no_others() {
    use StateSketch::{Choice, Emit, Hop, Run, Skip};
    let bytes = files::every_row().bytes;
    let table = Table::open(&bytes, Pin::Unpinned, blake3).unwrap();
    let sketch = golden::every_row();
    let automata = Automata::new(&sketch.states, &sketch.lanes);
    let mut hops = (0..).filter_map(|state| match table.state(state).unwrap() {
        State::Hop { choice, .. } => Some(choice),
        State::Skip { .. } | State::Emit { .. } => None,
    });
    let mut seen = 0;
    for (number, state) in (0..).zip(&sketch.states) {
        let (choice, edges, end, otherwise) = match state {
            Choice { edges, end, otherwise } => {
                (automata.jump(Target::State(number)).choice().unwrap(), edges, *end, *otherwise)
            }
            Hop { edges, end, .. } => (hops.next().unwrap(), edges, *end, Target::Done(Class(0))),
            Run { .. } | Skip { .. } | Emit { .. } => continue,
        };
        assert_eq!(table.head(choice), Some((end, automata.jump(otherwise))), "{number}");
        for byte in 0..=u8::MAX {
            let next = edges.iter().find(|(other, _)| *other == byte).map(|(_, next)| automata.jump(*next));
            assert_eq!(table.step(choice, byte), next, "{number}, {byte}");
            if let Some(cells) = table.cells_of(choice) {
                assert_eq!(cells.has(byte), next.is_some(), "{number}, {byte}");
            }
            let cell = next.map(|next| Cell::Byte { choice, next });
            assert!(cell.is_none() || table.cell(choice + u32::from(byte)) == cell, "{number}, {byte}");
        }
        assert!(table.cells_of(choice).is_some() || !matches!(state, Hop { .. }), "{number}");
        seen += 1;
    }
    assert_eq!(seen, 7);
}

#[test]
fn a_group_starts_somewhere_else_for_each_role() {
    let bytes = files::every_row().bytes;
    let table = Table::open(&bytes, Pin::Unpinned, blake3).unwrap();
    for (number, group) in (0..).zip(golden::every_row().groups) {
        let row = table.group(number).unwrap();
        assert_eq!(row.when, group.when);
        let roles = [RoleId::NONE].into_iter().chain(table.roles());
        let roots: Vec<Child> = roles.map(|role| table.root(row.first, role).unwrap().child().0).collect();
        assert_eq!(roots, group.roots, "{number}");
    }
}

#[test]
fn words_that_are_edges_or_jumps_are_read_as_they_were_written() {
    use Effect::{Allow, Ask, Deny};
    for number in [0, 1, 7, 1 << 27, (1 << 28) - 1] {
        for effect in [Deny, Ask, Allow] {
            for child in [Child::Rule(number), Child::Within(number), Child::Exceeded(number)] {
                let edge = Edge::new(child, effect);
                // Whoever denies has no limits to keep.
                let read = if effect == Deny { Child::Within(number) } else { child };
                let is_nothing = edge == Edge::NOTHING;
                assert_eq!((edge.child(), edge.node(), is_nothing), ((read, Some(effect)), None, false));
                let is_open = matches!(read, Child::Rule(_));
                assert_eq!(edge.rank().is_none(), is_open, "{child:?} {effect:?}");
            }
            let node = Edge::new(Child::Node(number), effect);
            assert_eq!((node.child(), node.node()), ((Child::Node(number), None), Some(number)));
            assert_eq!(Edge::new(Child::Nothing, effect), Edge::NOTHING);
        }
        let jump = |target| Jump::from(target);
        for target in [Target::Choice(number), Target::Run(number), Target::State(number), Target::Done(Class(number))]
        {
            assert_eq!(jump(target).target(), target);
            assert_eq!(jump(target).choice(), if let Target::Choice(choice) = target { Some(choice) } else { None });
            assert_eq!(jump(target).run(), if let Target::Run(run) = target { Some(run) } else { None });
            assert_eq!(jump(target).class(), Class(number));
        }
    }
    let last = Child::Node((1 << 31) - 1);
    assert_eq!(Edge::new(last, Deny).child(), (last, None));
    assert_eq!(Edge::NOTHING, Edge(u32::MAX));
    assert_eq!((Edge::NOTHING.child(), Edge::NOTHING.node()), ((Child::Nothing, None), None));
    assert_eq!(Jump(u32::MAX).target(), Target::Done(Class((1 << 30) - 1)));
}

#[test]
fn after_a_run_stands_what_it_says() {
    for (after, nothing, slash, other) in [
        (After::Anything, true, true, true),
        (After::SlashOrNothing, true, true, false),
        (After::Nothing, true, false, false),
    ] {
        let said = [None, Some(b'/'), Some(b'a')].map(|next| after.allows(next));
        assert_eq!(said, [nothing, slash, other], "{after:?}");
    }
}

#[test]
fn a_role_is_the_one_of_its_number_and_no_other() {
    let bytes = files::every_row().bytes;
    let table = Table::open(&bytes, Pin::Unpinned, blake3).unwrap();
    for (number, role) in (0..).zip(table.roles()) {
        assert!(table.is_role(role, number));
        assert!(!table.is_role(role, number + 1) && !table.is_role(RoleId::NONE, number));
    }
}

#[test]
fn ranks_of_edges_are_those_of_voices_and_then_of_rules() {
    let rules = [0, 1, (1 << 28) - 1];
    let voices = [
        rules.map(|rule| Edge::new(Child::Within(rule), Effect::Deny)),
        rules.map(|rule| Edge::new(Child::Within(rule), Effect::Ask)),
        rules.map(|rule| Edge::new(Child::Exceeded(rule), Effect::Ask)),
        rules.map(|rule| Edge::new(Child::Within(rule), Effect::Allow)),
        rules.map(|rule| Edge::new(Child::Exceeded(rule), Effect::Allow)),
    ];
    let ranks: Vec<u32> = voices.concat().into_iter().chain([Edge::NOTHING]).map(|edge| edge.rank().unwrap()).collect();
    assert!(ranks.is_sorted_by(|one, other| one < other), "{ranks:?}");
}

#[test]
fn when_a_group_is_asked_is_read_as_it_was_written() {
    for lane in 0..32 {
        assert_eq!(When::found(lane).needed(), usize::from(lane));
        assert_eq!(When::found(lane).finds_of(), None);
        assert_eq!(When::each(lane).finds_of(), Some(usize::from(lane)));
    }
    assert_eq!(When::ONCE.finds_of(), None);
    assert!(When::ONCE.needed() >= table_format::LANES_PER_OPERATION_MAX);
}
