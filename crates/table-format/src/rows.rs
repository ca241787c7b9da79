//! What the rows of a table say. States have a file of their own, and so has the spelling in bytes.

use crate::bytes::index;
use crate::error::Section;
use crate::states::{Direction, Jump};

/// A name or sentence: a place in `texts`, where its length stands in two bytes before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TextRef(pub u32);

/// Rows or words in a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Span {
    /// The first of them.
    pub first: u32,
    /// How many.
    pub count: u32,
}

/// What a session can hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Role {
    /// Its name.
    pub name: TextRef,
}

/// What the values of an attribute are.
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
    /// Said or not said.
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

/// What a request can say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Attribute {
    /// Its name.
    pub name: TextRef,
    /// What its values are.
    pub kind: AttributeKind,
    /// Whether only the act shows its value, so that no request says it.
    pub known_later: bool,
}

/// What can be asked for. Its words, in this order: its attributes (strings, then numbers, then flags),
/// four words for each lane (see [`Walk`]), three for each group (see [`Ask`]), its budgets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Operation {
    /// Its name.
    pub name: TextRef,
    /// The code of a denial that no rule explains.
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
    /// One more than the place of the flag that says a shell line was not understood; zero without one.
    pub complex: u8,
    /// One if a group is asked in any case, and not only if a lane has found something; zero otherwise.
    pub always_asked: u8,
    /// Lanes to walk.
    pub lanes: u16,
    /// Groups: those that are asked once at most, then those that are asked for each find of a lane.
    pub groups: u16,
    /// How many of the groups are asked once at most.
    pub asked_once: u16,
    /// Budgets an act may be charged to.
    pub budgets: u16,
}

/// A rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rule {
    /// Its name.
    pub name: TextRef,
    /// What it comes to, by number.
    pub terms: u32,
}

/// What a rule does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Effect {
    /// Forbids.
    Deny,
    /// Leaves it to a person.
    Ask,
    /// Lets it happen.
    Allow,
}

/// What rules come to; rules with the same terms share them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Terms {
    /// What they do.
    pub effect: Effect,
    /// The code of their denial, when they have their own.
    pub code: Option<TextRef>,
    /// Their reason, for people.
    pub because: Option<TextRef>,
    /// Numbers that must not be exceeded, in `limits`.
    pub limits: Span,
    /// Names of checks before the act: words that are places in `texts`.
    pub requirements: Span,
}

/// The most a number may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limit {
    /// Of which attribute.
    pub attribute: u32,
    /// In the attribute's own unit.
    pub most: u64,
}

/// What a budget counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measure {
    /// The requests themselves.
    Calls,
    /// The sum of this attribute.
    Sum(u32),
}

/// The time a budget is for.
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

/// Whose requests a budget is charged for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BudgetRoles {
    /// Everyone's.
    Anyone,
    /// Those of who holds one of these: words that are roles.
    Roles(Span),
}

/// What an act is charged to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    /// Its name.
    pub name: TextRef,
    /// What it counts.
    pub measure: Measure,
    /// The most of it.
    pub most: u64,
    /// In which time.
    pub period: Period,
    /// Whose.
    pub roles: BudgetRoles,
}

/// What becomes of the classes a lane finds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LaneMode {
    /// One class for each string: a value that nodes of the diagram choose by.
    Classify,
    /// A class for each find: groups are asked for each, and bits are collected from all.
    Scan,
}

/// An automaton over one string attribute.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lane {
    /// Which attribute, for people who look at the table.
    pub attribute: u32,
    /// Where the walk starts.
    pub start: Jump,
    /// What becomes of its classes.
    pub mode: LaneMode,
    /// From which end it reads.
    pub direction: Direction,
    /// How many classes it can find, the empty one included.
    pub classes: u32,
    /// For [`LaneMode::Scan`]: in `words`, a word of bits for each class.
    pub first: u32,
}

/// One lane over one string of an operation, as it stands in the table. What the lane's own row says is
/// repeated here, so that a decision reads one place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Walk<'a>(pub(crate) &'a [[u8; 4]; WALK_WORDS]);

/// No segment of a string starts with a byte for which a choice has a cell: then a walk that starts with
/// that [`State::Hop`](crate::State::Hop) finds nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sieve {
    /// The byte that ends a segment.
    pub stop: u8,
    /// The choice.
    pub choice: u32,
}

/// When a group is asked, as it stands in the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct When(pub u32);

/// Rules that are decided together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Group {
    /// When it is asked.
    pub when: When,
    /// In `words`: the root for a request without roles, then one for each role.
    pub first: u32,
}

/// A group as an operation asks it. What the group's own row says is repeated here, so that a decision
/// reads one place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ask {
    /// Which group.
    pub group: u32,
    /// What its row says.
    pub row: Group,
}

/// What an edge of the diagram leads to, as it stands in the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Edge(pub u32);

/// What an edge of the diagram leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Child {
    /// Another node, always one before this.
    Node(u32),
    /// No rule of the group.
    Nothing,
    /// This rule, if its limits are kept; otherwise its limits have the word.
    Rule(u32),
    /// This rule, whose limits are known to be kept.
    Within(u32),
    /// This rule, one of whose limits is known to be exceeded.
    Exceeded(u32),
}

/// A node of the diagram: one question about the request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Node {
    /// Is the flag said?
    Flag {
        /// Which of the operation's flags.
        slot: u8,
        /// When it is not.
        unset: Edge,
        /// When it is.
        set: Edge,
    },
    /// Has a scanning lane seen this?
    Bit {
        /// Which of the operation's lanes.
        lane: u8,
        /// Which of its bits.
        bit: u8,
        /// When it has not.
        unset: Edge,
        /// When it has.
        set: Edge,
    },
    /// Which class, out of a range?
    Range {
        /// Which of the operation's lanes, or [`Node::DRIVER`].
        lane: u8,
        /// The first class of the range.
        low: u32,
        /// In `words`: a child for each class of the range.
        children: Span,
        /// For every other class.
        otherwise: Edge,
    },
    /// Which class, out of a few?
    Sorted {
        /// Which of the operation's lanes, or [`Node::DRIVER`].
        lane: u8,
        /// In `words`: pairs of a class and a child, by class; `count` is the number of words.
        pairs: Span,
        /// For every other class.
        otherwise: Edge,
    },
    /// How large is the number?
    Number {
        /// Which of the operation's numbers.
        slot: u8,
        /// In `words`: `bounds` ascending numbers of two words each, then a child for what is at most
        /// the first, at most the second, and so on, and one for what is above the last.
        first: u32,
        /// How many bounds.
        bounds: u16,
        /// When the request leaves it open.
        open: Edge,
    },
}

impl Node {
    /// Instead of a lane: the class for which the group is being asked.
    pub const DRIVER: u8 = u8::MAX;

    /// How many words belong to it, and which is the first.
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

/// The words of a walk: the lane; its start; the string, the mode, the direction and the byte of the sieve;
/// the choice of the sieve. A sieve tells, for most strings, that nothing is found.
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
    /// As words of the table.
    #[inline(always)]
    #[must_use]
    pub fn words(&self) -> [u32; WALK_WORDS] {
        self.0.map(u32::from_le_bytes)
    }

    /// Which lane.
    #[must_use]
    pub fn lane(&self) -> u32 {
        let [lane, _, _, _] = self.words();
        lane
    }

    /// Where the walk starts.
    #[inline(always)]
    #[must_use]
    pub fn start(&self) -> Jump {
        let [_, start, _, _] = self.words();
        Jump(start)
    }

    /// Over which of the operation's strings.
    #[inline(always)]
    #[must_use]
    pub fn string(&self) -> u16 {
        u16::try_from(self.how() & u32::from(u16::MAX)).unwrap_or(u16::MAX)
    }

    /// What becomes of its classes.
    #[inline(always)]
    #[must_use]
    pub fn mode(&self) -> LaneMode {
        if self.how() & SCANS == 0 { LaneMode::Classify } else { LaneMode::Scan }
    }

    /// From which end it reads.
    #[inline(always)]
    #[must_use]
    pub fn direction(&self) -> Direction {
        if self.how() & BACKWARD == 0 { Direction::Forward } else { Direction::Backward }
    }

    /// What tells, for most strings, that nothing is found.
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

    /// Once, after all walks, if this lane of the operation has found something.
    #[must_use]
    pub fn found(lane: u8) -> Self {
        Self(u32::from(lane))
    }

    /// For each class that this lane of the operation finds.
    #[must_use]
    pub fn each(lane: u8) -> Self {
        Self(EACH | u32::from(lane))
    }

    /// The lane that must have found something for the group to be asked after all walks.
    #[inline(always)]
    #[must_use]
    pub fn needed(self) -> usize {
        index(self.0)
    }

    /// Whether it is asked for each find of a lane, and of which.
    #[must_use]
    pub fn finds_of(self) -> Option<usize> {
        (self.0 & EACH != 0).then_some(index(self.0 & !EACH))
    }
}

impl Ask {
    /// How many words it takes.
    pub const WORDS: usize = 3;

    #[inline(always)]
    pub(crate) fn of([group, when, first]: [u32; Self::WORDS]) -> Self {
        Self { group, row: Group { when: When(when), first } }
    }

    /// As words of the table.
    #[must_use]
    pub fn words(&self) -> [u32; Self::WORDS] {
        [self.group, self.row.when.0, self.row.first]
    }
}

impl Operation {
    /// How many words belong to it.
    pub(crate) fn words(&self) -> u32 {
        self.budgets_offset().saturating_add(u32::from(self.budgets))
    }

    /// Its words before those of its budgets.
    pub(crate) fn budgets_offset(&self) -> u32 {
        self.groups_offset().saturating_add(u32::from(self.groups).saturating_mul(3))
    }

    /// Its words before those of its walks.
    pub(crate) fn walks_offset(&self) -> u32 {
        let slots = [self.strings, self.numbers, self.flags];
        slots.into_iter().map(u32::from).fold(0, u32::saturating_add)
    }

    /// Its words before those of its groups.
    pub(crate) fn groups_offset(&self) -> u32 {
        self.walks_offset().saturating_add(u32::from(self.lanes).saturating_mul(4))
    }
}

impl AttributeKind {
    /// Every kind, in the order of their numbers in a table.
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

    /// Whether values are strings.
    #[must_use]
    pub fn is_string(self) -> bool {
        matches!(self, Self::Path | Self::Ref | Self::Host | Self::Command | Self::Model | Self::Word)
    }

    /// Whether values are numbers.
    #[must_use]
    pub fn is_number(self) -> bool {
        matches!(self, Self::Count | Self::Size | Self::Duration | Self::Hundredths)
    }
}

impl Edge {
    /// To no rule of the group.
    pub const NOTHING: Self = Self(u32::MAX);

    /// The node it leads to, unless it ends here.
    #[inline(always)]
    #[must_use]
    pub fn node(self) -> Option<u32> {
        (self.0 & TERMINAL == 0).then_some(self.0)
    }

    /// To this node, or to the rule of this number and what it does.
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

    /// Where it leads, and what the rule there does.
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

    /// The order of what edges lead to when it is no node: the strongest voice first and, within it, the
    /// first rule; last of all nothing. `None` when the limits of a rule have to be looked at before.
    #[inline(always)]
    #[must_use]
    pub fn rank(self) -> Option<u32> {
        let is_open = self.0 >= ASKS_IF_KEPT && self.0 < NOTHING_FIRST;
        (!is_open).then_some(self.0 & !TERMINAL)
    }
}

/// Bytes of a row of the section.
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

/// The longest row.
pub(crate) const ROW_BYTES_MAX: usize = 36;
/// The most roles a policy may have, as the language bounds them.
pub const ROLES_MAX: u32 = 1_024;
/// The most lanes an operation may have: what a decision costs beyond the length of its strings.
pub const LANES_PER_OPERATION_MAX: usize = 32;
/// The most flags an operation may have.
pub const FLAGS_MAX: u16 = 64;
/// The most numbers or strings an operation may have.
pub const SLOTS_MAX: u16 = 256;
/// The most rules a table may have.
pub const RULES_MAX: u32 = 1 << 28;

/// The largest number of a rule, and the bits it takes.
const RULE_MAX: u32 = RULES_MAX - 1;

/// How many words a walk takes.
pub const WALK_WORDS: usize = 4;

const SCANS: u32 = 1 << 16;
const BACKWARD: u32 = 1 << 17;
const SIEVED: u32 = 1 << 18;
const SIEVE_SHIFT: u32 = 24;
const EACH: u32 = 1 << 8;
const NO_LANE: u32 = 0xff;
const TERMINAL: u32 = 1 << 31;
/// What a rule comes to at the end of a way, the strongest first.
const DENIES: u32 = 8 << 28;
const ASKS: u32 = 9 << 28;
const ASKS_EXCEEDED: u32 = 10 << 28;
const ALLOWS: u32 = 11 << 28;
const ALLOWS_EXCEEDED: u32 = 12 << 28;
const ASKS_IF_KEPT: u32 = 13 << 28;
const ALLOWS_IF_KEPT: u32 = 14 << 28;
const NOTHING_FIRST: u32 = 15 << 28;
