//! (Model, Request) -> Cedar's answer as a verdict, a rule and a code. Cedar decides and names policies; this module only
//! translates them back.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::OnceLock;

use cedar_policy::{Authorizer, Decision, PolicyId, PolicySet, Response};
use policy_model::catalogue::{COMPLEX, DEFAULT_DENY, SHELL_EXEC};
use policy_model::{Model, OperationId, Request};
use policy_syntax::Effect;
use thiserror::Error;

use crate::compile::{CedarError, Compiled};
use crate::policies::{CODE, Part, PartKind};
use crate::request::{Approval, CedarRequest, RequestBuilder};

/// Cedar's answer to a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CedarAnswer {
    pub verdict: Effect,
    /// The rule that decided, or `default-deny`.
    pub rule: String,
    pub code: String,
}

/// Why a request cannot be shown to Cedar, or Cedar has no answer to it.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum JudgeError {
    #[error("the model has no operation {operation}")]
    UnknownOperation { operation: usize },
    #[error("Cedar rejects the request: {reason}")]
    Request { reason: String },
    /// A policy failed instead of matching or not. Cedar ignores such a policy, which is never right here.
    #[error("Cedar could not evaluate policies: {}", .reasons.join("; "))]
    Evaluation { reasons: Vec<String> },
    #[error("Cedar names the policy `{id}`, which the model does not have")]
    UnknownPolicy { id: String },
    #[error("Cedar permits without naming a policy")]
    NoReason,
}

/// Judges requests with Cedar alone; its answers must be those of the reference evaluator.
pub struct CedarJudge {
    requests: RequestBuilder,
    authorizer: Authorizer,
    policies: Deciders,
    limits: Deciders,
    operations: Vec<Operation>,
}

/// A policy set, and the meaning of each policy in it.
struct Deciders {
    set: PolicySet,
    by_id: BTreeMap<String, Decider>,
    /// The policies about one operation, made at its first request. Cedar evaluates every policy for every request, and most
    /// of the time would go to policies about other operations, which cannot match.
    slices: Vec<OnceLock<PolicySet>>,
}

/// A policy that can decide, ordered by precedence: the strongest first, then the first in source order.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Decider {
    strength: Strength,
    place: usize,
    rule: String,
    /// `None` for the code of the operation.
    code: Option<String>,
    operations: BTreeSet<OperationId>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Strength {
    Denied,
    ToBeAsked,
    OverLimit,
    Permitted,
}

struct Operation {
    denial_code: String,
    is_shell: bool,
}

impl CedarJudge {
    /// Compiles the model.
    ///
    /// # Errors
    /// When the model cannot be compiled.
    pub fn new(model: &Model) -> Result<Self, CedarError> {
        let compiled = Compiled::of(model)?;
        let operations = model.operations.iter().map(|operation| Operation {
            denial_code: operation.denial_code.clone(),
            is_shell: operation.name == SHELL_EXEC,
        });
        Ok(Self {
            requests: RequestBuilder::with(model, compiled.vocabulary)?,
            authorizer: Authorizer::new(),
            policies: Deciders::new(compiled.policies, compiled.deciding, model.operations.len()),
            limits: Deciders::new(compiled.limits, compiled.explaining, model.operations.len()),
            operations: operations.collect(),
        })
    }

    /// Judges a request without approval.
    ///
    /// # Errors
    /// When the request cannot be shown to Cedar, or a policy fails.
    pub fn judge(&self, request: &Request) -> Result<CedarAnswer, JudgeError> {
        let asked = self.requests.build(request, Approval::Missing)?;
        let response = self.authorize(self.policies.about(request.operation)?, &asked)?;
        if let Some(decider) = self.policies.first(&response)? {
            return Ok(self.answer(decider, request));
        }
        if response.decision() == Decision::Allow {
            return Err(JudgeError::NoReason);
        }
        let response = self.authorize(self.limits.about(request.operation)?, &asked)?;
        Ok(match self.limits.first(&response)? {
            Some(decider) => self.answer(decider, request),
            None => self.default_denial(request),
        })
    }

    /// Returns true when Cedar permits the request. All policies are evaluated, also those about other operations.
    ///
    /// # Errors
    /// When the request cannot be shown to Cedar, or a policy fails.
    pub fn permits(&self, request: &Request, approval: Approval) -> Result<bool, JudgeError> {
        let asked = self.requests.build(request, approval)?;
        Ok(self.authorize(&self.policies.set, &asked)?.decision() == Decision::Allow)
    }

    fn authorize(&self, policies: &PolicySet, asked: &CedarRequest) -> Result<Response, JudgeError> {
        let response = self.authorizer.is_authorized(&asked.request, policies, &asked.entities);
        let mut reasons: Vec<String> = response.diagnostics().errors().map(ToString::to_string).collect();
        if reasons.is_empty() {
            return Ok(response);
        }
        reasons.sort_unstable();
        Err(JudgeError::Evaluation { reasons })
    }

    fn answer(&self, decider: &Decider, request: &Request) -> CedarAnswer {
        let verdict = match decider.strength {
            Strength::Denied | Strength::OverLimit => Effect::Deny,
            Strength::ToBeAsked => Effect::Ask,
            Strength::Permitted => Effect::Allow,
        };
        let code = decider.code.clone().unwrap_or_else(|| self.denial_code(request));
        CedarAnswer { verdict, rule: decider.rule.clone(), code }
    }

    fn default_denial(&self, request: &Request) -> CedarAnswer {
        let operation = self.operations.get(request.operation.0);
        let is_complex = operation.is_some_and(|operation| operation.is_shell) && request.flags.contains(COMPLEX);
        let code = if is_complex { "SHELL_COMPLEX".to_owned() } else { self.denial_code(request) };
        CedarAnswer { verdict: Effect::Deny, rule: DEFAULT_DENY.to_owned(), code }
    }

    fn denial_code(&self, request: &Request) -> String {
        let operation = self.operations.get(request.operation.0);
        operation.map(|operation| operation.denial_code.clone()).unwrap_or_default()
    }
}

impl fmt::Debug for CedarJudge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CedarJudge").field("policies", &self.policies.by_id.keys()).finish_non_exhaustive()
    }
}

impl Deciders {
    fn new(set: PolicySet, parts: Vec<Part>, operations: usize) -> Self {
        let decider = |part: Part| {
            let id = part.template.id.to_string();
            let strength = match (part.kind, part.effect) {
                (PartKind::Ask, _) => Strength::ToBeAsked,
                (PartKind::Limit, _) => Strength::OverLimit,
                (PartKind::Rule, Effect::Deny) => Strength::Denied,
                (PartKind::Rule, Effect::Allow | Effect::Ask) => Strength::Permitted,
            };
            let code = set.annotation(&PolicyId::new(&id), CODE).map(str::to_owned);
            (id, Decider { strength, place: part.place, rule: part.rule, code, operations: part.operations })
        };
        let by_id = parts.into_iter().map(decider).collect();
        Self { set, by_id, slices: (0..operations).map(|_| OnceLock::new()).collect() }
    }

    fn about(&self, operation: OperationId) -> Result<&PolicySet, JudgeError> {
        let unknown = || JudgeError::UnknownOperation { operation: operation.0 };
        let slice = self.slices.get(operation.0).ok_or_else(unknown)?;
        if let Some(set) = slice.get() {
            return Ok(set);
        }
        let set = self.slice(operation)?;
        Ok(slice.get_or_init(|| set))
    }

    fn slice(&self, operation: OperationId) -> Result<PolicySet, JudgeError> {
        let is_about = |id: &PolicyId| {
            let decider = self.by_id.get::<str>(id.as_ref());
            decider.is_none_or(|decider| decider.operations.contains(&operation))
        };
        let policies = self.set.policies().filter(|policy| is_about(policy.id())).cloned();
        PolicySet::from_policies(policies).map_err(|error| JudgeError::Request { reason: error.to_string() })
    }

    /// Returns the policy that decides among those that Cedar names.
    fn first(&self, response: &Response) -> Result<Option<&Decider>, JudgeError> {
        let mut named = Vec::new();
        for id in response.diagnostics().reason() {
            let id: &str = id.as_ref();
            let unknown = || JudgeError::UnknownPolicy { id: id.to_owned() };
            named.push(self.by_id.get(id).ok_or_else(unknown)?);
        }
        Ok(named.into_iter().min())
    }
}

#[cfg(test)]
mod tests;
