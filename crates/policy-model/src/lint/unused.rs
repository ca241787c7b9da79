//! Declarations nothing names, roles nobody can hold, rules no test speaks of.

use std::collections::BTreeSet;

use policy_syntax::{Diagnostic, Location, StatementKind, Use, quote};

use crate::codes;
use crate::findings::Findings;
use crate::link::{Linked, Origin};
use crate::model::{Role, RoleId};
use crate::resolve::Resolved;

pub(super) fn lint(linked: &Linked, resolved: &Resolved, found: &mut Findings<'_>) {
    for set in &resolved.usage.sets {
        if !set.is_used {
            found.warn(|| {
                Diagnostic::new(codes::UNUSED_SET, set.at, format!("nothing names the set {}", quote(&set.name)))
                    .help("use it in a rule, or remove it")
            });
        } else if set.is_empty && !found.has_errors() {
            found.warn(|| {
                Diagnostic::new(codes::EMPTY_SET, set.at, format!("the set {} has no members", quote(&set.name)))
                    .help("a condition that asks for one of them never holds; add members or remove it")
            });
        }
    }
    for (name, at) in &resolved.usage.idle_roles {
        found.warn(|| {
            Diagnostic::new(codes::UNUSED_ROLE, *at, format!("nothing names the role {}", quote(name)))
                .help("write a rule for it, include another role, or remove it")
        });
    }
    unheld_roles(linked, resolved, found);
    untested_rules(linked, resolved, found);
}

fn unheld_roles(linked: &Linked, resolved: &Resolved, found: &mut Findings<'_>) {
    let roles = &resolved.model.roles;
    let reachable: BTreeSet<RoleId> =
        roles.iter().filter(|role| role.can_be_held).flat_map(|role| role.implies.iter().copied()).collect();
    for (index, role) in roles.iter().enumerate() {
        if reachable.contains(&RoleId(index)) || includes_idle(roles, index) {
            continue;
        }
        // Said where the pack is imported: the pack itself is not the author's to change.
        if let Some((at, pack)) = import_of(linked, role.at) {
            found.warn(|| {
                let message = format!("nobody can hold the role {} of {}", quote(&role.name), quote(pack));
                Diagnostic::new(codes::UNHELD_ROLE, at, message)
                    .help(format!("include it in a role of yours: `role coder includes {}`", role.name))
            });
        }
    }
}

/// Returns true if another role that nobody holds includes this one; that one is reported instead.
fn includes_idle(roles: &[Role], index: usize) -> bool {
    roles.iter().enumerate().any(|(other, role)| other != index && role.implies.contains(&RoleId(index)))
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
                format!("no test expects the rule {}", quote(&rule.name)),
            )
            .help(format!("add one: `test NAME: … => {expected} by {}`", rule.name))
        });
    }
}
