//! The tree of a policy as written: every node with its span, no meaning yet.

use crate::source::Span;

/// One file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Ast {
    /// The statements that could be read, in order.
    pub statements: Vec<Statement>,
    /// The comments, in order.
    pub comments: Vec<Comment>,
    /// Names of statements that could not be read, so that a use of one is not a second finding.
    pub broken: Vec<String>,
}

/// One statement and where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Statement {
    /// What it says.
    pub kind: StatementKind,
    /// From its keyword to its last word.
    pub span: Span,
}

/// The statements of the language.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StatementKind {
    /// `policy NAME language N`
    Header(Header),
    /// `use …`
    Use(Use),
    /// `without PACK`
    Without(Name),
    /// `role NAME includes …`
    Role(Role),
    /// `paths NAME = …` and its like
    Set(Set),
    /// `tool NAME { … }`
    Tool(Tool),
    /// `rule NAME: …`
    Rule(Rule),
    /// `budget NAME: …`
    Budget(Budget),
    /// `assert NAME: never …`
    Assert(Assert),
    /// `test NAME: … => …`
    Test(Test),
}

/// A word with its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Name {
    /// As written.
    pub text: String,
    /// Where.
    pub span: Span,
}

/// A string literal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Text {
    /// What it says, escapes resolved.
    pub value: String,
    /// Where, quotes included.
    pub span: Span,
}

/// A number, perhaps with a unit, as written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Quantity {
    /// Digits, underscores left out; may have a decimal point.
    pub digits: String,
    /// The unit's word.
    pub unit: Option<Name>,
    /// Number and unit.
    pub span: Span,
}

/// `policy NAME language N`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Header {
    /// The policy's name.
    pub name: Name,
    /// The language version.
    pub language: Quantity,
}

/// `use std.secrets` or `use "./team.policy"`
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Use {
    /// A rule pack that comes with the compiler.
    Pack(Name),
    /// A file, relative to the one that names it.
    File(Text),
}

/// `role NAME includes …`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Role {
    /// The role's name.
    pub name: Name,
    /// The roles it contains.
    pub includes: Vec<Name>,
}

/// What the strings of a set are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SetKind {
    /// Globs over workspace paths.
    Paths,
    /// Host names and `*.` patterns.
    Hosts,
    /// Plain command names.
    Commands,
    /// Globs over git references.
    Refs,
    /// Model names.
    Models,
    /// Any other string.
    Names,
}

impl SetKind {
    /// All kinds, in the order the reference lists them.
    pub const ALL: [Self; 6] = [Self::Paths, Self::Hosts, Self::Commands, Self::Refs, Self::Models, Self::Names];

    /// The keyword that declares one.
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

    /// The kind a keyword declares.
    #[must_use]
    pub fn of_keyword(keyword: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.keyword() == keyword)
    }
}

/// `paths NAME = …`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Set {
    /// What its strings are.
    pub kind: SetKind,
    /// The set's name.
    pub name: Name,
    /// Its members.
    pub items: Vec<Item>,
}

/// A member of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Item {
    /// A pattern or literal.
    Text(Text),
    /// A number.
    Quantity(Quantity),
    /// A set by name.
    Set(Name),
}

impl Item {
    /// Where it stands.
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
    /// The tool's name.
    pub name: Name,
    /// What it declares.
    pub body: ToolBody,
}

/// What a `tool` statement declares.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ToolBody {
    /// Operations of its own.
    Operations(Vec<Operation>),
    /// None: the tool is gated as a whole, with these parameters.
    Whole(Vec<Parameter>),
}

/// `op NAME(…)`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Operation {
    /// The operation's name, without the tool's.
    pub name: Name,
    /// Its parameters.
    pub parameters: Vec<Parameter>,
    /// The whole declaration.
    pub span: Span,
}

/// `NAME: TYPE`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameter {
    /// The attribute it becomes.
    pub name: Name,
    /// Its type's word.
    pub type_name: Name,
}

/// What a rule does, in falling strength.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Effect {
    /// Forbids.
    Deny,
    /// Lets a person decide.
    Ask,
    /// Lifts the interdict.
    Allow,
}

impl Effect {
    /// As policies spell it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Deny => "deny",
            Self::Ask => "ask",
            Self::Allow => "allow",
        }
    }
}

/// Whom a rule is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Subjects {
    /// `anyone`
    Anyone(Span),
    /// Whoever holds one of these.
    Roles(Vec<Name>),
}

/// `rule NAME: …`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    /// The rule's name.
    pub name: Name,
    /// What it does.
    pub effect: Effect,
    /// Where the effect's word stands.
    pub effect_span: Span,
    /// Whom it is about.
    pub subjects: Subjects,
    /// What it is about: `file.read`, `file.*`, or a whole tool.
    pub operations: Vec<Name>,
    /// The rest, in the order written.
    pub clauses: Vec<Clause>,
}

/// A clause and where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Clause {
    /// What it says.
    pub kind: ClauseKind,
    /// From its keyword to its last word.
    pub span: Span,
}

/// What may follow a rule's operations.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ClauseKind {
    /// `where …`
    Where(Condition),
    /// `limit … <= …`
    Limit(Vec<Bound>),
    /// `require …`
    Require(Vec<Name>),
    /// `code …`
    Code(Name),
    /// `because "…"`
    Because(Text),
}

impl ClauseKind {
    /// The word that starts it.
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
    /// What is bounded.
    pub attribute: Name,
    /// The most it may be.
    pub most: Quantity,
}

/// `budget NAME: WHO OPERATIONS ATTRIBUTE <= QUANTITY per PERIOD`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Budget {
    /// The budget's name.
    pub name: Name,
    /// Whose.
    pub subjects: Subjects,
    /// Of what.
    pub operations: Vec<Name>,
    /// What is counted and how much of it.
    pub bound: Bound,
    /// In which time.
    pub period: Name,
}

/// `assert NAME: never WHO to OPERATIONS where …`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assert {
    /// The assertion's name.
    pub name: Name,
    /// Who must never.
    pub subjects: Subjects,
    /// What must never be.
    pub operations: Vec<Name>,
    /// Under which circumstances.
    pub condition: Option<Condition>,
}

/// `test NAME: ROLES OPERATION FACTS => EFFECT by RULE`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Test {
    /// The test's name.
    pub name: Name,
    /// The roles held; none for `anyone`.
    pub roles: Subjects,
    /// The operation asked for.
    pub operation: Name,
    /// What is known of the request.
    pub facts: Vec<Fact>,
    /// The verdict expected.
    pub expected: Effect,
    /// Where it is stated.
    pub expected_span: Span,
    /// The rule expected to decide.
    pub by: Option<Name>,
}

/// `ATTRIBUTE VALUE`, or a flag by its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fact {
    /// The attribute.
    pub attribute: Name,
    /// Its value; none for a flag.
    pub value: Option<Value>,
    /// Both.
    pub span: Span,
}

/// A literal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// A string.
    Text(Text),
    /// A number.
    Quantity(Quantity),
}

/// A condition and where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Condition {
    /// What it says.
    pub kind: ConditionKind,
    /// All of it, parentheses included.
    pub span: Span,
}

/// The conditions of the language. Parentheses and `not`s are bounded by
/// [`crate::limits::NESTING_MAX`], and between two of them are at most an `or` and an `and`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ConditionKind {
    /// `a and b and c`
    All(Vec<Condition>),
    /// `a or b or c`
    Any(Vec<Condition>),
    /// `not a`
    Not(Box<Condition>),
    /// `( a )`: kept, so that the formatter prints what was written.
    Group(Box<Condition>),
    /// A flag by name.
    Flag(Name),
    /// `attribute in …`
    In(Name, Vec<Item>),
    /// `attribute matches "…"`
    Matches(Name, Text),
    /// `attribute OPERATOR value`
    Compare(Name, Operator, Value),
}

/// How two values are compared.
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
    /// All operators.
    pub const ALL: [Self; 6] = [Self::Equal, Self::NotEqual, Self::AtMost, Self::AtLeast, Self::Below, Self::Above];

    /// As written.
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
    /// As written, without trailing blanks.
    pub text: String,
    /// Where.
    pub span: Span,
    /// Whether nothing but blanks stands before it on its line.
    pub own_line: bool,
}
