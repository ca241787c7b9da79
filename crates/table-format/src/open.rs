//! bytes -> Table: everything is checked once, so that nothing later can go wrong.
//!
//! The order is part of the promise. First what the file claims to be and how long it is, then whether
//! it is the very file that was written, and only then what is in it: bytes that nobody vouches for are
//! never interpreted. Within the rows, what is referred to comes before what refers to it where that is
//! possible, and every row is read and written back, so that each has one spelling.

use crate::bytes::{Sink, index};
use crate::error::{OpenError, Section};
use crate::header::{Digest, HEADER_BYTES, Header, Pin, digest_of};
use crate::rows::{
    Attribute, Budget, BudgetRoles, Child, Edge, FLAGS_MAX, Group, LANES_PER_OPERATION_MAX, Lane, LaneMode, Limit,
    Measure, Node, Operation, ROLES_MAX, RULES_MAX, Role, Rule, SLOTS_MAX, Span, Terms, TextRef, Walk, row_bytes,
};
use crate::spelling::Row;
use crate::states::{SPARSE_BYTE_WORDS, SPARSE_EDGES_MAX, State, Target};
use crate::table::{Table, span, text_at};

impl<'a> Table<'a> {
    /// Opens a table: checks the header, the digest with the given hash function, and every row.
    ///
    /// The cost is the length of the bytes, whatever they say. `hash` gets the parts of one message, to
    /// be hashed one after another.
    ///
    /// # Errors
    /// The first thing that is wrong.
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

/// Cuts the bytes into sections. The length has been checked, so each is there in full.
fn sections(header: Header, bytes: &[u8]) -> Option<Table<'_>> {
    let mut rest = bytes.get(HEADER_BYTES..)?;
    let mut counts = Section::ALL.into_iter().zip(header.counts);
    let mut next = || {
        let (section, count) = counts.next()?;
        let (rows, after) = rest.split_at_checked(index(count).checked_mul(usize::from(row_bytes(section)))?)?;
        rest = after;
        Some(rows)
    };
    Some(Table {
        header,
        roles: next()?.as_chunks().0,
        attributes: next()?.as_chunks().0,
        operations: next()?.as_chunks().0,
        rules: next()?.as_chunks().0,
        terms: next()?.as_chunks().0,
        limits: next()?.as_chunks().0,
        budgets: next()?.as_chunks().0,
        lanes: next()?.as_chunks().0,
        groups: next()?.as_chunks().0,
        states: next()?.as_chunks().0,
        nodes: next()?.as_chunks().0,
        words: next()?.as_chunks().0,
        texts: next()?,
        runs: next()?,
    })
}

/// A check under way: how many words and limits have found their owner.
struct Check<'t, 'a> {
    table: &'t Table<'a>,
    words: u32,
    limits: u32,
}

/// The words of one row.
type Words<'a> = core::iter::Map<core::slice::Iter<'a, [u8; 4]>, fn(&[u8; 4]) -> u32>;

/// What a check of one row answers: whether everything it refers to is there.
type Sound = Option<()>;

impl<'a> Check<'_, 'a> {
    /// Words are owned in the order of the sections, so this order is also that of the words.
    fn all(&mut self) -> Result<(), OpenError> {
        let table = self.table;
        self.bounds()?;
        self.text(table.header.name).ok_or(OpenError::Reference { section: Section::Texts, row: 0 })?;
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
        bound(Section::Roles, self.table.roles.len(), ROLES_MAX)?;
        bound(Section::Rules, self.table.rules.len(), RULES_MAX)
    }

    /// Reads every row of a section, has it checked, and compares its spelling.
    fn rows<R: Row, const N: usize>(
        &mut self,
        section: Section,
        rows: &[[u8; N]],
        check: impl Fn(&mut Self, u32, R) -> Sound,
    ) -> Result<(), OpenError> {
        for (row, bytes) in (0..).zip(rows) {
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
            && operation.complex <= operation.flags
            && operation.asked_once <= operation.groups
            && operation.first.checked_add(operation.walks_offset()) == Some(operation.walks)
            && operation.first.checked_add(operation.groups_offset()) == Some(operation.group_list)
            && usize::from(operation.lanes) <= LANES_PER_OPERATION_MAX;
        sound(in_bounds)?;
        let mut words = self.own(operation.first, operation.words())?;
        for (count, is_kind) in [
            (operation.strings, AttributeIs::String),
            (operation.numbers, AttributeIs::Number),
            (operation.flags, AttributeIs::Flag),
        ] {
            for _ in 0..count {
                let attribute = self.table.attribute(words.next()?)?;
                sound(is_kind == AttributeIs::of(attribute))?;
            }
        }
        for _ in 0..operation.lanes {
            let spelled = [words.next()?, words.next()?, words.next()?];
            let walk = Walk::of(spelled);
            let lane = self.table.lane(walk.lane)?;
            let is_repeated = (walk.start, walk.mode, walk.direction) == (lane.start, lane.mode, lane.direction);
            sound(is_repeated && walk.string < operation.strings && walk.words() == spelled)?;
        }
        for place in 0..operation.groups {
            let group = self.table.group(words.next()?)?;
            sound(group.driver.is_none() == (place < operation.asked_once))?;
            sound(group.driver.is_none_or(|lane| u16::from(lane) < operation.lanes))?;
        }
        for _ in 0..operation.budgets {
            sound(index(words.next()?) < self.table.budgets.len())?;
        }
        Some(())
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
        self.target(lane.start)?;
        let words = match lane.mode {
            LaneMode::Classify => 0,
            LaneMode::Scan => lane.classes.checked_mul(2)?,
        };
        self.own(lane.first, words).map(|_| ())
    }

    fn group(&mut self, _: u32, group: Group) -> Sound {
        let roles = u32::try_from(self.table.roles.len()).ok()?;
        for root in self.own(group.first, roles.checked_add(1)?)? {
            self.child(Edge(root), u32::MAX)?;
        }
        Some(())
    }

    fn state(&mut self, row: u32, state: State) -> Sound {
        let first = match state {
            State::Sparse { first, .. } | State::Range { first, .. } | State::Hop { first, .. } => first,
            State::Run { .. } | State::Skip { .. } | State::Emit { .. } => self.words,
        };
        let mut words = self.own(first, state.words())?;
        let next = match state {
            State::Run { at, len, next, .. } => {
                sound(len > 0)?;
                self.table.run(at, len)?;
                next
            }
            State::Sparse { count, otherwise, .. } => {
                sound(count > 0 && count <= SPARSE_EDGES_MAX)?;
                for _ in 0..SPARSE_BYTE_WORDS {
                    words.next()?;
                }
                otherwise
            }
            State::Range { low, count, otherwise, .. } => {
                sound(count > 0 && u16::from(low).checked_add(count)? <= BYTE_VALUES)?;
                otherwise
            }
            State::Hop { low, count, .. } => {
                sound(count > 0 && u16::from(low).checked_add(count)? <= BYTE_VALUES)?;
                Target::State(row)
            }
            State::Skip { next, .. } => next,
            // A find takes no byte; two in a row could go round in a circle.
            State::Emit { next, .. } => match next {
                Target::State(state) if matches!(self.table.state(state)?, State::Emit { .. }) => return None,
                Target::State(_) | Target::Done(_) => next,
            },
        };
        self.target(next)?;
        let is_hop = matches!(state, State::Hop { .. });
        words.filter(|word| !(is_hop && *word == State::HOP_ON)).try_for_each(|word| self.target(Target::of(word)))
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
                sound(is_lane(lane) && u32::from(bit) < u64::BITS)?;
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

    /// Hands the next words to a row, which must say that they are the next.
    fn own(&mut self, first: u32, count: u32) -> Option<Words<'a>> {
        sound(first == self.words)?;
        self.words = self.words.checked_add(count)?;
        sound(index(self.words) <= self.table.words.len())?;
        Some(span(self.table.words, Span { first, count }).iter().map(|word| u32::from_le_bytes(*word)))
    }

    fn text(&self, text: TextRef) -> Sound {
        text_at(self.table.texts, text).map(|_| ())
    }

    fn target(&self, target: Target) -> Sound {
        match target {
            Target::State(state) => sound(index(state) < self.table.states.len()),
            Target::Done(_) => Some(()),
        }
    }

    /// A node leads only to nodes before it, so every way through the diagram ends.
    fn child(&self, edge: Edge, parent: u32) -> Sound {
        match edge.child()? {
            Child::Node(node) => sound(node < parent && index(node) < self.table.nodes.len()),
            Child::Nothing => Some(()),
            Child::Rule(rule) | Child::Within(rule) | Child::Exceeded(rule) => {
                sound(index(rule) < self.table.rules.len())
            }
        }
    }

    /// Roles and operations are found by their names.
    fn sorted(&self) -> Result<(), OpenError> {
        let table = self.table;
        let roles = table.roles().filter_map(|role| table.role(role)).map(|role| table.text(role.name));
        ascending(Section::Roles, roles)?;
        let operations = table.operations().filter_map(|operation| table.operation(operation));
        ascending(Section::Operations, operations.map(|operation| table.text(operation.name)))
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AttributeIs {
    String,
    Number,
    Flag,
}

impl AttributeIs {
    fn of(attribute: Attribute) -> Self {
        if attribute.kind.is_string() {
            Self::String
        } else if attribute.kind.is_number() {
            Self::Number
        } else {
            Self::Flag
        }
    }
}

fn ascending<'n>(section: Section, names: impl Iterator<Item = &'n str>) -> Result<(), OpenError> {
    let mut last = None;
    for (row, name) in (0..).zip(names) {
        if last.is_some_and(|last| last >= name) {
            return Err(OpenError::Order { section, row });
        }
        last = Some(name);
    }
    Ok(())
}

/// Whether a row, written back, is these bytes.
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

/// How many values a byte has.
const BYTE_VALUES: u16 = 256;
/// The longest row.
const ROW_BYTES_MAX: usize = 36;
