//! Properties of every text, as functions that panic if one does not hold. This crate's tests call them with generated
//! policies, fuzzers with any text.

use crate::ast::Ast;
use crate::diagnostic::Diagnostic;
use crate::format::format;
use crate::parse::parse;
use crate::source::{FileId, Source, Sources};

/// Checks that every word of a text without findings is in a statement, and that each finding is inside the text and
/// on one line. Returns true if there were no findings.
pub fn is_understood_or_reported(text: &str) -> bool {
    let parsed = parse(any_file(), text);
    for finding in &parsed.diagnostics {
        assert!(finding.primary.at.span.range().end <= text.len(), "{finding:?}");
        assert!(!finding.message.contains('\n'), "{finding:?}");
    }
    if !parsed.diagnostics.is_empty() {
        return false;
    }
    let mut outside = text.to_owned();
    let spans = parsed.ast.statements.iter().map(|statement| statement.span);
    for span in spans.chain(parsed.ast.comments.iter().map(|comment| comment.span)) {
        outside.replace_range(span.range(), &" ".repeat(span.range().len()));
    }
    assert_eq!(outside.trim(), "", "in:\n{text}");
    true
}

/// Checks that formatting keeps the words and comments of a text in their order.
///
/// # Errors
/// Returns the findings if the text has any.
pub fn layout_changes_no_word(text: &str) -> Result<(), Vec<Diagnostic>> {
    let formatted = format(any_file(), text)?;
    assert_eq!(words(text), words(&formatted), "{formatted}");
    Ok(())
}

/// Checks that formatting is idempotent and leaves no trailing blanks.
///
/// # Errors
/// Returns the findings if the text has any.
pub fn layout_of_a_layout_is_itself(text: &str) -> Result<(), Vec<Diagnostic>> {
    let once = format(any_file(), text)?;
    assert_eq!(format(any_file(), &once).as_deref(), Ok(once.as_str()));
    assert!(!once.lines().any(|line| line.ends_with(' ')), "{once}");
    Ok(())
}

/// Renders a tree without its spans, so that trees can be compared.
#[must_use]
pub fn shape(ast: &Ast) -> String {
    let debug = format!("{:?}{:?}", ast.statements, ast.comments);
    let mut parts = debug.split("Span {");
    let mut shape = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        shape.push_str(part.split_once('}').map_or(part, |(_, rest)| rest));
    }
    shape
}

/// Returns the [`shape`] of a text that must be readable.
pub fn shape_of(text: &str) -> String {
    let parsed = parse(any_file(), text);
    assert_eq!(parsed.diagnostics, [], "in:\n{text}");
    shape(&parsed.ast)
}

/// Returns a file id for texts that belong to no run.
#[must_use]
pub fn any_file() -> FileId {
    Sources::default().add(Source::new("generated.policy", ""))
}

/// Formatting keeps a comment's words, but may move it to a line of its own.
fn words(text: &str) -> String {
    shape_of(text).replace("own_line: true", "").replace("own_line: false", "")
}
