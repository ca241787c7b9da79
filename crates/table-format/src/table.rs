//! A table whose every row has been checked: reading from it cannot go wrong.

use crate::bytes::index;
use crate::header::{Digest, Header};
use crate::rows::{
    Attribute, Budget, Edge, Group, Lane, Limit, Node, Operation, Role, Rule, Span, Terms, TextRef, Walk,
};
use crate::spelling::Row;
use crate::states::{Class, State, Target};

/// Which role of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RoleId(pub(crate) u32);

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
    pub(crate) states: &'a [[u8; 16]],
    pub(crate) nodes: &'a [[u8; 20]],
    pub(crate) words: &'a [[u8; 4]],
    pub(crate) texts: &'a [u8],
    pub(crate) runs: &'a [u8],
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
        let found = self.roles.binary_search_by(|row| match Role::read_row(row) {
            Some(role) => self.text(role.name).cmp(name),
            None => core::cmp::Ordering::Less,
        });
        found.ok().and_then(|place| u32::try_from(place).ok()).map(RoleId)
    }

    /// The operation of that name.
    #[must_use]
    pub fn find_operation(&self, name: &str) -> Option<OperationId> {
        let found = self.operations.binary_search_by(|row| match Operation::read_row(row) {
            Some(operation) => self.text(operation.name).cmp(name),
            None => core::cmp::Ordering::Less,
        });
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
    pub fn walks(&self, operation: &Operation) -> impl ExactSizeIterator<Item = Walk> + use<'a> {
        let count = u32::from(operation.lanes).saturating_mul(3);
        let words = span(self.words, Span { first: operation.walks, count });
        let walks = words.as_chunks::<{ Walk::WORDS }>().0.iter();
        walks.map(|[lane, start, how]| Walk::of([lane, start, how].map(|word| u32::from_le_bytes(*word))))
    }

    /// The groups of an operation: those that are asked once, and those that lanes ask.
    #[inline(always)]
    pub fn groups(&self, operation: &Operation) -> impl ExactSizeIterator<Item = u32> + use<'a> {
        self.list(Span { first: operation.group_list, count: u32::from(operation.groups) })
    }

    /// The budgets of an operation.
    pub fn budgets(&self, operation: &Operation) -> impl ExactSizeIterator<Item = u32> + use<'a> {
        let first = operation.group_list.saturating_add(u32::from(operation.groups));
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
        let attributes = self.list(words).enumerate();
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
    pub fn bits(&self, lane: &Lane, class: Class) -> Option<u64> {
        if class.0 >= lane.classes {
            return None;
        }
        self.long(lane.first.checked_add(class.0.checked_mul(2)?)?)
    }

    /// A group's row.
    #[inline]
    #[must_use]
    pub fn group(&self, group: u32) -> Option<Group> {
        Group::read_row(self.groups.get(index(group))?)
    }

    /// Where a group starts for a request that holds this role, or none.
    #[inline]
    #[must_use]
    pub fn root(&self, group: Group, role: Option<RoleId>) -> Option<Edge> {
        let place = match role {
            None => 0,
            Some(role) if index(role.0) < self.roles.len() => role.0.checked_add(1)?,
            Some(_) => return None,
        };
        self.edge(group.first.checked_add(place)?)
    }

    /// A state's row.
    #[inline(always)]
    #[must_use]
    pub fn state(&self, state: u32) -> Option<State> {
        State::read(self.states.get(index(state))?)
    }

    /// A node's row.
    #[inline(always)]
    #[must_use]
    pub fn node(&self, node: u32) -> Option<Node> {
        Node::read_row(self.nodes.get(index(node))?)
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

    /// A word that is a target.
    #[inline(always)]
    #[must_use]
    pub fn target(&self, word: u32) -> Option<Target> {
        self.word(word).map(Target::of)
    }

    /// The targets of a [`State::Hop`], as they stand in the table.
    #[inline(always)]
    #[must_use]
    pub fn targets(&self, first: u32, count: u16) -> Option<&'a [[u8; 4]]> {
        let first = index(first);
        self.words.get(first..first.checked_add(usize::from(count))?)
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

    /// The bytes of a [`State::Run`].
    #[inline(always)]
    #[must_use]
    pub fn run(&self, at: u32, len: u16) -> Option<&'a [u8]> {
        let at = index(at);
        self.runs.get(at..at.checked_add(usize::from(len))?)
    }

    /// A name or sentence.
    #[must_use]
    pub fn text(&self, text: TextRef) -> &'a str {
        text_at(self.texts, text).unwrap_or_default()
    }
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
