//! text -> Ast
//!
//! The grammar of Interdict policies: statements with spans, comments, findings as data, and the
//! canonical layout. It knows no meaning: `policy-model` resolves roles, operations and attributes.

mod ast;
mod build;
pub mod codes;
mod diagnostic;
mod expected;
mod format;
mod layout;
pub mod limits;
mod parse;
mod similar;
mod source;
#[cfg(feature = "testing")]
pub mod testing;
mod text;
mod words;

pub use ast::{
    Assert, Ast, Bound, Budget, Clause, ClauseKind, Comment, Condition, ConditionKind, Effect, Fact, Header, Item,
    Name, Operation, Operator, Parameter, Quantity, Role, Rule, Set, SetKind, Statement, StatementKind, Subjects, Test,
    Text, Tool, ToolBody, Use, Value,
};
pub use diagnostic::{Code, Diagnostic, Label, Severity, quote};
pub use format::format;
pub use parse::{LANGUAGE_VERSION, Parsed, parse, parse_without_tests};
pub use similar::{closest, did_you_mean};
pub use source::{FileId, Location, Position, Source, Sources, Span};
pub use text::{TextError, decode, is_unseen};
