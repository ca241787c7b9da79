//! Why a policy has no table -> a finding that names the patterns or rules and what to do.

use policy_model::codes;
use policy_syntax::{Code, Diagnostic, FileId, Location, Span, quote};
use table_format::WriteError;

/// Why a policy has no table. Patterns and rules are named with their places.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TableError {
    #[error("the automaton of `{}` is too large", .pattern.0)]
    PatternTooLarge { pattern: (String, Location) },
    /// Each pattern alone is small enough.
    #[error("{} patterns together need too many automata", .patterns.len())]
    TooManyPatterns { patterns: Vec<(String, Location)> },
    #[error("the decision diagram of {} rules is too large", .rules.len())]
    RulesTooLarge { rules: Vec<(String, Location)> },
    #[error(transparent)]
    Unwritable(WriteError),
}

/// Returns the finding for the policy in `root`.
#[must_use]
pub fn diagnose(error: &TableError, root: FileId) -> Diagnostic {
    match error {
        TableError::PatternTooLarge { pattern } => {
            let message = format!("the automaton of {} is too large", quote(&pattern.0));
            at_places(codes::PATTERN_TOO_LARGE, root, message, std::slice::from_ref(pattern))
                .help("say where it starts, as in `a/*/*` instead of `**/a/*/*`, or use fewer repeats")
        }
        TableError::TooManyPatterns { patterns } => {
            let message = match patterns.as_slice() {
                [(one, _)] => format!("{} and the attribute's other patterns need too many automata", quote(one)),
                _ => format!("{} together need too many automata", counted(patterns.len(), "pattern")),
            };
            at_places(codes::TOO_MANY_PATTERNS, root, message, patterns).help(with_more(
                "replace regexes with globs, or merge those with the same start or end",
                patterns,
                "pattern",
            ))
        }
        TableError::RulesTooLarge { rules } => {
            let message = match rules.as_slice() {
                [(name, _)] => format!("the decision diagram of the rule {} is too large", quote(name)),
                _ => format!("the decision diagram of {} is too large", counted(rules.len(), "rule")),
            };
            at_places(codes::RULES_TOO_LARGE, root, message, rules).help(with_more(
                "use fewer attributes in one rule, or split its list into sets",
                rules,
                "rule",
            ))
        }
        TableError::Unwritable(error) => {
            let message = format!("the policy does not fit in a table: {error}");
            at_places(codes::TABLE_TOO_LARGE, root, message, &[])
                .help("split the policy; all tables of a session must agree")
        }
    }
}

/// Creates a finding at the first of the places, with some of the others; without any, at the start of the policy.
fn at_places(code: &'static Code, root: FileId, message: String, places: &[(String, Location)]) -> Diagnostic {
    let mut places: Vec<&(String, Location)> = places.iter().collect();
    places.sort_by_key(|(_, at)| *at);
    let mut places = places.into_iter().take(PLACES_MAX);
    let Some((_, at)) = places.next() else {
        return Diagnostic::new(code, Location { file: root, span: Span::default() }, message);
    };
    places.fold(Diagnostic::new(code, *at, message), |finding, (_, at)| finding.also(*at, "and this one"))
}

fn with_more(help: &str, places: &[(String, Location)], thing: &str) -> String {
    match places.len().saturating_sub(PLACES_MAX) {
        0 => help.to_owned(),
        more => format!("{help} ({} not shown)", counted(more, &format!("more {thing}"))),
    }
}

fn counted(count: usize, thing: &str) -> String {
    match count {
        1 => format!("1 {thing}"),
        _ => format!("{count} {thing}s"),
    }
}

/// Patterns or rules that are shown with their places.
const PLACES_MAX: usize = 8;

#[cfg(test)]
mod tests {
    use policy_syntax::{Source, Sources};
    use table_format::Section;

    use super::*;

    #[test]
    fn each_error_has_its_code_and_says_what_is_too_large() {
        let (root, at) = place();
        let named = |count: usize| (0..count).map(|n| (format!("p{n}"), at)).collect::<Vec<_>>();
        let of = |error: &TableError| {
            let finding = diagnose(error, root);
            assert!(finding.help.is_some());
            (finding.code.id, finding.message, finding.secondary.len())
        };
        let pattern = ("^a$".to_owned(), at);
        let cases = [
            (TableError::PatternTooLarge { pattern }, ("E0901", "the automaton of `^a$` is too large", 0)),
            (
                TableError::TooManyPatterns { patterns: named(20) },
                ("E0902", "20 patterns together need too many automata", PLACES_MAX - 1),
            ),
            (
                TableError::TooManyPatterns { patterns: named(1) },
                ("E0902", "`p0` and the attribute's other patterns need too many automata", 0),
            ),
            (
                TableError::RulesTooLarge { rules: named(1) },
                ("E0903", "the decision diagram of the rule `p0` is too large", 0),
            ),
            (
                TableError::RulesTooLarge { rules: named(3) },
                ("E0903", "the decision diagram of 3 rules is too large", 2),
            ),
            (
                TableError::Unwritable(WriteError::TooMany { section: Section::Words }),
                ("E0904", "the policy does not fit in a table: too many rows for section `words`", 0),
            ),
        ];
        for (error, (id, message, others)) in cases {
            assert_eq!(of(&error), (id, message.to_owned(), others));
        }
    }

    #[test]
    fn what_is_not_shown_is_counted() {
        let (root, at) = place();
        let help = |count: usize| {
            let patterns = vec![("p".to_owned(), at); count];
            diagnose(&TableError::TooManyPatterns { patterns }, root).help.unwrap()
        };
        assert!(!help(8).contains("not shown"), "{}", help(8));
        assert!(help(9).ends_with("(1 more pattern not shown)"), "{}", help(9));
        assert!(help(33).ends_with("(25 more patterns not shown)"), "{}", help(33));
    }

    #[test]
    fn the_first_place_of_the_text_is_the_one_to_change() {
        let (root, at) = place();
        let later = Location { span: Span { start: 9, end: 10 }, ..at };
        let rules = vec![("later".to_owned(), later), ("first".to_owned(), at)];
        let finding = diagnose(&TableError::RulesTooLarge { rules }, root);
        assert_eq!(finding.primary.at, at);
        assert_eq!(finding.secondary.first().map(|label| label.at), Some(later));
    }

    fn place() -> (FileId, Location) {
        let root = Sources::default().add(Source::new("p.policy", "policy p language 1"));
        (root, Location { file: root, span: Span { start: 7, end: 8 } })
    }
}
