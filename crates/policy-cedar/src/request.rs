//! A request of the model -> the request and the entities that Cedar judges.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::str::FromStr;
use std::sync::{Arc, Mutex, PoisonError};

use cedar_policy::{Context, Entities, Entity, EntityId, EntityTypeName, EntityUid, RestrictedExpression};
use policy_model::{Model, Request, RoleId};

use crate::compile::CedarError;
use crate::judge::JudgeError;
use crate::vocabulary::{
    ACTION, APPROVED, ATOMS, DEPTH, FLAGS, Facts, Form, NUMBERS, ROLE, SESSION, STRINGS, Segments, TEXT, TOOL,
    Vocabulary, WRAPPED, from_back, from_front,
};

/// A person's approval of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Approval {
    Missing,
    Given,
}

/// A request to Cedar.
#[derive(Debug, Clone)]
pub struct CedarRequest {
    /// Principal, action, resource and context.
    pub request: cedar_policy::Request,
    /// The session and the roles it holds, directly or not.
    pub entities: Arc<Entities>,
}

/// Translates requests of the model to Cedar.
#[derive(Debug)]
pub struct RequestBuilder {
    vocabulary: Vocabulary,
    /// Action and resource, by operation.
    targets: Vec<(EntityUid, EntityUid)>,
    roles: Vec<Role>,
    session_type: EntityTypeName,
    /// Cached, because sessions differ only in their roles.
    sessions: Mutex<BTreeMap<BTreeSet<RoleId>, Session>>,
}

#[derive(Debug)]
struct Role {
    name: String,
    entity: Entity,
    implies: BTreeSet<RoleId>,
}

#[derive(Debug, Clone)]
struct Session {
    principal: EntityUid,
    entities: Arc<Entities>,
}

impl RequestBuilder {
    /// Makes a builder for requests of this model.
    ///
    /// # Errors
    /// When Cedar rejects a name.
    pub fn new(model: &Model) -> Result<Self, CedarError> {
        Self::with(model, Vocabulary::of(model))
    }

    pub(crate) fn with(model: &Model, vocabulary: Vocabulary) -> Result<Self, CedarError> {
        let entity_type = |name: &str| {
            EntityTypeName::from_str(name).map_err(|error| CedarError::Schema { reason: error.to_string() })
        };
        let (action, tool, role) = (entity_type(ACTION)?, entity_type(TOOL)?, entity_type(ROLE)?);
        let targets = vocabulary.operations.iter().map(|facts| (uid(&action, &facts.action), uid(&tool, &facts.tool)));
        let included = |id: &RoleId| Some(uid(&role, &model.roles.get(id.0)?.name));
        let roles = model.roles.iter().enumerate().map(|(index, held)| {
            let others = held.implies.iter().filter(|other| other.0 != index);
            let parents: HashSet<EntityUid> = others.filter_map(included).collect();
            let entity = Entity::new_no_attrs(uid(&role, &held.name), parents);
            Role { name: held.name.clone(), entity, implies: held.implies.clone() }
        });
        Ok(Self {
            targets: targets.collect(),
            roles: roles.collect(),
            session_type: entity_type(SESSION)?,
            sessions: Mutex::default(),
            vocabulary,
        })
    }

    /// Translates a request. Facts that are unknown to the policy are left out.
    ///
    /// # Errors
    /// When the model has no such operation, or Cedar rejects a part of the request.
    pub fn build(&self, request: &Request, approval: Approval) -> Result<CedarRequest, JudgeError> {
        let unknown = || JudgeError::UnknownOperation { operation: request.operation.0 };
        let facts = self.vocabulary.facts(request.operation).ok_or_else(unknown)?;
        let (action, resource) = self.targets.get(request.operation.0).ok_or_else(unknown)?;
        let context = self.context(facts, request, approval)?;
        let Session { principal, entities } = self.session(&request.roles)?;
        let request = cedar_policy::Request::new(principal, action.clone(), resource.clone(), context, None)
            .map_err(|error| rejected(&error))?;
        Ok(CedarRequest { request, entities })
    }

    fn context(&self, facts: &Facts, request: &Request, approval: Approval) -> Result<Context, JudgeError> {
        let mut strings = Vec::new();
        for (name, form) in &facts.strings {
            if let Some(value) = request.strings.get(name) {
                let shown = match form {
                    Form::Text => RestrictedExpression::new_string(value.clone()),
                    Form::Segments => segments(value, &self.vocabulary.segments)?,
                };
                strings.push((name.clone(), shown));
            }
        }
        let numbers = facts.numbers.iter().filter_map(|name| {
            // Every number of a policy is smaller than Cedar's largest one, so a number that is cut down to it is
            // still greater than each of them.
            let shown = i64::try_from(*request.numbers.get(name)?).unwrap_or(i64::MAX);
            Some((name.clone(), RestrictedExpression::new_long(shown)))
        });
        let flags = facts.flags.iter().map(|name| (name.clone(), boolean(request.flags.contains(name))));
        let atoms = facts.atoms.iter().map(|(name, atom)| {
            let value = request.strings.get(&atom.attribute);
            (name.clone(), boolean(atom.holds(value.map(String::as_str))))
        });
        let mut pairs = vec![(APPROVED.to_owned(), boolean(approval == Approval::Given))];
        // The schema does not have a part that the operation cannot have.
        if !facts.strings.is_empty() {
            pairs.push((STRINGS.to_owned(), record(strings)?));
        }
        if !facts.numbers.is_empty() {
            pairs.push((NUMBERS.to_owned(), record(numbers)?));
        }
        if !facts.flags.is_empty() {
            pairs.push((FLAGS.to_owned(), record(flags)?));
        }
        if !facts.atoms.is_empty() {
            pairs.push((ATOMS.to_owned(), record(atoms)?));
        }
        Context::from_pairs(pairs).map_err(|error| rejected(&error))
    }

    fn session(&self, held: &BTreeSet<RoleId>) -> Result<Session, JudgeError> {
        let mut sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(session) = sessions.get(held) {
            return Ok(session.clone());
        }
        if sessions.len() >= SESSIONS_MAX {
            sessions.clear();
        }
        let session = self.new_session(held)?;
        sessions.insert(held.clone(), session.clone());
        Ok(session)
    }

    /// A session is named after its roles; an unknown role gives no rights.
    fn new_session(&self, held: &BTreeSet<RoleId>) -> Result<Session, JudgeError> {
        let roles: Vec<&Role> = held.iter().filter_map(|id| self.roles.get(id.0)).collect();
        let names: Vec<&str> = roles.iter().map(|role| role.name.as_str()).collect();
        let principal = uid(&self.session_type, &names.join(","));
        let session = Entity::new_no_attrs(principal.clone(), roles.iter().map(|role| role.entity.uid()).collect());
        let concerned: BTreeSet<RoleId> = roles.iter().flat_map(|role| &role.implies).chain(held).copied().collect();
        let concerned = concerned.iter().filter_map(|id| self.roles.get(id.0));
        let all = concerned.map(|role| role.entity.clone()).chain([session]);
        let entities = Entities::from_entities(all, None).map_err(|error| rejected(&error))?;
        Ok(Session { principal, entities: Arc::new(entities) })
    }
}

/// Returns the record of a path or reference with the parts that the policy asks for. The root is the empty path, without
/// segments.
fn segments(value: &str, shown: &Segments) -> Result<RestrictedExpression, JudgeError> {
    let text = |value: &str| RestrictedExpression::new_string(value.to_owned());
    let parts: Vec<&str> = if value.is_empty() { Vec::new() } else { value.split('/').collect() };
    let depth = i64::try_from(parts.len()).unwrap_or(i64::MAX);
    let mut attributes =
        vec![(TEXT.to_owned(), text(value)), (DEPTH.to_owned(), RestrictedExpression::new_long(depth))];
    let front = parts.iter().copied().chain(std::iter::repeat("")).take(shown.from_front).enumerate();
    attributes.extend(front.map(|(index, part)| (from_front(index), text(part))));
    let back = parts.iter().rev().copied().chain(std::iter::repeat("")).take(shown.from_back).enumerate();
    attributes.extend(back.map(|(index, part)| (from_back(index), text(part))));
    if shown.wrapped {
        let wrapped: String = parts.iter().flat_map(|part| ["/", part, "/"]).collect();
        attributes.push((WRAPPED.to_owned(), text(&wrapped)));
    }
    record(attributes)
}

fn record(
    attributes: impl IntoIterator<Item = (String, RestrictedExpression)>,
) -> Result<RestrictedExpression, JudgeError> {
    RestrictedExpression::new_record(attributes).map_err(|error| rejected(&error))
}

fn boolean(value: bool) -> RestrictedExpression {
    RestrictedExpression::new_bool(value)
}

fn uid(entity_type: &EntityTypeName, id: &str) -> EntityUid {
    EntityUid::from_type_name_and_id(entity_type.clone(), EntityId::new(id))
}

fn rejected(error: &dyn std::fmt::Display) -> JudgeError {
    JudgeError::Request { reason: error.to_string() }
}

/// At this size the cache is emptied.
const SESSIONS_MAX: usize = 1024;

#[cfg(test)]
mod tests;
