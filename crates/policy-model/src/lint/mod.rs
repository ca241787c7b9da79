//! What is allowed and yet probably not meant. Needs names and types, no automata.

mod commands;
mod rules;
mod run_others;
mod unused;

use policy_syntax::{Diagnostic, Location, Name, StatementKind, quote};

use crate::codes;
use crate::findings::Findings;
use crate::link::{Linked, Origin};
use crate::resolve::Resolved;

/// Runs the lints. Those that count uses or judge whole rules are skipped if a part of the policy could not be read:
/// the use, or the condition, may be in that part.
pub(crate) fn lint(linked: &Linked, resolved: &Resolved, found: &mut Findings<'_>) {
    name_style(linked, found);
    if linked.is_whole {
        rules::lint(&resolved.model, found);
        commands::lint(&resolved.model, found);
        unused::lint(linked, resolved, found);
    }
    note_asserts(linked, found);
}

fn name_style(linked: &Linked, found: &mut Findings<'_>) {
    for (unit, statement) in linked.statements().filter(|(unit, _)| unit.origin != Origin::Pack) {
        let name: &Name = match &statement.kind {
            StatementKind::Header(header) => &header.name,
            StatementKind::Role(role) => &role.name,
            StatementKind::Set(set) => &set.name,
            StatementKind::Rule(rule) => &rule.name,
            StatementKind::Budget(budget) => &budget.name,
            StatementKind::Assert(assert) => &assert.name,
            StatementKind::Test(test) => &test.name,
            // A tool has the name its maker gave it.
            StatementKind::Tool(_) | StatementKind::Use(_) | StatementKind::Without(_) => continue,
        };
        let kebab = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        if !name.text.chars().all(kebab) {
            let at = Location { file: unit.file, span: name.span };
            found.warn(|| {
                Diagnostic::new(codes::NAME_STYLE, at, format!("{} is not in kebab-case", quote(&name.text)))
                    .help(format!("write `{}`", kebab_case(&name.text)))
            });
        }
    }
}

fn note_asserts(linked: &Linked, found: &mut Findings<'_>) {
    let mut own = linked
        .statements()
        .filter(|(unit, statement)| unit.origin != Origin::Pack && matches!(statement.kind, StatementKind::Assert(_)));
    if let Some((unit, statement)) = own.next() {
        let count = own.count() + 1;
        let at = Location { file: unit.file, span: statement.span };
        found.warn(|| {
            let message = match count {
                1 => "the assertion is checked for names and types; it is not proved".to_owned(),
                count => format!("the {count} assertions are checked for names and types; they are not proved"),
            };
            Diagnostic::new(codes::ASSERTS_NOT_PROVED, at, message)
        });
    }
}

fn kebab_case(name: &str) -> String {
    let mut words = String::new();
    let mut after_small = false;
    for c in name.chars() {
        if c.is_ascii_uppercase() && after_small {
            words.push('-');
        }
        after_small = c.is_ascii_lowercase() || c.is_ascii_digit();
        match c {
            '_' | '-' => words.push('-'),
            c => words.push(c.to_ascii_lowercase()),
        }
    }
    let parts: Vec<&str> = words.split('-').filter(|part| !part.is_empty()).collect();
    parts.join("-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_turn_into_kebab_case() {
        for (name, expected) in [("MyRole", "my-role"), ("my_Role_2", "my-role-2"), ("HTTPRule", "httprule")] {
            assert_eq!(kebab_case(name), expected);
        }
    }
}
