//! What the rows of a table say. States have a file of their own, and so has the spelling in bytes.

use crate::error::Section;
use crate::states::{Direction, Target};

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
/// three words for each lane (see [`Walk`]), its groups, its budgets.
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
    pub complex: u16,
    /// Lanes to walk.
    pub lanes: u16,
    /// Groups: those that are asked once, then those that are asked for each find of a lane.
    pub groups: u16,
    /// How many of the groups are asked once.
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
    pub start: Target,
    /// What becomes of its classes.
    pub mode: LaneMode,
    /// From which end it reads.
    pub direction: Direction,
    /// How many classes it can find, the empty one included.
    pub classes: u32,
    /// For [`LaneMode::Scan`]: in `words`, two words of bits for each class.
    pub first: u32,
}

/// One lane over one string of an operation. What the lane's own row says is repeated here, so that a
/// decision reads one place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Walk {
    /// Which lane.
    pub lane: u32,
    /// Where the walk starts.
    pub start: Target,
    /// Over which of the operation's strings.
    pub string: u16,
    /// What becomes of its classes.
    pub mode: LaneMode,
    /// From which end it reads.
    pub direction: Direction,
}

/// Rules that are decided together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Group {
    /// Asked for each class that this lane of the operation finds; once, without one.
    pub driver: Option<u8>,
    /// In `words`: the root for a request without roles, then one for each role.
    pub first: u32,
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

impl Walk {
    /// How many words it takes.
    pub const WORDS: usize = 3;

    #[inline(always)]
    pub(crate) fn of([lane, start, how]: [u32; Self::WORDS]) -> Self {
        Self {
            lane,
            start: Target::of(start),
            string: u16::try_from(how & u32::from(u16::MAX)).unwrap_or(u16::MAX),
            mode: if how & SCANS == 0 { LaneMode::Classify } else { LaneMode::Scan },
            direction: if how & BACKWARD == 0 { Direction::Forward } else { Direction::Backward },
        }
    }

    /// As words of the table.
    #[must_use]
    pub fn words(&self) -> [u32; Self::WORDS] {
        let mode = match self.mode {
            LaneMode::Classify => 0,
            LaneMode::Scan => SCANS,
        };
        let direction = match self.direction {
            Direction::Forward => 0,
            Direction::Backward => BACKWARD,
        };
        [self.lane, self.start.word(), u32::from(self.string) | mode | direction]
    }
}

impl Operation {
    /// How many words belong to it.
    pub(crate) fn words(&self) -> u32 {
        let others = [self.groups, self.budgets];
        others.into_iter().map(u32::from).fold(self.groups_offset(), u32::saturating_add)
    }

    /// Its words before those of its walks.
    pub(crate) fn walks_offset(&self) -> u32 {
        let slots = [self.strings, self.numbers, self.flags];
        slots.into_iter().map(u32::from).fold(0, u32::saturating_add)
    }

    /// Its words before those of its groups.
    pub(crate) fn groups_offset(&self) -> u32 {
        self.walks_offset().saturating_add(u32::from(self.lanes).saturating_mul(3))
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
    pub const NOTHING: Self = Self(NOTHING);

    /// The node it leads to, unless it ends here.
    #[inline(always)]
    #[must_use]
    pub fn node(self) -> Option<u32> {
        (self.0 & TERMINAL == 0).then_some(self.0)
    }

    /// Where it leads. `None` for a word that is no edge; an opened table has none.
    #[inline(always)]
    #[must_use]
    pub fn child(self) -> Option<Child> {
        let rule = self.0 & RULE_MAX;
        match self.0 & !RULE_MAX {
            NOTHING => (rule == 0).then_some(Child::Nothing),
            RULE => Some(Child::Rule(rule)),
            WITHIN => Some(Child::Within(rule)),
            EXCEEDED => Some(Child::Exceeded(rule)),
            _ => self.node().map(Child::Node),
        }
    }
}

impl From<Child> for Edge {
    fn from(child: Child) -> Self {
        Self(match child {
            Child::Node(node) => node & !TERMINAL,
            Child::Nothing => NOTHING,
            Child::Rule(rule) => RULE | (rule & RULE_MAX),
            Child::Within(rule) => WITHIN | (rule & RULE_MAX),
            Child::Exceeded(rule) => EXCEEDED | (rule & RULE_MAX),
        })
    }
}

/// Bytes of a row of the section.
pub(crate) fn row_bytes(section: Section) -> u16 {
    match section {
        Section::Roles | Section::Words => 4,
        Section::Attributes | Section::Rules | Section::Groups => 8,
        Section::Limits => 12,
        Section::States => 16,
        Section::Lanes | Section::Nodes => 20,
        Section::Operations => 36,
        Section::Terms | Section::Budgets => 28,
        Section::Texts | Section::Runs => 1,
    }
}

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

const SCANS: u32 = 1 << 16;
const BACKWARD: u32 = 1 << 17;
const TERMINAL: u32 = 1 << 31;
const NOTHING: u32 = 8 << 28;
const RULE: u32 = 9 << 28;
const WITHIN: u32 = 10 << 28;
const EXCEEDED: u32 = 11 << 28;
