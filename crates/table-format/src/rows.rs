//! The rows of a table. States are in `states.rs`, the encoding in `spelling.rs`.

use crate::bytes::index;
use crate::error::Section;
use crate::states::{Direction, Jump};

/// A name or sentence: an offset in `texts`, where two bytes of length precede it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TextRef(pub u32);

/// A range of rows or words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Span {
    /// The first one.
    pub first: u32,
    /// Their number.
    pub count: u32,
}

/// A role that a session can hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Role {
    /// Its name.
    pub name: TextRef,
}

/// The type of an attribute's values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AttributeKind {
    /// A workspace-relative path.
    Path,
    /// A git reference.
    Ref,
    /// A host name in lower case.
    Host,
    /// A plain command name.
    Command,
    /// A model's name.
    Model,
    /// Any other string.
    Word,
    /// Set or not set.
    Flag,
    /// A plain number.
    Count,
    /// Bytes.
    Size,
    /// Milliseconds.
    Duration,
    /// Hundredths.
    Hundredths,
}

/// A fact of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Attribute {
    /// Its name.
    pub name: TextRef,
    /// The type of its values.
    pub kind: AttributeKind,
    /// True if the value is only known after the operation has run.
    pub known_later: bool,
}

/// An operation that can be requested. Its words, in this order: its attributes (strings, then numbers, then flags),
/// four words for each lane (see [`Walk`]), three for each group (see [`Ask`]), its budgets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Operation {
    /// Its name.
    pub name: TextRef,
    /// The code of a denial without a rule.
    pub denial_code: TextRef,
    /// The first of its words.
    pub first: u32,
    /// The first word of its walks.
    pub walks: u32,
    /// The first word of its groups.
    pub group_list: u32,
    /// String attributes.
    pub strings: u16,
    /// Number attributes.
    pub numbers: u16,
    /// Flags.
    pub flags: u16,
    /// One more than the slot of the flag for shell lines that were not understood; zero without one.
    pub complex: u8,
    /// One if a group is asked even if no lane has found anything; zero otherwise.
    pub always_asked: u8,
    /// Lanes to walk.
    pub lanes: u16,
    /// Groups: first those asked at most once, then those asked for each find of a lane.
    pub groups: u16,
    /// Groups asked at most once.
    pub asked_once: u16,
    /// Budgets that the operation may be charged to.
    pub budgets: u16,
}

/// A rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rule {
    /// Its name.
    pub name: TextRef,
    /// The number of its terms.
    pub terms: u32,
}

/// The effect of a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Effect {
    /// Forbids.
    Deny,
    /// Asks a person.
    Ask,
    /// Permits.
    Allow,
}

/// The effect of rules and what goes with it; rules with equal terms share them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Terms {
    /// The effect.
    pub effect: Effect,
    /// The code of a denial, if not the operation's.
    pub code: Option<TextRef>,
    /// The reason given to people.
    pub because: Option<TextRef>,
    /// Upper limits, in `limits`.
    pub limits: Span,
    /// Names of checks before the operation: words that are offsets in `texts`.
    pub requirements: Span,
}

/// An upper limit of a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limit {
    /// The number of the attribute.
    pub attribute: u32,
    /// In the attribute's own unit.
    pub most: u64,
}

/// The quantity that a budget limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measure {
    /// The number of requests.
    Calls,
    /// The sum of the attribute with this number.
    Sum(u32),
}

/// The period of a budget.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Period {
    /// The whole session.
    Session,
    /// Any 60 seconds.
    Minute,
    /// Any 60 minutes.
    Hour,
    /// Any 24 hours.
    Day,
}

/// The requests that a budget is charged for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BudgetRoles {
    /// All requests.
    Anyone,
    /// Requests with one of these roles, which are words.
    Roles(Span),
}

/// A budget that operations are charged to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    /// Its name.
    pub name: TextRef,
    /// The quantity.
    pub measure: Measure,
    /// The upper limit.
    pub most: u64,
    /// The period.
    pub period: Period,
    /// The requests it is charged for.
    pub roles: BudgetRoles,
}

/// The use of the classes that a lane finds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LaneMode {
    /// One class for each string: a value that nodes of the diagram choose by.
    Classify,
    /// One class for each find: groups are asked for each, and bits are collected from all.
    Scan,
}

/// An automaton over one string attribute.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lane {
    /// The number of the attribute, for inspection.
    pub attribute: u32,
    /// The start of the walk.
    pub start: Jump,
    /// The use of its classes.
    pub mode: LaneMode,
    /// The direction of the walk.
    pub direction: Direction,
    /// The number of classes it can find, including the empty one.
    pub classes: u32,
    /// For [`LaneMode::Scan`]: in `words`, a word of bits for each class.
    pub first: u32,
}

/// A lane over one string of an operation. It repeats the lane's own row, so that a decision reads one
/// place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Walk<'a>(pub(crate) &'a [[u8; 4]; WALK_WORDS]);

/// A filter for walks that start with a [`State::Hop`](crate::State::Hop): nothing is found if no segment
/// starts with a byte for which the choice has a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sieve {
    /// The byte that ends a segment.
    pub stop: u8,
    /// The choice.
    pub choice: u32,
}

/// The condition under which a group is asked, encoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct When(pub u32);

/// Rules that are decided together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Group {
    /// The condition under which it is asked.
    pub when: When,
    /// In `words`: the root for a request without roles, then one for each role.
    pub first: u32,
}

/// A group of an operation. It repeats the group's own row, so that a decision reads one place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ask {
    /// The number of the group.
    pub group: u32,
    /// A copy of its row.
    pub row: Group,
}

/// An edge of the diagram, encoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Edge(pub u32);

/// The target of an edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Child {
    /// An earlier node.
    Node(u32),
    /// No rule of the group matches.
    Nothing,
    /// This rule, whose limits must still be compared.
    Rule(u32),
    /// This rule, whose limits are known to be kept.
    Within(u32),
    /// This rule, one of whose limits is known to be exceeded.
    Exceeded(u32),
}

/// A node of the diagram: it asks about one fact of the request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Node {
    /// A flag.
    Flag {
        /// The slot of the flag.
        slot: u8,
        /// Followed if it is not set.
        unset: Edge,
        /// Followed if it is set.
        set: Edge,
    },
    /// A bit that a scanning lane may have set.
    Bit {
        /// The slot of the lane.
        lane: u8,
        /// The number of the bit.
        bit: u8,
        /// Followed if it is not set.
        unset: Edge,
        /// Followed if it is set.
        set: Edge,
    },
    /// A class within a range.
    Range {
        /// The slot of the lane, or [`Node::DRIVER`].
        lane: u8,
        /// The first class of the range.
        low: u32,
        /// In `words`: a child for each class of the range.
        children: Span,
        /// For every other class.
        otherwise: Edge,
    },
    /// A class out of a few.
    Sorted {
        /// The slot of the lane, or [`Node::DRIVER`].
        lane: u8,
        /// In `words`: pairs of a class and a child, by class; `count` is the number of words.
        pairs: Span,
        /// For every other class.
        otherwise: Edge,
    },
    /// A number between bounds.
    Number {
        /// The slot of the number.
        slot: u8,
        /// In `words`: `bounds` ascending numbers of two words each, then a child for what is at most
        /// the first, at most the second, and so on, and one for what is above the last.
        first: u32,
        /// The number of bounds.
        bounds: u16,
        /// Followed if the request does not contain the number.
        open: Edge,
    },
}

impl Node {
    /// In place of a lane: the class for which the group is asked.
    pub const DRIVER: u8 = u8::MAX;

    /// Returns the words it owns.
    pub(crate) fn words(&self) -> Span {
        match *self {
            Self::Flag { .. } | Self::Bit { .. } => Span::default(),
            Self::Range { children, .. } => children,
            Self::Sorted { pairs, .. } => pairs,
            Self::Number { first, bounds, .. } => {
                Span { first, count: u32::from(bounds).saturating_mul(3).saturating_add(1) }
            }
        }
    }
}

/// Encodes a walk: the lane; its start; the string, mode, direction and byte of the sieve; the choice of the
/// sieve.
#[must_use]
pub fn walk_words(number: u32, lane: &Lane, string: u16, sieve: Option<Sieve>) -> [u32; WALK_WORDS] {
    let mode = match lane.mode {
        LaneMode::Classify => 0,
        LaneMode::Scan => SCANS,
    };
    let direction = match lane.direction {
        Direction::Forward => 0,
        Direction::Backward => BACKWARD,
    };
    let (sieved, choice) = match sieve {
        Some(Sieve { stop, choice }) => (SIEVED | u32::from(stop) << SIEVE_SHIFT, choice),
        None => (0, 0),
    };
    [number, lane.start.0, u32::from(string) | mode | direction | sieved, choice]
}

impl Walk<'_> {
    /// Returns the words in the table.
    #[inline(always)]
    #[must_use]
    pub fn words(&self) -> [u32; WALK_WORDS] {
        self.0.map(u32::from_le_bytes)
    }

    /// Returns the number of the lane.
    #[must_use]
    pub fn lane(&self) -> u32 {
        let [lane, _, _, _] = self.words();
        lane
    }

    /// The start of the walk.
    #[inline(always)]
    #[must_use]
    pub fn start(&self) -> Jump {
        let [_, start, _, _] = self.words();
        Jump(start)
    }

    /// Returns the slot of the string.
    #[inline(always)]
    #[must_use]
    pub fn string(&self) -> u16 {
        u16::try_from(self.how() & u32::from(u16::MAX)).unwrap_or(u16::MAX)
    }

    /// The use of its classes.
    #[inline(always)]
    #[must_use]
    pub fn mode(&self) -> LaneMode {
        if self.how() & SCANS == 0 { LaneMode::Classify } else { LaneMode::Scan }
    }

    /// The direction of the walk.
    #[inline(always)]
    #[must_use]
    pub fn direction(&self) -> Direction {
        if self.how() & BACKWARD == 0 { Direction::Forward } else { Direction::Backward }
    }

    /// Returns the filter for strings in which nothing is found.
    #[inline(always)]
    #[must_use]
    pub fn sieve(&self) -> Option<Sieve> {
        let [_, _, how, choice] = self.words();
        let stop = u8::try_from(how >> SIEVE_SHIFT).unwrap_or_default();
        (how & SIEVED != 0).then_some(Sieve { stop, choice })
    }

    #[inline(always)]
    fn how(&self) -> u32 {
        let [_, _, how, _] = self.words();
        how
    }
}

impl When {
    /// Once, after all walks.
    pub const ONCE: Self = Self(NO_LANE);

    /// Once, after all walks, if this lane has found something.
    #[must_use]
    pub fn found(lane: u8) -> Self {
        Self(u32::from(lane))
    }

    /// For each class that this lane finds.
    #[must_use]
    pub fn each(lane: u8) -> Self {
        Self(EACH | u32::from(lane))
    }

    /// Returns the lane that must have found something for a group that is asked after all walks.
    #[inline(always)]
    #[must_use]
    pub fn needed(self) -> usize {
        index(self.0)
    }

    /// Returns the lane for whose finds the group is asked, if it is.
    #[must_use]
    pub fn finds_of(self) -> Option<usize> {
        (self.0 & EACH != 0).then_some(index(self.0 & !EACH))
    }
}

impl Ask {
    /// Its length in words.
    pub const WORDS: usize = 3;

    #[inline(always)]
    pub(crate) fn of([group, when, first]: [u32; Self::WORDS]) -> Self {
        Self { group, row: Group { when: When(when), first } }
    }

    /// Returns the words in the table.
    #[must_use]
    pub fn words(&self) -> [u32; Self::WORDS] {
        [self.group, self.row.when.0, self.row.first]
    }
}

impl Operation {
    /// Returns the number of words it owns.
    pub(crate) fn words(&self) -> u32 {
        self.budgets_offset().saturating_add(u32::from(self.budgets))
    }

    /// Returns the offset of its budgets among its words.
    pub(crate) fn budgets_offset(&self) -> u32 {
        self.groups_offset().saturating_add(u32::from(self.groups).saturating_mul(3))
    }

    /// Returns the offset of its walks among its words.
    pub(crate) fn walks_offset(&self) -> u32 {
        let slots = [self.strings, self.numbers, self.flags];
        slots.into_iter().map(u32::from).fold(0, u32::saturating_add)
    }

    /// Returns the offset of its groups among its words.
    pub(crate) fn groups_offset(&self) -> u32 {
        self.walks_offset().saturating_add(u32::from(self.lanes).saturating_mul(4))
    }
}

impl AttributeKind {
    /// In the order of their numbers in a table.
    pub const ALL: [Self; 11] = [
        Self::Path,
        Self::Ref,
        Self::Host,
        Self::Command,
        Self::Model,
        Self::Word,
        Self::Flag,
        Self::Count,
        Self::Size,
        Self::Duration,
        Self::Hundredths,
    ];

    /// Returns true for kinds of strings.
    #[must_use]
    pub fn is_string(self) -> bool {
        matches!(self, Self::Path | Self::Ref | Self::Host | Self::Command | Self::Model | Self::Word)
    }

    /// Returns true for kinds of numbers.
    #[must_use]
    pub fn is_number(self) -> bool {
        matches!(self, Self::Count | Self::Size | Self::Duration | Self::Hundredths)
    }
}

impl Edge {
    /// The edge to no rule.
    pub const NOTHING: Self = Self(u32::MAX);

    /// Returns the node it leads to, if any.
    #[inline(always)]
    #[must_use]
    pub fn node(self) -> Option<u32> {
        (self.0 & TERMINAL == 0).then_some(self.0)
    }

    /// Encodes an edge to a node, or to a rule and its effect.
    #[must_use]
    pub fn new(child: Child, effect: Effect) -> Self {
        let (voice, rule) = match (child, effect) {
            (Child::Node(node), _) => return Self(node & !TERMINAL),
            (Child::Nothing, _) => return Self::NOTHING,
            (Child::Rule(rule) | Child::Within(rule) | Child::Exceeded(rule), Effect::Deny) => (DENIES, rule),
            (Child::Within(rule), Effect::Ask) => (ASKS, rule),
            (Child::Exceeded(rule), Effect::Ask) => (ASKS_EXCEEDED, rule),
            (Child::Within(rule), Effect::Allow) => (ALLOWS, rule),
            (Child::Exceeded(rule), Effect::Allow) => (ALLOWS_EXCEEDED, rule),
            (Child::Rule(rule), Effect::Ask) => (ASKS_IF_KEPT, rule),
            (Child::Rule(rule), Effect::Allow) => (ALLOWS_IF_KEPT, rule),
        };
        Self(voice | (rule & RULE_MAX))
    }

    /// Decodes the target, and the effect of its rule.
    #[must_use]
    pub fn child(self) -> (Child, Option<Effect>) {
        let rule = self.0 & RULE_MAX;
        let (child, effect) = match self.0 & !RULE_MAX {
            DENIES => (Child::Within(rule), Effect::Deny),
            ASKS => (Child::Within(rule), Effect::Ask),
            ASKS_EXCEEDED => (Child::Exceeded(rule), Effect::Ask),
            ALLOWS => (Child::Within(rule), Effect::Allow),
            ALLOWS_EXCEEDED => (Child::Exceeded(rule), Effect::Allow),
            ASKS_IF_KEPT => (Child::Rule(rule), Effect::Ask),
            ALLOWS_IF_KEPT => (Child::Rule(rule), Effect::Allow),
            _ => return (self.node().map_or(Child::Nothing, Child::Node), None),
        };
        (child, Some(effect))
    }

    /// Ranks edges that do not lead to nodes: the strongest effect first and, within it, the first rule; no rule
    /// comes last. `None` if the limits of the rule must be compared first.
    #[inline(always)]
    #[must_use]
    pub fn rank(self) -> Option<u32> {
        let is_open = self.0 >= ASKS_IF_KEPT && self.0 < NOTHING_FIRST;
        (!is_open).then_some(self.0 & !TERMINAL)
    }
}

/// Returns the length of a row in bytes.
pub(crate) fn row_bytes(section: Section) -> u16 {
    match section {
        Section::Roles | Section::Words => 4,
        Section::Attributes | Section::Rules | Section::Groups | Section::Cells => 8,
        Section::Limits | Section::States => 12,
        Section::Runs => 16,
        Section::Lanes | Section::Nodes => 20,
        Section::Operations => 36,
        Section::Terms | Section::Budgets => 28,
        Section::Texts => 1,
    }
}

/// Length of the longest row.
pub(crate) const ROW_BYTES_MAX: usize = 36;
/// Roles of a policy, as limited by the language.
pub const ROLES_MAX: u32 = 1_024;
/// Lanes of an operation: the cost of a decision beyond the length of its strings.
pub const LANES_PER_OPERATION_MAX: usize = 32;
/// Flags of an operation.
pub const FLAGS_MAX: u16 = 64;
/// Numbers, or strings, of an operation.
pub const SLOTS_MAX: u16 = 256;
/// Rules of a table.
pub const RULES_MAX: u32 = 1 << 28;

/// The largest number of a rule, which is also a bit mask.
const RULE_MAX: u32 = RULES_MAX - 1;

/// Length of a walk in words.
pub const WALK_WORDS: usize = 4;

const SCANS: u32 = 1 << 16;
const BACKWARD: u32 = 1 << 17;
const SIEVED: u32 = 1 << 18;
const SIEVE_SHIFT: u32 = 24;
const EACH: u32 = 1 << 8;
const NO_LANE: u32 = 0xff;
const TERMINAL: u32 = 1 << 31;
/// The upper bits of an edge to a rule, the strongest effect first.
const DENIES: u32 = 8 << 28;
const ASKS: u32 = 9 << 28;
const ASKS_EXCEEDED: u32 = 10 << 28;
const ALLOWS: u32 = 11 << 28;
const ALLOWS_EXCEEDED: u32 = 12 << 28;
const ASKS_IF_KEPT: u32 = 13 << 28;
const ALLOWS_IF_KEPT: u32 = 14 << 28;
const NOTHING_FIRST: u32 = 15 << 28;
