//! A condition -> its comparisons as parts, and how their truth makes the condition's.

use policy_model::{Condition, Request};
use policy_syntax::{Location, Sources};

use super::{Part, PartKind, holds};

/// The structure of a condition above its comparisons. A leaf is a part by its place in the rule's list.
#[derive(Debug)]
pub(super) enum Shape {
    All(Vec<Shape>),
    Any(Vec<Shape>),
    Not(Box<Shape>),
    Leaf(usize),
}

impl Shape {
    /// Appends the comparisons to the parts. No condition is one that always holds.
    pub(super) fn of<'a>(condition: Option<&'a Condition>, sources: &Sources, parts: &mut Vec<Part<'a>>) -> Self {
        match condition {
            None => Self::All(Vec::new()),
            Some(condition) => Self::joined(condition, sources, parts),
        }
    }

    fn joined<'a>(condition: &'a Condition, sources: &Sources, parts: &mut Vec<Part<'a>>) -> Self {
        let mut shapes = |list: &'a [Condition]| list.iter().map(|part| Self::joined(part, sources, parts)).collect();
        match condition {
            Condition::Not(part) if is_comparison(part) => {
                let written = one_line(sources.slice(part.at()));
                // `scheme != "http"` is one comparison, and `not` is not written in it.
                let text = if is_unequal(&written) { written } else { format!("not {written}") };
                Self::leaf(condition, text, parts)
            }
            comparison if is_comparison(comparison) => {
                let text = one_line(sources.slice(comparison.at()));
                Self::leaf(comparison, text, parts)
            }
            Condition::All(list) => Self::All(shapes(list)),
            Condition::Any(list) => Self::Any(shapes(list)),
            Condition::Not(part) => Self::Not(Box::new(Self::joined(part, sources, parts))),
            Condition::Flag { .. }
            | Condition::In { .. }
            | Condition::Equals { .. }
            | Condition::Matches { .. }
            | Condition::Number { .. } => Self::leaf(condition, String::new(), parts),
        }
    }

    fn leaf<'a>(condition: &'a Condition, text: String, parts: &mut Vec<Part<'a>>) -> Self {
        let at: Location = condition.at();
        parts.push(Part { what: PartKind::Comparison { condition, text }, at, yes: 0, no: 0 });
        Self::Leaf(parts.len().saturating_sub(1))
    }

    /// Evaluates the condition. Every comparison is made and counted, also where an earlier one has settled it.
    pub(super) fn count(&self, parts: &mut [Part<'_>], request: &Request) -> bool {
        match self {
            Self::All(shapes) => {
                let false_ones = shapes.iter().filter(|shape| !shape.count(parts, request)).count();
                false_ones == 0
            }
            Self::Any(shapes) => {
                let true_ones = shapes.iter().filter(|shape| shape.count(parts, request)).count();
                true_ones > 0
            }
            Self::Not(shape) => !shape.count(parts, request),
            Self::Leaf(index) => {
                let Some(part) = parts.get_mut(*index) else {
                    return false;
                };
                let is_true = match &part.what {
                    PartKind::Comparison { condition, .. } => holds(condition, request),
                    PartKind::Effect(_) | PartKind::Limit(_) => false,
                };
                part.see(is_true);
                is_true
            }
        }
    }
}

/// True for a condition that is written as one comparison.
fn is_comparison(condition: &Condition) -> bool {
    match condition {
        Condition::Flag { .. }
        | Condition::In { .. }
        | Condition::Equals { .. }
        | Condition::Matches { .. }
        | Condition::Number { .. } => true,
        Condition::Any(_) => condition.is_number_list(),
        Condition::All(_) | Condition::Not(_) => false,
    }
}

fn is_unequal(written: &str) -> bool {
    written.split('"').next().is_some_and(|before_text| before_text.contains("!="))
}

/// Source text without comments, and with one blank where there are several outside strings.
fn one_line(text: &str) -> String {
    let mut line = String::new();
    let mut inside = Inside::Nothing;
    for c in text.chars() {
        let next = match (inside, c) {
            (Inside::Nothing, '#') => Inside::Comment,
            (Inside::Nothing, '"') | (Inside::Escape, _) => Inside::String,
            (Inside::String, '\\') => Inside::Escape,
            (Inside::String, '"') | (Inside::Comment, '\n') => Inside::Nothing,
            (same, _) => same,
        };
        let is_blank = inside == Inside::Nothing && c.is_whitespace();
        let is_comment = inside == Inside::Comment || next == Inside::Comment;
        if is_blank && !line.ends_with(' ') {
            line.push(' ');
        } else if !is_blank && !is_comment {
            line.push(c);
        }
        inside = next;
    }
    line.trim_end().to_owned()
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Inside {
    Nothing,
    String,
    Escape,
    Comment,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn source_text_becomes_one_line_without_comments() {
        assert_eq!(one_line("path in sources"), "path in sources");
        assert_eq!(one_line("path in\n      \"a # b\", # a comment\n      \"c\""), "path in \"a # b\", \"c\"");
        assert_eq!(one_line("line == \"\\\" # x\" # y"), "line == \"\\\" # x\"");
        assert_eq!(one_line("path\n  in \"a  b\""), "path in \"a  b\"");
    }
}
