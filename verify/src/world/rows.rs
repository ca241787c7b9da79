//! Rules -> the rows of a table that says the same: a group for each rule, nodes for what it asks, and automata for
//! what rules ask of the string.

use table_format::{
    After, Ask, Attribute, AttributeKind, Cell, Child, Class, Direction, Edge, Effect, Group, Jump, Lane, LaneMode,
    Limit, Node, Operation, Role, Rule as RuleRow, Run, Span, State, Target, Terms, When, walk_words,
};

use super::{
    A, Allows, Always, Anyone, Asks, B, Denies, Drawn, First, Flag, FlagAndSmall, HasSlash, IsBa, IsOther, Limited,
    MOST, Middle, Named, NoFlag, Nobody, NotBehindA, OnlyFirst, Rule, SLASH, Second, Small, StartsWithA, Unbounded,
};
use crate::sheet::{LETTER, List, NO_NAME, RULES_MAX, SILENT, Sheet, TEXTS, number};

/// The table of these rules, for two roles or for none.
pub(crate) fn sheet(rules: &[Rule], has_roles: bool) -> Sheet {
    let mut sheet = Sheet::new();
    sheet.texts.add_all(TEXTS);
    if has_roles {
        sheet.roles.add_all(&[NO_NAME, LETTER].map(|name| Role { name }));
    }
    for kind in [AttributeKind::Word, AttributeKind::Count, AttributeKind::Flag, AttributeKind::Size] {
        sheet.attributes.add(Attribute { name: NO_NAME, kind, known_later: kind == AttributeKind::Size });
    }
    let lanes = Lanes::of(rules);
    lanes.add_states(&mut sheet);
    let places = Places::of(rules, &lanes, sheet.roles.len());
    lanes.add_rows(&mut sheet, places.lanes);
    let mut diagram = Diagram { lanes, first: places.nodes, words: List::of(0) };
    let mut roots = [Edge::NOTHING; RULES_MAX];
    let mut requirement = places.terms;
    for ((place, rule), root) in (0..).zip(rules).zip(&mut roots) {
        let requirements = Span { first: requirement, count: u32::from(is_checked(rule)) };
        requirement = requirement.saturating_add(requirements.count);
        add_rule(&mut sheet, rule, requirements);
        *root = diagram.rule(&mut sheet, rule, place);
        sheet.groups.add(Group { when: lanes.when(rule), first: places.root(place) });
    }
    add_operation(&mut sheet, &lanes, rules);
    for _ in rules.iter().filter(|rule| is_checked(rule)) {
        sheet.words.add(LETTER.0);
    }
    sheet.words.add_all(lanes.bits());
    for (rule, root) in rules.iter().zip(roots) {
        add_roots(&mut sheet, rule, root, has_roles);
    }
    sheet.words.add_all(diagram.words.rows());
    sheet
}

/// Where words start. They come in the order of the sections.
struct Places {
    terms: u32,
    lanes: u32,
    roots: u32,
    nodes: u32,
    each: u32,
}

impl Places {
    fn of(rules: &[Rule], lanes: &Lanes, roles: u32) -> Self {
        let each = roles.saturating_add(1);
        let groups = number(rules.len());
        let asks = groups.saturating_mul(number(Ask::WORDS));
        let walks = lanes.count().saturating_mul(number(table_format::WALK_WORDS));
        let terms = number(SLOTS.len()).saturating_add(walks).saturating_add(asks);
        let checked = rules.iter().filter(|rule| is_checked(rule)).count();
        let after_terms = terms.saturating_add(number(checked));
        let roots = after_terms.saturating_add(number(lanes.bits().len()));
        Self { terms, lanes: after_terms, roots, nodes: roots.saturating_add(groups.saturating_mul(each)), each }
    }

    fn root(&self, rule: u32) -> u32 {
        self.roots.saturating_add(rule.saturating_mul(self.each))
    }
}

/// Whether there is something to check before the rule permits anything.
fn is_checked(rule: &Rule) -> bool {
    rule.is_limited() && rule.bound == Limited
}

fn add_rule(sheet: &mut Sheet, rule: &Rule, requirements: Span) {
    let first = sheet.limits.len();
    if rule.is_limited() {
        if rule.bound == Limited {
            sheet.limits.add(Limit { attribute: LATER, most: 0 });
        }
        sheet.limits.add(Limit { attribute: NUMBER, most: MOST });
    }
    let terms = sheet.terms.add(Terms {
        effect: effect(rule),
        code: rule.has_code().then_some(LETTER),
        because: None,
        limits: Span { first, count: sheet.limits.len().saturating_sub(first) },
        requirements,
    });
    sheet.rules.add(RuleRow { name: LETTER, terms });
}

fn add_operation(sheet: &mut Sheet, lanes: &Lanes, rules: &[Rule]) {
    let first = sheet.words.add_all(&SLOTS);
    let walks = sheet.words.len();
    let rows = sheet.lanes;
    for (place, lane) in (0..).zip(rows.rows()) {
        sheet.words.add_all(&walk_words(place, lane, 0, None));
    }
    let group_list = sheet.words.len();
    let groups = sheet.groups;
    let is_for_finds = |group: &Group| group.when.finds_of().is_some();
    let mut asked_once = 0;
    for wants_finds in [false, true] {
        for (group, row) in (0..).zip(groups.rows()).filter(|(_, row)| is_for_finds(row) == wants_finds) {
            sheet.words.add_all(&Ask { group, row: *row }.words());
            asked_once = if wants_finds { asked_once } else { small(asked_once.into(), 1) };
        }
    }
    sheet.operations.add(Operation {
        first,
        walks,
        group_list,
        strings: 1,
        numbers: 1,
        flags: 1,
        complex: 1,
        always_asked: u8::from(groups.rows().iter().any(|group| group.when == When::ONCE)),
        lanes: small(lanes.count(), 0),
        groups: small(number(rules.len()), 0),
        asked_once,
        ..SILENT
    });
}

fn add_roots(sheet: &mut Sheet, rule: &Rule, root: Edge, has_roles: bool) {
    let none = Edge::NOTHING;
    let [nobody, first, second] = match rule.who {
        Anyone => [root, root, root],
        First => [none, root, none],
        Second => [none, none, root],
        Nobody => [root, none, none],
    };
    sheet.words.add(nobody.0);
    if has_roles {
        sheet.words.add_all(&[first.0, second.0]);
    }
}

/// Nodes, and the words they own.
struct Diagram {
    lanes: Lanes,
    /// Where the words start.
    first: u32,
    words: List<u32, 48>,
}

impl Diagram {
    /// The way to a rule, from what is asked first.
    fn rule(&mut self, sheet: &mut Sheet, rule: &Rule, place: u32) -> Edge {
        let end = |child| Edge::new(child, effect(rule));
        let (within, none) = (end(Child::Within(place)), Edge::NOTHING);
        let leaf = match rule.bound {
            Unbounded => within,
            Limited => end(Child::Rule(place)),
            Drawn => self.number(sheet, &[MOST], &[within, end(Child::Exceeded(place))], within),
        };
        let lane = rule.automaton().and_then(|automaton| self.lanes.place(automaton)).unwrap_or_default();
        match rule.asked {
            Always | Named => leaf,
            Flag => node(sheet, Node::Flag { slot: 0, unset: none, set: leaf }),
            NoFlag => node(sheet, Node::Flag { slot: 0, unset: leaf, set: none }),
            Small => self.number(sheet, &[1], &[leaf, none], none),
            Middle => self.number(sheet, &[1, 3], &[none, leaf, none], leaf),
            StartsWithA => {
                let children = self.own(&[leaf.0]);
                node(sheet, Node::Range { lane, low: 1, children, otherwise: none })
            }
            IsBa => {
                let pairs = self.own(&[2, leaf.0]);
                node(sheet, Node::Sorted { lane, pairs, otherwise: none })
            }
            IsOther => {
                let pairs = self.own(&[1, none.0, 2, none.0]);
                node(sheet, Node::Sorted { lane, pairs, otherwise: leaf })
            }
            HasSlash => node(sheet, Node::Bit { lane, bit: 0, unset: none, set: leaf }),
            NotBehindA => node(sheet, Node::Bit { lane, bit: 31, unset: leaf, set: none }),
            OnlyFirst => {
                let children = self.own(&[none.0, none.0, leaf.0]);
                node(sheet, Node::Range { lane: Node::DRIVER, low: 1, children, otherwise: none })
            }
            FlagAndSmall => {
                let small = self.number(sheet, &[1], &[leaf, none], none);
                node(sheet, Node::Flag { slot: 0, unset: none, set: small })
            }
        }
    }

    fn number(&mut self, sheet: &mut Sheet, bounds: &[u64], children: &[Edge], open: Edge) -> Edge {
        let first = self.first.saturating_add(self.words.len());
        for bound in bounds {
            // Bounds are small: the upper half is zero.
            self.words.add_all(&[u32::try_from(*bound).unwrap_or(u32::MAX), 0]);
        }
        for child in children {
            self.words.add(child.0);
        }
        node(sheet, Node::Number { slot: 0, first, bounds: small(number(bounds.len()), 0), open })
    }

    fn own(&mut self, words: &[u32]) -> Span {
        let first = self.first.saturating_add(self.words.add_all(words));
        Span { first, count: number(words.len()) }
    }
}

fn node(sheet: &mut Sheet, node: Node) -> Edge {
    Edge::new(Child::Node(sheet.nodes.add(node)), Effect::Deny)
}

/// What reads the string.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Automaton {
    /// Class 1: it is [`B`], and nothing or a slash follows. A run alone, which takes no loop of a model checker's.
    Name,
    /// Class 1: it starts with [`A`]; class 2: it is [`B`] and [`A`].
    Start,
    /// From the end. Class 1: there is a slash; class 2: and [`A`] before it; class 3: and nothing before it.
    Slashes,
}

impl Rule {
    fn automaton(&self) -> Option<Automaton> {
        match self.asked {
            Named => Some(Automaton::Name),
            StartsWithA | IsBa | IsOther => Some(Automaton::Start),
            HasSlash | NotBehindA | OnlyFirst => Some(Automaton::Slashes),
            Always | Flag | Small | NoFlag | Middle | FlagAndSmall => None,
        }
    }
}

/// The automata that some rule needs, in their order.
#[derive(Clone, Copy)]
struct Lanes {
    has: [bool; 3],
}

impl Lanes {
    fn of(rules: &[Rule]) -> Self {
        let has = |automaton| rules.iter().any(|rule| rule.automaton() == Some(automaton));
        Self { has: AUTOMATA.map(has) }
    }

    fn count(&self) -> u32 {
        number(self.has.iter().filter(|has| **has).count())
    }

    fn place(&self, automaton: Automaton) -> Option<u8> {
        let mut place = 0_u8;
        for (other, has) in AUTOMATA.into_iter().zip(self.has) {
            if other == automaton {
                return has.then_some(place);
            }
            place = place.saturating_add(u8::from(has));
        }
        None
    }

    fn when(&self, rule: &Rule) -> When {
        let lane = rule.automaton().and_then(|automaton| self.place(automaton)).unwrap_or_default();
        match rule.asked {
            Named => When::found(lane),
            OnlyFirst => When::each(lane),
            Always | Flag | Small | NoFlag | Middle | StartsWithA | IsBa | IsOther | HasSlash | NotBehindA
            | FlagAndSmall => When::ONCE,
        }
    }

    /// What the lane that scans remembers of its classes.
    fn bits(&self) -> &'static [u32] {
        match self.place(Automaton::Slashes) {
            Some(_) => &[0, 1, 1 << 31, 2],
            None => &[],
        }
    }

    fn add_states(&self, sheet: &mut Sheet) {
        let done = |class| Jump::from(Target::Done(Class(class)));
        let run = |text: &[u8], after, next| {
            let mut bytes = [0; table_format::RUN_BYTES_MAX];
            let len = bytes.iter_mut().zip(text).map(|(to, from)| *to = *from).count();
            Run { bytes, len: u8::try_from(len).unwrap_or_default(), after, next, miss: Class(0) }
        };
        if self.place(Automaton::Name).is_some() {
            sheet.runs.add(run(&[B], After::SlashOrNothing, done(1)));
        }
        if self.place(Automaton::Start).is_some() {
            let rest = sheet.runs.add(run(&[A], After::Nothing, done(2)));
            let choice = sheet.cells.add(Cell::Head { end: Class(0), otherwise: done(0) }).saturating_add(1);
            sheet.cells.add(Cell::Byte { choice, next: done(1) });
            sheet.cells.add(Cell::Byte { choice, next: Target::Run(rest).into() });
        }
        if self.place(Automaton::Slashes).is_some() {
            let choice = sheet.cells.add(Cell::Head { end: Class(3), otherwise: done(0) }).saturating_add(1);
            sheet.cells.add(Cell::Byte { choice, next: done(2) });
            let skip = State::Skip { stop: SLASH, next: Target::State(1).into(), end: Class(0) };
            sheet.states.add_all(&[skip, State::Emit { class: Class(1), next: Target::Choice(choice).into() }]);
        }
    }

    fn add_rows(&self, sheet: &mut Sheet, first: u32) {
        // Choices come behind their heads, the one of the first automaton before the other's.
        let rows = [
            (Automaton::Name, Target::Run(0), LaneMode::Classify, Direction::Forward, 2),
            (Automaton::Start, Target::Choice(1), LaneMode::Classify, Direction::Forward, 3),
            (Automaton::Slashes, Target::State(0), LaneMode::Scan, Direction::Backward, 4),
        ];
        for (automaton, start, mode, direction, classes) in rows {
            if self.place(automaton).is_some() {
                sheet.lanes.add(Lane { attribute: STRING, start: start.into(), mode, direction, classes, first });
            }
        }
    }
}

fn effect(rule: &Rule) -> Effect {
    match rule.does {
        Denies => Effect::Deny,
        Asks => Effect::Ask,
        Allows => Effect::Allow,
    }
}

/// A sum that is never too large for a place of two bytes.
fn small(one: u32, other: u16) -> u16 {
    u16::try_from(one).unwrap_or(u16::MAX).saturating_add(other)
}

const AUTOMATA: [Automaton; 3] = [Automaton::Name, Automaton::Start, Automaton::Slashes];
const STRING: u32 = 0;
const NUMBER: u32 = 1;
/// A number that only the act shows, of no operation.
const LATER: u32 = 3;
/// The attributes of the operation: a string, a number and a flag.
const SLOTS: [u32; 3] = [STRING, NUMBER, 2];
