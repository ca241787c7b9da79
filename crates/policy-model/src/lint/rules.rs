//! Rules that say more than their author would.

use std::collections::BTreeSet;

use policy_syntax::{Diagnostic, Effect, quote};

use crate::catalogue::Access;
use crate::codes;
use crate::findings::Findings;
use crate::model::{Condition, Model, Operation, OperationId, Subjects};

pub(super) fn lint(model: &Model, found: &mut Findings<'_>) {
    anyone_may_act(model, found);
    only_excludes(model, found);
}

fn anyone_may_act(model: &Model, found: &mut Findings<'_>) {
    for rule in model.rules.iter().filter(|rule| rule.effect == Effect::Allow && rule.subjects == Subjects::Anyone) {
        let operations = rule.operations.iter().filter_map(|id| model.operations.get(id.0));
        let acting: Vec<&Operation> = operations.filter(|operation| operation.access != Access::Observe).collect();
        if let Some(first) = acting.first() {
            let verb = match first.access {
                Access::Change => "changes something",
                Access::Execute => "runs something",
                Access::Send => "sends something out",
                Access::Observe => continue,
            };
            found.warn(|| {
                let message = format!("anyone may use {}, which {verb}", quote(&first.name));
                Diagnostic::new(codes::ANYONE_MAY_ACT, rule.name_at, message)
                    .help("name the role that needs it; `anyone` is also a request without any role")
            });
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
            found.warn(|| {
                let message = format!("the rule {} also allows requests that name no {attribute}", quote(&rule.name));
                Diagnostic::new(codes::ONLY_EXCLUDES, rule.name_at, message)
                    .help(format!("say which are meant: `{attribute} in … and not {attribute} in …`"))
            });
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
