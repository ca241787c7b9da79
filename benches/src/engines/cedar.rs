//! Cedar, through the policies that `policy-cedar` compiles: requests and entities are built before,
//! the authorizer alone is timed. It says whether a request is allowed; a question is one that is
//! forbidden until it is approved.

use std::sync::Arc;

use cedar_policy::{Authorizer, Decision, Entities, PolicySet};
use policy_cedar::{Approval, RequestBuilder, compile};
use policy_model::Model;

use super::Engine;
use crate::ask::Ask;
use crate::verdict::{Says, Verdict};

/// Which policies the authorizer is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Slices {
    /// All of them.
    Whole,
    /// Those about the request's operation, sorted out before.
    ByOperation,
}

pub(super) struct Cedar {
    authorizer: Authorizer,
    sets: Vec<PolicySet>,
    asks: Vec<Asked>,
}

struct Asked {
    set: usize,
    request: cedar_policy::Request,
    entities: Arc<Entities>,
}

impl Cedar {
    pub(super) fn new(model: &Model, asks: &[Ask], slices: Slices) -> Self {
        let policies = compile(model).expect("a policy that Cedar takes").policies;
        let requests = RequestBuilder::new(model).expect("names that Cedar takes");
        let mut operations: Vec<&str> = Vec::new();
        let asks = asks
            .iter()
            .map(|ask| {
                let request = requests.build(&ask.in_model(model), Approval::Missing).expect("a request for Cedar");
                let set = operations.iter().position(|known| *known == ask.operation).unwrap_or_else(|| {
                    operations.push(&ask.operation);
                    operations.len() - 1
                });
                Asked { set, request: request.request, entities: request.entities }
            })
            .collect();
        let sets = match slices {
            Slices::Whole => operations.iter().map(|_| policies.clone()).collect(),
            Slices::ByOperation => operations.iter().map(|operation| about(&policies, operation)).collect(),
        };
        Self { authorizer: Authorizer::new(), sets, asks }
    }
}

impl Engine for Cedar {
    fn says(&self) -> Says {
        Says::AllowedOrNot
    }

    fn judge(&mut self, place: usize) -> Verdict {
        let Asked { set, request, entities } = &self.asks[place];
        let response = self.authorizer.is_authorized(request, &self.sets[*set], entities);
        match response.decision() {
            Decision::Allow => Verdict::Allow,
            Decision::Deny => Verdict::Deny,
        }
    }
}

fn about(policies: &PolicySet, operation: &str) -> PolicySet {
    use cedar_policy::ActionConstraint;
    let is_about = |policy: &&cedar_policy::Policy| match policy.action_constraint() {
        ActionConstraint::Any => true,
        ActionConstraint::Eq(action) => action.id().unescaped() == operation,
        ActionConstraint::In(actions) => actions.iter().any(|action| action.id().unescaped() == operation),
    };
    PolicySet::from_policies(policies.policies().filter(is_about).cloned()).expect("a part of a set is a set")
}
