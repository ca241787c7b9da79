//! Model -> warnings about what is allowed but probably not meant, and about declarations without effect.

mod commands;
mod run_others;

use std::collections::BTreeSet;

use policy_syntax::{Diagnostic, Effect, Location, Name, StatementKind, Use, quote};

use crate::catalogue::Access;
use crate::codes;
use crate::findings::Findings;
use crate::link::{Linked, Origin};
use crate::model::{Condition, Model, Operation, OperationId, Role, RoleId, Subjects};
use crate::resolve::Resolved;

/// Runs the lints. Those that count uses or judge whole rules are skipped if a part of the policy could not be read:
/// the use, or the condition, may be in that part.
pub(crate) fn lint(linked: &Linked, resolved: &Resolved, found: &mut Findings<'_>) {
    name_style(linked, found);
    if linked.is_whole {
        anyone_may_act(&resolved.model, found);
        only_excludes(&resolved.model, found);
        commands::lint(&resolved.model, found);
        unused(linked, resolved, found);
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
            let message = format!("{} is not in kebab-case", quote(&name.text));
            found.warning(codes::NAME_STYLE, at, message, format!("write `{}`", kebab_case(&name.text)));
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
                1 => "the assertion is not proved; only its names and types were checked".to_owned(),
                count => format!("the {count} assertions are not proved; only their names and types were checked"),
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

fn anyone_may_act(model: &Model, found: &mut Findings<'_>) {
    for rule in model.rules.iter().filter(|rule| rule.effect == Effect::Allow && rule.subjects == Subjects::Anyone) {
        let operations = rule.operations.iter().filter_map(|id| model.operations.get(id.0));
        let acting: Vec<&Operation> = operations.filter(|operation| operation.access != Access::Observe).collect();
        if let Some(first) = acting.first() {
            let verb = match first.access {
                Access::Change => "makes changes",
                Access::Execute => "runs programs",
                Access::Send => "sends data out",
                Access::Observe => continue,
            };
            let message = format!("anyone may use {}, which {verb}", quote(&first.name));
            let help = "name the role that needs it; `anyone` includes requests without a role";
            found.warning(codes::ANYONE_MAY_ACT, rule.name_at, message, help);
        }
    }
}

/// Warns about git rules that only exclude values.
fn only_excludes(model: &Model, found: &mut Findings<'_>) {
    let git: BTreeSet<OperationId> =
        model.operations.iter().enumerate().filter(|(_, op)| op.tool == "git").map(|(id, _)| OperationId(id)).collect();
    for rule in model.rules.iter().filter(|rule| rule.effect != Effect::Deny && !rule.operations.is_disjoint(&git)) {
        let mut asked = Asked::default();
        if let Some(condition) = &rule.condition {
            asked.add(condition, true);
        }
        if let Some(attribute) = asked.excluded.difference(&asked.wanted).next() {
            let message = format!("the rule {} also allows requests that name no {attribute}", quote(&rule.name));
            let help = format!("list the values that are meant: `{attribute} in … and not {attribute} in …`");
            found.warning(codes::ONLY_EXCLUDES, rule.name_at, message, help);
        }
    }
}

/// The strings that a condition requires, and those that it excludes.
#[derive(Default)]
struct Asked<'a> {
    wanted: BTreeSet<&'a str>,
    excluded: BTreeSet<&'a str>,
}

impl<'a> Asked<'a> {
    fn add(&mut self, condition: &'a Condition, holds: bool) {
        match condition {
            Condition::All(parts) | Condition::Any(parts) => parts.iter().for_each(|part| self.add(part, holds)),
            Condition::Not(part) => self.add(part, !holds),
            Condition::In { attribute, .. }
            | Condition::Equals { attribute, .. }
            | Condition::Matches { attribute, .. } => {
                let side = if holds { &mut self.wanted } else { &mut self.excluded };
                side.insert(&attribute.name);
            }
            Condition::Flag { .. } | Condition::Number { .. } => {}
        }
    }
}

fn unused(linked: &Linked, resolved: &Resolved, found: &mut Findings<'_>) {
    for set in &resolved.usage.sets {
        if !set.is_used {
            let message = format!("unused set {}", quote(&set.name));
            found.warning(codes::UNUSED_SET, set.at, message, "use it in a rule, or remove it");
        } else if set.is_empty && !found.has_errors() {
            let help = "add members or remove it; a condition on an empty set never holds";
            found.warning(codes::EMPTY_SET, set.at, format!("the set {} has no members", quote(&set.name)), help);
        }
    }
    for (name, at) in &resolved.usage.idle_roles {
        let message = format!("unused role {}", quote(name));
        found.warning(codes::UNUSED_ROLE, *at, message, "write a rule for it, include another role, or remove it");
    }
    unheld_roles(linked, resolved, found);
    untested_rules(linked, resolved, found);
}

fn unheld_roles(linked: &Linked, resolved: &Resolved, found: &mut Findings<'_>) {
    let roles = &resolved.model.roles;
    let reachable: BTreeSet<RoleId> =
        roles.iter().filter(|role| role.can_be_held).flat_map(|role| role.implies.iter().copied()).collect();
    for (index, role) in roles.iter().enumerate() {
        // Another role that nobody holds and that includes this one is reported instead.
        let includes = |(other, role): (usize, &Role)| other != index && role.implies.contains(&RoleId(index));
        if reachable.contains(&RoleId(index)) || roles.iter().enumerate().any(includes) {
            continue;
        }
        // Said where the pack is imported: the pack itself is not the author's to change.
        if let Some((at, pack)) = import_of(linked, role.at) {
            let message = format!("nobody can hold the role {} of {}", quote(&role.name), quote(pack));
            let help = format!("include it in your own role: `role coder includes {}`", role.name);
            found.warning(codes::UNHELD_ROLE, at, message, help);
        }
    }
}

fn import_of(linked: &Linked, role: Location) -> Option<(Location, &str)> {
    let source = linked.sources.get(role.file)?.name();
    linked.statements().filter(|(unit, _)| unit.origin != Origin::Pack).find_map(|(unit, statement)| {
        match &statement.kind {
            StatementKind::Use(Use::Pack(name)) if source == format!("<{}>", name.text) => {
                Some((Location { file: unit.file, span: statement.span }, name.text.as_str()))
            }
            _ => None,
        }
    })
}

fn untested_rules(linked: &Linked, resolved: &Resolved, found: &mut Findings<'_>) {
    let packs: BTreeSet<_> =
        linked.units.iter().filter(|unit| unit.origin == Origin::Pack).map(|unit| unit.file).collect();
    let own = resolved.model.rules.iter().filter(|rule| !packs.contains(&rule.at.file));
    for rule in own.filter(|rule| !resolved.usage.tested.contains(&rule.name)) {
        found.warn(|| {
            let expected = rule.effect.as_str();
            Diagnostic::new(
                codes::UNTESTED_RULE,
                rule.name_at,
                format!("no test covers the rule {}", quote(&rule.name)),
            )
            .help(format!("add one: `test NAME: … => {expected} by {}`", rule.name))
        });
    }
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
