//! An owned request -> every rule that it breaks, as found by the core.

use enforce_core::validate::{Rule, Violation, validate};

use crate::borrow::Borrowed;
use crate::proto::{ToolRequest, ValidationError};

/// Success, or all violations (CTR-0033, CTR-0034).
pub type ValidationResult = Result<(), Vec<ValidationError>>;

/// A message that can be checked before it is sent or judged.
pub trait Validator {
    /// Checks every rule.
    ///
    /// # Errors
    /// Fails with all violations when a rule is broken.
    fn validate(&self) -> ValidationResult;
}

impl Validator for ToolRequest {
    fn validate(&self) -> ValidationResult {
        let borrowed = Borrowed::of(self);
        let mut errors = Vec::new();
        validate(&borrowed.request(), &mut |violation| errors.push(ValidationError::from(violation)));
        if errors.is_empty() { Ok(()) } else { Err(errors) }
    }
}

impl From<Violation> for ValidationError {
    fn from(violation: Violation) -> Self {
        let Violation { field, item, rule } = violation;
        let entry = item.map_or_else(String::new, |item| format!(" (entry {item})"));
        let facts = match rule {
            Rule::MaxLength { most, found } => format!(": {found} characters, {most} at most"),
            Rule::MaxSize { most, found } => format!(": {found} bytes, {most} at most"),
            Rule::ExactSize { expected, found } => format!(": {found} bytes instead of {expected}"),
            Rule::MaxValue { most, found } if field.ends_with(MODE) => format!(": {found:04o}, {most:04o} at most"),
            Rule::MaxValue { most, found } => format!(": {found}, {most} at most"),
            Rule::MaxItems { most, found } => format!(": {found}, {most} at most"),
            Rule::NoNul { at } | Rule::NoTraversal { at } => format!(" at byte {at}"),
            Rule::Exclusive { with } => format!(": `{with}`"),
            Rule::KeyValue { found } => format!(": it has {found}"),
            Rule::Required
            | Rule::OneOf
            | Rule::Key
            | Rule::Token
            | Rule::Header
            | Rule::NoOption
            | Rule::NoBracket => String::new(),
        };
        let message = format!("`{field}`{entry} {}{facts}", rule.sentence());
        Self { field: field.to_owned(), rule: rule.name().to_owned(), message }
    }
}

/// Adds the number of violations to the message of the first.
#[must_use]
pub fn first_of(message: String, count: usize) -> String {
    if count > 1 { format!("{message}, the first of {count} violations") } else { message }
}

/// Permission bits are octal wherever people read them.
const MODE: &str = ".mode";
