//! bytes -> Table: everything is checked once, so that later reads cannot fail.
//!
//! The order of the checks matters: first the type and length of the file, then its digest, and only then
//! its contents, so that unauthenticated bytes are never interpreted. Rows that are referred to are checked
//! before those that refer to them where possible. Every row is read and written back, so that it has only
//! one spelling.

use crate::bytes::{Sink, index};
use crate::error::{OpenError, Section};
use crate::header::{Digest, HEADER_BYTES, Header, Pin, digest_of};
use crate::rows::{
    Ask, Attribute, AttributeKind, Budget, BudgetRoles, Child, Edge, FLAGS_MAX, Group, LANES_PER_OPERATION_MAX, Lane,
    LaneMode, Limit, Measure, Node, Operation, ROLES_MAX, ROW_BYTES_MAX, RULES_MAX, Role, Rule, SLOTS_MAX, Sieve, Span,
    Terms, TextRef, Walk, When, row_bytes, walk_words,
};
use crate::spelling::Row;
use crate::states::{After, Cell, Class, Direction, JUMPS_MAX, Jump, RUN_BYTES_MAX, Run, State, Target};
use crate::table::{RuleId, Table, span, text_at};

impl<'a> Table<'a> {
    /// Opens a table: checks the header, the digest with the given hash function, and every row.
    ///
    /// The cost is proportional to the length, whatever the bytes are. `hash` gets the parts of one message in
    /// order.
    ///
    /// # Errors
    /// The first failed check.
    pub fn open(bytes: &'a [u8], pin: Pin, hash: impl FnOnce(&[&[u8]]) -> Digest) -> Result<Self, OpenError> {
        let header = Header::read(bytes)?;
        if u64::try_from(bytes.len()).ok() != Some(header.file_bytes()) {
            return Err(OpenError::Length { expected: header.file_bytes(), found: bytes.len() });
        }
        match pin {
            Pin::Exactly(digest) if digest != header.digest => return Err(OpenError::NotThePinned),
            Pin::Exactly(_) | Pin::Unpinned => {}
        }
        if digest_of(bytes, hash) != Some(header.digest) {
            return Err(OpenError::Digest);
        }
        let table = sections(header, bytes).ok_or(OpenError::Truncated { bytes: bytes.len() })?;
        Check { table: &table, words: 0, limits: 0 }.all()?;
        Ok(table)
    }
}

/// Splits the bytes into sections. The length has been checked, so each is complete.
#[inline(never)]
fn sections(header: Header, bytes: &[u8]) -> Option<Table<'_>> {
    let mut cut = Cut { counts: header.counts, next: 0, rest: bytes.get(HEADER_BYTES..)?, is_short: false };
    let table = Table {
        header,
        runs: cut.rows(),
        cells: cut.rows(),
        roles: cut.rows(),
        attributes: cut.rows(),
        operations: cut.rows(),
        rules: cut.rows(),
        terms: cut.rows(),
        limits: cut.rows(),
        budgets: cut.rows(),
        lanes: cut.rows(),
        groups: cut.rows(),
        states: cut.rows(),
        nodes: cut.rows(),
        words: cut.rows(),
        texts: cut.section(),
    };
    (!cut.is_short).then_some(table)
}

/// The bytes that are not yet split.
struct Cut<'a> {
    counts: [u32; Section::ALL.len()],
    next: usize,
    rest: &'a [u8],
    /// Set if a section was incomplete. It is empty then, and so are those after it.
    is_short: bool,
}

impl<'a> Cut<'a> {
    fn rows<const N: usize>(&mut self) -> &'a [[u8; N]] {
        self.section().as_chunks().0
    }

    fn section(&mut self) -> &'a [u8] {
        let (place, rest) = (self.next, self.rest);
        self.next = place.wrapping_add(1);
        let count = self.counts.get(place).copied().map(index);
        let width = Section::ALL.get(place).map(|section| usize::from(row_bytes(*section)));
        let bytes = count.zip(width).and_then(|(count, width)| count.checked_mul(width));
        let (section, rest) = bytes.and_then(|bytes| rest.split_at_checked(bytes)).unwrap_or_else(|| {
            self.is_short = true;
            (&[], &[])
        });
        self.rest = rest;
        section
    }
}

/// A check in progress; counts the words and limits that rows own so far.
struct Check<'t, 'a> {
    table: &'t Table<'a>,
    words: u32,
    limits: u32,
}

/// The words of one row.
type Words<'a> = core::iter::Map<core::slice::Iter<'a, [u8; 4]>, fn(&[u8; 4]) -> u32>;

/// The result of checking one row: `None` for an invalid reference.
type Sound = Option<()>;

impl<'a> Check<'_, 'a> {
    /// Checks the sections in the order in which their rows own words.
    #[inline(never)]
    fn all(&mut self) -> Result<(), OpenError> {
        let table = self.table;
        self.bounds()?;
        self.text(table.header.name).ok_or(OpenError::Reference { section: Section::Texts, row: 0 })?;
        self.rows(Section::Runs, table.runs, Self::run)?;
        self.rows(Section::Cells, table.cells, Self::cell)?;
        self.rows(Section::Roles, table.roles, Self::role)?;
        self.rows(Section::Attributes, table.attributes, Self::attribute)?;
        self.rows(Section::Operations, table.operations, Self::operation)?;
        self.rows(Section::Rules, table.rules, Self::rule)?;
        self.rows(Section::Terms, table.terms, Self::terms)?;
        self.rows(Section::Limits, table.limits, Self::limit)?;
        self.rows(Section::Budgets, table.budgets, Self::budget)?;
        self.rows(Section::Lanes, table.lanes, Self::lane)?;
        self.rows(Section::Groups, table.groups, Self::group)?;
        self.rows(Section::States, table.states, Self::state)?;
        self.rows(Section::Nodes, table.nodes, Self::node)?;
        if index(self.words) != table.words.len() {
            return Err(OpenError::Unowned { section: Section::Words });
        }
        if index(self.limits) != table.limits.len() {
            return Err(OpenError::Unowned { section: Section::Limits });
        }
        self.sorted()
    }

    fn bounds(&self) -> Result<(), OpenError> {
        let bound = |section, count: usize, most: u32| {
            if count > index(most) { Err(OpenError::TooMany { section }) } else { Ok(()) }
        };
        bound(Section::Runs, self.table.runs.len(), JUMPS_MAX)?;
        bound(Section::Cells, self.table.cells.len(), JUMPS_MAX)?;
        bound(Section::Roles, self.table.roles.len(), ROLES_MAX)?;
        bound(Section::Rules, self.table.rules.len(), RULES_MAX)?;
        bound(Section::States, self.table.states.len(), JUMPS_MAX)
    }

    /// Reads and checks every row of a section, and compares its spelling.
    fn rows<R: Row, const N: usize>(
        &mut self,
        section: Section,
        rows: &[[u8; N]],
        check: impl Fn(&mut Self, u32, R) -> Sound,
    ) -> Result<(), OpenError> {
        // No section has more rows than this, and a range with an end cannot overflow.
        for (row, bytes) in (0..u32::MAX).zip(rows) {
            let read = R::read_row(bytes).filter(|value| spells(value, bytes));
            let value = read.ok_or(OpenError::Row { section, row })?;
            check(self, row, value).ok_or(OpenError::Reference { section, row })?;
        }
        Ok(())
    }

    fn role(&mut self, _: u32, role: Role) -> Sound {
        self.text(role.name)
    }

    fn attribute(&mut self, _: u32, attribute: Attribute) -> Sound {
        self.text(attribute.name)
    }

    fn operation(&mut self, _: u32, operation: Operation) -> Sound {
        self.text(operation.name)?;
        self.text(operation.denial_code)?;
        let in_bounds = operation.strings <= SLOTS_MAX
            && operation.numbers <= SLOTS_MAX
            && operation.flags <= FLAGS_MAX
            && u16::from(operation.complex) <= operation.flags
            && operation.asked_once <= operation.groups
            && operation.first.checked_add(operation.walks_offset()) == Some(operation.walks)
            && operation.first.checked_add(operation.groups_offset()) == Some(operation.group_list)
            && usize::from(operation.lanes) <= LANES_PER_OPERATION_MAX;
        sound(in_bounds)?;
        let mut words = self.own(operation.first, operation.words())?;
        for _ in 0..operation.strings {
            sound(self.table.attribute(words.next()?)?.kind.is_string())?;
        }
        for _ in 0..operation.numbers {
            sound(self.table.attribute(words.next()?)?.kind.is_number())?;
        }
        for _ in 0..operation.flags {
            sound(self.table.attribute(words.next()?)?.kind == AttributeKind::Flag)?;
        }
        // Walks and asks repeat the rows of lanes and groups, so each copy must be exact.
        for _ in 0..operation.lanes {
            let spelled = [words.next()?, words.next()?, words.next()?, words.next()?];
            let bytes = spelled.map(u32::to_le_bytes);
            let walk = Walk(&bytes);
            let lane = self.table.lane(walk.lane())?;
            sound(walk.string() < operation.strings)?;
            sound(walk_words(walk.lane(), &lane, walk.string(), self.sieve(&lane)) == spelled)?;
        }
        let mut is_always_asked = false;
        for place in 0..operation.groups {
            let spelled = [words.next()?, words.next()?, words.next()?];
            let ask = Ask::of(spelled);
            let when = ask.row.when;
            let lanes = usize::from(operation.lanes);
            sound(self.table.group(ask.group)? == ask.row && ask.words() == spelled)?;
            // Groups asked once come first.
            sound(when.finds_of().is_some() == (place >= operation.asked_once))?;
            sound(when == When::ONCE || when.finds_of().unwrap_or(when.needed()) < lanes)?;
            is_always_asked |= when == When::ONCE;
        }
        sound(u8::from(is_always_asked) == operation.always_asked)?;
        for _ in 0..operation.budgets {
            sound(index(words.next()?) < self.table.budgets.len())?;
        }
        Some(())
    }

    fn sieve(&self, lane: &Lane) -> Option<Sieve> {
        let start = match lane.start.target() {
            Target::State(state) => self.table.state(state)?,
            Target::Choice(_) | Target::Run(_) | Target::Done(_) => return None,
        };
        match (lane.mode, lane.direction, start) {
            (LaneMode::Scan, Direction::Forward, State::Hop { stop, choice }) => {
                let (end, _) = self.table.head(choice)?;
                (end == Class(0)).then_some(Sieve { stop, choice })
            }
            _ => None,
        }
    }

    fn rule(&mut self, _: u32, rule: Rule) -> Sound {
        self.text(rule.name)?;
        sound(index(rule.terms) < self.table.terms.len())
    }

    fn terms(&mut self, _: u32, terms: Terms) -> Sound {
        for text in terms.code.into_iter().chain(terms.because) {
            self.text(text)?;
        }
        sound(terms.limits.first == self.limits)?;
        self.limits = self.limits.checked_add(terms.limits.count)?;
        sound(index(self.limits) <= self.table.limits.len())?;
        let requirements = terms.requirements;
        for text in self.own(requirements.first, requirements.count)? {
            self.text(TextRef(text))?;
        }
        Some(())
    }

    fn limit(&mut self, _: u32, limit: Limit) -> Sound {
        let attribute = self.table.attribute(limit.attribute)?;
        sound(attribute.kind.is_number())
    }

    fn budget(&mut self, _: u32, budget: Budget) -> Sound {
        self.text(budget.name)?;
        match budget.measure {
            Measure::Calls => {}
            Measure::Sum(attribute) => sound(self.table.attribute(attribute)?.kind.is_number())?,
        }
        match budget.roles {
            BudgetRoles::Anyone => {}
            BudgetRoles::Roles(roles) => {
                for role in self.own(roles.first, roles.count)? {
                    sound(index(role) < self.table.roles.len())?;
                }
            }
        }
        Some(())
    }

    fn lane(&mut self, _: u32, lane: Lane) -> Sound {
        sound(self.table.attribute(lane.attribute)?.kind.is_string())?;
        self.jump(lane.start)?;
        let words = match lane.mode {
            LaneMode::Classify => 0,
            LaneMode::Scan => lane.classes,
        };
        self.own(lane.first, words).map(|_| ())
    }

    fn group(&mut self, _: u32, group: Group) -> Sound {
        let lane = group.when.finds_of().unwrap_or(group.when.needed());
        sound(group.when == When::ONCE || lane < LANES_PER_OPERATION_MAX)?;
        let roles = u32::try_from(self.table.roles.len()).ok()?;
        for root in self.own(group.first, roles.checked_add(1)?)? {
            self.child(Edge(root), u32::MAX)?;
        }
        Some(())
    }

    fn state(&mut self, _: u32, state: State) -> Sound {
        match state {
            State::Skip { next, .. } => self.jump(next),
            State::Hop { choice, .. } => {
                self.table.cells_of(choice)?;
                sound(self.table.head(choice)?.1.target() == Target::Done(Class(0)))
            }
            // A find takes no byte; two in a row could loop for ever.
            State::Emit { next, .. } => match next.target() {
                Target::State(state) if matches!(self.table.state(state)?, State::Emit { .. }) => None,
                Target::Choice(_) | Target::Run(_) | Target::State(_) | Target::Done(_) => self.jump(next),
            },
        }
    }

    fn run(&mut self, _: u32, run: Run) -> Sound {
        let len = usize::from(run.len);
        let (head, tail) = (run.bytes.get(len..)?, run.bytes.get(..RUN_BYTES_MAX.checked_sub(len)?)?);
        let is_zero = |rest: &[u8]| rest.iter().all(|byte| *byte == 0);
        sound(len > 0 && (is_zero(head) || is_zero(tail)))?;
        sound(run.after == After::Anything || matches!(run.next.target(), Target::Done(_)))?;
        self.jump(run.next)
    }

    fn cell(&mut self, row: u32, cell: Cell) -> Sound {
        match cell {
            Cell::Head { otherwise, .. } => self.jump(otherwise),
            Cell::Byte { choice, next } => {
                sound(row.checked_sub(choice)? < BYTE_VALUES)?;
                self.table.head(choice)?;
                self.jump(next)
            }
            Cell::Free => Some(()),
        }
    }

    fn node(&mut self, row: u32, node: Node) -> Sound {
        let owned = node.words();
        let first = if owned.count == 0 { self.words } else { owned.first };
        let mut words = self.own(first, owned.count)?;
        match node {
            Node::Flag { slot, unset, set } => {
                sound(u16::from(slot) < FLAGS_MAX)?;
                self.child(unset, row)?;
                self.child(set, row)
            }
            Node::Bit { lane, bit, unset, set } => {
                sound(is_lane(lane) && u32::from(bit) < u32::BITS)?;
                self.child(unset, row)?;
                self.child(set, row)
            }
            Node::Range { lane, children, otherwise, .. } => {
                sound((is_lane(lane) || lane == Node::DRIVER) && children.count > 0)?;
                self.child(otherwise, row)?;
                words.try_for_each(|word| self.child(Edge(word), row))
            }
            Node::Sorted { lane, pairs, otherwise } => {
                sound((is_lane(lane) || lane == Node::DRIVER) && pairs.count > 0 && pairs.count.is_multiple_of(2))?;
                self.child(otherwise, row)?;
                let mut last = None;
                while let Some(class) = words.next() {
                    sound(last.is_none_or(|last| last < class))?;
                    last = Some(class);
                    self.child(Edge(words.next()?), row)?;
                }
                Some(())
            }
            Node::Number { first, bounds, open, .. } => {
                sound(bounds > 0)?;
                self.child(open, row)?;
                let mut last = None;
                for bound in 0..u32::from(bounds) {
                    let most = self.table.long(first.checked_add(bound.checked_mul(2)?)?)?;
                    sound(last.is_none_or(|last| last < most))?;
                    last = Some(most);
                }
                let mut children = words.skip(usize::from(bounds).checked_mul(2)?);
                children.try_for_each(|word| self.child(Edge(word), row))
            }
        }
    }

    /// Gives a row the next words, which it must name as its own.
    fn own(&mut self, first: u32, count: u32) -> Option<Words<'a>> {
        sound(first == self.words)?;
        self.words = self.words.checked_add(count)?;
        sound(index(self.words) <= self.table.words.len())?;
        Some(span(self.table.words, Span { first, count }).iter().map(|word| u32::from_le_bytes(*word)))
    }

    fn text(&self, text: TextRef) -> Sound {
        text_at(self.table.texts, text).map(|_| ())
    }

    fn jump(&self, jump: Jump) -> Sound {
        match jump.target() {
            Target::Choice(choice) => self.table.head(choice).map(|_| ()),
            Target::Run(run) => sound(index(run) < self.table.runs.len()),
            Target::State(state) => sound(index(state) < self.table.states.len()),
            Target::Done(_) => Some(()),
        }
    }

    /// Checks that a node only leads to nodes before it, so that every path through the diagram ends, and that
    /// the effect in an edge is that of the rule's terms.
    fn child(&self, edge: Edge, parent: u32) -> Sound {
        let (child, effect) = edge.child();
        match child {
            Child::Node(node) => sound(node < parent && index(node) < self.table.nodes.len()),
            Child::Nothing => sound(edge == Edge::NOTHING),
            Child::Rule(rule) | Child::Within(rule) | Child::Exceeded(rule) => {
                sound(Some(self.table.terms(RuleId(rule))?.effect) == effect)
            }
        }
    }

    /// Checks the order of roles and operations, which are looked up by name.
    fn sorted(&self) -> Result<(), OpenError> {
        let table = self.table;
        let roles = table.roles().filter_map(|role| table.role(role)).map(|role| table.text(role.name));
        ascending(Section::Roles, roles)?;
        let operations = table.operations().filter_map(|operation| table.operation(operation));
        ascending(Section::Operations, operations.map(|operation| table.text(operation.name)))
    }
}

fn ascending<'n>(section: Section, names: impl Iterator<Item = &'n str>) -> Result<(), OpenError> {
    let mut last = None;
    for (row, name) in (0..u32::MAX).zip(names) {
        if last.is_some_and(|last| last >= name) {
            return Err(OpenError::Order { section, row });
        }
        last = Some(name);
    }
    Ok(())
}

/// Returns true if the row is written back as the same bytes.
fn spells<R: Row>(row: &R, bytes: &[u8]) -> bool {
    let mut buffer = [0; ROW_BYTES_MAX];
    let Some(written) = buffer.get_mut(..bytes.len()) else {
        return false;
    };
    let mut sink = Sink::into(written);
    row.write_row(&mut sink);
    !sink.is_short && buffer.get(..bytes.len()) == Some(bytes)
}

fn is_lane(lane: u8) -> bool {
    usize::from(lane) < LANES_PER_OPERATION_MAX
}

fn sound(holds: bool) -> Sound {
    holds.then_some(())
}

const BYTE_VALUES: u32 = 256;
