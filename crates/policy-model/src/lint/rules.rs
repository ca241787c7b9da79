//! Rules that say more than their author would.

use policy_syntax::{Diagnostic, Effect, quote};

use crate::catalogue::Access;
use crate::codes;
use crate::findings::Findings;
use crate::model::{Model, Operation, Subjects};

pub(super) fn lint(model: &Model, found: &mut Findings) {
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
            found.push(|| {
                let message = format!("anyone may use {}, which {verb}", quote(&first.name));
                Diagnostic::new(codes::ANYONE_MAY_ACT, rule.name_at, message)
                    .help("name the role that needs it; `anyone` is also a request without any role")
            });
        }
    }
}
