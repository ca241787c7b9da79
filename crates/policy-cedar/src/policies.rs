//! Rules -> Cedar policies, as trees.
//!
//! With M for "the rule applies" and L for "a limit of it is exceeded":
//!
//! ```text
//! deny   NAME         forbid when M
//! allow  NAME         permit when M unless L
//! ask    NAME         permit when M and approved unless L
//!        NAME#ask     forbid when M unless approved, unless L
//!        NAME#limit   forbid when M and L unless another ask applies within its limits
//! ```
//!
//! Cedar denies what no policy permits, and then names no policy. Separate policies that decide nothing therefore say which
//! limit of an allow was exceeded: `NAME#limit`, forbid when M and L.

use std::collections::{BTreeMap, BTreeSet};

use cedar_policy::pst::{
    ActionConstraint, BinaryOp, Clause, Effect, EntityOrSlot, EntityType, EntityUID, Expr, Name, PolicyID,
    PrincipalConstraint, PstConstructionError, ResourceConstraint, SmolStr, Template, Var,
};
use policy_model::catalogue::GUARDED_FLAGS;
use policy_model::{Model, OperationId, Rule, Subjects};
use policy_syntax::Effect as RuleEffect;

use crate::compile::CedarError;
use crate::condition::{condition, exceeds, flag};
use crate::tree::{all, any, attribute, binary, constant, entity, is_constant, not, set, variable};
use crate::vocabulary::{ACTION, APPROVED, ROLE};

/// A Cedar policy and the rule that it comes from.
#[derive(Debug)]
pub(crate) struct Part {
    pub(crate) template: Template,
    /// The place of the rule in source order.
    pub(crate) place: usize,
    pub(crate) rule: String,
    pub(crate) effect: RuleEffect,
    pub(crate) kind: PartKind,
    pub(crate) operations: BTreeSet<OperationId>,
}

/// The role of a policy in its rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PartKind {
    Rule,
    /// An approval is missing.
    Ask,
    /// A limit is exceeded.
    Limit,
}

impl PartKind {
    fn suffix(self) -> &'static str {
        match self {
            Self::Rule => "",
            Self::Ask => "#ask",
            Self::Limit => "#limit",
        }
    }
}

/// Returns the policies that decide, in source order.
pub(crate) fn deciding(model: &Model) -> Result<Vec<Part>, CedarError> {
    let builder = PolicyBuilder { model };
    let mut parts = Vec::new();
    for rule in in_order(model) {
        let limits = exceeded(rule)?;
        match rule.effect {
            RuleEffect::Deny => parts.push(builder.part(rule, PartKind::Rule, Effect::Forbid, [])?),
            RuleEffect::Allow => {
                parts.push(builder.part(rule, PartKind::Rule, Effect::Permit, [Clause::Unless(limits.into())])?);
            }
            RuleEffect::Ask => {
                let approved = || attribute(variable(Var::Context), APPROVED).into();
                let clauses = [Clause::When(approved()), Clause::Unless(limits.clone().into())];
                parts.push(builder.part(rule, PartKind::Rule, Effect::Permit, clauses)?);
                let clauses = [Clause::Unless(approved()), Clause::Unless(limits.clone().into())];
                parts.push(builder.part(rule, PartKind::Ask, Effect::Forbid, clauses)?);
                if !rule.limits.is_empty() {
                    let others = builder.other_asks(rule)?;
                    let clauses = [Clause::When(limits.into()), Clause::Unless(others.into())];
                    parts.push(builder.part(rule, PartKind::Limit, Effect::Forbid, clauses)?);
                }
            }
        }
    }
    Ok(parts)
}

/// Returns the policies that name the allow whose limit was exceeded, in source order. They forbid, so that they are harmless
/// when somebody uses them to decide.
pub(crate) fn explaining(model: &Model) -> Result<Vec<Part>, CedarError> {
    let builder = PolicyBuilder { model };
    let mut parts = Vec::new();
    for rule in in_order(model).filter(|rule| rule.effect == RuleEffect::Allow && !rule.limits.is_empty()) {
        let limits = exceeded(rule)?;
        parts.push(builder.part(rule, PartKind::Limit, Effect::Forbid, [Clause::When(limits.into())])?);
    }
    Ok(parts)
}

fn in_order(model: &Model) -> impl Iterator<Item = &Rule> {
    let mut rules: Vec<&Rule> = model.rules.iter().collect();
    rules.sort_by_key(|rule| rule.place);
    rules.into_iter()
}

struct PolicyBuilder<'a> {
    model: &'a Model,
}

impl PolicyBuilder<'_> {
    fn part(
        &self,
        rule: &Rule,
        kind: PartKind,
        effect: Effect,
        clauses: impl IntoIterator<Item = Clause>,
    ) -> Result<Part, CedarError> {
        let id = format!("{}{}", rule.name, kind.suffix());
        let rejected = |error: PstConstructionError| CedarError::Tree { policy: id.clone(), reason: error.to_string() };
        let roles = self.roles(&rule.subjects).map_err(rejected)?;
        let (principal, subjects) = match roles.as_deref() {
            None => (PrincipalConstraint::Any, None),
            Some([only]) => (PrincipalConstraint::In(EntityOrSlot::Entity(only.clone())), None),
            Some(several) => (PrincipalConstraint::Any, Some(holds_one_of(several))),
        };
        let actions = self.actions(&rule.operations).map_err(rejected)?;
        let action = match actions.as_slice() {
            [only] => ActionConstraint::Eq(only.clone()),
            several => ActionConstraint::In(several.to_vec()),
        };
        let mut all_clauses: Vec<Clause> = subjects.map(|subjects| Clause::When(subjects.into())).into_iter().collect();
        all_clauses.extend(rule.condition.as_ref().map(condition).transpose()?.map(|part| Clause::When(part.into())));
        all_clauses.push(Clause::Unless(self.unrequested_flags(rule).map_err(rejected)?.into()));
        all_clauses.extend(clauses);
        let template = Template::new(PolicyID(id.as_str().into()), effect, principal, action, ResourceConstraint::Any)
            .try_with_clauses(all_clauses.into_iter().filter(|clause| !has_no_effect(clause)))
            .map_err(rejected)?
            .with_annotations(annotations(rule, kind, &id));
        Ok(Part {
            template,
            place: rule.place,
            rule: rule.name.clone(),
            effect: rule.effect,
            kind,
            operations: rule.operations.clone(),
        })
    }

    /// True when another ask about one of the rule's operations applies within its limits.
    fn other_asks(&self, rule: &Rule) -> Result<Expr, CedarError> {
        let is_other = |other: &&Rule| other.effect == RuleEffect::Ask && other.name != rule.name;
        let shares = |other: &&Rule| !other.operations.is_disjoint(&rule.operations);
        let others = in_order(self.model).filter(is_other).filter(shares);
        Ok(any(others.map(|other| self.within_limits(other, &rule.operations)).collect::<Result<Vec<_>, _>>()?))
    }

    /// True when a rule applies within its limits, in a policy about these operations.
    fn within_limits(&self, rule: &Rule, about: &BTreeSet<OperationId>) -> Result<Expr, CedarError> {
        let rejected =
            |error: PstConstructionError| CedarError::Tree { policy: rule.name.clone(), reason: error.to_string() };
        let concerned = match about.is_subset(&rule.operations) {
            true => constant(true),
            false => {
                let both = about.intersection(&rule.operations).copied().collect();
                is_one_of(self.actions(&both).map_err(rejected)?)
            }
        };
        let subjects = match self.roles(&rule.subjects).map_err(rejected)? {
            None => constant(true),
            Some(roles) => holds_one_of(&roles),
        };
        Ok(all([
            concerned,
            subjects,
            rule.condition.as_ref().map_or_else(|| Ok(constant(true)), condition)?,
            not(self.unrequested_flags(rule).map_err(rejected)?),
            not(exceeded(rule)?),
        ]))
    }

    /// True when the request has a guarded flag that the rule does not ask for.
    fn unrequested_flags(&self, rule: &Rule) -> Result<Expr, PstConstructionError> {
        let mut parts = Vec::new();
        for guarded in GUARDED_FLAGS.into_iter().filter(|guarded| !rule.asks_for.contains(guarded)) {
            let has_it = |id: &&OperationId| {
                self.model.operations.get(id.0).is_some_and(|op| op.guarded_flags.contains(&guarded))
            };
            let concerned: BTreeSet<OperationId> = rule.operations.iter().filter(has_it).copied().collect();
            match concerned.len() {
                _ if rule.effect == RuleEffect::Deny => {}
                0 => {}
                all_of_them if all_of_them == rule.operations.len() => parts.push(flag(guarded)),
                _ => parts.push(all([is_one_of(self.actions(&concerned)?), flag(guarded)])),
            }
        }
        Ok(any(parts))
    }

    fn actions(&self, operations: &BTreeSet<OperationId>) -> Result<Vec<EntityUID>, PstConstructionError> {
        let known = operations.iter().filter_map(|id| self.model.operations.get(id.0));
        known.map(|operation| uid(ACTION, &operation.name)).collect()
    }

    /// Returns `None` for anyone.
    fn roles(&self, subjects: &Subjects) -> Result<Option<Vec<EntityUID>>, PstConstructionError> {
        match subjects {
            Subjects::Anyone => Ok(None),
            Subjects::Roles(ids) => {
                let known = ids.iter().filter_map(|id| self.model.roles.get(id.0));
                known.map(|role| uid(ROLE, &role.name)).collect::<Result<_, _>>().map(Some)
            }
        }
    }
}

/// True when one of the rule's limits is exceeded.
fn exceeded(rule: &Rule) -> Result<Expr, CedarError> {
    Ok(any(rule.limits.iter().map(exceeds).collect::<Result<Vec<_>, _>>()?))
}

/// Annotations carry the id and the code, which the text of a Cedar policy does not have otherwise.
fn annotations(rule: &Rule, kind: PartKind, id: &str) -> BTreeMap<String, SmolStr> {
    let code = match (kind, rule.effect) {
        (PartKind::Rule, RuleEffect::Deny) => rule.code.as_deref(),
        (PartKind::Rule, RuleEffect::Allow | RuleEffect::Ask) => Some("ALLOWED"),
        (PartKind::Ask, _) => Some("APPROVAL_REQUIRED"),
        (PartKind::Limit, _) => Some("LIMIT_EXCEEDED"),
    };
    let all =
        [("id", Some(id)), ("rule", Some(rule.name.as_str())), (CODE, code), ("because", rule.because.as_deref())];
    all.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?.into()))).collect()
}

fn has_no_effect(clause: &Clause) -> bool {
    match clause {
        Clause::When(part) => is_constant(part, true),
        Clause::Unless(part) => is_constant(part, false),
    }
}

fn holds_one_of(roles: &[EntityUID]) -> Expr {
    one_of(Var::Principal, roles.to_vec())
}

fn is_one_of(actions: Vec<EntityUID>) -> Expr {
    one_of(Var::Action, actions)
}

/// An empty list is false, because strict mode rejects it.
fn one_of(of: Var, members: Vec<EntityUID>) -> Expr {
    let mut members = members.into_iter().map(entity);
    let list = match (members.next(), members.next()) {
        (None, _) => return constant(false),
        (Some(only), None) => only,
        (Some(first), Some(second)) => set([first, second].into_iter().chain(members)),
    };
    binary(BinaryOp::In, variable(of), list)
}

fn uid(kind: &str, id: &str) -> Result<EntityUID, PstConstructionError> {
    Ok(EntityUID { ty: EntityType::from_name(Name::unqualified(kind)?), eid: id.into() })
}

/// The annotation with the code of a decision.
pub(crate) const CODE: &str = "code";

#[cfg(test)]
mod tests;
