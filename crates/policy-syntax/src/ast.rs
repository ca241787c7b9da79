//! The tree of a policy as written: every node with its span, no meaning yet.

use crate::source::Span;

/// The tree of one file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Ast {
    pub statements: Vec<Statement>,
    pub comments: Vec<Comment>,
    /// Names of statements that could not be read, so that their uses are not reported too.
    pub broken: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Statement {
    pub kind: StatementKind,
    pub span: Span,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StatementKind {
    Header(Header),
    Use(Use),
    Without(Name),
    Role(Role),
    Set(Set),
    Tool(Tool),
    Rule(Rule),
    Budget(Budget),
    Assert(Assert),
    Test(Test),
}

/// A word and its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Name {
    pub text: String,
    pub span: Span,
}

/// A string literal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Text {
    /// With escapes resolved.
    pub value: String,
    /// Quotes included.
    pub span: Span,
}

/// A number, perhaps with a unit, as written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Quantity {
    /// Without underscores; may have a decimal point.
    pub digits: String,
    pub unit: Option<Name>,
    pub span: Span,
}

/// `policy NAME language N`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Header {
    pub name: Name,
    pub language: Quantity,
}

/// `use std.secrets` or `use "./team.policy"`
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Use {
    Pack(Name),
    /// A path relative to the importing file.
    File(Text),
}

/// `role NAME includes …`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Role {
    pub name: Name,
    pub includes: Vec<Name>,
}

/// The type of a set's strings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SetKind {
    /// Globs over workspace paths.
    Paths,
    /// Host names and `*.` patterns.
    Hosts,
    Commands,
    /// Globs over git references.
    Refs,
    Models,
    /// Any other string.
    Names,
}

impl SetKind {
    /// In the order of the language reference.
    pub const ALL: [Self; 6] = [Self::Paths, Self::Hosts, Self::Commands, Self::Refs, Self::Models, Self::Names];

    #[must_use]
    pub fn keyword(self) -> &'static str {
        match self {
            Self::Paths => "paths",
            Self::Hosts => "hosts",
            Self::Commands => "commands",
            Self::Refs => "refs",
            Self::Models => "models",
            Self::Names => "names",
        }
    }

    #[must_use]
    pub fn of_keyword(keyword: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.keyword() == keyword)
    }
}

/// `paths NAME = …`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Set {
    pub kind: SetKind,
    pub name: Name,
    pub items: Vec<Item>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Item {
    Text(Text),
    Quantity(Quantity),
    Set(Name),
}

impl Item {
    #[must_use]
    pub fn span(&self) -> Span {
        match self {
            Self::Text(text) => text.span,
            Self::Quantity(quantity) => quantity.span,
            Self::Set(name) => name.span,
        }
    }
}

/// `tool NAME { op … }`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tool {
    pub name: Name,
    pub body: ToolBody,
}

/// The declarations in a `tool` statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ToolBody {
    Operations(Vec<Operation>),
    /// No operations: the tool is gated as a whole, with these parameters.
    Whole(Vec<Parameter>),
}

/// `op NAME(…)`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Operation {
    /// Without the tool's name.
    pub name: Name,
    pub parameters: Vec<Parameter>,
    pub span: Span,
}

/// `NAME: TYPE`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameter {
    pub name: Name,
    pub type_name: Name,
}

/// The effect of a rule; the strongest comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Effect {
    Deny,
    Ask,
    Allow,
}

impl Effect {
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Deny => "deny",
            Self::Ask => "ask",
            Self::Allow => "allow",
        }
    }
}

/// The requests a statement is about, by their roles.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Subjects {
    Anyone(Span),
    Roles(Vec<Name>),
}

/// `rule NAME: …`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    pub name: Name,
    pub effect: Effect,
    pub effect_span: Span,
    pub subjects: Subjects,
    /// `file.read`, `file.*`, or a whole tool.
    pub operations: Vec<Name>,
    /// In the order written.
    pub clauses: Vec<Clause>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Clause {
    pub kind: ClauseKind,
    pub span: Span,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ClauseKind {
    Where(Condition),
    Limit(Vec<Bound>),
    Require(Vec<Name>),
    Code(Name),
    Because(Text),
}

impl ClauseKind {
    #[must_use]
    pub fn keyword(&self) -> &'static str {
        match self {
            Self::Where(_) => "where",
            Self::Limit(_) => "limit",
            Self::Require(_) => "require",
            Self::Code(_) => "code",
            Self::Because(_) => "because",
        }
    }
}

/// `ATTRIBUTE <= QUANTITY`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bound {
    pub attribute: Name,
    pub most: Quantity,
}

/// `budget NAME: WHO OPERATIONS ATTRIBUTE <= QUANTITY per PERIOD`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Budget {
    pub name: Name,
    pub subjects: Subjects,
    pub operations: Vec<Name>,
    pub bound: Bound,
    pub period: Name,
}

/// `assert NAME: never WHO to OPERATIONS where …`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assert {
    pub name: Name,
    pub subjects: Subjects,
    pub operations: Vec<Name>,
    pub condition: Option<Condition>,
}

/// `test NAME: ROLES OPERATION FACTS => EFFECT by RULE`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Test {
    pub name: Name,
    pub roles: Subjects,
    pub operation: Name,
    pub facts: Vec<Fact>,
    pub expected: Effect,
    pub expected_span: Span,
    pub by: Option<Name>,
}

/// `ATTRIBUTE VALUE`, or a flag by its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fact {
    pub attribute: Name,
    /// `None` for a flag.
    pub value: Option<Value>,
    pub span: Span,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    Text(Text),
    Quantity(Quantity),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Condition {
    pub kind: ConditionKind,
    /// Parentheses included.
    pub span: Span,
}

/// Nested at most [`crate::limits::NESTING_MAX`] parentheses and `not`s deep, with at most an `or` and an `and` between
/// two of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ConditionKind {
    All(Vec<Condition>),
    Any(Vec<Condition>),
    Not(Box<Condition>),
    /// `( a )`, kept so that the formatter prints it.
    Group(Box<Condition>),
    Flag(Name),
    In(Name, Vec<Item>),
    Matches(Name, Text),
    Compare(Name, Operator, Value),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Operator {
    /// `==`
    Equal,
    /// `!=`
    NotEqual,
    /// `<=`
    AtMost,
    /// `>=`
    AtLeast,
    /// `<`
    Below,
    /// `>`
    Above,
}

impl Operator {
    pub const ALL: [Self; 6] = [Self::Equal, Self::NotEqual, Self::AtMost, Self::AtLeast, Self::Below, Self::Above];

    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Equal => "==",
            Self::NotEqual => "!=",
            Self::AtMost => "<=",
            Self::AtLeast => ">=",
            Self::Below => "<",
            Self::Above => ">",
        }
    }
}

/// A comment, from its `#` to the end of its line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Comment {
    /// Without trailing blanks.
    pub text: String,
    pub span: Span,
    /// Nothing but blanks precedes it on its line.
    pub own_line: bool,
}
