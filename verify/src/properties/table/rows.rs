//! Rows -> bytes -> rows: what comes back is what was given.

use table_format::{
    After, Attribute, AttributeKind, Budget, BudgetRoles, Cell, Class, Direction, Edge, Effect, Group, Jump, Lane,
    LaneMode, Limit, Measure, Node, Operation, Period, Role, Rule, RuleId, Run, Section, Span, State, Table, Target,
    Terms, TextRef, When,
};

use super::Filed;
use crate::cases::{Case, Premise, Source};
use crate::sheet::{NO_NAME, SILENT, SOURCES, Sheet, TEXTS, VOUCHED, number, open_vouched};

/// A row of a section, made of numbers, in a table that has what rows of that section need.
#[derive(Debug, Clone, Copy)]
pub struct Rows<const SECTION: usize> {
    /// The section, by its place in the file.
    pub section: usize,
    /// What the row says.
    pub values: [u64; 4],
}

impl<const SECTION: usize> Case for Rows<SECTION> {
    fn draw<S: Source>(source: &mut S) -> Self {
        let section = if SECTION == ALL_SECTIONS { source.below(ALL_SECTIONS) } else { SECTION };
        let mut values = [0; 4];
        for value in &mut values {
            *value = source.number(VALUES);
        }
        Self { section, values }
    }
}

/// Every row that is read is the one that was written.
pub fn tables_are_read_as_written<const SECTION: usize>(case: &Rows<SECTION>) -> Premise {
    let sheet = sheet(case.section, case.values);
    let mut file = Filed::<5>::of(&[]);
    // What refers to nothing, or says more than its place can hold, is not written.
    let Ok(written) = sheet.write(file.room()) else {
        return Premise::Missed;
    };
    let Ok(table) = open_vouched(written) else {
        unreachable!("what is written opens");
    };
    assert!(table.digest() == VOUCHED && table.header().sources == SOURCES, "digests are those that were given");
    assert!(table.header().name == NO_NAME, "the name is the one that was given");
    assert!(is_there(&sheet, &table), "every row is the one that was given");
    Premise::Met
}

fn is_there(sheet: &Sheet, table: &Table<'_>) -> bool {
    fn all<T: Copy + PartialEq>(rows: &[T], read: impl Fn(u32) -> Option<T>) -> bool {
        (0..).zip(rows).all(|(place, row)| read(place) == Some(*row)) && read(number(rows.len())).is_none()
    }
    let at = |place: u32| usize::try_from(place).unwrap_or(usize::MAX);
    all(sheet.runs.rows(), |place| table.run(place))
        && all(sheet.cells.rows(), |place| table.cell(place))
        && all(sheet.roles.rows(), |place| table.role(table.roles().nth(at(place))?))
        && all(sheet.attributes.rows(), |place| table.attribute(place))
        && all(sheet.operations.rows(), |place| table.operation(table.operations().nth(at(place))?))
        && all(sheet.rules.rows(), |place| table.rule(RuleId(place)))
        && sheet
            .rules
            .rows()
            .iter()
            .zip(0..)
            .all(|(rule, place)| sheet.terms.rows().get(at(rule.terms)).copied() == table.terms(RuleId(place)))
        && all(sheet.limits.rows(), |place| table.limits(Span { first: place, count: 1 }).next())
        && all(sheet.budgets.rows(), |place| table.budget(place))
        && all(sheet.lanes.rows(), |place| table.lane(place))
        && all(sheet.groups.rows(), |place| table.group(place))
        && all(sheet.states.rows(), |place| table.state(place))
        && all(sheet.nodes.rows(), |place| table.node(place))
        && all(sheet.words.rows(), |place| table.word(place))
        && table.text(NO_NAME).is_empty()
}

/// A table with a row of that section.
fn sheet(section: usize, values: [u64; 4]) -> Sheet {
    let mut sheet = Sheet::new();
    sheet.texts.add_all(TEXTS);
    if let Some(section) = Section::ALL.get(section) {
        add(&mut sheet, *section, values);
    }
    sheet
}

fn add(sheet: &mut Sheet, section: Section, [a, b, c, d]: [u64; 4]) {
    let (name, jump) = (TextRef(word(a)), Jump(word(c)));
    match section {
        Section::Runs => {
            let after = pick(c, [After::Anything, After::SlashOrNothing, After::Nothing]);
            let [len, ..] = b.to_le_bytes();
            let miss = Class(word(c >> 2));
            sheet.runs.add(Run { bytes: a.to_le_bytes(), len, after, next: Jump(word(d)), miss });
        }
        Section::Cells => {
            let head = Cell::Head { end: Class(word(b)), otherwise: jump };
            sheet.cells.add(pick(a, [head, Cell::Byte { choice: word(b), next: jump }, Cell::Free]));
        }
        Section::Roles => {
            sheet.roles.add(Role { name });
        }
        Section::Attributes => {
            let kind = pick(b, AttributeKind::ALL);
            sheet.attributes.add(Attribute { name, kind, known_later: c & 1 == 1 });
        }
        Section::Operations => add_operation(sheet, [a, b, c, d]),
        Section::Rules => {
            sheet.terms.add(PLAIN_TERMS);
            sheet.rules.add(Rule { name, terms: word(b) });
        }
        Section::Terms => {
            let effect = pick(a, [Effect::Deny, Effect::Ask, Effect::Allow]);
            // Five is no text.
            let text = |value| (value != 5).then_some(TextRef(word(value)));
            let limits = Span { first: 0, count: word(d) };
            sheet.terms.add(Terms { effect, code: text(b), because: text(c), limits, requirements: Span::default() });
            sheet.rules.add(Rule { name: NO_NAME, terms: 0 });
        }
        Section::Limits => {
            sheet.attributes.add(Attribute { name: NO_NAME, kind: AttributeKind::Count, known_later: true });
            sheet.terms.add(Terms { limits: Span { first: 0, count: 1 }, ..PLAIN_TERMS });
            sheet.rules.add(Rule { name: NO_NAME, terms: 0 });
            sheet.limits.add(Limit { attribute: word(a), most: b });
        }
        Section::Budgets => {
            sheet.attributes.add(Attribute { name: NO_NAME, kind: AttributeKind::Size, known_later: false });
            let measure = if b == 5 { Measure::Calls } else { Measure::Sum(word(b)) };
            let period = pick(d, [Period::Session, Period::Minute, Period::Hour, Period::Day]);
            let roles = if d >= 5 {
                sheet.roles.add(Role { name: NO_NAME });
                sheet.words.add(0);
                BudgetRoles::Roles(Span { first: 0, count: 1 })
            } else {
                BudgetRoles::Anyone
            };
            sheet.budgets.add(Budget { name, measure, most: c, period, roles });
        }
        Section::Lanes => {
            sheet.attributes.add(Attribute { name: NO_NAME, kind: AttributeKind::Word, known_later: false });
            let mode = pick(b, [LaneMode::Classify, LaneMode::Scan]);
            let direction = pick(b >> 1, [Direction::Forward, Direction::Backward]);
            if mode == LaneMode::Scan {
                sheet.words.add_all([word(a), word(d)].get(..number_of(d)).unwrap_or_default());
            }
            sheet.lanes.add(Lane { attribute: word(a), start: jump, mode, direction, classes: word(d), first: 0 });
        }
        Section::Groups => {
            sheet.words.add(Edge::NOTHING.0);
            sheet.groups.add(Group { when: When(word(a)), first: word(b) });
        }
        Section::States => {
            let [stop, ..] = b.to_le_bytes();
            let skip = State::Skip { stop, next: jump, end: Class(word(d)) };
            let emit = State::Emit { class: Class(word(d)), next: jump };
            sheet.states.add(pick(a, [skip, State::Hop { stop, choice: word(c) }, emit]));
        }
        Section::Nodes => add_node(sheet, [a, b, c, d]),
        Section::Words => {
            // A lane that scans has words that may say anything.
            sheet.attributes.add(Attribute { name: NO_NAME, kind: AttributeKind::Word, known_later: false });
            sheet.words.add_all(&[word(a), word(b)]);
            let (start, mode) = (Target::Done(Class(0)).into(), LaneMode::Scan);
            let classes = sheet.words.len();
            sheet.lanes.add(Lane { attribute: 0, start, mode, direction: Direction::Forward, classes, first: 0 });
        }
        Section::Texts => {}
    }
}

fn add_operation(sheet: &mut Sheet, [a, b, c, d]: [u64; 4]) {
    let kinds = [AttributeKind::Host, AttributeKind::Duration, AttributeKind::Flag];
    let has = [c & 1, c >> 1 & 1, c >> 2 & 1].map(|has| has == 1);
    for (place, (kind, has)) in (0..).zip(kinds.into_iter().zip(has)) {
        sheet.attributes.add(Attribute { name: NO_NAME, kind, known_later: false });
        if has {
            sheet.words.add(place);
        }
    }
    let [strings, numbers, flags] = has.map(u16::from);
    let [complex, always_asked, ..] = d.to_le_bytes();
    sheet.operations.add(Operation {
        name: TextRef(word(a)),
        denial_code: TextRef(word(b)),
        walks: sheet.words.len(),
        group_list: sheet.words.len(),
        strings,
        numbers,
        flags,
        complex,
        always_asked,
        ..SILENT
    });
}

fn add_node(sheet: &mut Sheet, [a, b, c, d]: [u64; 4]) {
    let none = Edge::NOTHING.0;
    let [slot, bit, ..] = b.to_le_bytes();
    let (one, other) = (Edge(word(c)), Edge(word(d)));
    let own = |sheet: &mut Sheet, words: &[u32]| Span { first: sheet.words.add_all(words), count: number(words.len()) };
    let node = match a % 5 {
        0 => Node::Flag { slot, unset: one, set: other },
        1 => Node::Bit { lane: slot, bit, unset: one, set: other },
        2 => Node::Range { lane: slot, low: word(c), children: own(sheet, &[none]), otherwise: other },
        3 => Node::Sorted { lane: slot, pairs: own(sheet, &[word(c), none]), otherwise: other },
        _ => {
            own(sheet, &[word(c), word(c >> 32), none, none]);
            Node::Number { slot, first: 0, bounds: 1, open: other }
        }
    };
    sheet.nodes.add(node);
}

/// The lower half.
fn word(value: u64) -> u32 {
    u32::try_from(value & u64::from(u32::MAX)).unwrap_or(u32::MAX)
}

fn number_of(value: u64) -> usize {
    usize::try_from(value).unwrap_or(usize::MAX)
}

fn pick<T: Copy, const N: usize>(value: u64, among: [T; N]) -> T {
    let count = u64::try_from(N).unwrap_or(u64::MAX);
    match among.get(number_of(value % count)) {
        Some(picked) => *picked,
        None => unreachable!("a remainder is below what it is of"),
    }
}

/// Every section that has rows, one after the other.
pub const ALL_SECTIONS: usize = 14;
/// The section of words, which are written as they are: a row of another section is read again and compared, and a
/// model checker that does not know how that ends knows nothing of what is written behind it.
pub const WORDS: usize = 13;
const PLAIN_TERMS: Terms = Terms {
    effect: Effect::Allow,
    code: None,
    because: None,
    limits: Span { first: 0, count: 0 },
    requirements: Span { first: 0, count: 0 },
};
/// Texts, rows and small counts; classes, edges and jumps to the end; and what has too many bits for its place.
const VALUES: &[u64] = &[0, 1, 2, 5, 256, 0xc000_0001, 0xffff_ffff, u64::MAX];
