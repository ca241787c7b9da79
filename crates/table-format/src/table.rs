//! A table in which every row has been checked, so that reading it cannot fail.

use crate::bytes::index;
use crate::header::{Digest, Header};
use crate::rows::{
    Ask, Attribute, Budget, Edge, Group, Lane, Limit, Node, Operation, Role, Rule, Span, Terms, TextRef, WALK_WORDS,
    Walk,
};
use crate::spelling::Row;
use crate::states::{Cell, Class, Jump, Run, State};

/// The number of a role.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RoleId(pub(crate) u32);

impl RoleId {
    /// The role of a request without roles.
    pub const NONE: Self = Self(u32::MAX);
}

/// The number of an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OperationId(pub(crate) u32);

/// The number of a rule, in source order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RuleId(pub u32);

/// The slot of an attribute among the facts of an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Slot {
    /// Among its strings.
    String(usize),
    /// Among its numbers.
    Number(usize),
    /// Among its flags.
    Flag(usize),
}

/// An opened table. [`Table::open`], the only constructor, checks every row; the methods return `None` only
/// for numbers without a row.
#[derive(Debug, Clone, Copy)]
pub struct Table<'a> {
    pub(crate) header: Header,
    pub(crate) roles: &'a [[u8; 4]],
    pub(crate) attributes: &'a [[u8; 8]],
    pub(crate) operations: &'a [[u8; 36]],
    pub(crate) rules: &'a [[u8; 8]],
    pub(crate) terms: &'a [[u8; 28]],
    pub(crate) limits: &'a [[u8; 12]],
    pub(crate) budgets: &'a [[u8; 28]],
    pub(crate) lanes: &'a [[u8; 20]],
    pub(crate) groups: &'a [[u8; 8]],
    pub(crate) states: &'a [[u8; 12]],
    pub(crate) runs: &'a [[u8; 16]],
    pub(crate) cells: &'a [[u8; 8]],
    pub(crate) nodes: &'a [[u8; 20]],
    pub(crate) words: &'a [[u8; 4]],
    pub(crate) texts: &'a [u8],
}

impl<'a> Table<'a> {
    /// Returns the header.
    #[must_use]
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Returns the digest that identifies this table.
    #[must_use]
    pub fn digest(&self) -> Digest {
        self.header.digest
    }

    /// Returns the policy's name.
    #[must_use]
    pub fn name(&self) -> &'a str {
        self.text(self.header.name)
    }

    /// Finds a role by its name.
    #[must_use]
    pub fn find_role(&self, name: &str) -> Option<RoleId> {
        self.find(self.roles, name).map(RoleId)
    }

    /// Finds an operation by its name.
    #[must_use]
    pub fn find_operation(&self, name: &str) -> Option<OperationId> {
        self.find(self.operations, name).map(OperationId)
    }

    /// Searches rows that are sorted by the name at their start. A lookup reads no more of them.
    fn find<const N: usize>(&self, rows: &[[u8; N]], name: &str) -> Option<u32> {
        let name_of =
            |row: &[u8; N]| row.first_chunk().map_or("", |start| self.text(TextRef(u32::from_le_bytes(*start))));
        rows.binary_search_by(|row| name_of(row).cmp(name)).ok().and_then(|place| u32::try_from(place).ok())
    }

    /// Iterates over all roles.
    pub fn roles(&self) -> impl ExactSizeIterator<Item = RoleId> + use<'a> {
        (0..self.roles.len()).map(|place| RoleId(u32::try_from(place).unwrap_or(u32::MAX)))
    }

    /// Iterates over all operations.
    pub fn operations(&self) -> impl ExactSizeIterator<Item = OperationId> + use<'a> {
        (0..self.operations.len()).map(|place| OperationId(u32::try_from(place).unwrap_or(u32::MAX)))
    }

    /// Returns the row of a role.
    #[must_use]
    pub fn role(&self, role: RoleId) -> Option<Role> {
        Role::read_row(self.roles.get(index(role.0))?)
    }

    /// Iterates over the walks of an operation.
    #[inline(always)]
    #[must_use]
    pub fn walks(&self, operation: &Operation) -> Option<impl ExactSizeIterator<Item = Walk<'a>> + use<'a>> {
        let first = index(operation.walks);
        let words = self.words.get(first..first.checked_add(usize::from(operation.lanes).checked_mul(WALK_WORDS)?)?)?;
        let walks = words.as_chunks::<{ WALK_WORDS }>().0.iter();
        Some(walks.map(Walk))
    }

    /// Iterates over the groups of an operation that are asked at most once.
    #[inline(always)]
    #[must_use]
    pub fn asked_once(&self, operation: &Operation) -> Option<impl ExactSizeIterator<Item = Ask> + use<'a>> {
        self.asks(index(operation.group_list), operation.asked_once)
    }

    /// Iterates over the groups of an operation that are asked for each find of a lane.
    #[must_use]
    pub fn asked_for_finds(&self, operation: &Operation) -> Option<impl ExactSizeIterator<Item = Ask> + use<'a>> {
        let before = usize::from(operation.asked_once).checked_mul(Ask::WORDS)?;
        let count = operation.groups.checked_sub(operation.asked_once)?;
        self.asks(index(operation.group_list).checked_add(before)?, count)
    }

    #[inline(always)]
    fn asks(&self, first: usize, count: u16) -> Option<impl ExactSizeIterator<Item = Ask> + use<'a>> {
        let words = self.words.get(first..first.checked_add(usize::from(count).checked_mul(Ask::WORDS)?)?)?;
        let asks = words.as_chunks::<{ Ask::WORDS }>().0.iter();
        Some(asks.map(|words| Ask::of(words.map(u32::from_le_bytes))))
    }

    /// Iterates over the budgets of an operation.
    pub fn budgets(&self, operation: &Operation) -> impl ExactSizeIterator<Item = u32> + use<'a> {
        let first = operation.first.saturating_add(operation.budgets_offset());
        self.list(Span { first, count: u32::from(operation.budgets) })
    }

    /// Returns true if the role has that number.
    #[must_use]
    pub fn is_role(&self, role: RoleId, number: u32) -> bool {
        role.0 == number
    }

    /// Returns the row of an operation.
    #[inline]
    #[must_use]
    pub fn operation(&self, operation: OperationId) -> Option<Operation> {
        Operation::read_row(self.operations.get(index(operation.0))?)
    }

    /// Iterates over the attributes of an operation and their slots.
    pub fn slots(&self, operation: OperationId) -> impl Iterator<Item = (Slot, Attribute)> + use<'a> {
        let table = *self;
        let (words, strings, numbers) = match self.operation(operation) {
            Some(row) => {
                let counts = [row.strings, row.numbers, row.flags];
                let count = counts.into_iter().map(u32::from).fold(0, u32::saturating_add);
                (Span { first: row.first, count }, usize::from(row.strings), usize::from(row.numbers))
            }
            None => (Span::default(), 0, 0),
        };
        let slot = move |place: usize| match place.checked_sub(strings) {
            None => Slot::String(place),
            Some(place) => match place.checked_sub(numbers) {
                None => Slot::Number(place),
                Some(place) => Slot::Flag(place),
            },
        };
        let attributes = (0..usize::MAX).zip(self.list(words));
        attributes.filter_map(move |(place, attribute)| Some((slot(place), table.attribute(attribute)?)))
    }

    /// Returns the row of an attribute.
    #[must_use]
    pub fn attribute(&self, attribute: u32) -> Option<Attribute> {
        Attribute::read_row(self.attributes.get(index(attribute))?)
    }

    /// Returns the row of a rule.
    #[inline]
    #[must_use]
    pub fn rule(&self, rule: RuleId) -> Option<Rule> {
        Rule::read_row(self.rules.get(index(rule.0))?)
    }

    /// Returns the terms of a rule.
    #[inline]
    #[must_use]
    pub fn terms(&self, rule: RuleId) -> Option<Terms> {
        let rule = self.rule(rule)?;
        Terms::read_row(self.terms.get(index(rule.terms))?)
    }

    /// Iterates over the limits of terms.
    #[inline]
    pub fn limits(&self, limits: Span) -> impl Iterator<Item = Limit> + use<'a> {
        span(self.limits, limits).iter().filter_map(|row| Limit::read_row(row))
    }

    /// Iterates over the number attributes of an operation, in the order of their slots.
    #[inline]
    pub fn numbers(&self, operation: &Operation) -> impl ExactSizeIterator<Item = u32> + use<'a> {
        let first = operation.first.saturating_add(u32::from(operation.strings));
        self.list(Span { first, count: u32::from(operation.numbers) })
    }

    /// Returns the row of a budget.
    #[must_use]
    pub fn budget(&self, budget: u32) -> Option<Budget> {
        Budget::read_row(self.budgets.get(index(budget))?)
    }

    /// Returns the row of a lane.
    #[inline]
    #[must_use]
    pub fn lane(&self, lane: u32) -> Option<Lane> {
        Lane::read_row(self.lanes.get(index(lane))?)
    }

    /// Returns the bits that a scanning lane sets for a class.
    #[must_use]
    pub fn bits(&self, lane: &Lane, class: Class) -> Option<u32> {
        if class.0 >= lane.classes {
            return None;
        }
        self.word(lane.first.checked_add(class.0)?)
    }

    /// Returns the row of a group.
    #[inline]
    #[must_use]
    pub fn group(&self, group: u32) -> Option<Group> {
        Group::read_row(self.groups.get(index(group))?)
    }

    /// Returns the root of a group for a role or [`RoleId::NONE`]; `first` is the group's first root.
    #[inline(always)]
    #[must_use]
    pub fn root(&self, first: u32, role: RoleId) -> Option<Edge> {
        // The root without a role precedes those of the roles, and NONE plus one is zero.
        let place = role.0.wrapping_add(1);
        if index(place) > self.roles.len() {
            return None;
        }
        self.edge(first.wrapping_add(place))
    }

    /// Returns the row of a run.
    #[inline(always)]
    #[must_use]
    pub fn run(&self, run: u32) -> Option<Run> {
        Run::read_row(self.runs.get(index(run))?)
    }

    /// Returns the row of a state.
    #[inline(always)]
    #[must_use]
    pub fn state(&self, state: u32) -> Option<State> {
        State::read_row(self.states.get(index(state))?)
    }

    /// Returns a cell.
    #[inline(always)]
    #[must_use]
    pub fn cell(&self, cell: u32) -> Option<Cell> {
        Cell::read_row(self.cells.get(index(cell))?)
    }

    /// Returns the result of a choice at the end of the string, and its step for bytes without a cell.
    #[inline(always)]
    #[must_use]
    pub fn head(&self, choice: u32) -> Option<(Class, Jump)> {
        match self.cell(choice.checked_sub(1)?)? {
            Cell::Head { end, otherwise } => Some((end, otherwise)),
            Cell::Byte { .. } | Cell::Free => None,
        }
    }

    /// Returns the step for a byte, if the choice has a cell for it.
    #[inline(always)]
    #[must_use]
    pub fn step(&self, choice: u32, byte: u8) -> Option<Jump> {
        Cell::next_of(*self.cells.get(index(choice).wrapping_add(usize::from(byte)))?, choice)
    }

    /// Returns the cells of a [`State::Hop`], for many lookups.
    #[inline(always)]
    #[must_use]
    pub fn cells_of(&self, choice: u32) -> Option<Cells<'a>> {
        let first = index(choice);
        let by_byte = self.cells.get(first..first.checked_add(256)?)?.first_chunk()?;
        Some(Cells { choice, by_byte })
    }

    /// Returns the row of a node.
    #[inline(always)]
    #[must_use]
    pub fn node(&self, node: u32) -> Option<Node> {
        Node::read_row(self.nodes.get(index(node))?)
    }

    /// Calls `each` with every edge of a node.
    pub fn each_edge(&self, node: u32, each: &mut dyn FnMut(Edge)) {
        let mut list = |span: Span, step: usize| self.list(span).step_by(step).for_each(|word| each(Edge(word)));
        match self.node(node) {
            Some(Node::Flag { unset, set, .. } | Node::Bit { unset, set, .. }) => {
                [unset, set].into_iter().for_each(each);
            }
            Some(Node::Range { children, otherwise, .. }) => {
                list(children, 1);
                each(otherwise);
            }
            Some(Node::Sorted { pairs: Span { first, count }, otherwise, .. }) => {
                // A class precedes each edge.
                list(Span { first: first.saturating_add(1), count: count.saturating_sub(1) }, 2);
                each(otherwise);
            }
            Some(Node::Number { first, bounds, open, .. }) => {
                // Each bound has two words, and there is one edge more than bounds.
                let bounds = u32::from(bounds);
                let first = first.saturating_add(bounds.saturating_mul(2));
                list(Span { first, count: bounds.saturating_add(1) }, 1);
                each(open);
            }
            None => {}
        }
    }

    /// Returns a word.
    #[inline(always)]
    #[must_use]
    pub fn word(&self, word: u32) -> Option<u32> {
        self.words.get(index(word)).map(|bytes| u32::from_le_bytes(*bytes))
    }

    /// Returns two words as one number, the lower half first.
    #[inline(always)]
    #[must_use]
    pub fn long(&self, word: u32) -> Option<u64> {
        let (low, high) = (self.word(word)?, self.word(word.checked_add(1)?)?);
        Some(u64::from(low) | u64::from(high) << u32::BITS)
    }

    /// Returns a word as an edge.
    #[inline(always)]
    #[must_use]
    pub fn edge(&self, word: u32) -> Option<Edge> {
        self.word(word).map(Edge)
    }

    /// Iterates over a range of words.
    #[inline(always)]
    pub fn list(&self, words: Span) -> impl ExactSizeIterator<Item = u32> + use<'a> {
        span(self.words, words).iter().map(|bytes| u32::from_le_bytes(*bytes))
    }

    /// Returns a name or sentence.
    #[must_use]
    pub fn text(&self, text: TextRef) -> &'a str {
        text_at(self.texts, text).unwrap_or_default()
    }
}

/// The cells of one choice, interleaved with others.
#[derive(Debug, Clone, Copy)]
pub struct Cells<'a> {
    choice: u32,
    by_byte: &'a [[u8; 8]; 256],
}

impl Cells<'_> {
    /// Returns true if the choice has a cell for this byte.
    #[inline(always)]
    #[must_use]
    pub fn has(&self, byte: u8) -> bool {
        self.by_byte.get(usize::from(byte)).is_some_and(|cell| Cell::next_of(*cell, self.choice).is_some())
    }
}

/// Returns the text at an offset, if it is inside and UTF-8.
pub(crate) fn text_at(texts: &[u8], text: TextRef) -> Option<&str> {
    let (len, rest) = texts.get(index(text.0)..)?.split_first_chunk()?;
    core::str::from_utf8(rest.get(..usize::from(u16::from_le_bytes(*len)))?).ok()
}

#[inline]
pub(crate) fn span<T>(rows: &[T], span: Span) -> &[T] {
    let first = index(span.first);
    rows.get(first..first.saturating_add(index(span.count))).unwrap_or_default()
}
