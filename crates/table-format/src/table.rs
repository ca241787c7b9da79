//! A table whose every row has been checked: reading from it cannot go wrong.

use crate::bytes::index;
use crate::header::{Digest, Header};
use crate::rows::{
    Ask, Attribute, Budget, Edge, Group, Lane, Limit, Node, Operation, Role, Rule, Span, Terms, TextRef, WALK_WORDS,
    Walk,
};
use crate::spelling::Row;
use crate::states::{Cell, Class, Jump, Run, State};

/// Which role of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RoleId(pub(crate) u32);

impl RoleId {
    /// No role at all, as a request without roles holds it.
    pub const NONE: Self = Self(u32::MAX);
}

/// Which operation of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OperationId(pub(crate) u32);

/// Which rule of a table, by its place in source order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RuleId(pub u32);

/// Which of an operation's facts an attribute is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Slot {
    /// This one of its strings.
    String(usize),
    /// This one of its numbers.
    Number(usize),
    /// This one of its flags.
    Flag(usize),
}

/// An opened table. There is no way to have one but [`Table::open`], which checks every row once; the
/// methods answer `None` only for numbers that no row of this table has.
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
    /// The header.
    #[must_use]
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// The digest that names this table.
    #[must_use]
    pub fn digest(&self) -> Digest {
        self.header.digest
    }

    /// The policy's name.
    #[must_use]
    pub fn name(&self) -> &'a str {
        self.text(self.header.name)
    }

    /// The role of that name.
    #[must_use]
    pub fn find_role(&self, name: &str) -> Option<RoleId> {
        let found = self.roles.binary_search_by(|row| self.text(name_of(row)).cmp(name));
        found.ok().and_then(|place| u32::try_from(place).ok()).map(RoleId)
    }

    /// The operation of that name.
    #[must_use]
    pub fn find_operation(&self, name: &str) -> Option<OperationId> {
        let found =
            self.operations.binary_search_by(|[a, b, c, d, ..]| self.text(name_of(&[*a, *b, *c, *d])).cmp(name));
        found.ok().and_then(|place| u32::try_from(place).ok()).map(OperationId)
    }

    /// Every role.
    pub fn roles(&self) -> impl ExactSizeIterator<Item = RoleId> + use<'a> {
        (0..self.roles.len()).map(|place| RoleId(u32::try_from(place).unwrap_or(u32::MAX)))
    }

    /// Every operation.
    pub fn operations(&self) -> impl ExactSizeIterator<Item = OperationId> + use<'a> {
        (0..self.operations.len()).map(|place| OperationId(u32::try_from(place).unwrap_or(u32::MAX)))
    }

    /// A role's row.
    #[must_use]
    pub fn role(&self, role: RoleId) -> Option<Role> {
        Role::read_row(self.roles.get(index(role.0))?)
    }

    /// The walks of an operation.
    #[inline(always)]
    #[must_use]
    pub fn walks(&self, operation: &Operation) -> Option<impl ExactSizeIterator<Item = Walk<'a>> + use<'a>> {
        let first = index(operation.walks);
        let words = self.words.get(first..first.checked_add(usize::from(operation.lanes).checked_mul(WALK_WORDS)?)?)?;
        let walks = words.as_chunks::<{ WALK_WORDS }>().0.iter();
        Some(walks.map(Walk))
    }

    /// The groups of an operation that are asked once at most.
    #[inline(always)]
    #[must_use]
    pub fn asked_once(&self, operation: &Operation) -> Option<impl ExactSizeIterator<Item = Ask> + use<'a>> {
        self.asks(index(operation.group_list), operation.asked_once)
    }

    /// The groups of an operation that are asked for each find of a lane.
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

    /// The budgets of an operation.
    pub fn budgets(&self, operation: &Operation) -> impl ExactSizeIterator<Item = u32> + use<'a> {
        let first = operation.first.saturating_add(operation.budgets_offset());
        self.list(Span { first, count: u32::from(operation.budgets) })
    }

    /// Whether a role is the one of that number.
    #[must_use]
    pub fn is_role(&self, role: RoleId, number: u32) -> bool {
        role.0 == number
    }

    /// An operation's row.
    #[inline]
    #[must_use]
    pub fn operation(&self, operation: OperationId) -> Option<Operation> {
        Operation::read_row(self.operations.get(index(operation.0))?)
    }

    /// What a request for an operation can say, and where it says it.
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

    /// An attribute's row.
    #[must_use]
    pub fn attribute(&self, attribute: u32) -> Option<Attribute> {
        Attribute::read_row(self.attributes.get(index(attribute))?)
    }

    /// A rule's row.
    #[inline]
    #[must_use]
    pub fn rule(&self, rule: RuleId) -> Option<Rule> {
        Rule::read_row(self.rules.get(index(rule.0))?)
    }

    /// What a rule comes to.
    #[inline]
    #[must_use]
    pub fn terms(&self, rule: RuleId) -> Option<Terms> {
        let rule = self.rule(rule)?;
        Terms::read_row(self.terms.get(index(rule.terms))?)
    }

    /// The limits of terms.
    #[inline]
    pub fn limits(&self, limits: Span) -> impl Iterator<Item = Limit> + use<'a> {
        span(self.limits, limits).iter().filter_map(|row| Limit::read_row(row))
    }

    /// The attributes that are an operation's numbers, in the order of its facts.
    #[inline]
    pub fn numbers(&self, operation: &Operation) -> impl ExactSizeIterator<Item = u32> + use<'a> {
        let first = operation.first.saturating_add(u32::from(operation.strings));
        self.list(Span { first, count: u32::from(operation.numbers) })
    }

    /// A budget's row.
    #[must_use]
    pub fn budget(&self, budget: u32) -> Option<Budget> {
        Budget::read_row(self.budgets.get(index(budget))?)
    }

    /// A lane's row.
    #[inline]
    #[must_use]
    pub fn lane(&self, lane: u32) -> Option<Lane> {
        Lane::read_row(self.lanes.get(index(lane))?)
    }

    /// What a scanning lane remembers of a class it has found.
    #[must_use]
    pub fn bits(&self, lane: &Lane, class: Class) -> Option<u32> {
        if class.0 >= lane.classes {
            return None;
        }
        self.word(lane.first.checked_add(class.0)?)
    }

    /// A group's row.
    #[inline]
    #[must_use]
    pub fn group(&self, group: u32) -> Option<Group> {
        Group::read_row(self.groups.get(index(group))?)
    }

    /// Where a group whose first root this is starts for a request that holds this role, or [`RoleId::NONE`].
    #[inline(always)]
    #[must_use]
    pub fn root(&self, first: u32, role: RoleId) -> Option<Edge> {
        // The root of who holds none comes before those of the roles, and one more than NONE is zero.
        let place = role.0.wrapping_add(1);
        if index(place) > self.roles.len() {
            return None;
        }
        self.edge(first.wrapping_add(place))
    }

    /// A run's row.
    #[inline(always)]
    #[must_use]
    pub fn run(&self, run: u32) -> Option<Run> {
        Run::read(self.runs.get(index(run))?)
    }

    /// A state's row.
    #[inline(always)]
    #[must_use]
    pub fn state(&self, state: u32) -> Option<State> {
        State::read(self.states.get(index(state))?)
    }

    /// A cell.
    #[inline(always)]
    #[must_use]
    pub fn cell(&self, cell: u32) -> Option<Cell> {
        Cell::read(*self.cells.get(index(cell))?)
    }

    /// What a choice finds at the end of the string, and where it goes for a byte it has no cell for.
    #[inline(always)]
    #[must_use]
    pub fn head(&self, choice: u32) -> Option<(Class, Jump)> {
        match self.cell(choice.checked_sub(1)?)? {
            Cell::Head { end, otherwise } => Some((end, otherwise)),
            Cell::Byte { .. } | Cell::Free => None,
        }
    }

    /// Where to go on after a byte, if the choice has a cell for it.
    #[inline(always)]
    #[must_use]
    pub fn step(&self, choice: u32, byte: u8) -> Option<Jump> {
        Cell::next_of(*self.cells.get(index(choice).wrapping_add(usize::from(byte)))?, choice)
    }

    /// The cells of a [`State::Hop`], for looking at many bytes.
    #[inline(always)]
    #[must_use]
    pub fn cells_of(&self, choice: u32) -> Option<Cells<'a>> {
        let first = index(choice);
        let by_byte = self.cells.get(first..first.checked_add(256)?)?.first_chunk()?;
        Some(Cells { choice, by_byte })
    }

    /// A node's row.
    #[inline(always)]
    #[must_use]
    pub fn node(&self, node: u32) -> Option<Node> {
        Node::read_row(self.nodes.get(index(node))?)
    }

    /// Shows each edge that leaves a node, whatever its question is.
    pub fn each_edge(&self, node: u32, each: &mut dyn FnMut(Edge)) {
        let mut list = |span: Span, step: usize| self.list(span).step_by(step).for_each(|word| each(Edge(word)));
        match self.node(node) {
            Some(Node::Flag { unset, set, .. } | Node::Bit { unset, set, .. }) => {
                [unset, set].into_iter().for_each(each)
            }
            Some(Node::Range { children, otherwise, .. }) => {
                list(children, 1);
                each(otherwise);
            }
            Some(Node::Sorted { pairs: Span { first, count }, otherwise, .. }) => {
                // A class stands before each edge.
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

    /// A word.
    #[inline(always)]
    #[must_use]
    pub fn word(&self, word: u32) -> Option<u32> {
        self.words.get(index(word)).map(|bytes| u32::from_le_bytes(*bytes))
    }

    /// Two words as one number, the lower half first.
    #[inline(always)]
    #[must_use]
    pub fn long(&self, word: u32) -> Option<u64> {
        let (low, high) = (self.word(word)?, self.word(word.checked_add(1)?)?);
        Some(u64::from(low) | u64::from(high) << u32::BITS)
    }

    /// A word that is an edge.
    #[inline(always)]
    #[must_use]
    pub fn edge(&self, word: u32) -> Option<Edge> {
        self.word(word).map(Edge)
    }

    /// Words in a row.
    #[inline(always)]
    pub fn list(&self, words: Span) -> impl ExactSizeIterator<Item = u32> + use<'a> {
        span(self.words, words).iter().map(|bytes| u32::from_le_bytes(*bytes))
    }

    /// A name or sentence.
    #[must_use]
    pub fn text(&self, text: TextRef) -> &'a str {
        text_at(self.texts, text).unwrap_or_default()
    }
}

/// The cells of one choice and those between them.
#[derive(Debug, Clone, Copy)]
pub struct Cells<'a> {
    choice: u32,
    by_byte: &'a [[u8; 8]; 256],
}

impl Cells<'_> {
    /// Whether the choice has a cell for this byte.
    #[inline(always)]
    #[must_use]
    pub fn has(&self, byte: u8) -> bool {
        self.by_byte.get(usize::from(byte)).is_some_and(|cell| Cell::next_of(*cell, self.choice).is_some())
    }
}

/// What the row of a role or an operation starts with. Who looks for a name reads no more of a row.
fn name_of(start: &[u8; 4]) -> TextRef {
    TextRef(u32::from_le_bytes(*start))
}

/// The text at a place, if the place is inside and the text is one.
pub(crate) fn text_at(texts: &[u8], text: TextRef) -> Option<&str> {
    let (len, rest) = texts.get(index(text.0)..)?.split_first_chunk()?;
    core::str::from_utf8(rest.get(..usize::from(u16::from_le_bytes(*len)))?).ok()
}

#[inline]
pub(crate) fn span<T>(rows: &[T], span: Span) -> &[T] {
    let first = index(span.first);
    rows.get(first..first.saturating_add(index(span.count))).unwrap_or_default()
}
