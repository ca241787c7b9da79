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
//! Cedar denies what no policy permits and names none. Which limit of an allow stood in the way is therefore
//! said by policies of their own, that decide nothing: `NAME#limit`, forbid when M and L.

use std::collections::{BTreeMap, BTreeSet};

use cedar_policy::pst::{
    ActionConstraint, BinaryOp, Clause, Effect, EntityOrSlot, EntityType, EntityUID, Expr, Name, PolicyID,
    PrincipalConstraint, PstConstructionError, ResourceConstraint, SmolStr, Template, Var,
};
use policy_model::catalogue::{COMPLEX, NETWORK, guarded_flags};
use policy_model::{Model, OperationId, Rule, Subjects};
use policy_syntax::Effect as RuleEffect;

use crate::condition::{condition, exceeds, flag};
use crate::error::CedarError;
use crate::tree::{all, any, attribute, binary, constant, entity, is_constant, not, set, variable};
use crate::vocabulary::{ACTION, APPROVED, ROLE};

/// A Cedar policy and the rule it is a part of.
#[derive(Debug)]
pub(crate) struct Part {
    pub(crate) template: Template,
    /// The rule's place in source order.
    pub(crate) place: usize,
    pub(crate) rule: String,
    /// The rule's effect.
    pub(crate) effect: RuleEffect,
    pub(crate) kind: PartKind,
    /// What it is about.
    pub(crate) operations: BTreeSet<OperationId>,
}

/// What a policy says of its rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PartKind {
    /// The rule itself.
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

/// The policies that decide, in source order.
pub(crate) fn deciding(model: &Model) -> Result<Vec<Part>, CedarError> {
    let maker = Maker { model };
    let mut parts = Vec::new();
    for rule in in_order(model) {
        let limits = exceeded(rule)?;
        match rule.effect {
            RuleEffect::Deny => parts.push(maker.part(rule, PartKind::Rule, Effect::Forbid, [])?),
            RuleEffect::Allow => {
                parts.push(maker.part(rule, PartKind::Rule, Effect::Permit, [Clause::Unless(limits.into())])?);
            }
            RuleEffect::Ask => {
                let approved = || attribute(variable(Var::Context), APPROVED).into();
                let clauses = [Clause::When(approved()), Clause::Unless(limits.clone().into())];
                parts.push(maker.part(rule, PartKind::Rule, Effect::Permit, clauses)?);
                let clauses = [Clause::Unless(approved()), Clause::Unless(limits.clone().into())];
                parts.push(maker.part(rule, PartKind::Ask, Effect::Forbid, clauses)?);
                if !rule.limits.is_empty() {
                    let others = maker.other_asks(rule)?;
                    let clauses = [Clause::When(limits.into()), Clause::Unless(others.into())];
                    parts.push(maker.part(rule, PartKind::Limit, Effect::Forbid, clauses)?);
                }
            }
        }
    }
    Ok(parts)
}

/// The policies that say which allow was over its limit, in source order. They forbid, so that they do
/// no harm where somebody takes them for policies that decide.
pub(crate) fn explaining(model: &Model) -> Result<Vec<Part>, CedarError> {
    let maker = Maker { model };
    let mut parts = Vec::new();
    for rule in in_order(model).filter(|rule| rule.effect == RuleEffect::Allow && !rule.limits.is_empty()) {
        let limits = exceeded(rule)?;
        parts.push(maker.part(rule, PartKind::Limit, Effect::Forbid, [Clause::When(limits.into())])?);
    }
    Ok(parts)
}

fn in_order(model: &Model) -> impl Iterator<Item = &Rule> {
    let mut rules: Vec<&Rule> = model.rules.iter().collect();
    rules.sort_by_key(|rule| rule.place);
    rules.into_iter()
}

struct Maker<'a> {
    model: &'a Model,
}

impl Maker<'_> {
    fn part(
        &self,
        rule: &Rule,
        kind: PartKind,
        effect: Effect,
        clauses: impl IntoIterator<Item = Clause>,
    ) -> Result<Part, CedarError> {
        let id = format!("{}{}", rule.name, kind.suffix());
        let refused = |error: PstConstructionError| CedarError::Tree { policy: id.clone(), reason: error.to_string() };
        let roles = self.roles(&rule.subjects).map_err(refused)?;
        let (principal, subjects) = match roles.as_deref() {
            None => (PrincipalConstraint::Any, None),
            Some([only]) => (PrincipalConstraint::In(EntityOrSlot::Entity(only.clone())), None),
            Some(several) => (PrincipalConstraint::Any, Some(holds_one_of(several))),
        };
        let actions = self.actions(&rule.operations).map_err(refused)?;
        let action = match actions.as_slice() {
            [only] => ActionConstraint::Eq(only.clone()),
            several => ActionConstraint::In(several.to_vec()),
        };
        let mut all_clauses: Vec<Clause> = subjects.map(|subjects| Clause::When(subjects.into())).into_iter().collect();
        all_clauses.extend(rule.condition.as_ref().map(condition).transpose()?.map(|part| Clause::When(part.into())));
        all_clauses.push(Clause::Unless(self.unasked(rule).map_err(refused)?.into()));
        all_clauses.extend(clauses);
        let template = Template::new(PolicyID(id.as_str().into()), effect, principal, action, ResourceConstraint::Any)
            .try_with_clauses(all_clauses.into_iter().filter(|clause| !says_nothing(clause)))
            .map_err(refused)?
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

    /// When another ask about one of the rule's operations applies within its limits.
    fn other_asks(&self, rule: &Rule) -> Result<Expr, CedarError> {
        let is_other = |other: &&Rule| other.effect == RuleEffect::Ask && other.name != rule.name;
        let shares = |other: &&Rule| !other.operations.is_disjoint(&rule.operations);
        let others = in_order(self.model).filter(is_other).filter(shares);
        Ok(any(others.map(|other| self.within_limits(other, &rule.operations)).collect::<Result<Vec<_>, _>>()?))
    }

    /// When a rule applies within its limits, in a policy about these operations.
    fn within_limits(&self, rule: &Rule, about: &BTreeSet<OperationId>) -> Result<Expr, CedarError> {
        let refused =
            |error: PstConstructionError| CedarError::Tree { policy: rule.name.clone(), reason: error.to_string() };
        let concerned = match about.is_subset(&rule.operations) {
            true => constant(true),
            false => {
                let both = about.intersection(&rule.operations).copied().collect();
                is_one_of(self.actions(&both).map_err(refused)?)
            }
        };
        let subjects = match self.roles(&rule.subjects).map_err(refused)? {
            None => constant(true),
            Some(roles) => holds_one_of(&roles),
        };
        Ok(all([
            concerned,
            subjects,
            rule.condition.as_ref().map_or_else(|| Ok(constant(true)), condition)?,
            not(self.unasked(rule).map_err(refused)?),
            not(exceeded(rule)?),
        ]))
    }

    /// When the request has a guarded flag that the rule does not ask for.
    fn unasked(&self, rule: &Rule) -> Result<Expr, PstConstructionError> {
        let mut parts = Vec::new();
        for guarded in [COMPLEX, NETWORK].into_iter().filter(|guarded| !rule.asks_for.contains(guarded)) {
            let has_it = |id: &&OperationId| {
                self.model.operations.get(id.0).is_some_and(|op| guarded_flags(&op.name).contains(&guarded))
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

    /// None for anyone.
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

/// When one of the rule's limits is exceeded.
fn exceeded(rule: &Rule) -> Result<Expr, CedarError> {
    Ok(any(rule.limits.iter().map(exceeds).collect::<Result<Vec<_>, _>>()?))
}

/// Annotations are for people and for other programs: the text of a policy does not have its id.
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

fn says_nothing(clause: &Clause) -> bool {
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

/// Strict mode refuses an empty list.
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
