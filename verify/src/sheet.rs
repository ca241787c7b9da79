//! Rows, added one after the other -> a table, without a heap: what small tables in cases are written with.

use table_format::{After, Direction, RUN_BYTES_MAX};
use table_format::{
    Attribute, AttributeKind, Budget, BudgetRoles, Cell, Class, Digest, Edge, Effect, Group, Jump, Lane, LaneMode,
    Limit, Measure, Node, OpenError, Operation, Parts, Period, Pin, Role, Rule, Run, Span, State, Table, Terms,
    TextRef, When, WriteError, encoded_len, write,
};

/// Every row of a small table.
#[derive(Clone, Copy)]
pub(crate) struct Sheet {
    pub(crate) roles: List<Role, 3>,
    pub(crate) attributes: List<Attribute, 4>,
    pub(crate) operations: List<Operation, 3>,
    pub(crate) rules: List<Rule, RULES_MAX>,
    pub(crate) terms: List<Terms, RULES_MAX>,
    pub(crate) limits: List<Limit, 8>,
    pub(crate) budgets: List<Budget, 1>,
    pub(crate) lanes: List<Lane, 3>,
    pub(crate) groups: List<Group, RULES_MAX>,
    pub(crate) states: List<State, 2>,
    pub(crate) runs: List<Run, 2>,
    pub(crate) cells: List<Cell, 5>,
    pub(crate) nodes: List<Node, 12>,
    pub(crate) words: List<u32, 96>,
    pub(crate) texts: List<u8, 8>,
}

impl Sheet {
    /// Without rows.
    pub(crate) fn new() -> Self {
        let nothing = Edge::NOTHING;
        let name = NO_NAME;
        Self {
            roles: List::of(Role { name }),
            attributes: List::of(Attribute { name, kind: AttributeKind::Flag, known_later: false }),
            operations: List::of(SILENT),
            rules: List::of(Rule { name, terms: 0 }),
            terms: List::of(Terms {
                effect: Effect::Deny,
                code: None,
                because: None,
                limits: Span::default(),
                requirements: Span::default(),
            }),
            limits: List::of(Limit { attribute: 0, most: 0 }),
            budgets: List::of(Budget {
                name,
                measure: Measure::Calls,
                most: 0,
                period: Period::Session,
                roles: BudgetRoles::Anyone,
            }),
            lanes: List::of(Lane {
                attribute: 0,
                start: NOWHERE,
                mode: LaneMode::Classify,
                direction: Direction::Forward,
                classes: 0,
                first: 0,
            }),
            groups: List::of(Group { when: When::ONCE, first: 0 }),
            states: List::of(State::Emit { class: Class(0), next: NOWHERE }),
            runs: List::of(Run {
                bytes: [0; RUN_BYTES_MAX],
                len: 1,
                after: After::Anything,
                next: NOWHERE,
                miss: Class(0),
            }),
            cells: List::of(Cell::Free),
            nodes: List::of(Node::Flag { slot: 0, unset: nothing, set: nothing }),
            words: List::of(0),
            texts: List::of(0),
        }
    }

    /// As the writer takes it.
    pub(crate) fn parts(&self) -> Parts<'_> {
        Parts {
            sources: SOURCES,
            name: NO_NAME,
            roles: self.roles.rows(),
            attributes: self.attributes.rows(),
            operations: self.operations.rows(),
            rules: self.rules.rows(),
            terms: self.terms.rows(),
            limits: self.limits.rows(),
            budgets: self.budgets.rows(),
            lanes: self.lanes.rows(),
            groups: self.groups.rows(),
            states: self.states.rows(),
            runs: self.runs.rows(),
            cells: self.cells.rows(),
            nodes: self.nodes.rows(),
            words: self.words.rows(),
            texts: self.texts.rows(),
        }
    }

    /// Writes it to the start of a buffer that is long enough. Its bytes.
    pub(crate) fn write<'b>(&self, buffer: &'b mut [u8]) -> Result<&'b [u8], WriteError> {
        let parts = self.parts();
        let bytes = encoded_len(&parts)?;
        let found = buffer.len();
        let buffer = buffer.get_mut(..bytes).ok_or(WriteError::Buffer { expected: bytes, found })?;
        write(&parts, buffer, |_| VOUCHED)?;
        Ok(buffer)
    }
}

/// Opens what a [`Sheet`] has written, and whatever became of it: every check but that of the digest is made, because
/// whoever changes a file can hash it again.
pub(crate) fn open_vouched(bytes: &[u8]) -> Result<Table<'_>, OpenError> {
    let carried = bytes.get(DIGEST_AT..).and_then(|rest| rest.first_chunk()).copied().unwrap_or_default();
    Table::open(bytes, Pin::Unpinned, |_| Digest(carried))
}

/// Rows of a kind, up to so many.
#[derive(Clone, Copy)]
pub(crate) struct List<T, const N: usize> {
    rows: [T; N],
    len: usize,
}

impl<T: Copy, const N: usize> List<T, N> {
    /// None of them; `filler` stands where none is.
    pub(crate) fn of(filler: T) -> Self {
        Self { rows: [filler; N], len: 0 }
    }

    /// Adds one, and says which it is.
    pub(crate) fn add(&mut self, row: T) -> u32 {
        let place = self.len;
        match self.rows.get_mut(place) {
            Some(free) => *free = row,
            None => unreachable!("a list has room for the largest case"),
        }
        self.len = place.saturating_add(1);
        number(place)
    }

    /// Adds several, and says which the first is.
    pub(crate) fn add_all(&mut self, rows: &[T]) -> u32 {
        let first = self.len();
        for row in rows {
            self.add(*row);
        }
        first
    }

    /// How many.
    pub(crate) fn len(&self) -> u32 {
        number(self.len)
    }

    /// All of them.
    pub(crate) fn rows(&self) -> &[T] {
        self.rows.get(..self.len).unwrap_or_default()
    }
}

/// A count as tables have it.
pub(crate) fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// The most rules of a sheet.
pub(crate) const RULES_MAX: usize = 4;
/// The most bytes that a sheet takes.
pub(crate) const SHEET_BYTES_MAX: usize = 1_024;
/// What a table is named by that nobody hashes.
pub(crate) const VOUCHED: Digest = Digest([7; 32]);
/// Where it stands.
pub(crate) const DIGEST_AT: usize = 16;
pub(crate) const DIGEST_BYTES: usize = 32;
/// Texts are short: that a longer one is UTF-8 is looked at in steps that depend on where it lies in memory, which a
/// model checker does not know. The first is no text at all, and the second one letter.
pub(crate) const TEXTS: &[u8] = b"\0\0\x01\0a\x01\0b";
pub(crate) const NO_NAME: TextRef = TextRef(0);
pub(crate) const LETTER: TextRef = TextRef(2);
pub(crate) const OTHER_LETTER: TextRef = TextRef(5);
/// An operation that no rule speaks of.
pub(crate) const SILENT: Operation = Operation {
    name: NO_NAME,
    denial_code: NO_NAME,
    first: 0,
    walks: 0,
    group_list: 0,
    strings: 0,
    numbers: 0,
    flags: 0,
    complex: 0,
    always_asked: 0,
    lanes: 0,
    groups: 0,
    asked_once: 0,
    budgets: 0,
};
pub(crate) const SOURCES: Digest = Digest([5; 32]);
const NOWHERE: Jump = Jump(0);
