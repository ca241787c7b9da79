//! The checked policy: every name resolved, every type right. A `Model` that exists is usable.

use std::collections::BTreeSet;
use std::sync::Arc;

use policy_syntax::{Effect, Location, Operator, Source, Sources, Span};

use crate::catalogue::{Access, AttributeKind, Known};
use crate::pattern::{Pattern, Regex};

/// A policy with its imports, ready to be judged by or compiled.
#[derive(Debug, Clone)]
pub struct Model {
    /// The name in its header.
    pub name: String,
    /// Every role, of the policy and its imports.
    pub roles: Vec<Role>,
    /// Every operation: the built-in ones first, then the declared ones.
    pub operations: Vec<Operation>,
    /// Every rule, sorted by [`Rule::place`].
    pub rules: Vec<Rule>,
    /// Every budget in source order.
    pub budgets: Vec<Budget>,
    /// Every assertion in source order.
    pub asserts: Vec<Assert>,
    /// The tests of the policy's own file, in source order. Those of an import speak of the
    /// import alone and are run there.
    pub tests: Vec<Test>,
}

impl Model {
    /// The role of that name.
    #[must_use]
    pub fn role(&self, name: &str) -> Option<RoleId> {
        self.roles.iter().position(|role| role.name == name).map(RoleId)
    }

    /// The operation of that name.
    #[must_use]
    pub fn operation(&self, name: &str) -> Option<OperationId> {
        self.operations.iter().position(|operation| operation.name == name).map(OperationId)
    }

    /// The rule of that name.
    #[must_use]
    pub fn rule(&self, name: &str) -> Option<&Rule> {
        self.rules.iter().find(|rule| rule.name == name)
    }
}

/// Which role, by its place in [`Model::roles`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RoleId(pub usize);

/// Which operation, by its place in [`Model::operations`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OperationId(pub usize);

/// Something a session can hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Role {
    /// Its name.
    pub name: String,
    /// Itself and everything it includes, directly or not.
    pub implies: BTreeSet<RoleId>,
    /// Whether a session may hold it. A role of a rule pack is there to be included by others.
    pub can_be_held: bool,
    /// Where it is declared.
    pub at: Location,
}

/// Something an agent can ask for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Operation {
    /// `file.read`, or a tool's name when it is gated as a whole.
    pub name: String,
    /// The tool it belongs to.
    pub tool: String,
    /// What it does to the world.
    pub access: Access,
    /// What a rule can ask of it.
    pub attributes: Vec<Attribute>,
    /// The code of a denial by default.
    pub denial_code: String,
}

impl Operation {
    /// The attribute of that name.
    #[must_use]
    pub fn attribute(&self, name: &str) -> Option<&Attribute> {
        self.attributes.iter().find(|attribute| &*attribute.name == name)
    }
}

/// A typed fact about a request.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Attribute {
    /// As rules write it.
    pub name: Arc<str>,
    /// What its values are.
    pub kind: AttributeKind,
    /// When they are known.
    pub known: Known,
    /// Whether it is one of the language's own, whose values have a known form.
    pub is_builtin: bool,
}

/// Whom a statement is about.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Subjects {
    /// Every request, also one that holds no role.
    Anyone,
    /// Requests that hold one of these, or a role that includes one.
    Roles(BTreeSet<RoleId>),
}

/// A rule.
#[derive(Debug, Clone)]
pub struct Rule {
    /// Its name, unique in the policy.
    pub name: String,
    /// Its place in source order, from 0; a file's rules stand where it is imported. Of two rules that
    /// could decide alike, the one with the smaller place does.
    pub place: usize,
    /// What it does.
    pub effect: Effect,
    /// Whom it is about.
    pub subjects: Subjects,
    /// What it is about, patterns expanded.
    pub operations: BTreeSet<OperationId>,
    /// When it matches; always when there is none.
    pub condition: Option<Condition>,
    /// The guarded flags that its condition asks for ([`crate::catalogue::guarded_flags`]): it permits no request with
    /// another. A rule to deny matches such requests in any case.
    pub asks_for: BTreeSet<&'static str>,
    /// Numbers that must not be exceeded, in the order written.
    pub limits: Vec<Limit>,
    /// Checks before the act, in the order written.
    pub requirements: Vec<String>,
    /// The code of its denial, when it has its own.
    pub code: Option<String>,
    /// Its reason, for people.
    pub because: Option<String>,
    /// Where it stands.
    pub at: Location,
    /// Where its name stands.
    pub name_at: Location,
}

/// The most a number may be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limit {
    /// Of what.
    pub attribute: Attribute,
    /// In the attribute's own unit: bytes, milliseconds, hundredths, or a plain count.
    pub most: u64,
    /// The `limit` clause it stands in.
    pub at: Location,
}

/// When a rule matches. Each comparison knows where it is written, so that the one which failed can be shown.
#[derive(Debug, Clone)]
pub enum Condition {
    /// All of them.
    All(Vec<Condition>),
    /// One of them at least.
    Any(Vec<Condition>),
    /// Not this one.
    Not(Box<Condition>),
    /// The flag is said.
    Flag {
        /// The flag.
        attribute: Attribute,
        /// Where it stands.
        at: Location,
    },
    /// The string is there and a pattern of one of the sets matches it.
    In {
        /// The string.
        attribute: Attribute,
        /// The sets named, in the order written, then what is listed beside them.
        sets: Vec<Arc<PatternSet>>,
        /// The whole comparison.
        at: Location,
    },
    /// The string is there and equal to this one.
    Equals {
        /// The string.
        attribute: Attribute,
        /// What it is equal to.
        text: String,
        /// The whole comparison.
        at: Location,
    },
    /// The string is there and the regex finds a match in it.
    Matches {
        /// The string.
        attribute: Attribute,
        /// The regex.
        regex: Regex,
        /// The whole comparison.
        at: Location,
    },
    /// The number compares so; an open number is greater than every other.
    Number {
        /// The number.
        attribute: Attribute,
        /// How it is compared.
        operator: Operator,
        /// With what, in the attribute's own unit.
        value: u64,
        /// The whole comparison; of a list of numbers, the whole list's.
        at: Location,
    },
}

impl Condition {
    /// Where it stands: a leaf's own place, a composite's from its first part to its last.
    ///
    /// A checked policy has a leaf in every composite. One without, made by hand, is said to stand at
    /// the start of the policy's own file.
    #[must_use]
    pub fn at(&self) -> Location {
        let start_of_policy = || Location { file: Sources::default().add(Source::new("", "")), span: Span::default() };
        self.extent().unwrap_or_else(start_of_policy)
    }

    /// Whether it is a list of numbers, `port in 80, 443`: several comparisons for the judge, one for whoever reads it.
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

/// Patterns under one name, or those listed in a condition itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PatternSet {
    /// The set's name; none for a list in a condition.
    pub name: Option<String>,
    /// Its own patterns and those of the sets in it, each list once. Lists are shared, because many
    /// sets may hold the same large one.
    pub lists: Vec<Arc<[LocatedPattern]>>,
}

/// A pattern and where it is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LocatedPattern {
    /// The pattern.
    pub pattern: Pattern,
    /// Its string, quotes included.
    pub at: Location,
}

impl PatternSet {
    /// All patterns, in the order of the sets' declarations.
    pub fn patterns(&self) -> impl Iterator<Item = &LocatedPattern> {
        self.lists.iter().flat_map(|list| list.iter())
    }

    /// Whether one of the patterns stands for the value.
    #[must_use]
    pub fn matches(&self, value: &str) -> bool {
        self.patterns().any(|located| located.pattern.matches(value))
    }
}

/// How much may be used in a time.
#[derive(Debug, Clone)]
pub struct Budget {
    /// Its name.
    pub name: String,
    /// Whose.
    pub subjects: Subjects,
    /// Of which operations.
    pub operations: BTreeSet<OperationId>,
    /// What is counted.
    pub measure: Measure,
    /// The most of it.
    pub most: u64,
    /// In which time.
    pub period: Period,
    /// Where it stands.
    pub at: Location,
}

/// What a budget counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Measure {
    /// The requests themselves.
    Calls,
    /// The sum of a number of theirs.
    Sum(Attribute),
}

/// The time a budget is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
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

impl Period {
    /// All periods.
    pub const ALL: [Self; 4] = [Self::Session, Self::Minute, Self::Hour, Self::Day];

    /// As policies spell it.
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

/// Something no request may ever be allowed.
#[derive(Debug, Clone)]
pub struct Assert {
    /// Its name.
    pub name: String,
    /// Who must never: requests that hold no roles but these and what they include. (A rule is
    /// about whoever holds one of its roles, an assertion about who holds nothing else.)
    pub subjects: Subjects,
    /// What must never be.
    pub operations: BTreeSet<OperationId>,
    /// Under which circumstances; always when there is none.
    pub condition: Option<Condition>,
    /// Where it stands.
    pub at: Location,
}

/// A request and what is expected of it.
#[derive(Debug, Clone)]
pub struct Test {
    /// Its name.
    pub name: String,
    /// The request.
    pub request: crate::evaluate::Request,
    /// The verdict expected.
    pub expected: Effect,
    /// The rule expected to decide.
    pub by: Option<String>,
    /// Where it stands.
    pub at: Location,
    /// Where the expectation stands.
    pub expected_at: Location,
}
