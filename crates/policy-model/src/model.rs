//! The checked policy: every name resolved, every type right. A `Model` that exists is usable.

use std::collections::BTreeSet;
use std::sync::Arc;

use policy_syntax::{Effect, Location, Operator, Source, Sources, Span};

use crate::catalogue::{Access, AttributeKind};
use crate::pattern::{Pattern, Regex};

/// A policy with its imports, ready to be judged or compiled.
#[derive(Debug, Clone)]
pub struct Model {
    pub name: String,
    pub roles: Vec<Role>,
    /// Built-in operations first, then the declared ones.
    pub operations: Vec<Operation>,
    /// Sorted by [`Rule::place`].
    pub rules: Vec<Rule>,
    pub budgets: Vec<Budget>,
    pub asserts: Vec<Assert>,
    /// Tests of the policy's own file, in source order. The tests of an import run when that is checked itself.
    pub tests: Vec<Test>,
}

impl Model {
    #[must_use]
    pub fn role(&self, name: &str) -> Option<RoleId> {
        self.roles.iter().position(|role| role.name == name).map(RoleId)
    }

    #[must_use]
    pub fn operation(&self, name: &str) -> Option<OperationId> {
        self.operations.iter().position(|operation| operation.name == name).map(OperationId)
    }

    #[must_use]
    pub fn rule(&self, name: &str) -> Option<&Rule> {
        self.rules.iter().find(|rule| rule.name == name)
    }
}

/// The place of a role in [`Model::roles`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RoleId(pub usize);

/// The place of an operation in [`Model::operations`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OperationId(pub usize);

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Role {
    pub name: String,
    /// The role itself and everything it includes, directly or not.
    pub implies: BTreeSet<RoleId>,
    /// False for the roles of a rule pack, which can only be included.
    pub can_be_held: bool,
    pub at: Location,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Operation {
    /// `file.read`, or the tool's name if the tool is gated as a whole.
    pub name: String,
    pub tool: String,
    pub access: Access,
    pub attributes: Vec<Attribute>,
    /// The flags that a rule has to ask for to permit a request that sets them.
    pub guarded_flags: Vec<&'static str>,
    /// The code of a denial that no rule explains.
    pub denial_code: String,
}

impl Operation {
    #[must_use]
    pub fn attribute(&self, name: &str) -> Option<&Attribute> {
        self.attributes.iter().find(|attribute| &*attribute.name == name)
    }
}

/// A typed fact about a request.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Attribute {
    pub name: Arc<str>,
    pub kind: AttributeKind,
    /// No request says it; only the act shows it.
    pub known_after_act: bool,
    /// Values of built-in attributes have a known form.
    pub is_builtin: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Subjects {
    Anyone,
    /// Requests that hold one of these roles, or a role that includes one.
    Roles(BTreeSet<RoleId>),
}

#[derive(Debug, Clone)]
pub struct Rule {
    pub name: String,
    /// The place in source order from 0, with imports in the place of their `use`. Of two rules that could decide,
    /// the one with the smaller place does.
    pub place: usize,
    pub effect: Effect,
    pub subjects: Subjects,
    pub operations: BTreeSet<OperationId>,
    /// `None` always holds.
    pub condition: Option<Condition>,
    /// The guarded flags that the condition asks for ([`Operation::guarded_flags`]). A rule to allow or ask
    /// matches no request with another guarded flag; a rule to deny ignores guards.
    pub asks_for: BTreeSet<&'static str>,
    pub limits: Vec<Limit>,
    pub requirements: Vec<String>,
    pub code: Option<String>,
    pub because: Option<String>,
    pub at: Location,
    pub name_at: Location,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limit {
    pub attribute: Attribute,
    /// In the attribute's own unit: bytes, milliseconds, hundredths, or a plain count.
    pub most: u64,
    /// The whole `limit` clause.
    pub at: Location,
}

/// The condition of a rule. Each comparison knows its place, so that the one that failed can be shown.
#[derive(Debug, Clone)]
pub enum Condition {
    All(Vec<Condition>),
    Any(Vec<Condition>),
    Not(Box<Condition>),
    /// The flag is set.
    Flag {
        attribute: Attribute,
        at: Location,
    },
    /// The string is present and matches a pattern of one of the sets.
    In {
        attribute: Attribute,
        /// Named sets in the order written, then the inline list.
        sets: Vec<Arc<PatternSet>>,
        at: Location,
    },
    /// The string is present and equal to `text`.
    Equals {
        attribute: Attribute,
        text: String,
        at: Location,
    },
    /// The string is present and the regex matches somewhere in it.
    Matches {
        attribute: Attribute,
        regex: Regex,
        at: Location,
    },
    /// An absent number compares greater than every other.
    Number {
        attribute: Attribute,
        operator: Operator,
        /// In the attribute's own unit.
        value: u64,
        /// The whole list, for one of a list of numbers.
        at: Location,
    },
}

impl Condition {
    /// Returns the place: of a comparison its own, of a composite from its first part to its last.
    ///
    /// A composite without parts, which no checked policy has, is placed at the start of the policy.
    #[must_use]
    pub fn at(&self) -> Location {
        let start_of_policy = || Location { file: Sources::default().add(Source::new("", "")), span: Span::default() };
        self.extent().unwrap_or_else(start_of_policy)
    }

    /// Returns true for a list of numbers such as `port in 80, 443`: several comparisons for the judge, one for the
    /// reader.
    #[must_use]
    pub fn is_number_list(&self) -> bool {
        let place = |part: &Self| match part {
            Self::Number { operator: Operator::Equal, at, .. } => Some(*at),
            _ => None,
        };
        match self {
            Self::Any(parts) => {
                let first = parts.first().and_then(place);
                first.is_some() && parts.iter().all(|part| place(part) == first)
            }
            _ => false,
        }
    }

    fn extent(&self) -> Option<Location> {
        match self {
            Self::All(parts) | Self::Any(parts) => parts
                .iter()
                .filter_map(Self::extent)
                .reduce(|first, last| Location { file: first.file, span: first.span.to(last.span) }),
            Self::Not(part) => part.extent(),
            Self::Flag { at, .. }
            | Self::In { at, .. }
            | Self::Equals { at, .. }
            | Self::Matches { at, .. }
            | Self::Number { at, .. } => Some(*at),
        }
    }
}

/// The patterns of a named set, or those listed in a condition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PatternSet {
    /// `None` for a list in a condition.
    pub name: Option<String>,
    /// Its own patterns and those of the sets in it, each list once. Lists are shared, because many sets may contain
    /// the same large one.
    pub lists: Vec<Arc<[LocatedPattern]>>,
}

/// A pattern and its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LocatedPattern {
    pub pattern: Pattern,
    /// The string literal, quotes included.
    pub at: Location,
}

impl PatternSet {
    /// Iterates over all patterns, in the order of the sets' declarations.
    pub fn patterns(&self) -> impl Iterator<Item = &LocatedPattern> {
        self.lists.iter().flat_map(|list| list.iter())
    }

    #[must_use]
    pub fn matches(&self, value: &str) -> bool {
        self.patterns().any(|located| located.pattern.matches(value))
    }
}

#[derive(Debug, Clone)]
pub struct Budget {
    pub name: String,
    pub subjects: Subjects,
    pub operations: BTreeSet<OperationId>,
    pub measure: Measure,
    pub most: u64,
    pub period: Period,
    pub at: Location,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Measure {
    /// Counts the requests.
    Calls,
    /// Sums an attribute.
    Sum(Attribute),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Period {
    Session,
    /// Any 60 seconds.
    Minute,
    /// Any 60 minutes.
    Hour,
    /// Any 24 hours.
    Day,
}

impl Period {
    pub const ALL: [Self; 4] = [Self::Session, Self::Minute, Self::Hour, Self::Day];

    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Session => "session",
            Self::Minute => "minute",
            Self::Hour => "hour",
            Self::Day => "day",
        }
    }
}

/// A claim that no matching request is ever allowed.
#[derive(Debug, Clone)]
pub struct Assert {
    pub name: String,
    /// Requests that hold only these roles and what they include. (A rule is about requests that hold one of its
    /// roles, an assertion about requests that hold nothing else.)
    pub subjects: Subjects,
    pub operations: BTreeSet<OperationId>,
    pub condition: Option<Condition>,
    pub at: Location,
}

/// A request and the expected decision.
#[derive(Debug, Clone)]
pub struct Test {
    pub name: String,
    pub request: crate::evaluate::Request,
    pub expected: Effect,
    pub by: Option<String>,
    pub at: Location,
    pub expected_at: Location,
}
