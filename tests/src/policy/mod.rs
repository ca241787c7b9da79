//! A policy as the pieces of its text: what a generator makes and a minimiser takes apart again.
//!
//! It has no meaning: whether a policy is a right one is for the checker to say.

mod read;
mod render;

use std::path::Path;

use policy_model::{CheckOptions, Checked, Memory, check_in};
use policy_syntax::{Effect, Operator, SetKind};

/// A policy of one file; its header is always the same.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Policy {
    /// Its statements, in order.
    pub statements: Vec<Statement>,
}

impl Policy {
    /// Checks the policy's text.
    #[must_use]
    pub fn check(&self) -> Checked {
        check_text(&self.to_string())
    }

    /// How many rules it has of its own.
    #[must_use]
    pub fn rules(&self) -> usize {
        self.statements.iter().filter(|statement| matches!(statement, Statement::Rule(_))).count()
    }
}

/// Checks a policy given as text.
#[must_use]
pub fn check_text(text: &str) -> Checked {
    let file = "agreement.policy";
    check_in(&Memory::default().with(file, text), Path::new(file), CheckOptions::default())
}

/// A statement. Those that change no answer (`test`, and `use` of a file) are left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Statement {
    /// `use PACK`
    Use(String),
    /// `without std.protected-paths`
    WithoutProtection,
    /// `role NAME includes …`
    Role {
        /// The role's name.
        name: String,
        /// What it includes.
        includes: Vec<String>,
    },
    /// `paths NAME = …` and its like
    Set {
        /// What its strings are.
        kind: SetKind,
        /// The set's name.
        name: String,
        /// Its members.
        items: Vec<Item>,
    },
    /// `tool NAME …`
    Tool {
        /// The tool's name.
        name: String,
        /// What it declares.
        body: ToolBody,
    },
    /// `rule NAME: …`
    Rule(Rule),
    /// `budget NAME: …`
    Budget(Budget),
    /// `assert NAME: never …`
    Assert(Assert),
}

/// A member of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Item {
    /// A pattern.
    Text(String),
    /// A set by name.
    Set(String),
    /// A number.
    Quantity(Quantity),
}

/// A number as written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Quantity {
    /// Digits, with a decimal point perhaps.
    pub digits: String,
    /// The unit's word.
    pub unit: Option<String>,
}

/// What a tool declares.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ToolBody {
    /// Operations of its own.
    Operations(Vec<Operation>),
    /// None: it is gated as a whole.
    Whole(Vec<Parameter>),
}

/// `op NAME(…)`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Operation {
    /// Without the tool's name.
    pub name: String,
    /// Its parameters.
    pub parameters: Vec<Parameter>,
}

/// `NAME: TYPE`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameter {
    /// The attribute it becomes.
    pub name: String,
    /// The type's word.
    pub type_name: String,
}

/// A rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    /// Its name.
    pub name: String,
    /// Its effect.
    pub effect: Effect,
    /// Its roles; none for `anyone`.
    pub subjects: Vec<String>,
    /// Its operations.
    pub operations: Vec<String>,
    /// When it applies.
    pub condition: Option<Condition>,
    /// What it limits.
    pub limits: Vec<Bound>,
    /// What it requires.
    pub requirements: Vec<String>,
    /// The code of its denial.
    pub code: Option<String>,
    /// Its reason.
    pub because: Option<String>,
}

/// `ATTRIBUTE <= QUANTITY`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bound {
    /// What is bounded.
    pub attribute: String,
    /// By how much.
    pub most: Quantity,
}

/// A condition. Parentheses are those its shape needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Condition {
    /// `a and b`, of two at least
    All(Vec<Condition>),
    /// `a or b`, of two at least
    Any(Vec<Condition>),
    /// `not a`
    Not(Box<Condition>),
    /// A flag by name.
    Flag(String),
    /// `attribute in …`
    In(String, Vec<Item>),
    /// `attribute == "…"`, `attribute != "…"`
    Text(String, Operator, String),
    /// `attribute <= 1 MiB`
    Number(String, Operator, Quantity),
    /// `attribute matches "…"`
    Matches(String, String),
}

/// `budget NAME: …`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Budget {
    /// Its name.
    pub name: String,
    /// Its roles; none for `anyone`.
    pub subjects: Vec<String>,
    /// Its operations.
    pub operations: Vec<String>,
    /// What is counted and how much of it.
    pub bound: Bound,
    /// In which time.
    pub period: String,
}

/// `assert NAME: never …`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assert {
    /// Its name.
    pub name: String,
    /// Its roles; none for `anyone`.
    pub subjects: Vec<String>,
    /// Its operations.
    pub operations: Vec<String>,
    /// Under which circumstances.
    pub condition: Option<Condition>,
}
